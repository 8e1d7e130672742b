import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from probus.errors import DataError
from probus.tree.prune import reduced_error_pruned

losses = st.sampled_from(["error", "brier", "squared_error", "absolute_error"])


def some_data(seed: int, n: int, loss: str):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 8, (n, 2)).astype(float)
    y = (X[:, 0] // 3 + rng.integers(0, 2, n)).astype(int)
    model = DecisionTreeClassifier if loss in ("error", "brier") else DecisionTreeRegressor
    return X, y, rng.integers(0, 4, n).astype(float), model(random_state=0, max_leaf_nodes=7)


def total(tree, X, y, w, loss: str) -> float:
    """The loss of a tree on rows, in the plainest words."""
    value = tree.predict(X)
    truth = np.eye(4)[y][:, : value.shape[1]]
    by_row = {
        "error": lambda: value.argmax(axis=1) != y,
        "brier": lambda: ((value - truth) ** 2).sum(axis=1),
        "squared_error": lambda: (value[:, 0] - y) ** 2,
        "absolute_error": lambda: np.abs(value[:, 0] - y),
    }[loss]()
    return float((w * by_row).sum())


@given(st.integers(0, 10_000), losses)
def test_the_pruned_tree_is_the_smallest_of_the_best_on_validation_rows(copied, all_subtrees, seed, loss):
    X, y, w, model = some_data(seed, 80, loss)
    tree = copied(model.fit(X[:50], np.append(y[:46], [0, 1, 2, 3])))
    rows = X[50:], y[50:], w[50:]
    everyone = all_subtrees(tree)
    costs = np.array([total(each, *rows, loss) for each in everyone])
    best = min(each.n_leaves for each, cost in zip(everyone, costs, strict=True) if cost <= costs.min() + 1e-9)
    small = reduced_error_pruned(tree, *rows, loss=loss)
    assert total(small, *rows, loss) <= costs.min() + 1e-9
    assert small.n_leaves == best


@given(st.integers(0, 10_000), losses)
def test_weights_equal_repetition(copied, seed, loss):
    X, y, w, model = some_data(seed, 60, loss)
    tree = copied(model.fit(X, np.append(y[:56], [0, 1, 2, 3])))
    weighted = reduced_error_pruned(tree, X, y, np.maximum(w, 1), loss)
    times = np.repeat(np.arange(60), np.maximum(w, 1).astype(int))
    np.testing.assert_array_equal(
        weighted.impurity, reduced_error_pruned(tree, X[times], y[times], None, loss).impurity
    )


def test_branches_that_no_row_comes_to_are_cut(copied):
    X, y = np.arange(8.0)[:, None], np.array([0, 1] * 4)
    tree = copied(DecisionTreeClassifier(random_state=0).fit(X, y))
    assert reduced_error_pruned(tree, X[:1], y[:1]).n_leaves <= 2


def test_no_rows_to_prune_by_are_refused(by_chance):
    with pytest.raises(DataError, match="no validation rows to prune by"):
        reduced_error_pruned(by_chance(0, 3), np.zeros((0, 4)), np.zeros(0, int))


def test_an_unknown_loss_is_refused_with_those_there_are(by_chance):
    with pytest.raises(DataError, match=r"loss='hinge'\.\n  Expected one of 'error', 'brier', 'squared_error'"):
        reduced_error_pruned(by_chance(0, 3), np.zeros((1, 4)), np.zeros(1, int), loss="hinge")
