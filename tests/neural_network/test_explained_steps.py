"""The steps of fitted perceptrons, number by number."""

import numpy as np
import pytest

from probus.data import Column, Table
from probus.errors import DataError
from probus.neural_network import MLPClassifier, MLPRegressor
from probus.neural_network._dense_weights import DenseWeights

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
NAMES = np.array(["no", "yes", "perhaps"])
CASES = [
    (MLPClassifier, NAMES[(X[:, 0] > 0) * 1]),
    (MLPClassifier, NAMES[RNG.integers(0, 3, 60)]),
    (MLPClassifier, RNG.integers(0, 2, (60, 4))),
    (MLPRegressor, X[:, 0] * X[:, 1]),
    (MLPRegressor, X[:, :2] ** 2),
]


def fitted(cls, y, **settings):
    settings = {"hidden_layer_sizes": (4, 3), "activation": "tanh", "solver": "sgd", "alpha": 0.1, **settings}
    return cls(**settings, max_iter=5, tol=0.0, n_iter_no_change=10, random_state=0).fit(X, y)


@pytest.mark.filterwarnings("ignore:.*converged")
@pytest.mark.parametrize(("cls", "y"), CASES)
def test_the_derivatives_are_those_of_the_training(cls, y):
    net = fitted(cls, y)
    step = net.explain_step(X[7], y[7])
    layers = list(zip(net.coefs_, net.intercepts_, strict=True))
    weights = DenseWeights(layers, "tanh", net.out_activation_, alpha=0.1, dtype=np.float64)
    loss = weights.descend(X[7:8], net._targets(y[7:8], 1, first=False, incremental=True).astype(float))
    found = np.concatenate([part.ravel() for pair in step.gradients for part in pair])
    np.testing.assert_allclose(found, weights.gradient, rtol=1e-10, atol=1e-14)
    assert step.loss == pytest.approx(loss, rel=1e-12)
    assert step.learning_rate == net.learning_rate_init


@pytest.mark.filterwarnings("ignore:.*converged")
def test_the_step_is_that_of_one_row_in_training():
    """Without momentum a step of ``partial_fit`` on one row gives the weights of the explained step."""
    net = fitted(MLPRegressor, X[:, 0], momentum=0.0)
    step = net.explain_step(X[3], X[3, 0])
    net.partial_fit(X[3:4], X[3:4, 0])
    for layer, coefs, intercepts in zip(step.updated.layers, net.coefs_, net.intercepts_, strict=True):
        np.testing.assert_allclose(layer.weights, coefs, rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(layer.bias, intercepts, rtol=1e-5, atol=1e-7)


@pytest.mark.filterwarnings("ignore:.*converged")
def test_a_row_of_a_table_is_a_row():
    table = Table([Column.numbers(name, values) for name, values in zip("abc", X.T, strict=True)])
    net = MLPClassifier((4, 3), activation="tanh", max_iter=5, random_state=0).fit(table, CASES[0][1])
    expected = net.explain_step(X[0].tolist(), "yes", learning_rate=0.5)
    assert str(net.explain_step(table.take(slice(0, 1)), "yes", learning_rate=0.5)) == str(expected)
    assert "tanh → 1" in str(expected)


@pytest.mark.filterwarnings("ignore:.*converged")
@pytest.mark.parametrize(
    ("cls", "settings", "message"),
    [
        (MLPClassifier, {"normalisation": "layer"}, "normalisation='layer'"),
        (MLPClassifier, {"activation": "step"}, "activation='step', which is trained with the slope of a line"),
        (MLPRegressor, {"loss": "poisson"}, "loss='poisson'"),
    ],
)
def test_networks_that_have_no_such_step_say_so(cls, settings, message):
    net = fitted(cls, (X[:, 0] > 0).astype(int), **settings)
    with pytest.raises(DataError, match=f"explain_step of a network with {message}"):
        net.explain_step(X[0], 1)


@pytest.mark.filterwarnings("ignore:.*converged")
def test_several_rows_are_refused():
    with pytest.raises(DataError, match=r"explain_step of 2 rows\.\n.*one row"):
        fitted(MLPRegressor, X[:, 0]).explain_step(X[:2], 1.0)
