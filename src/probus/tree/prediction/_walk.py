"""The walk of rows down trees: the leaves they reach, and the sums of the leaves' values."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from probus.compiling import njit
from probus.errors import DataError
from probus.parallel import chunked, thread_count
from probus.tree._trees import Tree, Trees
from probus.tree.kernel_parts import inner
from probus.tree.prediction._codebook import level_sets
from probus.tree.prediction._coded import Coded, can_code, coded_of, side_by_side, walk_coded
from probus.tree.prediction._fold import BLOCK, Folding, can_fold, fold_sums, folding_of
from probus.tree.prediction._unpacked import surrogate_splits_of, walk_surrogates

_ABREAST = 16  # rows that walk at once: while one waits for memory the others go on
_ROWS = 8192  # rows that walk down one tree before the next: a large tree is slow to fetch
_ROWS_COPIED = 8192  # at a time, of a matrix that is not float64 or not contiguous
_WORTH_FOLDING = 48  # rows; fewer are faster by walking
_WORTH_CODING = 8  # times as many rows as nodes in a tree, to walk by codes, which take time to prepare


class Packed:
    """The nodes of trees as the kernels read them, prepared once.

    nodes : what the kernels that walk take, see ``_packed_nodes``
    value : float64[m · V], the values of the nodes
    folds, codes : whether many rows are faster by folding, and very many by walking by codes
    """

    def __init__(self, trees: Trees):
        self.trees = weakref.proxy(trees)  # which keep this: a cycle would keep both until the garbage collector runs
        self.sets = level_sets(trees)
        self.nodes = _packed_nodes(trees, *self.sets)
        self.value = np.require(trees.value, requirements=["C", "W"]).reshape(-1)

    @cached_property
    def folds(self) -> bool:
        """Whether to fold many rows."""
        return can_fold(self.trees)

    @cached_property
    def codes(self) -> bool:
        """Whether very many rows walk by codes."""
        return can_code(self.trees)

    @cached_property
    def coded(self) -> Coded:
        """The nodes for a walk by codes."""
        return coded_of(self.trees)

    @cached_property
    def folding(self) -> Folding:
        """The steps that fold the trees."""
        return folding_of(self.trees, *self.sets)


def _packed_nodes(trees: Trees, sets: np.ndarray, set_of: np.ndarray) -> tuple[Any, ...]:
    """The nodes renumbered so that siblings lie side by side and a leaf leads to itself.

    Each is a threshold and a word: left child << 33 | feature << 2 | nominal << 1 | whether the missing go left. Both
    lie in one array, which is also viewed as words; the upper half of a word is where in it the left child begins. At
    nominal splits the threshold is where in ``sets`` theirs begins.
    """
    inner, left, place = side_by_side(trees)
    nodes = np.full((len(place), 2), np.inf)
    words = nodes.view(np.uint64)
    words[:, 1] = np.arange(len(place)) << 33 | 1
    nominal = set_of[inner] >= 0
    nodes[place[inner], 0] = np.where(nominal, set_of[inner], trees.threshold[inner])
    feature = trees.feature[inner].astype(np.int64)
    words[place[inner], 1] = left << 33 | feature << 2 | nominal << 1 | trees.missing_go_to_left[inner]
    node = np.empty(len(place), np.int32)
    node[place] = np.arange(len(place))
    # kernels for numbers alone are compiled without what only levels need
    levels = (sets, trees.n_levels.copy()) if nominal.any() else (None, None)
    return trees.start.copy(), nodes.ravel(), words.ravel(), *levels, node


# -- leaves and paths --------------------------------------------------------------------------------------


def leaves_of(trees: Trees, X: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
    """The leaf (numbered within ``trees``) that each row of a matrix reaches in each tree: int32[n, T]."""
    n_trees = len(trees)
    out = np.empty(len(X) * n_trees, np.int32)
    walk, nodes = (
        (walk_leaves, trees.packed.nodes) if trees.surrogates is None else (walk_surrogates, surrogate_splits_of(trees))
    )

    def work(rows: RowLayout, part: slice) -> None:
        walk(rows.X, rows.row, rows.n, *nodes, out[part.start * n_trees : part.stop * n_trees])

    over_rows(X, n_jobs, 20.0 * len(out), work, by_row=True)
    return out.reshape(-1, n_trees)


def paths_of(tree: Tree, leaves: np.ndarray) -> Any:
    """The nodes on the way to the leaf of each row, as a sparse matrix of rows × nodes."""
    from scipy.sparse import csr_matrix

    lengths = tree.depths[leaves] + 1
    ends = np.cumsum(lengths)
    nodes = np.empty(ends[-1] if len(ends) else 0, np.int64)
    node, place = leaves, ends - 1
    while len(node):  # from the leaves up, all rows at once
        nodes[place] = node
        node, place = tree.parents[node], place - 1
        going = node >= 0
        node, place = node[going], place[going]
    start = np.concatenate([[0], ends])
    return csr_matrix((np.ones(len(nodes), np.int64), nodes, start), shape=(len(leaves), tree.node_count))


# -- sums of values ----------------------------------------------------------------------------------------


def sums_of(
    trees: Trees, X: np.ndarray, n_groups: int = 1, n_jobs: int | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """For each row the sum of the values of its leaves, tree after tree: float64[n, n_groups · V].

    With several groups tree t adds to group t mod n_groups, as boosting of many classes grows one tree for each.
    Where ``out`` is given (float64, row by row), the sums are added to what it holds, and it is returned.
    """
    out = _sums(trees, X, n_groups, out)
    packed = trees.packed
    if len(X) >= _WORTH_FOLDING and packed.folds:
        _add_folded(trees, X, n_groups, n_jobs, out)
    elif len(X) * len(trees) >= _WORTH_CODING * len(trees.feature) and packed.codes:
        _add_coded(trees, X, n_groups, n_jobs, out)
    else:
        _add_walked(trees, 0, len(trees), X, n_groups, n_jobs, out)
    return out


def _add_coded(trees: Trees, X: np.ndarray, n_groups: int, n_jobs: int | None, out: np.ndarray) -> None:
    coded, at_once = trees.packed.coded, min(_ROWS, len(X))
    nodes = (*coded.codebook, *coded[1:], trees.packed.value)

    def walk(rows: RowLayout, part: slice) -> None:
        codes = np.empty((at_once, max(1, len(coded.codebook.column))), np.uint16)
        walk_coded(*rows, *nodes, n_groups, codes, out[part].reshape(-1))

    over_rows(X, n_jobs, 10.0 * len(X) * len(trees), walk)


def _add_folded(trees: Trees, X: np.ndarray, n_groups: int, n_jobs: int | None, out: np.ndarray) -> None:
    folding = trees.packed.folding
    steps = (*folding.codebook, *folding[1:-1])

    def fold(rows: RowLayout, part: slice) -> None:
        at_once = min(BLOCK, -(-rows[-1] // 32) * 32)
        codes = np.zeros((len(folding.codebook.column) + 1, at_once), np.uint8)
        slots = np.zeros((folding.n_slots, at_once), np.uint8)
        fold_sums(*rows, *steps, n_groups, codes, slots, out[part].reshape(-1))

    over_rows(X, n_jobs, 0.1 * len(X) * len(folding.steps), fold)


def staged_sums_of(
    trees: Trees, X: np.ndarray, n_groups: int = 1, n_jobs: int | None = None, out: np.ndarray | None = None
) -> Iterator[np.ndarray]:
    """As ``sums_of`` after every ``n_groups`` trees: each time the same array, changed."""
    out = _sums(trees, X, n_groups, out)
    for first in range(0, len(trees), n_groups):
        _add_walked(trees, first, min(first + n_groups, len(trees)), X, n_groups, n_jobs, out)
        yield out


def _sums(trees: Trees, X: np.ndarray, n_groups: int, out: np.ndarray | None) -> np.ndarray:
    shape = len(X), n_groups * trees.n_values
    if out is None:
        return np.zeros(shape)
    if out.shape != shape or out.dtype != np.float64 or not out.flags.c_contiguous:
        raise DataError(f"out of shape {out.shape} and {out.dtype}.", f"float64 of shape {shape}, row by row")
    return out


def _add_walked(
    trees: Trees, first: int, last: int, X: np.ndarray, n_groups: int, n_jobs: int | None, out: np.ndarray
) -> None:
    if trees.surrogates is not None:
        grouped, leaves = out.reshape(len(X), n_groups, -1), leaves_of(trees, X, n_jobs)
        for t in range(first, last):
            grouped[:, t % n_groups] += trees.value.reshape(-1, trees.n_values)[leaves[:, t]]
        return
    nodes = (*trees.packed.nodes, trees.packed.value, first, last, n_groups)

    def work(rows: RowLayout, part: slice) -> None:
        walk_sums(rows.X, rows.row, rows.n, *nodes, out[part].reshape(-1))

    over_rows(X, n_jobs, 20.0 * len(X) * (last - first), work, by_row=True)


# -- rows --------------------------------------------------------------------------------------------------


class RowLayout(NamedTuple):
    """Rows as kernels take them: flat, how far apart rows and columns are in it, and how many rows."""

    X: np.ndarray
    row: int
    column: int
    n: int


def over_rows(
    X: np.ndarray, n_jobs: int | None, operations: float, work: Callable[[RowLayout, slice], Any], by_row: bool = False
) -> None:
    """Run the work on parts of the rows on threads; it takes the rows, and which they are.

    ``by_row`` is for kernels that need the values of a row side by side (``column`` is 1): others are copied.
    """
    by_column = X.flags.f_contiguous and not by_row and X.dtype == np.float64
    whole = by_column or (X.flags.c_contiguous and X.dtype == np.float64)

    def part(start: int, stop: int) -> None:
        at_once = stop - start if whole else _ROWS_COPIED
        for first in range(start, stop, at_once):
            last = min(first + at_once, stop)
            work(_rows(X, first, last, by_column), slice(first, last))

    chunked(part, len(X), thread_count(n_jobs, operations))


def _rows(X: np.ndarray, first: int, last: int, by_column: bool) -> RowLayout:
    if by_column:
        flat, row, column = X.T.reshape(-1)[first:], 1, len(X)
    else:
        flat, row, column = np.ascontiguousarray(X[first:last], np.float64).reshape(-1), X.shape[1], 1
    flat = flat.view()
    flat.flags.writeable = False  # read-only arrays have a type of their own in Numba: one is enough
    return RowLayout(flat, row, column, last - first)


# -- kernels -----------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def walk_leaves(X, row, n, start, nodes, words, sets, n_levels, node, out):
    """The leaf of every row in every tree.

    X (IN)                   float64, flat; value j of row i is at i · row + j
    start to node (IN)       ``Packed.nodes``
    out (OUT)                int32, flat, [n, T]
    """
    at = np.empty(_ABREAST, np.uint64)
    n_trees = len(start) - 1
    for block in range(0, n, _ROWS):
        for t in range(n_trees):
            for first in range(block, min(block + _ROWS, n), _ABREAST):
                m = min(_ABREAST, n - first)
                _walk(X, row, first, m, start[t], nodes, words, sets, n_levels, at)
                for q in range(m):
                    out[(first + q) * n_trees + t] = node[at[q] >> np.uint64(1)]


@njit(nogil=True, cache=True)
def walk_sums(X, row, n, start, nodes, words, sets, n_levels, node, value, first_tree, last_tree, n_groups, out):
    """Add the values of the leaves that each row reaches in the trees from the first up to the last.

    X (IN)                   float64, flat; value j of row i is at i · row + j
    start to value (IN)      ``Packed.nodes`` and ``Packed.value``
    out (IN, OUT)            float64, flat, [n, n_groups · V]
    """
    at = np.empty(_ABREAST, np.uint64)
    n_values = len(value) // len(node)
    for block in range(0, n, _ROWS):
        for t in range(first_tree, last_tree):
            group = t % n_groups
            for first in range(block, min(block + _ROWS, n), _ABREAST):
                m = min(_ABREAST, n - first)
                _walk(X, row, first, m, start[t], nodes, words, sets, n_levels, at)
                for q in range(m):
                    here, place = node[at[q] >> np.uint64(1)] * n_values, ((first + q) * n_groups + group) * n_values
                    for k in range(n_values):
                        out[place + k] += value[here + k]


@inner
def _walk(X, row, first, m, root, nodes, words, sets, n_levels, at):
    """Few rows walk abreast down one tree until none moves any more; without a branch but at nominal splits.

    at (OUT) uint64[_ABREAST], twice the place of the leaf of each row
    """
    one, two, feature_bits = np.uint64(1), np.uint64(2), np.uint64(0x3FFFFFFF)
    for q in range(m):
        at[q] = np.uint64(2) * np.uint64(root)
    moved = one
    while moved != 0:
        moved = np.uint64(0)
        for q in range(m):
            here = at[q]
            threshold, word = nodes[here], words[here + one]
            feature = (word >> two) & feature_bits
            x = X[np.uint64((first + q) * row) + feature]
            goes_right = (x > threshold) | ((x != x) & (word & one == 0))
            if sets is not None:  # noqa: SIM102 (None alone leaves the rest uncompiled)
                if word & two != 0:
                    goes_right = not in_set(x, sets, np.int64(threshold), n_levels[feature])
            at[q] = (word >> np.uint64(32)) + (np.uint64(goes_right) << one)
            moved |= at[q] ^ here


@inner
def in_set(x, sets, begin, n_levels):
    """Whether the bit of a level is set; of missing values and unknown levels the last bit. See ``level_sets``."""
    level = np.int64(x) if x == x else n_levels
    level = level if 0 <= level < n_levels else n_levels
    return sets[begin + (level >> 5)] & (np.uint32(1) << np.uint32(level & 31)) != 0
