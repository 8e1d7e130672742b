"""Networks for typed tables: kinds of columns, files, prediction without PyTorch, quantiles, weights, bad input."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from scipy.special import softmax
from sklearn.metrics import log_loss, mean_pinball_loss, r2_score

import probus
from probus.calibration import CalibratedClassifierCV, ConformalRegressor
from probus.data import Column, Table, UnseenLevelWarning
from probus.datasets import penguins
from probus.errors import DataError, ModelFileError
from probus.neural_network import TabularNetClassifier, TabularNetRegressor
from probus.neural_network._row_sets import RowSets
from probus.neural_network._tabular_encoding import TabularEncoding
from probus.neural_network._tabular_module import LogLoss, PinballLoss, TabularModule, _dropped
from probus.parameters import ParameterError

NO_TORCH = """
import sys
class Missing:
    def find_spec(self, name, *others):
        if name.partition(".")[0] == "torch":
            raise ImportError(name)
sys.meta_path.insert(0, Missing())
"""
QUICK = {"n_models": 1, "n_members": 4, "hidden_layer_sizes": (32,), "device": "cpu", "random_state": 0}


def classifier(**settings):
    return TabularNetClassifier(**{**QUICK, "max_iter": 4, **settings})


def regressor(**settings):
    return TabularNetRegressor(**{**QUICK, "max_iter": 4, **settings})


def birds(n=None):
    table = penguins()
    table = table if n is None else table.take(np.random.default_rng(0).permutation(len(table))[:n])
    return table.drop("species"), table["species"].decoded()


def wave(n=600, seed=0):
    """Numbers with a wave, a product and a nominal effect; noise of standard deviation 0.1."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.uniform(-2, 2, n), rng.uniform(-1, 1, n), rng.integers(4, size=n)
    y = np.sin(2 * a) + a * b + np.array([0.0, 1.0, -1.0, 2.0])[c] + 0.1 * rng.normal(size=n)
    columns = [Column.numbers("a", a), Column.numbers("b", b), Column.labels("c", ["pqrs"[i] for i in c])]
    return Table(columns), y


# -- what it learns ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_it_learns_curves_products_and_levels():
    X, y = wave(800)
    net = regressor(max_iter=80).fit(X.take(slice(0, 600)), y[:600])
    assert r2_score(y[600:], net.predict(X.take(slice(600, None)))) > 0.95


@pytest.mark.slow
def test_it_learns_classes_of_a_table_with_missing_values():
    X, y = birds()
    order = np.random.default_rng(1).permutation(len(y))
    train, test = order[:240], order[240:]
    net = classifier(max_iter=40).fit(X.take(train), y[train])
    assert log_loss(y[test], net.predict_proba(X.take(test))) < 0.1
    assert set(net.predict(X.take(test))) == set(net.classes_)


@pytest.mark.slow
def test_quantiles_hold_as_many_rows_as_they_say():
    X, y = wave(1500, seed=3)
    y = y + np.abs(X["a"].values) * np.random.default_rng(4).normal(size=len(y))
    net = regressor(loss="quantile", quantiles=[0.9, 0.1], max_iter=60).fit(X.take(slice(0, 1000)), y[:1000])
    new, truth = X.take(slice(1000, None)), y[1000:]
    high, low = net.predict_quantiles(new).T
    assert (low <= high).all()
    assert ((low <= net.predict(new)) & (net.predict(new) <= high)).all()
    assert np.mean(truth <= high) == pytest.approx(0.9, abs=0.06)
    assert np.mean(truth <= low) == pytest.approx(0.1, abs=0.06)
    constant = np.full_like(truth, np.quantile(y[:1000], 0.9))
    assert mean_pinball_loss(truth, high, alpha=0.9) < 0.7 * mean_pinball_loss(truth, constant, alpha=0.9)


@pytest.mark.slow
def test_the_absolute_error_predicts_medians():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 1))
    y = np.where(rng.random(300) < 0.3, 100.0, 0.0)
    settings = {"max_iter": 30, "learning_rate_init": 0.02}
    assert np.abs(regressor(loss="absolute_error", **settings).fit(X, y).predict(X)).mean() < 5
    assert regressor(**settings).fit(X, y).predict(X).mean() > 15


def test_several_targets():
    X, y = wave(200)
    Y = np.column_stack([y, 100.0 * X["a"].values - 7.0])
    net = regressor(max_iter=20).fit(X, Y)
    assert net.predict(X).shape == (200, 2)
    assert r2_score(Y[:, 1], net.predict(X)[:, 1]) > 0.8
    np.testing.assert_allclose(net.target_centre_, Y.mean(axis=0))


@pytest.mark.slow
def test_smoothed_labels_keep_probabilities_from_the_ends():
    X, y = birds(150)
    settings = {"max_iter": 40, "early_stopping": False}
    plain, smooth = (classifier(label_smoothing=s, **settings).fit(X, y).predict_proba(X).max() for s in (0.0, 0.3))
    assert smooth < 0.95 < plain


def test_losses_by_their_definitions():
    rng = np.random.default_rng(0)
    outputs, labels = rng.normal(size=(20, 3, 4)), rng.integers(4, size=20)
    z, y = torch.tensor(outputs), torch.tensor(labels)
    probabilities = softmax(outputs, axis=2)
    each = [-np.log(p[np.arange(20), labels]) for p in probabilities.transpose(1, 0, 2)]
    np.testing.assert_allclose(LogLoss(0.0).of_members(z, y), np.mean(each, axis=0))
    np.testing.assert_allclose(
        LogLoss(0.0).of_mean(outputs, labels).mean(), log_loss(labels, probabilities.mean(axis=1))
    )
    quantiles, target = np.array([0.1, 0.5, 0.7, 0.9]), rng.normal(size=(20, 1))
    found = PinballLoss(quantiles, "cpu").of_mean(outputs, target).mean()
    wanted = [mean_pinball_loss(target[:, 0], outputs.mean(axis=1)[:, i], alpha=q) for i, q in enumerate(quantiles)]
    np.testing.assert_allclose(found, np.mean(wanted), rtol=1e-6)
    each = PinballLoss(quantiles, "cpu").of_members(z[:, :1], torch.tensor(target))
    residual = target - outputs[:, 0]
    np.testing.assert_allclose(each, np.maximum(quantiles * residual, (quantiles - 1) * residual).mean(axis=1), 1e-6)


def test_dropout_keeps_the_mean_and_drops_the_share():
    values = torch.ones(300, 333)
    dropped = _dropped(values, 0.1)
    assert float((dropped == 0).float().mean()) == pytest.approx(0.1, abs=0.005)
    assert float(dropped.mean()) == pytest.approx(1.0, abs=0.01)
    assert len(dropped.unique()) == 2
    assert torch.equal(_dropped(values, 0.0), values)
    assert not _dropped(values, 0.9999).any()


# -- columns -------------------------------------------------------------------------------------------


def test_the_encoding_of_each_kind():
    table = Table(
        [
            Column.numbers("x", [1.0, 2.0, 3.0, 4.0, np.nan, 1e9]),
            Column.labels("size", ["S", "M", "L", "M", "S", "L"]).as_kind(["S", "M", "L"]),
            Column.labels("colour", ["red", "red", "blue", "blue", "blue", "odd"]),
        ]
    )
    encoding = TabularEncoding.fitted_to(table, 4)
    assert encoding.numeric.tolist() == [0, 1]
    assert encoding.nominal.tolist() == [2]
    assert encoding.n_levels == [3]
    cells = encoding.cells(table)
    assert cells.gone[:, 0].tolist() == [0, 0, 0, 0, 1, 0]
    assert cells.numbers[4, 0] == 0
    assert np.abs(cells.numbers).max() <= 3
    assert (np.diff(cells.numbers[[0, 1, 2, 3, 5], 0]) > 0).all()
    sizes = cells.numbers[:, 1]
    assert sizes[0] < sizes[1] < sizes[2]
    levels = [str(level) for level in table["colour"].levels]
    assert encoding.levels[0][levels.index("odd")] == 0
    assert len(set(cells.codes[:, 0])) == 3


def test_numbers_far_from_zero_and_huge_ones_keep_their_differences():
    values = np.random.default_rng(0).normal(size=(50, 1))
    wanted = TabularEncoding.fitted_to(Table.of(values), 4).cells(Table.of(values)).numbers
    for factor, shift in ((1.0, 1e9), (1e-200, 0.0), (1e307, 0.0)):
        table = Table.of(values * factor + shift)
        np.testing.assert_allclose(TabularEncoding.fitted_to(table, 4).cells(table).numbers, wanted, atol=1e-5)


def test_unseen_levels_are_predicted_as_missing_ones():
    X, y = birds(100)
    net = classifier().fit(X, y)
    row = X.take([3])
    with pytest.warns(UnseenLevelWarning):
        unseen = net.predict_proba(row.with_columns(Column.labels("island", ["Atlantis"])))
    np.testing.assert_array_equal(unseen, net.predict_proba(row.with_columns(Column.labels("island", [None]))))


@pytest.mark.slow
def test_ten_thousand_levels():
    rng = np.random.default_rng(0)
    X = Table([Column.labels("who", [f"w{i}" for i in rng.integers(10_000, size=12_000)])])
    net = regressor(max_iter=1, batch_size=2000).fit(X, rng.normal(size=12_000))
    assert np.isfinite(net.predict(X.take(slice(0, 50)))).all()


def test_the_order_of_rows_changes_nothing():
    X, y = birds(80)
    order = np.random.default_rng(0).permutation(80)
    one, other = classifier().fit(X, y), classifier().fit(X.take(order), y[order])
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


def test_whole_weights_are_repeated_rows():
    X, y = wave(80)
    weight = np.random.default_rng(0).integers(0, 4, 80)
    rows = np.repeat(np.arange(80), weight)
    weighted, repeated = regressor().fit(X, y, sample_weight=weight), regressor().fit(X.take(rows), y[rows])
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))


def test_other_weights_move_the_fit():
    X, y = np.zeros((200, 1)), np.repeat([0.0, 1.0], 100)
    weight = np.repeat([0.5, 1.5], 100)
    net = regressor(max_iter=60, learning_rate_init=0.02).fit(X, y, sample_weight=weight)
    assert net.predict(X[:1])[0] == pytest.approx(0.75, abs=0.08)


# -- networks, folds, files ----------------------------------------------------------------------------


def test_numpy_computes_what_pytorch_computes():
    X, y = birds()
    net = classifier(n_models=2, hidden_layer_sizes=(32, 16)).fit(X, y)
    cells = net.encoding_.cells(X)
    tensors = [torch.from_numpy(each) for each in (cells.numbers, cells.gone, cells.codes)]
    probabilities = []
    for i in range(2):
        module = TabularModule({name: each[i] for name, each in net.weights_.items()}, net.encoding_, 0.1).eval()
        with torch.no_grad():
            probabilities.append(module(*tensors).softmax(dim=2).mean(dim=1).numpy())
    np.testing.assert_allclose(net.predict_proba(X), np.mean(probabilities, axis=0), atol=1e-6)


def test_short_floats_are_close():
    X, y = wave(100)
    short, usual = (regressor(precision=each).fit(X, y).history_.validation[-1] for each in ("bfloat16", "float32"))
    assert short == pytest.approx(usual, rel=0.05)


def test_networks_hold_out_different_rows():
    net = classifier(n_models=7, validation_fraction=0.25)
    sets = RowSets(np.arange(40), np.ones(40, np.int64), np.repeat([0, 1], [10, 30]))
    splits = net._splits(40, 7, list(range(7)), sets)
    held = [set(held.tolist()) for _, held in splits]
    assert set.union(*held[:4]) == set(range(40))
    assert sum(map(len, held[:4])) == 40
    assert held[4] != held[0]
    assert all(not set(train.tolist()) & each for (train, _), each in zip(splits, held, strict=True))
    assert all(2 <= len([row for row in each if row < 10]) <= 3 for each in held)


def test_each_network_has_its_history():
    X, y = wave(100)
    net = regressor(n_models=3).fit(X, y)
    assert len(net.histories_) == 3
    assert net.history_ is net.histories_[0]
    assert len(net.history_.validation) == len(net.history_.loss) == 4
    assert net.n_iter_ == 4
    assert regressor(early_stopping=False).fit(X, y).history_.best_epoch is None


@pytest.mark.slow
def test_a_saved_one_predicts_without_pytorch(tmp_path):
    X, y = wave(60)
    net = regressor(n_models=2, loss="quantile").fit(X, y)
    np.save(tmp_path / "expected.npy", net.predict_quantiles(X))
    net.save(tmp_path / "net.probus")
    check = (
        f"{NO_TORCH}import numpy as np, probus\n"
        "from probus.data import Column, Table\n"
        "from probus.neural_network import TabularNetClassifier\n"
        f"X = Table([Column.numbers('a', {X['a'].values.tolist()}), Column.numbers('b', {X['b'].values.tolist()}),\n"
        f"    Column.labels('c', {X['c'].decoded().tolist()})])\n"
        "assert np.array_equal(probus.load('net.probus').predict_quantiles(X), np.load('expected.npy'))\n"
        "try:\n    TabularNetClassifier().fit(X, ['a', 'b'] * 30)\n"
        "except Exception as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", check], check=True, cwd=tmp_path, capture_output=True, text=True)
    assert "TabularNetClassifier needs PyTorch" in done.stdout
    assert "pip install 'probus[neural]'" in done.stdout


def test_weights_of_another_network_are_refused(tmp_path):
    X, y = birds(60)
    net = classifier().fit(X, y)
    net.weights_ = {**net.weights_, "bias_0": net.weights_["bias_0"][:, :3].copy()}
    net.save(tmp_path / "net.probus")
    with pytest.raises(ModelFileError, match="the weights do not fit the parameters"):
        probus.load(tmp_path / "net.probus")


def test_it_goes_on_from_checkpoints(tmp_path):
    X, y = birds(60)
    settings = {"n_models": 2, "checkpoint": tmp_path / "net.ckpt"}
    classifier(max_iter=2, **settings).fit(X, y)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["net-1.ckpt", "net-2.ckpt"]
    resumed = classifier(max_iter=4, **settings).fit(X, y)
    whole = classifier(max_iter=4, n_models=2).fit(X, y)
    np.testing.assert_array_equal(resumed.predict_proba(X), whole.predict_proba(X))


def test_checkpoints_of_other_settings_are_refused(tmp_path):
    X, y = birds(60)
    classifier(max_iter=1, checkpoint=tmp_path / "net.ckpt").fit(X, y)
    with pytest.raises(DataError, match=r"is of other settings: dropout was 0\.1 and is 0\.5"):
        classifier(max_iter=1, checkpoint=tmp_path / "net.ckpt", dropout=0.5).fit(X, y)


@pytest.mark.parametrize("n_models", [1, 2])
def test_epochs_one_by_one_are_a_fit(n_models):
    X, y = birds(100)
    whole = classifier(max_iter=3, early_stopping=False, n_models=n_models).fit(X, y)
    parts = classifier(n_models=n_models)
    for _ in range(3):
        parts.partial_fit(X, y, classes=whole.classes_)
    for name, weights in whole.weights_.items():
        np.testing.assert_array_equal(weights, parts.weights_[name])


def test_batches_are_learnt_one_after_the_other():
    net, (X_new, y_new) = regressor(learning_rate_init=0.01), wave(300, seed=99)
    for batch in range(40):
        net.partial_fit(*wave(100, seed=batch % 10))
        if batch == 0:
            first = r2_score(y_new, net.predict(X_new))
    assert r2_score(y_new, net.predict(X_new)) > max(first, 0.8)


def test_a_later_batch_fits_the_first():
    X, y = birds(60)
    net = classifier().partial_fit(X, y, classes=["Adelie", "Chinstrap", "Gentoo"])
    with pytest.raises(DataError, match="class 'Dodo' is not among the classes of the first batch"):
        net.partial_fit(X, np.where(y == "Adelie", "Dodo", y))
    one = regressor().partial_fit(*wave(50))
    with pytest.raises(DataError, match=r"a target of 2 columns\.\n.*1, as before"):
        one.partial_fit(wave(50)[0], np.ones((50, 2)))


@pytest.mark.slow
def test_any_number_of_threads_gives_the_same_network():
    X, y = wave(120)
    one, two = (regressor(n_jobs=jobs, max_iter=1).fit(X, y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.predict(X), two.predict(X))


def test_it_is_tuned_calibrated_and_has_intervals():
    X, y = wave(150)
    low, high = ConformalRegressor(regressor(max_iter=2), cv=2).fit(X, y).predict_interval(X).T
    assert (low < high).all()
    assert set(regressor().search_space()) >= {"learning_rate_init", "dropout", "weight_decay"}
    table, labels = birds(90)
    probabilities = CalibratedClassifierCV(classifier(), cv=2).fit(table, labels).predict_proba(table)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert probus.tabular(classifier()).fit(table, labels).predict(table).shape == (90,)


# -- bad input -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hidden_layer_sizes": ()}, r"hidden_layer_sizes=\(\)\.\n  Expected widths of layers"),
        ({"hidden_layer_sizes": (8, 0)}, r"hidden_layer_sizes=\(8, 0\)"),
        ({"loss": "quantile", "quantiles": [0.5, 1.0]}, r"quantiles=\[0\.5, 1\.0\].\n.*between 0 and 1"),
        ({"loss": "quantile", "quantiles": []}, "between 0 and 1"),
        ({"checkpoint": "net.ckpt", "random_state": None}, "a whole number as random_state"),
    ],
)
def test_bad_settings_say_what_to_do(settings, message):
    with pytest.raises(DataError, match=message):
        regressor(**settings).fit(*wave(30))


def test_bad_rows_and_targets_say_what_to_do():
    X, y = wave(30)
    with pytest.raises(ParameterError, match="'n_members' parameter of TabularNetRegressor must be"):
        regressor(n_members=0).fit(X, y)
    with pytest.raises(DataError, match="2 targets"):
        regressor(loss="quantile").fit(X, np.column_stack([y, y]))
    with pytest.raises(DataError, match="predicts no quantiles"):
        regressor(max_iter=1).fit(X, y).predict_quantiles(X)
    with pytest.raises(DataError, match=r"infinite values \(inf\): 'a'"):
        regressor().fit(X.with_columns(Column.numbers("a", [np.inf] * 30)), y)


def test_one_class_and_one_value_are_learnt_as_such():
    X, _ = wave(20)
    assert classifier(max_iter=1).fit(X, ["same"] * 20).predict(X).tolist() == ["same"] * 20
    constant = Table([Column.numbers("x", np.ones(20))])
    np.testing.assert_allclose(regressor(max_iter=1).fit(constant, np.full(20, 7.0)).predict(constant), 7.0, atol=2.0)
