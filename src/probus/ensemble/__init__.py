"""Many models whose predictions are combined.

``forest`` averages trees that are each grown on other rows and columns; ``boosting`` adds trees that each correct the
sum so far; ``adaboost`` reweights the rows for each weak model. ``bagging`` and ``stacking`` (voting, stacking,
blending) combine any models. All trees of a model are one ``Trees``: ``probus.tree.prediction`` predicts with them,
``shap`` explains them, files store them.
"""

from probus.borrowing import borrow
from probus.ensemble._inputs import columns_of, numbers_or_cells, validated, validated_any_shape
from probus.ensemble._isolation_forest import IsolationForest
from probus.ensemble._members import aligned, aligned_predictions, fit_member, parallel
from probus.ensemble.adaboost import AdaBoostClassifier, AdaBoostRegressor
from probus.ensemble.bagging import BaggingClassifier, BaggingRegressor
from probus.ensemble.boosting._automatic import BoostingClassifier, BoostingRegressor
from probus.ensemble.boosting._gradient import GradientBoostingClassifier, GradientBoostingRegressor
from probus.ensemble.boosting._hist import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from probus.ensemble.cascade import CascadeClassifier, Detections, Stages
from probus.ensemble.forest import (
    Bags,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    LeafTargets,
    RandomForestClassifier,
    RandomForestRegressor,
)
from probus.ensemble.forest._proximity_imputer import ProximityImputer
from probus.ensemble.glass_box import (
    AdditiveTerms,
    ColumnCodes,
    ExplainableBoostingClassifier,
    ExplainableBoostingRegressor,
)
from probus.ensemble.shap import ShapValues
from probus.ensemble.stacking import (
    BlendingClassifier,
    BlendingRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "AdditiveTerms",
    "BaggingClassifier",
    "BaggingRegressor",
    "Bags",
    "BlendingClassifier",
    "BlendingRegressor",
    "BoostingClassifier",
    "BoostingRegressor",
    "CascadeClassifier",
    "ColumnCodes",
    "Detections",
    "ExplainableBoostingClassifier",
    "ExplainableBoostingRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "IsolationForest",
    "LeafTargets",
    "ProximityImputer",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "ShapValues",
    "StackingClassifier",
    "StackingRegressor",
    "Stages",
    "VotingClassifier",
    "VotingRegressor",
]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.ensemble": ("BaseEnsemble", "RandomTreesEmbedding"),
})  # fmt: skip
