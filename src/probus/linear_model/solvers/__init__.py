"""Solvers as objects: each minimises a mean loss plus a penalty, and says which penalties it takes.

``smooth_solvers`` are Newton's method and L-BFGS, ``coordinates`` is coordinate descent on working sets, and
``proximal_gradient`` takes anything. ``choice`` picks one. The algorithms are in the modules of the package above.
"""

from probus.linear_model.solvers.choice import chosen_solver
from probus.linear_model.solvers.coordinates import CoordinateDescent
from probus.linear_model.solvers.proximal_gradient import ProximalGradient
from probus.linear_model.solvers.smooth_solvers import LBFGS, Newton
from probus.linear_model.solvers.solver import Solver, gradient_scale, largest_violation

__all__ = ["LBFGS", "CoordinateDescent", "Newton", "ProximalGradient", "Solver", "chosen_solver", "gradient_scale",
           "largest_violation"]  # fmt: skip
