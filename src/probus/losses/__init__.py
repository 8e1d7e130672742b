"""Loss functions: value, gradient, hessian and link, shared by boosting, linear models and gradient descent.

A loss is a frozen dataclass whose fields are its parameters: ``Quantile(0.9)``. ``loss_named`` returns a loss by
scikit-learn's name; ``custom`` makes one from NumPy functions; any subclass of ``Loss`` can be used.
``plot_losses`` draws them.
"""

from probus.borrowing import listing
from probus.losses._class_losses import Exponential, LogLoss, Softmax
from probus.losses._custom import Custom, custom
from probus.losses._location import AbsoluteError, Huber, Quantile, SquaredError
from probus.losses._loss import Loss, check_derivatives
from probus.losses._loss_plot import plot_losses
from probus.losses._named import LOSSES, loss_named, loss_names
from probus.losses._order import weighted_quantile
from probus.losses._positive import Gamma, Poisson
from probus.losses._squared_hinge import SquaredHinge
from probus.losses._tweedie import Tweedie

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
