"""Our trees and values in the explainers and plots of the library shap, which knows other libraries by their classes.

``teach`` is called when shap is imported. Its TreeExplainer then takes models of ours as the dict of trees that it
takes from anyone, and its plots take ``ShapValues`` as its own ``Explanation``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from probus.ensemble.shap._values import ShapValues, SumOfTrees, TreeExplained
from probus.errors import DataError
from probus.tree import TreeModel, Trees

_OF_ARRAYS = ("bar_plot", "dependence_plot", "decision_plot", "force_plot")  # older functions


def teach(shap: ModuleType) -> None:
    """Make shap's TreeExplainer and plots take models and values of ours."""
    ensemble = getattr(getattr(shap.explainers, "_tree", None), "TreeEnsemble", None)
    if ensemble is not None:
        start = ensemble.__init__

        @wraps(start)
        def taking_ours(self: Any, model: Any, *args: Any, **named: Any) -> None:
            ours = isinstance(model, (TreeExplained, TreeModel))
            start(self, trees_for_shap(model) if ours else model, *args, **named)

        ensemble.__init__ = taking_ours
    plots = getattr(shap, "plots", None)
    for module, names in ((plots, getattr(plots, "__all__", ())), (shap, dir(shap))):
        for name in names:
            plot = getattr(module, name, None)
            if (module is plots or name.endswith("_plot")) and callable(plot):
                setattr(module, name, _taking_values(plot, arrays=name in _OF_ARRAYS))


def _taking_values(plot: Callable[..., Any], *, arrays: bool) -> Callable[..., Any]:
    """The plot, which takes ``ShapValues`` too."""

    def theirs(given: Any) -> Any:
        if not isinstance(given, ShapValues):
            return given
        return np.asarray(given) if arrays else explanation_of(given)

    @wraps(plot)
    def drawn(*args: Any, **named: Any) -> Any:
        return plot(*map(theirs, args), **{name: theirs(each) for name, each in named.items()})

    return drawn


def explanation_of(values: ShapValues) -> Any:
    """The values as shap's ``Explanation``."""
    from shap import Explanation

    names = list(values.feature_names)
    outputs = {"output_names": [str(each) for each in values.outputs]} if values.outputs else {}
    return Explanation(
        np.array(values.values), values.base_values, np.array(values.data), feature_names=names, **outputs
    )


def trees_for_shap(model: Any) -> dict[str, Any]:
    """The trees of a model in the dict that shap takes; they sum to the prediction."""
    check_is_fitted(model)
    trees: Trees = model.trees_ if isinstance(model, TreeExplained) else model.tree_
    if isinstance(model, TreeExplained):
        sums = model._sum_of_trees()
    else:
        sums = SumOfTrees(1, 1.0, np.zeros(trees.n_values), tuple(getattr(model, "classes_", ())))
    _check_numeric(model, trees)
    width = sums.n_groups * trees.n_values
    value = sums.scale * trees.value.reshape(len(trees.value), -1)
    found = []
    for t, (first, last) in enumerate(zip(trees.start[:-1], trees.start[1:], strict=True)):
        nodes = slice(first, last)
        place = t % sums.n_groups * trees.n_values
        values = np.zeros((last - first, width))
        values[:, place : place + trees.n_values] = value[nodes]
        if t < sums.n_groups:  # the offset of a group is a part of its first tree
            values[:, place : place + trees.n_values] += sums.offset[place : place + trees.n_values]
        left, right = (_within(child[nodes], first) for child in (trees.children_left, trees.children_right))
        found.append(
            {
                "children_left": left,
                "children_right": right,
                "children_default": np.where(trees.missing_go_to_left[nodes] == 1, left, right),
                "features": np.where(left < 0, -2, trees.feature[nodes]),
                "thresholds": trees.threshold[nodes].astype(np.float64),
                "values": values,
                "node_sample_weight": trees.weighted_n_node_samples[nodes].astype(np.float64),
            }
        )
    probabilities = is_classifier(model) and bool(sums.outputs) and sums.n_groups == 1
    unit = "probability" if probabilities else "log_odds" if is_classifier(model) else "raw_value"
    return {"trees": found, "tree_output": unit}


def _within(children: np.ndarray, first: int) -> np.ndarray:
    """Children numbered within their tree, −1 where there is none."""
    return np.where(children < 0, -1, children - first).astype(np.int32)


def _check_numeric(model: Any, trees: Trees) -> None:
    """Refuse splits on levels and surrogates, which shap does not have."""
    split_on = np.unique(trees.feature[trees.children_left >= 0])
    nominal = [int(j) for j in split_on if trees.n_levels[j] > 0]
    if nominal or trees.surrogates is not None:
        names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(trees.n_features)])
        what = f"splits on the levels of {', '.join(repr(str(names[j])) for j in nominal[:5])}" * bool(nominal)
        raise DataError(
            f"{type(model).__name__} {what or 'has surrogate splits'}, which shap's TreeExplainer does not have.",
            "splits on numbers",
            "Use model.shap_values(X), whose values are exact too, and give them to shap's plots; or probus.explain.",
        )
