"""The importance of each column with its interval, how stable the order is, and several methods together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from probus.data import quote_some
from probus.display import Cells, Notes, Picture, Result, Results, counted, drawing, rounded, shortened
from probus.errors import DataError
from probus.metrics import Estimate

_SHOWN = 15
_DRAWS = 2_000  # of the importances, for their ranks


@dataclass(frozen=True, eq=False, repr=False)
class Importances(Result):
    """How much a model, or the target, has to do with each column, the most important first.

    Attributes
    ----------
    names : the columns, or the names of groups of columns.
    estimates : the importance of each with its interval, which has its method.
    method : the name of the method.
    quantity : what an importance is, in words.
    where : the rows that it was measured on, in words.
    rows_kind : "test", "out of bag", "training" or "all": whether the model was fitted on these rows; "all" where no
        model is needed.
    notes : remarks.
    covariance : float64[d, d] of the estimates; NaN where it is not known.
    related : for each name the other column that is associated most, and how strongly, from 0 to 1.
    given : for conditional importances, the columns given which each was shuffled.
    scoring : the name of the measure; empty where there is none.
    """

    names: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    method: str
    quantity: str
    where: str
    rows_kind: str
    notes: tuple[str, ...] = ()
    covariance: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    related: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    given: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    scoring: str = ""

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        estimates: Sequence[Estimate],
        *,
        covariance: np.ndarray | None = None,
        **fields: Any,
    ) -> Self:
        """The importances in falling order of size; undefined ones come last."""
        values = np.abs([each.value for each in estimates])
        order = np.argsort(-np.nan_to_num(values, nan=-1.0), kind="stable")
        if covariance is None:
            covariance = np.full((len(names), len(names)), np.nan)
        return cls(
            tuple(names[j] for j in order), tuple(estimates[j] for j in order),
            covariance=covariance[np.ix_(order, order)], **fields,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, name: str) -> Estimate:
        """The importance of a column."""
        if name not in self.names:
            raise DataError(f"no importance of {name!r}.", f"one of {quote_some(self.names, 12)}")
        return self.estimates[self.names.index(name)]

    @property
    def values(self) -> np.ndarray:
        """The importances as numbers, in the order of ``names``."""
        return np.array([each.value for each in self.estimates])

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each column."""
        return [
            {"column": name, "value": e.value, "low": e.low, "high": e.high}
            for name, e in zip(self.names, self.estimates, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        columns = [{"column": name, **e.to_dict()} for name, e in zip(self.names, self.estimates, strict=True)]
        return {
            "method": self.method,
            "quantity": self.quantity,
            "scoring": self.scoring,
            "where": self.where,
            "rows_kind": self.rows_kind,
            "notes": list(self.notes),
            "columns": columns,
        }

    def _parts(self) -> list[Any]:
        lines = [[name, shown_interval(e)] for name, e in zip(self.names, self.estimates, strict=True)]
        notes = [f"intervals of {100 * self._level:g} %: {self._of_intervals}", *self.notes]
        head = f"{self.quantity[:1].upper()}{self.quantity[1:]}: {self.where}"
        return [
            head,
            Cells([["column", "importance"], *lines], margin=2, most=_SHOWN),
            Picture(self.plot),
            Notes(notes),
        ]

    @property
    def _level(self) -> float:
        return self.estimates[0].level if self.estimates else 0.95

    @property
    def _of_intervals(self) -> str:
        methods = [e.method for e in self.estimates if e.method]
        return max(methods, key=methods.count) if methods else "none"

    def plot(self, ax: Any = None, *, n_columns: int = _SHOWN) -> Any:
        """The most important columns with their intervals, on matplotlib axes, which are returned.

        Parameters
        ----------
        ax : matplotlib axes, by default new ones.
        n_columns : how many columns to show.
        """
        shown = min(len(self), n_columns)
        ax = drawing.new_axes(ax, 6.0, 1.2 + 0.28 * shown)
        value, low, high = np.array([(e.value, e.low, e.high) for e in self.estimates[:shown]]).reshape(-1, 3).T
        spans = np.nan_to_num(np.abs(np.stack([low, high]) - value), nan=0.0, posinf=0.0)
        ax.axvline(0.0, color=drawing.MUTED, linewidth=0.8)
        ax.errorbar(value, np.arange(shown), xerr=spans, fmt="o", color=drawing.BLUE, markersize=4.5, elinewidth=1.6)
        drawing.tidy(ax, f"Importance of columns: {self.method}", self.quantity, "")
        ax.set_yticks(np.arange(shown), [shortened(name, 24) for name in self.names[:shown]], parse_math=False)
        ax.set_ylim(shown - 0.5, -0.5)
        ax.grid(False, axis="y")
        return ax

    def ranks(self, *, level: float = 0.95, random_state: int = 0) -> Ranks:
        """How stable the order is: the ranks that columns have in other samples, as their estimates vary together.

        Parameters
        ----------
        level : of the intervals of ranks.
        random_state : the seed of the samples, which are drawn from a normal distribution with the covariance of the
            estimates.

        Returns
        -------
        The ranks with their intervals.
        """
        if np.isnan(self.covariance).any() or not len(self):
            raise DataError(
                f"ranks of importances by {self.method}, whose covariance is not known.",
                "a method whose importances have intervals over rows or splits",
            )
        drawn = np.random.default_rng(random_state).multivariate_normal(
            self.values, self.covariance, size=_DRAWS, method="eigh"
        )
        order = np.argsort(-np.abs(drawn), axis=1, kind="stable")
        ranks = np.argsort(order, axis=1, kind="stable") + 1
        tail = (1 - level) / 2
        low, high = np.quantile(ranks, [tail, 1 - tail], axis=0, method="inverted_cdf").astype(int)
        own = np.arange(1, len(self) + 1)
        same = float(np.mean([_spearman(own, row) for row in ranks[:500]])) if len(self) > 1 else 1.0
        return Ranks(self.names, tuple(low.tolist()), tuple(high.tolist()), tuple((ranks == own).mean(axis=0)), same)

    def compare(self, *others: Importances) -> Any:
        """These importances beside others of the same columns, and where and why they differ.

        Parameters
        ----------
        others : importances by other methods, or on other rows.

        Returns
        -------
        The methods side by side.
        """
        from probus.inspection.column_importance._side_by_side import ImportanceComparison

        return ImportanceComparison.of((self, *others))


def _spearman(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(a, b)[0, 1])


@dataclass(frozen=True, eq=False, repr=False)
class Ranks(Result):
    """The ranks of columns with the intervals that they have in other samples.

    Attributes
    ----------
    names : the columns, the most important first.
    low, high : the first and the last rank of each in most samples.
    kept : the share of samples in which each has its rank.
    correlation : the mean correlation of the ranks with those of other samples, 1 where the order never changes.
    """

    names: tuple[str, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    kept: tuple[float, ...]
    correlation: float

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each column."""
        every = enumerate(zip(self.names, self.low, self.high, self.kept, strict=True), 1)
        return [{"column": name, "rank": r, "low": a, "high": b, "kept": float(k)} for r, (name, a, b, k) in every]

    def _parts(self) -> list[Any]:
        cells = [
            [r["column"], str(r["rank"]), f"{r['low']} to {r['high']}", f"{100 * r['kept']:.0f} %"]
            for r in self._rows()
        ]
        head = f"Ranks of {counted(len(self.names), 'column')}: correlation with other samples {self.correlation:.2f}"
        return [head, Cells([["column", "rank", "in samples", "kept"], *cells], margin=2, most=_SHOWN)]

    def plot(self, ax: Any = None) -> Any:
        """A line from the first to the last rank of each column, on matplotlib axes, which are returned."""
        shown = len(self.names)
        ax = drawing.new_axes(ax, 6.0, 1.2 + 0.28 * shown)
        place = np.arange(1, shown + 1)
        ax.hlines(place, self.low, self.high, color=drawing.BLUE, linewidth=1.6)
        ax.plot(place, place, "o", color=drawing.BLUE, markersize=4.5)
        drawing.tidy(ax, "Ranks in other samples", "rank", "")
        ax.set_yticks(place, [shortened(name, 24) for name in self.names], parse_math=False)
        ax.set_ylim(shown + 0.5, 0.5)
        return ax


class ImportancesByMethod(Results[Importances]):
    """Importances by several methods, found by the name of the method.

    Parameters
    ----------
    items : the importances.
    """

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self.items))

    def _key(self, item: Importances) -> str:
        return item.method

    def _parts(self) -> list[Any]:
        return list(self.items)

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each method and column."""
        return [{"method": each.method, **row} for each in self.items for row in each._rows()]

    def compare(self) -> Any:
        """The methods side by side, and where and why they differ."""
        return self.items[0].compare(*self.items[1:])

    def plot(self, axes: Any = None) -> Any:
        """The methods side by side; see ``ImportanceComparison.plot``."""
        return self.compare().plot(axes)


def shown_interval(estimate: Estimate) -> Estimate | str:
    """The estimate, or its value alone where no interval is known."""
    return estimate if np.isfinite([estimate.low, estimate.high]).all() else rounded(estimate.value, 3)
