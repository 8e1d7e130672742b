"""Permutation importance of a forest: how much worse its trees get when a column is shuffled (Breiman 2001)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats
from sklearn.utils import check_random_state

from probus.base import checked_numbers
from probus.compiling import njit
from probus.display import Cells, Picture, Result
from probus.display.drawing import BLUE, INK, new_axes, tidy
from probus.ensemble.forest._known_labels import codes_of
from probus.ensemble.forest._training_rows import must_be_out_of_bag, must_have_one_output
from probus.errors import DataError
from probus.metrics import Estimate
from probus.parallel import chunked, thread_count
from probus.tree import LEAF
from probus.tree.prediction import next_node, splits_of

if TYPE_CHECKING:
    from probus.ensemble.forest._forest_base import Forest


_PARTS = 8  # of the trees, fixed: sums must not depend on threads


@dataclass(frozen=True, eq=False, repr=False)
class PermutationImportance(Result):
    """By how much the trees of a forest do worse when a column is shuffled, for each column.

    names : of the columns. importances : for each its Estimate: the mean over the trees, and an interval over rows.
    differences : float64[T, d] the trees one by one. loss : what grows, in words.
    """

    names: tuple[str, ...]
    importances: tuple[Estimate, ...]
    differences: np.ndarray
    loss: str

    @property
    def ranked(self) -> list[tuple[str, Estimate]]:
        """Names and importances, the greatest first."""
        return sorted(zip(self.names, self.importances, strict=True), key=lambda pair: -pair[1].value)

    def __getitem__(self, name: str) -> Estimate:
        return dict(zip(self.names, self.importances, strict=True))[name]

    def _parts(self) -> list[Any]:
        method = self.importances[0].method if self.importances else ""
        head = f"Rise of the {self.loss} when a column is shuffled, {len(self.differences)} trees; intervals {method}"
        return [Picture(self.plot), head, Cells(self.ranked, margin=2, header=False)]

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each column, the greatest importance first."""
        return [{"column": name, "importance": e.value, "low": e.low, "high": e.high} for name, e in self.ranked]

    def plot(self, ax: Any = None) -> Any:
        """Bars with their intervals, the greatest on top, on matplotlib axes, which are returned."""
        ranked = self.ranked
        ax = new_axes(ax, 6.0, 1.1 + 0.28 * len(ranked))
        place, estimates = np.arange(len(ranked)), [estimate for _, estimate in ranked]
        ax.barh(place, [e.value for e in estimates], height=0.62, color=BLUE, alpha=0.85, linewidth=0)
        ax.hlines(place, [e.low for e in estimates], [e.high for e in estimates], color=INK, linewidth=1.4, zorder=3)
        tidy(ax, "Permutation importance", f"rise of the {self.loss} when shuffled", "")
        ax.axvline(0.0, color=INK, linewidth=0.8)
        ax.set_yticks(place, [name for name, _ in ranked], color=INK, parse_math=False)
        ax.set_ylim(len(ranked) - 0.4, -0.6)
        ax.grid(False, axis="y")
        return ax


def permutation_importance(
    model: Forest,
    X: Any,
    y: Any,
    *,
    kind: str = "oob",
    n_repeats: int = 1,
    level: float = 0.95,
    random_state: Any = None,
) -> PermutationImportance:
    """How much worse the trees get when a column is shuffled."""
    seen = np.ascontiguousarray(model._seen(X), np.float64)
    must_have_one_output(model, "permutation importance")
    if kind not in ("oob", "all"):
        raise DataError(f"kind={kind!r}.", "'oob' or 'all'")
    if n_repeats < 1:
        raise DataError(f"n_repeats={n_repeats!r}.", "at least one")
    if kind == "oob":
        must_be_out_of_bag(model, len(seen))
    classes = getattr(model, "classes_", None)
    target = checked_numbers(y, len(seen)) if classes is None else codes_of(classes, y, len(seen)).astype(np.float64)
    seed = int(check_random_state(random_state).randint(2**31 - 1))
    trees, bags = model.trees_, model.bags_
    predicted = trees.value[:, 0, 0].copy() if classes is None else trees.value[:, 0].argmax(axis=1).astype(np.float64)
    nodes = splits_of(trees)

    def part(first: int, last: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """By how much each of some trees does worse, NaN where it has every row; the same by row; the rows' counts."""
        rises = np.full((last - first, trees.n_features), np.nan)
        by_row, counts = np.zeros(seen.shape), np.zeros(len(seen))
        for t in range(first, last):
            rows = np.arange(len(seen)) if kind == "all" else np.flatnonzero(bags.counts(t) == 0)
            if not len(rows):
                continue
            random, rise = np.random.default_rng([seed, t]), np.zeros(trees.n_features)
            for _ in range(n_repeats):
                others, work = random.permutation(rows), np.full(2 * trees.n_features, -1, np.int64)
                add_rises(seen, target, rows, others, t, *nodes, predicted, classes is not None, work, rise, by_row)
            rises[t - first] = rise / (n_repeats * len(rows))
            counts[rows] += n_repeats
        return rises, by_row, counts

    n_predictions = len(seen) * len(trees) * n_repeats
    threads = thread_count(model.n_jobs, 200.0 * n_predictions)
    parts = chunked(part, len(trees), threads, chunk=-(-len(trees) // _PARTS))  # few: each holds a number per cell of X
    differences = np.concatenate([rises for rises, _, _ in parts])
    differences = differences[~np.isnan(differences[:, 0])]
    if len(differences) < 2:
        raise DataError(f"{len(differences)} of {len(trees)} trees have rows out of bag.", "two at least")
    sums, counts = (np.sum(each, axis=0) for each in zip(*(others for _, *others in parts), strict=True))
    rows = np.flatnonzero(counts)
    variance = np.var(sums[rows] / counts[rows][:, None], axis=0, ddof=1)
    if kind == "oob":
        variance, method = 2 * variance, "over samples of rows, too short for correlated columns"
    else:
        method = "over rows, for this forest"
    estimates = _estimates(differences.mean(axis=0), variance, len(rows), level, method)
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(trees.n_features)])
    loss = "squared error" if classes is None else "error rate"
    return PermutationImportance(tuple(map(str, names)), estimates, differences, loss)


def _estimates(mean: np.ndarray, variance: np.ndarray, n: int, level: float, method: str) -> tuple[Estimate, ...]:
    """Each mean with the t interval of n rows of that variance."""
    half = stats.t.ppf((1.0 + level) / 2.0, n - 1) * np.sqrt(variance / n)
    return tuple(
        Estimate(float(m), float(m - h), float(m + h), level, method, n) for m, h in zip(mean, half, strict=True)
    )


@njit(nogil=True, cache=True)
def add_rises(
    X, y, rows, others, t, start, left, right, feature, threshold, missing_left, subset, subsets, n_levels, predicted,
    classes, work, rise, by_row,
):  # fmt: skip
    """Add up by how much one tree's errors rise when a column is taken from other rows, for each column and row.

    Only rows whose path splits on a column are sent again, from its first split.

    X, y (IN)                 float64[n, d], float64[n]: codes of classes, or numbers
    rows, others (IN)         int64[m] the rows to predict, and for each the one whose values it gets
    t (IN)                    which tree
    start to n_levels (IN)    the arrays of ``Trees``
    predicted (IN)            float64[nodes] the class or the number that each node predicts
    classes (IN)              whether errors are counted, not squared
    work (WORK)               int64[2 d] of -1: the last row that split on each column; the node where it first did
    rise (INOUT)              float64[d]
    by_row (INOUT)            float64[n, d] the rises of the row that is predicted, and of the one that gave its value
    """
    d = X.shape[1]
    for m in range(len(rows)):
        i, node, n_predictions = rows[m], start[t], 0
        while left[node] != LEAF:
            f = feature[node]
            if work[f] != m:
                work[f] = m
                work[d + n_predictions] = node
                n_predictions += 1
            node = next_node(X[i, f], node, left, right, feature, threshold, missing_left, subset, subsets, n_levels)
        before = predicted[node] - y[i]
        for k in range(n_predictions):
            other = work[d + k]
            shuffled = feature[other]
            while left[other] != LEAF:
                f = feature[other]
                x = X[others[m], f] if f == shuffled else X[i, f]
                other = next_node(x, other, left, right, feature, threshold, missing_left, subset, subsets, n_levels)
            after = predicted[other] - y[i]
            rises = after * after - before * before
            if classes:
                rises = np.float64(after != 0.0) - np.float64(before != 0.0)
            rise[shuffled] += rises
            by_row[i, shuffled] += rises
            by_row[others[m], shuffled] += rises
