"""Our trees and scikit-learn's, split for split; where two splits gain the same, either may be taken."""

import numpy as np
import pytest
import sklearn.tree
from hypothesis import assume, given
from hypothesis import strategies as st

import probus.tree
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor

LIMITS = st.sampled_from([
    {},
    {"max_depth": 3},
    {"min_samples_leaf": 5},
    {"max_leaf_nodes": 7},
    {"min_samples_split": 0.2, "min_impurity_decrease": 0.01},
    {"min_weight_fraction_leaf": 0.1},
])  # fmt: skip


def ties_of_leaves(limits, w) -> bool:
    """Where rows weigh the same, leaves often gain the same, and which of them is split first is nobody's right."""
    return "max_leaf_nodes" in limits and (w == 1.0).all()


def sends_left(tree, node, X) -> np.ndarray:
    x = X[:, tree.feature[node]]
    return np.where(np.isnan(x), tree.missing_go_to_left[node] == 1, x <= tree.threshold[node])


def assert_same_tree(ours, theirs, X, y, w, risk):
    """Walk both from the root; below a tie of gains, where another split was taken, there is nothing to compare."""

    def gain(left, rows):
        sides = sum(risk(y[part], w[part]) for part in (rows[left], rows[~left]))
        return risk(y[rows], w[rows]) - sides

    waiting = [(0, 0, np.arange(len(X)))]
    while waiting:
        i, j, rows = waiting.pop()
        np.testing.assert_allclose(ours.impurity[i], theirs.impurity[j], rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(ours.value[i], theirs.value[j], rtol=1e-9, atol=1e-12)
        assert ours.n_node_samples[i] == theirs.n_node_samples[j]
        if (ours.feature[i] < 0) != (theirs.feature[j] < 0):  # only about a split that gains nothing
            tree, node = (ours, i) if theirs.feature[j] < 0 else (theirs, j)
            np.testing.assert_allclose(gain(sends_left(tree, node, X[rows]), rows), 0.0, atol=1e-9)
            continue
        if ours.feature[i] < 0:
            continue
        left = sends_left(ours, i, X[rows])
        if (left == sends_left(theirs, j, X[rows])).all():
            assert ours.feature[i] != theirs.feature[j] or np.isclose(ours.threshold[i], theirs.threshold[j])
            waiting.append((ours.children_left[i], theirs.children_left[j], rows[left]))
            waiting.append((ours.children_right[i], theirs.children_right[j], rows[~left]))
        else:
            other = gain(sends_left(theirs, j, X[rows]), rows)
            np.testing.assert_allclose(gain(left, rows), other, rtol=1e-9, atol=1e-9)


@st.composite
def problems(draw):
    """Columns with and without ties and gaps, whose numbers single precision holds exactly."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(5, 350)), draw(st.integers(1, 5))
    X = rng.normal(size=(n, d)).astype(np.float32).astype(np.float64)
    if draw(st.booleans()):
        X = np.round(X * 8) / 8
    X[rng.random(X.shape) < draw(st.sampled_from([0.0, 0.15]))] = np.nan
    w = rng.random(n) + 0.1 if draw(st.booleans()) else np.ones(n)
    return rng, X, w


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("n_classes", [2, 4])
@given(problem=problems(), limits=LIMITS)
def test_classes(risk_of, criterion, n_classes, problem, limits):
    rng, X, w = problem
    assume(not ties_of_leaves(limits, w))
    y = (np.nan_to_num(X[:, 0]) + rng.normal(size=len(X)) > 0) + rng.integers(0, n_classes - 1, len(X))
    ours = DecisionTreeClassifier(criterion=criterion, **limits).fit(X, y, w)
    theirs = sklearn.tree.DecisionTreeClassifier(criterion=criterion, random_state=0, **limits).fit(X, y, w)
    assert_same_tree(ours.tree_, theirs.tree_, X, y, w, lambda y, w: risk_of(criterion, y, w))


@pytest.mark.parametrize("criterion", ["squared_error", "poisson", "absolute_error"])
@given(problem=problems(), limits=LIMITS)
def test_numbers(risk_of, criterion, problem, limits):
    rng, X, w = problem
    assume(not ties_of_leaves(limits, w))
    signal = np.nan_to_num(X[:, 0])
    y = rng.poisson(np.exp(signal)) + 0.25 if criterion == "poisson" else 3 * signal + rng.normal(100, 1, len(X))
    ours = DecisionTreeRegressor(criterion=criterion, **limits).fit(X, y, w)
    theirs = sklearn.tree.DecisionTreeRegressor(criterion=criterion, random_state=0, **limits).fit(X, y, w)
    assert_same_tree(ours.tree_, theirs.tree_, X, y, w, lambda y, w: risk_of(criterion, y, w))


@pytest.mark.parametrize("classes", [True, False])
@given(problem=problems(), signs=st.lists(st.sampled_from([-1, 0, 1]), min_size=5, max_size=5))
def test_monotone_constraints(risk_of, classes, problem, signs):
    """Predictions must rise and fall as asked, and be scikit-learn's where no gains are tied."""
    rng, X, w = problem
    X, signs = np.nan_to_num(X), signs[: X.shape[1]]
    ours, theirs = (
        (room.DecisionTreeClassifier if classes else room.DecisionTreeRegressor)(
            max_depth=3, min_samples_leaf=5, monotonic_cst=signs, random_state=0
        )
        for room in (probus.tree, sklearn.tree)
    )
    y = X @ rng.normal(size=X.shape[1]) + rng.normal(size=len(X)) + 5.0
    y = (y > 5.0).astype(int) if classes else y
    ours.fit(X, y, w)
    theirs.fit(X, y, w)
    risk = "gini" if classes else "squared_error"
    assert_same_tree(ours.tree_, theirs.tree_, X, y, w, lambda y, w: risk_of(risk, y, w))
    for f in np.flatnonzero(signs):
        moved = X[:20].repeat(2, axis=0)
        moved[1::2, f] += 0.5
        answer = ours.predict_proba(moved)[:, -1] if classes else ours.predict(moved)
        assert (signs[f] * (answer[1::2] - answer[::2]) >= -1e-12).all()


def test_cost_complexity_pruning():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    ours = DecisionTreeClassifier().cost_complexity_pruning_path(X, y)
    theirs = sklearn.tree.DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(ours.ccp_alphas, theirs.ccp_alphas, atol=1e-12)
    np.testing.assert_allclose(ours.impurities, theirs.impurities, atol=1e-12)
    for alpha in theirs.ccp_alphas[::5]:
        a, b = (
            room(ccp_alpha=alpha + 1e-9, random_state=0).fit(X, y)
            for room in (DecisionTreeClassifier, sklearn.tree.DecisionTreeClassifier)
        )
        assert a.tree_.node_count == b.tree_.node_count
