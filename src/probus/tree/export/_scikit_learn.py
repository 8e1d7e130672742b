"""Trees of scikit-learn are shown by scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from probus.sklearn_seam import original

Show = TypeVar("Show", bound=Callable[..., Any])


def or_scikit_learn(show: Show) -> Show:
    """Let a function that shows our trees leave scikit-learn's trees to scikit-learn's function of the same name."""

    @wraps(show)
    def either(decision_tree: Any, **options: Any) -> Any:
        from sklearn.tree import BaseDecisionTree

        if BaseDecisionTree in type(decision_tree).__mro__:  # isinstance holds for our trees too
            return original("sklearn.tree", show.__name__)(decision_tree, **options)
        return show(decision_tree, **options)

    return either  # type: ignore[return-value]
