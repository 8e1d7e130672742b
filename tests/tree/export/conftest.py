"""Trees of every shape to be shown: grown by chance, whatever the data, and scikit-learn's as ours."""

import numpy as np
import pytest

from probus.base import Accepts
from probus.data import Column, Kind, Table
from probus.tree._surrogates import Surrogates
from probus.tree._tree_model import TreeClassifier, TreeRegressor
from probus.tree._trees import Tree, subset_words


class FixedClassifier(TreeClassifier):
    """A classifier that was given its tree."""

    accepts = Accepts(nominal=True, missing=True)

    def __init__(self, criterion="gini"):
        self.criterion = criterion

    def fit(self, X, y):
        return self


class FixedRegressor(TreeRegressor):
    """A regressor that was given its tree."""

    accepts = Accepts(nominal=True, missing=True)

    def __init__(self, criterion="squared_error"):
        self.criterion = criterion

    def fit(self, X, y):
        return self


@pytest.fixture(scope="session")
def as_ours():
    """A fitted tree of scikit-learn as one of ours."""

    def convert(fitted, names=None):
        t = fitted.tree_
        arrays = ("children_left", "children_right", "feature", "threshold", "impurity", "n_node_samples", "value",
                  "weighted_n_node_samples")  # fmt: skip
        tree = Tree(
            missing_go_to_left=t.missing_go_to_left.astype(np.uint8),
            subset=np.full(t.node_count, -1),
            subsets=np.zeros(0, np.uint32),
            n_levels=np.zeros(t.n_features, np.int64),
            **{name: getattr(t, name) for name in arrays},
        )
        model = FixedClassifier() if hasattr(fitted, "classes_") else FixedRegressor()
        model.tree_, model.n_features_in_ = tree, t.n_features
        if hasattr(fitted, "classes_"):
            model.classes_, model.n_classes_ = fitted.classes_, len(fitted.classes_)
        if names is not None:
            model.feature_names_in_ = np.array(names, dtype=object)
        return model

    return convert


LEVELS = ["ash", "beech", "cedar", "date palm", "elm"]


@pytest.fixture(scope="session")
def mixed_table():
    """Columns of every kind, with or without missing values."""

    def draw(seed, n_rows=60, missing=0.2):
        rng = np.random.default_rng(seed)

        def gone():
            return rng.random(n_rows) < missing

        size, tree = rng.integers(0, 4, n_rows).astype(np.int32), rng.integers(0, 5, n_rows).astype(np.int32)
        return Table(
            [
                Column.numbers("height", np.where(gone(), np.nan, rng.normal(0, 1, n_rows))),
                Column("wood", Kind.NOMINAL, np.where(gone(), -1, tree).astype(np.int32), tuple(LEVELS)),
                Column("size", Kind.ORDINAL, np.where(gone(), -1, size).astype(np.int32), ("S", "M", "L", "XL")),
                Column.numbers("when", np.where(gone(), np.nan, rng.integers(19700, 19800, n_rows)), dates=True),
            ]
        )

    return draw


@pytest.fixture(scope="session")
def random_model(mixed_table):
    """A model whose tree splits at random on numbers, on levels, some of them unknown, and on dates."""

    def grow(seed, surrogates=False, classes=0, depth=4):
        rng = np.random.default_rng(seed)
        table = mixed_table(seed)
        n_levels = np.array([0, 5, 0, 0])
        splits = _Splits(rng, n_levels)
        left, right, primary, others = _random_shape(rng, splits, depth, surrogates)
        m, width = len(left), max(classes, 1)
        value = rng.dirichlet(np.ones(width), (m, 1)) if classes else rng.normal(0, 10, (m, 1, 1))
        feature, threshold, subset = (np.array(a) for a in zip(*primary, strict=True))
        ranked = None
        if surrogates:
            start = np.cumsum([0] + [len(o) for o in others])
            flat = [split for o in others for split in o]
            f, t, s = (np.array(a) for a in zip(*flat, strict=True)) if flat else (np.zeros(0, int),) * 3
            flipped = rng.integers(0, 2, len(flat)).astype(np.uint8) * (s < 0)
            share = rng.random(len(flat))
            ranked = Surrogates(start, f, t.astype(float), flipped.astype(np.uint8), s, share, share)
        tree = Tree(
            children_left=np.array(left),
            children_right=np.array(right),
            feature=feature,
            threshold=threshold,
            missing_go_to_left=rng.integers(0, 2, m).astype(np.uint8),
            subset=subset,
            subsets=np.array(splits.words, np.uint32),
            impurity=rng.random(m),
            n_node_samples=np.full(m, 7),
            weighted_n_node_samples=np.full(m, 7.0),
            value=value,
            n_levels=n_levels,
            surrogates=ranked,
        )
        tree.check()
        model = FixedClassifier() if classes else FixedRegressor()
        model.tree_, model.n_features_in_, model.schema_ = tree, 4, table.schema
        model.feature_names_in_ = np.array(table.names, dtype=object)
        if classes:
            model.classes_, model.n_classes_ = np.array([f"class {k}" for k in range(classes)]), classes
        return model

    return grow


class _Splits:
    """Draws questions, and keeps the words of their level sets."""

    def __init__(self, rng, n_levels):
        self.rng, self.n_levels, self.words = rng, n_levels, []

    def draw(self):
        """A feature, a threshold and where its set of levels begins."""
        feature = int(self.rng.integers(len(self.n_levels)))
        if not self.n_levels[feature]:
            threshold = [self.rng.normal(), 0, self.rng.integers(0, 3) + 0.5, self.rng.integers(19700, 19800) + 0.5]
            return feature, float(threshold[feature]), -1
        known = self.rng.permutation(self.n_levels[feature])[: self.rng.integers(2, 6)]
        left = known[: self.rng.integers(1, len(known))]
        start = len(self.words)
        assert subset_words(self.n_levels[feature]) == 1
        self.words += [sum(1 << int(code) for code in codes) for codes in (left, known)]
        return feature, -2.0, start


def _random_shape(rng, splits, depth, surrogates):
    left, right, primary, others = [], [], [], []

    def add(level):
        node = len(left)
        inner = level < depth and (level == 0 or rng.random() < 0.75)
        left.append(-1), right.append(-1)
        primary.append(splits.draw() if inner else (-2, -2.0, -1))
        others.append([splits.draw() for _ in range(rng.integers(0, 3))] if inner and surrogates else [])
        if inner:
            left[node] = add(level + 1)
            right[node] = add(level + 1)
        return node

    add(0)
    return left, right, primary, others
