"""Tests on the scores of two models on the same splits or data sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from probus.comparison._significance import Pairing, TestResult, checked_names
from probus.display import counted
from probus.errors import DataError
from probus.metrics import Estimate

_NOISE = 12  # digits of the largest score that a difference is kept to; floats carry about 16
_MOST_DECIMALS = 300  # beyond, powers of ten overflow
_EXACT_UP_TO = 50  # differences for which the exact distribution of signed ranks is used, as in SciPy
_ZEROS = {"wilcox": "left out", "pratt": "ranked, then left out", "zsplit": "shared between both signs"}
_OPTIMISTIC = "Too optimistic: it ignores that the splits share training rows. Prefer corrected_resampled_ttest."
CONSTANT = "Every difference is the same, so their spread cannot be estimated: p = 0 is only the limit."


def resampled_ttest(
    scores_a: Any,
    scores_b: Any,
    *,
    level: float = 0.95,
    names: Sequence[str] = ("a", "b"),
    greater_is_better: bool = True,
    n_rows: int | None = None,
) -> TestResult:
    """The paired t-test on scores over k random splits: t = q̄ √k / s with k − 1 degrees of freedom.

    q̄ is the mean (a sum without 1/k in some course notes) and s the standard deviation of the differences. The splits
    share training rows, so their scores are not independent, s is too small and the test rejects too often (Dietterich
    1998). Use ``corrected_resampled_ttest``; this one is here for comparison.

    Parameters
    ----------
    scores_a, scores_b : one score of each model per split, in the same order.
    level : of the interval around the mean difference; the sentence calls a difference at 1 − level.
    names : of the two models, for the sentence.
    greater_is_better : False where the scores are losses.
    n_rows : the number of rows behind the splits, for the sentence.

    Returns
    -------
    The statistic, the p-value and the mean difference with its interval.

    >>> resampled_ttest([0.82, 0.85, 0.80, 0.84, 0.83], [0.80, 0.81, 0.79, 0.82, 0.79])
    a beats b on 5 splits (difference 0.026 [0.009, 0.043], p = 0.012, resampled t-test)
      t = 4.333, df = 4, p = 0.012
      Too optimistic: it ignores that the splits share training rows. Prefer corrected_resampled_ttest.
    """
    names = checked_names(names, 2)
    d = differences(scores_a, scores_b, names)
    pairing = Pairing(names, place(d, n_rows), greater_is_better)
    return _t_result("resampled t-test", d, 1 / len(d), level, pairing, _OPTIMISTIC)


def corrected_resampled_ttest(
    scores_a: Any,
    scores_b: Any,
    test_to_train: float,
    *,
    level: float = 0.95,
    names: Sequence[str] = ("a", "b"),
    greater_is_better: bool = True,
    n_rows: int | None = None,
) -> TestResult:
    """The t-test of Nadeau and Bengio (2003): t = q̄ / (s √(1/k + n_test/n_train)), k − 1 degrees of freedom.

    The second term under the root accounts for the overlap of the training sets. For r repeats of f-fold
    cross-validation k is r·f (Bouckaert and Frank 2004).

    Parameters
    ----------
    scores_a, scores_b : one score of each model per split, in the same order.
    test_to_train : rows tested over rows trained on, n_test/n_train: 1/9 for ten folds.
    level, names, greater_is_better, n_rows : as in ``resampled_ttest``.

    Returns
    -------
    The statistic, the p-value and the mean difference with its interval.

    >>> corrected_resampled_ttest([0.82, 0.85, 0.80, 0.84, 0.83], [0.80, 0.81, 0.79, 0.82, 0.79], 1 / 4, n_rows=891)
    a beats b on 891 rows (difference 0.026 [0.001, 0.051], p = 0.045, corrected resampled t-test)
      t = 2.889, df = 4, p = 0.045
    """
    ratio = checked_ratio(test_to_train)
    names = checked_names(names, 2)
    d = differences(scores_a, scores_b, names)
    pairing = Pairing(names, place(d, n_rows), greater_is_better)
    return _t_result("corrected resampled t-test", d, 1 / len(d) + ratio, level, pairing)


def wilcoxon(
    scores_a: Any,
    scores_b: Any,
    *,
    zero_method: str = "wilcox",
    level: float = 0.95,
    names: Sequence[str] = ("a", "b"),
    greater_is_better: bool = True,
) -> TestResult:
    """Wilcoxon's (1945) signed-rank test on scores over data sets, W the smaller sum of ranks.

    Meant for one pair of scores per data set (Demšar 2006): they are independent, splits of one data set are not. The
    p-value is SciPy's: exact up to 50 differences, or 13 where some are tied or zero, normal beyond. The effect is the
    estimate of Hodges and Lehmann (1963), the median of the means of all pairs of differences, with the interval
    between two of these means that the exact or normal distribution of W points to. Too few differences for the level
    (five or fewer for 95 %) leave it unbounded.

    Parameters
    ----------
    scores_a, scores_b : one score of each model per data set, in the same order.
    zero_method : differences of zero are left out ("wilcox"), ranked and then left out ("pratt"), or shared between
        both signs ("zsplit"). The effect keeps them.
    level, names, greater_is_better : as in ``resampled_ttest``.

    Returns
    -------
    The statistic, the p-value and the median difference with its interval.

    >>> wilcoxon([0.91, 0.84, 0.77, 0.95, 0.68, 0.88, 0.73], [0.88, 0.85, 0.72, 0.91, 0.66, 0.81, 0.67])
    a beats b on 7 data sets (difference 0.040 [0.010, 0.060], p = 0.031, Wilcoxon signed-rank test)
      W = 1, p = 0.031
    """
    from scipy import stats

    if zero_method not in _ZEROS:
        raise DataError(f"zero_method={zero_method!r}.", "one of " + ", ".join(map(repr, _ZEROS)))
    name = "Wilcoxon signed-rank test"
    names = checked_names(names, 2)
    d = differences(scores_a, scores_b, names, on="data sets")
    pairing = Pairing(names, counted(len(d), "data set"), greater_is_better)
    low, value, high = _hodges_lehmann(d, level)
    effect = Estimate(value, low, high, level, "Hodges–Lehmann", len(d))
    statistic, pvalue, sentence = 0.0, 1.0, pairing.no_difference(name)
    if d.any():
        found = stats.wilcoxon(d, zero_method=zero_method)
        statistic, pvalue = float(found.statistic), float(found.pvalue)
        sentence = pairing.conclusion(effect, pvalue, name)
    zeros = int((d == 0).sum())
    note = f"Differences of zero: {zeros} of {len(d)}, {_ZEROS[zero_method]}." if zeros else ""
    return TestResult(name, statistic, None, pvalue, effect, len(d), sentence, "W", note, names)


# -- input validation ---------------------------------------------------------------------------------------


def differences(scores_a: Any, scores_b: Any, names: tuple[str, ...], on: str = "splits") -> np.ndarray:
    """Scores of a minus scores of b, float64, rid of floating-point noise so that equal differences are equal."""
    a, b = (_scores(each, name, on) for each, name in zip((scores_a, scores_b), names, strict=True))
    if len(a) != len(b):
        raise DataError(
            f"{len(a)} scores of {names[0]} and {len(b)} of {names[1]}.", f"a score of each model on the same {on}"
        )
    if len(a) < 2:
        raise DataError(f"scores on {len(a)} of the {on}.", "at least two", "A single pair has no spread.")
    return without_noise(a - b, max(np.abs(a).max(), np.abs(b).max()))


def place(d: np.ndarray, n_rows: int | None) -> str:
    """The data on which the models were compared, for a sentence."""
    return counted(len(d), "split") if n_rows is None else counted(n_rows, "row")


def without_noise(values: np.ndarray, scale: float) -> np.ndarray:
    """Values rounded where floats of that scale hold only noise."""
    if scale == 0:
        return values
    decimals = min(_NOISE - int(np.ceil(np.log10(scale))), _MOST_DECIMALS)
    return np.round(values, decimals) + 0.0


def checked_ratio(test_to_train: float) -> float:
    """The ratio of rows tested to rows trained on, as a number above zero."""
    ratio = float(test_to_train)
    if not 0 < ratio < np.inf:
        raise DataError(f"test_to_train={test_to_train}.", "n_test / n_train, above zero", "Ten folds have 1/9.")
    return ratio


def _scores(values: Any, name: str, on: str) -> np.ndarray:
    try:
        scores = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"scores of {name} that are not numbers.", f"a number for each of the {on}") from None
    if scores.ndim != 1:
        raise DataError(f"scores of {name} of shape {scores.shape}.", f"a list of one score for each of the {on}")
    bad = int((~np.isfinite(scores)).sum())
    if bad:
        raise DataError(
            f"scores of {name}: {bad} of {len(scores)} are NaN or infinite.",
            f"a score on each of the {on}",
            "Where a model failed or a score is undefined, leave that pair out of both lists.",
        )
    return scores


# -- Student's t ---------------------------------------------------------------------------------------


def _t_result(name: str, d: np.ndarray, inflation: float, level: float, pairing: Pairing, note: str = "") -> TestResult:
    """The t-test whose mean difference has variance s² · inflation."""
    from scipy import stats

    df, mean, scale = len(d) - 1, float(d.mean()), spread(d) * math.sqrt(inflation)
    half_width = float(stats.t.ppf((1 + level) / 2, df)) * scale
    effect = Estimate(mean, mean - half_width, mean + half_width, level, name, len(d))
    if not d.any():
        statistic, pvalue, sentence = 0.0, 1.0, pairing.no_difference(name)
    else:
        statistic = mean / scale if scale else math.copysign(math.inf, mean)
        pvalue = float(2 * stats.t.sf(abs(statistic), df))
        sentence = pairing.conclusion(effect, pvalue, name)
        note = note if scale else f"{CONSTANT} {note}".rstrip()
    return TestResult(name, statistic, df, pvalue, effect, len(d), sentence, "t", note, pairing.names)


def spread(d: np.ndarray) -> float:
    """The standard deviation, exactly zero where all values are the same."""
    return float(d.std(ddof=1)) if np.ptp(d) > 0 else 0.0


# -- signed ranks --------------------------------------------------------------------------------------


def _hodges_lehmann(d: np.ndarray, level: float) -> tuple[float, float, float]:
    """Low, estimate and high: the median of the pairwise means and the two that the quantile of W selects."""
    n = len(d)
    first, second = np.triu_indices(n)
    means = np.sort((d[first] + d[second]) / 2)
    skipped = _signed_rank_quantile(n, (1 - level) / 2)
    value = float(np.median(means))
    if skipped < 1:
        return -np.inf, value, np.inf
    return float(means[skipped - 1]), value, float(means[-skipped])


def _signed_rank_quantile(n: int, tail: float) -> int:
    """The number c for which the c-th smallest and c-th largest pairwise mean hold 1 − 2·tail: P(W < c) ≤ tail."""
    from scipy import stats

    if n > _EXACT_UP_TO:
        mean, variance = n * (n + 1) / 4, n * (n + 1) * (2 * n + 1) / 24
        return int(np.floor(mean + stats.norm.ppf(tail) * np.sqrt(variance)))
    ways = np.zeros(n * (n + 1) // 2 + 1)
    ways[0] = 1.0
    for rank in range(1, n + 1):
        ways[rank:] = ways[rank:] + ways[:-rank]
    return int(np.searchsorted(np.cumsum(ways) / 2.0**n, tail, side="right"))
