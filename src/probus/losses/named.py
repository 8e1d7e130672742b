"""Losses by scikit-learn's names."""

from __future__ import annotations

from typing import Any

from probus.errors import DataError
from probus.losses.class_losses import Exponential, LogLoss, Softmax
from probus.losses.location import AbsoluteError, Huber, Quantile, SquaredError
from probus.losses.loss import Loss
from probus.losses.positive import Gamma, Poisson

__all__ = ["loss_named"]

_LOSSES: dict[str, type[Loss]] = {
    "squared_error": SquaredError,
    "absolute_error": AbsoluteError,
    "huber": Huber,
    "quantile": Quantile,
    "poisson": Poisson,
    "gamma": Gamma,
    "log_loss": LogLoss,
    "exponential": Exponential,
}


def loss_named(name: str | Loss, n_classes: int | None = None, **parameters: Any) -> Loss:
    """The loss of that name, with its parameters; a Loss is returned unchanged.

    >>> loss_named("quantile", alpha=0.9)
    Quantile(alpha=0.9)
    >>> loss_named("log_loss", n_classes=3)
    Softmax(n_classes=3)
    """
    if isinstance(name, Loss):
        return name
    if name not in _LOSSES:
        raise DataError(f"loss={name!r} is unknown.", f"{', '.join(_LOSSES)}, or a Loss", "See probus.losses.custom.")
    if name == "log_loss" and n_classes is not None and n_classes > 2:
        return Softmax(n_classes)
    if name == "exponential" and n_classes is not None and n_classes > 2:
        raise DataError(
            f"loss='exponential' is only suitable for a binary classification problem, you have n_classes={n_classes}.",
            "two classes",
            "Use loss='log_loss'.",
        )
    return _LOSSES[name](**parameters)
