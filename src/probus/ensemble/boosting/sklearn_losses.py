"""Loss objects of scikit-learn, which its histogram boosting takes as well as names: ours of the same kind."""

from __future__ import annotations

from typing import Any

from probus.errors import DataError
from probus.losses import Loss, loss_named

__all__ = ["loss_of"]

_NAMES = {
    "HalfSquaredError": "squared_error",
    "AbsoluteError": "absolute_error",
    "PinballLoss": "quantile",
    "HuberLoss": "huber",
    "HalfPoissonLoss": "poisson",
    "HalfGammaLoss": "gamma",
    "HalfBinomialLoss": "log_loss",
    "HalfMultinomialLoss": "log_loss",
    "ExponentialLoss": "exponential",
}


def loss_of(given: Any, n_classes: int | None = None) -> Loss:
    """The loss that a name, a loss of ours or one of scikit-learn's stands for.

    >>> from sklearn._loss.loss import PinballLoss
    >>> loss_of(PinballLoss(quantile=0.9))
    Quantile(alpha=0.9)
    """
    if isinstance(given, (str, Loss)):
        return loss_named(given, n_classes)
    kind = type(given).__name__
    if kind not in _NAMES:
        raise DataError(
            f"loss={given!r} is none that is known here.",
            f"a name, a loss of probus.losses, or of scikit-learn {', '.join(_NAMES)}",
            "Make it with probus.losses.custom.",
        )
    if kind == "PinballLoss":
        return loss_named("quantile", alpha=given.closs.quantile)
    return loss_named("huber", alpha=given.quantile) if kind == "HuberLoss" else loss_named(_NAMES[kind], n_classes)
