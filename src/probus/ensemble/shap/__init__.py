"""Shapley values of sums of trees: ``shapley_kernel`` computes them, ``values`` holds the result, ``plot`` draws it.

``shap_library`` gives models and values to the explainers and plots of the library shap.
"""

from probus.ensemble.shap.shapley_kernel import expected_value
from probus.ensemble.shap.tree_shapley import expected_against, interactions_of, shap_values_of
from probus.ensemble.shap.values import ShapValues, SumOfTrees, TreeExplained

__all__ = ["ShapValues", "SumOfTrees", "TreeExplained", "expected_value", "shap_values_of"]
