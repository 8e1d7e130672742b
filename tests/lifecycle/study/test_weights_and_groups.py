"""Row weights, sensitive columns and the tables of a terminal."""

import io
import json
from functools import partial

import numpy as np
import pytest

import probus
from probus.cli._study import _show
from probus.data import Task
from probus.lifecycle._families import families
from probus.naive_bayes import NaiveBayes
from probus.pipeline import tabular

pytestmark = pytest.mark.slow  # every test runs studies


def test_weights_reach_fits_and_scores(study, two_blobs):
    weights = np.where(np.arange(60) < 30, 3.0, 1.0)
    result = study(two_blobs(w=weights), weight="w", models={"bayes": NaiveBayes()})
    assert "w" not in result.features
    scored = probus.resample(NaiveBayes(), Task(two_blobs(w=weights), "y", weight="w"), cv=result.splits)
    assert float(result.leaderboard["bayes"].scores["accuracy"]) == pytest.approx(float(scored.estimate("accuracy")))
    fitted = NaiveBayes().fit(result.task.X.select("x", "z"), result.task.y, sample_weight=weights)
    rows = result.task.X.take(range(5))
    predicted = result.model.estimator_.predict_proba(rows.select("x", "z"))
    assert predicted == pytest.approx(fitted.predict_proba(rows.select("x", "z")))


def test_weights_of_rows_are_those_of_a_column(study, two_blobs):
    data, weights = two_blobs(), np.arange(60) % 3 + 1.0
    features = {name: data[name] for name in ("x", "z")}
    how = {"models": ["bayes"], "cv": 3, "progress": None, "evaluations": 0}
    rows = probus.study(features, data["y"], sample_weight=weights, **how)
    assert float(rows.score) == float(study(two_blobs(w=weights), weight="w", models=["bayes"]).score)


def test_sensitive_columns_are_no_features(study, two_blobs):
    result = study(two_blobs(sex=["f", "m", "m"] * 20), sensitive="sex")
    assert result.left_out == {"sex": "sensitive"}
    assert result.task.sensitive == ("sex",)


@pytest.fixture
def by_sex(study, two_blobs):
    sex = np.where(np.arange(80) < 40, "f", "m")
    data = two_blobs(80, sex=sex, age=np.arange(80.0) % 30)
    data["x"] = np.where(sex == "m", np.random.default_rng(1).normal(size=80), data["x"])
    return partial(study, data, models=["bayes"], sensitive=["sex", "age"])


def test_scores_are_reported_for_each_group_of_a_sensitive_column(by_sex):
    from sklearn.metrics import recall_score, roc_auc_score

    result = by_sex()
    outcome = result.results[result.best].pooled()
    groups = result.group_scores
    assert [each.name for each in groups][:2] == ["sex = f", "sex = m"]
    for group, rows in (("sex = f", slice(0, 40)), ("sex = m", slice(40, 80))):
        actual = outcome.actual[rows] == outcome.positive
        assert float(groups[group].scores["roc_auc"]) == pytest.approx(roc_auc_score(actual, outcome.scores[rows]))
        predicted = outcome.predicted[rows] == outcome.positive
        assert float(groups[group].scores["recall"]) == pytest.approx(recall_score(actual, predicted))
    assert groups["sex = f"].scores["roc_auc"].low > groups["sex = m"].scores["roc_auc"].high
    assert groups.apart()[0].startswith("ROC AUC differs by sex: 0.")
    assert sum(each.rows for each in groups if each.column == "age") == 80
    for text in (str(result), result._repr_html_(), json.dumps(result.to_dict())):
        assert "sex = m" in text or '"group": "m"' in text


@pytest.mark.parametrize(("width", "intervals"), [(70, 1), (120, 3)])
def test_the_table_of_groups_has_as_many_intervals_as_the_terminal_holds(width, intervals):
    from rich.console import Console

    from probus.cli._tables import group_table
    from probus.lifecycle._group_scores import GroupScore, GroupScores
    from probus.metrics import MEASURES, Estimate

    measures = [MEASURES[name] for name in ("roc_auc", "recall", "specificity")]
    scores = {each.name: Estimate(0.8125, 0.7125, 0.9125) for each in measures}
    groups = GroupScores([GroupScore("status_and_sex", level, 40, scores) for level in ("f", "m")], measures)
    screen = Console(width=width, record=True, file=io.StringIO())
    screen.print(group_table(groups, screen))
    lines = screen.export_text().splitlines()
    assert sum(line.strip() == "status_and_sex" for line in lines) == 1
    (line,) = [line for line in lines if line.strip().startswith("f ")]
    assert line.count("[") == intervals


def test_sensitive_columns_may_be_kept_as_features(by_sex):
    result = by_sex(keep_sensitive=True)
    assert (result.features, result.left_out) == (("x", "z", "sex", "age"), {})
    assert result.settings["keep_sensitive"]


def test_small_groups_have_no_scores(study, two_blobs):
    result = study(two_blobs(sex=["d"] * 4 + ["f", "m"] * 28), models=["bayes"], sensitive="sex")
    assert np.isnan(result.group_scores["sex = d"].scores["roc_auc"].value)
    assert "sex = d     4  –" in str(result)


@pytest.mark.parametrize("width", [62, 80, 100, 160])
def test_the_table_of_a_terminal_cuts_no_word(blobs, width):
    from rich.console import Console

    from probus.cli._tables import leaderboard_table

    screen = Console(width=width, record=True, file=io.StringIO())
    screen.print(leaderboard_table(blobs, screen))
    text = screen.export_text()
    assert "…" not in text
    assert all(standing.name in text and standing.verdict in text for standing in blobs.leaderboard)
    assert ("log" in text) == (width >= 80)


def test_models_that_fail_alike_are_one_line(capsys, study, breaking):
    _show(study(models={"first": breaking(), "second": breaking(), "bayes": NaiveBayes()}))
    out = capsys.readouterr().out
    assert "first and second failed on all 3 splits: RuntimeError: it broke" in out
    assert [line.split()[-1] for line in out.splitlines() if line.startswith("–")] == ["failed", "failed"]


@pytest.mark.parametrize("kind", ["classification", "regression"])
def test_linear_families_do_not_extrapolate_beyond_the_training_rows(kind):
    random = np.random.default_rng(0)
    X = {"a": random.normal(size=60), "b": random.normal(size=60)}
    y = 2 * X["a"] + X["b"]
    model = families(kind, ["linear"])["Ridge regression" if kind == "regression" else "Logistic regression"]
    plain = tabular(model.steps[-1][1])
    target = y if kind == "regression" else np.where(y > 0, "yes", "no")
    predict = "predict" if kind == "regression" else "decision_function"
    within, everywhere = (getattr(each.fit(X, target), predict) for each in (model, plain))
    np.testing.assert_allclose(within(X), everywhere(X), rtol=1e-9)
    edge, far = ({"a": np.array([value]), "b": np.array([0.0])} for value in (X["a"].max(), 1e6))
    assert within(far) == pytest.approx(within(edge))
