"""The network in NumPy compared with PyTorch's, and the file of its weights."""

import os
import subprocess
import sys

import numpy as np
import pytest

from probus.errors import ModelFileError
from probus.in_context import _shipped_weights
from probus.in_context._network import IDENTITY
from probus.in_context._shipped_weights import WEIGHTS_FILE, shipped_network


def drawn(n, m, d, classes, seed=0):
    """Training rows, nominal columns, targets, new rows and identities."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n + m, d)).astype(np.float32)
    X[:, 0] = np.round(X[:, 0])
    X[random.random(X.shape) < 0.1] = np.nan
    nominal, identity = random.random(d) < 0.3, random.normal(size=(d, IDENTITY)).astype(np.float32)
    signal = np.nan_to_num(X[:n, 0]) + random.normal(size=n)
    y = np.argsort(np.argsort(signal)) * classes // n if classes else signal.astype(np.float32)
    return X[:n], nominal, y, X[n:], identity


@pytest.fixture(scope="module")
def of_pytorch():
    pytest.importorskip("torch")
    from research.incontext.checkpoints import load_network

    return load_network(WEIGHTS_FILE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "m", "d", "classes"), [(90, 33, 5, 3), (70, 20, 2, 10), (130, 9, 17, 0), (1, 3, 2, 1), (40, 5, 1, 0)]
)
def test_outputs_equal_those_of_pytorch(of_pytorch, n, m, d, classes):
    import torch

    from probus.in_context._device_network import DeviceNetwork

    X, nominal, y, new, identity = drawn(n, m, d, classes)

    def sent(array):
        return torch.as_tensor(array)[None]

    context = of_pytorch.context(sent(X), sent(nominal), sent(y), torch.full((1,), classes), sent(identity)[:, None])
    expected = of_pytorch.predict(sent(new), context)[0].numpy()
    for network in (shipped_network(), DeviceNetwork(_shipped_weights._weights(), torch.device("cpu"))):
        found = network.outputs(new, network.context(X, nominal, y, classes, identity, 1), 1)
        np.testing.assert_allclose(found, expected[:, : classes or None], atol=1e-4, rtol=1e-4)


def test_a_row_is_predicted_the_same_alone_as_among_others():
    X, nominal, y, new, identity = drawn(50, 21, 3, 2)
    network = shipped_network()
    context = network.context(X, nominal, y, 2, identity, 1)
    alone = np.concatenate([network.outputs(new[i : i + 1], context, 1) for i in range(len(new))])
    assert np.array_equal(alone, network.outputs(new, context, 1))


def test_threads_do_not_change_the_outputs():
    X, nominal, y, new, identity = drawn(150, 40, 2, 0)
    network = shipped_network()
    one, four = (network.outputs(new, network.context(X, nominal, y, 0, identity, n_jobs), n_jobs) for n_jobs in (1, 4))
    assert np.array_equal(one, four)


def test_weights_are_plain_arrays_of_at_most_twelve_megabytes():
    assert WEIGHTS_FILE.stat().st_size <= 12e6
    with np.load(WEIGHTS_FILE, allow_pickle=False) as arrays:
        assert {arrays[name].dtype for name in arrays.files} == {np.dtype("float16")}


def test_changed_weights_are_refused(tmp_path, monkeypatch):
    changed = bytearray(WEIGHTS_FILE.read_bytes())
    changed[-5000] ^= 1
    (tmp_path / "network.npz").write_bytes(changed)
    monkeypatch.setattr(_shipped_weights, "WEIGHTS_FILE", tmp_path / "network.npz")
    with pytest.raises(
        ModelFileError, match=r"(?s)network.npz has changed.*the weights of this version.*Install probus again"
    ):
        shipped_network.__wrapped__()


@pytest.mark.slow
def test_weights_are_read_when_a_model_is_fitted_and_without_pytorch():
    code = (
        "import sys\n"
        "from probus.in_context import InContextClassifier\n"
        "from probus.in_context._shipped_weights import shipped_network\n"
        "print(shipped_network.cache_info().currsize)\n"
        "model = InContextClassifier(n_members=1).fit([[0.0], [1.0]] * 5, [0, 1] * 5)\n"
        "print(shipped_network.cache_info().currsize, model.predict([[1.0]]), 'torch' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ}, check=True)
    assert done.stdout.split("\n")[:2] == ["0", "1 [1] False"]
