"""Dense networks in PyTorch: for a GPU, normalisation, and further optimisers."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from probus.callbacks import Callback
from probus.neural_network._base import load_weights
from probus.neural_network._mlp_rows import TrainingRows
from probus.neural_network._settings import TrainingSettings
from probus.neural_network._torch import device_named, load_torch, seeded
from probus.neural_network._training import Training

torch: Any = load_torch("a perceptron with normalisation, a GPU, or an optimiser of PyTorch")
nn: Any = torch.nn
functional = nn.functional
Module: Any = nn.Module


class _Step(Module):
    """A step with the slope of the line between −1 and 1 (Bengio et al. 2013)."""

    def __init__(self, low: float):
        super().__init__()
        self.low = low

    def forward(self, z: Any) -> Any:
        line = z.clamp(-1.0, 1.0)
        step = torch.where(z > 0, 1.0, self.low).to(z.dtype)
        return line + (step - line).detach()


_MODULES: dict[str, Any] = {
    "identity": nn.Identity,
    "step": lambda: _Step(0.0),
    "sign": lambda: _Step(-1.0),
    "sigmoid": nn.Sigmoid,
    "logistic": nn.Sigmoid,
    "tanh": nn.Tanh,
    "relu": nn.ReLU,
    "leaky_relu": nn.LeakyReLU,
    "elu": nn.ELU,
    "selu": nn.SELU,
    "softplus": nn.Softplus,
    "softsign": nn.Softsign,
    "silu": nn.SiLU,
    "swish": nn.SiLU,
    "gelu": nn.GELU,
    "mish": nn.Mish,
}


def activation_module(name: str) -> Any:
    """The activation function of that name, a layer of PyTorch."""
    return _MODULES[name]()


class _Dense(Module):
    """The layers of a perceptron; returns the weighted sums of its output."""

    def __init__(self, widths: list[int], activation: str, normalisation: str | None, dropout: float):
        super().__init__()
        norm = {"batch": nn.BatchNorm1d, "layer": nn.LayerNorm, None: lambda width: nn.Identity()}[normalisation]
        self.linear = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        self.norm = nn.ModuleList(norm(width) for width in widths[1:-1])
        self.activation, self.dropout = activation_module(activation), nn.Dropout(dropout)

    def forward(self, X: Any) -> Any:
        for linear, norm in zip(self.linear, self.norm, strict=False):
            X = self.dropout(self.activation(norm(linear(X))))
        return self.linear[-1](X)


def fitted_module(
    model: Any,
    rows: TrainingRows,
    settings: TrainingSettings,
    data: str,
    memory: dict[str, np.ndarray] | None,
    callbacks: Iterable[Callback] = (),
) -> tuple[Training, dict[str, np.ndarray]]:
    """Train the network of a perceptron from its present weights, and store what came out.

    ``memory`` is what an earlier training has left for the next steps, as is returned behind the training.
    """
    device = device_named(model.device)
    widths = [len(model.coefs_[0]), *map(len, model.intercepts_)]
    with seeded(settings.seed, device):
        module = _Dense(widths, model.activation, model.normalisation, float(model.dropout)).to(device)
        load_weights(module, _state_of(model))
        X, y = _tensor(rows.X, device), _tensor(rows.y, device)
        weight = None if rows.weight is None else _tensor(rows.weight, device)

        def batch_loss(at: Any) -> Any:
            each = _losses(module(X[at]).float(), y[at], model.out_activation_)
            own = None if weight is None else weight[at]
            total = len(at) if own is None else own.sum()
            penalty = 0.5 * model.alpha * sum((layer.weight**2).sum() for layer in module.linear)
            return ((each if own is None else each * own).sum() + penalty) / total

        score = None
        if rows.held is not None:
            held, X_held = rows.held, _tensor(rows.held.X, device)

            def score() -> float:
                outputs = _outputs(module(X_held).float(), model.out_activation_).cpu().numpy()
                return model._score_of(outputs, held.y, held.weight)

        # alpha is in the loss already, and other decay is of the optimisers that have it
        training = Training(module, batch_loss, len(rows.y), settings, score, data)
        if memory is not None:
            training.remember(memory)
        model.history_ = training.fit(callbacks)
        left = training.memory()
    _store(model, module)
    return training, left


def _losses(z: Any, y: Any, output: str) -> Any:
    """The loss of each row, from the weighted sums of the output."""
    if output == "identity":
        return 0.5 * ((z - y) ** 2).sum(dim=1)
    if output == "exp":  # half the Poisson deviance
        return (torch.xlogy(y, y) - y * z - y + z.exp()).sum(dim=1)
    if output == "softmax":
        return -(y * functional.log_softmax(z, dim=1)).sum(dim=1)
    return functional.binary_cross_entropy_with_logits(z, y, reduction="none").sum(dim=1)


def _outputs(z: Any, output: str) -> Any:
    if output == "softmax":
        return z.softmax(dim=1)
    return {"identity": lambda: z, "exp": z.exp, "logistic": z.sigmoid}[output]()


def _tensor(values: Any, device: Any) -> Any:
    dense = values.toarray() if hasattr(values, "toarray") else values
    return torch.from_numpy(np.ascontiguousarray(dense, dtype=np.float32)).to(device)


# -- weights -------------------------------------------------------------------------------------------

_NORM = ("weight", "bias", "running_mean", "running_var")


def _state_of(model: Any) -> dict[str, np.ndarray]:
    """The weights of a perceptron by their names in the module."""
    state: dict[str, Any] = {}
    for layer, (weights, bias) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
        state |= {f"linear.{layer}.weight": weights.T, f"linear.{layer}.bias": bias}
    for layer, norm in enumerate(model.norms_):
        state |= {f"norm.{layer}.{name}": row for name, row in zip(_NORM, norm, strict=False)}
        if len(norm) == 4:
            state[f"norm.{layer}.num_batches_tracked"] = np.array(0)
    return {name: np.array(each, order="C") for name, each in state.items()}


def _store(model: Any, module: Any) -> None:
    state = {name: tensor.detach().cpu().numpy() for name, tensor in module.state_dict().items()}
    dtype = model.coefs_[0].dtype
    layers = range(len(model.coefs_))
    model.coefs_ = [state[f"linear.{layer}.weight"].T.astype(dtype, order="C") for layer in layers]
    model.intercepts_ = [state[f"linear.{layer}.bias"].astype(dtype) for layer in layers]
    model.norms_ = [
        np.array([state[f"norm.{layer}.{name}"] for name in _NORM[: len(norm)]], dtype=dtype)
        for layer, norm in enumerate(model.norms_)
    ]
