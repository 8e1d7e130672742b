"""Rules between the items of frequent itemsets: how strong they are, how sure, and which are redundant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from probus.association._fisher import fisher_tails
from probus.association._itemsets import Itemsets
from probus.association._lift_interval import lift_interval
from probus.association._set_numbers import SetNumbers
from probus.display import Cells, Picture, Results, counted, p_text, percent
from probus.errors import DataError
from probus.metrics import Estimate
from probus.metrics.curves import wilson

_SHOWN = 20


@dataclass(frozen=True)
class Rule:
    """Baskets that hold the antecedent X hold the consequent Y too.

    Attributes
    ----------
    antecedent, consequent : the items of X, and those of Y.
    count : their number.
    support : share of the baskets that hold both.
    confidence : share of the baskets with X that hold Y, with Wilson's interval.
    lift : confidence divided by the share of all baskets that hold Y, with its interval.
    leverage : support less what it would be if X and Y were independent.
    conviction : how many times more often the rule would fail if they were; infinite if it never fails.
    improvement : confidence less that of the best rule for Y with fewer items in X, or none.
    pvalue : of Fisher's exact test that Y is no more frequent with X than without.
    adjusted : the p-value times the number of rules examined, at most 1.
    """

    antecedent: tuple[Any, ...]
    consequent: tuple[Any, ...]
    count: int
    support: float
    confidence: Estimate
    lift: Estimate
    leverage: float
    conviction: float
    improvement: float
    pvalue: float
    adjusted: float

    def __str__(self) -> str:
        return f"{', '.join(map(str, self.antecedent))} → {', '.join(map(str, self.consequent))}"


class Rules(Results[Rule]):
    """Rules, those with the smallest p-values first.

    Attributes
    ----------
    items : the rules.
    n_baskets : the number of baskets.
    examined : how many rules the p-values are corrected for.
    measured : how many rules were measured.
    """

    def __init__(self, items: Any, n_baskets: int, examined: int, measured: int):
        super().__init__(items)
        self.n_baskets, self.examined, self.measured = n_baskets, examined, measured

    def _key(self, item: Rule) -> str:
        return str(item)

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "antecedent": [str(label) for label in rule.antecedent],
                "consequent": [str(label) for label in rule.consequent],
                "count": rule.count,
                "support": rule.support,
                **_columns("confidence", rule.confidence),
                **_columns("lift", rule.lift),
                **{name: getattr(rule, name) for name in ("leverage", "conviction", "improvement", "pvalue")},
                "adjusted": rule.adjusted,
            }
            for rule in self.items
        ]

    def _parts(self) -> Iterator[Any]:
        yield (
            f"Rules: {len(self):,} of {counted(self.examined, 'rule')} examined in {counted(self.n_baskets, 'basket')}"
        )
        if len(self):
            head = ("rule", "support", "confidence", "lift", "corrected")
            rows = [
                (str(r), percent(r.support), f"{r.confidence:.2f}", f"{r.lift:.2f}", p_text(r.adjusted))
                for r in self.items[:_SHOWN]
            ]
            yield Cells([head, *rows], right=[1], margin=2)
            if len(self) > _SHOWN:
                yield f"  … and {len(self) - _SHOWN:,} more: see to_frame()"
            yield Picture(self.plot)

    def plot(self, ax: Any = None, named: int = 5) -> Any:
        """Support against confidence, coloured by lift; the first rules are named."""
        from probus.association._rule_plot import draw_rules

        return draw_rules(self, ax, named)


def association_rules(
    itemsets: Itemsets,
    *,
    min_confidence: float = 0.5,
    min_lift: float = 1.0,
    alpha: float | None = 0.05,
    max_consequent: int | None = 1,
    redundant: bool = False,
    level: float = 0.95,
    max_rules: int = 2_000_000,
) -> Rules:
    """The rules X → Y between the items of frequent itemsets.

    The p-value is Fisher's, one-sided, and is multiplied by the number of rules that the search examined, those that
    were not frequent enough included: where all items are independent, a rule is reported with a probability of at
    most ``alpha``.

    Parameters
    ----------
    itemsets : of ``frequent_itemsets``, all of them.
    min_confidence, min_lift : the least confidence and lift of a rule.
    alpha : the largest corrected p-value; None reports all.
    max_consequent : the most items of Y; None for any number.
    redundant : whether rules are kept that a rule with fewer items in X, and the same Y, equals in confidence.
    level : of the intervals.
    max_rules : more than so many to measure are an error.

    Returns
    -------
    The rules, with their measures and p-values.

    Examples
    --------
    >>> from probus.association import frequent_itemsets
    >>> baskets = [["bread", "butter"]] * 30 + [["bread"]] * 10 + [["milk"]] * 60
    >>> association_rules(frequent_itemsets(baskets, 0.05))
    Rules: 2 of 6 rules examined in 100 baskets
      rule            support  confidence         lift               corrected
      butter → bread     30 %  1.00 [0.89, 1.00]  2.50 [1.94, 3.13]  p < 0.001
      bread → butter     30 %  0.75 [0.60, 0.86]  2.50 [1.92, 3.18]  p < 0.001
    """
    _check(itemsets, min_confidence, alpha, max_consequent)
    limit = max_consequent or int(itemsets.lengths.max(initial=1))
    examined = sum(int(n) * _splits(length, limit) for length, n in enumerate(itemsets.examined) if length > 1)
    measured = sum(_splits(int(length), limit) for length in itemsets.lengths)
    if measured > max_rules:
        raise DataError(
            f"the {len(itemsets):,} itemsets give {measured:,} rules.",
            f"at most max_rules={max_rules:,}",
            "Raise min_support, lower max_consequent or max_length, or raise max_rules.",
        )
    found = _Measured(itemsets, limit)
    pvalues = fisher_tails(found.both, found.one, found.other, itemsets.n_baskets)
    adjusted = np.minimum(pvalues * examined, 1.0)
    improvement = found.confidence - found.best_of_more_general()
    keep = (found.confidence >= min_confidence) & (found.lift >= min_lift)
    keep &= adjusted <= (1.0 if alpha is None else alpha)
    keep &= redundant | (improvement > 1e-12)
    numbers = np.flatnonzero(keep)
    numbers = numbers[np.lexsort((-found.confidence[numbers], -found.lift[numbers], pvalues[numbers]))]
    rules = found.rules(numbers, level, improvement, pvalues, adjusted)
    return Rules(rules, itemsets.n_baskets, examined, measured)


class _Measured:
    """The counts of every rule: the numbers of its itemset and its consequent, and their baskets."""

    def __init__(self, itemsets: Itemsets, max_consequent: int):
        self.itemsets, self.sets = itemsets, SetNumbers(itemsets)
        whole, left, right, self.blocks = [], [], [], [0]
        for length in range(2, int(itemsets.lengths.max(initial=0)) + 1):
            numbers, codes = itemsets.of_length(length)
            for size in range(1, min(max_consequent, length - 1) + 1):
                for chosen in combinations(range(length), size):
                    rest = [place for place in range(length) if place not in chosen]
                    whole.append(numbers)
                    left.append(self.sets.of(codes[:, rest]))
                    right.append(self.sets.of(codes[:, list(chosen)]))
            self.blocks.append(sum(map(len, whole)))
        nothing = [np.empty(0, dtype=np.int64)]
        self.whole, self.left, self.right = (np.concatenate(nothing + part) for part in (whole, left, right))
        counts = itemsets.counts
        self.both, self.one, self.other = counts[self.whole], counts[self.left], counts[self.right]
        self.confidence = self.both / self.one
        self.lift = self.confidence / (self.other / itemsets.n_baskets)

    def best_of_more_general(self) -> np.ndarray:
        """The highest confidence of a rule for the same consequent with fewer items on the left, or none."""
        keys = self.whole * len(self.itemsets) + self.right
        order = np.argsort(keys)
        best = self.other / self.itemsets.n_baskets
        items, starts = self.itemsets.items, self.itemsets.starts
        lengths = self.itemsets.lengths
        for start, stop in zip(self.blocks, self.blocks[1:], strict=False):
            sizes = lengths[self.left[start:stop]]
            for size in np.unique(sizes[sizes > 1]):
                rules = start + np.flatnonzero(sizes == size)
                length = int(lengths[self.whole[rules[0]]])
                codes = items[starts[self.whole[rules]][:, None] + np.arange(length)]
                left = items[starts[self.left[rules]][:, None] + np.arange(size)]
                for place in range(size):
                    # the itemset without one item of the left side
                    fewer = codes[codes != left[:, [place]]].reshape(len(rules), length - 1)
                    parent = self.sets.of(fewer) * len(self.itemsets) + self.right[rules]
                    general = order[np.searchsorted(keys, parent, sorter=order)]
                    best[rules] = np.maximum.reduce([best[rules], best[general], self.confidence[general]])
        return best

    def rules(self, numbers: np.ndarray, level: float, improvement: Any, pvalues: Any, adjusted: Any) -> Iterator[Rule]:
        """Those rules."""
        n = self.itemsets.n_baskets
        both, one, other = (part[numbers] / n for part in (self.both, self.one, self.other))
        low, high = wilson(self.confidence[numbers], self.one[numbers], level)
        lift_low, lift_high = lift_interval(self.both[numbers], self.one[numbers], self.other[numbers], n, level)
        with np.errstate(divide="ignore", invalid="ignore"):
            conviction = (1 - other) / (1 - self.confidence[numbers])
        conviction[self.confidence[numbers] == 1] = np.inf
        for place, number in enumerate(numbers):
            lift, confidence = float(self.lift[number]), float(self.confidence[number])
            yield Rule(
                self.itemsets[self.left[number]].items,
                self.itemsets[self.right[number]].items,
                int(self.both[number]),
                float(both[place]),
                Estimate(confidence, float(low[place]), float(high[place]), level, "Wilson", int(self.one[number])),
                Estimate(lift, float(lift_low[place]), float(lift_high[place]), level, "Donner and Zou", n),
                float(both[place] - one[place] * other[place]),
                float(conviction[place]),
                float(improvement[number]),
                float(pvalues[number]),
                float(adjusted[number]),
            )


def _splits(length: int, max_consequent: int) -> int:
    """The number of rules of an itemset."""
    return sum(comb(length, size) for size in range(1, min(max_consequent, length - 1) + 1))


def _columns(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def _check(itemsets: Any, min_confidence: float, alpha: float | None, max_consequent: int | None) -> None:
    if not isinstance(itemsets, Itemsets):
        raise DataError(
            f"association_rules was given {type(itemsets).__name__}.",
            "the result of frequent_itemsets",
            "association_rules(frequent_itemsets(baskets, min_support)).",
        )
    if itemsets.kind != "all":
        raise DataError(f"{itemsets.kind} itemsets only.", "all frequent itemsets", "Use kind='all'.")
    if not 0 <= min_confidence <= 1:
        raise DataError(f"min_confidence={min_confidence}.", "a number between 0 and 1")
    if alpha is not None and not 0 < alpha <= 1:
        raise DataError(f"alpha={alpha}.", "a number between 0 and 1, or None")
    if max_consequent is not None and max_consequent < 1:
        raise DataError(f"max_consequent={max_consequent}.", "at least 1, or None")
