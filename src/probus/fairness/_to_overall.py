"""The distance of groups from all rows, of which they are a part themselves.

The rate of all rows is a mean of the group's and that of the others, so that both distances follow from a comparison
of these two, which are independent: :math:`p_g - p = (1 - w_g)(p_g - p_{others})` for a group with the share w_g.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from probus.fairness._groups import Groups
from probus.fairness._intervals import differences, ratios
from probus.fairness._rates import Decisions, Rate, rates_of
from probus.metrics import Estimate


class _Pair(NamedTuple):
    """A group and the other rows: their rates with intervals, float64[2] each, and the share of the group."""

    p: np.ndarray
    low: np.ndarray
    high: np.ndarray
    share: float


def largest_from_all(rate: Rate, decisions: Decisions, groups: Groups, level: float, families: int = 1) -> Estimate:
    """The largest distance of a group's rate from that of all rows."""
    ends = []
    for pair in _pairs(rate, decisions, groups, level, families):
        d, low, high = (float(each[0, 1]) * (1 - pair.share) for each in differences(*pair[:3]))
        nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
        ends.append((abs(d), nearest, max(abs(low), abs(high))))
    value, low, high = np.max(ends, axis=0)
    return Estimate(float(value), float(low), float(high), level)


def smallest_to_all(rate: Rate, decisions: Decisions, groups: Groups, level: float, families: int = 1) -> Estimate:
    """The smallest ratio of a group's rate and that of all rows, the smaller to the larger."""
    ends = []
    for pair in _pairs(rate, decisions, groups, level, families):
        r, low, high = (_to_all(float(each[0, 1]), pair.share) for each in ratios(*pair[:3]))
        below = [_below_one(each) for each in (low, high)]
        ends.append((_below_one(r), min(below), 1.0 if low <= 1 <= high else max(below)))
    value, low, high = np.min(ends, axis=0)
    return Estimate(float(value), float(low), float(high), level)


def _to_all(ratio: float, share: float) -> float:
    """The ratio to all rows from that to the others."""
    return 1 / share if np.isinf(ratio) else ratio / (share * ratio + 1 - share)


def _below_one(ratio: float) -> float:
    return min(ratio, 1 / ratio) if ratio > 0 else ratio


def _pairs(rate: Rate, decisions: Decisions, groups: Groups, level: float, families: int) -> Iterator[_Pair]:
    """Each group with a rate, beside the other rows, with intervals that hold for all of them together."""
    n = rates_of(rate, decisions, groups).rows
    known = np.flatnonzero(n)
    each = level ** (1 / (families * len(known)))  # Šidák
    for group in known.tolist():
        halves = Groups(groups.name, ("group", "others"), (groups.codes != group).astype(np.int64))
        found = rates_of(rate, decisions, halves)
        yield _Pair(found.values, *found.interval(each), _share(rate, decisions, groups, group))


def _share(rate: Rate, decisions: Decisions, groups: Groups, group: int) -> float:
    of = rate.of(decisions.actual, decisions.selected)
    weights = np.ones(len(of)) if decisions.weights is None else decisions.weights
    return float(weights[of & (groups.codes == group)].sum() / weights[of].sum())
