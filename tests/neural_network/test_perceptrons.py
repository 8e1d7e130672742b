import builtins
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.neural_network as theirs
import torch
from sklearn.exceptions import ConvergenceWarning

import probus
from probus.errors import DataError
from probus.neural_network import MLPClassifier, MLPRegressor
from probus.neural_network._dense_module import _Dense, _outputs, _state_of
from probus.neural_network._dense_weights import HIDDEN, INITIALISATIONS, DenseWeights, drawn_weights
from probus.neural_network._mlp import MultilayerPerceptron

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RNG = np.random.default_rng(1)
X = RNG.normal(size=(300, 5))
SIGNAL = X[:, 0] * X[:, 1] + X[:, 2]
TARGETS = {
    "two": (SIGNAL > 0).astype(int),
    "three": np.digitize(SIGNAL, [-0.5, 0.5]),
    "labels": np.column_stack([SIGNAL > 0, X[:, 1] > 0, X[:, 3] > 0.5]).astype(int),
    "number": SIGNAL,
}


def pair(target, **settings):
    """Our model and scikit-learn's, fitted without shuffling: both then visit the same rows in the same steps."""
    name = "MLPRegressor" if target == "number" else "MLPClassifier"
    same = {"shuffle": False, "random_state": 3, "hidden_layer_sizes": (12, 6), "max_iter": 12, **settings}
    models = ({"MLPClassifier": MLPClassifier, "MLPRegressor": MLPRegressor}[name], getattr(theirs, name))
    return [cls(**same).fit(X, TARGETS[target]) for cls in models]


# -- against scikit-learn ------------------------------------------------------------------------------


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("activation", ["relu", "tanh", "logistic", "identity"])
def test_losses_are_those_of_scikit_learn(target, activation):
    for solver in ("adam", "sgd"):
        own, reference = pair(target, activation=activation, solver=solver)
        np.testing.assert_allclose(own.loss_curve_, reference.loss_curve_, rtol=2e-5)
        for mine, other in zip(own.coefs_, reference.coefs_, strict=True):
            np.testing.assert_allclose(mine, other, atol=2e-4)


@pytest.mark.parametrize("target", TARGETS)
def test_lbfgs_is_that_of_scikit_learn(target):
    own, reference = pair(target, solver="lbfgs")
    assert own.loss_ == pytest.approx(reference.loss_, rel=1e-9)
    np.testing.assert_allclose(own.predict(X), reference.predict(X), rtol=1e-6)


@pytest.mark.parametrize(
    "settings",
    [
        {"learning_rate": "invscaling", "solver": "sgd"},
        {"learning_rate": "adaptive", "solver": "sgd", "tol": 0.1, "n_iter_no_change": 1},
        {"nesterovs_momentum": False, "solver": "sgd"},
        {"momentum": 0.0, "solver": "sgd"},
        {"alpha": 1.0},
        {"batch_size": 37},
        {"beta_1": 0.5, "beta_2": 0.9, "epsilon": 1e-3},
        {"early_stopping": True},
        {"tol": 0.02, "n_iter_no_change": 2},
    ],
)
def test_each_parameter_means_what_it_means_in_scikit_learn(settings):
    own, reference = pair("two", **settings)
    np.testing.assert_allclose(own.loss_curve_, reference.loss_curve_, rtol=1e-4)
    assert (own.n_iter_, own.t_) == (reference.n_iter_, reference.t_)
    if own.early_stopping:
        assert own.validation_scores_ == pytest.approx(reference.validation_scores_)
        assert own.best_validation_score_ == pytest.approx(reference.best_validation_score_)


def test_weights_are_those_of_scikit_learn():
    weight = RNG.uniform(0.1, 3.0, len(X))
    for own, reference in ((MLPClassifier, theirs.MLPClassifier), (MLPRegressor, theirs.MLPRegressor)):
        target = TARGETS["number" if own is MLPRegressor else "two"]
        models = [cls(shuffle=False, random_state=0, max_iter=5).fit(X, target, weight) for cls in (own, reference)]
        np.testing.assert_allclose(models[0].loss_curve_, models[1].loss_curve_, rtol=2e-5)


def test_counts_are_those_of_scikit_learn():
    counts = RNG.poisson(np.exp(0.5 * X[:, 0]))
    settings = {"loss": "poisson", "shuffle": False, "random_state": 0, "max_iter": 20}
    own, reference = (module(**settings).fit(X, counts) for module in (MLPRegressor, theirs.MLPRegressor))
    np.testing.assert_allclose(own.loss_curve_, reference.loss_curve_, rtol=1e-5)
    np.testing.assert_allclose(own.predict(X), reference.predict(X), rtol=1e-4)


# -- gradients -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", [name for name in HIDDEN if name not in ("step", "sign")])
@pytest.mark.parametrize("output", ["identity", "exp", "logistic", "softmax"])
def test_gradients_are_finite_differences(activation, output):
    rng = np.random.RandomState(0)
    layers = drawn_weights([3, 4, 5, 2], "auto", activation, rng)
    rows, weight = rng.normal(size=(7, 3)), rng.uniform(0.5, 2.0, 7)
    y = rng.dirichlet([1.0, 1.0], 7) if output != "identity" else rng.normal(size=(7, 2))
    network = DenseWeights(layers, activation, output, alpha=0.3, dropout=0.4, dtype=np.float64)

    def loss():
        return network.descend(rows, y, weight, np.random.default_rng(5))

    loss()
    gradient, step = network.gradient.copy(), 1e-6
    for place in range(len(network.values)):
        at = network.values[place]
        network.values[place] = at + step
        above = loss()
        network.values[place] = at - step
        below = loss()
        network.values[place] = at
        assert gradient[place] == pytest.approx((above - below) / (2.0 * step), rel=2e-5, abs=2e-7)


@pytest.mark.parametrize("activation", ["step", "sign"])
def test_a_step_is_trained_with_the_slope_of_a_line(activation):
    model = MLPClassifier((30,), activation=activation, learning_rate_init=0.02, random_state=0, max_iter=150)
    assert model.fit(X, TARGETS["two"]).score(X, TARGETS["two"]) > 0.8


# -- PyTorch -------------------------------------------------------------------------------------------


@pytest.fixture
def in_pytorch(monkeypatch):
    def use(wanted):
        monkeypatch.setattr(MultilayerPerceptron, "_needs_pytorch", property(lambda self: wanted))

    return use


@pytest.mark.parametrize("activation", HIDDEN)
def test_both_engines_train_the_same_network(activation, in_pytorch):
    settings = {"activation": activation, "shuffle": False, "batch_size": 64, "max_iter": 4, "random_state": 0}
    in_pytorch(False)
    own = MLPClassifier((8,), alpha=0.1, **settings).fit(X, TARGETS["three"])
    in_pytorch(True)
    other = MLPClassifier((8,), alpha=0.1, **settings).fit(X, TARGETS["three"])
    np.testing.assert_allclose(other.loss_curve_, own.loss_curve_, rtol=1e-4)
    np.testing.assert_allclose(other.predict_proba(X), own.predict_proba(X), atol=1e-4)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("solver", ["adam", "sgd", "adamw"])
def test_both_engines_have_the_same_losses(target, solver, in_pytorch):
    cls = MLPRegressor if target == "number" else MLPClassifier
    decay = {"weight_decay": 0.5} if solver == "adamw" else {}
    settings = {"shuffle": False, "max_iter": 5, "random_state": 0, "solver": solver, **decay}
    weight = RNG.uniform(0.1, 3.0, len(X))
    curves = []
    for wanted in (False, True):
        in_pytorch(wanted)
        curves.append(cls(hidden_layer_sizes=8, **settings).fit(X, TARGETS[target], weight).loss_curve_)
    np.testing.assert_allclose(curves[0], curves[1], rtol=2e-4 if solver != "adamw" else 2e-2)


@pytest.mark.parametrize("normalisation", ["batch", "layer"])
@pytest.mark.parametrize("target", ["two", "three", "number"])
def test_numpy_predicts_what_the_module_predicts(normalisation, target):
    cls = MLPRegressor if target == "number" else MLPClassifier
    model = cls(hidden_layer_sizes=(7, 5), normalisation=normalisation, random_state=0, max_iter=4)
    model.fit(X, TARGETS[target])
    module = _Dense([5, 7, 5, model.n_outputs_], "relu", normalisation, 0.0)
    module.load_state_dict({name: torch.from_numpy(each) for name, each in _state_of(model).items()})
    with torch.no_grad():
        z = module.eval()(torch.from_numpy(X.astype(np.float32)))
        expected = _outputs(z, model.out_activation_).numpy()
    np.testing.assert_allclose(model._outputs(X), expected, atol=1e-5)


def hide_pytorch(monkeypatch):
    genuine = builtins.__import__

    def hidden(name, *args, **named):
        if name == "torch":
            raise ImportError("No module named 'torch'")
        return genuine(name, *args, **named)

    monkeypatch.setattr(builtins, "__import__", hidden)


def test_a_saved_network_predicts_without_pytorch(tmp_path, monkeypatch):
    model = MLPClassifier((6,), normalisation="batch", random_state=0, max_iter=3).fit(X, TARGETS["three"])
    path = model.save(tmp_path / "net.probus")
    expected = model.predict_proba(X)
    hide_pytorch(monkeypatch)
    assert probus.load(path).predict_proba(X).tobytes() == expected.tobytes()


def test_a_gpu_that_is_not_there_is_an_error(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(DataError, match="device='cuda': PyTorch finds no GPU with CUDA"):
        MLPClassifier(device="cuda").fit(X, TARGETS["two"])


@pytest.mark.parametrize("settings", [{"normalisation": "batch"}, {"solver": "rmsprop", "dropout": 0.2}])
def test_same_seed_same_bytes_in_pytorch(settings):
    first, second = (MLPClassifier((6,), random_state=0, max_iter=3, **settings).fit(X, TARGETS["two"]) for _ in "ab")
    assert first.coefs_[0].tobytes() == second.coefs_[0].tobytes()


# -- rows and weights ----------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["adam", "sgd", "lbfgs"])
@pytest.mark.parametrize("target", ["two", "three", "number"])
def test_weights_equal_repetition(solver, target):
    counts = RNG.integers(0, 4, len(X))
    cls = MLPRegressor if target == "number" else MLPClassifier
    model = cls(hidden_layer_sizes=(5,), solver=solver, random_state=0, max_iter=5)
    weighted = model.fit(X, TARGETS[target], counts).coefs_[0].copy()
    repeated = model.fit(np.repeat(X, counts, axis=0), np.repeat(TARGETS[target], counts)).coefs_[0]
    assert weighted.tobytes() == repeated.tobytes()


def test_the_order_of_the_rows_does_not_matter():
    order = RNG.permutation(len(X))
    model = MLPClassifier((5,), random_state=0, max_iter=5)
    first = model.fit(X, TARGETS["three"]).coefs_[0].copy()
    assert model.fit(X[order], TARGETS["three"][order]).coefs_[0].tobytes() == first.tobytes()


def test_sparse_rows_are_those_of_an_array():
    rows = np.where(RNG.random(X.shape) < 0.6, 0.0, X)
    for solver in ("adam", "lbfgs"):
        model = MLPClassifier((5,), solver=solver, random_state=0, max_iter=5)
        dense = model.fit(rows, TARGETS["two"]).predict_proba(rows)
        stored = sp.csr_array(rows)
        np.testing.assert_allclose(model.fit(stored, TARGETS["two"]).predict_proba(stored), dense, rtol=1e-6)


def test_close_numbers_far_from_zero_keep_their_digits():
    far = np.column_stack([1e6 + TARGETS["two"] * 0.01, X[:, 1]])
    assert len(np.unique(far[:, 0].astype(np.float32))) == 1  # short floats would not do
    settings = {"solver": "sgd", "learning_rate_init": 1e-14, "random_state": 0, "max_iter": 2, "shuffle": False}
    models = (module(hidden_layer_sizes=(), **settings) for module in (MLPRegressor, theirs.MLPRegressor))
    own, reference = (model.fit(far, TARGETS["number"]) for model in models)
    np.testing.assert_allclose(own.loss_curve_, reference.loss_curve_, rtol=1e-9)


def test_a_table_with_levels_and_gaps_is_prepared():
    table = probus.Table.of({"a": np.where(X[:, 0] > 1.5, np.nan, X[:, 0]), "b": np.where(X[:, 1] > 0, "yes", "no")})
    y = (X[:, 0] > 1.5) | (X[:, 1] > 0)
    model = probus.tabular(MLPClassifier((8,), learning_rate_init=0.05, random_state=0)).fit(table, y)
    assert model.score(table, y) > 0.9


def test_a_column_of_one_value_changes_nothing_much():
    constant = np.column_stack([X, np.full(len(X), 3.0)])
    model = MLPClassifier((20,), learning_rate_init=0.01, random_state=0).fit(constant, TARGETS["two"])
    assert model.score(constant, TARGETS["two"]) > 0.8


def test_one_class_is_predicted_for_certain():
    model = MLPClassifier((4,), random_state=0).fit(X, np.full(len(X), "only"))
    assert set(model.predict(X)) == {"only"}
    np.testing.assert_array_equal(model.predict_proba(X), np.ones((len(X), 1)))


# -- training ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"solver": "sgd"}, {"dropout": 0.3}, {"normalisation": "batch"}])
def test_epochs_one_by_one_are_a_fit(settings):
    whole = MLPClassifier((6,), random_state=0, max_iter=5, **settings).fit(X, TARGETS["three"])
    stepwise = MLPClassifier((6,), random_state=0, **settings)
    for _ in range(5):
        stepwise.partial_fit(X, TARGETS["three"], classes=[0, 1, 2])
    assert stepwise.t_ == whole.t_ == 1500
    np.testing.assert_allclose(stepwise.loss_curve_, whole.loss_curve_, rtol=1e-5)


def test_a_warm_start_goes_on():
    model = MLPClassifier((6,), random_state=0, max_iter=5, warm_start=True).fit(X, TARGETS["two"])
    before = model.loss_
    model.fit(X, TARGETS["two"])
    assert model.loss_ < before
    assert len(model.loss_curve_) == 10
    model.hidden_layer_sizes = (7,)
    with pytest.raises(DataError, match=r"hidden_layer_sizes=\(7,\) for weights of 5 → 6 → 1"):
        model.fit(X, TARGETS["two"])


@pytest.mark.parametrize("settings", [{}, {"dropout": 0.3, "early_stopping": True}, {"normalisation": "layer"}])
def test_a_checkpoint_goes_on_to_the_same_weights(settings, tmp_path):
    path = tmp_path / "net.ckpt"
    model = MLPClassifier((6,), random_state=0, max_iter=6, **settings)
    expected = model.fit(X, TARGETS["two"]).coefs_[0].copy()
    model.set_params(max_iter=2, checkpoint=path).fit(X, TARGETS["two"])
    again = model.set_params(max_iter=6).fit(X, TARGETS["two"])
    assert again.coefs_[0].tobytes() == expected.tobytes()
    assert again.n_iter_ == 6


def test_checkpoints_of_other_networks_and_rows_are_refused(tmp_path):
    model = MLPClassifier((6,), random_state=0, max_iter=2, checkpoint=tmp_path / "c").fit(X, TARGETS["two"])
    with pytest.raises(DataError, match=r"of another network: coefs/0 was \[5, 6\] and is \[5, 9\]"):
        model.set_params(hidden_layer_sizes=(9,)).fit(X, TARGETS["two"])
    with pytest.raises(DataError, match="of other data"):
        model.set_params(hidden_layer_sizes=(6,)).fit(X + 1.0, TARGETS["two"])


def test_a_checkpoint_needs_a_seed(tmp_path):
    with pytest.raises(DataError, match="with random_state=None"):
        MLPClassifier(checkpoint=tmp_path / "c").fit(X, TARGETS["two"])


def test_a_loss_that_is_no_number_names_its_step():
    with pytest.raises(
        DataError, match=r"non-finite parameter weights.*the loss is (inf|nan) in epoch \d, step \d of 2"
    ):
        MLPRegressor(solver="sgd").fit(1e30 * X, TARGETS["number"])


def test_smoothed_labels_keep_probabilities_from_the_ends():
    y = (X[:, 0] > 0).astype(int)
    model = MLPClassifier((), label_smoothing=0.2, solver="lbfgs", random_state=0)
    rows = np.sign(X[:, :1])
    assert model.fit(rows, y).predict_proba([[1.0]])[0, 1] == pytest.approx(0.9, abs=1e-3)


def test_weight_decay_needs_an_optimiser_that_has_it():
    with pytest.raises(DataError, match=r"weight_decay=0.1 with solver='adam'.*(\n.*)solver='adamw'"):
        MLPClassifier(weight_decay=0.1).fit(X, TARGETS["two"])
    sizes = []
    for decay in (0.0, 1.0):
        model = MLPClassifier((5,), solver="adamw", weight_decay=decay, learning_rate_init=0.01, random_state=0)
        sizes.append(np.abs(model.fit(X, TARGETS["two"]).coefs_[0]).sum())
    assert sizes[1] < 0.8 * sizes[0]


def test_dropout_lowers_the_fit_of_training_rows():
    noise = RNG.integers(0, 2, len(X))
    scores = []
    for dropout in (0.0, 0.6):
        model = MLPClassifier((60,), dropout=dropout, learning_rate_init=0.01, random_state=0, max_iter=100)
        scores.append(model.fit(X, noise).score(X, noise))
    assert scores[0] > scores[1] + 0.1


@pytest.mark.parametrize("name", INITIALISATIONS)
def test_initial_weights_have_their_variance(name):
    weights, bias = drawn_weights([200, 300], name, "relu", np.random.RandomState(0))[0]
    expected = {"glorot": 2 / 500, "he": 2 / 200, "lecun": 1 / 200, "orthogonal": 1 / 300}[name.split("_")[0]]
    assert weights.var() == pytest.approx(expected, rel=0.02)
    assert not bias.any()
    if name == "orthogonal":
        np.testing.assert_allclose(weights @ weights.T, np.eye(200), atol=1e-10)


def test_the_history_has_every_epoch():
    model = MLPClassifier((6,), random_state=0, max_iter=7, early_stopping=True).fit(X, TARGETS["two"])
    assert model.history_.to_frame().shape == (7, 4)
    assert model.history_.loss.tolist() == model.loss_curve_
    assert model.history_.best_epoch == 1 + int(np.argmax(model.validation_scores_))


def test_an_interrupt_keeps_what_was_learnt(monkeypatch):
    genuine, calls = DenseWeights.descend, []

    def interrupted(self, *args):
        calls.append(1)
        if len(calls) == 9:
            raise KeyboardInterrupt
        return genuine(self, *args)

    monkeypatch.setattr(DenseWeights, "descend", interrupted)
    with pytest.warns(UserWarning, match="interrupted"):
        model = MLPClassifier((6,), random_state=0).fit(X, TARGETS["two"])
    assert model.n_iter_ == 4
    assert model.score(X, TARGETS["two"]) > 0.4


def test_too_few_epochs_are_reported():
    with pytest.warns(ConvergenceWarning, match=r"Maximum iterations \(2\) reached"):
        MLPClassifier(max_iter=2).fit(X, TARGETS["two"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MLPClassifier(max_iter=200, tol=1.0, n_iter_no_change=2).fit(X, TARGETS["two"])


@pytest.mark.parametrize("sizes", [0, -3, (5, 0), "wide", (2.5,)])
def test_sizes_of_layers_are_checked(sizes):
    with pytest.raises(ValueError, match="hidden_layer_sizes"):
        MLPClassifier(sizes).fit(X, TARGETS["two"])


def test_files_whose_layers_do_not_fit_are_refused(tmp_path):
    model = MLPClassifier((6,), random_state=0, max_iter=2).fit(X, TARGETS["two"])
    model.coefs_[1] = np.zeros((9, 1))
    path = model.save(tmp_path / "net.probus")
    with pytest.raises(ValueError, match="layers of shapes"):
        probus.load(path)
