"""Feature importances that credit surrogates too."""

from __future__ import annotations

import numpy as np

from probus.tree._tree_model import TreeModel


def surrogate_importances(model: TreeModel, gain: np.ndarray | None = None) -> np.ndarray:
    r"""The decrease of impurity by each feature, as a split or as a surrogate, normalized to sum to 1.

    A split credits its own feature with its gain, and the feature of each of its surrogates with the gain times the
    surrogate's adjusted agreement:
    :math:`I_j \propto \sum_t \Delta_t \, (1[j = j_t] + \sum_s \tilde a_{ts} 1[j = j_{ts}])`.
    So a feature that is always second to another does not get an importance of 0, as in ``feature_importances_``
    (after Breiman et al. 1984, section 5.3.4; the credit is rpart's).

    Parameters
    ----------
    model : a fitted tree. Without surrogates this is ``feature_importances_``.
    gain : the gain of each node's split, in any unit; by default the decrease of impurity from the node to its
        children, with the rows that surrogates sent. rpart counts only rows whose own value decides the split.

    Returns
    -------
    A number for each feature.

    Examples
    --------
    >>> from probus.datasets import penguins
    >>> from probus.tree import DecisionTreeClassifier
    >>> birds = penguins().select("species", "bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g")
    >>> tree = DecisionTreeClassifier(max_depth=1, missing="surrogate").fit(birds.drop("species"), birds["species"])
    >>> tree.feature_importances_.round(2)
    array([0., 0., 1., 0.])
    >>> surrogate_importances(tree).round(2)
    array([0.15, 0.27, 0.33, 0.25])
    """
    tree = model.tree_
    gain = tree.improvement if gain is None else gain
    inner = np.flatnonzero(~tree.is_leaf)
    importance = np.bincount(tree.feature[inner], gain[inner], tree.n_features)
    if tree.surrogates is not None:
        s = tree.surrogates
        credit = np.repeat(gain, np.diff(s.start)) * s.adjusted
        importance = importance + np.bincount(s.feature, credit, tree.n_features)
    total = importance.sum()
    return importance / total if total > 0 else importance
