"""What a column is worth to a forest: how much worse its trees get when the column is shuffled (Breiman 2001)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit
from scipy import stats
from sklearn.utils import check_random_state

from probus.base import checked_numbers
from probus.display import Cells, Picture, Result
from probus.display.drawing import BLUE, INK, new_axes, tidy
from probus.ensemble.forest.labels import codes_of
from probus.ensemble.forest.training_rows import must_be_out_of_bag, must_have_one_output
from probus.errors import DataError
from probus.metrics import Estimate
from probus.parallel import chunked, thread_count
from probus.tree.prediction.unpacked import goes_left, splits_of
from probus.tree.trees import LEAF

if TYPE_CHECKING:
    from probus.ensemble.forest.forest_base import Forest

__all__ = ["PermutationImportance", "permutation_importance"]


@dataclass(frozen=True, eq=False, repr=False)
class PermutationImportance(Result):
    """By how much the trees of a forest do worse when a column is shuffled, for each column.

    names : of the columns. importances : for each its Estimate: the mean over the trees, and an interval from how much
    they differ. differences : float64[T, d] the trees one by one. loss : what grows, in words.
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
        head = f"Rise of the {self.loss} when a column is shuffled, {len(self.differences)} trees"
        return [Picture(self.plot), head, Cells(self.ranked, margin=2, header=False)]

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each column, the greatest importance first."""
        return [{"column": name, "importance": e.value, "low": e.low, "high": e.high} for name, e in self.ranked]

    def plot(self, ax: Any = None) -> Any:
        """Bars with their intervals, the greatest on top, on matplotlib axes, which are returned."""
        ranked = self.ranked
        ax = new_axes(ax, 6.0, 1.1 + 0.28 * len(ranked))
        place, told = np.arange(len(ranked)), [estimate for _, estimate in ranked]
        ax.barh(place, [e.value for e in told], height=0.62, color=BLUE, alpha=0.85, linewidth=0)
        ax.hlines(place, [e.low for e in told], [e.high for e in told], color=INK, linewidth=1.4, zorder=3)
        tidy(ax, "What columns are worth", f"rise of the {self.loss} when shuffled", "")
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
    """By how much each tree does worse on rows it has not seen when one column is shuffled among them.

    The share of wrong classes or the mean squared error of each single tree is taken with the column as it is and
    shuffled; the importance is the mean of the differences over the trees. Its interval is the t interval of that mean:
    how sure this forest is, not what another sample of rows would give. Columns that tell the same share their worth.

    Parameters
    ----------
    X, y : for kind "oob" the rows of the fit, in their order, each tree taking those not in its bag; with "all" any
        rows, best ones that the forest was not fitted on.
    n_repeats : how often each tree's rows are shuffled.
    level : of the intervals.
    random_state : of the shuffles.

    Examples
    --------
    >>> from probus.datasets import penguins
    >>> from probus.ensemble import RandomForestClassifier
    >>> birds = penguins()
    >>> X, y = birds[["bill_length_mm", "flipper_length_mm", "sex", "year"]], birds["species"]
    >>> forest = RandomForestClassifier(200, random_state=0).fit(X, y)
    >>> worth = forest.permutation_importance(X, y, random_state=0)
    >>> [name for name, _ in worth.ranked]
    ['flipper_length_mm', 'bill_length_mm', 'sex', 'year']
    >>> worth["bill_length_mm"].low > 0.2
    True
    """
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
    said = trees.value[:, 0, 0].copy() if classes is None else trees.value[:, 0].argmax(axis=1).astype(np.float64)
    nodes = splits_of(trees)

    def part(first: int, last: int) -> np.ndarray:
        """By how much one tree does worse; NaN where it has seen every row."""
        rows = np.arange(len(seen)) if kind == "all" else np.flatnonzero(bags.counts(first) == 0)
        random, rise = np.random.default_rng([seed, first]), np.zeros(trees.n_features)
        for _ in range(n_repeats):
            others, work = random.permutation(rows), np.full(2 * trees.n_features, -1, np.int64)
            add_rises(seen, target, rows, others, first, *nodes, said, classes is not None, work, rise)
        return rise / (n_repeats * len(rows)) if len(rows) else np.full(trees.n_features, np.nan)

    n_asked = len(seen) * len(trees) * n_repeats
    parts = np.array(chunked(part, len(trees), thread_count(model.n_jobs, 200.0 * n_asked), chunk=1))
    differences = parts[~np.isnan(parts[:, 0])]
    if len(differences) < 2:
        raise DataError(f"{len(differences)} of {len(trees)} trees have rows out of bag.", "two at least")
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(trees.n_features)])
    loss = "squared error" if classes is None else "error rate"
    return PermutationImportance(tuple(map(str, names)), _estimates(differences, level), differences, loss)


def _estimates(differences: np.ndarray, level: float) -> tuple[Estimate, ...]:
    """The mean of each column with its t interval."""
    n = len(differences)
    mean, error = differences.mean(axis=0), differences.std(axis=0, ddof=1) / np.sqrt(n)
    half = stats.t.ppf((1.0 + level) / 2.0, n - 1) * error
    return tuple(
        Estimate(float(m), float(m - h), float(m + h), level, "t over trees", n)
        for m, h in zip(mean, half, strict=True)
    )


@njit(nogil=True, cache=True)
def add_rises(
    X, y, rows, others, t, start, left, right, feature, threshold, missing_left, subset, subsets, n_levels, said,
    classes, work, rise,
):  # fmt: skip
    """Add up by how much one tree's errors rise when a column is taken from other rows, for each column.

    Only rows whose path asks for a column are sent anew, from where it is first asked.

    X, y (IN)                 float64[n, d], float64[n]: codes of classes, or numbers
    rows, others (IN)         int64[m] the rows asked about, and for each the one whose values it gets
    t (IN)                    which tree
    start to n_levels (IN)    the arrays of ``Trees``
    said (IN)                 float64[nodes] the class or the number that each node predicts
    classes (IN)              whether errors are counted, not squared
    work (WORK)               int64[2 d] of -1: the row that last asked for each column; and nodes where it first did
    rise (INOUT)              float64[d]
    """
    d = X.shape[1]
    for m in range(len(rows)):
        i, node, n_asked = rows[m], start[t], 0
        while left[node] != LEAF:
            f = feature[node]
            if work[f] != m:
                work[f] = m
                work[d + n_asked] = node
                n_asked += 1
            go = goes_left(X[i, f], threshold[node], subset[node], subsets, n_levels[f])
            if go < 0:
                go = missing_left[node]
            node = np.int64(left[node]) if go == 1 else np.int64(right[node])
        before = said[node] - y[i]
        for k in range(n_asked):
            other = work[d + k]
            shuffled = feature[other]
            while left[other] != LEAF:
                f = feature[other]
                x = X[others[m], f] if f == shuffled else X[i, f]
                go = goes_left(x, threshold[other], subset[other], subsets, n_levels[f])
                if go < 0:
                    go = missing_left[other]
                other = np.int64(left[other]) if go == 1 else np.int64(right[other])
            after = said[other] - y[i]
            if classes:
                rise[shuffled] += np.float64(after != 0.0) - np.float64(before != 0.0)
            else:
                rise[shuffled] += after * after - before * before
