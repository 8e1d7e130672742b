"""Sums over trees of each row at all points of a grid, of which one column or several have the values.

A leaf adds its value to an interval of points, or to a rectangle: to the differences between neighbouring points, which
are added up in the end. Small trees are folded once for each run of points that they cannot tell apart. Of large ones a
row walks once down each tree: at a split on a column of the grid it goes both ways, each with the points that go there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from probus.compiling import njit
from probus.errors import DataError
from probus.parallel import chunked, thread_count
from probus.tree._trees import Trees
from probus.tree.kernel_parts import inner
from probus.tree.prediction._codebook import quantise
from probus.tree.prediction._fold import AT_ONCE, BLOCK, MISSING_CODE, fold_tree
from probus.tree.prediction._grid_axis import GridAxis
from probus.tree.prediction._walk import RowLayout, in_set, over_rows

_ROWS = 256
_WORTH_FOLDING = 48  # rows; fewer are faster by walking
_DIFFERENCES = 1 << 16  # of a block of rows, which stay in a cache


def sums_over_grid(
    trees: Trees,
    X: np.ndarray,
    columns: Sequence[Sequence[int] | np.ndarray],
    grids: Sequence[np.ndarray],
    n_groups: int = 1,
    *,
    values: np.ndarray | None = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """The sums of ``sums_of`` where one set of columns or two have the values of a grid, exactly.

    Parameters
    ----------
    trees : trees without surrogates.
    X : coded rows.
    columns : for each axis of the grid the columns, of any kind, that have its values.
    grids : for each axis float64[G, d], coded rows with the values of its points in these columns; missing ones too.
    n_groups : tree t adds to group t mod n_groups.
    values : float64[nodes, V], in place of those of the trees.
    n_jobs : the number of threads; the sums do not depend on it.

    Returns
    -------
    float64[n, G, n_groups · V], or [n, G, H, n_groups · V] for two axes.

    >>> from probus.datasets import mtcars
    >>> from probus.tree import DecisionTreeRegressor
    >>> cars = mtcars()
    >>> X = cars.select("wt", "hp").numbers()
    >>> tree = DecisionTreeRegressor(max_depth=2).fit(X, cars["mpg"])
    >>> sums_over_grid(tree.tree_, X[:2], [[0]], [np.array([[2.0, 0.0], [4.0, 0.0]])])[:, :, 0].round(1)
    array([[28.6, 21. ],
           [28.6, 21. ]])
    """
    if trees.surrogates is not None:
        raise DataError("trees with surrogate splits.", "trees without")
    values = trees.value.reshape(-1, trees.n_values) if values is None else values
    follows = np.full(X.shape[1], -1)
    for k, mine in enumerate(columns):
        follows[list(mine)] = k
    axes = [GridAxis.of(trees, np.flatnonzero(follows == k), grid) for k, grid in enumerate(grids)]
    sizes = [len(axis.points) for axis in axes]
    if len(axes) == 1:
        axes.append(GridAxis.of(trees, np.zeros(0, np.int64), np.zeros((1, X.shape[1]))))
    out = np.zeros((len(X), *sizes, n_groups * values.shape[1]))
    if len(X) >= _WORTH_FOLDING and trees.packed.folds:
        _fold(trees, X, follows, axes, values, n_groups, n_jobs, out)
    else:
        _walk(trees, X, follows, axes, values, n_groups, n_jobs, out)
    return out


# -- small trees -------------------------------------------------------------------------------------------


def _fold(
    trees: Trees, X: np.ndarray, follows: np.ndarray, axes: list[GridAxis], values: np.ndarray, n_groups: int,
    n_jobs: int | None, out: np.ndarray,
) -> None:  # fmt: skip
    folding = trees.packed.folding
    value = np.ascontiguousarray(values[trees.is_leaf], np.float64).ravel()
    size, second_size = (len(axis.points) for axis in axes)
    runs = [axis.runs(trees) for axis in axes]
    follow = follows[folding.codebook.column] if len(folding.codebook.column) else np.zeros(0, np.int64)
    steps = (*folding.codebook, *folding[1:5])
    n_folds = int((np.diff(runs[0][0]) * np.diff(runs[1][0])).max()) * len(folding.steps)

    def fold(rows: RowLayout, part: slice) -> None:
        wanted = min(_DIFFERENCES // (size * second_size * out.shape[-1]), BLOCK, rows.n)
        at_once = -(-max(wanted, 64) // 32) * 32
        codes = np.zeros((len(follow) + 1, at_once), np.uint8)
        slots = np.zeros((folding.n_slots, at_once), np.uint8)
        differences = np.empty((size * second_size * out.shape[-1], at_once))
        fold_over_grid(
            *rows, *steps, value, n_groups, follow, axes[0].points.ravel(), axes[1].points.ravel(), size, second_size,
            *runs[0], *runs[1], codes, slots, differences.reshape(-1), out[part].reshape(-1),
        )  # fmt: skip

    over_rows(X, n_jobs, 0.1 * len(X) * n_folds, fold)


@njit(nogil=True, cache=True)
def fold_over_grid(
    X, row, column, n, run_column, n_levels, low, scale, cells, stride, thresholds, steps, sets, step_start, leaf_start,
    value, n_groups, follow, points, second_points, size, second_size, run_start, runs, second_start, second_runs,
    codes, slots, differences, out,
):  # fmt: skip
    """Fold the trees for each row and each run of points of a grid.

    X to value (IN)              as for ``fold_sums``
    follow (IN)                  int64[V], the axis that a run of the codebook follows; -1 for its own values
    points, second_points (IN)   float64, flat, [size, d], [second_size, d]
    run_start to second_runs (IN)  ``GridAxis.runs`` of both axes
    codes, slots (OUT)           as for ``fold_sums``
    differences (OUT)            float64, flat, [size · second_size · n_groups · V, b]
    out (OUT)                    float64, flat, [n, size, second_size, n_groups · V]
    """
    n_trees, b, d = len(step_start) - 1, codes.shape[1], len(points) // size
    width = len(out) // (n * size * second_size)
    n_values = width // n_groups
    flat_codes, flat_slots = codes.reshape(-1), slots.reshape(-1)
    n_runs = len(run_column)
    codes_of, second_codes = np.empty(size * n_runs, np.uint8), np.empty(second_size * n_runs, np.uint8)
    quantise(points, d, 1, 0, size, run_column, n_levels, low, scale, cells, stride, thresholds, MISSING_CODE, codes_of,
             n_runs, 1)  # fmt: skip
    quantise(second_points, d, 1, 0, second_size, run_column, n_levels, low, scale, cells, stride, thresholds,
             MISSING_CODE, second_codes, n_runs, 1)  # fmt: skip
    for start in range(0, n, b):
        m = min(b, n - start)
        quantise(X, row, column, start, m, run_column, n_levels, low, scale, cells, stride, thresholds, MISSING_CODE,
                 flat_codes, 1, b)  # fmt: skip
        differences[:] = 0.0
        for t in range(n_trees):
            group = (t % n_groups) * n_values
            for i in range(run_start[t], run_start[t + 1]):
                g = runs[i]
                until = runs[i + 1] if i + 1 < run_start[t + 1] else size
                _set_codes(codes, follow, 0, codes_of, g * n_runs)
                for j in range(second_start[t], second_start[t + 1]):
                    h = second_runs[j]
                    second_until = second_runs[j + 1] if j + 1 < second_start[t + 1] else second_size
                    _set_codes(codes, follow, 1, second_codes, h * n_runs)
                    fold_tree(steps, step_start[t], step_start[t + 1], sets, flat_codes, flat_slots, b, m)
                    found = slots[t % AT_ONCE]
                    for v in range(n_values):
                        at, leaf = group + v, leaf_start[t] * n_values + v
                        corner = ((g * second_size + h) * width + at) * b
                        _add(differences, corner, value, leaf, n_values, found, m, 1.0)
                        if second_until < second_size:
                            corner = ((g * second_size + second_until) * width + at) * b
                            _add(differences, corner, value, leaf, n_values, found, m, -1.0)
                        if until < size:
                            corner = ((until * second_size + h) * width + at) * b
                            _add(differences, corner, value, leaf, n_values, found, m, -1.0)
                            if second_until < second_size:
                                corner = ((until * second_size + second_until) * width + at) * b
                                _add(differences, corner, value, leaf, n_values, found, m, 1.0)
        _add_up(differences, size, second_size, width, b, m, start, out)


@inner
def _set_codes(codes, follow, axis, code_of, start):
    for v in range(len(follow)):
        if follow[v] == axis:
            codes[v] = code_of[start + v]


@inner
def _add(differences, start, value, leaf, n_values, found, m, sign):
    for r in range(m):
        differences[start + r] += sign * value[leaf + np.int64(found[r]) * n_values]


@inner
def _add_up(differences, size, second_size, width, b, m, start, out):
    """From differences of neighbours to the values of a block of rows."""
    per_row = size * second_size * width
    for g in range(size):
        for h in range(second_size):
            for v in range(width):
                here = (g * second_size + h) * width + v
                if h > 0:
                    for r in range(m):
                        differences[here * b + r] += differences[(here - width) * b + r]
        if g > 0:
            line = second_size * width * b
            for k in range(line):
                differences[g * line + k] += differences[(g - 1) * line + k]
    for r in range(m):
        for k in range(per_row):
            out[(start + r) * per_row + k] = differences[k * b + r]


# -- large trees -------------------------------------------------------------------------------------------


def _walk(
    trees: Trees, X: np.ndarray, follows: np.ndarray, axes: list[GridAxis], values: np.ndarray, n_groups: int,
    n_jobs: int | None, out: np.ndarray,
) -> None:  # fmt: skip
    start, nodes, words, sets, n_levels, node = trees.packed.nodes
    X = np.ascontiguousarray(X, np.float64)
    size, second_size = (len(axis.points) for axis in axes)
    place = np.full(len(trees.feature), -1)
    place[np.concatenate([axis.nodes for axis in axes])] = np.arange(sum(len(axis.nodes) for axis in axes))
    first_left = np.concatenate([axis.first_left for axis in axes])
    turns = np.concatenate([axis.turns for axis in axes])
    turn_start = np.concatenate([axes[0].turn_start, len(axes[0].turns) + axes[1].turn_start[1:]])
    flat = np.ascontiguousarray(values, np.float64).ravel()
    most_turns = int(np.diff(turn_start).max(initial=1))
    most_waiting = 2 + min(len(trees.levels) * most_turns, size * second_size)

    def part(first: int, last: int) -> None:
        walk_over_grid(
            X[first:last].ravel(), X.shape[1], last - first, follows, place[node], first_left, turn_start, turns, size,
            second_size, most_waiting, start, nodes, words, sets, n_levels, node, flat, n_groups,
            out[first:last].reshape(-1),
        )  # fmt: skip

    at_once = max(min(_DIFFERENCES // ((size + 1) * (second_size + 1) * out.shape[-1]), _ROWS), 8)
    chunked(part, len(X), thread_count(n_jobs, 60.0 * len(X) * len(trees)), chunk=at_once)


@njit(nogil=True, cache=True)
def walk_over_grid(
    X, d, n, follows, place, first_left, turn_start, turns, size, second_size, most_waiting, start, nodes, words, sets,
    n_levels, node, value, n_groups, out,
):  # fmt: skip
    """Add up the trees for each row at each point of a grid.

    X (IN)                   float64, flat; value j of row i is at i · d + j
    follows (IN)             int64[d], the axis that a column follows; -1 for its own values
    place (IN)               int64[nodes], the number of a packed node among those that split on the grid's columns
    first_left to turns (IN) ``GridAxis`` of these nodes
    size, second_size (IN)   the numbers of points
    most_waiting (IN)        how many intervals may wait while a row walks
    start to node (IN)       ``Packed.nodes``
    value (IN)               float64, flat, [nodes, V]
    out (OUT)                float64, flat, [n, size, second_size, n_groups · V]
    """
    one, two, half, feature_bits = np.uint64(1), np.uint64(2), np.uint64(32), np.uint64(0x3FFFFFFF)
    n_values = len(value) // len(node)
    width = n_groups * n_values
    row_of = (second_size + 1) * width  # of the differences
    differences = np.zeros(n * (size + 1) * row_of)
    places, bounds = np.empty(most_waiting, np.uint64), np.empty((most_waiting, 4), np.int64)
    now = np.empty(4, np.int64)  # from and until on the first axis, then on the second
    for t in range(len(start) - 1):  # a large tree is slow to fetch
        for i in range(n):
            waiting = 1
            places[0] = two * np.uint64(start[t])
            bounds[0, 0], bounds[0, 1], bounds[0, 2], bounds[0, 3] = 0, size, 0, second_size
            while waiting > 0:
                waiting -= 1
                here = places[waiting]
                for k in range(4):
                    now[k] = bounds[waiting, k]
                while True:
                    threshold, word = nodes[np.int64(here)], words[np.int64(here + one)]
                    left = word >> half
                    if left == here:
                        break
                    f = np.int64((word >> two) & feature_bits)
                    axis = follows[f]
                    if axis < 0:
                        x = X[i * d + f]
                        right = (x > threshold) | ((x != x) & (word & one == 0))
                        if sets is not None:  # noqa: SIM102 (None alone leaves the rest uncompiled)
                            if word & two != 0:
                                right = not in_set(x, sets, np.int64(threshold), n_levels[f])
                        here = left + (np.uint64(right) << one)
                        continue
                    k = place[np.int64(here >> one)]
                    side, s, last = np.int64(first_left[k]), turn_start[k], turn_start[k + 1]
                    while s < last and turns[s] <= now[2 * axis]:
                        side, s = 1 - side, s + 1
                    here, until = left + (np.uint64(1 - side) << one), now[2 * axis + 1]
                    if s < last and turns[s] < until:
                        now[2 * axis + 1] = turns[s]
                    while s < last and turns[s] < until:  # what comes after a turn waits
                        side = 1 - side
                        places[waiting] = left + (np.uint64(1 - side) << one)
                        for k in range(4):
                            bounds[waiting, k] = now[k]
                        bounds[waiting, 2 * axis] = turns[s]
                        bounds[waiting, 2 * axis + 1] = min(turns[s + 1], until) if s + 1 < last else until
                        waiting, s = waiting + 1, s + 1
                leaf = np.int64(node[np.int64(here >> one)]) * n_values
                corner = i * (size + 1) * row_of + (t % n_groups) * n_values
                a, b = now[0] * row_of + corner, now[1] * row_of + corner
                c, e = now[2] * width, now[3] * width
                for v in range(n_values):
                    x = value[leaf + v]
                    differences[a + c + v] += x
                    differences[b + c + v] -= x
                    if second_size > 1:
                        differences[a + e + v] -= x
                        differences[b + e + v] += x
    for i in range(n):
        for g in range(size):
            base, here = (i * size + g) * second_size * width, (i * (size + 1) + g) * row_of
            if g > 0:
                for k in range(row_of):
                    differences[here + k] += differences[here - row_of + k]
            for v in range(width):
                total = 0.0
                for h in range(second_size):
                    total += differences[here + h * width + v]
                    out[base + h * width + v] = total
