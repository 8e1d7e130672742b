"""The solver for a loss and a penalty."""

from __future__ import annotations

from probus.errors import DataError
from probus.linear_model.penalties import Concave, Penalty, Separable
from probus.linear_model.solvers._coordinates import CoordinateDescent
from probus.linear_model.solvers._proximal_gradient import ProximalGradient
from probus.linear_model.solvers._smooth_solvers import LBFGS, Newton
from probus.linear_model.solvers._solver import Solver
from probus.losses import Loss

SOLVERS = (Newton, LBFGS, CoordinateDescent, ProximalGradient)
_LARGEST_SYSTEM = 1000  # variables for Newton's method


def chosen_solver(given: Solver | None, loss: Loss, penalty: Penalty, n_variables: int) -> Solver:
    """The given solver, if it minimises the sum; where None is given, the fastest that does.

    Parameters
    ----------
    given : A solver, or None.
    loss : the loss.
    penalty : the penalty.
    n_variables : the number of coefficients.

    Returns
    -------
    The solver.
    """
    if given is None and loss.differentiable:
        if penalty.smooth:
            return Newton() if n_variables <= _LARGEST_SYSTEM else LBFGS()
        return CoordinateDescent() if isinstance(penalty, (Separable, Concave)) else ProximalGradient()
    if given is not None and given.takes(loss, penalty):
        return given
    if not loss.differentiable:
        raise DataError(
            f"the gradient of the loss {loss.name!r} has jumps.",
            "a loss whose gradient has none",
            "Use QuantileRegressor or LeastAbsoluteDeviations, or the loss Huber(delta=...).",
        )
    able = [solver.__name__ for solver in SOLVERS if solver().takes(loss, penalty)]
    raise DataError(
        f"{type(given).__name__} does not minimise the loss {loss.name!r} with {penalty!r}.",
        f"{type(given).__name__} needs {given.needs if given else ''}",
        f"Use {' or '.join(able)}, or solver=None, which chooses.",
    )
