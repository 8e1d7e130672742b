"""Different models on the same rows: their predictions are averaged (``voting``) or are the input of a final model.

``stacking`` fits the final model on cross-validated predictions, ``blending`` on predictions of held-out rows.
"""

from probus.ensemble.stacking._blending import BlendingClassifier, BlendingRegressor
from probus.ensemble.stacking._named_members import NamedMembers
from probus.ensemble.stacking._stacking import StackingClassifier, StackingRegressor
from probus.ensemble.stacking._voting import VotingClassifier, VotingRegressor

__all__ = [
    "BlendingClassifier",
    "BlendingRegressor",
    "StackingClassifier",
    "StackingRegressor",
    "VotingClassifier",
    "VotingRegressor",
]
