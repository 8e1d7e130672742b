"""How many test rows give a required precision."""

# ruff: noqa: PT028  test_size_for is no test

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import ceil, inf, sqrt
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.metrics._measure import Measure, Scoring, measure
from probus.metrics._outcome import Outcome
from probus.metrics.bootstrap._draws import Draws, seeds_of
from probus.metrics.bootstrap._effective import share_like
from probus.metrics.bootstrap._influence import influence
from probus.metrics.bootstrap._resamples import Resamples, value_of
from probus.metrics.curves._shares import quantile, wilson
from probus.metrics.resample_forms import ConfusionCells, Ranks, Sums, Whole

_PILOTS, _SLOW_PILOTS = 200, 30  # drawn out of the pilot; the second for measures without a formula
_FURTHEST = 8.0  # standard errors: of few distinct losses, some resamples have next to none
_MANY = 5000  # rows of a pilot, for which the normal distribution will do
_DRAWS = 50  # of each of the second kind, for its variance
_SHARES = ("accuracy", "error_rate", "recall", "precision", "specificity", "signal_efficiency", "background_rejection")


@dataclass(frozen=True, slots=True)
class SampleSize:
    """The number of test rows ``n`` for an interval of that half-width, and where the number comes from.

    Attributes
    ----------
    n : the number of test rows.
    scoring : the name of the measure.
    half_width, level : half the length of the interval, and its confidence level.
    score : the expected score.
    method : where the number comes from.
    low, high : from a pilot, the interval that holds the needed number at the level, since the pilot only estimates it;
        plan with ``high`` to be sure. None where the score was given.
    """

    n: int
    scoring: str
    half_width: float
    level: float
    score: float
    method: str
    low: int | None = None
    high: int | None = None

    @property
    def sentence(self) -> str:
        """The result in words."""
        ends = "" if self.low is None else f" [{self.low:,}, {self.high:,}]"
        return (
            f"{self.n:,}{ends} test rows give {self.scoring} to ±{self.half_width:g} at {100 * self.level:g} % "
            f"confidence, if it is {self.score:.3g} ({self.method})."
        )

    def __int__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return asdict(self)


def test_size_for(
    scoring: Scoring,
    half_width: float,
    *,
    level: float = 0.95,
    score: float | None = None,
    share: float = 1.0,
    y_true: Any = None,
    y_pred: Any = None,
    n_resamples: int = 2000,
    random_state: Any = None,
    **pilot: Any,
) -> SampleSize:
    """How many test rows make the interval of a measure ± ``half_width``.

    Either from a ``score`` you expect, for measures that are shares of rows (accuracy, recall, precision, …), by
    Wilson's interval; or from a pilot sample ``y_true``, ``y_pred`` (or an ``Outcome`` as ``y_true``) for any measure:
    its variance there falls as 1/n. A pilot estimates that variance from few rows: ``low`` and ``high`` are the ends of
    an interval of the needed number, from pilots drawn again out of the pilot. It covers 92 to 100 % for measures of
    labels, unless a class is rare, and less for losses with heavy tails, whose variance is hard to estimate: see
    docs/intervals.md.

    Parameters
    ----------
    scoring : the name of a measure, or a measure.
    half_width : half the length of the interval that is wanted.
    level : the confidence level of intervals.
    score : the expected value; the most rows are needed at 0.5.
    share : the share of the test rows that the measure is over: for the recall of a class, that of the class.
    y_true, y_pred : A pilot sample: the truth, and what was predicted.
    n_resamples, random_state : of the bootstrap on the pilot, for the interval, and where the variance has no formula.
    pilot : ``sample_weight``, ``classes`` and ``pos_label`` of the pilot, as in ``estimate``.

    Returns
    -------
    The number of rows, and of a pilot its interval.

    >>> test_size_for("accuracy", 0.02, score=0.9)
    868 test rows give accuracy to ±0.02 at 95 % confidence, if it is 0.9 (Wilson).
    >>> test_size_for("recall", 0.05, score=0.8, share=0.1).n
    2442
    >>> test_size_for("accuracy", 0.02, y_true=[0, 1] * 50, y_pred=[0, 1] * 45 + [1, 0] * 5, random_state=0)
    868 [501, 1,503] test rows give accuracy to ±0.02 at 95 % confidence, if it is 0.9 (Wilson, from 100 pilot rows).
    """
    of = measure(scoring)
    z = quantile(level)
    if not 0 < half_width < inf:
        raise DataError(f"half_width={half_width}.", "a number above zero")
    if y_true is not None:
        if isinstance(y_true, Outcome):
            outcome = y_true
        else:
            outcome = Outcome.of(y_true, y_pred, needs=of.needs, **pilot)
        return _from_pilot(of, half_width, level, outcome, n_resamples, random_state)
    if score is None or of.name not in _SHARES:
        raise DataError(
            f"no pilot sample for {of.name!r}" + (" and no score." if score is None else "."),
            "y_true and y_pred of a pilot, or score=… for one of " + ", ".join(_SHARES),
        )
    if not 0 <= score <= 1 or not 0 < share <= 1:
        raise DataError(f"score={score}, share={share}.", "shares between 0 and 1")
    n = ceil(_wilson_size(score, half_width, z) / share)
    return SampleSize(n, of.name, half_width, level, score, "Wilson")


# pytest takes functions of this name for tests wherever they are imported
test_size_for.__test__ = False  # type: ignore[attr-defined]


def _from_pilot(
    of: Measure, half_width: float, level: float, outcome: Outcome, n_resamples: int, random_state: Any
) -> SampleSize:
    value = value_of(of, of.form_of(outcome), outcome)
    if np.isnan(value):
        raise DataError(f"{of.name} is undefined on the pilot sample.", "one that has every class and some spread")
    seeds = seeds_of(random_state, max(n_resamples, _PILOTS))
    n, how = _rows_needed(of, half_width, level, outcome, seeds[:n_resamples])
    low, high = _pilot_interval(of, half_width, level, outcome, seeds, n)
    whole = (max(ceil(each), 1) for each in (low, high))
    return SampleSize(max(ceil(n), 1), of.name, half_width, level, float(value), how, *whole)


def _rows_needed(
    of: Measure, half_width: float, level: float, outcome: Outcome, seeds: np.ndarray
) -> tuple[float, str]:
    """The number of rows that a pilot suggests, and from what; ``seeds`` are for measures without a formula."""
    form, z, rows, draws = of.form_of(outcome), quantile(level), len(outcome), Draws.of(outcome)
    if isinstance(form, ConfusionCells | Ranks):
        width, value = of.high - of.low, value_of(of, form, outcome)
        if np.isnan(value):
            return np.nan, ""
        effective = share_like(form, value, (of.low, of.high), outcome, draws).rows
        size = _wilson_size((value - of.low) / width, half_width / width, z)
        return size * rows / effective if effective > 0 else np.nan, f"Wilson, from {rows:,} pilot rows"
    if isinstance(form, Sums):
        variance, how = float(np.sum(influence(form, outcome, draws) ** 2)), "variance"
    else:
        values = Resamples.draw([form], outcome, draws, seeds).values[0]
        variance, how = float(np.nanvar(values, ddof=1)), "bootstrap variance"
    return rows * variance * (z / half_width) ** 2, f"{how} of {rows:,} pilot rows"


def _pilot_interval(
    of: Measure, half_width: float, level: float, outcome: Outcome, seeds: np.ndarray, n: float
) -> tuple[float, float]:
    """log n ± z·s, with s the spread of log n over pilots drawn out of the pilot.

    For sums, the interval holds that of the bootstrap-t too (``_of_variance``); for shares, the n of both ends of
    Wilson's interval.
    """
    form, draws, z = of.form_of(outcome), Draws.of(outcome), quantile(level)
    slow = isinstance(form, Whole)
    rows, found = np.arange(len(outcome)), []
    for seed in seeds[: _SLOW_PILOTS if slow else _PILOTS]:
        again = outcome.take(np.repeat(rows, draws.counts(seed)))
        found.append(_rows_needed(of, half_width, level, again, seeds[:_DRAWS])[0])
    logs = np.log(np.maximum(np.array(found)[np.isfinite(found)], 1.0))
    noise = 2 / (_DRAWS - 1) if slow else 0.0  # of the logarithm of a variance from so many draws
    spread = np.sqrt(max(float(logs.var(ddof=1)) - noise, 0.0)) if len(logs) > 1 else inf
    ends = [n * np.exp(-z * spread), n * np.exp(z * spread)]
    if isinstance(form, Sums):
        ends += [n * np.exp(each) for each in _of_variance(of, outcome, seeds[:_PILOTS], level)]
    if isinstance(form, ConfusionCells | Ranks):
        width, value = of.high - of.low, value_of(of, form, outcome)
        like = share_like(form, value, (of.low, of.high), outcome, draws)
        low, high = (float(end) for end in wilson((value - of.low) / width, like.rows, level, like.df))
        shares = [low, high, min(max(low, 0.5), high)]  # the last needs the most rows
        ends += [_wilson_size(p, half_width / width, z) * len(outcome) / like.rows for p in shares]
    return min(ends), max(ends)


def _of_variance(of: Measure, outcome: Outcome, seeds: np.ndarray, level: float) -> tuple[float, float]:
    """How far the logarithm of the variance may lie below and above that of the pilot.

    The mean of squared contributions has a standard error, and the interval is the bootstrap-t of its logarithm. A
    pilot without the rare large losses has too small a variance, and too small an error of it. The upper end is also
    that of the pilot with its largest contribution twice, since the next pilot may have another.
    """
    low, high = _studentised_log(of, outcome, seeds, level)
    squares = influence(of.form_of(outcome), outcome, Draws.of(outcome)) ** 2
    twice = outcome.take(np.append(np.arange(len(outcome)), int(squares.argmax())))
    more = _log_variance(of, twice)[0] - _log_variance(of, outcome)[0]
    return low, max(high, more + _studentised_log(of, twice, seeds, level)[1])


def _studentised_log(of: Measure, outcome: Outcome, seeds: np.ndarray, level: float) -> tuple[float, float]:
    """The ends of the interval of the logarithm of the variance, from its value; at least those of the normal one."""
    value, error = _log_variance(of, outcome)
    z = quantile(level)
    if not np.isfinite(error) or len(outcome) > _MANY:
        return (0.0, 0.0) if np.isinf(error) else (-z * error, z * error)
    draws, rows = Draws.of(outcome), np.arange(len(outcome))
    drawn = np.array([_log_variance(of, outcome.take(np.repeat(rows, draws.counts(seed)))) for seed in seeds])
    drawn = drawn[np.isfinite(drawn).all(axis=1) & (drawn[:, 1] > 0)]
    t = (drawn[:, 0] - value) / drawn[:, 1]
    below, above = np.quantile(t, [(1 - level) / 2, (1 + level) / 2]) if len(t) else (-z, z)
    return -max(min(float(above), _FURTHEST), z) * error, max(min(-float(below), _FURTHEST), z) * error


def _log_variance(of: Measure, outcome: Outcome) -> tuple[float, float]:
    """The logarithm of the variance of one row, and its standard error, infinite where there is no variance."""
    squares = influence(of.form_of(outcome), outcome, Draws.of(outcome)) ** 2
    if not squares.any():
        return -inf, inf
    error = float(squares.std() / squares.mean() / np.sqrt(len(squares)))
    return float(np.log(squares.sum() * len(squares))), error


def _wilson_size(p: float, half_width: float, z: float) -> float:
    """The n at which Wilson's interval around a share p has the half-width h: z²(pq n + z²/4) = h²(n + z²)²."""
    pq, h2 = p * (1 - p), half_width**2
    return max(z**2 * (pq - 2 * h2 + sqrt(max(pq**2 - 4 * pq * h2 + h2, 0.0))) / (2 * h2), 1.0)
