"""Parameters that several linear models declare."""

from __future__ import annotations

from probus.allowed_values import CallableValue, InstanceOf, NoneAllowed
from probus.parameters import COPY_X, N_JOBS, VERBOSE, parameter

ALPHA = parameter(
    "The weight of the penalty: larger values shrink the coefficients more, and 0 is no penalty.",
    default=1.0,
    at_least=0,
)
L1_RATIO = parameter(
    "The share of the absolute values in the penalty: 1 is the lasso, 0 is ridge.", default=0.5, at_least=0, at_most=1
)
POSITIVE = parameter("Whether coefficients are kept from being negative.", default=False)
SCORING = parameter(
    "The measure that chooses, by its name or as a function; larger values are better.",
    default=None,
    of=[InstanceOf(str), CallableValue(), NoneAllowed()],
)
INTERCEPT_SCALING = parameter(
    "The constant column whose weight is the intercept where that is penalised; the larger, the less it is shrunk.",
    default=1.0,
    above=0,
)
X_IS_KEPT = COPY_X.but(doc="Without effect, as X is never overwritten.")
SILENT = VERBOSE.but(doc="Without effect, as the fit prints nothing.")
THREADS_FOLLOW = N_JOBS.but(doc="Without effect, as the number of threads follows the size of the data.")
FOLDS_IN_PARALLEL = N_JOBS.but(doc="How many folds are fitted at a time, on threads; -1 is one for each processor.")
