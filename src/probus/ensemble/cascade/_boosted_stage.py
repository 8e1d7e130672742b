"""A stage of a cascade: AdaBoost on stumps, until as few negative rows pass as are to."""

from __future__ import annotations

import numpy as np

from probus.ensemble.adaboost import AdaBoostClassifier


def boosted_stage(
    values: np.ndarray,
    codes: np.ndarray,
    own: np.ndarray,
    judged: np.ndarray,
    quota: int,
    detection_rate: float,
    max_stumps: int,
) -> tuple[np.ndarray, float, np.ndarray]:
    """The fewest stumps that let no more negative rows pass than the quota, their threshold, and which rows pass.

    own (IN)     rows to boost on
    judged (IN)  rows by which the threshold is chosen, and passing rows are counted

    A stump is its column, its cut, and its votes at or below and above it. Boosting is repeated with twice as many
    rounds, whose first ones are the same.
    """
    n_stumps = 1
    while True:
        stumps = _stumps_of(AdaBoostClassifier(n_estimators=n_stumps).fit(values[own], codes[own]))
        sums = np.cumsum([np.where(values[:, int(j)] <= cut, low, high) for j, cut, low, high in stumps], axis=0)
        for t in range(len(stumps)):
            threshold = _threshold(sums[t][judged & (codes == 1)], detection_rate)
            if int((sums[t][judged & (codes == 0)] >= threshold).sum()) <= quota:
                return stumps[: t + 1], threshold, sums[t] >= threshold
        if n_stumps >= max_stumps or len(stumps) < n_stumps:
            return stumps, threshold, sums[-1] >= threshold
        n_stumps = min(2 * n_stumps, max_stumps)


def _threshold(sums: np.ndarray, detection_rate: float) -> float:
    """The largest sum of votes that as many positive rows reach as are to be detected."""
    if not len(sums):
        return 0.0
    missed = int((1 - detection_rate) * len(sums) + 1e-9)
    return float(np.sort(sums)[min(missed, len(sums) - 1)])


def _stumps_of(model: AdaBoostClassifier) -> np.ndarray:
    """Column, cut and the two votes of each stump: its weight, positive for the second class."""
    rows = []
    for member, weight in zip(model.estimators_, model.estimator_weights_, strict=False):
        tree = member.tree_
        sides = tree.value[:, 0].argmax(axis=1) * 2.0 - 1.0
        if tree.node_count == 1:
            rows.append((0, np.inf, weight * sides[0], weight * sides[0]))
        else:
            left, right = int(tree.children_left[0]), int(tree.children_right[0])
            rows.append((int(tree.feature[0]), float(tree.threshold[0]), weight * sides[left], weight * sides[right]))
    return np.array(rows)
