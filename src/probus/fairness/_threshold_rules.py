"""Rules that select by a score with thresholds for each group, and the search for the best under a criterion.

A threshold of a group selects a share of some of its rows: of all rows for demographic parity, of those with one label
for opportunities. For a share that all groups are to have, each group takes the threshold that is right most often
within half of the tolerance of it. Mixtures of two thresholds reach any share exactly; on the concave hull of what
single thresholds reach they are the best (Hardt, Price and Srebro 2016).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from probus.errors import DataError
from probus.state import Array, Part, Spec

_MOST_THRESHOLDS = 500  # of a group, by quantiles of its scores
_GRID = 1001  # shares that are tried

SHARED = {
    "demographic_parity": (True, True),
    "equal_opportunity": (True, False),
    "false_positive_rate_parity": (False, True),
}  # by criterion: whether rows with the positive and with the negative label count in the share


@dataclass(frozen=True, eq=False)
class ThresholdRule(Part):
    """The probability with which rows of each group are selected, by their score.

    It is ``ignore * constant + (1 - ignore) * (mix * [score >= first] + (1 - mix) * [score >= second])``.

    Attributes
    ----------
    first, second : float64[G], thresholds.
    mix : float64[G], the probability of the first.
    ignore, constant : float64[G], how often the score is ignored, and how often rows are selected then.
    """

    first: np.ndarray
    second: np.ndarray
    mix: np.ndarray
    ignore: np.ndarray
    constant: np.ndarray
    declared: ClassVar[Mapping[str, Spec]] = dict.fromkeys(
        ("first", "second", "mix", "ignore", "constant"), Array("f8", "g")
    )

    @classmethod
    def of(cls, thresholds: np.ndarray) -> ThresholdRule:
        """One threshold for each group."""
        zeros = np.zeros(len(thresholds))
        return cls(thresholds, thresholds, zeros + 1, zeros, zeros)

    def probability(self, score: np.ndarray, group: np.ndarray) -> np.ndarray:
        """The probability that each row is selected."""
        above = [score >= each[group] for each in (self.first, self.second)]
        mix, ignore = self.mix[group], self.ignore[group]
        return ignore * self.constant[group] + (1 - ignore) * (mix * above[0] + (1 - mix) * above[1])


class Candidates(NamedTuple):
    """What the thresholds of a group reach, from the highest to the lowest.

    thresholds : float64[m]. tpr, fpr : shares selected of the rows with the positive and the negative label.
    positives, negatives : the weight of these rows.
    """

    thresholds: np.ndarray
    tpr: np.ndarray
    fpr: np.ndarray
    positives: float
    negatives: float

    @classmethod
    def of(cls, score: np.ndarray, actual: np.ndarray, weights: np.ndarray) -> Candidates:
        """Of the rows of a group; above all scores nothing is selected."""
        values = np.unique(score)
        if len(values) > _MOST_THRESHOLDS:
            values = np.unique(np.quantile(score, np.linspace(0, 1, _MOST_THRESHOLDS), method="inverted_cdf"))
        between = np.r_[-np.inf, (values[1:] + values[:-1]) / 2, np.inf][::-1]
        place = np.searchsorted(-between, -score)  # the first threshold that is not above
        hits = [np.bincount(place, weights * each, minlength=len(between)) for each in (actual, ~actual)]
        totals = [float(each.sum()) for each in hits]
        tpr, fpr = (np.cumsum(h) / t if t else np.zeros(len(h)) for h, t in zip(hits, totals, strict=True))
        return cls(between, tpr, fpr, *totals)

    def share(self, criterion: str) -> np.ndarray:
        """The share that the criterion makes equal, by threshold."""
        counts = np.array([self.positives, self.negatives]) * SHARED[criterion]
        if not counts.sum():
            return np.zeros(len(self.thresholds))
        return (counts[0] * self.tpr + counts[1] * self.fpr) / counts.sum()

    def gain(self, objective: tuple[float, float]) -> np.ndarray:
        """The weight of right decisions, with a weight for each label."""
        return objective[0] * self.positives * self.tpr + objective[1] * self.negatives * (1 - self.fpr)


def best_thresholds(
    groups: list[Candidates], criterion: str, objective: tuple[float, float], tolerance: float
) -> ThresholdRule:
    """One threshold for each group whose shares differ by at most the tolerance, if the scores allow that.

    Parameters
    ----------
    groups : what the thresholds of each group reach.
    criterion : one of ``SHARED``.
    objective : the weight of right decisions on rows with the positive and the negative label.
    tolerance : the largest difference of shares.

    Returns
    -------
    The rule.
    """
    shares = [group.share(criterion) for group in groups]
    gains = [group.gain(objective) for group in groups]
    best, chosen = -np.inf, [0] * len(groups)
    for wanted in np.unique(np.concatenate([np.linspace(0, 1, _GRID), *shares])):
        picked = [_pick(share, gain, wanted, tolerance / 2) for share, gain in zip(shares, gains, strict=True)]
        reached = [share[place] for share, place in zip(shares, picked, strict=True)]
        beyond = max(np.ptp(reached) - tolerance, 0.0)
        value = sum(gain[place] for gain, place in zip(gains, picked, strict=True)) - 1e9 * beyond
        if value > best + 1e-12:
            best, chosen = value, picked
    return ThresholdRule.of(np.array([g.thresholds[place] for g, place in zip(groups, chosen, strict=True)]))


def _pick(share: np.ndarray, gain: np.ndarray, wanted: float, half: float) -> int:
    """The best threshold whose share is near the one wanted; the nearest share if none is."""
    low, high = np.searchsorted(share, [wanted - half - 1e-12, wanted + half + 1e-12], side="left")
    if low < high:
        return int(low + gain[low:high].argmax())
    return int(np.abs(share - wanted).argmin())


def best_mixtures(groups: list[Candidates], criterion: str, objective: tuple[float, float]) -> ThresholdRule:
    """Mixtures of two thresholds for each group whose shares are equal.

    Parameters
    ----------
    groups : what the thresholds of each group reach.
    criterion : one of ``SHARED``.
    objective : the weight of right decisions on rows with the positive and the negative label.

    Returns
    -------
    The rule.
    """
    hulls = [_upper_hull(group.share(criterion), group.gain(objective)) for group in groups]
    points = [(g.share(criterion), g.gain(objective)) for g in groups]
    wanted = np.unique(np.concatenate([x[hull] for (x, _), hull in zip(points, hulls, strict=True)]))
    value = sum(np.interp(wanted, x[hull], y[hull]) for (x, y), hull in zip(points, hulls, strict=True))
    share = float(wanted[int(np.argmax(value))])
    return _mixed([(group, hull, x, share) for group, hull, (x, _) in zip(groups, hulls, points, strict=True)])


def best_odds(groups: list[Candidates], objective: tuple[float, float]) -> ThresholdRule:
    """Mixtures, with a constant share selected whatever the score, that have equal true and false positive rates.

    Parameters
    ----------
    groups : what the thresholds of each group reach; each needs rows with both labels.
    objective : the weight of right decisions on rows with the positive and the negative label.

    Returns
    -------
    The rule.
    """
    if any(not (group.positives and group.negatives) for group in groups):
        raise DataError("a group without rows of both labels.", "rows with both labels in each group")
    hulls = [_upper_hull(group.fpr, group.tpr) for group in groups]
    fpr = np.unique(np.concatenate([np.linspace(0, 1, _GRID), *(g.fpr[h] for g, h in zip(groups, hulls, strict=True))]))
    reached = np.array([np.interp(fpr, g.fpr[h], g.tpr[h]) for g, h in zip(groups, hulls, strict=True)])
    tpr = reached.min(axis=0)
    positives, negatives = sum(g.positives for g in groups), sum(g.negatives for g in groups)
    place = int(np.argmax(objective[0] * positives * tpr + objective[1] * negatives * (1 - fpr)))
    at, common, own = float(fpr[place]), float(tpr[place]), reached[:, place]
    rule = _mixed([(group, hull, group.fpr, at) for group, hull in zip(groups, hulls, strict=True)])
    above = own - at
    ignore = np.divide(own - common, above, out=np.zeros_like(own), where=above > 1e-12)
    return ThresholdRule(rule.first, rule.second, rule.mix, ignore, np.full(len(groups), at))


def _mixed(parts: list[tuple[Candidates, np.ndarray, np.ndarray, float]]) -> ThresholdRule:
    """For each group the two thresholds of its hull between which its share is the one wanted."""
    first, second, mix = np.empty((3, len(parts)))
    for code, (group, hull, x, wanted) in enumerate(parts):
        right = int(np.clip(np.searchsorted(x[hull], wanted), 1, len(hull) - 1)) if len(hull) > 1 else 0
        left = max(right - 1, 0)
        a, b = hull[left], hull[right]
        width = x[b] - x[a]
        first[code], second[code] = group.thresholds[a], group.thresholds[b]
        mix[code] = 1.0 if width <= 0 else float(np.clip((x[b] - wanted) / width, 0, 1))
    zeros = np.zeros(len(parts))
    return ThresholdRule(first, second, mix, zeros, zeros)


def _upper_hull(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The points of the upper concave hull, from left to right."""
    kept: list[int] = []
    for i in np.lexsort((y, x)).tolist():
        while len(kept) >= 2 and _turns_left(x, y, kept[-2], kept[-1], i):
            kept.pop()
        if kept and x[kept[-1]] == x[i]:
            kept.pop()
            while len(kept) >= 2 and _turns_left(x, y, kept[-2], kept[-1], i):
                kept.pop()
        kept.append(i)
    return np.array(kept)


def _turns_left(x: np.ndarray, y: np.ndarray, a: int, b: int, c: int) -> bool:
    return (x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a]) >= 0
