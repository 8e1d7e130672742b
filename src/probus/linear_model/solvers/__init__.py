"""Solvers as objects: each minimises a mean loss plus a penalty, and says which penalties it takes.

``smooth_solvers`` are Newton's method and L-BFGS (``newton``), ``coordinates`` is coordinate descent, and
``proximal_gradient`` takes anything. ``choice`` picks one. ``BySize`` and ``ToDualityGap`` are those of scikit-learn's
models, whose tolerances are other ones.

Coordinate descent of squared errors has a ``working_set`` of columns, for one penalty or a path of them, whose problem
(``working_columns``) is solved by ``coordinate_descent`` and the equations of the support, from products
(``support_equations``) or sparse columns; ``few_columns`` has a path of its own. Other losses
have Newton steps with absolute values, ``proximal_newton``. ``block_descent`` is for several targets.

Without such a penalty, ``least_squares`` solves from products of columns or by a factorisation.
Robust regressions are ``concomitant`` (Huber) and a ``pinball_programme`` (quantiles); ``subset_search`` finds subsets.
"""

from probus.linear_model.solvers._choice import chosen_solver
from probus.linear_model.solvers._coordinates import CoordinateDescent, ToDualityGap
from probus.linear_model.solvers._proximal_gradient import ProximalGradient
from probus.linear_model.solvers._smooth_solvers import LBFGS, BySize, Newton
from probus.linear_model.solvers._solver import Solver, gradient_scale, largest_violation

__all__ = ["LBFGS", "BySize", "CoordinateDescent", "Newton", "ProximalGradient", "Solver", "ToDualityGap",
           "chosen_solver", "gradient_scale", "largest_violation"]  # fmt: skip
