"""What a test between models found: the numbers, the difference with its interval, and one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from probus.errors import DataError
from probus.metrics.estimates import Estimate

__all__ = ["TestResult"]


@dataclass(frozen=True, repr=False)
class TestResult:
    """The result of a test of the hypothesis that models are equally good.

    Parameters
    ----------
    name : the test.
    statistic : its value; ``symbol`` is what textbooks call it.
    df : its degrees of freedom, a pair for an F, None where it has none.
    pvalue : two-sided, adjusted where many pairs were tested.
    effect : how far apart the models are, the first minus the second, with its interval.
    n : the number of rows, splits or data sets behind it.
    sentence : what may be concluded at the level of the effect's interval.
    note : what to be wary of; empty where there is nothing.
    names : the models compared.
    details : further numbers of this test, by name.

    >>> effect = Estimate(0.012, -0.009, 0.033, method="corrected t", n=10)
    >>> TestResult("corrected resampled t-test", 1.29, 9, 0.23, effect, 10, "a and b cannot be told apart", "t")
    a and b cannot be told apart
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

    def significant(self, alpha: float = 0.05) -> bool:
        """Whether the models differ at that significance level."""
        return bool(self.pvalue < alpha)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {**vars(self), "effect": self.effect.to_dict(), "details": dict(self.details)}

    def to_frame(self) -> Any:
        """A polars frame of one row."""
        return frame_of([self])

    def __repr__(self) -> str:
        return "\n  ".join(filter(None, [self.sentence, self._numbers(), self.note]))

    def _repr_html_(self) -> str:
        note = f"<br><i>{escape(self.note)}</i>" if self.note else ""
        small = f'<span style="opacity:.7">{escape(self._numbers())}</span>'
        return f"<p><b>{escape(self.sentence)}</b><br>{small}{note}</p>"

    def _numbers(self) -> str:
        if self.df is None:
            df = ""
        elif isinstance(self.df, tuple):
            df = f"df = {self.df[0]:g} and {self.df[1]:g}, "
        else:
            df = f"df = {self.df:g}, "
        return f"{self.symbol} = {self.statistic:.4g}, {df}{p_text(self.pvalue)}"


def frame_of(results: Sequence[TestResult]) -> Any:
    """A polars frame, one row per result."""
    import polars as pl

    rows = []
    for result in results:
        first, second = result.df if isinstance(result.df, tuple) else (result.df, None)
        rows.append(
            {
                "models": list(result.names),
                "test": result.name,
                "statistic": float(result.statistic),
                "df": None if first is None else float(first),
                "df_denominator": None if second is None else float(second),
                "pvalue": float(result.pvalue),
                "difference": result.effect.value,
                "low": result.effect.low,
                "high": result.effect.high,
                "level": result.effect.level,
                "n": result.n,
                "sentence": result.sentence,
            }
        )
    return pl.DataFrame(rows)


# -- words ---------------------------------------------------------------------------------------------


def p_text(pvalue: float) -> str:
    """A p-value as print has it.

    >>> p_text(0.2749), p_text(0.00012), p_text(1.0)
    ('p = 0.27', 'p < 0.001', 'p = 1')
    """
    if pvalue < 0.001:
        return "p < 0.001"
    return f"p = {pvalue:.2g}" if pvalue > 0.01 else f"p = {pvalue:.1g}"


def counted(n: int, what: str) -> str:
    """A number with its noun.

    >>> counted(1, "row"), counted(1234, "data set")
    ('1 row', '1,234 data sets')
    """
    return f"{n:,} {what}{'s' * (n != 1)}"


@dataclass(frozen=True)
class Pairing:
    """Two models, where they met, and which way their scores get better: all that a sentence on them needs.

    >>> effect = Estimate(0.012, -0.009, 0.033)
    >>> Pairing(("A", "B"), "891 rows").conclusion(effect, 0.27, "corrected resampled t-test")
    'A and B cannot be told apart on 891 rows (difference 0.012 [-0.009, 0.033], p = 0.27, corrected resampled t-test)'
    """

    names: tuple[str, ...]
    where: str
    greater_is_better: bool = True

    def conclusion(self, effect: Estimate, pvalue: float, test: str, what: str = "difference") -> str:
        """Which beats which, or that they cannot be told apart, at the level of the effect's interval."""
        told = f"on {self.where} ({what} {effect}, {p_text(pvalue)}, {test})"
        if not pvalue < 1 - effect.level:
            return f"{self.names[0]} and {self.names[1]} cannot be told apart {told}"
        a_ahead = (effect.value > 0) == self.greater_is_better
        winner, loser = self.names if a_ahead else self.names[::-1]
        return f"{winner} beats {loser} {told}"

    def no_difference(self, test: str, do: str = "score") -> str:
        """That there is nothing to test."""
        return f"{self.names[0]} and {self.names[1]} {do} the same on all {self.where} (difference 0, p = 1, {test})"


def checked_names(names: Sequence[str], n_models: int) -> tuple[str, ...]:
    """One name for each model, as strings, none twice."""
    told = tuple(map(str, names))
    if len(told) != n_models or len(set(told)) != n_models:
        raise DataError(f"names {', '.join(map(repr, told))}.", f"{n_models} different names, one for each model")
    return told
