"""Predictions rise where they may only rise, and columns that must not meet do not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probus.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from probus.errors import DataError
from probus.tree._trees import LEAF, Trees

seeds = st.integers(0, 2**32)


def wave(seed: int, n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).round(2)
    f = X[:, 0] + np.sin(5 * X[:, 0]) - X[:, 1] - np.cos(4 * X[:, 1]) + X[:, 2] * X[:, 3] + rng.normal(size=n)
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, f


def along(model, X: np.ndarray, column: int) -> np.ndarray:
    """Predictions as one column rises and the others stay."""
    grid = np.linspace(-4, 4, 81)
    moved = np.repeat(X[:20], len(grid), axis=0)
    moved[:, column] = np.tile(grid, 20)
    found = model.decision_function(moved) if hasattr(model, "decision_function") else model.predict(moved)
    return found.reshape(20, len(grid))


@pytest.mark.parametrize("most", [{"max_leaf_nodes": 31}, {"max_leaf_nodes": None, "max_depth": 4}])
@pytest.mark.parametrize("loss", ["squared_error", "poisson", "log_loss"])
@settings(max_examples=3)
@given(seed=seeds)
def test_predictions_rise_and_fall_as_they_may(loss, most, seed):
    X, f = wave(seed)
    given = {"monotonic_cst": [1, -1, 0, 0], "max_iter": 10, "min_samples_leaf": 3, **most}
    if loss == "log_loss":
        model = HistGradientBoostingClassifier(**given).fit(X, f > 0)
    else:
        model = HistGradientBoostingRegressor(loss, **given).fit(X, np.exp(f / 2) if loss == "poisson" else f)
    assert np.diff(along(model, X, 0), axis=1).min() >= -1e-9
    assert np.diff(along(model, X, 1), axis=1).max() <= 1e-9


def test_what_is_not_bound_is_free():
    X, f = wave(0)
    model = HistGradientBoostingRegressor(max_iter=10, monotonic_cst=[0, 0, 0, 1]).fit(X, f)
    assert np.diff(along(model, X, 0), axis=1).min() < 0


def test_columns_are_bound_by_name():
    import pandas as pd

    X, f = wave(1)
    frame = pd.DataFrame(X, columns=list("abcd"))
    named, listed = (
        HistGradientBoostingRegressor(max_iter=5, monotonic_cst=signs, random_state=0).fit(frame, f)
        for signs in ({"a": 1, "b": -1}, [1, -1, 0, 0])
    )
    assert (named.predict(frame) == listed.predict(frame)).all()


def paths(trees: Trees) -> set[frozenset[int]]:
    """The columns asked on the way to each leaf."""
    above: dict[int, frozenset[int]] = {}
    found = set()
    for node in range(len(trees.children_left)):
        asked = above.get(node, frozenset())
        if trees.children_left[node] == LEAF:
            found.add(asked)
            continue
        for child in (trees.children_left[node], trees.children_right[node]):
            above[int(child)] = asked | {int(trees.feature[node])}
    return found


@pytest.mark.parametrize(
    ("constraint", "may_meet"),
    [
        ("no_interactions", [{0}, {1}, {2}, {3}]),
        ("pairwise", [{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}]),
        ([{0, 1}, {2, 3}], [{0, 1}, {2, 3}]),
        ([(0, 1), (1, 2, 3)], [{0, 1}, {1, 2, 3}]),
        ([[0, 1]], [{0, 1}, {2, 3}]),  # columns in no set are a set of their own
    ],
)
def test_no_path_asks_columns_that_must_not_meet(constraint, may_meet):
    X, f = wave(2)
    model = HistGradientBoostingRegressor(interaction_cst=constraint, max_iter=20, min_samples_leaf=3).fit(X, f)
    found = paths(model.trees_)
    assert all(any(path <= circle for circle in may_meet) for path in found)
    assert any(len(path) > 1 for path in found) == any(len(circle) > 1 for circle in may_meet)


def test_columns_that_must_not_meet_add_up():
    """Without interactions a prediction is a sum of functions of one column each."""
    X, f = wave(3)
    X = np.nan_to_num(X)
    model = HistGradientBoostingRegressor(interaction_cst="no_interactions", max_iter=20).fit(X, f)
    a, b = X[:50].copy(), X[50:100].copy()
    mixed, rest = np.column_stack([a[:, :2], b[:, 2:]]), np.column_stack([b[:, :2], a[:, 2:]])
    together = model.predict(a) + model.predict(b)
    assert model.predict(mixed) + model.predict(rest) == pytest.approx(together)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"interaction_cst": [1, 2]}, "must be a sequence of tuples or lists, got 1"),
        ({"interaction_cst": [(0, 4)]}, r"integer indices in \[0, n_features - 1\] = \[0, 3\].*names, got 4"),
        ({"interaction_cst": [(0, -1)]}, "got -1"),
        ({"interaction_cst": [(0, "a")]}, "got 'a'"),
        ({"monotonic_cst": [1, 0]}, r"monotonic_cst has shape \(2,\) but the input data X has 4 features"),
        ({"monotonic_cst": [2, 0, 0, 0]}, "must be an array-like of -1, 0 or 1"),
        ({"monotonic_cst": [1, 0, 0, 0], "categorical_features": [0]}, "Categorical features cannot have monotonic"),
    ],
)
def test_impossible_constraints_are_refused(wrong, message):
    X, f = wave(4)
    with pytest.raises(ValueError, match=message):
        HistGradientBoostingRegressor(**wrong).fit(X, f)


def test_many_classes_cannot_be_bound():
    X, f = wave(5)
    with pytest.raises(DataError, match="monotonic constraints are not supported for multiclass"):
        HistGradientBoostingClassifier(monotonic_cst=[1, 0, 0, 0]).fit(X, np.digitize(f, [-1, 1]))
