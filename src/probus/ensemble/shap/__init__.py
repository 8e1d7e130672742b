"""Shapley values of sums of trees: ``tree_shapley`` computes them, ``values`` holds the result, ``plot`` draws it.

There are three ways, all exact: ``shapley_kernel`` goes through the trees with each row; ``patterns`` and
``pattern_tables`` look up what few decisions together contribute, also against a background; ``wide_leaves`` compares
the rows of long paths with the background.

``shap_library`` gives models and values to the explainers and plots of the library shap.
"""

from probus.ensemble.shap._shapley_kernel import expected_value
from probus.ensemble.shap._tree_shapley import expected_against, interactions_of, shap_values_of
from probus.ensemble.shap._values import ShapValues, SumOfTrees, TreeExplained

__all__ = [
    "ShapValues", "SumOfTrees", "TreeExplained", "expected_against", "expected_value", "interactions_of",
    "shap_values_of",
]  # fmt: skip
