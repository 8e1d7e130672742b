"""The losses of a Network: value, derivative by the output, and the error of the output units."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.display import counted
from probus.errors import DataError
from probus.neural_network._activations import Activation

LOSSES = ("squared", "absolute", "cross_entropy", "hinge")
_FORMULAS = {"squared": "½ Σ (y − f)²", "absolute": "Σ |y − f|", "hinge": "Σ max(0, 1 − y f)"}


def loss_formula(loss: str, activation: Activation) -> str:
    """The loss of a row as text."""
    if loss == "cross_entropy":
        return "−Σ y log f" if activation.name == "softmax" else "−Σ (y log f + (1 − y) log(1 − f))"
    return _FORMULAS[loss]


def targets_for(loss: str, activation: Activation, y: Any, shape: tuple[int, int]) -> np.ndarray:
    """Targets as rows × outputs; whole numbers are classes where the output is softmax."""
    n, k = shape
    targets = _numbers(y)
    if activation.name == "softmax" and k > 1 and targets.size == n and (n, k) != targets.shape:
        codes = targets.ravel()
        if not np.isin(codes, np.arange(k)).all():
            raise DataError(f"y with {codes.max():g}.", f"classes 0 to {k - 1}, or rows of {k} probabilities")
        return np.eye(k)[codes.astype(np.intp)]
    if targets.size != n * k:
        raise DataError(f"y of shape {targets.shape}.", f"{counted(n, 'row')} of {counted(k, 'target')}")
    targets = targets.reshape(n, k)
    _check_range(loss, activation, targets)
    return targets


def _numbers(y: Any) -> np.ndarray:
    try:
        targets = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"y is {str(y)[:60]!r}.", "numbers", "Pass classes as 0, 1, 2, …") from None
    if not np.isfinite(targets).all():
        raise DataError("y has missing or infinite values.", "finite numbers")
    return targets


def _check_range(loss: str, activation: Activation, targets: np.ndarray) -> None:
    if loss == "hinge" and not (np.abs(targets) == 1).all():
        raise DataError("the hinge loss with a target other than −1 and 1.", "−1 or 1", "Pass 2 * y − 1 for 0 and 1.")
    if loss == "cross_entropy":
        if ((targets < 0) | (targets > 1)).any():
            raise DataError("cross-entropy with a target outside 0 to 1.", "probabilities: 0 or 1 for known classes")
        if activation.name == "softmax" and not np.allclose(targets.sum(axis=1), 1):
            raise DataError("rows of y that do not add up to 1.", "probabilities of all classes")


def losses_of_rows(loss: str, activation: Activation, y: np.ndarray, z: np.ndarray, f: np.ndarray) -> np.ndarray:
    """The loss of each row; cross-entropy by the sums z, so that it is finite where a probability is rounded to 0."""
    if loss == "squared":
        return 0.5 * np.square(y - f).sum(axis=1)
    if loss == "absolute":
        return np.abs(y - f).sum(axis=1)
    if loss == "hinge":
        return np.maximum(1 - y * f, 0).sum(axis=1)
    if activation.name == "softmax":
        highest = z.max(axis=1)
        return highest + np.log(np.exp(z - highest[:, None]).sum(axis=1)) - (y * z).sum(axis=1)
    return (np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) - y * z).sum(axis=1)


def loss_slope(loss: str, activation: Activation, y: np.ndarray, f: np.ndarray) -> np.ndarray:
    """∂L/∂f; where there is a corner, 0 or the slope on the right."""
    if loss == "squared":
        return f - y
    if loss == "absolute":
        return np.sign(f - y)
    if loss == "hinge":
        return np.where(y * f < 1, -y, 0.0)
    below = f if activation.name == "softmax" else f * (1 - f)
    over = -y if activation.name == "softmax" else f - y
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(over == 0, 0.0, over / below)


def output_error(loss: str, activation: Activation, y: np.ndarray, z: np.ndarray, f: np.ndarray) -> np.ndarray:
    """δ of the output units, ∂L/∂z; f − y of cross-entropy, where the product may be 0 · ∞."""
    if loss == "cross_entropy":
        return f - y
    return activation.back(z, f, loss_slope(loss, activation, y, f))
