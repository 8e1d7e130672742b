"""Every pair of models: their difference, a p-value that knows how many pairs there were, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from probus.comparison._bayesian import Posterior
from probus.comparison._holm_correction import holm_pvalues
from probus.comparison._methods import ComparedResults, Method, margin_of
from probus.comparison._paired_rows import JointDistribution
from probus.comparison._significance import TestResult
from probus.display import Cells, Results, p_text, rounded
from probus.metrics import Estimate

BEATS, LOSES, UNDECIDED, EQUAL = "beats", "loses to", "undecided", "practically equals"


@dataclass(frozen=True)
class Pair:
    """Two models and the result of a test between them, to be read as "a verdict b".

    Attributes
    ----------
    a, b : the names of the models.
    difference : score of a minus score of b, or the difference of their average ranks, with its own interval.
    pvalue, adjusted : of this pair alone, and adjusted for the number of models; NaN where the test is Bayesian.
    verdict : "beats", "loses to", "undecided", or "practically equals": the interval of the difference lies within the
        margin below which differences do not matter.
    evidence : the adjusted p-value, or the probability, as text.
    detectable : the difference that would have been found in 80 % of samples like this one; NaN where it is not known,
        or where none is so large.
    """

    a: str
    b: str
    difference: Estimate
    pvalue: float
    adjusted: float
    verdict: str
    evidence: str
    detectable: float = math.nan

    @property
    def decided(self) -> bool:
        """Whether one beats the other."""
        return self.verdict in (BEATS, LOSES)

    def __repr__(self) -> str:
        both = f"{self.a} {self.verdict} {self.b}" if self.verdict != UNDECIDED else f"{self.a} and {self.b}: undecided"
        return f"{both} (difference {self.difference}, {self.evidence})"


class Pairs(Results[Pair]):
    """The pairs in the order of the leaderboard, also found by the two names.

    Attributes
    ----------
    pairs : the pairs.
    correction : how the p-values are adjusted for the number of pairs.
    what : what the differences are.
    margin : the difference below which models count as practically equal; None where the test has none.
    """

    def __init__(
        self, pairs: Sequence[Pair], correction: str = "", what: str = "difference", margin: float | None = None
    ):
        super().__init__(pairs)
        self.correction, self.what, self.margin = correction, what, margin

    def _key(self, pair: Pair) -> frozenset[str]:
        return frozenset((pair.a, pair.b))

    def of(self, name: str) -> tuple[Pair, ...]:
        """The pairs that the model is in."""
        return tuple(pair for pair in self if name in (pair.a, pair.b))

    def _parts(self) -> list[Cells | str]:
        bayesian = len(self) and math.isnan(self[0].pvalue)
        rows = [["a", "verdict", "b", self.what, *(["probability"] if bayesian else ["p", "adjusted p"])]]
        for p in self:
            numbers = [p_text(value).removeprefix("p ").removeprefix("= ") for value in (p.pvalue, p.adjusted)]
            rows.append([p.a, p.verdict, p.b, f"{p.difference}", *([p.evidence] if bayesian else numbers)])
        return [Cells(rows), self.correction] if self.correction else [Cells(rows)]

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each pair."""
        rows = []
        for pair in self:
            ends = {"difference": pair.difference.value, "low": pair.difference.low, "high": pair.difference.high}
            rest = {"pvalue": pair.pvalue, "adjusted": pair.adjusted, "verdict": pair.verdict}
            rest |= {"detectable": pair.detectable}
            rows.append({"a": pair.a, "b": pair.b, **ends, **rest})
        return rows


def judged_pairs(field: ComparedResults, method: Method, alpha: float, baseline: str | None = None) -> Pairs:
    """Every pair of models tested, with p-values adjusted for all of them.

    For all, not only for those with the best: the same scores chose the best model, and the largest of many differences
    is large by selection. The baseline, named beforehand, against the best is one planned comparison.
    """
    assert method.run is not None
    found = [(a, b, method.run(field, a, b)) for a, b in combinations(field.results, 2)]
    if method.name != "paired_rows":
        return judge(found, field.measure.greater_is_better, alpha)
    tested = {name: each for name, each in field.tested.items() if each is not None}
    joint = JointDistribution(tested)
    margin = field.margin
    if margin is None:
        margin = margin_of(field.measure, *(each.value for each in tested.values()))
    largest = joint.largest()
    pairs = []
    for a, b, test in found:
        assert isinstance(test, TestResult)
        assert isinstance(test.df, (int, float))
        planned = b == baseline and a == next(iter(field.results))
        against = (
            joint.largest([(name, b) for name in joint.names if name != b], one_sided=True) if planned else largest
        )
        df, p = test.df, test.pvalue
        if len(joint.names) > 2:
            df = test.details["df_of_largest"]
            p = joint.pvalue(test.statistic, df)
        p = joint.adjusted(p, against, one_sided=planned)
        see = joint.detectable(test.details["standard_error"], df, against, alpha)
        see = see if see < field.measure.high - field.measure.low else math.nan
        result = verdict(test.effect.value, p, field.measure.greater_is_better, alpha)
        if max(abs(test.effect.low), abs(test.effect.high)) <= margin:
            result = EQUAL
        pairs.append(Pair(a, b, test.effect, test.pvalue, p, result, p_text(p), see))
    return Pairs(pairs, _adjustment(len(tested), baseline if baseline in tested else None), margin=margin)


def _adjustment(n_models: int, baseline: str | None) -> str:
    if n_models < 3:
        return ""
    text = f"p-values are adjusted for the largest difference among {n_models} models"
    return text + (f"; {baseline} against the best is one planned comparison" if baseline is not None else "")


def judge(found: Sequence[tuple[str, str, TestResult | Posterior]], greater_is_better: bool, alpha: float) -> Pairs:
    """Pairs with their verdicts, p-values adjusted by Holm's method where there are several."""
    posteriors = [(a, b, test) for a, b, test in found if isinstance(test, Posterior)]
    if posteriors:
        widest = max(test.rope_width for _, _, test in posteriors)
        how = f"probabilities of each pair alone; differences up to {rounded(widest, 2)} count as none"
        return Pairs([_by_probability(a, b, test, alpha) for a, b, test in posteriors], how)
    tests = [(a, b, test) for a, b, test in found if isinstance(test, TestResult)]
    adjusted = holm_pvalues([test.pvalue for _, _, test in tests]).tolist()
    pairs = []
    for (a, b, test), p in zip(tests, adjusted, strict=True):
        result = verdict(test.effect.value, p, greater_is_better, alpha) if test.decides else UNDECIDED
        pairs.append(Pair(a, b, test.effect, test.pvalue, p, result, p_text(p)))
    return Pairs(pairs, f"p-values by Holm's method over all {len(pairs)} pairs" if len(pairs) > 1 else "")


def verdict(difference: float, pvalue: float, greater_is_better: bool, alpha: float) -> str:
    """The verdict on a difference with that p-value.

    >>> verdict(0.1, 0.01, True, alpha=0.05), verdict(0.1, 0.2, True, alpha=0.05)
    ('beats', 'undecided')
    """
    if not pvalue < alpha:
        return UNDECIDED
    return BEATS if (difference > 0) == greater_is_better else LOSES


def _by_probability(a: str, b: str, test: Posterior, alpha: float) -> Pair:
    """The likeliest of three regions, where it is likely enough."""
    better, worse = (test.right, test.left) if test.greater_is_better else (test.left, test.right)
    likeliest, probability = max(((BEATS, better), (LOSES, worse), (EQUAL, test.rope)), key=lambda each: each[1])
    evidence = f"probability {probability:.2f}" if probability < 0.995 else "probability > 0.99"
    if probability < 1 - alpha:
        likeliest, evidence = (
            UNDECIDED,
            f"better with probability {better:.2f}, worse {worse:.2f}, equal {test.rope:.2f}",
        )
    return Pair(a, b, test.effect, math.nan, math.nan, likeliest, evidence)
