import json
from dataclasses import replace

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import probus
from probus.comparison import compare
from probus.data import Task
from probus.dummy import ZeroRClassifier, ZeroRRegressor
from probus.errors import DataError, FailedModelError
from probus.metrics import measure
from probus.model_selection import (
    Bootstrap,
    FailedSplitWarning,
    LeaveOneOut,
    OutOfBagBootstrap,
    ShuffleSplit,
    corrected_interval,
    resample,
    splits_of,
)
from probus.model_selection._split_intervals import score_interval
from probus.naive_bayes import GaussianNB, NaiveBayes
from probus.neighbors import KNeighborsClassifier

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 3))
LABELS = np.where(X[:, 0] + rng.normal(size=120) > 0, "yes", "no")
COLUMNS = {f"x{i}": X[:, i] for i in range(3)}
TASK = Task({**COLUMNS, "y": LABELS}, target="y")
NUMBERS = Task({**COLUMNS, "y": X[:, 0] + 0.1 * X[:, 1]}, target="y")


class Fragile(ClassifierMixin, BaseEstimator):
    """Fails where the training rows hold more of one class than asked for."""

    def __init__(self, when="fit", most=0):
        self.when = when
        self.most = most

    def fit(self, X, y):
        if self.when == "fit" and (y == "yes").sum() > self.most:
            raise RuntimeError("too many of them\nand more words")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        if self.when == "predict":
            raise ArithmeticError("no")
        return np.full(len(X), self.classes_[0])

    def predict_proba(self, X):
        return np.full((len(X), 2), np.nan if self.when == "nan" else 0.9 if self.when == "sum" else 0.5)


class Constant(RegressorMixin, BaseEstimator):
    """Predicts one number, or nothing at all."""

    def __init__(self, value=0.0):
        self.value = value

    def fit(self, X, y):
        self.n_rows_ = len(X)
        return self

    def predict(self, X):
        return np.full((len(X), 1), self.value)


# -- what is kept --------------------------------------------------------------------------------------


def test_scores_are_those_of_the_loop_anyone_would_write():
    result = resample(LogisticRegression(), TASK, scoring=["accuracy", "log_loss", "roc_auc"])
    expected = {"accuracy": [], "log_loss": [], "roc_auc": []}
    for train, test in result.splits.pairs:
        model = probus.tabular(LogisticRegression()).fit(TASK.X.take(train), LABELS[train])
        probabilities = model.predict_proba(TASK.X.take(test))
        expected["accuracy"].append(accuracy_score(LABELS[test], model.predict(TASK.X.take(test))))
        expected["log_loss"].append(log_loss(LABELS[test], probabilities))
        expected["roc_auc"].append(roc_auc_score(LABELS[test] == "yes", probabilities[:, 1]))
    for name, scores in expected.items():
        np.testing.assert_allclose(result.scores(name), scores)


def test_numbers_are_resampled_too():
    result = resample(LinearRegression(), NUMBERS)
    assert [each.name for each in result.measures] == ["rmse", "mae", "r2"]
    assert result.scores("rmse").max() < 1e-9
    assert result.estimate("r2").value == pytest.approx(1)


def test_any_metric_can_be_had_afterwards_without_a_refit():
    result = resample(GaussianNB(), TASK, scoring="accuracy")
    assert 0 < result.estimate("f1").value < 1
    assert result.scores(accuracy_score).tolist() == result.scores("accuracy").tolist() == result.scores().tolist()


def test_every_row_is_predicted_once_per_repeat_and_pooled_once():
    result = resample(GaussianNB(), TASK)
    frame = result.predictions
    assert frame.columns == ["row", "split", "repeat", "actual", "predicted", "p_no", "p_yes"]
    for repeat in (0, 1):
        assert sorted(frame.filter(repeat=repeat)["row"].to_list()) == list(range(120))
    first = frame.filter(repeat=0).sort("row")
    pooled = result.pooled()
    assert pooled.actual.tolist() == (LABELS == "yes").astype(int).tolist()
    np.testing.assert_array_equal(pooled.probabilities[:, 1], first["p_yes"].to_numpy())


def test_the_models_are_kept_if_asked_for():
    result = resample(GaussianNB(), TASK, cv=3, keep_models=True)
    rows = result.rows[1]
    probabilities = result.models[1].predict_proba(TASK.X.take(rows))
    np.testing.assert_array_equal(probabilities, result.outcomes[1].probabilities)
    assert resample(GaussianNB(), TASK, cv=3).models is None


def test_folds_tell_the_sizes_scores_and_times_of_each_split():
    folds = resample(GaussianNB(), TASK, cv=4, scoring="accuracy").folds
    assert folds.columns == ["split", "repeat", "n_train", "n_test", "accuracy", "seconds", "error"]
    assert folds["n_test"].to_list() == [30] * 4
    assert folds["seconds"].min() > 0


def test_models_without_probabilities_give_scores_turned_to_the_positive_class():
    no = Task({**COLUMNS, "y": LABELS}, target="y", pos_label="no")
    for task in (TASK, no):
        result = resample(SVC(), task)
        assert [each.name for each in result.measures] == ["accuracy", "balanced_accuracy", "roc_auc"]
        assert result.estimate("roc_auc").value > 0.7
        assert result.predictions.columns[-1] == "score"
        assert "predicts no probabilities" in repr(result)
    with pytest.raises(DataError, match="no probabilities"):
        result.estimate("log_loss")
    with pytest.raises(DataError, match=r"SVC does not predict what these need: log_loss \(probabilities\)"):
        resample(SVC(), TASK, cv=3, scoring="log_loss")


def test_a_prediction_that_is_not_the_likeliest_class_counts_as_predicted():
    class Contrary(KNeighborsClassifier):
        def predict(self, X):
            return np.full(len(X), "no")

    result = resample(Contrary(3), TASK, cv=3)
    assert result.scores().tolist() == [np.mean(LABELS[rows] == "no") for rows in result.rows]
    assert result.estimate("roc_auc").value > 0.6


# -- randomness and parallel work ----------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])
def test_the_result_is_the_same_for_any_number_of_jobs(backend):
    forest = RandomForestClassifier(3)
    one = resample(forest, TASK, cv=4, random_state=7)
    with parallel_config(backend):
        many = resample(forest, TASK, cv=4, random_state=7, n_jobs=2)
    for a, b in zip(one.outcomes, many.outcomes, strict=True):
        assert a.probabilities.tobytes() == b.probabilities.tobytes()
    other = resample(forest, TASK, cv=one.splits, random_state=8)
    assert any((a.probabilities != b.probabilities).any() for a, b in zip(one.outcomes, other.outcomes, strict=True))


def test_without_a_seed_the_models_keep_their_own():
    forest = RandomForestClassifier(3, random_state=5)
    result = resample(forest, TASK, cv=3, keep_models=True)
    assert [model[-1].random_state for model in result.models] == [5] * 3
    seeded = resample(forest, TASK, cv=3, keep_models=True, random_state=0)
    assert len({model[-1].random_state for model in seeded.models}) == 3


def test_the_model_itself_is_left_alone():
    model = GaussianNB()
    resample(model, TASK, cv=3)
    assert vars(model) == vars(clone(model))


def test_progress_is_told():
    steps = []
    resample(ZeroRClassifier(), TASK, cv=3, progress=lambda *step: steps.append(step), name="zero")
    assert steps == [(i, 3, "zero") for i in range(4)]


def test_an_interrupt_is_not_swallowed():
    class Interrupted(Fragile):
        def fit(self, X, y):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        resample(Interrupted(), TASK)


# -- what goes wrong -----------------------------------------------------------------------------------


def test_a_model_that_fails_on_some_splits_is_scored_there_as_the_constant_predictor_and_says_so():
    splits = splits_of(ShuffleSplit(12, test_size=0.3, random_state=0), TASK)
    counts = [int((LABELS[train] == "yes").sum()) for train, _ in splits.pairs]
    most = int(np.median(counts))
    with pytest.warns(FailedSplitWarning, match=r"Fragile FAILED on [0-9]+ of 12 splits, scored there as the constant"):
        result = resample(Fragile(most=most), TASK, cv=splits)
    assert [failure.split for failure in result.failures] == [i for i, count in enumerate(counts) if count > most]
    assert 0 < len(result.failures) < 12
    constant = resample(ZeroRClassifier(), TASK, cv=splits)
    for failure in result.failures:
        assert failure.error == "RuntimeError: too many of them"
        np.testing.assert_allclose(
            result.outcomes[failure.split].probabilities, constant.outcomes[failure.split].probabilities
        )
    n = len(result.failures)
    assert f"FAILED on {n} of 12 splits" in repr(result)
    assert f"] (failed on {n} of 12 splits)\n" in repr(result)
    for how in ("mean", "pooled"):
        method = result.estimate(how=how).method
        assert method.endswith(f"; failed on {n} of 12 splits, scored there as the constant predictor")
    assert "FAILED" in result._repr_html_()
    assert result.folds["error"].null_count() == 12 - len(result.failures)


@pytest.mark.parametrize(
    ("when", "error"),
    [
        ("predict", "ArithmeticError: no"),
        ("nan", "DataError: predictions that are NaN or infinite."),
        ("sum", "DataError: rows of probabilities that miss 1 by up to 0.8."),
    ],
)
def test_predictions_that_cannot_be_used_are_failures_too(when, error):
    with pytest.raises(FailedModelError) as raised:
        resample(Fragile(when), TASK, cv=3)
    assert str(raised.value).startswith(
        f"Fragile failed on all 3 splits: {error}\n  Expected a model that can be fitted"
    )
    assert str(raised.value.__cause__).startswith(error.partition(": ")[2])


def test_numbers_that_are_no_numbers_are_failures():
    assert resample(Constant(1.0), NUMBERS, cv=3).failures == ()
    with pytest.raises(FailedModelError, match="Constant failed on all 3 splits: DataError: predictions that are NaN"):
        resample(Constant(np.nan), NUMBERS, cv=3)


@pytest.mark.slow
def test_a_model_that_fails_everywhere_is_an_error_with_its_first_cause():
    with pytest.raises(FailedModelError) as raised:
        resample(Fragile(), TASK)
    assert str(raised.value) == (
        "Fragile failed on all 25 splits: RuntimeError: too many of them\n"
        "  Expected a model that can be fitted on the training rows and predicts the test rows. "
        "Fit it without resampling to see where it fails; probus.tabular(model) prepares columns of any kind."
    )
    assert isinstance(raised.value.__cause__, RuntimeError)
    with pytest.raises(FailedModelError, match="failed on the only split: RuntimeError: too many of them"):
        resample(Fragile(), TASK, cv=[(range(100), range(100, 120))])
    with pytest.raises(FailedModelError, match="failed on all 4 splits: RuntimeError"):
        resample(Fragile(), TASK, cv=4, n_jobs=2)


def test_an_error_that_cannot_be_pickled_is_still_reported():
    class Odd(Exception):  # a local class cannot be pickled
        pass

    class Broken(Fragile):
        def fit(self, X, y):
            raise Odd("no")

    with pytest.raises(FailedModelError, match="Broken failed on all 2 splits: Odd: no"):
        resample(Broken(), TASK, cv=2)


def test_the_result_of_a_model_that_failed_everywhere_has_no_score():
    failed = compare({"bad": Fragile(), "zero-r": ZeroRClassifier()}, TASK, cv=3).results["bad"]
    assert repr(failed) == (
        "bad: stratified 3-fold cross-validation, 120 rows\n  FAILED on all 3 splits: RuntimeError: too many of them"
    )
    for score in (failed.scores, failed.estimate, failed.plot, lambda: failed.estimate(how="pooled")):
        with pytest.raises(FailedModelError, match="bad failed on all 3 splits"):
            score()
    assert failed.folds["error"].to_list() == ["RuntimeError: too many of them"] * 3
    assert failed.to_dict()["estimates"] == {}
    json.dumps(failed.to_dict())


def test_a_class_that_training_never_saw_has_probability_zero():
    task = Task({"x": range(30), "y": ["a"] * 15 + ["b"] * 14 + ["c"]}, target="y")
    result = resample(GaussianNB(), task, cv=[(np.arange(0, 28), [28, 29])])
    assert result.outcomes[0].probabilities[:, 2].tolist() == [0, 0]
    assert np.isfinite(result.scores("log_loss")).all()
    about_rows, about_training = result.notes
    assert about_rows.startswith("class c has 1 row")
    assert about_training == "class c is not among the training rows of 1 of 1 splits"


def test_a_measure_that_is_undefined_on_some_splits_is_averaged_over_the_others_and_says_so():
    task = Task({"x": [0.0, 1.0] * 20, "y": ["a", "b"] * 20}, target="y")
    even, odd = np.arange(0, 40, 2), np.arange(1, 40, 2)
    pairs = [
        (np.arange(20, 40), even[even < 20]),
        (np.arange(0, 20), np.arange(20, 30)),
        (np.arange(10), odd[odd > 30]),
    ]
    result = resample(GaussianNB(), task, cv=pairs)
    assert np.isnan(result.scores("roc_auc")).tolist() == [True, False, True]
    assert result.estimate("roc_auc").method.endswith("undefined on 2 of 3 splits, which are left out")


def test_what_a_model_warns_of_is_told_once_with_its_count():
    result = resample(LogisticRegression(max_iter=1), TASK, cv=4)
    ((text, count),) = result.warnings.items()
    assert text.startswith("ConvergenceWarning: lbfgs failed to converge")
    assert count == 4
    assert "warned 4 times: ConvergenceWarning" in repr(result)


@pytest.mark.slow
def test_what_a_model_warns_of_comes_back_from_other_processes():
    here = resample(LogisticRegression(max_iter=1), TASK, cv=4)
    with parallel_config("loky"):
        there = resample(LogisticRegression(max_iter=1), TASK, cv=4, n_jobs=2)
    assert there.warnings == here.warnings


def test_what_cannot_be_resampled_is_refused_before_any_fit():
    with pytest.raises(DataError, match=r"found Table without y\.\n  Expected a Task, or X and y\. Pass target=…"):
        resample(GaussianNB(), TASK.table)
    with pytest.raises(DataError, match=r"found the class GaussianNB\.\n.*Pass GaussianNB\(\)"):
        resample(GaussianNB, TASK)
    with pytest.raises(DataError, match=r"LinearRegression is a regressor\.\n  Expected a model for a classification"):
        resample(LinearRegression(), TASK)
    with pytest.raises(DataError, match=r"GaussianNB is a classifier\.\n  Expected a model for a regression"):
        resample(GaussianNB(), NUMBERS)
    with pytest.raises(DataError, match=r"rmse needs values\.\n  Expected a measure of a classification"):
        resample(GaussianNB(), TASK, scoring=["accuracy", "rmse"])
    with pytest.raises(DataError, match=r"accuracy needs labels\.\n  Expected a measure of a regression"):
        resample(LinearRegression(), NUMBERS, scoring="accuracy")
    with pytest.raises(DataError, match="an empty list for scoring"):
        resample(GaussianNB(), TASK, scoring=[])


# -- roles ---------------------------------------------------------------------------------------------


def test_weights_equal_repetition_in_fitting_and_in_measuring():
    weights = rng.integers(1, 4, 120)
    weighted = Task({**COLUMNS, "y": LABELS, "w": weights}, target="y", weight="w")
    rows = np.repeat(np.arange(120), weights)
    repeated = TASK.take(rows)
    half = np.arange(120) < 60
    one = resample(GaussianNB(), weighted, cv=[(half, ~half)])
    other = resample(GaussianNB(), repeated, cv=[(half[rows], ~half[rows])])
    for name in ("accuracy", "log_loss", "roc_auc"):
        assert one.scores(name) == pytest.approx(other.scores(name))


def test_a_model_that_takes_no_weights_is_measured_with_them_and_says_so():
    weighted = Task({**COLUMNS, "y": LABELS, "w": np.arange(120) % 3}, target="y", weight="w")
    result = resample(KNeighborsClassifier(3), weighted, cv=3)
    assert result.notes == ("KNeighborsClassifier takes no sample weights: it was fitted without and scored with them",)
    assert result.outcomes[0].weights.tolist() == (result.rows[0] % 3).tolist()


def test_test_rows_that_all_weigh_nothing_have_no_score():
    weighted = Task({**COLUMNS, "y": LABELS, "w": (np.arange(120) < 80) * 1.0}, target="y", weight="w")
    pairs = [(np.arange(80), np.arange(80, 120)), (np.arange(40, 120), np.arange(40))]
    assert np.isnan(resample(GaussianNB(), weighted, cv=pairs).scores()).tolist() == [True, False]


def test_mixed_tables_with_missing_need_no_preparation():
    titanic = Task(probus.datasets.load("titanic").drop("Name", "Ticket", "Cabin"), target="Survived")
    result = resample(LogisticRegression(max_iter=500), titanic, cv=3)
    assert not result.failures
    assert result.estimate("roc_auc") > 0.8
    assert resample(NaiveBayes(), titanic, cv=3).estimate() > 0.7


# -- estimates -----------------------------------------------------------------------------------------


def test_the_mean_over_splits_of_a_measure_without_derivatives_has_the_corrected_interval():
    def share_right(y_true, y_pred):
        return np.mean(y_true == y_pred)

    result = resample(GaussianNB(), TASK)
    expected = corrected_interval(result.scores("accuracy"), 1 / 4)
    assert result.estimate(share_right) == expected
    assert result.estimate(share_right, 0.5).half_width < expected.half_width


def test_the_mean_over_splits_has_the_interval_of_the_rows_tested_and_of_how_models_vary():
    result = resample(GaussianNB(), TASK)
    found = result.estimate("accuracy")
    assert found == score_interval(measure("accuracy"), result.tested("accuracy"), result.pooled())
    assert found.value == pytest.approx(result.scores("accuracy").mean())
    assert (found.method, found.n) == ("variance of rows and of training sets", 120)
    assert result.estimate("accuracy", 0.5).half_width < found.half_width


def test_what_rows_add_is_computed_once_for_the_estimate_and_the_comparison():
    result = resample(GaussianNB(), TASK)
    result.estimate("accuracy")
    assert result.tested("accuracy") is result.tested("accuracy")
    assert result.estimate("accuracy") is result.estimate("accuracy")
    assert result.tested("log_loss").value == pytest.approx(result.scores("log_loss").mean())
    assert replace(result, name="other").estimate("accuracy") == result.estimate("accuracy")


def test_pooled_predictions_are_measured_together_with_the_interval_of_their_measure():
    result = resample(GaussianNB(), TASK)
    pooled = result.estimate("accuracy", how="pooled")
    assert pooled.value == pytest.approx(np.mean(result.pooled().actual == result.pooled().predicted))
    assert pooled.n == 120
    assert pooled.low < pooled.value < pooled.high
    assert "bootstrap" in result.estimate("log_loss", how="pooled").method.lower()


@pytest.mark.parametrize("splitter", [ShuffleSplit(1, random_state=0), LeaveOneOut()], ids=str)
def test_one_split_and_leaving_one_out_are_pooled_by_themselves(splitter):
    result = resample(GaussianNB(), TASK, cv=splitter)
    assert result.estimate("roc_auc") == result.estimate("roc_auc", how="pooled")
    assert np.isfinite(result.estimate("roc_auc").low)


def test_groups_are_resampled_whole_in_pooled_intervals():
    sites = np.repeat(np.arange(12), 10)
    offset = np.repeat(rng.normal(size=12), 10)
    columns = {"x0": X[:, 0], "y": offset + 0.1 * X[:, 1], "site": [f"s{i}" for i in sites]}
    grouped = resample(ZeroRRegressor(), Task(columns, target="y", group="site"), cv=4)
    plain = replace(grouped, task=Task({k: v for k, v in columns.items() if k != "site"}, target="y"))
    assert grouped.estimate(how="pooled").half_width > 1.3 * plain.estimate(how="pooled").half_width


def test_an_unknown_way_of_estimating_is_refused():
    with pytest.raises(DataError, match=r"how='median'\.\n  Expected one of 'auto', 'mean', 'pooled'"):
        resample(ZeroRClassifier(), TASK, cv=3).estimate(how="median")


def test_the_plain_bootstrap_says_that_it_is_optimistic():
    result = resample(KNeighborsClassifier(1), TASK, cv=Bootstrap(5, random_state=0))
    assert "note: tested on rows that it was trained on: the scores are optimistic" in repr(result)
    honest = resample(KNeighborsClassifier(1), TASK, cv=OutOfBagBootstrap(5, random_state=0))
    assert honest.estimate(how="mean") < result.estimate(how="mean")


# -- looks ---------------------------------------------------------------------------------------------


def test_printing_shows_every_measure_with_its_interval_and_how_it_was_found():
    result = resample(GaussianNB(), TASK, scoring=["accuracy", "roc_auc"], name="Bayes")
    lines = repr(result).split("\n")
    assert lines[0] == "Bayes: stratified 5-fold cross-validation, 5 times, 120 rows"
    assert lines[1] == f"accuracy {result.estimate()} · roc_auc {result.estimate('roc_auc')}"
    assert lines[2:] == ["  intervals of 95 %: variance of rows and of training sets"]
    assert "ROC AUC" in result._repr_html_()


def test_results_become_data_and_pictures():
    result = resample(GaussianNB(), TASK, cv=3)
    plain = json.loads(json.dumps(result.to_dict()))
    assert plain["estimates"]["accuracy"]["value"] == result.estimate().value
    assert result.to_frame()["scoring"].to_list() == ["accuracy", "balanced_accuracy", "log_loss", "roc_auc"]
    assert result.plot().get_xlabel() == "accuracy of GaussianNB"


def test_curves_are_of_the_pooled_predictions():
    result = resample(GaussianNB(), TASK, cv=3)
    assert result.roc(band=False).area.value == pytest.approx(
        roc_auc_score(result.pooled().actual, result.pooled().scores)
    )
    assert result.confusion().counts.sum() == 120
    assert result.precision_recall(band=False) is not None
    assert result.calibration(n_resamples=20) is not None


def test_the_method_says_which_class_is_hardly_ever_predicted():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(300) < 0.2, "yes", "no")
    task = Task({"a": rng.normal(size=300) + 0.3 * (y == "yes"), "y": y}, target="y", pos_label="yes")
    result = resample(GaussianNB(), task)
    predicted = int((result.pooled().predicted == 1).sum())
    assert predicted < 10
    assert result.estimate("f1").method.endswith(f"yes is predicted for {predicted} row{'s' * (predicted != 1)} only")
    assert "predicted" not in result.estimate("accuracy").method + result.estimate("roc_auc").method


def test_methods_of_intervals_are_named_once_with_the_measures_that_differ():
    from probus.model_selection._resample_result import _methods

    of = {"accuracy": "of rows", "f1": "of rows; yes is predicted for 0 rows only", "brier": "of rows"}
    assert _methods(of) == ["intervals of 95 %: of rows", "f1: yes is predicted for 0 rows only"]
    assert _methods({"f1": "of rows"}) == ["intervals of 95 %: of rows"]


def test_average_precision_of_three_classes_needs_a_positive_one():
    iris = Task(probus.datasets.load("iris"), target="species")
    with pytest.raises(DataError, match=r"average_precision of 3 classes\.\n  Expected a positive class: pos_label=…"):
        resample(NaiveBayes(), iris, scoring="average_precision")


# -- classes and probabilities, predicted at once ------------------------------------------------------------


class Square(TransformerMixin, BaseEstimator):
    """Without anything to fit."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.asarray(X) ** 2


class Doubtful(KNeighborsClassifier):
    """Its probabilities are those of a coin."""

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)


class DoubtfulPipeline(Pipeline):
    """The same of a pipeline."""

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)


@pytest.mark.parametrize(
    ("model", "area"),
    [
        (make_pipeline(Square(), KNeighborsClassifier()), 1.0),
        (make_pipeline(StandardScaler(), Square(), KNeighborsClassifier()), 1.0),
        (Doubtful(), 0.5),
        (make_pipeline(StandardScaler(), Doubtful()), 0.5),
        (DoubtfulPipeline([("scale", StandardScaler()), ("model", KNeighborsClassifier())]), 0.5),
    ],
)
def test_probabilities_are_those_of_the_model_whatever_steps_and_methods_it_has(model, area):
    X = np.concatenate([np.linspace(-0.9, 0.9, 40), np.linspace(2, 3, 20), np.linspace(-3, -2, 20)])[:, None]
    y = np.where(np.abs(X[:, 0]) > 1, "out", "in")
    found = resample(model, X, y, cv=4, scoring="roc_auc", progress=None)
    assert found.scores().tolist() == [area] * 4


def test_neighbours_are_found_once_for_classes_and_probabilities(monkeypatch):
    X = np.linspace(0, 1, 40)[:, None]
    calls, votes = [], KNeighborsClassifier._votes
    monkeypatch.setattr(KNeighborsClassifier, "_votes", lambda self, X: calls.append(1) or votes(self, X))
    resample(make_pipeline(StandardScaler(), KNeighborsClassifier()), X, np.arange(40) % 2, cv=4, progress=None)
    assert len(calls) == 4


def test_classes_with_hardly_any_row_are_named_with_what_their_scores_rest_on():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [30, 28, 2])
    task = Task({"x": rng.normal(size=60), "y": y}, target="y")
    (note,) = [each for each in resample(GaussianNB(), task).notes if each.startswith("class c has")]
    untested = sum("c" not in y[test] for _, test in splits_of(None, task).pairs)
    assert note == (
        f"class c has 2 rows, and {untested} of 25 splits test none of them: averages over classes leave it out there, "
        "or rest on these rows. Expected 10 rows or more of each class. Add rows of it, or join it with another class."
    )


def test_a_class_without_a_row_is_named():
    task = Task({"x": np.arange(60.0), "y": np.repeat(["a", "b", "c"], 20)}, target="y").take(np.arange(40))
    notes = resample(GaussianNB(), task).notes
    assert any(note.startswith("class c has no row: all scores are those of the other classes") for note in notes)


def test_a_log_loss_names_the_few_rows_that_make_much_of_it():
    x = np.linspace(0.0, 1.0, 200)
    y = (x > 0.5).astype(int)
    y[[20, 180]] = [1, 0]  # amid rows of the other class
    X = np.column_stack([x, np.random.default_rng(0).normal(size=200) * 1e-3])
    method = resample(KNeighborsClassifier(5), X, y, scoring="log_loss", cv=5).estimate().method
    assert "2 of 200 rows have a probability below 1e-05 of the actual class, and 8" in method
    assert "it varies more than the interval shows; calibrate the probabilities, or use the Brier score" in method
    assert "varies more" not in resample(GaussianNB(), X, y, scoring="log_loss", cv=5).estimate().method


def test_a_log_loss_names_the_rows_that_would_exceed_its_interval():
    # certain of one class wherever it was right so far
    rng = np.random.default_rng(1)
    x = rng.normal(size=120)
    y = np.where(x + 0.2 * rng.normal(size=120) > 0, "yes", "no")
    x[np.abs(x) < 0.3] = 0.0
    task = Task({"x": x, "y": y}, target="y")
    method = resample(KNeighborsClassifier(15), task, scoring="log_loss").estimate().method
    assert "below 0.001, and none of them is " in method
    assert "3 more, whose absence may be chance, would add" in method
    assert "which the interval does not show; calibrate the probabilities, or use the Brier score" in method
    assert "may be chance" not in resample(GaussianNB(), task, scoring="brier").estimate().method
