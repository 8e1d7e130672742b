"""Tests of independence of the response and each column of a node, and their adjustment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from probus.parallel import chunked, thread_count
from probus.tree.conditional._pvalue import bonferroni, log_pvalues
from probus.tree.conditional._statistic import column_statistics, shuffled_statistics


@dataclass(frozen=True, eq=False)
class IndependenceData:
    """The data of the tests: columns (levels as codes), responses and weights."""

    columns: np.ndarray
    n_levels: np.ndarray
    h: np.ndarray
    w: np.ndarray

    def statistics(self, rows: np.ndarray, answers: np.ndarray, maximum: bool) -> tuple[np.ndarray, np.ndarray]:
        """The statistic and degrees of freedom of each column, for rows with the responses ``h[answers]``."""
        d = len(self.columns)
        statistic, freedom = np.empty(d), np.empty(d, np.int64)

        def part(first: int, last: int) -> None:
            column_statistics(
                self.columns, self.n_levels, self.h, self.w, rows, answers, maximum, first, last, statistic, freedom
            )

        chunked(part, d, thread_count(None, 4.0 * len(rows) * d * (1 + self.h.shape[1])))
        return statistic, freedom


@dataclass(frozen=True, eq=False)
class Tests:
    """For each column of a node: the statistic, the logarithm of its p-value, and the adjusted p-value.

    All are NaN if there is nothing to test.
    """

    statistic: np.ndarray
    log_p: np.ndarray
    pvalue: np.ndarray

    def significant(self, alpha: float) -> np.ndarray:
        """The columns with p-values below alpha, the smallest first; ties in column order."""
        order = np.argsort(self.log_p.round(9), kind="stable")  # rounded, so that rounding errors do not break ties
        return order[self.pvalue[order] < alpha]


@dataclass(frozen=True)
class Independence:
    """The settings of the tests: the parameters of the estimators of the same names."""

    teststat: str
    testtype: str
    n_resamples: int
    seed: int

    def tests(self, cases: IndependenceData, rows: np.ndarray, node: int) -> Tests:
        """The tests of all columns in a node; its index seeds the permutations."""
        maximum = self.teststat == "maximum"
        statistic, freedom = cases.statistics(rows, rows, maximum)
        log_p = log_pvalues(statistic, freedom, maximum)
        if self.testtype == "bonferroni":
            return Tests(statistic, log_p, bonferroni(log_p))
        if self.testtype == "univariate":
            return Tests(statistic, log_p, np.exp(log_p))
        return Tests(statistic, log_p, self._permute(cases, rows, log_p, node))

    def _permute(self, cases: IndependenceData, rows: np.ndarray, log_p: np.ndarray, node: int) -> np.ndarray:
        """P-values by permutation of cases; a row of weight 3 is three cases."""
        each = np.repeat(rows, cases.w[rows].astype(np.int64))
        ones, maximum = np.ones(len(cases.w)), self.teststat == "maximum"

        def log_p_of(shuffles: np.ndarray) -> np.ndarray:
            shape = len(shuffles), len(log_p)
            statistic, freedom = np.empty(shape), np.empty(shape, np.int64)
            shuffled_statistics(
                cases.columns, cases.n_levels, cases.h, ones, each, shuffles, maximum, statistic, freedom
            )
            return log_pvalues(statistic, freedom, maximum)

        seed = np.random.SeedSequence(self.seed, spawn_key=(node,))
        return minimum_pvalues(log_p, log_p_of, each, self.n_resamples, seed)


# -- p-values by permuting the response, for all columns at once (Westfall and Young 1993, min-P) ------


_BATCH = 128  # permutations per random stream, independent of the number of threads
_ROUNDING = 1e-9


def minimum_pvalues(
    log_p: np.ndarray,
    log_p_of: Callable[[np.ndarray], np.ndarray],
    answers: np.ndarray,
    n_resamples: int,
    seed: np.random.SeedSequence,
) -> np.ndarray:
    """The share of permutations in which the smallest p-value of all columns is at most that of each column.

    Permuting the response keeps the dependence between columns, so that the adjustment is not conservative. The
    observed data count as one of the permutations.

    log_p : of each column, as observed. answers : the row whose response each case has. log_p_of : for rows of such
    answers, the p-values of the columns.
    """
    streams = seed.spawn(-(-n_resamples // _BATCH))
    smallest = np.empty(n_resamples)

    def shuffled(start: int, stop: int) -> None:
        rng = np.random.default_rng(streams[start // _BATCH])
        shuffles = rng.permuted(np.tile(answers, (stop - start, 1)), axis=1)
        smallest[start:stop] = np.fmin.reduce(log_p_of(shuffles), axis=1, initial=0.0)

    chunked(shuffled, n_resamples, thread_count(None, 10.0 * n_resamples * len(answers) * len(log_p)), chunk=_BATCH)
    as_small = smallest[:, None] <= log_p * (1.0 - _ROUNDING)
    return np.where(np.isnan(log_p), np.nan, (1 + as_small.sum(axis=0)) / (1 + n_resamples))
