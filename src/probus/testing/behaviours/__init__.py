"""What Probus promises of every estimator, one function for each behaviour, by theme.

A behaviour is a function of a ``Specimen`` that raises an ``AssertionError`` where an estimator does not behave; its
name is what the report shows. ``when`` decides from the estimator's declaration whether it applies.
"""

from probus.testing.behaviours import (  # noqa: F401
    awkward,
    copies,
    determinism,
    files,
    input,
    missing,
    shapes,
    sparse_matrices,
    targets,
    weights,
)
from probus.testing.behaviours.behaviour import BEHAVIOURS, Behaviour, behaviour

__all__ = ["BEHAVIOURS", "Behaviour", "behaviour"]
