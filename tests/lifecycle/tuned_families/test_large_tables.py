"""Tables on which families are first evaluated on a sample."""

import time
from dataclasses import replace

import numpy as np
import pytest

from probus.lifecycle import _conclusion as conclusion
from probus.lifecycle import _family_fits as family_fits
from probus.lifecycle._family_fits import OUTER, SAMPLE, FamilyFits
from probus.lifecycle._family_search import FamilySearch
from probus.lifecycle._final_model import final_model
from probus.lifecycle._fit_pool import FitPool
from probus.naive_bayes import NaiveBayes
from probus.pipeline import tabular
from probus.report import StudyReport


@pytest.fixture
def large(monkeypatch):
    """Tables of 100 rows are large, and fits run in this process though there is a deadline."""

    def pool(limits, fits):
        made = FitPool(fits, 1, None, None)
        made.deadline = time.perf_counter() + 1000
        return made

    monkeypatch.setattr(family_fits, "_SAMPLED_ROWS", {SAMPLE: 55})
    monkeypatch.setattr(family_fits, "_WORTHWHILE", {SAMPLE: 1.0})
    monkeypatch.setattr(conclusion.StudyLimits, "pool", pool)


def test_families_of_a_large_table_are_evaluated_on_a_sample_first_and_then_on_all_rows(study, large, monkeypatch):
    fitted = []
    split = FamilyFits.split
    monkeypatch.setattr(FamilyFits, "split", lambda self, *job: (fitted.append(job), split(self, *job))[1])
    result = study(evaluations=0, cv=2)
    families_of = [(job[0], job[3]) for job in fitted]
    assert set(families_of[:6]) == {(name, SAMPLE) for name in ("Zero-R", "bayes", "k-NN")}
    assert set(families_of[6:]) == {(name, OUTER) for name in ("Zero-R", "bayes", "k-NN")}
    assert not any("for want of time" in note for note in result.notes)


def test_families_without_time_for_all_rows_remain_on_the_sample_and_this_is_said(study, large, monkeypatch):
    monkeypatch.setattr(FamilySearch, "seconds_on", lambda search, rows: 1e9 if search.outer else 0.0)
    result = study(models={"bayes": NaiveBayes()}, cv=2)
    note = "trained on 55 of the 60 training rows of each split, for want of time: bayes, also as saved"
    assert note in result.notes
    assert result.inner_scores == {}
    assert result.model.estimator_.steps[-1][1].class_count_.sum() == 55


def test_a_rare_class_stays_a_class_of_a_model_that_is_fitted_on_a_sample(study, moons, large, monkeypatch):
    monkeypatch.setattr(FamilySearch, "seconds_on", lambda search, rows: 1e9 if search.outer else 0.0)
    data = moons(1000)
    data["y"] = np.where(np.isin(np.arange(1000), (7, 190, 333)), "rare", data["y"])
    result = study(data, models={"bayes": NaiveBayes()}, cv=2)
    assert result.model.estimator_.steps[-1][1].class_count_.tolist() == pytest.approx([27, 2, 28], abs=6)
    assert result.model.classes_.tolist() == ["no", "rare", "yes"]
    assert (result.model.predict_proba(result.task.X)[:, 1] > 0).all()
    report = StudyReport.of(result, time=0)
    assert report.costs.matrices.shape[-1] == len(report.confusion.counts) == 3


def test_the_report_of_a_model_that_does_not_know_a_class_has_all_classes(study, moons):
    data = moons()
    data["y"] = np.where(np.arange(120) == 7, "rare", data["y"])
    result = study(data, models={"bayes": NaiveBayes()}, evaluations=0)
    found = result.results[result.best]
    known = np.flatnonzero(data["y"] != "rare")
    model, _ = final_model(tabular(NaiveBayes()), result.task, found, result.settings["cost"], "auto", known)
    assert model.estimator_.classes_.tolist() == ["no", "yes"]
    assert model.classes_.tolist() == ["no", "rare", "yes"]
    assert model.predict_proba(result.task.X).shape == (120, 3)
    assert {"rare", "no"} <= {label for labels in model.predict_set(result.task.X, 0.999).labels for label in labels}
    report = StudyReport.of(replace(result, model=model), time=0)
    assert report.costs.matrices.shape[-1] == 3
