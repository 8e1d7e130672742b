"""The first groups of a mixture."""

from __future__ import annotations

import numpy as np

from probus.cluster import KMeans


def first_shares(X: np.ndarray, w: np.ndarray, k: int, how: str, random: np.random.RandomState) -> np.ndarray:
    """The weight of each row in each component, rows × components."""
    if how == "random":
        shares = random.uniform(size=(len(X), k))
        return shares / shares.sum(axis=1, keepdims=True) * w[:, None]
    shares = np.zeros((len(X), k))
    if how == "kmeans":
        labels = KMeans(k, n_init=1, random_state=random).fit(X, sample_weight=w).labels_
        shares[np.arange(len(X)), labels] = w
        return shares
    # one row each: drawn at random, or far from each other
    if how == "random_from_data":
        drawn = random.choice(len(X), size=k, replace=False, p=w / w.sum())
    else:
        from sklearn.cluster import kmeans_plusplus

        drawn = kmeans_plusplus(X, k, random_state=random, sample_weight=w)[1]
    shares[drawn, np.arange(k)] = 1.0
    return shares
