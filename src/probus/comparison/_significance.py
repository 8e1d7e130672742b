"""The result of a test between models: the numbers, the difference with its interval, and one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from probus.display import Notes, Result, p_text
from probus.errors import DataError
from probus.metrics import Estimate


@dataclass(frozen=True, repr=False)
class TestResult(Result):
    """The result of a test of the hypothesis that models are equally good.

    Parameters
    ----------
    name : the test.
    statistic : its value; ``symbol`` is what textbooks call it.
    df : its degrees of freedom, a pair for an F, None where it has none.
    pvalue : two-sided, adjusted where many pairs were tested.
    effect : how far apart the models are, the first minus the second, with its interval.
    n : the number of rows, splits or data sets behind it.
    sentence : the conclusion at the level of the effect's interval.
    symbol : what textbooks call the statistic.
    note : a caution; empty where there is none.
    names : the models compared.
    details : further numbers of this test, by name.
    decides : whether a small p-value makes one model the better: not where the effect is measured by more than the
        statistic is, and its interval does not agree.

    >>> effect = Estimate(0.012, -0.009, 0.033, method="corrected t", n=10)
    >>> TestResult("corrected resampled t-test", 1.29, 9, 0.23, effect, 10, "a and b: undecided on 10 splits", "t")
    a and b: undecided on 10 splits
      t = 1.29, df = 9, p = 0.23
    """

    __test__ = False  # the name is not an invitation to pytest

    name: str
    statistic: float
    df: float | tuple[float, float] | None
    pvalue: float
    effect: Estimate
    n: int
    sentence: str
    symbol: str = "statistic"
    note: str = ""
    names: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    decides: bool = True

    def significant(self, alpha: float = 0.05) -> bool:
        """Whether the test rejects at that significance level that the models are equally good."""
        return bool(self.pvalue < alpha)

    def _parts(self) -> list[Notes | str]:
        return [self.sentence, Notes(list(filter(None, [self._numbers(), self.note])))]

    def _rows(self) -> list[dict[str, Any]]:
        first, second = self.df if isinstance(self.df, tuple) else (self.df, None)
        return [
            {
                "models": list(self.names),
                "test": self.name,
                "statistic": float(self.statistic),
                "df": None if first is None else float(first),
                "df_denominator": None if second is None else float(second),
                "pvalue": float(self.pvalue),
                "difference": self.effect.value,
                "low": self.effect.low,
                "high": self.effect.high,
                "level": self.effect.level,
                "n": self.n,
                "sentence": self.sentence,
            }
        ]

    def _numbers(self) -> str:
        if self.df is None:
            df = ""
        elif isinstance(self.df, tuple):
            df = f"df = {self.df[0]:g} and {self.df[1]:g}, "
        else:
            df = f"df = {self.df:g}, "
        return f"{self.symbol} = {self.statistic:.4g}, {df}{p_text(self.pvalue)}"


# -- words ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pairing:
    """Two models, the data they were compared on, and the orientation of their scores: what a sentence needs.

    >>> effect = Estimate(0.012, -0.009, 0.033)
    >>> Pairing(("A", "B"), "891 rows").conclusion(effect, 0.27, "corrected resampled t-test")
    'A and B: undecided on 891 rows (difference 0.012 [-0.009, 0.033], p = 0.27, corrected resampled t-test)'
    """

    names: tuple[str, ...]
    where: str
    greater_is_better: bool = True

    def conclusion(
        self, effect: Estimate, pvalue: float, test: str, what: str = "difference", decides: bool = True
    ) -> str:
        """Which beats which, or that the test is undecided, at the level of the effect's interval."""
        on = f"on {self.where} ({what} {effect}, {p_text(pvalue)}, {test})"
        if not (decides and pvalue < 1 - effect.level):
            return f"{self.names[0]} and {self.names[1]}: undecided {on}"
        a_ahead = (effect.value > 0) == self.greater_is_better
        winner, loser = self.names if a_ahead else self.names[::-1]
        return f"{winner} beats {loser} {on}"

    def no_difference(self, test: str, do: str = "score") -> str:
        """That there is nothing to test."""
        return f"{self.names[0]} and {self.names[1]} {do} the same on all {self.where} (difference 0, p = 1, {test})"


def checked_names(names: Sequence[str], n_models: int) -> tuple[str, ...]:
    """One name for each model, as strings, none twice."""
    distinct = tuple(map(str, names))
    if len(distinct) != n_models or len(set(distinct)) != n_models:
        raise DataError(f"names {', '.join(map(repr, distinct))}.", f"{n_models} different names, one for each model")
    return distinct
