"""The parts of an expected loss against closed forms and against the formulas by hand."""

import json

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from probus import DataError, FailedModelError, Task, datasets
from probus.model_selection._expected_loss import bias_variance
from probus.model_selection._loss_parts import mean_part, squared_parts, zero_one_parts
from probus.model_selection._resample_result import FailedSplitWarning

mpl.use("Agg")

SIGMA = 0.7
DESIGN = np.random.default_rng(5).normal(size=(40, 5))
THETA = np.arange(5.0)


def linear(X):
    return X @ THETA


def fixed_design(rng):
    """The notes' example: X stays, only the noise is drawn anew."""
    return DESIGN, linear(DESIGN) + rng.normal(0, SIGMA, len(DESIGN))


def best_class(X):
    return np.where(X[:, 0] + X[:, 1] > 0, "a", "b")


def flipped_labels(rng, rate=0.2, n=60):
    X = rng.uniform(-1, 1, (n, 2))
    y = best_class(X)
    flip = rng.random(n) < rate
    return X, np.where(flip, np.where(y == "a", "b", "a"), y)


def even(n):
    return np.full(n, 1 / n)


# -- properties ----------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), rounds=st.integers(3, 12), n=st.integers(1, 9))
def test_squared_bias_and_variance_sum_to_the_mean_squared_distance_from_the_truth(seed, rounds, n):
    rng = np.random.default_rng(seed)
    P, f = rng.normal(size=(rounds, n)), rng.normal(size=n)
    parts = squared_parts(P, f, even(n))
    assert (parts["bias"] + parts["variance"]).rows == pytest.approx(((P - f) ** 2).mean(axis=0))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), rounds=st.integers(3, 12), n=st.integers(1, 9), k=st.integers(2, 4))
def test_the_parts_of_zero_one_loss_sum_to_the_share_of_misses(seed, rounds, n, k):
    rng = np.random.default_rng(seed)
    P, best = rng.integers(k, size=(rounds, n)), rng.integers(k, size=n)
    parts = zero_one_parts(P, best, k, even(n))
    total = parts["bias"] + parts["variance_unbiased"] - parts["variance_biased"]
    assert total.rows == pytest.approx((best != P).mean(axis=0))


@pytest.mark.parametrize("of", ["squared", "zero_one"])
def test_each_round_left_out_gives_what_computing_without_it_gives(of):
    rng = np.random.default_rng(3)
    if of == "squared":
        P, f = rng.normal(size=(6, 4)), rng.normal(size=4)
        parts = squared_parts(P, f, even(4))
        anew = [squared_parts(np.delete(P, r, axis=0), f, even(4)) for r in range(6)]
    else:
        P, f = rng.integers(3, size=(6, 4)), rng.integers(3, size=4)
        parts = zero_one_parts(P, f, 3, even(4))
        anew = [zero_one_parts(np.delete(P, r, axis=0), f, 3, even(4)) for r in range(6)]
    for name, part in parts.items():
        assert part.without == pytest.approx([without[name].rows.mean() for without in anew])


@pytest.mark.parametrize("loss", ["squared", "zero_one"])
def test_the_parts_sum_to_the_total(loss):
    if loss == "squared":
        result = bias_variance(DecisionTreeRegressor(), fixed_design, truth=linear, n_rounds=20, random_state=0)
    else:
        result = bias_variance(DecisionTreeClassifier(), flipped_labels, truth=best_class, n_rounds=20, random_state=0)
    assert list(result.parts) == ["noise", "bias", "variance"]
    assert sum(part.value for part in result.parts.values()) == pytest.approx(result.total.value)
    assert result.loss == loss


def test_the_result_is_the_same_for_any_number_of_jobs():
    tree = DecisionTreeRegressor(splitter="random")
    with parallel_config(backend="threading"):
        alone, together = (bias_variance(tree, fixed_design, n_rounds=6, random_state=1, n_jobs=n) for n in (1, 2))
    assert alone.to_dict() == together.to_dict()


def test_weights_of_a_task_equal_repetition_of_test_rows():
    P, f = np.random.default_rng(0).normal(size=(5, 3)), np.zeros(3)
    weighted = squared_parts(P, f, np.array([0.5, 0.25, 0.25]))["variance"]
    repeated = squared_parts(P[:, [0, 0, 1, 2]], np.zeros(4), even(4))["variance"]
    assert weighted.estimate(np.array([0.5, 0.25, 0.25]), np.arange(3)).value == pytest.approx(
        repeated.estimate(even(4), np.array([0, 0, 1, 2])).value
    )


# -- closed forms --------------------------------------------------------------------------------------


def test_least_squares_has_no_bias_and_variance_sigma2_p_over_n():
    result = bias_variance(
        LinearRegression(fit_intercept=False), fixed_design, truth=linear, n_rounds=300, noise=SIGMA**2
    )
    assert SIGMA**2 * 5 / 40 in result.variance
    assert 0 in result.bias
    assert result.variance.half_width < 0.02
    assert SIGMA**2 * (1 + 5 / 40) in result.total


def test_the_noise_is_found_from_draws_and_truth():
    result = bias_variance(LinearRegression(), fixed_design, truth=linear, n_rounds=10, test_size=4000, random_state=1)
    assert SIGMA**2 in result.noise


@pytest.mark.slow
def test_nearest_neighbours_on_a_fixed_design_have_variance_sigma2_over_k():
    for k in (1, 4):
        result = bias_variance(KNeighborsRegressor(k), fixed_design, truth=linear, n_rounds=300, test_size=40)
        assert SIGMA**2 / k in result.variance


def test_the_mean_has_the_variance_of_the_truth_as_bias_and_sigma2_over_n_as_variance():
    result = bias_variance(DummyRegressor(), fixed_design, truth=linear, n_rounds=300)
    assert result.bias.value == pytest.approx(linear(DESIGN).var(), rel=0.01)
    assert SIGMA**2 / 40 in result.variance
    assert result.total.value == pytest.approx(result.baseline.value)


@pytest.mark.slow
def test_intervals_hold_the_true_variance_about_as_often_as_they_say():
    truth, held = SIGMA**2 * 5 / 40, 0
    for seed in range(60):
        result = bias_variance(
            LinearRegression(fit_intercept=False),
            fixed_design,
            truth=linear,
            n_rounds=30,
            test_size=40,
            random_state=seed,
        )
        held += truth in result.variance
    assert held >= 53


# -- by hand -------------------------------------------------------------------------------------------


def test_squared_parts_agree_with_mlxtends_formulas_once_freed_of_their_bias():
    """mlxtend: main = mean prediction, bias² = mean (main − y)², variance = mean (main − p)²."""
    rng = np.random.default_rng(8)
    P, y = rng.normal(size=(20, 7)), rng.normal(size=7)
    main = P.mean(axis=0)
    their_bias, their_variance = ((main - y) ** 2).mean(), ((P - main) ** 2).mean()
    parts = squared_parts(P, y, even(7))
    assert parts["variance"].rows.mean() == pytest.approx(their_variance * 20 / 19)
    assert parts["bias"].rows.mean() == pytest.approx(their_bias - their_variance / 19)


def test_zero_one_parts_agree_with_mlxtends_formulas():
    """mlxtend: main = mode, bias = mean (main ≠ y), loss = mean (p ≠ y), variance = mean (p ≠ main)."""
    rng = np.random.default_rng(9)
    P, y = rng.integers(2, size=(21, 30)), rng.integers(2, size=30)
    main = (P.mean(axis=0) > 0.5).astype(int)
    parts = zero_one_parts(P, y, 2, even(30))
    assert parts["bias"].rows.mean() == pytest.approx((main != y).mean())
    # with two classes straying from a wrong main prediction always leads to the right one
    assert (parts["variance_unbiased"] + parts["variance_biased"]).rows.mean() == pytest.approx((main != P).mean())


def test_domingos_parts_of_three_rows_by_hand():
    P = np.array([[0, 1, 2], [0, 1, 2], [1, 0, 0], [0, 1, 2]])
    parts = zero_one_parts(P, np.array([0, 0, 1]), 3, even(3))
    assert parts["bias"].rows.tolist() == [0, 1, 1]
    assert parts["variance_unbiased"].rows.tolist() == [0.25, 0, 0]
    assert parts["variance_biased"].rows.tolist() == [0, 0.25, 0]


def test_label_noise_adds_what_the_coefficient_of_domingos_says():
    result = bias_variance(
        DecisionTreeClassifier(), flipped_labels, truth=best_class, noise=0.2, n_rounds=30, random_state=0
    )
    clean = result.bias.value + result.variance.value
    assert result.noise.value == pytest.approx(0.2 * (2 * (1 - clean) - 1))


# -- tasks ---------------------------------------------------------------------------------------------


def test_a_task_says_that_noise_cannot_be_told_from_bias():
    result = bias_variance(
        DecisionTreeClassifier(), Task(datasets.load("iris"), "species"), n_rounds=10, random_state=0
    )
    assert result.noise is None
    assert "Noise cannot be separated from bias here" in result.sentence
    assert list(result.parts) == ["bias", "variance"]


def test_known_noise_of_a_task_leaves_the_bias():
    mtcars = Task(datasets.load("mtcars").drop("name"), "mpg")
    without, with_noise = (bias_variance(LinearRegression(), mtcars, n_rounds=10, noise=n) for n in (None, 1.5))
    assert with_noise.bias.value == pytest.approx(without.bias.value - 1.5)
    assert with_noise.total.value == pytest.approx(without.total.value)


def test_the_latest_rows_are_held_out_where_there_is_a_time():
    days = np.arange(40.0)
    task = Task({"day": days, "x": days, "y": np.where(days < 30, 0.1 * days, 50.0)}, "y", time="day")
    result = bias_variance(LinearRegression(), task, n_rounds=5)
    assert result.n_test == 10
    assert result.bias.value > 1000


def test_groups_are_held_out_whole_and_scatter_as_one():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(20), 5)
    table = {"x": rng.normal(size=100), "g": [f"g{i}" for i in group], "y": group + rng.normal(size=100)}
    grouped = bias_variance(LinearRegression(), Task(table, "y", group="g"), n_rounds=10, test_size=0.25)
    assert grouped.n_test % 5 == 0


def test_a_model_that_fails_in_some_rounds_is_replaced_and_told():
    rare = Task({"x": np.arange(30.0), "y": ["a"] * 28 + ["b"] * 2}, "y")
    with pytest.warns(FailedSplitWarning, match="FAILED in"):
        result = bias_variance(LogisticRegression(), rare, n_rounds=12, random_state=0)
    assert 0 < len(result.failures) < 12
    assert "Zero-R was used instead" in repr(result)
    assert f"The model failed in {len(result.failures)} of 12 rounds" in result.diagnose().sentence
    assert f"failed in {len(result.failures)} of 12 rounds" in result.total.method


# -- looks and errors ----------------------------------------------------------------------------------


def test_the_result_prints_serialises_frames_and_draws():
    result = bias_variance(LinearRegression(), fixed_design, truth=linear, n_rounds=10)
    assert result.sentence.startswith("Of an expected squared error of")
    assert "<th>squared bias</th>" in result._repr_html_()
    assert json.loads(json.dumps(result.to_dict()))["n_rounds"] == 10
    assert result.to_frame()["part"].to_list() == ["noise", "bias", "variance", "total", "zero_r"]
    axes = result.plot()
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["noise", "squared bias", "variance", "total"]


IRIS = Task(datasets.load("iris"), "species")


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: bias_variance(LinearRegression(), fixed_design, n_rounds=1), r"n_rounds=1.\n  Expected at least 3"),
        (lambda: bias_variance(LinearRegression(), fixed_design, loss="hinge"), r"loss='hinge'.\n  Expected 'squared'"),
        (lambda: bias_variance(DecisionTreeClassifier(), IRIS, loss="squared"), "loss='squared' for a classification"),
        (lambda: bias_variance(LinearRegression(), IRIS), "LinearRegression is a regressor"),
        (lambda: bias_variance(DecisionTreeClassifier(), IRIS, truth=linear), "a truth, but the data are a Task"),
        (lambda: bias_variance(DecisionTreeClassifier(), IRIS, noise=0.1), "noise=0.1 for 0-1 loss without the truth"),
        (lambda: bias_variance(DecisionTreeClassifier(), IRIS, noise=-1), "noise=-1"),
        (lambda: bias_variance(DecisionTreeClassifier(), IRIS, test_size=150), "test_size=150 of 150 rows"),
        (lambda: bias_variance(LinearRegression(), [1, 2]), "found list without y.\n  Expected a Task, or X and y"),
        (
            lambda: bias_variance(LinearRegression(), lambda rng: DESIGN),
            r"the function drew ndarray.\n  Expected a pair",
        ),
        (
            lambda: bias_variance(LinearRegression(), lambda rng: (DESIGN, [1.0])),
            r"X of shape \(40, 5\) and y of shape",
        ),
        (
            lambda: bias_variance(LinearRegression(), fixed_design, truth=lambda X: X),
            r"the truth of shape \(1000, 5\) for 1000 rows",
        ),
        (
            lambda: bias_variance(LinearRegression(), fixed_design, test_size=0.25),
            "test_size=0.25 of rows that are drawn",
        ),
    ],
)
def test_what_cannot_be_taken_apart_is_refused_in_words(call, told):
    with pytest.raises(DataError, match=told):
        call()


@pytest.mark.parametrize("data", [lambda rng: (DESIGN, np.zeros(40)), Task({"x": range(40), "y": range(40)}, "y")])
def test_a_model_that_fails_in_every_round_is_an_error_with_its_cause(data):
    model = LogisticRegression() if callable(data) else Ridge(alpha=-1)
    with pytest.raises(FailedModelError, match=r"the model failed in all 5 rounds: [A-Za-z]*Error") as raised:
        bias_variance(model, data, n_rounds=5)
    assert isinstance(raised.value.__cause__, ValueError)


@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_intervals_of_few_rows_stay_within_what_is_possible(kind):
    rng = np.random.default_rng(1)
    X, wave = rng.normal(size=(12, 2)), np.arange(12) % 2
    model = DecisionTreeRegressor() if kind == "numbers" else DecisionTreeClassifier()
    found = bias_variance(model, X, 5.0 * wave if kind == "numbers" else np.array(["a", "b"])[wave], random_state=0)
    most = np.inf if kind == "numbers" else 1.0
    for name, each in {"total": found.total, "baseline": found.baseline, **found.parts, **found.details}.items():
        least = -1.0 if kind == "classes" and name == "variance" else 0.0
        assert each.low >= min(least, each.value)
        assert each.high <= most


def test_few_rows_have_the_quantiles_of_few_degrees_of_freedom():
    rng, rows = np.random.default_rng(0), 4
    drawn = [mean_part(np.tile(rng.normal(size=rows), (5, 1)), even(rows)) for _ in range(400)]
    covered = [0.0 in each.estimate(even(rows), np.arange(rows)) for each in drawn]
    assert 0.92 < np.mean(covered) < 0.98
