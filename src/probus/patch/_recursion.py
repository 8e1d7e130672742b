"""Models of ours in scikit-learn's ``partial_dependence(method="recursion")``, which tests for its own classes."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from probus.sklearn_seam import PARTIAL_DEPENDENCE


def type_checks() -> dict[tuple[str, str], type]:
    """What takes the place of the classes that the module tests for: theirs, and ours of numeric columns."""
    from probus.ensemble import (
        GradientBoostingClassifier,
        GradientBoostingRegressor,
        HistGradientBoostingClassifier,
        HistGradientBoostingRegressor,
        RandomForestRegressor,
    )

    theirs = import_module(PARTIAL_DEPENDENCE)
    hist = HistGradientBoostingClassifier, HistGradientBoostingRegressor, RandomForestRegressor
    return {
        (PARTIAL_DEPENDENCE, "BaseGradientBoosting"): _either(
            theirs.BaseGradientBoosting, (GradientBoostingClassifier, GradientBoostingRegressor)
        ),
        (PARTIAL_DEPENDENCE, "BaseHistGradientBoosting"): _either(theirs.BaseHistGradientBoosting, hist),
    }


def _either(theirs: type, ours: tuple[type, ...]) -> type:
    """A class whose instances are those of theirs, and those of ours that were fitted on numbers."""

    class Either(type):
        def __instancecheck__(cls, model: Any) -> bool:
            own = isinstance(model, ours)
            return not model.trees_.n_levels.any() if own else isinstance(model, theirs)

    return Either(theirs.__name__, (), {})
