"""Shapley values and interactions of trees, by the fastest exact way."""

from __future__ import annotations

import math

import numpy as np

from probus.ensemble.shap._pattern_tables import tables_of
from probus.ensemble.shap._patterns import add_looked_up, blocks_of, count_patterns
from probus.ensemble.shap._shapley_kernel import Paths, check_no_surrogates, expected_value, paths_of, quadrature_values
from probus.ensemble.shap._wide_leaves import add_wide_leaves
from probus.errors import DataError
from probus.tree import Trees
from probus.tree.prediction import sums_of

_FEWEST_BITS, _MOST_BITS = 4, 9
_ROWS_PER_PATTERN = 16  # of those that are explained, or of the background
_LONGEST = (6, 16)  # bits of a table of one leaf, by the pairs of rows that it saves
_TABLE = 8 << 20  # numbers that tables hold together
_QUADRATURE = 8.0  # times as long as an entry of a table, for each node, point and value


def shap_values_of(
    trees: Trees, X: np.ndarray, n_groups: int = 1, n_jobs: int | None = None, background: np.ndarray | None = None
) -> np.ndarray:
    """The contribution of each feature to the sum over the trees: float64[n, d, n_groups · K].

    Those of a row and ``expected_against`` the background sum to what ``sums_of`` gives.

    Parameters
    ----------
    trees : A series of trees of one ensemble.
    X : coded rows.
    n_groups : the number of sums that the trees take turns in.
    n_jobs : the number of jobs that run in parallel; the result does not depend on it.
    background : coded rows, whose values stand for those of unknown features. None takes the shares of the training
        rows on either side of each split.

    Returns
    -------
    The contributions.

    >>> from probus.datasets import mtcars
    >>> from probus.tree import DecisionTreeRegressor
    >>> cars = mtcars()
    >>> X = cars.select("wt", "hp", "qsec").numbers()
    >>> tree = DecisionTreeRegressor(max_depth=2).fit(X, cars["mpg"])
    >>> trees = tree.tree_
    >>> shap_values_of(trees, X[:1])[0, :, 0].round(2)
    array([-1.85,  2.94, -0.14])
    >>> expected_value(trees).round(2), tree.predict(X[:1]).round(2)
    (array([20.09]), array([21.04]))
    >>> shap_values_of(trees, X[:1], background=X)[0, :, 0].round(2)
    array([-1.55,  2.64, -0.14])
    """
    check_no_surrogates(trees)
    if background is not None and not len(background):
        raise DataError("a background of 0 rows.", "at least one row, or None")
    paths = paths_of(trees)
    if background is None and not _worth_tables(paths, len(X), trees.n_values):
        return quadrature_values(trees, paths, X, n_groups, n_jobs)
    width = n_groups * trees.n_values
    out = np.zeros((len(X), trees.n_features, width))
    _add(trees, paths, X, background, n_groups, False, n_jobs, out)
    return out


def interactions_of(
    trees: Trees, X: np.ndarray, n_groups: int = 1, n_jobs: int | None = None, background: np.ndarray | None = None
) -> np.ndarray:
    """The Shapley values of each row, split between pairs of features: float64[n, d, d, n_groups · K], symmetric.

    The diagonal is what a feature contributes without its interactions; each row sums to the feature's Shapley value.

    Parameters
    ----------
    trees : A series of trees of one ensemble.
    X : coded rows.
    n_groups : the number of sums that the trees take turns in.
    n_jobs : the number of jobs that run in parallel; the result does not depend on it.
    background : as in ``shap_values_of``.

    Returns
    -------
    The interactions.
    """
    values = shap_values_of(trees, X, n_groups, n_jobs, background)
    d, width = values.shape[1:]
    out = np.zeros((len(X), d, d, width))
    _add(trees, paths_of(trees), X, background, n_groups, True, n_jobs, out)
    out += out.swapaxes(1, 2)
    out[:, np.arange(d), np.arange(d)] = values - out.sum(axis=2)
    return out


def expected_against(trees: Trees, background: np.ndarray | None, n_groups: int = 1) -> np.ndarray:
    """The sum of the trees where no feature is known: of the training rows' shares, or the mean of the background.

    Parameters
    ----------
    trees : A series of trees of one ensemble.
    background : coded rows, or None.
    n_groups : the number of sums that the trees take turns in.

    Returns
    -------
    float64[n_groups · K].
    """
    return expected_value(trees, n_groups) if background is None else sums_of(trees, background, n_groups).mean(axis=0)


def _add(
    trees: Trees, paths: Paths, X: np.ndarray, background: np.ndarray | None, n_groups: int, pairs: bool,
    n_jobs: int | None, out: np.ndarray,
) -> None:  # fmt: skip
    """Add the contributions of all blocks, as many at a time as their tables have room."""
    n_values, others = trees.n_values, 0 if background is None else len(background)
    blocks = blocks_of(paths, _bits(max(len(X), others), n_values * (4 if pairs else 1)))
    wide = (blocks.n_bits > _longest_table(len(X), others)) & (blocks.n_bits == blocks.n_path)
    out = out.reshape(len(X), math.prod(out.shape[1:]))
    add_wide_leaves(paths, blocks.take(wide), X, background, n_groups, pairs, n_jobs, out)
    blocks = blocks.take(~wide)
    entries = blocks.n_players * (blocks.n_players - 1) // 2 if pairs else blocks.n_players
    room = np.cumsum((n_values * entries) << blocks.n_bits) // _TABLE
    for run in np.split(np.arange(len(room)), np.flatnonzero(np.diff(room)) + 1):
        part = blocks.take(run)
        counts, first_count = np.zeros(0), np.zeros(0, np.int64)
        if background is not None:
            counts, first_count = count_patterns(paths, part, background, n_jobs)
        tables = tables_of(paths, part, counts, first_count, others, n_groups, n_values, pairs, n_jobs)
        add_looked_up(paths, part, tables, X, n_jobs, out)


def _bits(n: int, width: int) -> int:
    """How long a pattern is worth its table: more rows, longer; more values in it, shorter."""
    bits = int(np.log2(max(n, 1) / _ROWS_PER_PATTERN + 1)) - max(int(np.log2(width)) - 1, 0)
    return int(np.clip(bits, _FEWEST_BITS, _MOST_BITS))


def _longest_table(n: int, others: int) -> int:
    """The number of bits up to which a table takes no longer than the patterns of rows one by one."""
    low, high = _LONGEST
    bits = np.arange(low, high + 1)
    saved = float(n) * others if others else bits**2 * float(n)
    return int(bits[(bits**2 * 2.0**bits <= saved) | (bits == low)].max())


def _worth_tables(paths: Paths, n: int, n_values: int) -> bool:
    """Whether tables take less time than the quadrature for each row, in multiples of looking up an entry."""
    blocks = blocks_of(paths, _bits(n, n_values))
    players = blocks.n_players
    leaves = blocks.n_bits - blocks.n_path + 1
    tables = (leaves * 2.0**blocks.n_bits * players * (players + n_values)).sum()
    look_up = float(n) * (players * n_values + 4).sum()
    return bool(tables + look_up < _QUADRATURE * n * len(paths.node) * n_values * paths.n_points.mean())
