"""Tuned models: as scikit-learn's searches report, nested, cloned, saved, and the same for any number of processes."""

from inspect import signature
from itertools import count

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB as SklearnNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import probus
from probus import DataError, Task
from probus.metrics import measure
from probus.metrics.curves._shares import wilson
from probus.naive_bayes import GaussianNB
from probus.spaces import Choice, Fixed, Integer, Real, Space, when
from probus.tuning import Archive, Bayesian, Evaluation, Grid, Hyperband, Random, SuccessiveHalving, Tuned, Tuner, tune
from probus.tuning._auto_tuner import tuner_named
from probus.tuning._cv_results import cv_results

VALUES = (1e-9, 1e-3, 0.1, 1.0)
SMOOTHING = Space({"var_smoothing": Choice(*VALUES)})


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def both(iris):
    """Our grid search and scikit-learn's, on the same splits."""
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    ours = Tuned(GaussianNB(), space=SMOOTHING, tuner=Grid(), cv=folds, scoring="accuracy").fit(*iris)
    theirs = GridSearchCV(SklearnNB(), {"var_smoothing": list(VALUES)}, cv=folds, scoring="accuracy").fit(*iris)
    return ours, theirs


def test_a_grid_is_that_of_scikit_learn(both):
    ours, theirs = both
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_index_ == theirs.best_index_
    assert ours.best_score_ == pytest.approx(theirs.best_score_, abs=1e-12)
    for name, column in theirs.cv_results_.items():
        if name.endswith("_score"):
            assert ours.cv_results_[name] == pytest.approx(column, abs=1e-12), name
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    assert set(theirs.cv_results_) <= set(ours.cv_results_)
    assert ours.cv_results_["param_var_smoothing"].tolist() == theirs.cv_results_["param_var_smoothing"].tolist()


def test_several_measures_have_the_columns_of_scikit_learn(iris):
    folds, scoring = StratifiedKFold(3), ["accuracy", "f1_macro"]
    ours = Tuned(GaussianNB(), space=SMOOTHING, tuner=Grid(), cv=folds, scoring=[*scoring, "log_loss"]).fit(*iris)
    grid = GridSearchCV(SklearnNB(), {"var_smoothing": list(VALUES)}, cv=folds, scoring=scoring, refit="accuracy")
    for name, column in grid.fit(*iris).cv_results_.items():
        assert name in ours.cv_results_
        if "_test_" in name:
            assert ours.cv_results_[name] == pytest.approx(column, abs=1e-12), name
    assert ours.cv_results_["rank_test_log_loss"].tolist() == rankdata(ours.cv_results_["mean_test_log_loss"]).tolist()


def test_the_columns_of_20000_evaluations_are_made_in_one_pass(monkeypatch):
    read = count()
    n = 20_000
    evaluations = tuple(Evaluation(i, {"x": i / n}, scores={"rmse": (1.0 + i, 2.0)}) for i in range(n))
    archive = Archive(evaluations, ("rmse",), False)
    monkeypatch.setattr(Archive, "__iter__", lambda self: (next(read), iter(self.evaluations))[1])
    columns = cv_results(archive, Space({"x": Real(0, 1)}), GaussianNB(), [measure("rmse")])
    assert columns["rank_test_score"].tolist() == list(range(1, n + 1))
    assert next(read) < 20, "the evaluations are walked through a few times, not once for each of them"


def test_the_best_configuration_predicts(both, iris):
    ours, theirs = both
    X, y = iris
    assert (ours.predict(X) == theirs.predict(X)).all()
    assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-9)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y))
    assert (ours.classes_ == theirs.classes_).all()
    assert ours.n_features_in_ == 4
    assert is_classifier(ours)


def test_the_best_score_has_an_interval_that_says_it_is_optimistic(both):
    estimate = both[0].best_estimate_
    assert estimate.low < estimate.value < estimate.high
    assert "optimistic" in estimate.method


def test_negative_scores_are_those_of_scikit_learn(iris):
    folds = StratifiedKFold(3)
    how = {"cv": folds, "scoring": "neg_log_loss"}
    ours = Tuned(GaussianNB(), space=SMOOTHING, tuner=Grid(), **how).fit(*iris)
    theirs = GridSearchCV(SklearnNB(), {"var_smoothing": list(VALUES)}, **how).fit(*iris)
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-9)
    assert ours.score(*iris) == pytest.approx(theirs.score(*iris), rel=1e-9)
    plain = Tuned(GaussianNB(), space=SMOOTHING, tuner=Grid(), cv=folds, scoring="log_loss").fit(*iris)
    assert plain.best_score_ == -ours.best_score_, "a measure under its own name has its own sign"
    assert plain.best_params_ == ours.best_params_


def test_the_own_configuration_comes_first_also_outside_the_space(iris):
    space = Space({"var_smoothing": Real(0.5, 1.0)})
    tuned = tune(GaussianNB(), *iris, space=space, tuner=Random(), evaluations=4, scoring="log_loss")
    assert tuned.archive[0].config == {}
    assert tuned.cv_results_["params"][0] == {"var_smoothing": 1e-9} == tuned.best_params_
    assert tuned.best_estimator_.named_steps["model"].var_smoothing == 1e-9
    assert tuned.best_index_ == 0


def test_conditional_parameters_are_masked(shrunk, numbers):
    space = Space({"power": Choice(1, 2), "factor": when(Real(0.0, 1.0), power=2)})
    tuned = tune(shrunk, numbers, space=space, tuner=Random(), evaluations=8, cv=2)
    masked = tuned.cv_results_["param_factor"].mask
    powers = tuned.cv_results_["param_power"].tolist()
    assert (masked[1:] == (np.array(powers[1:]) == 1)).all()
    assert masked.any()


def test_a_failed_configuration_has_no_score_and_the_search_goes_on(shrunk, numbers):
    tuned = tune(shrunk, numbers, space=Space({"power": Integer(5, 8)}), tuner=Grid(), cv=2)
    assert len(tuned.archive) == 5
    failed = next(each for each in tuned.archive if each.config == {"power": 7})
    assert failed.error == "ValueError: seven is not allowed"
    assert np.isnan(tuned.cv_results_["mean_test_score"]).sum() == 1
    assert tuned.cv_results_["rank_test_score"][failed.number] == 5
    assert "1 failed" in repr(tuned.archive)


def test_a_configuration_whose_score_is_infinite_has_failed(shrunk, numbers):
    def ratio(y_true, y_pred):
        return np.inf if y_pred[0] > 10 else float(np.mean(y_true / (y_pred + 1)))

    tuned = tune(shrunk, numbers, space=Space({"factor": Real(0.5, 2)}), tuner=Grid(3), cv=2, scoring=ratio)
    assert [each.error for each in tuned.archive][-2:] == ["DataError: ratio is infinite on a split."] * 2
    assert tuned.best_params_["factor"] < 1


def test_nothing_but_failures_is_an_error(shrunk, numbers):
    model = clone(shrunk).set_params(power=7)
    with pytest.raises(DataError, match="every evaluation failed: ValueError: seven is not allowed"):
        tune(model, numbers, space=Space({"factor": Real(0, 1)}), tuner=Random(), evaluations=3, cv=2)


def test_tune_has_the_parameters_of_tuned():
    ours, theirs = (signature(each).parameters for each in (tune, Tuned))
    beside = {"X", "y", "groups", "sample_weight", "pos_label", "target", "archive", "name"}
    beside |= {"progress", "executor"}  # of the call
    assert {name: each.default for name, each in ours.items() if name not in beside} == {
        name: each.default for name, each in theirs.items() if name not in ("refit", "progress")
    }


# -- as an estimator -----------------------------------------------------------------------------------


def test_it_can_be_cloned_cross_validated_and_put_in_a_pipeline(iris):
    tuned = Tuned(GaussianNB(), space=SMOOTHING, tuner=Grid(), cv=2)
    assert repr(clone(tuned)) == repr(tuned)
    assert cross_val_score(tuned, *iris, cv=2).shape == (2,)
    pipeline = make_pipeline(StandardScaler(), clone(tuned)).fit(*iris)
    assert pipeline.predict(iris[0]).shape == (150,)


def test_resampling_it_is_nested_resampling(iris):
    tuned = Tuned(GaussianNB(), space=SMOOTHING, tuner=Grid(), cv=2, scoring="accuracy")
    result = probus.resample(tuned, *iris, cv=3, keep_models=True)
    for model, (train, _) in zip(result.models, result.splits.pairs, strict=True):
        inner = model if isinstance(model, Tuned) else model.steps[-1][1]
        assert len(inner.archive) == 4
        assert inner.archive.header["data"]["rows"] == len(train)
    outer = probus.nested(tuned, *iris, cv=3)
    assert [choice.what for choice in outer.choices] == [
        f"var_smoothing={(m if isinstance(m, Tuned) else m.steps[-1][1]).best_params_['var_smoothing']}"
        for m in result.models
    ]


def test_nested_resampling_reports_the_measure_that_chose(iris):
    tuned = Tuned(GaussianNB(), space={"var_smoothing": 0.1}, cv=2, evaluations=2)
    result = probus.nested(tuned, *iris, cv=2)
    assert result.tuned_by.name == "log_loss"
    assert all(choice.score > 0 for choice in result.choices)


def test_groups_stay_together_and_weights_are_used(numbers):
    from probus.dummy import ZeroRRegressor

    rng = np.random.default_rng(1)
    data = {"x": rng.normal(size=60), "y": numbers.y, "g": rng.integers(6, size=60), "w": rng.uniform(1, 2, 60)}
    task = Task(data, target="y", group="g", weight="w")
    space = Space({"strategy": Choice("mean", "median")})
    tuned = tune(ZeroRRegressor(), task, space=space, cv=3)
    assert "grouped 3-fold" in tuned.archive.header["cv"]
    weighted = float(np.average(data["y"], weights=data["w"]))
    if tuned.best_params_["strategy"] == "mean":
        assert tuned.predict(task.X)[0] == pytest.approx(weighted)


@pytest.mark.parametrize("wrap", [lambda tuned: tuned, lambda tuned: make_pipeline(StandardScaler(), tuned)])
def test_inner_folds_respect_the_groups_of_a_resampled_task(wrap):
    rng = np.random.default_rng(1)
    data = {"x": rng.normal(size=60), "y": rng.integers(2, size=60).astype(str), "g": np.arange(60) % 12}
    tuned = Tuned(GaussianNB(), space=SMOOTHING, tuner=Grid(), cv=3)
    result = probus.resample(wrap(tuned), Task(data, target="y", group="g"), cv=2, keep_models=True)
    for model, (train, _) in zip(result.models, result.splits.pairs, strict=True):
        while hasattr(model, "steps"):
            model = model.steps[-1][1]
        groups = data["g"][train]
        for inner_train, inner_test in model._splits.pairs:
            assert not set(groups[inner_train]) & set(groups[inner_test])


def test_a_table_with_levels_and_missing_values_is_prepared():
    from sklearn.svm import SVC

    people = {"age": [22.0, None, 4.0, 35.0] * 10, "sex": ["m", "f", "f", "m"] * 10, "y": ["n", "y", "y", "n"] * 10}
    task = Task(people, target="y")
    tuned = tune(SVC(), task, space=Space({"C": Real(0.1, 10, log=True)}), tuner=Random(), evaluations=3, cv=2)
    assert tuned.best_score_ == 1.0
    assert tuned.predict(task.X).tolist() == task.y.tolist()


@pytest.mark.parametrize("tuner", [Grid(), Bayesian("forest", kappa=1.5), Hyperband(max_fidelity=9), "auto"], ids=repr)
def test_it_is_saved_with_its_space_and_tuner(iris, tmp_path, tuner):
    kind = Choice({"a": Space({"depth": Integer(1, 4)}), "b": Space({})})
    spaces = [
        Space({"var_smoothing": Real(-9, 0, base=10)}, default={"var_smoothing": 0.01}),
        {"var_smoothing": Fixed(0.1)},
        Space({"priors": None, "var_smoothing": when(Choice(0.1, 0.5, ordered=True), priors=None)}),
    ]
    for space in spaces:
        tuned = Tuned(GaussianNB(), space=space, tuner=tuner, cv=2, evaluations=2).fit(*iris)
        loaded = probus.load(probus.save(tuned, tmp_path / "model.probus"))
        assert isinstance(loaded, Tuned)
        assert loaded.space == tuned.space
        assert repr(loaded.space) == repr(tuned.space)
        assert getattr(loaded.space, "default", None) == getattr(tuned.space, "default", None)
        assert repr(loaded.tuner) == repr(tuner)
        assert (loaded.predict_proba(iris[0]) == tuned.predict_proba(iris[0])).all()
    unfitted = Tuned(GaussianNB(), space={"kind": kind, "rate": when(Real(0.1, 1), kind="b")}, tuner=tuner)
    assert repr(probus.load(probus.save(unfitted, tmp_path / "model.probus"))) == repr(unfitted)


def test_with_a_setting_that_files_do_not_hold_it_is_saved_as_its_best_estimator(both, iris, tmp_path):
    ours, _ = both  # whose cv is a splitter
    path = tmp_path / "model.probus"
    probus.save(ours, path)
    loaded = probus.load(path)
    assert (loaded.predict_proba(iris[0]) == ours.predict_proba(iris[0])).all()


def test_with_plain_parameters_it_is_saved_as_it_is(iris, tmp_path):
    tuned = tune(GaussianNB(), *iris, space={"var_smoothing": 0.1}, cv=2, evaluations=2, progress=None)
    loaded = probus.load(probus.save(tuned, tmp_path / "model.probus"))
    assert isinstance(loaded, Tuned)
    assert loaded.best_params_ == tuned.best_params_
    assert (loaded.predict(iris[0]) == tuned.predict(iris[0])).all()
    for name in ("archive", "best_estimate_", "cv_results_", "n_splits_", "refit_time_"):
        assert hasattr(tuned, name)
        assert not hasattr(loaded, name)
        with pytest.raises(DataError, match="a model file does not hold what the search tried"):
            getattr(loaded, name)


def test_without_refit_it_does_not_predict(iris):
    tuned = Tuned(GaussianNB(), space=SMOOTHING, tuner=Grid(), cv=2, refit=False).fit(*iris)
    assert tuned.best_params_
    with pytest.raises(DataError, match="refit=False"):
        tuned.predict(iris[0])


# -- budgets -------------------------------------------------------------------------------------------


def test_a_budget_is_in_seconds_or_evaluations(shrunk, numbers, space, monkeypatch):
    ticks = count(step=0.01)  # each look at the clock takes that long
    with monkeypatch.context() as patched:
        patched.setattr("probus.tuning._budget.perf_counter", lambda: next(ticks))
        tuned = tune(shrunk, numbers, space=space, tuner=Random(), time=0.3, cv=2)
    assert tuned.archive.note == "the time was up"
    assert len(tuned.archive) > 1
    assert len(tune(shrunk, numbers, space=space, tuner=Random(), cv=2, evaluations=7).archive) == 7
    assert len(tune(shrunk, numbers, space=space, tuner=Random(), cv=2).archive) == 50


@pytest.mark.parametrize("time", ["soon", 0, -1, "5 years", True, float("nan")])
def test_a_strange_time_is_an_error(shrunk, numbers, space, time):
    with pytest.raises(DataError, match="a span such as '90s', '5m' or '1h'"):
        tune(shrunk, numbers, space=space, time=time)


def test_the_former_name_of_the_time_means_the_same(shrunk, numbers, space):
    with pytest.raises(DataError, match=r"the time of 1e-09 s was over before one .*\n.*Allow more time"):
        tune(shrunk, numbers, space=space, tuner="random", budget=1e-9)
    with pytest.raises(DataError, match="time together with budget"):
        tune(shrunk, numbers, space=space, time=3, budget=3)


@pytest.mark.parametrize("name", Tuner.by_name)
def test_tuners_have_names(name):
    assert type(tuner_named(name)).__name__.lower().endswith(name)


def test_a_time_too_short_for_one_fit_is_an_error(shrunk, numbers, space):
    with pytest.raises(DataError, match=r"the time of 1e-09 s was over before one .*\n.*Allow more time"):
        tune(shrunk, numbers, space=space, tuner=Random(), time=1e-9)


def test_ctrl_c_keeps_what_is_done(shrunk, numbers, space):
    def stop(done, total, text):
        if done == 4:
            raise KeyboardInterrupt

    tuned = tune(shrunk, numbers, space=space, tuner=Random(), evaluations=20, cv=2, progress=stop)
    assert tuned.archive.note == "interrupted"
    assert len(tuned.archive) == 4
    assert tuned.best_score_ == min(tuned.archive.main)


def test_the_bar_reports_evaluations_and_the_best(shrunk, numbers, space):
    steps = []
    tune(shrunk, numbers, space=space, tuner=Random(), evaluations=3, cv=2, progress=lambda *step: steps.append(step))
    assert [step[:2] for step in steps] == [(1, 3), (2, 3), (3, 3)]
    assert steps[0][2].startswith("rmse ")
    steps.clear()
    tuner = SuccessiveHalving(n=3, eta=3, max_fidelity=3)
    tune(shrunk, numbers, space=space, tuner=tuner, cv=2, progress=lambda *step: steps.append(step))
    assert [step[:2] for step in steps] == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]


def test_a_function_can_be_the_measure(shrunk, numbers, space):
    def worst_error(y_true, y_pred):
        return float(np.max(np.abs(y_true - y_pred)))

    tuned = tune(shrunk, numbers, space=space, tuner=Random(), evaluations=6, cv=2, scoring=worst_error)
    assert tuned.best_score_ == min(tuned.archive.main)
    assert tuned.best_estimate_.value == pytest.approx(tuned.best_score_)


# -- bad input -----------------------------------------------------------------------------------------


def test_bad_input_is_named(shrunk, numbers, iris, space):
    with pytest.raises(DataError, match=r"has no parameter 'factr'.*\n.*Did you mean 'factor'"):
        tune(shrunk, numbers, space=Space({"factr": Real(0, 1)}))
    with pytest.raises(DataError, match="log_loss needs probabilities"):
        tune(shrunk, numbers, space=space, scoring="log_loss")
    with pytest.raises(DataError, match="a tuner such as"):
        tune(shrunk, numbers, space=space, tuner="best")
    with pytest.raises(DataError, match="Shrunk is a regressor"):
        tune(shrunk, Task.of(*iris, model=GaussianNB()), space=space)
    with pytest.raises(DataError, match="evaluations=0"):
        tune(shrunk, numbers, space=space, evaluations=0)
    with pytest.raises(DataError, match="limit=-1"):
        tune(shrunk, numbers, space=space, limit=-1)
    with pytest.raises(DataError, match="found the class GaussianNB"):
        tune(GaussianNB, *iris, space=SMOOTHING)


@pytest.mark.parametrize(("scoring", "instead"), [("roc_auc", "roc_auc_ovr"), (["accuracy", "f1"], "f1_macro")])
def test_a_measure_of_two_classes_for_more_is_an_error_that_names_another(iris, scoring, instead):
    with pytest.raises(DataError, match=rf"no positive class among 3.*\n.*{instead}"):
        tune(GaussianNB(), *iris, space=SMOOTHING, scoring=scoring)


def test_a_measure_that_the_model_cannot_have_is_an_error(iris):
    from sklearn.svm import LinearSVC

    with pytest.raises(probus.FailedModelError, match="the model does not predict what log_loss needs"):
        tune(LinearSVC(), *iris, space=Space({"C": Real(0.1, 1)}), scoring="log_loss", cv=2)


def test_the_tuner_suits_the_space_and_the_rows(numbers):
    from probus.ensemble import RandomForestRegressor
    from probus.tuning import BOHB, Bayesian
    from probus.tuning._auto_tuner import auto_tuner

    wide, few = Space({"x": Real(0, 1)}), Space({"x": Integer(1, 30)})
    large = Task.of(np.zeros((20_001, 1)), np.arange(20_001.0))
    bayes, forest = GaussianNB(), RandomForestRegressor(50_000)
    assert isinstance(auto_tuner(few, bayes, large, partial=True), Grid)
    assert len(Grid(30).start(few).ask(99)) == 30
    assert isinstance(auto_tuner(wide, bayes, numbers, partial=True), Bayesian)
    assert isinstance(auto_tuner(wide, bayes, large), Bayesian)
    assert isinstance(auto_tuner(wide, bayes, large, partial=True), BOHB)
    assert isinstance(auto_tuner(wide, forest, numbers, partial=True), BOHB), "long fits of few rows"
    assert auto_tuner(wide, bayes, large, partial=True).ends
    assert not auto_tuner(wide, bayes, large, partial=True, endless=True).ends


def test_folds_that_score_alike_do_not_make_an_accuracy_certain():
    y = np.arange(60) % 2
    found = tune(
        GaussianNB(), y[:, None] + np.linspace(0, 0.1, 60)[:, None], y, cv=3, evaluations=1, scoring="accuracy"
    )
    estimate, low = found.best_estimate_, float(wilson(1.0, 60, 0.95)[0])
    assert (estimate.value, estimate.low, estimate.high) == (1.0, pytest.approx(low), 1.0)


def test_a_tuner_warns_of_an_orientation_that_it_guesses():
    def distance(y_true, y_pred):
        return float(np.mean(y_true != y_pred))

    with pytest.warns(UserWarning, match="larger values of distance count as better; if smaller ones are, pass"):
        tune(GaussianNB(), np.arange(60.0)[:, None], np.arange(60) % 2, cv=3, evaluations=1, scoring=distance)


# -- what is printed -----------------------------------------------------------------------------------


def test_a_tuned_model_prints_its_score_and_configuration(iris, tmp_path):
    tuned = Tuned(GaussianNB(), space=SMOOTHING, tuner="grid", cv=2)
    unfitted = repr(tuned)
    assert unfitted == str(tuned)
    assert repr(tuned.fit(*iris)) == unfitted
    lines = str(tuned).splitlines()
    assert lines[-2] == (
        f"  best log_loss {tuned.best_estimate_}, optimistic, since the splits chose among "
        f"{len(tuned.archive)} configurations"
    )
    assert lines[-1].startswith("  best configuration: var_smoothing=")
    again = probus.load(tuned.save(tmp_path / "tuned.probus"))
    assert f"best score {tuned.best_score_:.4g} of var_smoothing=" in str(again)


def test_the_names_of_other_searches_are_answered(iris):
    tuned = Tuned(GaussianNB(), space=SMOOTHING, tuner=Grid(), cv=2).fit(*iris)
    with pytest.raises(AttributeError, match=r"use tuned\.best_params_"):
        tuned.best_params
    assert not hasattr(tuned, "best_trial")
    assert not hasattr(Tuned(GaussianNB()), "best_score_")


def test_a_space_in_which_every_configuration_fails_is_reported():
    iris = Task(probus.datasets.iris(), target="species")
    with pytest.warns(
        UserWarning, match=r"every configuration of the space failed: .*'alpha'.*the model as it was given"
    ):
        tuned = tune(probus.linear_model.RidgeClassifier(), iris, space={"alpha": [-1.0, -2.0]}, cv=2)
    assert tuned.best_params_ == {"alpha": 1.0}
    with pytest.warns(UserWarning, match=r"the only configuration of the space failed: .*'alpha'"):
        tune(probus.linear_model.RidgeClassifier(), iris, space={"alpha": (1, 5)}, cv=2)
