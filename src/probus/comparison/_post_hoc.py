"""Which of many models differ, after Friedman's test has found that some do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from probus.comparison._holm_correction import holm_pvalues
from probus.comparison._ranks import RankTable, critical_difference, rank_error
from probus.comparison._significance import Pairing, TestResult
from probus.display import Notes, OnlyHtml, Results, counted, plain
from probus.errors import DataError


def nemenyi(
    scores: Any, *, names: Sequence[str] | None = None, greater_is_better: bool = True, level: float = 0.95
) -> PostHoc:
    """All pairs of models by Nemenyi's (1963) test: they differ where average ranks are a critical difference apart.

    The p-values come from the studentized range and hold for all pairs at once.

    Parameters
    ----------
    scores, names, greater_is_better, level : as in ``friedman``.

    Returns
    -------
    The pairs, with p-values and the critical difference.

    >>> after = nemenyi({"forest": [0.91, 0.84, 0.77, 0.95, 0.68], "k-NN": [0.88, 0.85, 0.72, 0.91, 0.66],
    ...                  "Zero-R": [0.55, 0.61, 0.50, 0.52, 0.49]})
    >>> after
    1 of 3 pairs differs on 5 data sets: forest beats Zero-R (Nemenyi, critical difference 1.48)
      average ranks: forest 1.20, k-NN 1.80, Zero-R 3.00
    >>> round(after["k-NN", "Zero-R"].pvalue, 3)
    0.139
    """
    from scipy.stats import studentized_range

    table = RankTable.of(scores, names, greater_is_better)
    pairs = list(combinations(range(table.k), 2))
    z = _z(table, pairs)
    pvalues = studentized_range.sf(np.abs(z) * np.sqrt(2), table.k, np.inf).clip(0, 1)
    distance = critical_difference(table.k, table.n, level)
    results = _results("Nemenyi", table, pairs, z, pvalues, distance, level)
    return PostHoc("Nemenyi", results, _average_ranks(table), table.n, level, distance)


def holm(
    scores: Any,
    control: str | None = None,
    *,
    names: Sequence[str] | None = None,
    greater_is_better: bool = True,
    level: float = 0.95,
) -> PostHoc:
    """A control against each other model, or all pairs, by z-tests on average ranks with Holm's (1979) adjustment.

    z = (R_i − R_j)/√(k(k + 1)/(6N)). Comparing with a control only makes fewer tests, each more powerful. The
    intervals are Bonferroni's, which hold for all pairs at once and are a little longer than the tests need.

    Parameters
    ----------
    control : the name of the model the others are compared with; None for all pairs.
    scores, names, greater_is_better, level : as in ``friedman``.

    Returns
    -------
    The pairs, with adjusted p-values and intervals.

    >>> holm({"forest": [0.91, 0.84, 0.77, 0.95, 0.68], "k-NN": [0.88, 0.85, 0.72, 0.91, 0.66],
    ...       "Zero-R": [0.55, 0.61, 0.50, 0.52, 0.49]}, control="Zero-R")
    1 of 2 pairs differs on 5 data sets: forest beats Zero-R (Holm)
      average ranks: forest 1.20, k-NN 1.80, Zero-R 3.00
    """
    from scipy.stats import norm

    table = RankTable.of(scores, names, greater_is_better)
    pairs = list(combinations(range(table.k), 2))
    if control is not None:
        chosen = _place(control, table.names)
        pairs = [(chosen, j) for j in range(table.k) if j != chosen]
    z = _z(table, pairs)
    pvalues = holm_pvalues(2 * norm.sf(np.abs(z)))
    half_width = float(norm.ppf(1 - (1 - level) / (2 * len(pairs)))) * rank_error(table.k, table.n)
    results = _results("Holm", table, pairs, z, pvalues, half_width, level)
    return PostHoc("Holm", results, _average_ranks(table), table.n, level)


@dataclass(frozen=True, repr=False)
class PostHoc(Results[TestResult]):
    """Pairs of models with adjusted p-values: a sequence of results, also found by the two names in either order.

    Attributes
    ----------
    name : the name of the test.
    items : the result of each pair.
    average_ranks : the average rank of every model, 1 the best.
    n : the number of data sets.
    level : the confidence level of the intervals.
    critical_difference : of Nemenyi's test; None otherwise.
    """

    name: str
    items: tuple[TestResult, ...]
    average_ranks: dict[str, float]
    n: int
    level: float
    critical_difference: float | None = None

    def _key(self, result: TestResult) -> frozenset[str]:
        return frozenset(result.names)

    @property
    def sentence(self) -> str:
        """Which pairs differ, in words."""
        differing = [result for result in self if result.significant(1 - self.level)]
        method = self.name
        if self.critical_difference is not None:
            method += f", critical difference {self.critical_difference:.2f}"
        count = f"{len(differing) or 'none'} of {len(self)} pairs differ{'s' * (len(differing) == 1)}"
        ordered = [result.names if result.effect.value < 0 else result.names[::-1] for result in differing]
        beaten = "; ".join(f"{winner} beats {loser}" for winner, loser in ordered)
        return f"{count} on {counted(self.n, 'data set')}{': ' * bool(beaten)}{beaten} ({method})"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        found = {**vars(self), "results": self.items}
        return {name: plain(value) for name, value in found.items() if name != "items"}

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each pair."""
        return [row for result in self for row in result._rows()]

    def plot(self, axes: Any = None) -> Any:
        """The critical-difference diagram."""
        from probus.comparison._difference_diagram import difference_diagram

        if self.critical_difference is None:
            raise DataError(
                f"{self.name}'s test has no one critical difference to draw.", "Nemenyi's test", "Plot nemenyi(…)."
            )
        ranks = self.average_ranks
        return difference_diagram(list(ranks.values()), self.critical_difference, list(ranks), axes=axes)

    def _parts(self) -> list[Any]:
        ordered = sorted(self.average_ranks.items(), key=lambda each: each[1])
        ranks = ", ".join(f"{name} {rank:.2f}" for name, rank in ordered)
        pairs = OnlyHtml(Notes([result.sentence for result in self]))
        return [self.sentence, Notes([f"average ranks: {ranks}"]), pairs]


def _z(table: RankTable, pairs: list[tuple[int, int]]) -> np.ndarray:
    first, second = np.array(pairs).T
    return (table.average[first] - table.average[second]) / rank_error(table.k, table.n)


def _results(
    test: str,
    table: RankTable,
    pairs: list[tuple[int, int]],
    z: np.ndarray,
    pvalues: np.ndarray,
    half_width: float,
    level: float,
) -> tuple[TestResult, ...]:
    found = []
    method = {"Nemenyi": "Nemenyi, all pairs at once", "Holm": "Bonferroni, all pairs at once"}[test]
    for (i, j), statistic, pvalue in zip(pairs, z.tolist(), pvalues.tolist(), strict=True):
        effect = table.difference(i, j, half_width, level, method)
        names = (table.names[i], table.names[j])
        pairing = Pairing(names, counted(table.n, "data set"), greater_is_better=False)
        sentence = pairing.conclusion(effect, pvalue, f"{test} test", "difference of average ranks")
        result = TestResult(f"{test} test", statistic, None, pvalue, effect, table.n, sentence, "z", names=names)
        found.append(result)
    return tuple(found)


def _average_ranks(table: RankTable) -> dict[str, float]:
    return dict(zip(table.names, table.average.tolist(), strict=True))


def _place(name: str, names: tuple[str, ...]) -> int:
    if name not in names:
        raise DataError(f"control={name!r}.", f"one of the models {', '.join(map(repr, names))}")
    return names.index(name)
