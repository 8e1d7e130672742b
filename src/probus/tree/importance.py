"""How much each column matters, with credit for standing in where others are asked."""

from __future__ import annotations

import numpy as np

from probus.tree.tree_model import TreeModel

__all__ = ["surrogate_importances"]


def surrogate_importances(model: TreeModel, gain: np.ndarray | None = None) -> np.ndarray:
    r"""How much each column lowers the impurity where it is asked or could have been, as shares of the whole.

    A split credits its own column with what it gains, and the column of each of its surrogates with that times the
    surrogate's adjusted agreement:
    :math:`I_j \propto \sum_t \Delta_t \, (1[j = j_t] + \sum_s \tilde a_{ts} 1[j = j_{ts}])`. So a column that another
    always comes just before is not said to be worth nothing, as ``feature_importances_`` would (after Breiman et al.
    1984, section 5.3.4; the credit is rpart's).

    Parameters
    ----------
    model : a fitted tree. Without surrogates this is ``feature_importances_``.
    gain : what each node's split gains, in any unit; by default the fall of impurity from the node to its children,
        where rows that surrogates sent count too. rpart counts only rows whose own value answers the question.

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
