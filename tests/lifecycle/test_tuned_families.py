"""The tuning of a study: honest, deterministic, and safe from models that crash or hang."""

import os
import time

import numpy as np
import pytest
from numba.core import event
from sklearn.base import BaseEstimator, ClassifierMixin

import probus
from probus.calibration.probability_maps import fitted_map
from probus.data import Table
from probus.dummy import ZeroRClassifier
from probus.ensemble import BoostingClassifier
from probus.errors import DataError
from probus.lifecycle import conclusion, family_fits, fit_pool
from probus.lifecycle.as_saved import as_saved
from probus.lifecycle.elimination import search_families
from probus.lifecycle.families import averaging, families
from probus.lifecycle.family_fits import OUTER, SAMPLE, FamilyFits
from probus.lifecycle.family_search import FamilySearch
from probus.lifecycle.final_model import default_cost
from probus.lifecycle.fit_pool import FitPool
from probus.lifecycle.selection_bias import selection_bias
from probus.lifecycle.stacked import Stack
from probus.metrics import Outcome, measure
from probus.model_selection import splits_of
from probus.model_selection.joined_outcomes import joined
from probus.naive_bayes import NaiveBayes
from probus.neighbors import KNeighborsClassifier
from probus.spaces import Choice, Integer, Space
from probus.tuning import worker_process


def moons(n=120, seed=0):
    random = np.random.default_rng(seed)
    angle, labels = random.uniform(0, np.pi, n), np.arange(n) % 2
    x = np.where(labels, 1 - np.cos(angle), np.cos(angle)) + random.normal(0, 0.25, n)
    z = np.where(labels, 0.5 - np.sin(angle), np.sin(angle)) + random.normal(0, 0.25, n)
    return {"x": x, "z": z, "y": np.array(["no", "yes"])[labels]}


KNN = {"bayes": NaiveBayes(), "k-NN": KNeighborsClassifier(50)}


def study(data=None, **options):
    how = {"target": "y", "cv": 3, "models": KNN, "evaluations": 5, "progress": None}
    return probus.study(moons() if data is None else data, **{**how, **options})


@pytest.fixture(scope="module")
def tuned():
    return study()


def search(data, splits=2, evaluations=4, models=KNN):
    task = probus.Task(data, target="y")
    models = families("classification", models)
    fits = FamilyFits(models, task, splits_of(splits, task, random_state=0), measure("roc_auc"), 0)
    found = search_families(fits, FitPool(fits, 1, None, None), evaluations=evaluations, update=lambda *_: None)
    return fits, found.searches


# -- honest ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_labels_of_outer_test_rows_change_no_prediction_for_them():
    data, rows = moons(), np.arange(120)
    split = [(rows[rows % 3 > 0], rows[rows % 3 == 0])]
    other = {**data, "y": np.where((rows % 6 == 0) & (rows < 60), "yes", data["y"])}
    first, second = (study(each, cv=split).results["k-NN"].outcomes[0].probabilities for each in (data, other))
    assert first.tolist() == second.tolist()


def test_tuning_improves_a_poor_default_and_both_scores_are_kept(tuned):
    default = study(evaluations=0)
    assert tuned.leaderboard["k-NN"].scores["roc_auc"] > default.leaderboard["k-NN"].scores["roc_auc"]
    assert default.inner_scores == {}
    assert set(tuned.inner_scores) == {"bayes", "k-NN"}
    inner = tuned.inner_scores[tuned.best]
    note = (
        f"{tuned.best} was tuned to ROC AUC {inner:.3g} on the rows that chose its parameters, trained on 67 % of all; "
        "the leaderboard has its score on rows that the tuning never used, trained on 67 %"
    )
    assert note in tuned.notes
    best = max((row for row in tuned.tried[1:] if row["model"] == "k-NN"), key=lambda row: row["score"])
    assert best["configuration"]["model__n_neighbors"] < 50


def test_every_evaluation_is_listed_with_its_configuration(tuned):
    rows = [row for row in tuned.tried if row["model"] == "k-NN"]
    assert len(rows) == 1 + 5 + (rows[1]["configuration"].get("model__n_neighbors") != 50)
    assert all(row["score"] is not None and row["error"] is None for row in rows)
    assert max(row["score"] for row in rows[1:]) == pytest.approx(tuned.inner_scores["k-NN"])


class Guess(ClassifierMixin, BaseEstimator):
    """Predicts by chance, with another chance for each value of its parameter."""

    def __init__(self, number=0):
        self.number = number

    def search_space(self):
        return Space({"number": Integer(0, 10**6)}, default={"number": self.number})

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        p = np.modf(np.abs(np.asarray(X)[:, 0] * (self.number + 1.5)) * 1e4)[0]
        return np.column_stack([1 - p, p])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@pytest.mark.slow
def test_the_tuned_score_of_chance_is_too_good_and_the_outer_score_is_not():
    # the best of 12 scores with a standard error of 1 / sqrt(3 * 60) has an excess of 1.63 standard errors, 0.12
    inner, outer = [], []
    for seed in range(8):
        data = {"x": np.random.default_rng(seed).normal(size=60), "y": ["no", "yes"] * 30}
        _, found = search(data, evaluations=12, models={"guess": Guess()})
        inner.append(found["guess"].inner_score)
        outer.append(np.mean([fit.score for fit in found["guess"].outer]))
    assert 0.56 < np.mean(inner) < 0.68
    assert abs(np.mean(outer) - 0.5) < 3 * 0.075 / np.sqrt(8)


@pytest.mark.slow
def test_the_best_of_equal_models_is_too_good_and_the_correction_finds_by_how_much():
    random, auc, n, k = np.random.default_rng(0), measure("roc_auc"), 150, 8
    excess, found = [], []
    for _ in range(12):
        actual = np.arange(n) % 2
        shared = random.normal(size=n)
        scores = {f"m{i}": actual + shared + random.normal(size=n) for i in range(k)}
        results = {name: _Predicted(_outcome(actual, each)) for name, each in scores.items()}
        reached = {name: auc.compute(each.pooled()) for name, each in results.items()}
        best = max(reached, key=reached.get)
        excess.append(reached[best] - np.mean([*reached.values()]))
        found.append(selection_bias(results, best, auc))
    assert np.mean(excess) > 0.01
    assert np.mean(found) == pytest.approx(np.mean(excess), abs=0.6 * np.mean(excess))


def _outcome(actual, scores):
    p = 1 / (1 + np.exp(-scores))
    return Outcome(actual, classes=("no", "yes"), positive=1).with_probabilities(np.column_stack([1 - p, p]))


class _Predicted:
    failures = ()

    def __init__(self, outcome):
        self._outcome = outcome

    def pooled(self):
        return self._outcome


def test_rows_that_cannot_be_split_again_are_not_tuned_on_and_said():
    data = {**moons(60), "g": np.arange(60) % 20 // 10}
    result = study(data, group="g", cv=2)
    assert result.inner_scores == {}
    note = "the models have their default parameters, since training rows cannot be split: 1 group for 2 folds"
    assert note in result.notes


# -- deterministic -----------------------------------------------------------------------------------


def _facts(result):
    rows = [{key: value for key, value in row.items() if key != "seconds"} for row in result.tried]
    return rows, [outcome.probabilities.tolist() for each in result.results.values() for outcome in each.outcomes]


@pytest.mark.slow
def test_the_seed_decides_the_tuning(tuned):
    assert _facts(study()) == _facts(tuned)


@pytest.mark.slow
def test_the_number_of_processes_does_not_change_the_result(tuned):
    assert _facts(study(n_jobs=2)) == _facts(tuned)


# -- models that fail --------------------------------------------------------------------------------


class Ends(ZeroRClassifier):
    """Ends its process, or never returns."""

    def __init__(self, what="exit"):
        super().__init__()
        self.what = what

    def fit(self, X, y, sample_weight=None):
        if self.what == "exit":
            os._exit(3)
        while True:
            time.sleep(0.05)


@pytest.mark.slow
def test_a_model_that_crashes_or_hangs_is_recorded_and_the_study_goes_on(monkeypatch):
    monkeypatch.setattr(conclusion, "_LEAST", 3.0)
    monkeypatch.setattr(conclusion, "_FIT_SHARE", 0.0)
    models = {"bayes": NaiveBayes(), "exits": Ends(), "hangs": Ends("hang")}
    rows = np.arange(120)
    result = study(cv=[(rows[:80], rows[80:])], models=models, time=300, evaluations=1)
    assert result.best == "bayes"
    assert result.leaderboard["exits"].status == "failed on the only split: Crashed: the process ended with status 3"
    stopped = "failed on the only split: Stopped: took longer than the limit of 3 s"
    assert result.leaderboard["hangs"].status == stopped
    assert [row["error"] is None for row in result.tried if row["model"] == "hangs"] == [False]


class Compiles(NaiveBayes):
    """Compiles for longer than a fit may take."""

    def fit(self, X, y, sample_weight=None):
        with event.trigger_event("numba:compile", {"dispatcher": None}):
            time.sleep(3.5)
        return super().fit(X, y, sample_weight)


@pytest.mark.slow
def test_compiling_does_not_count_against_the_limit_of_a_fit(monkeypatch):
    monkeypatch.setattr(conclusion, "_LEAST", 3.0)
    monkeypatch.setattr(conclusion, "_FIT_SHARE", 0.0)
    rows = np.arange(120)
    result = study(cv=[(rows[:80], rows[80:])], models={"compiles": Compiles()}, time=300, evaluations=0)
    assert result.best == "compiles"
    assert not result.leaderboard["compiles"].status


def test_compiling_does_not_count_against_the_time_of_the_study(monkeypatch):
    task = probus.Task(moons(30), target="y")
    fits = FamilyFits(families("classification", KNN), task, splits_of(2, task, random_state=0), measure("roc_auc"), 0)
    pool = FitPool(fits, 1, deadline=time.perf_counter() + 1000, limit=None)
    before, spent = pool.left, fit_pool.seconds_compiling_anywhere()
    monkeypatch.setattr(fit_pool, "seconds_compiling_anywhere", lambda: spent + 500)
    assert pool.left - before == pytest.approx(500, abs=60)
    pool.close()


@pytest.mark.slow
def test_the_first_fit_on_a_machine_reports_that_it_compiles(monkeypatch, tmp_path):
    monkeypatch.setattr(worker_process, "_kept", [])
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    task = probus.Task(moons(30), target="y")
    models = families("classification", {"k-NN": KNeighborsClassifier(3)})
    fits = FamilyFits(models, task, splits_of(2, task, random_state=0), measure("roc_auc"), 0)
    pool = FitPool(fits, 1, deadline=time.perf_counter() + 300, limit=20.0)
    (fit,) = pool.run([("k-NN", {}, 0, OUTER)])
    compiling = pool.seconds_compiling
    pool.close()
    for process in worker_process._kept:
        process.close()
    assert (fit.error, compiling > 0) == (None, True)


class Slow(NaiveBayes):
    """Takes longer than the study may."""

    def fit(self, X, y, sample_weight=None):
        time.sleep(0.2)
        return super().fit(X, y, sample_weight)


@pytest.mark.slow
def test_however_short_the_time_a_study_ends_with_the_first_model_that_can_finish(monkeypatch):
    monkeypatch.setattr(conclusion, "_LEAST", 1.0)
    models = {"hangs": Ends("hang"), "slow": Slow(), "later": Slow()}
    result = study(time=0.1, models=models, cv=5, n_jobs=1)
    assert result.best == "slow"
    assert result.leaderboard["later"].status == "not finished"
    assert result.stopped == (
        "the time was up before any model was finished, so the first one took longer: "
        "2 of 4 models are finished and ranked"
    )
    errors = [failure.error for failure in result.results["hangs"].failures]
    late = "Stopped: took longer than the limit of 1 s"
    assert errors == [late] + [f"{late} on another split"] * 4  # which are not begun


@pytest.mark.slow
def test_a_study_of_models_that_all_take_too_long_ends_with_the_baseline(monkeypatch):
    monkeypatch.setattr(conclusion, "_LEAST", 0.5)
    result = study(time=0.1, models={"hangs": Ends("hang")}, cv=5, n_jobs=1)
    assert result.best == "Zero-R"
    assert "took longer than the limit of 0.5 s" in result.leaderboard["hangs"].status


class WaitsFor(KNeighborsClassifier):
    """Does not end before a file is there."""

    def __init__(self, file):
        super().__init__()
        self.file = file

    def fit(self, X, y):
        while not os.path.exists(self.file):
            time.sleep(0.05)
        return super().fit(X, y)


@pytest.mark.slow
def test_a_fit_that_took_too_long_is_tried_again_where_a_study_goes_on(monkeypatch, tmp_path):
    monkeypatch.setattr(conclusion, "_LEAST", 0.5)
    ready = tmp_path / "ready"
    how = {"cv": 2, "archive": tmp_path / "a.db", "evaluations": 0, "models": {"k-NN": WaitsFor(str(ready))}}
    assert study(time=0.1, n_jobs=1, **how).best == "Zero-R"
    ready.touch()
    assert study(**how).best == "k-NN"


class SlowOnManyRows(NaiveBayes):
    """Does not end on more than a few rows."""

    def fit(self, X, y, sample_weight=None):
        if len(y) > 1_000:
            time.sleep(100)
        return super().fit(X, y, sample_weight)


class SlowWithManyNeighbours(KNeighborsClassifier):
    def search_space(self):
        return Space({"n_neighbors": Choice(5, 20)}).with_default(self)

    def fit(self, X, y):
        time.sleep(100 if self.n_neighbors > 5 else 0)
        return super().fit(X, y)


@pytest.mark.slow
def test_a_configuration_that_takes_far_longer_than_the_default_is_stopped():
    models = {"k-NN": SlowWithManyNeighbours(5)}
    result = study(moons(120), time=60, evaluations=2, models=models, cv=2, n_jobs=2)
    (slow,) = [each["error"] for each in result.tried if 20 in each["configuration"].values()]
    assert slow.startswith("Stopped: took longer than the limit of")


def test_boosting_among_the_best_becomes_the_mean_of_several_models():
    models = {"Boosting": BoostingClassifier(20, random_state=0)}
    result = study(moons(120), models=models, evaluations=1, cv=2)
    assert result.model.estimator_.steps[-1][1].n_models == 4
    assert "Boosting is the mean of 4 models, each fitted to other samples of the training rows" in result.notes
    untuned = study(moons(120), models=models, evaluations=0, cv=2, n_jobs=-1)
    assert untuned.model.estimator_.steps[-1][1].n_models == 1


class SlowWithLeaves(BoostingClassifier):
    def fit(self, X, y, sample_weight=None):
        time.sleep(100 if self.max_leaf_nodes else 0)
        return super().fit(X, y, sample_weight)


@pytest.mark.slow
def test_a_turn_that_takes_too_long_leaves_the_time_that_is_kept_for_averages(monkeypatch):
    monkeypatch.setattr("probus.lifecycle.elimination._SLOWER", 1e6)
    monkeypatch.setattr("probus.lifecycle.elimination._seconds_of_averages", lambda *_: 20.0)
    models = {"Boosting": SlowWithLeaves(20, random_state=0)}
    result = study(moons(120), time=26, models=models, evaluations=8, cv=2, n_jobs=2)
    assert result.model.estimator_.steps[-1][1].n_models > 1
    assert result.seconds < 60


@pytest.mark.slow
def test_models_that_were_not_tuned_for_want_of_time_are_named(monkeypatch):
    monkeypatch.setattr("probus.lifecycle.elimination._fits_in", lambda search, *_: search.name == "k-NN")
    assert "not tuned, for want of time: bayes" in study().notes
    monkeypatch.setattr("probus.lifecycle.elimination._fits_in", lambda *_: False)
    assert "no model was tuned, for want of time: all have their default parameters" in study().notes
    assert not [note for note in study(evaluations=0).notes if "tuned" in note]


def test_where_no_model_finishes_in_time_one_is_trained_on_a_few_rows(monkeypatch):
    monkeypatch.setattr(conclusion, "_LEAST", 0.5)
    models = {"first": SlowOnManyRows(), "second": SlowOnManyRows()}
    result = study(moons(1_300), time=0.1, models=models, cv=5, n_jobs=1)
    assert result.best == "first"
    note = "trained on 1,000 of the 1,040 training rows of each split, for want of time: first, also as saved"
    assert note in result.notes
    assert result.model.estimator_.steps[-1][1].class_count_.sum() == 1_000


# -- large tables ------------------------------------------------------------------------------------


@pytest.fixture
def large(monkeypatch):
    """Tables of 100 rows are large, and fits run in this process though there is a deadline."""

    def pool(limits, fits):
        made = FitPool(fits, 1, None, None)
        made.deadline = time.perf_counter() + 1000
        return made

    monkeypatch.setattr(family_fits, "_LARGE", 100)
    monkeypatch.setitem(family_fits._SAMPLED_ROWS, SAMPLE, 55)
    monkeypatch.setattr(conclusion.Limits, "pool", pool)


def test_families_of_a_large_table_are_evaluated_on_a_sample_first_and_then_on_all_rows(large, monkeypatch):
    fitted = []
    split = FamilyFits.split
    monkeypatch.setattr(FamilyFits, "split", lambda self, *job: (fitted.append(job), split(self, *job))[1])
    result = study(evaluations=0, cv=2)
    families_of = [(job[0]["family"], job[1][1]) for job in fitted]
    assert set(families_of[:6]) == {(name, SAMPLE) for name in ("Zero-R", "bayes", "k-NN")}
    assert set(families_of[6:]) == {(name, OUTER) for name in ("Zero-R", "bayes", "k-NN")}
    assert not any("for want of time" in note for note in result.notes)


def test_families_without_time_for_all_rows_remain_on_the_sample_and_this_is_said(large, monkeypatch):
    monkeypatch.setattr(FamilySearch, "seconds", 1e9)
    result = study(models={"bayes": NaiveBayes()}, cv=2)
    note = "trained on 55 of the 60 training rows of each split, for want of time: bayes, also as saved"
    assert note in result.notes
    assert result.inner_scores == {}
    assert result.model.estimator_.steps[-1][1].class_count_.sum() == 55


# -- ensembles and the final model -------------------------------------------------------------------


def test_the_weights_of_the_ensemble_are_those_of_the_best_mean_on_inner_rows():
    fits, found = search(moons())
    stack = Stack({name: found[name] for name in ("bayes", "k-NN")}, measure("roc_auc"))
    weights = stack.weights(fits.last)
    assert sum(weights.values()) == pytest.approx(1.0)
    assert set(weights) <= {"bayes", "k-NN"}
    together = stack.resampled([measure("roc_auc")])
    share = [stack.weights(0).get(name, 0.0) for name in ("bayes", "k-NN")]
    expected = sum(w * found[name].outer[0].outcome.probabilities for w, name in zip(share, KNN, strict=True))
    assert together.outcomes[0].probabilities == pytest.approx(expected)


def test_an_ensemble_that_does_not_win_is_left_out_and_said(tuned):
    assert "Ensemble" not in tuned.results
    (note,) = (note for note in tuned.notes if note.startswith("a stacked ensemble of the families has ROC AUC 0."))
    score = float(note.split()[9])
    assert ("not clearly better" in note) == (score > tuned.score.value), (note, tuned.score)
    assert note.endswith("better, so it is left out")


def test_the_final_model_has_sets_of_classes_and_calibrated_probabilities(tuned):
    rows = tuned.task.X.take(range(4))
    assert len(tuned.model.predict_set(rows, level=0.9).labels) == 4
    assert tuned.model.predict_proba(rows).sum(axis=1) == pytest.approx(np.ones(4))


@pytest.mark.slow
def test_the_final_model_of_numbers_has_intervals():
    random = np.random.default_rng(0)
    x = random.normal(size=80)
    how = {"target": "y", "models": ["linear"], "evaluations": 0, "progress": None}
    result = probus.study({"x": x, "y": x + random.normal(size=80)}, **how)
    interval = result.model.predict_interval(result.task.X.take([0, 1]), level=0.9)
    assert interval.shape == (2, 2)
    assert (interval[:, 0] < interval[:, 1]).all()


def test_errors_of_a_rare_class_weigh_more_unless_a_cost_is_given():
    random = np.random.default_rng(1)
    rare = np.arange(200) % 10 == 0
    data = {"x": random.normal(size=200) + 1.2 * rare, "y": np.where(rare, "yes", "no")}
    how = {"models": {"bayes": NaiveBayes()}, "evaluations": 0}
    balanced, plain, given = (study(data, **how, **more).model for more in ({}, {"cost": None}, {"cost": 3.0}))
    table = probus.Table.of(data).drop("y")
    counts = [int((model.predict(table) == "yes").sum()) for model in (balanced, plain, given)]
    assert counts[1] < counts[2] < counts[0]
    assert given.costs_.max() == 3.0


@pytest.fixture(scope="module")
def overconfident():
    """Naive Bayes on ten copies of two columns, which it takes for independent evidence."""
    random = np.random.default_rng(2)
    labels = np.arange(3600) % 3
    x = random.normal(size=(3600, 2)) + 1.0 * np.column_stack([labels == 1, labels == 2])
    columns = {f"x{j}": x[:, j % 2] + 1e-9 * j for j in range(20)}
    table = probus.Table.of({**columns, "y": np.array(["a", "b", "c"])[labels]})
    how = {"target": "y", "models": {"bayes": NaiveBayes()}, "evaluations": 0, "progress": None, "cv": 5}
    return table.take(range(600, 3600)), probus.study(table.take(range(600)), allow_leaks=True, **how)


def test_the_scores_are_those_of_the_calibrated_model_that_is_saved(overconfident):
    held_out, result = overconfident
    raw = probus.resample(NaiveBayes(), probus.Task(result.task.table, "y"), cv=result.splits)
    assert float(raw.estimate("log_loss")) > 1.5 * float(result.score)
    p = result.model.predict_proba(held_out)
    actual = held_out["y"].values
    loss = -np.log(p[np.arange(len(p)), actual]).mean()
    assert result.score.low < loss < result.score.high
    assert any(
        note.startswith("the model is scored as it is saved: probabilities calibrated (") for note in result.notes
    )


def test_calibration_of_a_fold_uses_the_other_folds_only(overconfident):
    raw = probus.resample(NaiveBayes(), probus.Task(overconfident[1].task.table, "y"), cv=5, random_state=0)
    saved, method = as_saved(raw, None)
    others = joined(raw.outcomes[1:])
    expected = fitted_map(method, others.probabilities, others.actual, None)(raw.outcomes[0].probabilities)
    assert saved.outcomes[0].probabilities == pytest.approx(expected)


def test_accuracy_and_confusion_are_those_of_the_decisions_that_are_saved():
    random = np.random.default_rng(1)
    rare = np.arange(400) % 10 == 0
    data = {"x": random.normal(size=400) + 1.2 * rare, "y": np.where(rare, "yes", "no")}
    result = study(data, models={"bayes": NaiveBayes()}, evaluations=0, cv=5)
    found = result.confusion()
    assert found[1, 1] / found[1].sum() > 0.5  # most of the rare class is found, which the largest probability does not
    assert float(result.leaderboard["bayes"].scores["accuracy"]) == pytest.approx(np.trace(found) / 400)
    assert any("class yes is predicted where its probability is at least 0.1" in note for note in result.notes)
    plain = study(data, models={"bayes": NaiveBayes()}, evaluations=0, cv=5, scoring="accuracy")
    assert plain.model.cost is None


@pytest.mark.parametrize(
    ("counts", "cost"), [((17, 83), "balanced"), ((25, 75), None), ((10,) * 8, None), ((2, *(10,) * 7), "balanced")]
)
def test_a_class_is_rare_by_its_share_of_an_equal_one(counts, cost):
    labels = np.repeat([f"c{k}" for k in range(len(counts))], counts)
    task = probus.Task({"x": np.arange(len(labels)), "y": labels}, target="y")
    assert default_cost(task, measure("log_loss")) == cost
    assert default_cost(task, measure("accuracy")) is None


@pytest.mark.parametrize(
    ("data", "cost", "message"),
    [
        ({"x": np.arange(30.0) % 7, "y": ["a", "b", "c"] * 10}, 3.0, r"cost=3\.0 for 3 classes"),
        ({"x": np.arange(30.0) % 7, "y": np.arange(30.0) ** 2}, 3.0, r"cost=3\.0 for numbers"),
    ],
)
def test_a_cost_that_does_not_fit_is_an_error_before_any_fit(data, cost, message):
    with pytest.raises(DataError, match=message):
        study(data, cost=cost, models=["tree"], allow_leaks=True)


# -- archives ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_stopped_study_goes_on_where_it_was_and_ends_as_if_it_had_not_stopped(tuned, tmp_path, monkeypatch):
    def interrupt(done, total, name):
        if name == "tuning k-NN":
            raise KeyboardInterrupt

    fitted = []
    split = FamilyFits.split
    monkeypatch.setattr(FamilyFits, "split", lambda self, *job: (fitted.append(job), split(self, *job))[1])
    archive = tmp_path / "study.db"
    stopped = study(archive=archive, progress=interrupt)
    before, n_before = len(stopped.tried), len(fitted)
    resumed = study(archive=archive)
    assert before < len(resumed.tried)
    assert _facts(resumed) == _facts(tuned)
    n_all = len(fitted)
    assert _facts(study(archive=archive)) == _facts(tuned)
    assert len(fitted) == n_all
    assert n_before > 0
    with pytest.raises(DataError, match=r"study\.db is the archive of another study\.\n(?s:.)*delete this one"):
        study(moons(seed=1), archive=archive)


def test_a_study_goes_on_with_its_folds_whatever_time_it_has_now(tmp_path, monkeypatch):
    how = {"models": {"bayes": NaiveBayes()}, "evaluations": 0, "cv": None, "archive": tmp_path / "a.db"}
    assert study(**how).splits.repeats == 3
    monkeypatch.setattr(conclusion.Limits, "pool", lambda limits, fits: FitPool(fits, 1, None, None))
    assert study(**how, time=10).splits.repeats == 3
    assert study(**how | {"archive": tmp_path / "b.db"}, time=10).splits.repeats == 1


def test_an_archive_of_other_parameters_of_a_model_is_that_of_another_study(tmp_path):
    how = {"archive": tmp_path / "study.db", "evaluations": 0}
    study(models={"k-NN": KNeighborsClassifier(3)}, **how)
    with pytest.raises(DataError, match="the archive of another study"):
        study(models={"k-NN": KNeighborsClassifier(30)}, **how)


def test_what_is_no_archive_is_an_error(tmp_path):
    from probus.lifecycle import stored_options

    with pytest.raises(DataError, match="no file 'absent'"):
        stored_options("absent")
    (tmp_path / "text").write_text("this is no database at all, only a few words" * 30)
    with pytest.raises(DataError, match=r"text': it is not an SQLite file"):
        stored_options(tmp_path / "text")
    with pytest.raises(DataError, match=r"archive='redis://here'(?s:.)*begins with postgresql://"):
        study(archive="redis://here")
    study(archive=tmp_path / "memory.db", evaluations=0, models={"bayes": NaiveBayes()})
    with pytest.raises(DataError, match=r"memory\.db does not hold the options of a study"):
        stored_options(tmp_path / "memory.db")


# -- hostile tables ----------------------------------------------------------------------------------


def test_three_rows_are_an_error():
    with pytest.raises(DataError, match=r"3 rows for 5 folds\."):
        study({"x": [1.0, 2.0, 3.0], "y": ["a", "b", "a"]}, cv=None, evaluations=0)


def test_one_positive_in_a_thousand_is_scored_and_said():
    random = np.random.default_rng(0)
    labels = np.where(np.arange(2_000) < 2, "yes", "no")
    data = {"x": random.normal(size=2_000), "y": labels}
    result = study(data, models={"bayes": NaiveBayes()}, evaluations=0, cv=5)
    assert any("class yes has 2 rows, fewer than the 5 folds" in note for note in result.notes)
    assert [finding.title for finding in result.warnings] == ["rare-class", "imbalanced-target"]


def test_the_tree_of_a_rare_class_keeps_its_leaves():
    rng = np.random.default_rng(0)
    x = rng.normal(size=600)
    y = np.where(rng.random(600) < np.where(x > 1, 0.4, 0.01), "rare", "usual")
    result = study({"x": x, "y": y}, models=["tree"], evaluations=0, cv=3)
    assert result.leaderboard["Tree"].scores["roc_auc"] > 0.7


def test_only_boosting_of_the_package_that_is_one_model_is_averaged():
    class Net(ClassifierMixin, BaseEstimator):
        n_models = 1

        def fit(self, X, y):
            return self

    models = (BoostingClassifier(), BoostingClassifier(n_models=2), Net(), NaiveBayes())
    assert [averaging(model) for model in models] == ["model__n_models", None, None, None]


@pytest.mark.parametrize("kind", ["classification", "regression"])
def test_the_tree_does_not_split_rows_by_many_levels_that_mean_nothing(kind):
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=300), np.array([f"t{number}" for number in rng.integers(0, 120, 300)])
    y = x + rng.normal(size=300) if kind == "regression" else np.where(x + rng.normal(size=300) > 0, "yes", "no")
    table = Table.of({"ticket": noise, "x": x})
    tree = families(kind, ["tree"])["Tree"].fit(table.take(np.arange(200)), y[:200])
    alone = families(kind, ["tree"])["Tree"].fit(table.select("x").take(np.arange(200)), y[:200])
    rows = np.arange(200, 300)
    assert tree.score(table.take(rows), y[rows]) > alone.score(table.select("x").take(rows), y[rows]) - 0.1
