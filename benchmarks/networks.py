"""Networks: perceptrons to the loss of scikit-learn's, the training loop against one by hand, and typed tables.

``PROBUS_BENCH_SMALL=1`` runs all of it on few rows, to see that it works. Where PyTorch finds a GPU, the loop is timed
there too, on 1,000,000 rows that stay on the device.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn import neural_network as sklearn_networks
from sklearn.metrics import log_loss

from benchmarks.measure import Contest, Row
from probus.ensemble import BoostingClassifier
from probus.in_context import InContextClassifier
from probus.neural_network import MLPClassifier, TabularNetClassifier
from probus.neural_network._settings import TrainingSettings
from probus.neural_network._torch import load_torch
from probus.neural_network._training import train

SMALL = bool(os.environ.get("PROBUS_BENCH_SMALL"))
_ROUNDS = 1 if SMALL else 3
_EPOCHS = 2 if SMALL else 10


def rows(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two classes by a smooth function of ten columns, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32)
    value = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] ** 2 + X[:, 4:10].sum(axis=1) * 0.4
    return X, (value + rng.normal(size=n) > 0.5).astype(np.int64)


@dataclass(frozen=True)
class Limit:
    """A function that may take so many seconds, once."""

    what: str
    ours: Callable[[], Any]
    seconds: float
    quality: Callable[[Any], str]

    def run(self) -> Row:
        """Time it."""
        started = time.perf_counter()
        found = self.ours()
        return Row(self.what, time.perf_counter() - started, "at most", self.seconds, 1.0, self.quality(found))


def contests() -> Iterator[Contest | Limit]:
    yield to_the_same_loss()
    yield from one_row()
    yield typed_table()
    yield from in_context()
    torch = load_torch("the benchmark")
    yield loop_by_hand("cpu", 5_000 if SMALL else 100_000, 256, (128, 128))
    if torch.cuda.is_available():
        n = 100_000 if SMALL else 1_000_000
        yield loop_by_hand("cuda", n, 1024, (256, 256))
        yield loop_by_hand("cuda", n, 16_384, (1024, 1024))
        yield matrix_products("cuda", n, 16_384, (1024, 1024))


# -- perceptrons ---------------------------------------------------------------------------------------


def to_the_same_loss() -> Contest:
    """Epochs until the loss on other rows is that of scikit-learn's network after ten."""
    n = 2_000 if SMALL else 50_000
    X, y = rows(n, 28)
    X_new, y_new = rows(n // 5, 28, seed=1)

    def epochs(model: Any, goal: float) -> Any:
        """The number of epochs, and the loss after them."""
        for epoch in range(1, 4 * _EPOCHS + 1):
            model.partial_fit(X, y, classes=[0, 1])
            loss = log_loss(y_new, model.predict_proba(X_new))
            if loss <= goal and epoch >= (_EPOCHS if goal == np.inf else 1):
                break
        return epoch, loss

    goal = epochs(sklearn_networks.MLPClassifier(random_state=0), np.inf)[1]
    return Contest(
        f"perceptron to the same validation loss, {n:,} × 28",
        lambda: epochs(MLPClassifier(random_state=0), goal),
        "scikit-learn",
        lambda: epochs(sklearn_networks.MLPClassifier(random_state=0), goal),
        2.0,
        lambda a, b: f"log loss {a[1]:.4f} after {a[0]} epochs, {b[1]:.4f} after {b[0]}",
        rounds=_ROUNDS,
    )


def one_row() -> Iterator[Contest]:
    """A single row: the time of a prediction, and of the validation in it."""
    from probus.base import matrix_input, table_input

    X, y = rows(1_000, 20)
    row = X[:1].astype(np.float64)
    peer = sklearn_networks.MLPClassifier(max_iter=5, random_state=0)
    models = [
        (MLPClassifier(max_iter=5, random_state=0), matrix_input),
        (TabularNetClassifier(n_models=1, max_iter=2, device="cpu", random_state=0), table_input),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer.fit(X, y)
        for model, _ in models:
            model.fit(X, y)
    for model, validation in models:

        def quality(a: Any, b: Any, model: Any = model, validation: Any = validation) -> str:
            beyond = _shortest(lambda: model.predict(row)) - _shortest(lambda: validation(model, row, reset=False))
            return f"{1e6 * beyond:.0f} µs beyond validation"

        yield Contest(
            f"one-row predict, {type(model).__name__}",
            lambda model=model: model.predict(row),
            "scikit-learn's MLPClassifier",
            lambda: peer.predict(row),
            1.0 if isinstance(model, MLPClassifier) else 0.1,
            quality,
            rounds=_ROUNDS,
            repeat=20 if SMALL else 300,
        )


def _shortest(function: Callable[[], Any], repeats: int = 200) -> float:
    best = np.inf
    for _ in range(repeats):
        started = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - started)
    return best


def typed_table() -> Limit:
    """The default on 10,000 × 20 in a minute, and its loss beside that of boosting."""
    n = 500 if SMALL else 10_000
    X, y = rows(n, 20)
    X_new, y_new = rows(n, 20, seed=1)

    def quality(net: Any) -> str:
        boosting = BoostingClassifier(random_state=0).fit(X, y)
        found = [model.predict_proba(X_new) for model in (net, boosting)]
        losses = [log_loss(y_new, p) for p in (*found, np.mean(found, axis=0))]
        return "log loss {:.4f}, boosting {:.4f}, their mean {:.4f}".format(*losses)

    few = {"n_models": 2, "max_iter": 3} if SMALL else {}
    net = TabularNetClassifier(random_state=0, device="cpu", **few)
    return Limit(f"TabularNet, {n:,} × 20", lambda: net.fit(X, y), 60.0, quality)


def in_context() -> Iterator[Limit]:
    """A pass of the in-context network: fit and prediction of 1,000 × 20, and one more row."""
    n = 100 if SMALL else 1_000
    X, y = rows(n, 20)
    X_new, y_new = rows(n, 20, seed=1)
    model = InContextClassifier(n_members=1, random_state=0, n_jobs=-1)
    model.fit(X[:40], y[:40]).predict(X_new[:1])  # compiles

    def quality(p: np.ndarray) -> str:
        boosting = BoostingClassifier(random_state=0).fit(X, y).predict_proba(X_new)
        losses = [log_loss(y_new[: len(each)], each) for each in (p, boosting[: len(p)])]
        return "log loss {:.4f}, boosting {:.4f}".format(*losses)

    yield Limit(f"in context, {n:,} + {n:,} × 20", lambda: model.fit(X, y).predict_proba(X_new), 3.0, quality)
    yield Limit("in context, one more row", lambda: model.predict_proba(X_new[:1]), 0.05, lambda p: f"{p[0, 1]:.3f}")


# -- the loop ------------------------------------------------------------------------------------------


def _network(device: str, hidden: tuple[int, ...]) -> Any:
    torch = load_torch()
    torch.manual_seed(0)
    layers: list[Any] = []
    widths = [28, *hidden]
    for before, after in pairwise(widths):
        layers += [torch.nn.Linear(before, after), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers, torch.nn.Linear(widths[-1], 1)).to(device)


def _on_device(device: str, n: int) -> tuple[Any, Any]:
    torch = load_torch()
    X, y = rows(n, 28)
    return torch.from_numpy(X).to(device), torch.from_numpy(y.astype(np.float32)).to(device)


def _ours(device: str, X: Any, y: Any, batch: int, hidden: tuple[int, ...]) -> float:
    """Two epochs of our loop, after which the loss has been read."""
    torch = load_torch()
    module, n = _network(device, hidden), len(X)
    loss_of = torch.nn.functional.binary_cross_entropy_with_logits
    settings = TrainingSettings(optimiser="adamw", batch_size=batch, max_epochs=2)
    history = train(module, lambda at: loss_of(module(X[at])[:, 0], y[at]), n, settings)
    return float(history.loss[-1])


def _by_hand(device: str, X: Any, y: Any, batch: int, hidden: tuple[int, ...]) -> float:
    """The same, as one writes it: the loss is read once per epoch."""
    torch = load_torch()
    module, n = _network(device, hidden), len(X)
    loss_of = torch.nn.functional.binary_cross_entropy_with_logits
    optimiser = torch.optim.AdamW(module.parameters(), lr=1e-3, fused=True)
    short = device == "cuda" and torch.cuda.is_bf16_supported()
    for _ in range(2):
        module.train()
        order = torch.randperm(n, device=device)
        total = torch.zeros((), device=device)
        for first in range(0, n, batch):
            at = order[first : first + batch]
            optimiser.zero_grad(set_to_none=True)
            with torch.autocast(device, dtype=torch.bfloat16, enabled=short):
                loss = loss_of(module(X[at])[:, 0], y[at])
            loss.backward()
            optimiser.step()
            total += loss.detach() * len(at)
        mean = float(total) / n
    return mean


def loop_by_hand(device: str, n: int, batch: int, hidden: tuple[int, ...]) -> Contest:
    """Our loop and one by hand: the same network, optimiser and batches."""
    X, y = _on_device(device, n)
    return Contest(
        f"training loop on {device}, {n:,} × 28, {' × '.join(map(str, hidden))}, batches of {batch:,}",
        lambda: _ours(device, X, y, batch, hidden),
        "a loop by hand",
        lambda: _by_hand(device, X, y, batch, hidden),
        1 / 1.1,
        lambda a, b: f"loss {a:.4f} and {b:.4f}",
        rounds=_ROUNDS,
    )


def matrix_products(device: str, n: int, batch: int, hidden: tuple[int, ...]) -> Contest:
    """Our loop and the matrix products in it: three for each layer, but two for the first."""
    torch = load_torch()
    X, y = _on_device(device, n)
    short = torch.cuda.is_bf16_supported()
    widths = [28, *hidden, 1]
    sizes = list(pairwise(widths))
    draw = lambda *shape: torch.randn(*shape, device=device, dtype=torch.bfloat16 if short else torch.float32)  # noqa: E731
    layers = [(draw(batch, a), draw(a, b), draw(batch, b)) for a, b in sizes]

    def products() -> float:
        for _ in range(2 * -(-n // batch)):
            for place, (inputs, weights, gradients) in enumerate(layers):
                inputs @ weights
                inputs.T @ gradients
                if place:
                    gradients @ weights.T
        torch.cuda.synchronize()
        return 0.0

    return Contest(
        f"training loop on {device}, {n:,} × 28, {' × '.join(map(str, hidden))}, batches of {batch:,}",
        lambda: _ours(device, X, y, batch, hidden),
        "its matrix products",
        products,
        1 / 1.2,
        lambda a, b: f"loss {a:.4f}",
        rounds=_ROUNDS,
    )


if __name__ == "__main__":
    from benchmarks.__main__ import main

    main(["networks"])
