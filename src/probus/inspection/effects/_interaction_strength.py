"""Friedman's H: the share of an effect of columns that is their interaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from probus.data import Table
from probus.display import Cells, Notes, Picture, Result, drawing, shortened
from probus.errors import DataError
from probus.inspection.effects._effect import OF_ROWS
from probus.inspection.effects._responses import Response, checked_column, over_models, table_of
from probus.metrics import Estimate
from probus.metrics.curves import quantile
from probus.model_selection import Resampled

_BATCH = 100_000
_BLOCKS = 20
_SHOWN = 15
_ROUNDING = 1e-22  # a share of squares


@dataclass(frozen=True, eq=False, repr=False)
class InteractionStrengths(Result):
    """Friedman's H of columns with all others, and of pairs, the strongest first.

    Attributes
    ----------
    names : a column, or a pair of columns, for each.
    estimates : H of each with its interval.
    unit : the number that is predicted, in words.
    rows : how many rows were used.
    """

    names: tuple[tuple[str, ...], ...]
    estimates: tuple[Estimate, ...]
    unit: str
    rows: int

    def __getitem__(self, name: str | tuple[str, ...]) -> Estimate:
        """H of a column with all others, or of a pair in any order."""
        wanted = {name} if isinstance(name, str) else set(name)
        found = [e for names, e in zip(self.names, self.estimates, strict=True) if set(names) == wanted]
        if not found:
            raise DataError(f"no interaction of {name!r}.", "a column or a pair that was measured")
        return found[0]

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each column or pair."""
        return [
            {"columns": _label(names), "value": e.value, "low": e.low, "high": e.high}
            for names, e in zip(self.names, self.estimates, strict=True)
        ]

    def _parts(self) -> list[Any]:
        lines = [[_label(names), e] for names, e in zip(self.names, self.estimates, strict=True)]
        head = f"Interactions in the {self.unit}, Friedman's H (0: none, 1: nothing else)"
        note = f"intervals {OF_ROWS}, by a jackknife; {self.rows:,} rows"
        return [head, Picture(self.plot), Cells([["columns", "H"], *lines], margin=2, most=_SHOWN), Notes([note])]

    def plot(self, ax: Any = None) -> Any:
        """The strongest interactions with their intervals, on matplotlib axes, which are returned."""
        shown = min(len(self.names), _SHOWN)
        ax = drawing.new_axes(ax, 6.0, 1.2 + 0.28 * shown)
        value, low, high = np.array([(e.value, e.low, e.high) for e in self.estimates[:shown]]).reshape(-1, 3).T
        ax.errorbar(value, np.arange(shown), xerr=np.abs(np.stack([low, high]) - value), fmt="o", color=drawing.BLUE)
        drawing.tidy(ax, "Interactions", "Friedman's H", "")
        ax.set_yticks(np.arange(shown), [shortened(_label(n), 32) for n in self.names[:shown]], parse_math=False)
        ax.set_ylim(shown - 0.5, -0.5)
        ax.set_xlim(left=min(0.0, float(low.min(initial=0.0))))
        return ax


def interaction_strength(
    model: Any,
    X: Any = None,
    columns: Iterable[str] | None = None,
    *,
    pairs: bool | Iterable[tuple[str, str]] = False,
    label: Any = None,
    output: str | None = None,
    max_rows: int = 150,
    level: float = 0.95,
    random_state: int = 0,
) -> InteractionStrengths:
    """Friedman's H statistic of columns with all others, or of pairs of columns.

    H² is the share of the variance of the partial dependence of two columns together that is not the sum of those of
    each (Friedman and Popescu 2008). 0 is no interaction; 1 is an effect that has no part of single columns. Of a
    column with all others it is the share of the predictions that is not the sum of its partial dependence and that of
    all others together. The partial dependences are those over the rows drawn.

    Parameters
    ----------
    model : a fitted model or a study.
    X : rows; for a study by default its own.
    columns : the columns; by default all.
    pairs : True for all pairs of these columns, or a list of pairs; False for each column with all others.
    label : the class whose probability is predicted; by default the last of two.
    output : "margin" for log odds in place of probabilities.
    max_rows : how many rows are drawn; each is predicted with the values of each other.
    level : of the intervals.
    random_state : the seed of the rows.

    Returns
    -------
    The strengths, which have ``plot`` and ``to_frame``.

    >>> from probus.datasets import mtcars
    >>> from probus.linear_model import LinearRegression
    >>> cars = mtcars()
    >>> line = LinearRegression().fit(cars[["wt", "hp"]], cars["mpg"])
    >>> round(interaction_strength(line, cars, pairs=True)["wt", "hp"].value, 6)
    0.0
    """
    model, table = table_of(model, X)
    if isinstance(model, Resampled):
        raise DataError("a result of resample.", "a fitted model", "Pass one of its models: result.models[0].")
    fitted, table = over_models(model, table)[0]
    response = Response.of(fitted, table, label, output)
    table = Table(table.select(*response.names), origin=table.origin)
    names = list(table.names) if columns is None else list(columns)
    for name in names:
        checked_column(table, name)
    if len(table) > max_rows:
        rows = np.sort(np.random.default_rng(random_state).permutation(len(table))[:max_rows])
        table = Table(table.take(rows), origin=table.origin)
    if len(table) < 3:
        raise DataError(f"{len(table)} rows.", "at least 3")
    alone = {}

    def mixed(inside: Sequence[str]) -> np.ndarray:
        """float64[p, r]: the prediction of row r with the values of row p in these columns, p by p."""
        key = tuple(sorted(inside))
        if key not in alone:
            alone[key] = _mixed(response, table, key) if len(key) > 1 else response.curves(table, [table[key[0]]]).T
        return alone[key]

    found: list[tuple[tuple[str, ...], Estimate]] = []
    if pairs is False:
        whole = response.predict(table)
        for name in names:
            own = mixed([name])
            others = own.T  # row p keeps its other columns and takes the value of row r
            found.append(((name,), _strength(whole[:, None] + np.zeros_like(own), own, others, level)))
    else:
        wanted = combinations(names, 2) if pairs is True else [tuple(each) for each in pairs]
        for pair in wanted:
            if len(set(pair)) != 2:
                raise DataError(f"the pair {pair!r}.", "two different columns")
            a, b = (checked_column(table, name).name for name in pair)
            found.append(((a, b), _strength(mixed([a, b]), mixed([a]), mixed([b]), level)))
        for key in [key for key in alone if len(key) == 2]:
            del alone[key]
    found.sort(key=lambda each: -each[1].value)
    return InteractionStrengths(
        tuple(each for each, _ in found), tuple(each for _, each in found), response.unit, len(table)
    )


def _label(names: tuple[str, ...]) -> str:
    return " × ".join(names) if len(names) > 1 else f"{names[0]} with all others"


def _mixed(response: Response, table: Table, inside: Sequence[str]) -> np.ndarray:
    n = len(table)
    out = np.empty((n, n))
    step = max(_BATCH // n, 1)
    for start in range(0, n, step):
        points = np.arange(start, min(start + step, n))
        rows = table.take(np.tile(np.arange(n), len(points)))
        new = [table[name].take(np.repeat(points, n)) for name in inside]
        out[points] = response.predict(Table(rows.with_columns(*new), origin=table.origin)).reshape(len(points), n)
    return out


def _strength(both: np.ndarray, one: np.ndarray, other: np.ndarray, level: float) -> Estimate:
    """H with a jackknife over blocks of rows, which leave out points and the rows of means."""
    n = len(both)
    block = np.random.default_rng(0).permutation(n) % min(_BLOCKS, n)
    value = _h(*(each.mean(axis=1) for each in (both, one, other)))
    left = []
    for b in np.unique(block):
        kept = np.flatnonzero(block != b)
        left.append(_h(*(each[np.ix_(kept, kept)].mean(axis=1) for each in (both, one, other))))
    m = len(left)
    half = quantile(level, m - 1) * float(np.sqrt((m - 1) ** 2 / m * np.var(left, ddof=1)))
    return Estimate(value, max(value - half, 0.0), value + half, level, f"{OF_ROWS}, by a jackknife", n)


def _h(both: np.ndarray, one: np.ndarray, other: np.ndarray) -> float:
    both, one, other = (each - each.mean() for each in (both, one, other))
    total, rest = float(both @ both), both - one - other
    size = float(one @ one + other @ other) + total
    if not total > 1e-18 * max(size, 1e-300) or rest @ rest <= _ROUNDING * size:
        return 0.0
    return float(np.sqrt(rest @ rest / total))
