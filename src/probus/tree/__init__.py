"""Decision trees: grown on columns of any kind, with or without missing values, cut back, shown.

Read the room as the data travels: ``design`` (what a tree sees of a table), ``codes`` (values become ranks), ``risk``,
``scan``, ``cells``, ``nominal`` and ``split`` (what a column gains), ``node`` (asks them all), ``hand_down``, ``grow``,
``pieces``, ``layout``, ``flat`` (a grown tree), ``predict``, ``prune``, ``export``; the estimators are in ``classes``.
``conditional`` and ``multiway`` hold other families of trees.
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
