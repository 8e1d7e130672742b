"""Importances by several methods side by side, and why they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.display import Cells, Notes, Result, drawing, shortened
from probus.errors import DataError
from probus.inspection.column_importance._importances import Importances, shown_interval

_CLOSE = 0.5  # an association from which columns share their importance
_HIGH, _LOW = 0.25, 0.1  # shares of the largest importance of a method
_SHOWN = 15
_MARGINAL = frozenset({"correlation", "total variation"})
_WITHOUT_OTHERS = frozenset({"drop", "conditional permutation"})  # what only this column has
_OF_THE_FIT = frozenset({"impurity", "weight", "shapley"})


@dataclass(frozen=True, eq=False, repr=False)
class ImportanceComparison(Result):
    """Importances by several methods side by side.

    Attributes
    ----------
    methods : the importances, one for each method.
    names : the columns that all have, the most important by the first method first.
    shares : float64[d, m], importances without sign as shares of the largest one of their method.
    differences : where and why methods differ, in sentences.
    """

    methods: tuple[Importances, ...]
    names: tuple[str, ...]
    shares: np.ndarray
    differences: tuple[str, ...]

    @classmethod
    def of(cls, methods: Sequence[Importances]) -> ImportanceComparison:
        """Of at least two results on the same columns."""
        if len(methods) < 2:
            raise DataError("importances by one method.", "others to compare them with", "importances.compare(other)")
        if not all(isinstance(each, Importances) for each in methods):
            raise DataError("a comparison with something else.", "results of probus.importance")
        names = tuple(name for name in methods[0].names if all(name in each.names for each in methods))
        if not names:
            raise DataError("importances of different columns.", "the same columns")
        shares = np.column_stack([_shares(each, names) for each in methods])
        labels = _labels(methods)
        found = list(_differences(methods, labels, names, shares))
        return cls(tuple(methods), names, shares, tuple(found))

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the methods, with their rows where a name occurs twice."""
        return _labels(self.methods)

    def ranks(self) -> np.ndarray:
        """int64[d, m], the rank of each column by each method."""
        order = np.argsort(-self.shares, axis=0, kind="stable")
        return np.asarray(np.argsort(order, axis=0, kind="stable") + 1)

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each column: the importance by each method, and its rank."""
        ranks = self.ranks()
        return [
            {"column": name}
            | {label: each[name].value for label, each in zip(self.labels, self.methods, strict=True)}
            | {f"rank by {label}": int(ranks[j, m]) for m, label in enumerate(self.labels)}
            for j, name in enumerate(self.names)
        ]

    def _parts(self) -> list[Any]:
        ranks = self.ranks()
        lines = [
            [name, *(f"{shown_interval(each[name])} ({ranks[j, m]})" for m, each in enumerate(self.methods))]
            for j, name in enumerate(self.names)
        ]
        where = [
            f"{label}: {each.quantity}, {each.where}" for label, each in zip(self.labels, self.methods, strict=True)
        ]
        notes = self.differences or ("the methods agree on which columns matter",)
        head = "Importances with their ranks"
        return [
            head,
            Cells([["column", *self.labels], *lines], margin=2, most=_SHOWN),
            Notes(where),
            Notes(notes, "→ "),
        ]

    def plot(self, axes: Any = None) -> Any:
        """Importances as shares of the largest of each method, on matplotlib axes, which are returned."""
        shown = min(len(self.names), _SHOWN)
        axes = drawing.new_axes(axes, 6.4, 1.6 + 0.32 * shown)
        offsets = (np.arange(len(self.methods)) - (len(self.methods) - 1) / 2) * min(0.18, 0.7 / len(self.methods))
        for m, (label, each) in enumerate(zip(self.labels, self.methods, strict=True)):
            largest = np.nanmax(np.abs(each.values)) or 1.0
            place = np.arange(shown) + offsets[m]
            value, low, high = (
                np.array([[e.value, e.low, e.high] for e in map(each.__getitem__, self.names[:shown])]).T / largest
            )
            colour = drawing.COLOURS[m % len(drawing.COLOURS)]
            spans = np.nan_to_num(np.abs(np.stack([low, high]) - value), nan=0.0, posinf=0.0)
            axes.errorbar(value, place, xerr=spans, fmt="o", color=colour, markersize=4, elinewidth=1.2, label=label)
        axes.axvline(0.0, color=drawing.MUTED, linewidth=0.8)
        drawing.tidy(axes, "Importances by several methods", "share of the largest importance of the method", "")
        axes.set_yticks(np.arange(shown), [shortened(name, 24) for name in self.names[:shown]], parse_math=False)
        axes.set_ylim(shown - 0.5, -0.5)
        axes.grid(False, axis="y")
        axes.legend(frameon=False, fontsize=8, loc="lower right")
        return axes


def _shares(of: Importances, names: Sequence[str]) -> np.ndarray:
    values = np.nan_to_num(np.abs([of[name].value for name in names]))
    return values / (values.max() or 1.0)


def _labels(methods: Sequence[Importances]) -> tuple[str, ...]:
    names = [each.method for each in methods]
    labels = [
        name if names.count(name) == 1 else f"{name} on {each.rows_kind} rows"
        for name, each in zip(names, methods, strict=True)
    ]
    return tuple(label if labels.count(label) == 1 else f"{label} ({place})" for place, label in enumerate(labels, 1))


def _differences(
    methods: Sequence[Importances], labels: Sequence[str], names: Sequence[str], shares: np.ndarray
) -> Iterator[str]:
    """For each column the reason of the largest difference, and how much the orders agree."""
    ranks = np.argsort(np.argsort(-shares, axis=0, kind="stable"), axis=0, kind="stable")
    for a in range(len(methods)):
        for b in range(a + 1, len(methods)):
            agree = float(np.corrcoef(ranks[:, a], ranks[:, b])[0, 1]) if len(names) > 2 else 1.0
            if agree < 0.5:
                yield f"{labels[a]} and {labels[b]} order the columns differently: rank correlation {agree:.2f}"
    for j, name in enumerate(names):
        high, low = int(shares[j].argmax()), int(shares[j].argmin())
        if shares[j, high] < _HIGH or not _is_low(methods[low], name, shares[j, low]):
            continue
        reason = _reason(name, methods[high], methods[low])
        yield f"{name} matters by {labels[high]}, hardly by {labels[low]}: {reason}"


def _is_low(of: Importances, name: str, share: float) -> bool:
    return share < _LOW or (share < _HIGH and 0.0 in of[name])


def _reason(name: str, high: Importances, low: Importances) -> str:
    """Why one method finds more than the other."""
    other, strength = high.related.get(name, ("", 0.0))
    if high.rows_kind == "training" and low.rows_kind in ("test", "out of bag"):
        return (
            f"the first was measured on training rows, the second on {low.rows_kind} rows. The model fits this column "
            "more than helps on new rows, as columns of many values allow"
        )
    if strength >= _CLOSE and (low.method in _WITHOUT_OTHERS or high.method in _MARGINAL):
        return (
            f"it goes with {other} (association {strength:.2f}). The model can take the information from there, so "
            "that it adds little of its own"
        )
    if strength >= _CLOSE and low.method in (_MARGINAL | {"permutation", "weight"}):
        return (
            f"it goes with {other} (association {strength:.2f}), and the methods split the shared importance "
            "differently"
        )
    if low.method in _MARGINAL:
        return "alone it has little to do with the target. It matters together with others, or in both directions"
    if high.method in _MARGINAL:
        return "it has to do with the target, but the model makes little use of it"
    if high.method in _OF_THE_FIT and low.method not in _OF_THE_FIT:
        return "the model uses it, but its predictions of these rows are about as good without"
    if high.rows_kind != low.rows_kind:
        return f"the first was measured on {high.rows_kind} rows, the second on {low.rows_kind} rows"
    if high.scoring != low.scoring:
        return f"the measures differ: {high.scoring or 'none'} and {low.scoring or 'none'}"
    return "no reason was found in correlated columns or in the rows"
