"""Shapley values of any model against a background: of all coalitions of columns, or of sampled orders of them.

A coalition's prediction is the mean over the background of rows that have the values of the explained row in the
columns of the coalition, and those of the background in the others. Columns are whole columns of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import comb
from typing import NamedTuple

import numpy as np

from probus.data import Table

Predict = Callable[[Table], np.ndarray]

MOST_ENUMERATED = 12  # columns
_BATCH = 50_000  # rows that are predicted together
_FEWEST_DRAWS = 16  # before their spread is trusted


class CoalitionValues(NamedTuple):
    """Shapley values of rows.

    Attributes
    ----------
    values : float64[n, d, K].
    base : float64[K], the mean prediction of the background.
    errors : float64[n, d, K], standard errors of sampling; None where there was none.
    orders : int64[n], how many orders were sampled for each row; zero where there was no need.
    """

    values: np.ndarray
    base: np.ndarray
    errors: np.ndarray | None
    orders: np.ndarray


def enumerate_coalitions(predict: Predict, X: Table, background: Table) -> CoalitionValues:
    """Exact values from the predictions of all 2^d coalitions.

    Parameters
    ----------
    predict : float64[n, K] for a table.
    X : the rows to explain.
    background : rows with the same columns.

    Returns
    -------
    The values.

    >>> X = Table.of({"a": [1.0, 2.0], "b": [3.0, 5.0]})
    >>> found = enumerate_coalitions(lambda rows: rows.numbers().prod(axis=1, keepdims=True), X.take([1]), X)
    >>> found.values[0, :, 0].tolist(), found.base.tolist()
    ([2.0, 1.5], [6.5])
    """
    n, m, d = len(X), len(background), len(X.names)
    mixed = _Mixture(X, background)
    members = (np.arange(1 << d)[:, None] >> np.arange(d)) & 1 == 1
    predicted = np.empty((n << d, 0))
    for start in range(0, n << d, step := max(_BATCH // m, 1)):
        which = np.arange(start, min(start + step, n << d))
        rows, sets = which >> d, members[which & ((1 << d) - 1)]
        found = mixed.predicted(predict, np.repeat(rows, m), np.tile(np.arange(m), len(which)), np.repeat(sets, m, 0))
        if not start:
            predicted = np.empty((n << d, found.shape[1]))
        predicted[which] = found.reshape(len(which), m, -1).mean(axis=1)
    v = predicted.reshape(n, 1 << d, -1)
    values = np.zeros((n, d, v.shape[2]))
    size = members.sum(axis=1)
    for j in range(d):
        without = np.flatnonzero(~members[:, j])
        weight = np.array([1 / (d * comb(d - 1, s)) for s in size[without].tolist()])
        values[:, j] = np.einsum("s,nsk->nk", weight, v[:, without | (1 << j)] - v[:, without])
    return CoalitionValues(values, v[:, 0].mean(axis=0), None, np.zeros(n, np.int64))


def sample_orders(
    predict: Predict,
    X: Table,
    background: Table,
    *,
    tolerance: float = 0.0,
    most_draws: int | None = None,
    orders_each: int = 4,
    most_predictions: int | None = None,
    random_state: int = 0,
) -> CoalitionValues:
    """Values from orders of the columns drawn at random, each with its reverse and a row of the background.

    In an order the values of the row replace those of the background one after the other; a column's value is the mean
    change of the prediction when its turn comes (Štrumbelj and Kononenko 2014; Mitchell et al. 2022 for the reverse).
    All rows of the background are drawn once before any is drawn again: they are all the rows there are, and only the
    orders, and rows that were not drawn as often as others, leave an error. So several orders are drawn for each row of
    the background, whose spread is that of orders alone. In the end what the sum of a row's values lacks is distributed
    by their variances, so that values and base sum to the prediction.

    Parameters
    ----------
    predict : float64[n, K] for a table.
    X : the rows to explain.
    background : rows with the same columns.
    tolerance : sampling of a row stops when all its standard errors are at most this share of the standard deviation of
        the predictions; 0 goes on until the limit.
    most_draws : of rows of the background, for each row that is explained.
    orders_each : how many orders, each with its reverse, are drawn with a row of the background. With one, the errors
        are as if the background were a sample of others, which is too much.
    most_predictions : of all rows together, after which sampling stops.
    random_state : the seed.

    Returns
    -------
    The values with their standard errors.
    """
    rng, mixed = np.random.default_rng(random_state), _Mixture(X, background)
    n, m, d = len(X), len(background), len(X.names)
    at_rows, at_base = mixed.whole(predict, 0, n), mixed.whole(predict, n, m)
    scale = np.concatenate([at_base, at_rows]).std(axis=0)
    tally = _Tally(n, d, at_base.shape[1], m)
    most, drawn = most_draws or np.inf, _endless(m, rng)
    left = np.inf if most_predictions is None else most_predictions - n - m
    active, done = np.arange(n), 0
    while len(active):
        cost = 2 * orders_each * max(d - 1, 1) * len(active)
        together = int(np.clip(min(_BATCH // cost, most - done, left // cost), 1, _FEWEST_DRAWS))
        orders = np.array([rng.permutation(d) for _ in range(together * orders_each)])
        others = np.repeat([next(drawn) for _ in range(together)], orders_each)
        changes = mixed.changes(predict, active, others, orders, at_rows, at_base)
        tally.add(active, changes.reshape(together, orders_each, *changes.shape[1:]))
        done, left = done + together, left - cost * together
        if done >= most or left < cost:
            break
        if done >= _FEWEST_DRAWS and tolerance > 0:
            active = active[(tally.errors[active] > tolerance * scale).any(axis=(1, 2))]
    base = at_base.mean(axis=0)
    lacking = at_rows - base - tally.mean.sum(axis=1)
    total = tally.squares.sum(axis=1, keepdims=True)
    share = np.divide(tally.squares, total, out=np.full_like(tally.squares, 1 / d), where=total > 0)
    values = tally.mean + share * lacking[:, None]
    return CoalitionValues(values, base, tally.errors, 2 * orders_each * tally.draws)


def _endless(m: int, rng: np.random.Generator) -> Iterator[int]:
    """All of m numbers in a random order, again and again."""
    while True:
        yield from rng.permutation(m).tolist()


class _Tally:
    """Means and errors of what columns add, over draws of a row of the background with several orders each.

    mean : float64[n, d, K]. squares : sums of squared deviations of the draws. within : sums of the squared errors that
    the orders leave in a draw. draws : int64[n].
    """

    def __init__(self, n: int, d: int, K: int, m: int):
        self.mean, self.squares, self.within = np.zeros((3, n, d, K))
        self.draws, self._m = np.zeros(n, np.int64), m

    def add(self, rows: np.ndarray, changes: np.ndarray) -> None:
        """Draws of some rows: float64[draws, orders, rows, d, K]."""
        several = changes.shape[1] > 1
        errors = changes.var(axis=1, ddof=1) / changes.shape[1] if several else np.full(len(changes), np.nan)
        for value, error in zip(changes.mean(axis=1), errors, strict=True):  # Welford's update
            self.draws[rows] += 1
            deviation = value - self.mean[rows]
            self.mean[rows] += deviation / self.draws[rows, None, None]
            self.squares[rows] += deviation * (value - self.mean[rows])
            self.within[rows] += error

    @property
    def errors(self) -> np.ndarray:
        """Standard errors: of the orders, and of the rows of the background that were drawn once more than others."""
        draws = self.draws[:, None, None].astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            spread, within = self.squares / (draws - 1), self.within / draws
            over = draws % self._m
            unequal = np.maximum(spread - within, 0.0) * over * (1 - over / self._m) / draws
            return np.sqrt(np.where(np.isnan(within), spread, within + unequal) / draws)


class _Mixture:
    """Rows of two tables in one, and tables whose cells come from either."""

    def __init__(self, X: Table, background: Table):
        self.n = len(X)
        self.both = Table(
            replace(theirs, values=np.concatenate([mine.values, theirs.values]), written=None)
            for mine, theirs in zip(X, background, strict=True)
        )
        self.origin = X.origin

    def predicted(self, predict: Predict, rows: np.ndarray, others: np.ndarray, sets: np.ndarray) -> np.ndarray:
        """Of row ``rows[i]`` in the columns of ``sets[i]``, and of row ``others[i]`` of the background elsewhere."""
        found = []
        for start in range(0, len(rows), _BATCH):
            part = slice(start, start + _BATCH)
            from_either = (np.where(mine, rows[part], self.n + others[part]) for mine in sets[part].T)
            columns = (column.take(which) for column, which in zip(self.both, from_either, strict=True))
            found.append(predict(Table(columns, origin=self.origin)))
        return np.concatenate(found)

    def whole(self, predict: Predict, first: int, n: int) -> np.ndarray:
        """The predictions of n rows as they are."""
        return predict(Table(self.both.take(np.arange(first, first + n)), origin=self.origin))

    def changes(
        self, predict: Predict, rows: np.ndarray, others: np.ndarray, orders: np.ndarray, at_rows: np.ndarray,
        at_base: np.ndarray,
    ) -> np.ndarray:  # fmt: skip
        """The mean change by each column over an order and its reverse: float64[orders, rows, d, K]."""
        n, (together, d) = len(rows), orders.shape
        ways = np.concatenate([orders, orders[:, ::-1]])
        turn = np.argsort(ways, axis=1)
        joined = np.arange(1, d)[None, :, None] > turn[:, None]  # way, steps done, column
        shape = (2 * together, d - 1, n)
        own = np.broadcast_to(rows, shape).ravel()
        other = np.broadcast_to(np.tile(others, 2)[:, None, None], shape).ravel()
        sets = np.broadcast_to(joined[:, :, None], (*shape, d)).reshape(-1, d)
        K = at_base.shape[1]
        between = self.predicted(predict, own, other, sets) if len(own) else np.empty((0, K))
        path = np.empty((2 * together, d + 1, n, K))
        path[:, 0], path[:, -1] = at_base[np.tile(others, 2)][:, None], at_rows[rows]
        path[:, 1:-1] = between.reshape(*shape, K)
        steps = np.take_along_axis(np.diff(path, axis=1), turn[:, :, None, None], axis=1)
        return (steps[:together] + steps[together:]).transpose(0, 2, 1, 3) / 2
