"""The difference of two models by any measure, from test rows drawn again and again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from probus.comparison._paired_scores import without_noise
from probus.comparison._significance import Pairing, TestResult, checked_names
from probus.data import Level
from probus.display import counted
from probus.errors import DataError
from probus.metrics import Estimate, Measure, Outcome, Scoring, measure
from probus.metrics.bootstrap import Draws, Resamples, influence, seeds_of, standard_error
from probus.metrics.resample_forms import Sums, Whole, mean
from probus.model_selection import seeds

_LEAST = 1 / 3  # of the standard error: that of a draw which lacks the few rows that differ
_RARE = 3  # rows of a class below which most measures say little about it


def bootstrap_difference(
    scoring: Scoring,
    y: Any,
    a: Any,
    b: Any,
    *,
    level: float = 0.95,
    n_resamples: int = 2000,
    stratify: bool = False,
    groups: Any = None,
    random_state: Any = None,
    names: Sequence[str] = ("a", "b"),
    classes: Sequence[Level] | None = None,
    pos_label: Level | None = None,
    sample_weight: Any = None,
) -> TestResult:
    """How far two models' scores on the same test rows differ, by drawing the rows with replacement.

    Both models are scored on the same draws, so what makes rows hard for both cancels. As with ``mcnemar``, these
    fitted models are compared, and the rows must be one test set.

    A row's contribution to the difference follows from its influence on both scores. Since rare large contributions may
    be missing from few rows, two rows are added, which contribute as much as the largest, one for either model. With t*
    the difference on a draw less that on all rows, over the standard error of the draw, the interval is the difference
    ± se times the quantile of |t*|, and p the share of |t*| above |difference|/se (symmetric bootstrap-t). With two
    classes and fewer than three test rows of one of them, only accuracy, error rate and Brier score can be decided.
    Functions of (y_true, y_pred) and measures that no row has a known influence on are computed on every draw instead
    (percentiles). docs/comparing.md has the measured share of true hypotheses that are rejected.

    Parameters
    ----------
    scoring : the name of a measure, or a function of (y_true, y_pred).
    y : the truth.
    a, b : what the models predict, in the form that the measure needs: labels, scores, probabilities or values.
    level : the confidence level of intervals.
    n_resamples : the number of draws.
    stratify : keep the number of rows of each class in every draw, for test sets whose class counts were fixed
        beforehand. On a plain sample, whose class counts are random, the test then rejects too often. Of no effect on
        numbers and on groups.
    groups : the group of each row; whole groups are drawn.
    random_state : the seed of what is drawn at random.
    names : of the two models, for the sentence.
    classes, pos_label, sample_weight : as in ``probus.metrics.Outcome.of``.

    Returns
    -------
    The difference with its interval and p-value.

    >>> y = [0, 1] * 20
    >>> bootstrap_difference("f1", y, y, [0, 1] * 16 + [1, 0] * 4, random_state=0)
    a beats b on 40 rows (difference 0.20 [0.05, 0.35], p = 0.009, paired bootstrap)
      difference = 0.2, p = 0.009
    """
    chosen = measure(scoring)
    how = {"needs": chosen.needs, "classes": classes, "pos_label": pos_label, "sample_weight": sample_weight}
    outcomes = [Outcome.of(y, each, called=("y", name), **how) for each, name in ((a, "a"), (b, "b"))]
    return outcome_difference(
        chosen,
        *outcomes,
        level=level,
        n_resamples=n_resamples,
        stratify=stratify,
        groups=groups,
        random_state=random_state,
        names=names,
    )


def outcome_difference(
    chosen: Measure,
    a: Outcome,
    b: Outcome,
    *,
    level: float = 0.95,
    n_resamples: int = 2000,
    stratify: bool = False,
    groups: Any = None,
    random_state: Any = None,
    names: Sequence[str] = ("a", "b"),
) -> TestResult:
    """``bootstrap_difference`` of two outcomes on the same rows."""
    chosen.check_comparable()
    name, names = "paired bootstrap", checked_names(names, 2)
    scores = dict(zip(names, (float(chosen.compute(each)) for each in (a, b)), strict=True))
    undefined = [each for each, score in scores.items() if not np.isfinite(score)]
    if undefined:
        raise DataError(f"{chosen.label} of {' and '.join(undefined)} is undefined on these rows.", "a score of both")
    if n_resamples < 2:
        raise DataError(f"n_resamples={n_resamples}.", "at least 2, better 2000")
    if len(a) < 2:
        raise DataError("one test row.", "at least two: a single row has no spread")
    draws, states = Draws.of(a, stratify, groups), seeds_of(seeds(random_state, 1)[0], n_resamples)
    first, second = scores.values()
    value, scale = first - second, max(abs(first), abs(second))
    value = float(without_noise(np.array(value), scale))
    by = _percentiles if isinstance(chosen.form_of(a), Whole) else _bootstrap_t
    found = _without_decision(chosen, a, by(chosen, (a, b), (value, scale), draws, states, level))
    effect = Estimate(value, found.low, found.high, level, f"{found.method}, {n_resamples:,} draws", len(a))
    pairing = Pairing(names, counted(len(a), "row"), chosen.greater_is_better)
    same = value == 0 and not found.error
    sentence = pairing.no_difference(name) if same else pairing.conclusion(effect, found.pvalue, name)
    details = {"scores": scores, "standard_error": found.error}
    return TestResult(
        name, value, None, found.pvalue, effect, len(a), sentence, "difference", found.note, names, details
    )


class _DifferenceEnds(NamedTuple):
    """Ends of the interval and p-value of a difference, its standard error, the method and a caution."""

    low: float
    high: float
    pvalue: float
    error: float
    method: str
    note: str = ""


def _bootstrap_t(
    chosen: Measure,
    both: tuple[Outcome, Outcome],
    apart: tuple[float, float],
    draws: Draws,
    states: np.ndarray,
    level: float,
) -> _DifferenceEnds:
    """The symmetric bootstrap-t of the rows' contributions, and of one more to either side.

    both : the outcomes. apart : their difference, and the size of the scores.
    """
    value, scale = apart
    moves = np.subtract(*(influence(chosen.form_of(each), each, draws) for each in both))
    units = without_noise(value + len(moves) * moves, scale)
    farthest = float(np.abs(units).max())
    units = np.append(units, np.copysign([farthest, -farthest], [value, -value]))  # swapped models swap them
    form, rows, draws = Sums((units,), mean), Outcome(units), draws.with_more(2)
    error = standard_error(form, rows, draws)
    drawn = Resamples.draw([form], rows, draws, states, studentise=[True])
    if error == 0:
        return _DifferenceEnds(value, value, 1.0, error, "bootstrap-t")
    assert drawn.errors[0] is not None
    t = np.abs(drawn.values[0] - units.mean()) / np.maximum(drawn.errors[0], _LEAST * error)
    pvalue = (1 + np.count_nonzero(t >= abs(value) / error)) / (1 + len(t))
    half = float(np.quantile(t, level, method="inverted_cdf")) * error
    reach = chosen.high - chosen.low  # no difference exceeds it
    return _DifferenceEnds(max(value - half, -reach), min(value + half, reach), pvalue, error, "bootstrap-t")


def _percentiles(
    chosen: Measure,
    both: tuple[Outcome, Outcome],
    apart: tuple[float, float],
    draws: Draws,
    states: np.ndarray,
    level: float,
) -> _DifferenceEnds:
    """The middle of the drawn differences; p is twice the share of them on the far side of zero, one added."""
    first, second = (Resamples.draw([chosen.form_of(each)], each, draws, states).values[0] for each in both)
    drawn, note = _drop_undefined(without_noise(first - second, apart[1]), chosen)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    beyond = min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
    pvalue = min(1.0, 2 * (1 + beyond) / (1 + len(drawn)))
    return _DifferenceEnds(float(low), float(high), pvalue, float(drawn.std(ddof=1)), "percentile bootstrap", note)


def _without_decision(chosen: Measure, outcome: Outcome, found: _DifferenceEnds) -> _DifferenceEnds:
    """Without a decision where one of two classes has too few rows for a measure that single rows may move far."""
    bounded = chosen.decomposes and np.isfinite([chosen.low, chosen.high]).all()
    if len(outcome.classes) != 2 or bounded:
        return found
    counts = np.bincount(outcome.actual, minlength=2)
    if counts.min() >= _RARE:
        return found
    reach, rarer = chosen.high - chosen.low, outcome.classes[counts.argmin()]
    note = f"{counted(int(counts.min()), 'row')} of class {rarer!r}: too few to compare by {chosen.label}."
    return _DifferenceEnds(-reach, reach, 1.0, found.error, f"unknown, {note[:-1]}", note)


def _drop_undefined(drawn: np.ndarray, chosen: Measure) -> tuple[np.ndarray, str]:
    """The differences that are defined, and a note on the others."""
    kept = drawn[np.isfinite(drawn)]
    lost = len(drawn) - len(kept)
    if not lost:
        return kept, ""
    undefined = f"{chosen.label} is undefined on {lost:,} of {len(drawn):,} draws"
    if lost > len(drawn) / 2:
        raise DataError(f"{undefined}.", "a score on most of them", "Test on more rows of each class.")
    return kept, f"{undefined}, which are left out."
