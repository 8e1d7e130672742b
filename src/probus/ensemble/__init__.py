"""Many models that answer together.

Forests (``forest``) let trees vote that each saw other rows and columns, and tell what lies near what; boosting
(``boosting``) adds trees that each correct the sum so far; ``adaboost`` weighs rows anew for each weak model. Bagging,
voting, stacking and blending combine any models. All trees of a model are one ``Trees``: ``walk`` predicts by them,
``shap`` explains them, files hold them.
"""

from probus.borrowing import borrow
from probus.ensemble.adaboost import AdaBoostClassifier, AdaBoostRegressor
from probus.ensemble.bagging import BaggingClassifier, BaggingRegressor
from probus.ensemble.blending import BlendingClassifier, BlendingRegressor
from probus.ensemble.boosting.gradient import GradientBoostingClassifier, GradientBoostingRegressor
from probus.ensemble.boosting.hist import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from probus.ensemble.boosting.settled import BoostingClassifier, BoostingRegressor
from probus.ensemble.forest import (
    Bags,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    LeafTargets,
    RandomForestClassifier,
    RandomForestRegressor,
)
from probus.ensemble.proximity_imputer import ProximityImputer
from probus.ensemble.shap import ShapValues
from probus.ensemble.stacking import StackingClassifier, StackingRegressor
from probus.ensemble.trees import Trees
from probus.ensemble.voting import VotingClassifier, VotingRegressor

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "Bags",
    "BlendingClassifier",
    "BlendingRegressor",
    "BoostingClassifier",
    "BoostingRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "LeafTargets",
    "ProximityImputer",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "ShapValues",
    "StackingClassifier",
    "StackingRegressor",
    "Trees",
    "VotingClassifier",
    "VotingRegressor",
]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.ensemble": ("BaseEnsemble", "IsolationForest", "RandomTreesEmbedding"),
})  # fmt: skip
