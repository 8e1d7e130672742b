"""Sums over trees of each row at all points of a grid of one or two columns, by one walk of the row.

At a split on a column of the grid the row goes both ways, each with the points that go there. A leaf adds its value to
an interval of points, or to a rectangle: to the differences between neighbouring points, which are added up in the end.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from probus.compiling import njit
from probus.errors import DataError
from probus.parallel import chunked, thread_count
from probus.tree._trees import Trees
from probus.tree.prediction._walk import in_set

_ROWS = 256


def sums_over_grid(
    trees: Trees,
    X: np.ndarray,
    columns: Sequence[int],
    grids: Sequence[np.ndarray],
    n_groups: int = 1,
    *,
    values: np.ndarray | None = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """The sums of ``sums_of`` where one or two columns have the values of a grid, exactly.

    Parameters
    ----------
    trees : trees without surrogates.
    X : coded rows.
    columns : one numeric column, or two.
    grids : for each its values in rising order, none missing.
    n_groups : tree t adds to group t mod n_groups.
    values : float64[nodes, V], in place of those of the trees.
    n_jobs : the number of threads; the sums do not depend on it.

    Returns
    -------
    float64[n, G, n_groups · V], or [n, G, H, n_groups · V] for two columns.

    >>> from probus.datasets import mtcars
    >>> from probus.tree import DecisionTreeRegressor
    >>> cars = mtcars()
    >>> X = cars.select("wt", "hp").numbers()
    >>> tree = DecisionTreeRegressor(max_depth=2).fit(X, cars["mpg"])
    >>> sums_over_grid(tree.tree_, X[:2], [0], [np.array([2.0, 4.0])])[:, :, 0].round(1)
    array([[28.6, 21. ],
           [28.6, 21. ]])
    """
    if trees.surrogates is not None:
        raise DataError("trees with surrogate splits.", "trees without")
    values = trees.value.reshape(-1, trees.n_values) if values is None else values
    width = n_groups * values.shape[1]
    sizes = [len(grid) for grid in grids]
    out = np.zeros((len(X), *sizes, width))
    X = np.ascontiguousarray(X, np.float64)
    start, nodes, words, sets, n_levels, node = trees.packed.nodes
    thresholds = nodes[::2]
    cuts = [np.searchsorted(grid, thresholds, side="right").astype(np.int64) for grid in grids]
    if len(cuts) == 1:
        cuts.append(np.zeros(1, np.int64))
    columns = [*columns, -1]
    flat = np.ascontiguousarray(values, np.float64).ravel()
    deepest = len(trees.levels) + 2

    def part(first: int, last: int) -> None:
        add_over_grid(
            X[first:last].ravel(), X.shape[1], last - first, columns[0], columns[1], cuts[0], cuts[1], sizes[0],
            sizes[1] if len(sizes) == 2 else 1, deepest, start, nodes, words, sets, n_levels, node, flat, n_groups,
            out[first:last].reshape(-1),
        )  # fmt: skip

    chunked(part, len(X), thread_count(n_jobs, 60.0 * len(X) * len(trees)), chunk=_ROWS)
    return out


@njit(nogil=True, cache=True)
def add_over_grid(
    X, d, n, column, second, cut, second_cut, size, second_size, deepest, start, nodes, words, sets, n_levels, node,
    value, n_groups, out,
):  # fmt: skip
    """Add up the trees for each row at each point of a grid.

    X (IN)                   float64, flat; value j of row i is at i · d + j
    column, second (IN)      the columns of the grid; -1 for no second one
    cut, second_cut (IN)     int64[nodes], how many values of the grid are at most the threshold of a packed node
    size, second_size (IN)   the numbers of values
    start to node (IN)       ``Packed.nodes``
    value (IN)               float64, flat, [nodes, V]
    out (OUT)                float64, flat, [n, size, second_size, n_groups · V]
    """
    one, two, half, feature_bits = np.uint64(1), np.uint64(2), np.uint64(32), np.uint64(0x3FFFFFFF)
    n_values = len(value) // len(node)
    width = n_groups * n_values
    row_of = (second_size + 1) * width  # of the differences
    differences = np.zeros((size + 1) * row_of)
    places, bounds = np.empty(deepest, np.uint64), np.empty((deepest, 4), np.int64)
    for i in range(n):
        differences[:] = 0.0
        for t in range(len(start) - 1):
            group = (t % n_groups) * n_values
            waiting = 1
            places[0] = two * np.uint64(start[t])
            bounds[0, 0], bounds[0, 1], bounds[0, 2], bounds[0, 3] = 0, size, 0, second_size
            while waiting > 0:
                waiting -= 1
                here = places[waiting]
                a, b, c, e = bounds[waiting, 0], bounds[waiting, 1], bounds[waiting, 2], bounds[waiting, 3]
                while True:
                    threshold, word = nodes[np.int64(here)], words[np.int64(here + one)]
                    left = word >> half
                    if left == here:
                        break
                    f = np.int64((word >> two) & feature_bits)
                    if f == column:
                        s = cut[np.int64(here >> one)]
                        if s <= a:
                            here = left + two
                        elif s >= b:
                            here = left
                        else:
                            places[waiting] = left + two
                            bounds[waiting, 0], bounds[waiting, 1] = s, b
                            bounds[waiting, 2], bounds[waiting, 3] = c, e
                            waiting += 1
                            b, here = s, left
                    elif f == second:
                        s = second_cut[np.int64(here >> one)]
                        if s <= c:
                            here = left + two
                        elif s >= e:
                            here = left
                        else:
                            places[waiting] = left + two
                            bounds[waiting, 0], bounds[waiting, 1] = a, b
                            bounds[waiting, 2], bounds[waiting, 3] = s, e
                            waiting += 1
                            e, here = s, left
                    else:
                        x = X[i * d + f]
                        right = (x > threshold) | ((x != x) & (word & one == 0))
                        if sets is not None:  # noqa: SIM102 (None alone leaves the rest uncompiled)
                            if word & two != 0:
                                right = not in_set(x, sets, np.int64(threshold), n_levels[f])
                        here = left + (np.uint64(right) << one)
                leaf = np.int64(node[np.int64(here >> one)]) * n_values
                for v in range(n_values):
                    x = value[leaf + v]
                    at = group + v
                    differences[a * row_of + c * width + at] += x
                    differences[b * row_of + c * width + at] -= x
                    if second_size > 1:
                        differences[a * row_of + e * width + at] -= x
                        differences[b * row_of + e * width + at] += x
        for g in range(size):
            base = (i * size + g) * second_size * width
            for h in range(second_size):
                for v in range(width):
                    total = differences[g * row_of + h * width + v]
                    if g > 0:
                        total += differences[(g - 1) * row_of + h * width + v]
                        differences[g * row_of + h * width + v] = total
            for v in range(width):
                total = 0.0
                for h in range(second_size):
                    total += differences[g * row_of + h * width + v]
                    out[base + h * width + v] = total
