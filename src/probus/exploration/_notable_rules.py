"""Notable rules between columns: significant, and each pair of columns once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.association import Baskets, Rule, association_rules, frequent_itemsets
from probus.data import Table
from probus.display import Cells, Result, counted, p_text, percent

_ROWS = 20_000
_FEWEST_ROWS = 30
_MOST_COLUMNS = 60
_COLUMNS_OF_TRIPLES = 20
_SUPPORT, _CONFIDENCE, _LIFT = 0.05, 0.6, 1.2
_IMPROVEMENT = 0.1  # of the confidence, that a second condition has to bring
_SHOWN = 12


@dataclass(frozen=True, eq=False, repr=False)
class NotableRules(Result):
    """Rules, the strongest first, one for each set of columns.

    Attributes
    ----------
    rules : the rules.
    significant : how many rules were significant before those between the same columns were put together. examined :
        how many were tested, which the p-values are corrected for.
    examined : how many were tested, which the p-values are corrected for.
    sampled, columns : rows and columns that were examined.
    """

    rules: tuple[Rule, ...]
    significant: int
    examined: int
    sampled: int
    columns: int

    def __len__(self) -> int:
        return len(self.rules)

    def sentence(self) -> str:
        """How many rules there are."""
        if not self.examined:
            return "No rules were examined: there are too few rows or columns."
        if not self.rules:
            return f"No rules: none of {self.examined:,} is significant and strong enough."
        more = f", the strongest of {self.significant:,} that are significant" if self.significant > len(self) else ""
        return f"{counted(len(self), 'rule')} worth knowing{more}; {self.examined:,} were tested."

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "if": list(rule.antecedent),
                "then": list(rule.consequent),
                "support": rule.support,
                "confidence": rule.confidence.value,
                "confidence_low": rule.confidence.low,
                "confidence_high": rule.confidence.high,
                "lift": rule.lift.value,
                "lift_low": rule.lift.low,
                "lift_high": rule.lift.high,
                "adjusted": rule.adjusted,
            }
            for rule in self.rules
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        counts = {"significant": self.significant, "examined": self.examined, "sampled": self.sampled}
        return {"rules": self._rows(), **counts}

    def _parts(self) -> Iterator[Any]:
        yield self.sentence()
        if self.rules:
            yield Cells([("if", "then", "rows", "confidence", "lift", "corrected"), *self.lines()], right=[2], margin=2)

    def lines(self) -> list[tuple[str, ...]]:
        """A line for each rule, as text."""
        return [
            (
                " and ".join(rule.antecedent),
                " and ".join(rule.consequent),
                percent(rule.support),
                f"{rule.confidence:.2f}",
                f"{rule.lift:.2f}",
                p_text(rule.adjusted),
            )
            for rule in self.rules
        ]


def find_rules(table: Table, seed: int) -> NotableRules:
    """Rules between the levels of columns and parts of numbers, of a random sample of the rows."""
    table = table.select(*table.names[:_MOST_COLUMNS])
    d = len(table.names)
    if table.n_rows < _FEWEST_ROWS or d < 2:
        return NotableRules((), 0, 0, 0, d)
    if table.n_rows > _ROWS:
        rows = np.random.default_rng([seed, 3]).choice(table.n_rows, _ROWS, replace=False)
        table = table.take(np.sort(rows))
    itemsets = frequent_itemsets(table, _SUPPORT, max_length=3 if d <= _COLUMNS_OF_TRIPLES else 2)
    found = association_rules(itemsets, min_confidence=_CONFIDENCE, min_lift=_LIFT)
    columns = _columns_of(table)
    strong = [rule for rule in found if len(rule.antecedent) == 1 or rule.improvement >= _IMPROVEMENT]
    return NotableRules(tuple(_apart(strong, columns)), len(strong), found.examined, table.n_rows, d)


def _columns_of(table: Table) -> dict[str, str]:
    """The column of each item."""
    known = [column for column in table if not column.missing.all()]
    return {label: column.name for column in known for label in Baskets.of(Table([column])).labels}


def _apart(rules: list[Rule], columns: dict[str, str]) -> Iterator[Rule]:
    """The strongest rule of each set of columns, by what it explains beyond chance."""
    shown: set[frozenset[str]] = set()
    for rule in sorted(rules, key=lambda rule: -rule.leverage):
        of = frozenset(columns[label] for label in (*rule.antecedent, *rule.consequent))
        if of not in shown and len(shown) < _SHOWN:
            shown.add(of)
            yield rule
