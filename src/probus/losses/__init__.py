"""Loss functions: value, gradient, hessian and link, shared by boosting, linear models and gradient descent.

A loss is a frozen dataclass whose fields are its parameters: ``Quantile(0.9)``. ``loss_named`` returns a loss by
scikit-learn's name; ``custom`` makes one from NumPy functions; any subclass of ``Loss`` can be used.
``plot_losses`` draws them.
"""

from probus.borrowing import listing
from probus.losses.class_losses import Exponential, LogLoss, Softmax
from probus.losses.custom import Custom, custom
from probus.losses.location import AbsoluteError, Huber, Quantile, SquaredError
from probus.losses.loss import Loss, check_derivatives
from probus.losses.loss_plot import plot_losses
from probus.losses.named import LOSSES, loss_named, loss_names
from probus.losses.positive import Gamma, Poisson
from probus.losses.squared_hinge import SquaredHinge
from probus.losses.tweedie import Tweedie

__all__ = [
    "LOSSES",
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
    "SquaredHinge",
    "Tweedie",
    "check_derivatives",
    "custom",
    "loss_named",
    "loss_names",
    "plot_losses",
]

__dir__ = listing(globals())
