"""Many models on many data sets: Friedman's test on their ranks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from probus.comparison._paired_scores import without_noise
from probus.comparison._significance import TestResult, checked_names
from probus.data import Table, is_frame
from probus.display import counted, p_text
from probus.errors import DataError
from probus.metrics import Estimate


def friedman(
    scores: Any,
    *,
    names: Sequence[str] | None = None,
    greater_is_better: bool = True,
    correct_ties: bool = True,
    level: float = 0.95,
) -> TestResult:
    """Friedman's (1937) test that k models rank alike on N data sets, with the F of Iman and Davenport (1980).

    With R_j the average rank of model j, 1 the best and ties sharing their ranks,
    χ² = 12N/(k(k + 1)) · (Σ R_j² − k(k + 1)²/4), divided by 1 − Σ (t³ − t)/(N k(k² − 1)) over the ties of t scores, and
    F = (N − 1)χ²/(N(k − 1) − χ²) with k − 1 and (k − 1)(N − 1) degrees of freedom: χ² itself is too cautious. Where
    all data sets rank the models in the same order F is infinite, and p is the exact probability of that, (k!)^(1 − N).

    Parameters
    ----------
    scores : a mapping or a frame with one column of scores per model, or a matrix with a row per data set and a column
        per model.
    names : of the models, where the scores do not name them.
    greater_is_better : False where the scores are losses.
    correct_ties : False leaves the division out, as Demšar (2006) does.
    level : of the interval of the effect, the distance between the last and the first average rank, which
        holds for all pairs at once (Nemenyi).

    Returns
    -------
    The statistic, the p-value and the largest difference of average ranks.

    >>> friedman({"forest": [0.91, 0.84, 0.77, 0.95, 0.68], "k-NN": [0.88, 0.85, 0.72, 0.91, 0.66],
    ...           "Zero-R": [0.55, 0.61, 0.50, 0.52, 0.49]})
    the 3 models do not rank alike on 5 data sets: forest is best, Zero-R worst
      (difference of average ranks 1.80 [0.32, 2.00], p < 0.001, Friedman test)
      F = 21, df = 2 and 8, p < 0.001
      Which pairs differ: nemenyi or holm.
    """
    table = RankTable.of(scores, names, greater_is_better)
    chi2, chi2_pvalue = _friedman_chi2(table, correct_ties)
    statistic, df, pvalue = _iman_davenport(chi2, table)
    ranks = table.average
    best, worst = int(ranks.argmin()), int(ranks.argmax())
    distance = critical_difference(table.k, table.n, level)
    effect = table.difference(worst, best, distance, level, "Nemenyi, all pairs at once")
    evidence = f"(difference of average ranks {effect}, {p_text(pvalue)}, Friedman test)"
    where = counted(table.n, "data set")
    if pvalue < 1 - level:
        extremes = f"{table.names[best]} is best, {table.names[worst]} worst"
        sentence = f"the {table.k} models do not rank alike on {where}: {extremes} {evidence}"
        note = "Which pairs differ: nemenyi or holm."
    else:
        sentence, note = f"undecided on {where} whether the {table.k} models differ {evidence}", ""
    details = {
        "average_ranks": dict(zip(table.names, ranks.tolist(), strict=True)),
        "chi2": chi2,
        "chi2_df": table.k - 1,
        "chi2_pvalue": chi2_pvalue,
        "concordance": chi2 / (table.n * (table.k - 1)),
    }
    return TestResult(
        "Friedman test", statistic, df, pvalue, effect, table.n, sentence, "F", note, table.names, details
    )


def critical_difference(n_models: int, n_data_sets: int, level: float = 0.95) -> float:
    """Nemenyi's (1963) critical difference of average ranks: q √(k(k + 1)/(6N)).

    q is the quantile of the studentized range of k values with infinite degrees of freedom, over √2.

    Parameters
    ----------
    n_models : k, the number of models.
    n_data_sets : N, the number of data sets.
    level : one minus the significance level.

    Returns
    -------
    The difference of average ranks from which on two models differ.

    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    return _range_quantile(n_models, level) / math.sqrt(2) * rank_error(n_models, n_data_sets)


@lru_cache(maxsize=64)
def _range_quantile(n_models: int, level: float) -> float:
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(level, n_models, np.inf))


def rank_error(n_models: int, n_data_sets: int) -> float:
    """The standard error of a difference of two average ranks of equally good models: √(k(k + 1)/(6N))."""
    return math.sqrt(n_models * (n_models + 1) / (6 * n_data_sets))


@dataclass(frozen=True, eq=False)
class RankTable:
    """The rank of each model on each data set, float64[N, k], 1 the best."""

    names: tuple[str, ...]
    ranks: np.ndarray

    @classmethod
    def of(cls, scores: Any, names: Sequence[str] | None, greater_is_better: bool) -> RankTable:
        """Rank the scores within each data set; ties share the mean of their ranks."""
        from scipy.stats import rankdata

        values, found = _score_matrix(scores)
        names = checked_names(names or found or [f"model {j + 1}" for j in range(values.shape[1])], values.shape[1])
        if values.shape[1] < 2:
            raise DataError(f"scores of {values.shape[1]} model.", "at least two models")
        if values.shape[0] < 2:
            raise DataError(
                f"scores on {values.shape[0]} data set.",
                "at least two data sets",
                "Compare models on a single data set with corrected_resampled_ttest or mcnemar.",
            )
        _check_finite(values, names)
        values = np.stack([without_noise(row, np.abs(row).max()) for row in values])
        return cls(names, rankdata(-values if greater_is_better else values, axis=1))

    @property
    def n(self) -> int:
        """The number of data sets."""
        return self.ranks.shape[0]

    @property
    def k(self) -> int:
        """The number of models."""
        return self.ranks.shape[1]

    @property
    def average(self) -> np.ndarray:
        """The average rank of each model."""
        return self.ranks.mean(axis=0)

    def difference(self, i: int, j: int, half_width: float, level: float, method: str) -> Estimate:
        """Average rank of model i minus that of j; no interval leaves the range of ranks."""
        value, most = float(self.average[i] - self.average[j]), self.k - 1.0
        return Estimate(value, max(value - half_width, -most), min(value + half_width, most), level, method, self.n)


def _friedman_chi2(table: RankTable, correct_ties: bool) -> tuple[float, float]:
    from scipy.stats import chi2

    n, k = table.n, table.k
    # centred, which is the textbook's formula without its cancellation
    statistic = 12 * n / (k * (k + 1)) * float(((table.average - (k + 1) / 2) ** 2).sum())
    if correct_ties:
        sizes = [np.unique(row, return_counts=True)[1] for row in table.ranks]
        tied = sum(float((t**3 - t).sum()) for t in sizes) / (n * k * (k * k - 1))
        statistic = statistic / (1 - tied) if tied < 1 else 0.0
    return statistic, float(chi2.sf(statistic, k - 1))


def _iman_davenport(chi2: float, table: RankTable) -> tuple[float, tuple[float, float], float]:
    from scipy.stats import f

    n, k = table.n, table.k
    df = (float(k - 1), float((k - 1) * (n - 1)))
    rest = n * (k - 1) - chi2
    if rest <= 1e-9 * n:
        return math.inf, df, float(math.exp((1 - n) * math.lgamma(k + 1)))
    statistic = (n - 1) * chi2 / rest
    return statistic, df, float(f.sf(statistic, *df))


def _score_matrix(scores: Any) -> tuple[np.ndarray, tuple[str, ...] | None]:
    """Scores as float64[N, k], and the names they came with."""
    if is_frame(scores) or isinstance(scores, Table):
        table = Table.of(scores)
        scores = {name: table[name].numbers_array() for name in table.names}
    if isinstance(scores, Mapping):
        columns = {str(name): np.asarray(column, dtype=np.float64) for name, column in scores.items()}
        sizes = {name: len(column) for name, column in columns.items()}
        if len(set(sizes.values())) != 1:
            raise DataError(f"scores per model: {sizes}.", "a score of each model on the same data sets")
        return np.column_stack(list(columns.values())), tuple(columns)
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 2:
        raise DataError(f"scores of shape {values.shape}.", "a matrix: a row per data set, a column per model")
    return values, None


def _check_finite(values: np.ndarray, names: tuple[str, ...]) -> None:
    bad = ~np.isfinite(values)
    if bad.any():
        model = int(bad.any(axis=0).argmax())
        raise DataError(
            f"scores of {names[model]}: {int(bad[:, model].sum())} of {len(values)} are NaN or infinite.",
            "a score of every model on every data set",
            "Leave out the data sets on which a model failed.",
        )
