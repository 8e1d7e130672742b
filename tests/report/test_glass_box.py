"""The section of a report that draws the curves of a glass box."""

import numpy as np
import pytest

import probus
from probus.ensemble import ExplainableBoostingClassifier
from probus.report import StudyReport, study_page
from probus.report._glass_box_curves import GlassBoxCurves


@pytest.fixture(scope="module")
def study():
    cars = probus.datasets.mtcars()
    return probus.study(
        cars.select("wt", "hp", "qsec", "cyl", "mpg"), target="mpg", models=["glass"], evaluations=0, n_jobs=1,
        progress=None,
    )  # fmt: skip


def test_the_curves_of_a_glass_box_that_is_the_best_are_drawn(study):
    assert list(study.results) == ["Zero-R", "Glass box"]
    assert study.recommended == "Glass box"
    report = StudyReport.of(study, time=30)
    page = study_page(report)
    assert 'id="curves"' in page
    assert "It is the best model of this study." in page
    assert "What wt adds" in page
    assert report.to_dict()["glass_box"]["terms"][0]["size"] > 0


def test_studies_without_a_glass_box_have_no_such_section(study):
    report = StudyReport.of(study, time=0)
    assert report.explanations.glass_box is None
    assert 'id="curves"' not in study_page(report)


def test_short_studies_do_not_try_it():
    from probus.lifecycle._families import families

    assert "Glass box" not in families("regression", None, 1_000, 59.0)
    assert "Glass box" not in families("regression", None, 60_000, 300.0)
    assert "Glass box" in families("classification", None, 6_000, 60.0)
    names = list(families("classification", "glass,tree,boosting"))
    assert names == ["Zero-R", "Tree", "Glass box", "Boosting"]


@pytest.mark.parametrize("positive", ["ill", "well"])
def test_curves_of_two_classes_are_those_of_the_positive_one(positive):
    x = np.random.default_rng(0).normal(size=200)
    X = probus.Table.of({"x": x})
    model = ExplainableBoostingClassifier(max_rounds=50, random_state=0).fit(X, np.where(x > 0, "ill", "well"))
    ((_, curve),) = GlassBoxCurves(model, positive).drawn
    assert curve.output == positive
    assert (curve.values[-2] > curve.values[0]) == (positive == "ill")
