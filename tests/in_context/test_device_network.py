"""The in-context models in PyTorch: what they predict compared with NumPy, and the choice of the device.

The device is PyTorch's processor here, which takes the place of a GPU.
"""

import builtins
import copy
import pickle

import numpy as np
import pytest

import probus
from probus.data import Table
from probus.errors import DataError
from probus.in_context import InContextClassifier, InContextRegressor, _in_context, _shipped_weights
from probus.in_context._shipped_weights import network_on, shipped_network

torch = pytest.importorskip("torch")

from probus.in_context import _torch_network  # noqa: E402
from probus.in_context._device_network import DeviceNetwork  # noqa: E402


@pytest.fixture
def gpu(monkeypatch):
    """The processor in place of a GPU."""
    monkeypatch.setattr(_shipped_weights, "gpu_named", lambda wanted: None if wanted == "cpu" else torch.device("cpu"))


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)


@pytest.fixture
def no_pytorch(monkeypatch):
    genuine = builtins.__import__

    def hidden(name, *args, **named):
        if name.partition(".")[0] == "torch":
            raise ImportError("No module named 'torch'")
        return genuine(name, *args, **named)

    monkeypatch.setattr(builtins, "__import__", hidden)


@pytest.fixture
def random():
    return np.random.default_rng(0)


def table(random, n):
    """Numbers, levels, and missing values of both."""
    X = random.normal(size=(n, 3))
    X[random.random(X.shape) < 0.15] = np.nan
    levels = np.array(["u", "v", "w", None], dtype=object)[random.integers(0, 4, n)]
    return Table.of({"a": X[:, 0], "b": 1e6 + 1e3 * X[:, 1], "c": X[:, 2], "level": levels})


def on_both(model, X, y):
    """The model fitted in PyTorch and in NumPy."""
    return [copy.copy(model).set_params(device=device).fit(X, y) for device in ("cuda", "cpu")]


def compare(model, X, y, new):
    ours, theirs = on_both(model, X, y)
    assert isinstance(ours._built[1], DeviceNetwork)
    if isinstance(model, InContextClassifier):
        found, expected = ours.predict_proba(new), theirs.predict_proba(new)
    else:
        found, expected = (each.predict_quantiles(new, np.linspace(0.01, 0.99, 40)) for each in (ours, theirs))
    np.testing.assert_allclose(found, expected, atol=1e-4 * max(np.std(y) if len(y) > 1 else 1.0, 1.0))


# -- agreement -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("n_members", [1, 3])
def test_probabilities_equal_those_of_numpy(gpu, random, n_members):
    X, new = table(random, 120), table(random, 30)
    y = 1 * (np.nan_to_num(X["a"].values) > 0.5) + (X["level"].values == 1)
    compare(InContextClassifier(n_members=n_members, random_state=0), X, y, new)


@pytest.mark.slow
@pytest.mark.parametrize("n_members", [1, 3])
def test_quantiles_equal_those_of_numpy(gpu, random, n_members):
    X, new = table(random, 120), table(random, 30)
    y = np.nan_to_num(X["a"].values) ** 3 + (X["level"].values == 1)
    compare(InContextRegressor(n_members=n_members, random_state=0), X, y, new)


@pytest.mark.slow
def test_more_than_ten_classes_equal_those_of_numpy(gpu, random):
    y = np.arange(240) % 24
    X = np.column_stack([y % 10, y // 10]) + 0.05 * random.normal(size=(240, 2))
    compare(InContextClassifier(n_members=2, random_state=0), X, y, X[:40])


@pytest.mark.parametrize("X", [np.full((6, 2), 0.1), np.array([[0.1, np.nan]] * 6), np.zeros((1, 1))])
def test_columns_and_targets_that_are_the_same_in_all_rows_equal_those_of_numpy(gpu, X):
    compare(InContextRegressor(n_members=1, random_state=0), X, np.full(len(X), 0.1), np.vstack([X, X + 1.0]))


@pytest.mark.parametrize("classes", [0, 3])
def test_rows_in_blocks_have_the_same_outputs(random, monkeypatch, classes):
    X, new = random.normal(size=(40, 3)).astype(np.float32), random.normal(size=(25, 3)).astype(np.float32)
    y = np.arange(40) % 3 if classes else X[:, 0]
    identity = random.normal(size=(3, 24)).astype(np.float32)
    network = DeviceNetwork(_shipped_weights._weights(), torch.device("cpu"))

    def outputs():
        return network.outputs(new, network.context(X, np.zeros(3, bool), y, classes, identity, None), None)

    together = outputs()
    assert together.shape == (25, classes or 64)
    monkeypatch.setattr(_torch_network, "_ROOM", 2**17)
    rows = []
    genuine = network.module.cells
    monkeypatch.setattr(network.module, "cells", lambda X, *rest: (rows.append(X.shape[1]), genuine(X, *rest))[1])
    np.testing.assert_allclose(outputs(), together, atol=1e-5)
    assert rows == [40, *[9] * 2, 7]


def test_the_memory_of_keys_is_what_they_take(gpu, random):
    network = network_on("cuda")
    X = random.normal(size=(30, 4)).astype(np.float32)
    context = network.context(X, np.zeros(4, bool), X[:, 0], 0, np.zeros((4, 24), np.float32), None)
    taken = sum(each.numel() * each.element_size() for pair in context.keys for each in pair)
    assert network.bytes_of_keys(30, 4) == taken == shipped_network().bytes_of_keys(30, 4)


def test_random_numbers_of_pytorch_are_left_alone(random):
    before = torch.get_rng_state()
    DeviceNetwork(_shipped_weights._weights(), torch.device("cpu"))
    assert torch.equal(torch.get_rng_state(), before)


# -- changing the device ---------------------------------------------------------------------------------------


def test_another_device_after_the_fit_brings_the_rows_through_again(gpu, random):
    X = random.normal(size=(40, 2))
    ours, theirs = on_both(InContextClassifier(n_members=2, random_state=0), X, X[:, 0] > 0)
    before = ours.predict_proba(X)
    assert np.array_equal(ours.set_params(device="cpu").predict_proba(X), theirs.predict_proba(X))
    assert np.array_equal(ours.set_params(device="cuda").predict_proba(X), before)


def test_training_sides_that_are_not_kept_give_the_same(gpu, random, monkeypatch):
    X = random.normal(size=(40, 2))
    model = InContextRegressor(n_members=3, random_state=0, device="cuda")
    kept = copy.copy(model).fit(X, X[:, 0]).predict(X)
    monkeypatch.setattr(_in_context, "_KEPT", 0)
    np.testing.assert_array_equal(model.fit(X, X[:, 0]).predict(X), kept)


def test_a_file_saved_on_a_gpu_is_loaded_without_one(gpu, no_gpu, random, tmp_path, monkeypatch):
    X = random.normal(size=(40, 2))
    ours, theirs = on_both(InContextRegressor(n_members=1, random_state=0), X, X[:, 0])
    path = probus.save(ours, tmp_path / "model.probus")
    copies = [probus.load(path), pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)]
    monkeypatch.undo()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for loaded in copies:
        assert loaded.device == "cuda"
        with pytest.raises(DataError, match=r"device='cuda': PyTorch finds no GPU with CUDA"):
            loaded.predict(X)
        assert np.array_equal(loaded.set_params(device="cpu").predict(X), theirs.predict(X))


# -- the choice of the device ----------------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", ["cuda", "cuda:1", "mps"])
def test_a_gpu_that_is_not_there_is_refused_at_fit(no_gpu, wanted):
    with pytest.raises(DataError, match=rf"(?s)device='{wanted}': PyTorch finds no GPU.*Pass device='auto'"):
        InContextClassifier(device=wanted).fit([[0.0], [1.0]] * 5, [0, 1] * 5)


@pytest.mark.parametrize("wanted", ["gpu", "cuda:x", ""])
def test_an_unknown_device_is_refused_at_fit(no_pytorch, wanted):
    with pytest.raises(DataError) as error:
        InContextRegressor(device=wanted).fit([[0.0], [1.0]] * 5, [0, 1] * 5)
    assert str(error.value) == (
        f"device={wanted!r}.\n  Expected 'auto', 'cpu', 'cuda', 'cuda:0', … or 'mps'. "
        "Pass device='auto', or device='cpu'."
    )


def test_a_gpu_without_pytorch_is_refused_by_the_name_of_the_extra(no_pytorch):
    with pytest.raises(DataError, match=r"(?s)device='cuda' needs PyTorch.*pip install 'probus\[neural\]'"):
        InContextClassifier(device="cuda").fit([[0.0], [1.0]] * 5, [0, 1] * 5)


@pytest.mark.parametrize("missing", ["no_gpu", "no_pytorch"])
def test_auto_is_numpy_without_a_gpu_or_without_pytorch(request, random, missing):
    request.getfixturevalue(missing)
    X = random.normal(size=(20, 2))
    auto, cpu = (InContextClassifier(n_members=1, random_state=0, device=each) for each in ("auto", "cpu"))
    assert np.array_equal(auto.fit(X, X[:, 0] > 0).predict_proba(X), cpu.fit(X, X[:, 0] > 0).predict_proba(X))
    assert auto._built[1] is shipped_network()
