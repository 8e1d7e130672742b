"""Every pair of models: their difference, a p-value that knows how many pairs there were, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from probus.comparison.bayesian import Posterior
from probus.comparison.cells import as_html, as_text
from probus.comparison.methods import Field, Method
from probus.comparison.multiple import holm_adjusted
from probus.comparison.results import TestResult, p_text
from probus.metrics import Estimate

__all__ = ["BEATS", "EQUAL", "LOSES", "UNDECIDED", "Pair", "Pairs", "judged", "judged_pairs", "verdict"]

BEATS, LOSES, UNDECIDED, EQUAL = "beats", "loses to", "cannot be told from", "practically equals"


@dataclass(frozen=True)
class Pair:
    """Two models and what a test says of them: read it as "a verdict b".

    difference : score of a minus score of b, or the difference of their average ranks, with its own interval.
    pvalue, adjusted : of this pair by itself, and allowing for all pairs; NaN where the test is Bayesian.
    verdict : "beats", "loses to", "cannot be told from", or "practically equals" (Bayesian).
    evidence : the adjusted p-value, or the probability, as print has it.
    """

    a: str
    b: str
    difference: Estimate
    pvalue: float
    adjusted: float
    verdict: str
    evidence: str

    @property
    def decided(self) -> bool:
        """Whether one beats the other."""
        return self.verdict in (BEATS, LOSES)

    def __repr__(self) -> str:
        return f"{self.a} {self.verdict} {self.b} (difference {self.difference}, {self.evidence})"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {**vars(self), "difference": self.difference.to_dict()}


class Pairs(Sequence[Pair]):
    """The pairs in the order of the leaderboard, also found by the two names.

    ``correction`` says in words how the p-values allow for the number of pairs, ``what`` what the differences are.
    """

    def __init__(self, pairs: Sequence[Pair], correction: str = "", what: str = "difference"):
        self.pairs = tuple(pairs)
        self.correction, self.what = correction, what

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[Pair]:
        return iter(self.pairs)

    def __getitem__(self, key: Any) -> Any:
        """A pair by its place, or by its two names in either order."""
        if isinstance(key, tuple):
            return {frozenset((pair.a, pair.b)): pair for pair in self.pairs}[frozenset(key)]
        return self.pairs[key]

    def of(self, name: str) -> tuple[Pair, ...]:
        """The pairs that the model is in."""
        return tuple(pair for pair in self.pairs if name in (pair.a, pair.b))

    # -- looks -----------------------------------------------------------------------------------------

    def _cells(self) -> list[list[str]]:
        head = ["a", "verdict", "b", self.what, "p", "adjusted p"]
        if self.pairs and math.isnan(self.pairs[0].pvalue):
            return [[*head[:4], "probability"], *([p.a, p.verdict, p.b, f"{p.difference}", p.evidence] for p in self)]
        rows = [
            [
                p.a,
                p.verdict,
                p.b,
                f"{p.difference}",
                *(p_text(value).removeprefix("p ").removeprefix("= ") for value in (p.pvalue, p.adjusted)),
            ]
            for p in self
        ]
        return [head, *rows]

    def __repr__(self) -> str:
        return as_text(self._cells()) + (f"\n{self.correction}" if self.correction else "")

    def _repr_html_(self) -> str:
        return as_html(self._cells(), self.correction)

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain data, for JSON."""
        return [pair.to_dict() for pair in self.pairs]

    def to_frame(self) -> Any:
        """A polars frame: a row per pair."""
        import polars as pl

        rows = []
        for pair in self.pairs:
            ends = {"difference": pair.difference.value, "low": pair.difference.low, "high": pair.difference.high}
            rest = {"pvalue": pair.pvalue, "adjusted": pair.adjusted, "verdict": pair.verdict}
            rows.append({"a": pair.a, "b": pair.b, **ends, **rest})
        return pl.DataFrame(rows)


def judged_pairs(field: Field, method: Method, alpha: float) -> Pairs:
    """Every pair of models tested, with Holm's correction over all pairs.

    All of them, not those with the best only: which model is best was found by looking at these very scores, and the
    largest of many differences is large by selection.
    """
    assert method.run is not None
    found = [(a, b, method.run(field, a, b)) for a, b in combinations(field.results, 2)]
    return judged(found, field.measure.greater_is_better, alpha)


def judged(found: Sequence[tuple[str, str, TestResult | Posterior]], greater_is_better: bool, alpha: float) -> Pairs:
    """Pairs with their verdicts, p-values adjusted by Holm's method where there are several."""
    posteriors = [(a, b, test) for a, b, test in found if isinstance(test, Posterior)]
    if posteriors:
        widest = max(test.rope_width for _, _, test in posteriors)
        said = f"probabilities of each pair by itself; differences up to {widest:.2g} count as none"
        return Pairs([_by_probability(a, b, test, alpha) for a, b, test in posteriors], said)
    tests = [(a, b, test) for a, b, test in found if isinstance(test, TestResult)]
    adjusted = holm_adjusted([test.pvalue for _, _, test in tests]).tolist()
    pairs = [
        Pair(a, b, test.effect, test.pvalue, p, verdict(test.effect.value, p, greater_is_better, alpha), p_text(p))
        for (a, b, test), p in zip(tests, adjusted, strict=True)
    ]
    return Pairs(pairs, f"p-values by Holm's method over all {len(pairs)} pairs" if len(pairs) > 1 else "")


def verdict(difference: float, pvalue: float, greater_is_better: bool, alpha: float) -> str:
    """What a difference with that p-value allows to say.

    >>> verdict(0.1, 0.01, True, alpha=0.05), verdict(0.1, 0.2, True, alpha=0.05)
    ('beats', 'cannot be told from')
    """
    if not pvalue < alpha:
        return UNDECIDED
    return BEATS if (difference > 0) == greater_is_better else LOSES


def _by_probability(a: str, b: str, test: Posterior, alpha: float) -> Pair:
    """The likeliest of three regions, where it is likely enough."""
    better, worse = (test.right, test.left) if test.greater_is_better else (test.left, test.right)
    said, chance = max(((BEATS, better), (LOSES, worse), (EQUAL, test.rope)), key=lambda each: each[1])
    evidence = f"probability {chance:.2f}" if chance < 0.995 else "probability > 0.99"
    if chance < 1 - alpha:
        said, evidence = UNDECIDED, f"better with probability {better:.2f}, worse {worse:.2f}, equal {test.rope:.2f}"
    return Pair(a, b, test.effect, math.nan, math.nan, said, evidence)
