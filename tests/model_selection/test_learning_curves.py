"""Learning curves: nested and stratified rows, scores against plain refits, and errors in words."""

import json

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

from probus import DataError, FailedModelError, Task, datasets, tabular
from probus.dummy import ZeroRClassifier
from probus.metrics import estimate, measure
from probus.model_selection._curve_scores import Scores
from probus.model_selection._learning_curves import LearningCurve, _mixed, learning_curve
from probus.model_selection._power_law import extrapolated
from probus.model_selection._resample_result import FailedSplitWarning
from probus.model_selection._resampling import resample
from probus.model_selection._splits import Splits, splits_of
from probus.naive_bayes import GaussianNB, NaiveBayes
from probus.neighbors import KNeighborsClassifier, KNeighborsRegressor

mpl.use("Agg")

IRIS = Task(datasets.load("iris"), "species")


# -- which rows come first -----------------------------------------------------------------------------


@settings(max_examples=50, deadline=None)
@given(codes=st.lists(st.integers(0, 3), min_size=1, max_size=60), seed=st.integers(0, 99))
def test_every_beginning_holds_the_classes_in_their_shares(codes, seed):
    codes = np.array(codes)
    order = _mixed(codes, None, np.random.default_rng(seed))
    assert sorted(order) == list(range(len(codes)))
    present = np.unique(codes)
    for size in range(len(present), len(codes) + 1):
        counts = np.bincount(codes[order[:size]], minlength=4)
        assert (counts[present] >= 1).all()
        assert (np.abs(counts - size * np.bincount(codes, minlength=4) / len(codes)) <= len(present)).all()


def test_groups_are_added_one_after_the_other():
    groups = np.array(list("aabbbccddd"))
    order = _mixed(np.zeros(10, dtype=int), groups, np.random.default_rng(0))
    arranged = groups[order]
    assert sum(arranged[i] != arranged[i + 1] for i in range(9)) == 3


class Recording(LinearRegression):
    """Remembers the rows that it was fitted on, which the first column numbers."""

    seen = []  # noqa: RUF012

    def fit(self, X, y):
        Recording.seen.append([round(float(x)) for x in np.asarray(X)[:, 0]])
        return super().fit(X, y)


def seen_rows(task, sizes, splitter):
    Recording.seen = []
    learning_curve(tabular(Recording()).set_params(scale="passthrough"), task, train_sizes=sizes, cv=splitter)
    return Recording.seen


def test_larger_training_sets_contain_the_smaller_ones_of_their_split():
    rng = np.random.default_rng(0)
    task = Task({"row": np.arange(60.0), "y": rng.normal(size=60)}, "y")
    small, large = np.reshape(np.array(seen_rows(task, [10, 40], KFold(3)), dtype=object), (2, 3))
    for few, many in zip(small, large, strict=True):
        assert len(few) == 10
        assert few == many[:10]


def test_the_latest_rows_are_taken_where_there_is_a_time():
    rng = np.random.default_rng(0)
    task = Task({"row": np.arange(30.0), "day": np.arange(30.0), "y": rng.normal(size=30)}, "y", time="day")
    (seen,) = seen_rows(task, [5], [(range(20), range(20, 30))])
    assert sorted(seen) == [15, 16, 17, 18, 19]


# -- scores --------------------------------------------------------------------------------------------


def test_the_whole_training_set_scores_as_a_plain_refit_does():
    curve = learning_curve(
        GaussianNB(), IRIS, train_sizes=[1.0], cv=KFold(5, shuffle=True, random_state=0), scoring="accuracy"
    )
    splits = splits_of(KFold(5, shuffle=True, random_state=0), IRIS)
    train, test = [], []
    for learnt, tested in splits.pairs:
        model = GaussianNB().fit(IRIS.X.take(learnt), IRIS.y[learnt])
        train.append((model.predict(IRIS.X.take(learnt)) == IRIS.y[learnt]).mean())
        test.append((model.predict(IRIS.X.take(tested)) == IRIS.y[tested]).mean())
    assert curve.scores.train["accuracy"][0] == pytest.approx(train)
    assert curve.scores.test["accuracy"][0] == pytest.approx(test)
    plain = resample(GaussianNB(), IRIS, cv=splits).estimate("accuracy")
    assert (curve.estimate(120).low, curve.estimate(120).high) == pytest.approx((plain.low, plain.high))
    assert curve.gap(120).value == pytest.approx(np.mean(train) - np.mean(test))
    assert curve.gap(120).method == "variance of rows and of training sets"


def test_scores_that_are_functions_of_means_are_those_of_the_means_over_splits():
    mtcars = Task(datasets.load("mtcars").drop("name"), "mpg")
    curve = learning_curve(KNeighborsRegressor(3), mtcars, train_sizes=[10, 20], scoring=["rmse", "mse"])
    for part in ("train", "test"):
        of_means = curve.estimate(20, "rmse", part).value
        assert of_means == pytest.approx(np.sqrt(curve.estimate(20, "mse", part).value))
        assert of_means > getattr(curve.scores, part)["rmse"][1].mean()
    assert curve.gap(20).value == pytest.approx(curve.estimate(20).value - curve.estimate(20, part="train").value)


def test_scores_of_a_function_keep_the_interval_over_splits_and_say_so():
    curve = learning_curve(GaussianNB(), IRIS, train_sizes=[60, 120], scoring=lambda y, p: (y == p).mean())
    assert curve.estimate(120).method == "corrected resampled t (Nadeau and Bengio 2003)"
    assert curve.gap(120).method == curve.per_doubling().method == curve.estimate(120).method
    named = learning_curve(GaussianNB(), IRIS, train_sizes=[60, 120])
    assert curve.estimate(120).value == pytest.approx(named.estimate(120).value)


def test_a_constant_model_has_no_gap_beyond_that_of_its_rows():
    # the class counts of training and test rows are the same, and so are their scores
    task = Task({"x": np.arange(200.0), "y": np.where(np.arange(200) < 140, "p", "q")}, target="y")
    gap = learning_curve(ZeroRClassifier(), task, train_sizes=[160], scoring="accuracy").gap(160)
    assert (gap.value, gap.low, gap.high) == pytest.approx((0, 0, 0), abs=1e-6)


def test_one_neighbour_knows_its_training_rows_by_heart():
    curve = learning_curve(KNeighborsClassifier(1), IRIS, train_sizes=[8, 120], scoring="accuracy")
    assert (curve.scores.train["accuracy"] == 1).all()


def test_the_gap_of_an_error_is_turned_so_that_more_is_more_overfitting():
    mtcars = Task(datasets.load("mtcars").drop("name"), "mpg")
    curve = learning_curve(KNeighborsRegressor(1), mtcars, train_sizes=[20], scoring=["rmse", "r2"])
    assert curve.gap(20, "rmse") > 0
    assert curve.gap(20, "r2") > 0


def test_by_default_every_size_doubles_the_last():
    assert learning_curve(ZeroRClassifier(), IRIS).train_sizes == (4, 8, 15, 30, 60, 120)


def test_the_gain_per_doubling_is_paired_by_row():
    curve = learning_curve(GaussianNB(), IRIS, train_sizes=[15, 30, 120], scoring="log_loss")
    gain, scores = curve.per_doubling(), curve.scores.test["log_loss"]
    assert gain.value == pytest.approx((scores[1] - scores[2]).mean() / 2)
    assert gain.method == "variance of rows and of training sets"
    assert gain.half_width < (curve.estimate(30).half_width + curve.estimate(120).half_width) / 2


def test_zero_r_is_the_baseline():
    curve = learning_curve(ZeroRClassifier(), IRIS, train_sizes=[120], scoring=["accuracy", "log_loss"])
    for metric in ("accuracy", "log_loss"):
        assert curve.baseline(metric) == curve.estimate(120, metric)


def test_the_curve_is_the_same_for_any_number_of_jobs_and_reports_progress():
    told = []
    tree = DecisionTreeClassifier(splitter="random")
    with parallel_config(backend="threading"):
        alone = learning_curve(
            tree, IRIS, train_sizes=[30, 60], cv=3, random_state=4, progress=lambda *step: told.append(step)
        )
        together = learning_curve(tree, IRIS, train_sizes=[30, 60], cv=3, random_state=4, n_jobs=2)
    assert alone.to_dict() == together.to_dict()
    assert told[0] == (0, 6, "DecisionTreeClassifier")
    assert told[-1] == (6, 6, "DecisionTreeClassifier")


def test_a_class_missing_from_a_tiny_training_set_is_a_class_without_a_chance():
    curve = learning_curve(GaussianNB(), IRIS, train_sizes=[2, 120], scoring=["accuracy", "log_loss"])
    assert curve.estimate(2).value <= 2 / 3
    assert not curve.failures


def test_a_size_at_which_every_fit_fails_has_no_score():
    with pytest.warns(FailedSplitWarning, match="LogisticRegression FAILED on 25 of 75 fits"):
        curve = learning_curve(LogisticRegression(), IRIS, train_sizes=[1, 30, 60])
    assert {failure.setting for failure in curve.failures} == {1}
    assert np.isnan(curve.estimate(1).value)
    assert curve.estimate(1).method.startswith("failed on all 25 splits: ValueError: This solver needs")
    assert repr(curve).splitlines()[2].split() == ["1", "–", "–"]
    assert "at training rows 1 the model FAILED on all 25 splits: ValueError" in repr(curve)
    sound = learning_curve(LogisticRegression(), IRIS, train_sizes=[30, 60])
    assert str(curve.per_doubling()) == str(sound.per_doubling())
    curve.plot(), curve.to_frame(), curve.to_dict()
    with pytest.raises(FailedModelError, match="LogisticRegression at training rows 1 failed on all 25 splits"):
        curve.diagnose(at=1)


def test_a_size_at_which_some_fits_fail_is_marked():
    class Unlucky(LogisticRegression):
        def fit(self, X, y):
            if np.sum(X) % 1 < 0.25:
                raise ArithmeticError("unlucky")
            return super().fit(X, y)

    with pytest.warns(FailedSplitWarning):
        curve = learning_curve(Unlucky(), IRIS, train_sizes=[120])
    n = len(curve.failures)
    assert 0 < n < 25
    marked = f"failed on {n} of 25 splits, scored there as the constant predictor"
    assert curve.estimate(120).method.endswith(marked)
    assert f"the model FAILED on {n} of 25 splits" in repr(curve)
    assert f"The model {marked}." in curve.diagnose().sentence


# -- beyond the curve ----------------------------------------------------------------------------------


@settings(max_examples=8, deadline=None)
@given(a=st.floats(0, 1), b=st.floats(0.01, 5), c=st.sampled_from([0.3, 0.5, 1.0, 1.5]), factor=st.floats(0.5, 4))
def test_a_curve_that_is_a_power_law_is_followed_exactly(a, b, c, factor):
    n = 16.0 * 2.0 ** np.arange(5)
    losses = np.repeat((a + b * n**-c)[:, None], 6, axis=1)
    estimate = extrapolated(n, losses, factor * n[-1], test_to_train=0.25)
    assert estimate.value == pytest.approx(a + b * (factor * n[-1]) ** -c, rel=1e-6)
    assert estimate.value in estimate


def made_up_curve(metric, scores, sizes=(20, 40, 80, 160)):
    rows, chosen = np.arange(10), measure(metric)
    scores = {chosen.name: np.asarray(scores)}
    plan = Splits(((rows, rows[:2]),) * 5, 5, 1, "made up")
    return LearningCurve("model", sizes, Scores((chosen,), scores, scores, scores, ()), plan)


def test_scores_and_errors_are_followed_towards_their_best():
    wrong = 0.1 + 2 / np.array([20, 40, 80, 160.0])[:, None] + np.linspace(-0.01, 0.01, 5)
    error = made_up_curve("error_rate", wrong).extrapolate()
    right = made_up_curve("accuracy", 1 - wrong).extrapolate()
    assert error.value == pytest.approx(0.1 + 2 / 320, abs=1e-6)
    assert (right.value, right.low, right.high) == pytest.approx((1 - error.value, 1 - error.high, 1 - error.low))


@pytest.mark.slow
def test_extrapolated_intervals_hold_the_score_of_twice_the_rows():
    def drawn(rng, n):
        X = rng.normal(size=(n, 6))
        return X, X.sum(axis=1) + rng.normal(0, 2, n)

    rng = np.random.default_rng(0)
    X, y = drawn(rng, 20_000)
    truth = np.mean([((LinearRegression().fit(*drawn(rng, 320)).predict(X) - y) ** 2).mean() for _ in range(30)])
    held = 0
    for seed in range(20):
        X, y = drawn(np.random.default_rng(seed), 200)
        table = {f"x{i}": X[:, i] for i in range(6)} | {"y": y}
        held += truth in learning_curve(LinearRegression(), Task(table, "y"), scoring="mse").extrapolate(320)
    assert held >= 17


# -- looks and errors ----------------------------------------------------------------------------------


def test_the_curve_prints_serialises_frames_and_draws():
    curve = learning_curve(GaussianNB(), IRIS, train_sizes=[30, 120], scoring=["accuracy", "log_loss"])
    assert "training rows" in repr(curve)
    assert "<th>training rows</th>" in curve._repr_html_()
    assert json.loads(json.dumps(curve.to_dict()))["settings"] == [30, 120]
    frame = curve.to_frame()
    assert frame.shape == (4, 11)
    assert frame.columns[:4] == ["scoring", "train_size", "train", "train_low"]
    axes = curve.plot("log_loss")
    assert axes.get_ylabel() == "log loss"
    assert {"train", "test"} <= {text.get_text() for text in axes.texts}


def test_one_split_has_the_band_of_its_test_rows_and_none_of_its_training_rows():
    curve = learning_curve(GaussianNB(), IRIS, train_sizes=[10, 50], cv=[(range(0, 150, 2), range(1, 150, 2))])
    assert 0.8 < curve.estimate(50).low < curve.estimate(50).value
    assert curve.estimate(50, part="train").low == -np.inf
    assert curve.plot().lines


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda: learning_curve(GaussianNB(), IRIS, train_sizes=[500]),
            "a size of 500 rows, but the smallest training set has",
        ),
        (lambda: learning_curve(GaussianNB(), IRIS, train_sizes=[]), "no sizes"),
        (
            lambda: learning_curve(GaussianNB(), IRIS, train_sizes=[0.0]),
            r"a size of 0.0.\n  Expected a number of rows, or a share",
        ),
        (lambda: learning_curve(GaussianNB(), IRIS, train_sizes=[10.5]), "a size of 10.5"),
        (lambda: learning_curve(GaussianNB(), datasets.load("iris")), "found Table without y"),
        (lambda: learning_curve(LinearRegression(), IRIS), "LinearRegression is a regressor"),
        (lambda: learning_curve(GaussianNB(), IRIS, scoring="rmse"), "rmse needs values"),
        (
            lambda: learning_curve(GaussianNB(), IRIS, train_sizes=[60]).estimate(61),
            r"no setting 61.\n  Expected one of 60",
        ),
        (lambda: learning_curve(GaussianNB(), IRIS, train_sizes=[60]).estimate(60, part="all"), "part='all'"),
        (
            lambda: learning_curve(GaussianNB(), IRIS, train_sizes=[60], scoring="accuracy").estimate(60, "brier"),
            "brier was not measured along this curve.\n  Expected one of accuracy",
        ),
        (lambda: learning_curve(GaussianNB(), IRIS, train_sizes=[60]).per_doubling(), "a learning curve of one size"),
        (
            lambda: learning_curve(GaussianNB(), IRIS, train_sizes=[60]).extrapolate(),
            "1 sizes and 25 splits.*\n  Expected at least 4",
        ),
        (
            lambda: learning_curve(GaussianNB(), IRIS, train_sizes=[60]).extrapolate(9000),
            "9,000 rows.\n  Expected at most 4 times",
        ),
    ],
)
def test_what_cannot_be_learnt_from_is_refused_in_words(call, told):
    with pytest.raises(DataError, match=told):
        call()


# -- bands of the training scores ----------------------------------------------------------------------


def test_the_training_band_is_that_of_rows_where_every_split_has_the_same_model():
    # Zero-R predicts the same class from every training set, so its training accuracy is a share of rows
    rng = np.random.default_rng(0)
    task = Task({"x": rng.normal(size=200), "y": np.where(np.arange(200) < 140, "p", "q")}, target="y")
    band = learning_curve(ZeroRClassifier(), task, train_sizes=[160], scoring="accuracy").estimate(160, part="train")
    rows = estimate("accuracy", ["p"] * 140 + ["q"] * 60, ["p"] * 200)
    assert (band.low, band.high) == pytest.approx((rows.low, rows.high), abs=0.003)
    assert "over training sets" in band.method


def test_a_perfect_training_score_of_few_rows_is_not_certain():
    band = learning_curve(KNeighborsClassifier(1), IRIS, train_sizes=[30], scoring="accuracy").estimate(
        30, part="train"
    )
    assert band.value == band.high == 1
    assert 0.9 < band.low < 1


def test_rows_that_belong_together_widen_the_training_band():
    rng = np.random.default_rng(1)
    who = np.repeat(np.arange(20), 10)
    x = rng.normal(size=20)[who]
    columns = {"x": x, "y": x + rng.normal(size=20)[who]}
    apart = learning_curve(LinearRegression(), Task(columns, target="y"), train_sizes=[160])
    grouped = Task({**columns, "who": [f"p{i}" for i in who]}, target="y", group="who")
    together = learning_curve(LinearRegression(), grouped, train_sizes=[160])
    assert together.estimate(160, part="train").half_width > 2 * apart.estimate(160, part="train").half_width


@pytest.mark.slow
def test_the_training_band_at_full_size_holds_the_expected_training_score():
    rng = np.random.default_rng(2)

    def draw(n):
        y = rng.random(n) < 0.2
        return rng.normal(size=(n, 2)) + y[:, None], np.where(y, "p", "q")

    def trained(X, y):
        return (GaussianNB().fit(X, y).predict(X) == y).mean()

    truth, held = np.mean([trained(*draw(160)) for _ in range(400)]), []
    for _ in range(50):
        X, y = draw(200)
        task = Task({"a": X[:, 0], "b": X[:, 1], "y": y}, target="y")
        curve = learning_curve(GaussianNB(), task, train_sizes=[160], scoring="accuracy")
        held.append(truth in curve.estimate(160, part="train"))
    assert np.mean(held) > 0.85


def test_levels_that_only_test_rows_have_raise_no_warnings(recwarn):
    X = pl.DataFrame({"level": [f"s{row % 40}" for row in range(120)], "x": np.arange(120.0) % 7})
    learning_curve(NaiveBayes(), X, np.where(np.arange(120) % 3 == 0, "a", "b"), progress=None)
    assert not recwarn
