"""Each loss once: its value, gradient, hessian and link; boosted, linear and gradient-descent learners share it.

A loss is a small frozen object, its parameters its fields: ``Quantile(0.9)``. ``loss_named`` finds one by
scikit-learn's name; ``custom`` makes one of plain NumPy functions; any subclass of ``Loss`` is as good as ours.
"""

from probus.losses.classes import Exponential, LogLoss, Softmax
from probus.losses.custom import Custom, custom
from probus.losses.location import AbsoluteError, Huber, Quantile, SquaredError
from probus.losses.loss import Loss, check_derivatives
from probus.losses.named import loss_named
from probus.losses.positive import Gamma, Poisson

__all__ = [
    "AbsoluteError",
    "Custom",
    "Exponential",
    "Gamma",
    "Huber",
    "LogLoss",
    "Loss",
    "Poisson",
    "Quantile",
    "Softmax",
    "SquaredError",
    "check_derivatives",
    "custom",
    "loss_named",
]
