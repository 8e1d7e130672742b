"""What takes the place of which name in scikit-learn's modules, and what is left alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from inspect import isclass
from types import ModuleType
from typing import Any

from probus.base import Model

SHARED = (
    "base", "calibration", "cluster", "compose", "decomposition", "discriminant_analysis", "dummy", "ensemble",
    "feature_selection", "gaussian_process", "impute", "inspection", "kernel_ridge", "linear_model", "manifold",
    "metrics", "metrics.cluster", "metrics.pairwise", "mixture", "model_selection", "multiclass", "naive_bayes",
    "neighbors", "neural_network", "pipeline", "preprocessing", "semi_supervised", "svm", "tree",
)  # fmt: skip

_FUNCTIONS = {"export_text", "plot_tree"}  # they show our trees, which scikit-learn's cannot
_LEFT_ALONE = {
    "ClassicalMDS": "the positions are the same",
    "LeavePOut": "the splits are the same",
    "dbscan": "the labels are the same",
    "mutual_info_classif": "the values are the same",
    "mutual_info_regression": "the values are the same",
    "learning_curve": "the scores are the same",
    "MDS": "its start is another",
    "pairwise_distances": "the distances are the same",
    "partial_dependence": "the averages are the same",
    "silhouette_samples": "the scores are the same",
    "silhouette_score": "the scores are the same",
    "validation_curve": "the scores are the same",
}


def public_names(module: ModuleType) -> list[str]:
    """The names that a module lists as public, or else those it defines."""
    defined = [name for name, thing in vars(module).items() if getattr(thing, "__module__", None) == module.__name__]
    return sorted(set(getattr(module, "__all__", [name for name in defined if not name.startswith("_")])))


def shared_names() -> list[tuple[str, str]]:
    """The public names of scikit-learn's modules of which we have one of the same name."""
    modules = [import_module(f"sklearn.{name}") for name in SHARED]
    return [(module.__name__, name) for module in modules for name in public_names(module)]


@cache
def replacements() -> dict[tuple[str, str], Any]:
    """What takes the place of each name of a scikit-learn module: ours of the same name.

    >>> replacements()["sklearn.tree", "DecisionTreeClassifier"]
    <class 'probus.tree...DecisionTreeClassifier'>
    """
    ours = {
        (module, name): vars(import_module(module.replace("sklearn", "probus"))).get(name)
        for module, name in shared_names()
    }
    return {
        place: thing
        for place, thing in ours.items()
        if place[1] in _FUNCTIONS or (isclass(thing) and issubclass(thing, Model))
    }


def rows() -> Iterator[tuple[str, str, str]]:
    """Each name with what replaces it, and where nothing does, the reason.

    Estimators of the modules that we share are listed one by one, other modules as a whole.
    """
    from sklearn.utils import all_estimators

    known = replacements()
    theirs = {(cls.__module__.partition("._")[0], name) for name, cls in all_estimators()}
    ours_too = {(module, name) for module, name in shared_names() if name in _LEFT_ALONE}
    for module, name in sorted(theirs | ours_too | set(known)):
        if (module, name) in known:
            yield f"{module}.{name}", f"probus{module.removeprefix('sklearn')}.{name}", ""
        elif (module, name) in ours_too:
            yield f"{module}.{name}", "left alone", _LEFT_ALONE[name]
        elif module.removeprefix("sklearn.") in SHARED:
            yield f"{module}.{name}", "left alone", "Probus borrows it from scikit-learn"
    for module in sorted({module for module, _ in theirs if module.removeprefix("sklearn.") not in SHARED}):
        yield f"{module}.*", "left alone", "Probus has no such module"
