"""Decision trees: grown on columns of any kind, with or without missing values, pruned, displayed.

The modules in the order of the data. Preparing: ``design`` (a table as a matrix), ``tree_settings`` (the parameters,
resolved), ``row_target`` and ``several_outputs`` (one or several targets), ``scale_units`` (targets and weights of
any magnitude), ``codes`` and ``quantile_bins`` (values as codes).
Splitting: ``criteria`` (impurities), ``scan``, ``histogram``, ``nominal``, ``gray_code``, ``random_split``,
``absolute_error`` and ``feature_search`` (the best split of a feature), ``node_search`` (of a node),
``surrogate_search``. Growing: ``build`` (all of it), ``grow``, ``heap`` (the next node), ``partition``,
``node_columns`` (how nodes are stored meanwhile), ``node_memory``, ``subtrees`` (on threads), ``assembly`` (into one
tree), ``thresholds`` and ``kernel`` (how kernels are compiled). ``binned`` grows the trees of
forests.

Grown trees are ``trees`` and ``surrogates``, checked on loading by ``loading``; ``prediction``, ``prune``, ``export``,
``importance`` and ``partial_dependence`` use them. The estimators are ``cart``, ``extra_tree``, ``stump`` and
``cost_complexity_cv``, on ``tree_model``; ``instability`` measures one. ``conditional`` and ``multiway`` are other
families of trees.
"""

from probus.after_import import after_import
from probus.borrowing import borrow
from probus.tree.cart import DecisionTreeClassifier, DecisionTreeRegressor
from probus.tree.conditional import ConditionalTreeClassifier, ConditionalTreeRegressor
from probus.tree.cost_complexity_cv import CostComplexityCV
from probus.tree.export import export_rules, export_text, plot_tree, regions, trace
from probus.tree.extra_tree import ExtraTreeClassifier, ExtraTreeRegressor
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

after_import("shap", "probus.ensemble.shap.shap_library", "teach")  # which takes our trees then
