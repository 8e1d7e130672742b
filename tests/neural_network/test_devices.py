import builtins
import threading

import numpy as np
import pytest
import torch

from probus.errors import DataError
from probus.neural_network import MLPClassifier, _torch


def test_without_pytorch_the_error_names_the_extra(monkeypatch):
    genuine = builtins.__import__

    def hidden(name, *args, **named):
        if name == "torch":
            raise ImportError("No module named 'torch'")
        return genuine(name, *args, **named)

    monkeypatch.setattr(builtins, "__import__", hidden)
    with pytest.raises(DataError) as error:
        _torch.load_torch("ConvClassifier")
    assert str(error.value) == (
        "ConvClassifier needs PyTorch, which is not installed.\n"
        "  Expected it to be installed. Run pip install 'probus[neural]'."
    )


@pytest.mark.parametrize("wanted", ["cuda", "cuda:0", "cuda:7", "mps"])
def test_a_device_that_is_not_there_is_an_error(wanted, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    with pytest.raises(DataError, match=f"device='{wanted}': PyTorch finds no GPU.*\n.*device='auto'"):
        _torch.device_named(wanted)


@pytest.mark.parametrize("wanted", ["gpu", "cuda:", "cuda:x", "tpu:0", 0, None])
def test_an_unknown_device_is_an_error(wanted):
    with pytest.raises(DataError, match="Expected 'auto', 'cpu', 'cuda'"):
        _torch.device_named(wanted)


def test_auto_takes_the_gpu_if_there_is_one(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 1)
    assert _torch.device_named("auto") == torch.device("cuda", 1)
    assert _torch.device_named("cuda:0") == torch.device("cuda", 0)


@pytest.mark.filterwarnings("ignore:.*converged")
def test_auto_without_a_gpu_is_the_processor_for_perceptrons():
    X = np.random.default_rng(0).normal(size=(50, 3))
    nets = [
        MLPClassifier((4,), max_iter=3, random_state=0, device=each).fit(X, X[:, 0] > 0) for each in ("auto", "cpu")
    ]
    np.testing.assert_array_equal(nets[0].coefs_[0], nets[1].coefs_[0])


def test_networks_on_several_threads_draw_the_same():
    drawn = {}

    def draw(seed):
        with _torch.seeded(seed, torch.device("cpu")):
            drawn[seed] = [float(torch.rand(1)) for _ in range(50)]

    threads = [threading.Thread(target=draw, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = dict(drawn)
    for seed in range(6):
        draw(seed)
        assert drawn[seed] == found[seed]


def test_threads_are_set_within_only():
    before = torch.get_num_threads()
    with _torch.threads(1):
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before


def test_a_processor_is_no_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    assert _torch.gpu_named("cpu") is None
    assert _torch.gpu_named("auto") is None
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert _torch.gpu_named("auto") == _torch.gpu_named("mps") == torch.device("mps")


@pytest.mark.parametrize("allowed", [True, False])
def test_tf32_is_not_used_within_only(allowed):
    matmul = torch.backends.cuda.matmul
    matmul.allow_tf32 = allowed
    name = "fp32_precision" if hasattr(matmul, "fp32_precision") else "allow_tf32"
    try:
        before = getattr(matmul, name)
        with _torch.without_tf32():
            assert getattr(matmul, name) in ("ieee", False)
        assert getattr(matmul, name) == before
        assert matmul.allow_tf32 is allowed
    finally:
        matmul.allow_tf32 = False
