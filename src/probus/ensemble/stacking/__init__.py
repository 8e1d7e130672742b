"""Different models on the same rows: their predictions are averaged (``voting``) or are the input of a final model.

``stacking`` fits the final model on cross-validated predictions, ``blending`` on predictions of held-out rows.
"""

from probus.ensemble.stacking.blending import BlendingClassifier, BlendingRegressor
from probus.ensemble.stacking.stacking import StackingClassifier, StackingRegressor
from probus.ensemble.stacking.voting import VotingClassifier, VotingRegressor

__all__ = [
    "BlendingClassifier",
    "BlendingRegressor",
    "StackingClassifier",
    "StackingRegressor",
    "VotingClassifier",
    "VotingRegressor",
]
