"""Networks in NumPy: the figures of the notes, finite differences, and models that they equal."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression as SklearnLogisticRegression

from probus.data import Table
from probus.errors import DataError
from probus.linear_model import LogisticRegression
from probus.neural_network import Dense, Network
from probus.neural_network._activations import ACTIVATIONS
from probus.parameters import ParameterError

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
XOR_Y = np.array([0.0, 1.0, 1.0, 0.0])


def layer(activation, transposed, bias):
    """A layer as the slides print it: Wᵀ and b."""
    return Dense(weights=np.array(transposed, dtype=float).T, bias=bias, activation=activation)


HIDDEN = layer("sigmoid", [[3, -9, 2], [11, -2, 7], [-6, 3, -4], [6, -1, 5]], [5, 2, -1, 1])


# -- forward passes of the course "Introduction to Machine Learning" (Bischl et al.), deep learning --------------------


def test_the_forward_pass_of_one_hidden_layer():
    """Slide: in (−3, 2, 0, 7), out 0.64. The slide prints 1 / (1 + exp(0.57)); 0.64 is 1 / (1 + exp(−0.57))."""
    net = Network([HIDDEN, layer("sigmoid", [[3, -12, 8, 1]], [6])])
    (sums, values), (output_sums, output) = net.forward([-3, 1, 5])
    np.testing.assert_array_equal(sums, [[-3, 2, 0, 7]])
    np.testing.assert_allclose(values, [[0.05, 0.88, 0.50, 1.00]], atol=0.005)
    assert output_sums[0, 0] == pytest.approx(0.57, abs=0.005)
    assert output[0, 0] == pytest.approx(0.64, abs=0.005)


def test_the_forward_pass_of_several_classes():
    output = layer("softmax", [[3, -12, 8, 1], [2, -3, 9, 1], [-5, 1, -1, 7]], [6, 0, -8])
    net = Network([HIDDEN, output], loss="cross_entropy")
    sums, probabilities = net.forward([-3, 1, 5])[-1]
    np.testing.assert_allclose(sums[0], [0.572, 2.952, -0.863], atol=5e-4)
    np.testing.assert_allclose(probabilities[0], [0.083, 0.897, 0.020], atol=5e-4)


def test_the_forward_pass_of_the_deep_net():
    """The slide prints 0.015 for the second probability, exp(−1) / 23.17 = 0.0159."""
    net = Network(
        [
            layer("relu", [[13, -9, 2], [-8, 0, 3], [4, -1, 5], [-3, 12, 7]], [5, -2, 2, 11]),
            layer("relu", [[1, 0, -4, 1], [0, 11, 2, -14], [-1, 5, -2, 16], [0, -9, -3, 4]], [-5, 3, 1, -8]),
            layer("relu", [[1, -2, -18, -7], [3, -4, 8, 0], [-2, 1, 21, 5], [2, -2, 11, -13]], [4, -6, 1, -17]),
            layer("softmax", [[9, 3, -1, -4], [-8, -2, 14, 3], [13, 2, -9, -1]], [-1, -4, -30]),
        ],
        loss="cross_entropy",
    )
    passed = [sums[0].tolist() for sums, _ in net.forward([7, 1, -4])]
    assert passed == [[79, -70, 9, -26], [38, 21, -96, -35], [0, 24, -54, 17], [3, -1, 1]]
    np.testing.assert_allclose(net.predict([7, 1, -4]), [0.866, 0.0159, 0.117], atol=1e-3)


# -- what single units can and cannot do ---------------------------------------------------------------


def test_a_threshold_unit_is_not():
    unit = Network([Dense(weights=[[1.0], [-2.0]], activation="step")])
    assert unit.predict([[1, 0], [1, 1]]).ravel().tolist() == [1, 0]


def test_no_threshold_unit_is_xor():
    """Minsky and Papert 1969: 961 lines of a grid, three of four rows right at most; the squared loss stays at ⅛."""
    grid = np.linspace(-1, 1, 31)
    right = [
        (Network([Dense(weights=[[u], [v]], bias=[b], activation="step")]).predict(XOR).ravel() == XOR_Y).sum()
        for u in grid[::3]
        for v in grid[::3]
        for b in grid[::3]
    ]
    assert max(right) == 3
    unit = Network([Dense(1, "sigmoid")], random_state=0).fit(XOR, XOR_Y, learning_rate=1.0, epochs=2000)
    assert unit.mean_loss(XOR, XOR_Y) == pytest.approx(0.125, abs=1e-6)
    assert not ((unit.predict(XOR).ravel() > 0.5) == XOR_Y).all()


def test_two_hidden_units_are_xor():
    by_hand = Network([
        Dense(weights=[[1, 1], [1, 1]], bias=[-0.5, -1.5], activation="step"),
        Dense(weights=[[1], [-1]], bias=[-0.5], activation="step"),
    ])  # fmt: skip
    assert by_hand.predict(XOR).ravel().tolist() == XOR_Y.tolist()


def test_a_network_learns_xor():
    net = Network([Dense(4, "tanh"), Dense(1, "sigmoid")], loss="cross_entropy", random_state=0)
    net.fit(XOR, XOR_Y, learning_rate=0.5, epochs=500)
    np.testing.assert_allclose(net.predict(XOR).ravel(), XOR_Y, atol=0.1)
    assert np.all(np.diff(net.losses_[-100:]) < 0)


def blobs(n=120):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 3))
    return X, (X @ [1.0, -0.7, 0.3] + rng.logistic(size=n) > 0.2).astype(float)


def test_a_sigmoid_unit_is_logistic_regression():
    X, y = blobs()
    unit = Network([Dense(1, "sigmoid")], loss="cross_entropy", random_state=0)
    unit.fit(X, y, learning_rate=1.0, epochs=400)
    ours = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y)
    theirs = SklearnLogisticRegression(C=np.inf, tol=1e-10).fit(X, y)
    for model in (ours, theirs):
        np.testing.assert_allclose(unit.layers[0].weights.ravel(), model.coef_.ravel(), atol=1e-4)
        np.testing.assert_allclose(unit.layers[0].bias, model.intercept_, atol=1e-4)
    np.testing.assert_allclose(unit.predict(X).ravel(), ours.predict_proba(X)[:, 1], atol=1e-4)


def test_an_identity_unit_is_least_squares():
    X, _ = blobs()
    y = X @ [2.0, 0.5, -1.0] + 0.3 + np.sin(X[:, 0])
    unit = Network([Dense(1)], random_state=0).fit(X, y, learning_rate=0.5, epochs=300)
    best = np.linalg.lstsq(np.column_stack([X, np.ones(len(X))]), y, rcond=None)[0]
    np.testing.assert_allclose([*unit.layers[0].weights.ravel(), *unit.layers[0].bias], best, atol=1e-8)


def test_a_linear_autoencoder_spans_the_plane_of_pca():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2)) @ np.linalg.qr(rng.normal(size=(5, 2)))[0].T + 0.1 * rng.normal(size=(80, 5))
    X -= X.mean(axis=0)
    net = Network([Dense(2), Dense(5)], random_state=0).fit(X, X, learning_rate=0.5, epochs=2000)
    plane = PCA(2).fit(X).components_
    basis = np.linalg.qr(net.layers[1].weights.T)[0]
    np.testing.assert_allclose(basis @ basis.T, plane.T @ plane, atol=1e-4)
    np.testing.assert_allclose(net.predict(X), X @ plane.T @ plane, atol=1e-3)


# -- derivatives ---------------------------------------------------------------------------------------


def numeric_gradients(net, X, y, h=1e-6):
    """Central differences of the loss by each weight and bias."""
    found = []
    for place, each in enumerate(net.layers):
        parts = []
        for name in ("weights", "bias"):
            slopes = np.zeros_like(getattr(each, name))
            for index in np.ndindex(slopes.shape):
                around = []
                for sign in (1, -1):
                    moved = {"weights": each.weights.copy(), "bias": each.bias.copy()}
                    moved[name][index] += sign * h
                    changed = Dense(activation=each.activation, weight_decay=each.weight_decay, **moved)
                    layers = [*net.layers[:place], changed, *net.layers[place + 1 :]]
                    around.append(Network(layers, net.loss).mean_loss(X, y))
                slopes[index] = (around[0] - around[1]) / (2 * h)
            parts.append(slopes)
        found.append(parts)
    return found


def assert_gradients(net, X, y):
    for ours, numeric in zip(net.gradients(X, y), numeric_gradients(net, X, y), strict=True):
        for own, reference in zip(ours, numeric, strict=True):
            np.testing.assert_allclose(own, reference, atol=1e-7)


ROWS = np.random.default_rng(1).normal(size=(4, 3))


@pytest.mark.parametrize("hidden", sorted(set(ACTIVATIONS)))
def test_gradients_are_finite_differences_for_each_activation(hidden):
    net = Network([Dense(4, hidden, weight_decay=0.3), Dense(3, hidden), Dense(2)], random_state=2)
    assert_gradients(net, ROWS, np.ones((4, 2)))


@pytest.mark.parametrize(
    ("loss", "output", "y"),
    [
        ("squared", "identity", [[0.3, 1.0, -2.0]] * 4),
        ("squared", "softmax", [0, 1, 2, 1]),
        ("squared", "tanh", [[0.3, 1.0, -2.0]] * 4),
        ("absolute", "identity", [[0.3, 1.0, -2.0]] * 4),
        ("absolute", "softplus", [[0.3, 1.0, -2.0]] * 4),
        ("cross_entropy", "sigmoid", [[0.0, 1.0, 0.4]] * 4),
        ("cross_entropy", "softmax", [0, 1, 2, 1]),
        ("cross_entropy", "softmax", [[0.2, 0.5, 0.3]] * 4),
        ("hinge", "identity", [[1, -1, 1]] * 4),
        ("hinge", "tanh", [[1, -1, 1]] * 4),
    ],
)
def test_gradients_are_finite_differences_for_each_loss(loss, output, y):
    net = Network([Dense(4, "tanh"), Dense(3, output, weight_decay=0.1)], loss=loss, random_state=2)
    assert_gradients(net, ROWS, y)


def test_layer_errors_are_the_derivatives_by_the_sums():
    net = Network([Dense(4, "tanh"), Dense(3, "sigmoid"), Dense(1)], random_state=2)
    y, h = np.ones((4, 1)), 1e-6
    errors = net.errors(ROWS, y)
    for place, each in enumerate(net.layers):
        for k in range(each.units):
            shift = np.zeros(each.units)
            shift[k] = h
            losses = []
            for sign in (1, -1):
                moved = Dense(weights=each.weights, bias=each.bias + sign * shift, activation=each.activation)
                net2 = Network([*net.layers[:place], moved, *net.layers[place + 1 :]])
                losses.append([net2.mean_loss(row, target) for row, target in zip(ROWS, y, strict=True)])
            numeric = np.subtract(*losses) / (2 * h)
            np.testing.assert_allclose(errors[place][:, k], numeric, atol=1e-7)


def test_weight_decay_shrinks_each_layer_by_its_own_share():
    """Where the loss is flat, a step multiplies the weights by 1 − η λ and leaves biases alone."""
    layers = [
        Dense(weights=np.full((2, 2), 3.0), bias=[1.0, 1.0], activation="step", weight_decay=0.1),
        Dense(weights=np.full((2, 1), 2.0), bias=[0.5], activation="step", weight_decay=0.5),
    ]
    net = Network(layers).fit(XOR, XOR_Y, learning_rate=0.2, epochs=1)
    np.testing.assert_allclose(net.layers[0].weights, 3.0 * (1 - 0.2 * 0.1))
    np.testing.assert_allclose(net.layers[1].weights, 2.0 * (1 - 0.2 * 0.5))
    assert (net.layers[0].bias.tolist(), net.layers[1].bias.tolist()) == ([1.0, 1.0], [0.5])


def test_decay_of_a_linear_unit_is_ridge_regression():
    X, _ = blobs()
    X = X - X.mean(axis=0)
    y = X @ [2.0, 0.5, -1.0]
    unit = Network([Dense(1, weight_decay=0.7)], random_state=0).fit(X, y, learning_rate=0.3, epochs=300)
    ridge = np.linalg.solve(X.T @ X / len(X) + 0.7 * np.eye(3), X.T @ (y - y.mean()) / len(X))
    np.testing.assert_allclose(unit.layers[0].weights.ravel(), ridge, atol=1e-8)


# -- rows, seeds, input --------------------------------------------------------------------------------


def test_the_same_seed_draws_the_same_network():
    nets = [Network([Dense(3, "relu"), Dense(1)], random_state=5).fit(XOR, XOR_Y, batch_size=2) for _ in range(2)]
    np.testing.assert_array_equal(nets[0].predict(XOR), nets[1].predict(XOR))
    assert len(nets[0].losses_) == 101


def test_a_table_is_rows_of_its_columns():
    net = Network([Dense(1)], random_state=0)
    table = Table.of({"a": XOR[:, 0], "b": XOR[:, 1]})
    np.testing.assert_array_equal(net.predict(table), net.predict(XOR))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Network([]), r"layers=\[\]\.\n  Expected a list of Dense layers\. Pass \[Dense"),
        (lambda: Network([3]), r"layers=\[3\]"),
        (lambda: Network([Dense(1)], loss="mse"), r"loss='mse'\.\n  Expected one of 'squared', 'absolute'"),
        (lambda: Network([Dense(1)], loss="cross_entropy"), r"cross-entropy after 'identity'.*\n.*End with Dense"),
        (lambda: Dense(), "a Dense layer without units and weights"),
        (lambda: Dense(2, bias=[1.0, 2.0]), "with a bias and no weights"),
        (lambda: Dense(2, weights=[[1.0]]), r"2 units and weights of shape \(1, 1\)"),
        (lambda: Dense(weights=[[1.0]], bias=[1.0, 2.0]), "2 biases for 1 units?"),
        (lambda: Dense(weights=[[np.nan]]), r"weights '\[\[nan\]\]' of a Dense layer\.\n  Expected finite numbers"),
        (lambda: Dense(weights=[1.0, 2.0]), "finite numbers as a matrix, inputs × units"),
        (lambda: Dense(2, "rleu"), "Did you mean 'relu'"),
        (lambda: Network([Dense(3), Dense(weights=[[1.0]])]), r"layer 2 has weights of 1 input\.\n  Expected 3"),
        (lambda: Network([Dense(weights=[[1.0]])]).predict([[1.0, 2.0]]), r"rows of 2 numbers\.\n  Expected 1"),
        (lambda: Network([Dense(1)]).predict([["a"]]), r"X holds .*\n  Expected numbers"),
        (lambda: Network([Dense(1)]).predict([]), r"X of shape \(1, 0\)"),
        (lambda: Network([Dense(1)]).predict([[np.nan]]), "X has missing or infinite values"),
        (lambda: Network([Dense(1)]).fit(XOR, [1, 2]), r"y of shape \(2,\)\.\n  Expected 4 rows of 1 target"),
        (lambda: Network([Dense(1)]).fit(XOR, ["a"] * 4), r"y is .*\n  Expected numbers\. Pass classes as 0, 1"),
        (lambda: Network([Dense(1)]).fit(XOR, [1, 2, 3, np.nan]), "y has missing"),
        (lambda: Network([Dense(1)], loss="hinge").fit(XOR, XOR_Y), r"other than −1 and 1.*\n.*Pass 2 \* y − 1"),
        (
            lambda: Network([Dense(3, "softmax")], loss="cross_entropy").fit(XOR, [0, 1, 2, 3]),
            r"y with 3\.\n  Expected classes 0 to 2",
        ),
        (
            lambda: Network([Dense(2, "softmax")], loss="cross_entropy").fit(XOR, [[0.9, 0.9]] * 4),
            "do not add up to 1",
        ),
        (
            lambda: Network([Dense(1, "sigmoid")], loss="cross_entropy").fit(XOR, XOR_Y * 2),
            "cross-entropy with a target outside 0 to 1",
        ),
        (lambda: Network([Dense(1)]).explain(XOR, XOR_Y), r"explain of 4 rows\.\n  Expected one row\. Pass X\[0\]"),
        (lambda: Network([Dense(1)]).explain(XOR[0], 1, learning_rate=0), r"learning_rate=0\.\n  Expected a number"),
        (
            lambda: Network([Dense(1)], random_state=0).fit(XOR, XOR_Y, learning_rate=100, epochs=500),
            r"the gradient is not finite in epoch \d+\.\n  Expected smaller steps.* Pass learning_rate=10",
        ),
        (lambda: Network([Dense(1)]).fit(XOR, XOR_Y, epochs=0), "epochs=0"),
        (lambda: Network([Dense(1)]).fit(XOR, XOR_Y, batch_size=1.5), r"batch_size=1\.5"),
    ],
)  # fmt: skip
def test_bad_input_says_what_to_do(make, message):
    with pytest.raises(DataError, match=message):
        make()


def test_bad_units_are_bad_parameters():
    with pytest.raises(ParameterError, match="'units' parameter of Dense must be"):
        Dense(0)
    with pytest.raises(ParameterError, match="'weight_decay' parameter of Dense must be"):
        Dense(1, weight_decay=-1.0)
