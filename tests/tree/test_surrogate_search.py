"""Surrogates against a twin that tries every cut of every column; test_rpart.py holds them to rpart's."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor

SEEDS = st.integers(0, 2**32 - 1)
NOMINAL = [2, 3]


def some_rows(seed: int, n: int = 60):
    """Five columns that know of each other, two of them nominal, a seventh of all values missing; weights, classes."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=n)
    X = (common[:, None] + rng.normal(size=(n, 5)) * [0.3, 1.0, 0.5, 1.0, 2.0]).round(1)
    X[:, NOMINAL] = np.array([2, 0, 3, 1])[np.digitize(X[:, NOMINAL], [-1.0, 0.0, 0.5])]  # levels in no order
    X[rng.random(X.shape) < 1 / 7] = np.nan
    return X, (common + rng.normal(size=n) > 0).astype(int), rng.integers(1, 4, n).astype(float)


def grown(X, y, w, **params):
    return DecisionTreeClassifier(missing="surrogate", categorical_features=NOMINAL, **params).fit(X, y, w)


# -- the twin ------------------------------------------------------------------------------------------


def best_cut(x, left, right, w):
    """Agreement, the cut and whether smaller values go right: the first best with two rows on either side of it."""
    told = ~np.isnan(x) & (left | right)
    best = max(w[told & left].sum(), w[told & right].sum()), None, False
    values = np.unique(x[~np.isnan(x)])
    for low, high in pairwise(values):
        below = x <= low
        if min((told & below).sum(), (told & ~below).sum()) < 2:
            continue
        for flipped in (True, False):
            agree = w[told & (left == (below != flipped))].sum()
            if agree > best[0]:
                best = agree, low / 2 + high / 2, flipped
    return best


def best_sides(x, left, right, w):
    """Agreement and the levels on either side, each where more of it is; halves with the majority of all."""
    told = ~np.isnan(x)
    excess = {k: w[left & (x == k)].sum() - w[right & (x == k)].sum() for k in np.unique(x[told & (left | right)])}
    goes_left = {k: more > 0 or (more == 0 and sum(excess.values()) > 0) for k, more in excess.items()}
    agree = sum(w[(left if goes_left[k] else right) & (x == k)].sum() for k in excess)
    return agree, [k for k in excess if goes_left[k]], [k for k in excess if not goes_left[k]]


def twin(X, w, feature, left, right):
    """All surrogates of a split that sends some rows left and some right, the best first, then in order of columns."""
    known = w[left | right].sum()
    majority, found = max(w[left].sum(), w[right].sum()), []
    for f in range(X.shape[1]):
        if f == feature:
            continue
        agree, *question = (best_sides if f in NOMINAL else best_cut)(X[:, f], left, right, w)
        if agree > majority:
            found.append((agree / known, (agree - majority) / (known - majority), f, *question))
    return sorted(found, key=lambda told: -told[0])


def surrogates_of(tree, t):
    s = tree.surrogates
    for k in s.of(t):
        nominal = s.subset[k] >= 0
        question = map(list, tree.surrogate_levels_of(k)) if nominal else (s.threshold[k], bool(s.flipped[k]))
        yield s.agreement[k], s.adjusted[k], s.feature[k], *question


# -- properties ----------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(SEEDS)
def test_every_node_has_the_surrogates_of_the_twin(seed):
    X, y, w = some_rows(seed)
    model = grown(X, y, w, max_surrogates=3, min_samples_leaf=4)
    tree, passed, X = model.tree_, model.decision_path(X).toarray().astype(bool), model._seen(X)
    for t in np.flatnonzero(~tree.is_leaf):
        here = passed[:, t]
        known = here & ~np.isnan(X[:, tree.feature[t]])
        left = (known & passed[:, tree.children_left[t]])[here]
        right = (known & passed[:, tree.children_right[t]])[here]
        expected = twin(X[here], w[here], tree.feature[t], left, right)[:3]
        ours = list(surrogates_of(tree, t))
        assert [told[2:] for told in ours] == [told[2:] for told in expected]
        for our, their in zip(ours, expected, strict=True):
            np.testing.assert_allclose(our[:2], their[:2], rtol=1e-12)


@settings(max_examples=30)
@given(SEEDS)
def test_rows_come_again_where_they_were_sent_in_growing(seed):
    X, y, w = some_rows(seed)
    model = grown(X, y, w, min_samples_leaf=3)
    passed = model.decision_path(X).toarray()
    np.testing.assert_array_equal(passed.sum(axis=0), model.tree_.n_node_samples)
    np.testing.assert_allclose(w @ passed, model.tree_.weighted_n_node_samples)


@settings(max_examples=20)
@given(SEEDS)
def test_a_copy_of_a_column_answers_for_it(seed):
    X, y, w = some_rows(seed)
    twice = np.column_stack([X[:, 1:], X[:, 0], X[:, 0]])[~np.isnan(X[:, 0])]
    tree = DecisionTreeClassifier(missing="surrogate", categorical_features=[1, 2], min_samples_leaf=3)
    tree.fit(twice, y[: len(twice)], w[: len(twice)])
    once = twice.copy()
    once[:, -2] = np.nan
    np.testing.assert_array_equal(tree.apply(once), tree.apply(twice))


@settings(max_examples=20)
@given(SEEDS)
def test_fewer_surrogates_are_the_best_of_more(seed):
    X, y, w = some_rows(seed)
    more, fewer = (grown(X, y, w, max_surrogates=k, max_depth=1).tree_ for k in (4, 2))
    assert list(surrogates_of(fewer, 0)) == list(surrogates_of(more, 0))[:2]


def test_none_of_them_send_the_missing_with_the_majority():
    X, y, w = some_rows(0)
    model = grown(X, y, w, max_surrogates=0, max_depth=1)
    tree = model.tree_
    assert len(tree.surrogates.feature) == 0
    x = X[:, tree.feature[0]]
    known, goes_left = ~np.isnan(x), model.apply(X) == tree.children_left[0]
    mostly_left = w[known & goes_left].sum() > w[known & ~goes_left].sum()
    assert (goes_left[~known] == mostly_left).all()


# -- examples ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_left", "tied_goes"), [(30, "left"), (10, "right")])
def test_a_level_at_home_on_either_side_goes_with_the_majority(n_left, tied_goes):
    """As in rpart: a, b as here, y = a; rpart(y ~ a + b, cp = 0, minsplit = 2, maxdepth = 1)."""
    n_right = 40 - n_left
    a = np.repeat([0.0, 1.0], [n_left, n_right])
    b = np.repeat([0.0, 2.0, 1.0, 0.0], [n_left - 2, 4, n_right - 4, 2])
    model = DecisionTreeRegressor(missing="surrogate", max_depth=1, categorical_features=[1])
    tree = model.fit(np.column_stack([a, b]), a).tree_
    left, right = tree.surrogate_levels_of(0)
    assert 2 in (left if tied_goes == "left" else right)
    np.testing.assert_allclose([tree.surrogates.agreement[0], tree.surrogates.adjusted[0]], [0.9, 0.6])


@pytest.mark.parametrize("wrong", [0, 1, 2])
def test_nominal_columns_that_agree_best_are_kept(wrong):
    """rpart keeps the one that two rows disagree with and drops the better ones."""
    a = np.repeat([0.0, 1.0], 20)
    b = a.copy()
    b[:wrong] = 1.0
    model = DecisionTreeClassifier(missing="surrogate", max_depth=1, categorical_features=[1])
    tree = model.fit(np.column_stack([a, b]), a).tree_
    np.testing.assert_allclose(tree.surrogates.adjusted, [1 - wrong / 20])


def test_a_column_that_is_always_missing_where_another_is_known_stands_in_for_nothing():
    x = np.arange(20.0)
    X = np.column_stack([x, np.where(x < 10, np.nan, x), np.full(20, np.nan)])
    tree = DecisionTreeClassifier(missing="surrogate", max_depth=1).fit(X, x >= 10).tree_
    assert tree.feature[0] == 0
    assert len(tree.surrogates.feature) == 0
