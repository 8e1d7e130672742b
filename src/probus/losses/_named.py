"""Losses by scikit-learn's names."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from probus.errors import DataError
from probus.losses._class_losses import Exponential, LogLoss
from probus.losses._location import AbsoluteError, Huber, Quantile, SquaredError
from probus.losses._loss import Loss
from probus.losses._positive import Gamma, Poisson
from probus.losses._tweedie import Tweedie

LOSSES: tuple[Any, ...] = (
    SquaredError,
    AbsoluteError,
    Huber,
    Quantile,
    Poisson,
    Gamma,
    Tweedie,
    LogLoss,
    Exponential,
)


def loss_names(*, for_classes: bool) -> tuple[str, ...]:
    """The names of the losses for classification, or for regression.

    Parameters
    ----------
    for_classes : whether the names are those of losses for classification.

    Returns
    -------
    The names.

    >>> loss_names(for_classes=True)
    ('log_loss', 'exponential')
    """
    return tuple(loss.name for loss in LOSSES if loss.for_classes == for_classes)


def loss_named(given: Any, n_classes: int | None = None, **parameters: Any) -> Loss:
    """The loss of a name, with those of the parameters that it has, or of a loss object of scikit-learn.

    A Loss is returned unchanged.

    Parameters
    ----------
    given : the name of a loss, a Loss, or a loss object of scikit-learn.
    n_classes : the number of classes; 0 for numbers.
    parameters : values of parameters that losses may have.

    Returns
    -------
    The loss.

    >>> loss_named("quantile", alpha=0.9)
    Quantile(alpha=0.9)
    >>> loss_named("log_loss", n_classes=3)
    Softmax(n_classes=3)
    >>> from sklearn._loss.loss import PinballLoss
    >>> loss_named(PinballLoss(quantile=0.9))
    Quantile(alpha=0.9)
    """
    if isinstance(given, Loss):
        return given
    if isinstance(given, str):
        found = [loss for loss in LOSSES if loss.name == given]
    else:
        found = [loss for loss in LOSSES if type(given).__name__ in loss.sklearn_names]
    if not found:
        theirs = ", ".join(name for loss in LOSSES for name in loss.sklearn_names)
        raise DataError(
            f"loss={given!r} is unknown.",
            f"{', '.join(loss.name for loss in LOSSES)}, or a Loss, or of scikit-learn {theirs}",
            "See probus.losses.custom.",
        )
    loss = found[0]
    if n_classes is not None:
        return loss.of_classes(n_classes)
    if not isinstance(given, str):
        return loss.from_sklearn(given)
    own = {field.name for field in fields(loss)}
    return loss(**{name: value for name, value in parameters.items() if name in own})
