"""Optimisers: formulas of the steps, gradients, traces and their picture."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import approx_fprime
from sklearn.exceptions import ConvergenceWarning

from probus import DataError
from probus.linear_model.optimisers import (
    SGD,
    Adam,
    Function,
    GradientDescent,
    HeavyBall,
    LinearObjective,
    MiniBatch,
    Nesterov,
    RMSprop,
    plot_descent,
)
from probus.losses.margin_losses import CLASS_LOSSES

A = np.array([[3.0, 1.0], [1.0, 2.0]])
BOWL = Function(lambda w: 0.5 * w @ A @ w, lambda w: A @ w)
START = np.array([1.0, -2.0])


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, X @ [1.0, -2.0, 0.5] + 0.3 * rng.normal(size=60)


def gradient_descent(w, eta, n):
    return [w := w - eta(t) * A @ w for t in range(1, n + 1)]


def heavy_ball(w, n, eta=0.05, beta=0.9):
    """w_{t+1} = w_t - a grad(w_t) + b (w_t - w_{t-1})"""
    path = [w, w]
    for _ in range(n):
        path.append(path[-1] - eta * A @ path[-1] + beta * (path[-1] - path[-2]))
    return path[2:]


def nesterov(w, n, eta=0.05, beta=0.9):
    """m <- b m - a grad(w + b m); the points ahead are recorded."""
    path, m = [], np.zeros(2)
    for _ in range(n):
        m = beta * m - eta * A @ (w + beta * m)
        w = w + m
        path.append(w + beta * m)
    return path


def rmsprop(w, n, eta=0.01, beta=0.9, epsilon=1e-8):
    path, v = [], np.zeros(2)
    for _ in range(n):
        g = A @ w
        v = beta * v + (1 - beta) * g**2
        w = w - eta * g / np.sqrt(v + epsilon)
        path.append(w)
    return path


def adam(w, n, eta=0.01, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """Kingma and Ba 2015, algorithm 1"""
    path, m, v = [], np.zeros(2), np.zeros(2)
    for t in range(1, n + 1):
        g = A @ w
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g**2
        w = w - eta * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + epsilon)
        path.append(w)
    return path


@pytest.mark.parametrize(
    ("optimiser", "expected"),
    [
        (GradientDescent(0.1), gradient_descent(START, lambda t: 0.1, 20)),
        (GradientDescent(0.1, "inverse"), gradient_descent(START, lambda t: 0.1 / t, 20)),
        (GradientDescent(0.1, "inverse_root"), gradient_descent(START, lambda t: 0.1 / np.sqrt(t), 20)),
        (HeavyBall(0.05), heavy_ball(START, 20)),
        (Nesterov(0.05), nesterov(START, 20)),
        (RMSprop(), rmsprop(START, 20)),
        (Adam(), adam(START, 20)),
    ],
    ids=lambda case: repr(case) if not isinstance(case, list) else "",
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_steps_are_those_of_the_formulas(optimiser, expected):
    trace = optimiser.minimise(BOWL, START, max_epochs=20)
    np.testing.assert_allclose(trace.path[1:], expected, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(trace.losses, [BOWL.value(w) for w in trace.path])


@pytest.mark.parametrize("optimiser", [GradientDescent(0.3), HeavyBall(0.1), Nesterov(0.1), Adam(0.05)])
def test_they_reach_the_minimum(optimiser):
    trace = optimiser.minimise(BOWL, START, max_epochs=2000)
    assert trace.converged
    np.testing.assert_allclose(trace.point, 0.0, atol=1e-5)


@pytest.mark.parametrize("loss", sorted(CLASS_LOSSES))
@pytest.mark.parametrize("intercept", [False, True])
def test_gradients_are_those_of_finite_differences(rows, loss, intercept):
    X, y = rows
    labels = np.where(y > 0, 1.0, -1.0)
    weight = np.random.default_rng(1).random(60)
    for data in (X, sparse.csr_array(X)):
        objective = LinearObjective(
            data, labels, loss=loss, alpha=0.3, l1=0.2, fit_intercept=intercept, sample_weight=weight, epsilon=0.4
        )
        w = np.array([0.3, -0.2, 0.7, 0.1])[: 3 + intercept]
        expected = approx_fprime(w, objective.value, 1e-7)
        np.testing.assert_allclose(objective.gradient(w), expected, atol=1e-5)
        each = objective.example_gradients(w)
        np.testing.assert_allclose(each.mean(axis=0), objective.gradient(w))
        np.testing.assert_allclose(each[[4, 9]].mean(axis=0), objective.gradient(w, np.array([4, 9])))


@pytest.mark.parametrize("optimiser", [SGD(0.05), MiniBatch(0.1, batch_size=7), Adam(batch_size=7), Nesterov(0.02)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_kernel_of_linear_models_takes_the_steps_of_the_plain_loop(rows, optimiser):
    for data in (rows[0], sparse.csr_array(rows[0])):
        objective = LinearObjective(data, rows[1], alpha=0.1, l1=0.01, fit_intercept=True)
        slow = optimiser.minimise(objective, np.zeros(4), max_epochs=3, record="step", random_state=0)
        fast = optimiser.minimise(objective, np.zeros(4), max_epochs=3, record="epoch", random_state=0)
        np.testing.assert_allclose(fast.point, slow.point, rtol=1e-9)
        assert len(slow.steps) == slow.steps[-1] + 1 == 3 * -(-60 // slow.batch_size) + 1


def test_the_variance_of_gradients_is_its_definition(rows):
    objective = LinearObjective(*rows)
    trace = GradientDescent(0.3).minimise(objective, np.zeros(3))
    each = objective.example_gradients(trace.path[1])
    expected = ((each - each.mean(axis=0)) ** 2).sum(axis=1).mean()
    assert trace.gradient_variances[1] == pytest.approx(expected)
    assert not trace.challenging.any()  # all examples: no noise


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_falling_steps_get_further_into_the_region_where_gradients_are_noise(rows):
    objective = LinearObjective(*rows)
    best = np.linalg.lstsq(*rows)[0]
    ends = {}
    for schedule in ("constant", "inverse_root"):
        trace = SGD(0.2, schedule).minimise(objective, np.zeros(3), max_epochs=30, record="epoch", random_state=0)
        assert trace.challenging[-1]
        ends[schedule] = np.linalg.norm(trace.path[-10:] - best, axis=1).mean()
    assert ends["inverse_root"] < 0.5 * ends["constant"]


def test_early_stopping_returns_the_best_point_of_the_validation(rows):
    X, y = rows
    train, kept = LinearObjective(X[:6], y[:6]), LinearObjective(X[6:], y[6:])
    trace = GradientDescent(0.1).minimise(train, np.zeros(3), max_epochs=500, validation=kept, tol=1e-3)
    values = [kept.value(w) for w in trace.path]
    assert kept.value(trace.point) == min(values)
    assert trace.n_epochs < 500


def test_a_function_needs_no_gradient():
    bowl = Function(lambda w: 0.5 * w @ A @ w)
    np.testing.assert_allclose(bowl.gradient(START), A @ START, rtol=1e-8)


def test_divergence_and_too_few_epochs_are_warned_of():
    with pytest.warns(ConvergenceWarning, match=r"GradientDescent diverged in epoch \d+. Lower step=3"):
        trace = GradientDescent(3.0).minimise(BOWL, START, max_epochs=10_000)
    assert not trace.converged
    with pytest.warns(ConvergenceWarning, match="has not converged after 3 epochs. Increase max_epochs"):
        GradientDescent(0.01).minimise(BOWL, START, max_epochs=3)


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(DataError, match=r"'step' parameter of SGD must be a float in the range .* Got 0"):
        SGD(0)
    with pytest.raises(DataError, match=r"a str among {'constant', 'inverse', 'inverse_root'}"):
        Adam(schedule="fast")
    with pytest.raises(DataError, match=r"'batch_size' parameter of MiniBatch .* Got 0"):
        MiniBatch(batch_size=0)
    with pytest.raises(DataError, match=r"'beta' parameter of HeavyBall .* Got 1\.0"):
        HeavyBall(beta=1.0)
    with pytest.raises(DataError, match="Use MiniBatch"):
        GradientDescent(batch_size=3)
    with pytest.raises(DataError, match="loss='cubic'"):
        LinearObjective([[1.0]], [1.0], loss="cubic")
    with pytest.raises(DataError, match="X has 1 rows and y has 2"):
        LinearObjective([[1.0]], [1.0, 2.0])


def test_a_trace_is_shown_as_text_frame_and_picture(rows):
    trace = GradientDescent(0.3).minimise(BOWL, START)
    assert repr(trace).startswith("GradientDescent: converged after")
    assert trace.to_frame().columns == ["step", "loss", "gradient_norm", "gradient_variance", "challenging"]
    ax = plot_descent(trace, BOWL)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("w₁", "w₂")
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), trace.path)
    assert "loss" in trace._repr_html_()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_more_than_two_variables_are_drawn_as_losses(rows):
    traces = [SGD(0.05), MiniBatch(0.1)]
    traces = [one.minimise(LinearObjective(*rows), np.zeros(3), max_epochs=5, random_state=0) for one in traces]
    ax = plot_descent(traces, LinearObjective(*rows))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["SGD", "MiniBatch"]
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), traces[0].losses)
