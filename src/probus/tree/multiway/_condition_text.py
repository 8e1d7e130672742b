"""Conditions of a multiway tree as text, with the names of columns, levels and bins."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from probus.tree.multiway._coding import ColumnCoding
from probus.tree.multiway._multiway_tree import MultiwayTree


@dataclass(frozen=True)
class Condition:
    """A condition on one column: codes and possibly missing, or numbers ``low < x <= high``."""

    feature: int
    codes: tuple[int, ...] = ()
    missing: bool = False
    low: float = -np.inf
    high: float = np.inf

    def merged(self, deeper: Condition) -> Condition:
        """The conjunction of two conditions on the same column."""
        codes = tuple(code for code in deeper.codes if code in self.codes)
        missing = self.missing and deeper.missing
        return replace(
            self, codes=codes, missing=missing, low=max(self.low, deeper.low), high=min(self.high, deeper.high)
        )


def condition_of(tree: MultiwayTree, node: int) -> Condition:
    """The condition of the branch from a node's parent to the node."""
    parent = int(tree.parents[node])
    feature, branch = int(tree.feature[parent]), node - int(tree.first_child[parent])
    if tree.route[parent] < 0:
        threshold = float(tree.threshold[parent])
        return Condition(feature, high=threshold) if branch == 0 else Condition(feature, low=threshold)
    here = tree.routes_of(parent) == branch
    return Condition(feature, tuple(np.flatnonzero(here[:-1]).tolist()), bool(here[-1]))


class ConditionText:
    """The names of a model's columns and levels.

    Names and levels come from its ``schema_``, only names from ``feature_names_in_``, else columns are x[0], x[1], ….
    """

    def __init__(self, model: Any, coding: ColumnCoding):
        self._fields: Any = getattr(model, "schema_", None)
        names = self._fields.names if self._fields else getattr(model, "feature_names_in_", None)
        self.names = [f"x[{j}]" for j in range(coding.n_features)] if names is None else [str(name) for name in names]
        self._coding = coding

    def text(self, condition: Condition, *, among_others: bool = False) -> str:
        """The condition as text, in brackets if ``among_others`` makes it ambiguous."""
        name, j = self.names[condition.feature], condition.feature
        if self._coding.n_codes[j] == 0:
            return self._between(name, j, condition.low, condition.high)
        alternatives = [*self._codes(name, j, condition.codes), *[f"{name} is missing"] * condition.missing]
        text = " or ".join(alternatives)
        return f"({text})" if among_others and len(alternatives) > 1 else text

    def _codes(self, name: str, j: int, codes: tuple[int, ...]) -> Iterable[str]:
        if not codes:
            return
        if self._coding.binned[j]:
            edges = np.concatenate([[-np.inf], self._coding.edges_of(j), [np.inf]])
            for run in np.split(np.array(codes), np.flatnonzero(np.diff(codes) > 1) + 1):
                yield self._between(name, j, edges[run[0]], edges[run[-1] + 1])
            return
        levels = [str(self._fields[j].levels[code]) for code in codes]
        yield f"{name} = {levels[0]}" if len(levels) == 1 else f"{name} in {{{', '.join(levels)}}}"

    def _between(self, name: str, j: int, low: float, high: float) -> str:
        if np.isinf(low) and np.isinf(high):
            return f"{name} is known"
        if np.isinf(low):
            return f"{name} <= {self._number(j, high)}"
        if np.isinf(high):
            return f"{name} > {self._number(j, low)}"
        return f"{self._number(j, low)} < {name} <= {self._number(j, high)}"

    def _number(self, j: int, value: float) -> str:
        field = self._fields[j] if self._fields else None
        if field is not None and field.kind.has_levels:
            return str(field.levels[int(value)])
        return str(np.datetime64(int(value), "D")) if field is not None and field.dates else f"{value:.6g}"
