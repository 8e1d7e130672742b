"""Decision trees on columns of any kind, with or without missing values: fitting, pruning, prediction and export.

The modules in the order of the data: ``design`` (the input as a matrix), ``codes`` (values become ranks), ``outputs``
and ``row_target`` (targets), ``tree_settings`` (parameters), ``criteria``; ``scan``, ``histogram``, ``nominal``,
``random_split``, ``absolute_error`` and ``feature_search`` (the best split on a feature), ``node_search`` (the best
split of a node), ``surrogate_search``, ``partition`` (its rows are divided), ``grow`` (all nodes), ``subtrees``,
``assembly`` and ``build`` (the whole tree), ``trees`` (fitted trees), ``prediction``, ``prune``, ``importance``,
``export``. The estimators are in ``cart``, ``stump`` and ``cost_complexity_cv``, their parents in ``tree_model``.
``conditional`` and ``multiway`` contain other families of trees.
"""

from probus.borrowing import borrow
from probus.tree.cart import DecisionTreeClassifier, DecisionTreeRegressor
from probus.tree.conditional import ConditionalTreeClassifier, ConditionalTreeRegressor
from probus.tree.cost_complexity_cv import CostComplexityCV
from probus.tree.export import export_rules, export_text, plot_tree, regions, trace
from probus.tree.importance import surrogate_importances
from probus.tree.instability import instability
from probus.tree.multiway import C45Classifier, CHAIDClassifier, ColumnCoding, ID3Classifier, MultiwayTree
from probus.tree.stump import DecisionStumpClassifier, DecisionStumpRegressor
from probus.tree.surrogates import Surrogates
from probus.tree.trees import Tree, Trees

__all__ = [
    "C45Classifier",
    "CHAIDClassifier",
    "ColumnCoding",
    "ConditionalTreeClassifier",
    "ConditionalTreeRegressor",
    "CostComplexityCV",
    "DecisionStumpClassifier",
    "DecisionStumpRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ID3Classifier",
    "MultiwayTree",
    "Surrogates",
    "Tree",
    "Trees",
    "export_rules",
    "export_text",
    "instability",
    "plot_tree",
    "regions",
    "surrogate_importances",
    "trace",
]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.tree": ("BaseDecisionTree", "export_graphviz", "ExtraTreeClassifier", "ExtraTreeRegressor"),
})  # fmt: skip
