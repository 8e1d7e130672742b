"""Trees by a criterion that is a function: plain NumPy, for criteria that no kernel knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.tree._trees import LEAF, NO_FEATURE, NO_SUBSET, Tree, subset_words
from probus.tree.preparation._design import Design
from probus.tree.preparation._row_target import Target
from probus.tree.preparation._tree_settings import TreeSettings

_NOTHING = 1e-12  # of the impurity of all rows: an impurity, or a loss of impurity, that is rounding


@dataclass
class _Split:
    gain: float
    feature: int
    threshold: float  # NaN for levels
    left_levels: np.ndarray
    known_levels: np.ndarray
    missing_left: bool


def grow_by(criterion: Callable[..., Any], design: Design, target: Target, settings: TreeSettings) -> Tree:
    """The tree whose splits reduce a function most, depth first.

    Parameters
    ----------
    criterion : for classes, of shares [..., K], to impurities [...]; for numbers, of the targets and weights of rows.
    design, target, settings : as of other trees.
    """
    _check_settings(settings, target)
    search = _Search(criterion, design, target, settings)
    nodes: list[dict[str, Any]] = []
    waiting = [(np.arange(design.n_rows), 0, -1, False)]
    while waiting:
        rows, depth, parent, is_right = waiting.pop()
        number = len(nodes)
        if parent >= 0:
            nodes[parent]["right" if is_right else "left"] = number
        node = search.described(rows)
        nodes.append(node)
        split = search.best_split(rows, node["impurity"]) if depth < settings.max_depth else None
        if split is not None:
            node["split"] = split
            left = search.goes_left(split, rows)
            waiting += [(rows[~left], depth + 1, number, True), (rows[left], depth + 1, number, False)]
    return _flat(nodes, design, search.n_values)


def with_leaf_rule(tree: Tree, X: np.ndarray, target: Target, rule: Callable[..., Any]) -> Tree:
    """The tree with the values that a function of the targets and weights of its rows gives each node."""
    from dataclasses import replace

    if target.n_outputs > 1:
        raise DataError("leaf_rule with several outputs.", "one output")
    path = tree.decision_path(X).tocsc()
    value = np.empty_like(tree.value)
    for node in range(tree.node_count):
        rows = path.indices[path.indptr[node] : path.indptr[node + 1]]
        found = np.asarray(rule(target.y[rows], target.weight[rows]), dtype=np.float64)
        if found.shape not in (value[node, 0].shape, ()) or not np.isfinite(found).all():
            wanted = "a finite number" if target.n_classes == 1 else f"{value.shape[2]} probabilities"
            raise DataError(f"leaf_rule returned {found!r} for {len(rows)} rows.", wanted)
        value[node, 0] = found
    return replace(tree, value=value)


def _check_settings(settings: TreeSettings, target: Target) -> None:
    unusual = {
        "splitter='random'": settings.splitter != "best",
        "max_leaf_nodes": settings.max_leaf_nodes is not None,
        "monotonic_cst": settings.monotone is not None and bool(np.any(settings.monotone)),
        "max_bins": settings.max_bins is not None,
        "missing='surrogate'": settings.surrogates is not None,
        "several outputs": target.n_outputs > 1,
    }
    for what, there in unusual.items():
        if there:
            raise DataError(f"a function as criterion with {what}.", "the criterion alone, or one by its name")


class _Search:
    """The best split of the rows of a node, feature by feature; of classes all cuts of a feature at once."""

    def __init__(self, criterion: Callable[..., Any], design: Design, target: Target, settings: TreeSettings):
        self.criterion, self.design, self.settings = criterion, design, settings
        self.y, self.w = target.y, target.weight
        self.by_class = target.n_classes > 1
        self.n_values = target.n_classes
        self.random = np.random.default_rng(settings.seed)
        # what a set of rows is summed up by: weights of classes, or weights alone
        self.sums = np.eye(target.n_classes)[self.y] * self.w[:, None] if self.by_class else self.w[:, None]
        self.nothing = _NOTHING * abs(self._impurity_of(np.arange(len(self.y))))

    def described(self, rows: np.ndarray) -> dict[str, Any]:
        """The impurity, the value and the size of a node."""
        weight = float(self.w[rows].sum())
        value = self.sums[rows].sum(axis=0) / weight if self.by_class else [self.y[rows] @ self.w[rows] / weight]
        return {"impurity": self._impurity_of(rows), "value": value, "n": len(rows), "weight": weight, "split": None}

    def _impurity_of(self, rows: np.ndarray) -> float:
        if self.by_class:
            sums = self.sums[rows].sum(axis=0)
            return float(self._checked(self.criterion((sums / sums.sum())[None]), 1)[0])
        return float(self._checked(self.criterion(self.y[rows], self.w[rows]), 0))

    def _checked(self, found: Any, ndim: int) -> np.ndarray:
        values = np.asarray(found, dtype=np.float64)
        if values.ndim != ndim or not np.isfinite(values).all():
            wanted = "one finite impurity for each row of shares [n, K]" if ndim else "one finite number"
            raise DataError(f"the criterion returned {found!r}.", wanted)
        return values

    def best_split(self, rows: np.ndarray, impurity: float) -> _Split | None:
        """The split that reduces the impurity most, the first of equally good ones."""
        limits = self.settings
        if impurity <= self.nothing or len(rows) < limits.min_samples_split:
            return None
        best: _Split | None = None
        features = np.arange(self.design.X.shape[1])
        some = limits.max_features < len(features)
        for tried, feature in enumerate(self.random.permutation(features) if some else features):
            if tried >= limits.max_features and best is not None:
                break
            for split in self._splits(rows, int(feature), impurity):
                if best is None or split.gain > best.gain + self.nothing:
                    best = split
        share = self.w[rows].sum() / self.w.sum()
        return best if best is not None and share * best.gain >= limits.min_impurity_decrease else None

    def goes_left(self, split: _Split, rows: np.ndarray) -> np.ndarray:
        """Which rows of a node go left."""
        x = self.design.X[rows, split.feature]
        left = np.isin(x, split.left_levels) if np.isnan(split.threshold) else x <= split.threshold
        return np.where(np.isnan(x), split.missing_left, left)

    def _splits(self, rows: np.ndarray, feature: int, impurity: float) -> Iterator[_Split]:
        """The best cut of each order of a feature's values, with missing values on either side."""
        x = self.design.X[rows, feature]
        known = ~np.isnan(x)
        values = np.unique(x[known])
        sides = (False, True) if (~known).any() else (False,)
        for order in self._orders(rows[known], x[known], values, feature):
            place = np.argsort(order)[np.searchsorted(values, x[known])]
            for missing_left in sides:
                found = self._best_cut(rows, known, place, len(values), missing_left, impurity)
                if found is None:
                    continue
                gain, cut = found
                if self.design.n_levels[feature] > 0:
                    threshold, left = np.nan, values[order[: cut + 1]]
                else:
                    threshold = _between(values, cut)
                    left = np.empty(0)
                if known.all():  # missing values that come later go with the most
                    missing_left = bool(2 * (place <= cut).sum() > len(place))
                yield _Split(gain, feature, threshold, left, values, missing_left)

    def _orders(self, rows: np.ndarray, x: np.ndarray, values: np.ndarray, feature: int) -> Iterator[np.ndarray]:
        """The order of numbers; of levels, that by the share of each class, or by the mean."""
        if self.design.n_levels[feature] == 0:
            yield np.arange(len(values))
            return
        codes = np.searchsorted(values, x)
        weight = np.bincount(codes, self.w[rows], len(values))
        for k in range(1, self.n_values) if self.n_values == 2 else range(self.n_values):
            amount = self.sums[rows, k] if self.by_class else self.w[rows] * self.y[rows]
            yield np.argsort(np.bincount(codes, amount, len(values)) / weight, kind="stable")

    def _best_cut(
        self, rows: np.ndarray, known: np.ndarray, place: np.ndarray, n_values: int, missing_left: bool, impurity: float
    ) -> tuple[float, int] | None:
        """The gain and the place of the best cut between values in order."""
        limits, missing = self.settings, rows[~known]
        n_cuts = n_values - (not (len(missing) and not missing_left))  # known values alone can be the left side
        if n_cuts < 1:
            return None
        tallies = np.zeros((n_values, self.sums.shape[1]))
        np.add.at(tallies, place, self.sums[rows[known]])
        left = np.cumsum(tallies, axis=0)[:n_cuts]
        count = np.cumsum(np.bincount(place, minlength=n_values))[:n_cuts]
        if missing_left:
            left, count = left + self.sums[missing].sum(axis=0), count + len(missing)
        right = np.maximum(self.sums[rows].sum(axis=0) - left, 0.0)  # rounding makes shares of −1e-17
        weight_left, weight_right = left.sum(axis=1), right.sum(axis=1)
        allowed = np.minimum(count, len(rows) - count) >= limits.min_samples_leaf
        allowed &= np.minimum(weight_left, weight_right) >= max(limits.min_weight_leaf, _NOTHING * self.w.sum())
        if not allowed.any():
            return None
        cuts = np.flatnonzero(allowed)
        if self.by_class:
            after = sum(
                side[cuts].sum(axis=1) * self._checked(self.criterion(side[cuts] / side[cuts].sum(axis=1)[:, None]), 1)
                for side in (left, right)
            )
        else:
            after = np.array([self._after(rows, known, place, int(cut), missing_left) for cut in cuts])
        gain = impurity - after / self.w[rows].sum()
        best = int(np.argmax(gain > gain.max() - self.nothing))
        return (float(gain[best]), int(cuts[best])) if gain[best] > -self.nothing else None

    def _after(self, rows: np.ndarray, known: np.ndarray, place: np.ndarray, cut: int, missing_left: bool) -> float:
        left = np.full(len(rows), missing_left)
        left[known] = place <= cut
        return sum(self.w[side].sum() * self._impurity_of(side) for side in (rows[left], rows[~left]))


def _flat(nodes: list[dict[str, Any]], design: Design, n_values: int) -> Tree:
    """The nodes as arrays; nominal splits have a bit for each level that goes left, and for each that is known."""
    words: list[np.ndarray] = []
    subset, n_words = np.full(len(nodes), NO_SUBSET), 0
    for number, node in enumerate(nodes):
        split = node["split"]
        if split is not None and np.isnan(split.threshold):
            size = int(subset_words(design.n_levels[split.feature]))
            subset[number], n_words = n_words, n_words + 2 * size
            words += [_bits(split.left_levels, size), _bits(split.known_levels, size)]

    def of_splits(value: Callable[[_Split], float], at_leaf: float) -> np.ndarray:
        return np.array([at_leaf if node["split"] is None else value(node["split"]) for node in nodes])

    return Tree(
        children_left=np.array([node.get("left", LEAF) for node in nodes]),
        children_right=np.array([node.get("right", LEAF) for node in nodes]),
        feature=of_splits(lambda split: split.feature, NO_FEATURE),
        threshold=of_splits(lambda split: split.threshold, NO_FEATURE).astype(np.float64),
        missing_go_to_left=of_splits(lambda split: split.missing_left, 0).astype(np.uint8),
        subset=subset,
        subsets=np.concatenate(words) if words else np.empty(0, np.uint32),
        impurity=np.array([node["impurity"] for node in nodes]),
        n_node_samples=np.array([node["n"] for node in nodes]),
        weighted_n_node_samples=np.array([node["weight"] for node in nodes]),
        value=np.array([node["value"] for node in nodes], dtype=np.float64).reshape(len(nodes), 1, n_values),
        n_levels=design.n_levels.astype(np.int64),
        missing_seen=None,
    )


def _between(values: np.ndarray, cut: int) -> float:
    """Half-way to the next value, infinite after the last one."""
    if cut + 1 == len(values):
        return np.inf
    low, high = float(values[cut]), float(values[cut + 1])
    middle = 0.5 * low + 0.5 * high
    return middle if low <= middle < high else low


def _bits(levels: np.ndarray, size: int) -> np.ndarray:
    words = np.zeros(size, np.uint32)
    for level in levels.astype(np.int64):
        words[level >> 5] |= np.uint32(1) << np.uint32(level & 31)
    return words
