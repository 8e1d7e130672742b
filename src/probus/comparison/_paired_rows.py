"""Differences between cross-validated scores, row by row, and p-values that know how many models there were."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from probus.comparison._significance import Pairing, TestResult
from probus.metrics import Estimate
from probus.model_selection import TestedRows, degrees_of_freedom, score_variance

NAME = "paired rows"

_DRAWS = 20_000
_ROUNDING = 1e-12  # differences this small beside the scores are rounding
_KNOWN = 20.0  # degrees of freedom, fewer than which are those of what was found, and not halved
_POWER = 0.8416  # the normal quantile of 80 %


def paired_rows_test(
    a: TestedRows,
    b: TestedRows,
    pairing: Pairing,
    level: float = 0.95,
    groups: np.ndarray | None = None,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> TestResult:
    """The t-test of the difference of two scores on the same splits.

    Its variance is that of one score's interval, of the differences row by row: over the rows tested and over the
    training sets (``score_variance``). ``groups`` are those of the rows of the task: few groups have few degrees of
    freedom. ``bounds`` are those of a score. Its ``details`` hold the standard error, and the degrees of freedom of the
    largest of many differences: that of a pair whose part of the training sets is estimated too small, too.
    """
    from scipy import stats

    apart = a.minus(b)
    found = score_variance(apart)
    n, scale = apart.n_units, math.sqrt(max(found.total, 0.0))
    df = degrees_of_freedom(found, n, groups)
    rounding = _ROUNDING * max(abs(a.value), abs(b.value))
    value = apart.value if abs(apart.value) > rounding else 0.0
    if scale <= rounding:  # the same on every row; one more row may differ by as much
        scale = abs(value) / n
    half_width = float(stats.t.ppf((1 + level) / 2, df)) * scale
    low, high = np.clip([value - half_width, value + half_width], *_possible(a, b, bounds)).tolist()
    effect = Estimate(value, low, high, level, NAME, n)
    statistic, pvalue, sentence = 0.0, 1.0, pairing.no_difference(NAME)
    if scale > 0:
        statistic = value / scale
        pvalue = JointDistribution.pvalue(statistic, df)
        sentence = pairing.conclusion(effect, pvalue, NAME)
    of_largest = degrees_of_freedom(replace(found, df=max(found.df / 2, min(found.df, _KNOWN))), n, groups)
    details = {"standard_error": scale, "df_of_largest": of_largest}
    return TestResult(NAME, statistic, df, pvalue, effect, n, sentence, "t", "", pairing.names, details)


def _possible(a: TestedRows, b: TestedRows, bounds: tuple[float, float]) -> tuple[float, float]:
    """The least and the largest difference that there can be; the ends of one that is certain are itself."""
    (low_a, high_a), (low_b, high_b) = (_ends(each, bounds) for each in (a, b))
    return low_a - high_b, high_a - low_b


def _ends(tested: TestedRows, bounds: tuple[float, float]) -> tuple[float, float]:
    return (tested.value, tested.value) if tested.certain else bounds


class JointDistribution:
    """How far apart the scores of models lie by chance, if all were equally good.

    The scores of m models vary together, as the covariance of their rows shows. Draws of m scores give the
    distribution of the largest standardised difference among all pairs (as in Tukey 1953, for any covariance), or
    between one model and all others (as in Dunnett 1955). A difference to the best model, which the same scores chose,
    is significant only if it is large as the largest of all pairs.
    """

    def __init__(self, tested: Mapping[str, TestedRows]):
        self.names = list(tested)
        rows = np.array([each.by_unit for each in tested.values()])
        covariance = rows @ rows.T
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        self.draws = np.random.default_rng(0).standard_normal((_DRAWS, len(rows))) @ root.T
        variance = np.diag(covariance)[:, None] + np.diag(covariance) - 2 * covariance
        self.scale = np.sqrt(
            np.where(variance > _ROUNDING**2 * max(float(np.trace(covariance)), 1e-300), variance, np.inf)
        )

    def largest(self, pairs: Sequence[tuple[str, str]] | None = None, one_sided: bool = False) -> np.ndarray:
        """The largest standardised difference of each draw, among the pairs, by default all."""
        pairs = list(combinations(self.names, 2)) if pairs is None else pairs
        largest = np.full(_DRAWS, -np.inf)
        for a, b in pairs:
            i, j = self.names.index(a), self.names.index(b)
            apart = (self.draws[:, i] - self.draws[:, j]) / self.scale[i, j]
            np.maximum(largest, apart if one_sided else np.abs(apart), out=largest)
        return np.sort(largest)

    @staticmethod
    def pvalue(statistic: float, df: float) -> float:
        """That of a t statistic, two-sided; 1 where it is 0."""
        from scipy import stats

        return float(2 * stats.t.sf(abs(statistic), df)) if statistic else 1.0

    @staticmethod
    def adjusted(pvalue: float, largest: np.ndarray, one_sided: bool = False) -> float:
        """The probability that the largest difference is as large as one with that two-sided p-value alone."""
        from scipy import stats

        z = float(stats.norm.isf(pvalue / 2))
        beyond = len(largest) - int(np.searchsorted(largest, z, side="left"))
        return max(pvalue / 2 if one_sided else pvalue, (beyond + 1) / (len(largest) + 1)) if pvalue < 1 else 1.0

    @staticmethod
    def detectable(standard_error: float, df: float, largest: np.ndarray, alpha: float) -> float:
        """The difference that is found significant in 80 % of samples; it is larger with few degrees of freedom."""
        from scipy import stats

        beyond = float(stats.norm.sf(np.quantile(largest, 1 - alpha)))
        return (float(stats.t.isf(beyond, df)) + _POWER) * standard_error
