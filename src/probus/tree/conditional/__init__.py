"""Conditional inference trees: a column is selected by a test of independence, then split where the sides differ most.

Exhaustive search prefers columns with many values, because they offer more splits; a test does not (Hothorn, Hornik and
Zeileis 2006, Journal of Computational and Graphical Statistics 15, 651-674). In the order of the steps: ``statistic``
(association of the response with each column), ``pvalue`` and ``resample`` (p-values), ``independence`` (the tests of
all columns), ``cut`` (the split of the selected column), ``surrogate_cuts`` (surrogate splits),
``recursive_partitioning``, ``tree_of_nodes``, ``pvalue_text``; the estimators are in ``conditional_tree``.
"""

from probus.tree.conditional._conditional_tree import ConditionalTreeClassifier, ConditionalTreeRegressor

__all__ = ["ConditionalTreeClassifier", "ConditionalTreeRegressor"]
