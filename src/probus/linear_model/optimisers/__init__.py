"""Gradient descent: an objective, an optimiser that walks down it, and a trace of the way.

``objective`` has the protocol, functions of the user and linear models; ``linear_rows`` is the
kernel of the latter. ``update_rules`` turns gradients into steps, ``optimiser`` has the loop over epochs and batches
and the classes, ``trace`` what was recorded, ``descent_plot`` its picture.
"""

from probus.linear_model.optimisers._descent_plot import plot_descent
from probus.linear_model.optimisers._linear_objective import LinearObjective
from probus.linear_model.optimisers._objective import Function, Objective
from probus.linear_model.optimisers._optimiser import (
    SGD,
    Adam,
    GradientDescent,
    HeavyBall,
    MiniBatch,
    Nesterov,
    Optimiser,
    RMSprop,
)
from probus.linear_model.optimisers._trace import Trace

__all__ = [
    "SGD",
    "Adam",
    "Function",
    "GradientDescent",
    "HeavyBall",
    "LinearObjective",
    "MiniBatch",
    "Nesterov",
    "Objective",
    "Optimiser",
    "RMSprop",
    "Trace",
    "plot_descent",
]
