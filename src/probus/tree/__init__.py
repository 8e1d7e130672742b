"""Decision trees: grown on columns of any kind, with or without missing values, pruned, displayed.

The folders in the order of the data: ``preparation`` (a table as a matrix, values as codes, targets, parameters),
``splitting`` (the best split of a feature and of a node, by ``criteria``), ``growing`` (from one node to a tree, with
``node_columns``; ``own_criterion`` where the criterion is a function), and ``forest_engine``, which grows the trees of
forests on binned columns. ``kernel_parts`` has the decorators of what kernels call.

Grown trees are ``trees`` and ``surrogates``, checked on loading by ``loading``; ``prediction``, ``prune``, ``export``,
``importance`` and ``partial_dependence`` use them. The estimators are ``cart``, ``extra_tree``, ``stump`` and
``cost_complexity_cv``, on ``tree_model``; ``instability`` measures one. ``conditional`` and ``multiway`` are other
families of trees.
"""

from probus.after_import import after_import
from probus.borrowing import borrow
from probus.tree._cart import DecisionTreeClassifier, DecisionTreeRegressor, of_one_class
from probus.tree._cost_complexity_cv import CostComplexityCV
from probus.tree._extra_tree import ExtraTreeClassifier, ExtraTreeRegressor
from probus.tree._importance import surrogate_importances
from probus.tree._instability import instability
from probus.tree._loading import check_columns
from probus.tree._partial_dependence import node_shares, partial_dependence_of
from probus.tree._stump import DecisionStumpClassifier, DecisionStumpRegressor
from probus.tree._surrogates import Surrogates
from probus.tree._tree_model import TreeModel
from probus.tree._trees import LEAF, NO_FEATURE, NO_SUBSET, Tree, Trees, subset_words
from probus.tree.conditional import ConditionalTreeClassifier, ConditionalTreeRegressor
from probus.tree.export import export_rules, export_text, plot_tree, regions, trace
from probus.tree.multiway import C45Classifier, CHAIDClassifier, ColumnCoding, ID3Classifier, MultiwayTree

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
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
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
    "sklearn.tree": ("BaseDecisionTree", "export_graphviz"),
})  # fmt: skip

after_import("shap", "probus.ensemble.shap._shap_library", "teach")  # which takes our trees then
