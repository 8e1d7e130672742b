"""How many test rows give the wanted precision."""

# ruff: noqa: PT028  test_size_for is no test

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import ceil, inf, sqrt
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.metrics.bootstrap.draws import Draws, seeds_of
from probus.metrics.bootstrap.effective import share_like
from probus.metrics.bootstrap.resamples import Resamples, value_of
from probus.metrics.curves.shares import quantile
from probus.metrics.forms import Cells, Ranks
from probus.metrics.measure import Measure, Scoring, measure
from probus.metrics.outcome import Outcome

__all__ = ["SampleSize", "test_size_for"]

_SHARES = ("accuracy", "error_rate", "recall", "precision", "specificity", "signal_efficiency", "background_rejection")


@dataclass(frozen=True, slots=True)
class SampleSize:
    """The number of test rows ``n`` for an interval of that half-width, and where the number comes from."""

    n: int
    scoring: str
    half_width: float
    level: float
    score: float
    method: str

    @property
    def sentence(self) -> str:
        """The result in words."""
        return (
            f"{self.n:,} test rows give {self.scoring} to ±{self.half_width:g} at {self.level:.0%} confidence, "
            f"if it is {self.score:.3g} ({self.method})."
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
    its variance there falls as 1/n.

    Parameters
    ----------
    score : the expected value; the most rows are needed at 0.5.
    share : the share of the test rows that the measure is over: for the recall of a class, that of the class.
    n_resamples, random_state : of the bootstrap on the pilot, where the variance has no formula.
    pilot : ``sample_weight``, ``classes`` and ``pos_label`` of the pilot, as in ``estimate``.

    >>> test_size_for("accuracy", 0.02, score=0.9)
    868 test rows give accuracy to ±0.02 at 95% confidence, if it is 0.9 (Wilson).
    >>> test_size_for("recall", 0.05, score=0.8, share=0.1).n
    2442
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
    form = of.form_of(outcome)
    z, rows, value = quantile(level), len(outcome), value_of(of, form, outcome)
    if np.isnan(value):
        raise DataError(f"{of.name} is undefined on the pilot sample.", "one that has every class and some spread")
    draws = Draws.of(outcome)
    if isinstance(form, Cells | Ranks):
        width = of.high - of.low
        effective = share_like(form, value, (of.low, of.high), outcome, draws).rows
        n = _wilson_size((value - of.low) / width, half_width / width, z) * rows / effective
        how = f"Wilson, from {rows:,} pilot rows"
    else:
        values = Resamples.draw([form], outcome, draws, seeds_of(random_state, n_resamples)).values[0]
        n = rows * float(np.nanvar(values, ddof=1)) * (z / half_width) ** 2
        how = f"bootstrap variance of {rows:,} pilot rows"
    return SampleSize(max(ceil(n), 1), of.name, half_width, level, float(value), how)


def _wilson_size(p: float, half_width: float, z: float) -> float:
    """The n at which Wilson's interval around a share p has the half-width h: z²(pq n + z²/4) = h²(n + z²)²."""
    pq, h2 = p * (1 - p), half_width**2
    return max(z**2 * (pq - 2 * h2 + sqrt(max(pq**2 - 4 * pq * h2 + h2, 0.0))) / (2 * h2), 1.0)
