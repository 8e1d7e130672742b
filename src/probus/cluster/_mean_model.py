"""What the models whose centres are means have in common: the nearest of them by squared distances."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from probus.base import checked_weights, matrix_input
from probus.cluster._centre_model import CentreModel
from probus.cluster._lloyd import nearest_centres
from probus.state import Array, Either, Spec


class MeanModel(CentreModel):
    """Parent of ``KMeans`` and ``MiniBatchKMeans``: centres of single precision where the training rows are."""

    fitted: ClassVar[dict[str, Spec]] = {
        **CentreModel.fitted,
        "cluster_centers_": Either(Array("f4", "k d"), Array("f8", "k d")),
    }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def predict(self, X: Any) -> np.ndarray:
        """The number of the centre nearest to each row, of equally near ones the first."""
        check_is_fitted(self)
        X = matrix_input(self, X, reset=False)
        if sparse.issparse(X):
            from sklearn.metrics import pairwise_distances_argmin

            return pairwise_distances_argmin(X, self.cluster_centers_).astype(np.int32)
        return nearest_centres(X, self.cluster_centers_)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Less the sum of squared distances of the rows to their nearest centres."""
        away = self.transform(X).min(axis=1).astype(np.float64) ** 2
        weights = checked_weights(sample_weight, X)
        return -float(away.sum() if weights is None else weights @ away)
