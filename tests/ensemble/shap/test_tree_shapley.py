"""Values and interactions of trees are those of the definition, by whichever way they are computed."""

from itertools import chain, combinations
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probus.datasets import titanic
from probus.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from probus.ensemble.shap import _tree_shapley as tree_shapley
from probus.ensemble.shap import expected_against, interactions_of, shap_values_of
from probus.errors import DataError
from probus.linear_model import LinearRegression
from probus.tree.prediction._walk import sums_of

from .test_kernel import answers, expected_from

WAYS = {
    "tables": {"_worth_tables": lambda *_: True},
    "long patterns": {"_worth_tables": lambda *_: True, "_FEWEST_BITS": 9},
    "leaf by leaf": {"_worth_tables": lambda *_: True, "_FEWEST_BITS": 0, "_MOST_BITS": 0},
    "few tables at a time": {"_worth_tables": lambda *_: True, "_TABLE": 100},
    "no tables": {"_FEWEST_BITS": 0, "_MOST_BITS": 0, "_LONGEST": (-1, -1)},
    "tables of few bits": {"_FEWEST_BITS": 1, "_MOST_BITS": 1, "_LONGEST": (2, 2)},
}


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    for name, value in WAYS[request.param].items():
        monkeypatch.setattr(tree_shapley, name, value)


def coalition_values(trees, X, background, n_groups):
    """What each row's coalitions predict: {columns: [n, width]}."""
    d = trees.n_features
    out = {}
    for s in chain.from_iterable(combinations(range(d), size) for size in range(d + 1)):
        if background is not None:
            mixed = np.repeat(background[None], len(X), axis=0)
            mixed[:, :, list(s)] = X[:, None, list(s)]
            sums = sums_of(trees, mixed.reshape(-1, d), n_groups)
            out[s] = sums.reshape(len(X), len(background), -1).mean(axis=1)
            continue
        out[s] = np.zeros((len(X), n_groups, trees.n_values))
        for i, row in enumerate(X):
            leads_left = answers(trees, row)
            for t in range(len(trees)):
                out[s][i, t % n_groups] += expected_from(trees, trees.start[t], row, leads_left, set(s))
        out[s] = out[s].reshape(len(X), -1)
    return out


def by_definition(trees, X, background, n_groups):
    """Values [n, d, width] and interactions [n, d, d, width], half of each to either place."""
    d = trees.n_features
    v = coalition_values(trees, X, background, n_groups)
    width = n_groups * trees.n_values
    values, pairs = np.zeros((len(X), d, width)), np.zeros((len(X), d, d, width))

    def joined(*columns):
        return tuple(sorted(columns))

    for s in v:
        for j in set(range(d)) - set(s):
            weight = factorial(len(s)) * factorial(d - len(s) - 1) / factorial(d)
            values[:, j] += weight * (v[joined(*s, j)] - v[s])
            for k in set(range(d)) - set(s) - {j}:
                weight = factorial(len(s)) * factorial(d - len(s) - 2) / factorial(d - 1) / 2
                pairs[:, j, k] += weight * (v[joined(*s, j, k)] - v[joined(*s, j)] - v[joined(*s, k)] + v[s])
    for j in range(d):
        pairs[:, j, j] = values[:, j] - pairs[:, j].sum(axis=1)
    return values, pairs


def check(trees, X, background, n_groups):
    values, pairs = by_definition(trees, X, background, n_groups)
    found = shap_values_of(trees, X, n_groups, background=background)
    np.testing.assert_allclose(found, values, atol=1e-12)
    np.testing.assert_allclose(interactions_of(trees, X, n_groups, background=background), pairs, atol=1e-12)
    total = found.sum(axis=1) + expected_against(trees, background, n_groups)
    np.testing.assert_allclose(total, sums_of(trees, X, n_groups), atol=1e-12)


@pytest.mark.parametrize("against", [True, False])
@pytest.mark.parametrize("seed", [0, 1])
def test_every_way_gives_the_values_of_the_definition(grow_at_random, way, seed, against):
    trees, X = grow_at_random(seed, 4, 12, (0, 3, 0, 40), 1 + seed, n_rows=9)
    check(trees, X[:3], X[3:] if against else None, 2)


@pytest.mark.slow
@given(st.integers(0, 2**32), st.integers(1, 3), st.integers(1, 20), st.integers(1, 2), st.booleans())
def test_values_and_interactions_of_the_definition(grow_at_random, seed, n_trees, n_leaves, n_groups, against):
    trees, X = grow_at_random(seed, n_trees, n_leaves, (0, 3, 0, 40), n_rows=8)
    check(trees, X[:3], X[3:] if against else None, n_groups)


def test_every_way_explains_long_paths_alike(grow_at_random, way):
    """Through more columns than a word has bits."""
    trees, X = grow_at_random(0, 2, 500, (0,) * 90, 1, n_rows=30)
    wide = tree_shapley._LONGEST[0] < 6
    if wide:
        values = shap_values_of(trees, X, background=X[:9])
        np.testing.assert_allclose(values.sum(1) + expected_against(trees, X[:9]), sums_of(trees, X), atol=1e-11)


def test_a_background_row_explains_nothing_of_itself(grow_at_random):
    trees, X = grow_at_random(5, 3, 9)
    np.testing.assert_array_equal(shap_values_of(trees, X[:1], background=X[:1]), 0)


def test_threads_do_not_change_values(grow_at_random, monkeypatch):
    trees, X = grow_at_random(3, 5, 20, n_rows=200)
    expected = [shap_values_of(trees, X, n_jobs=1, background=each) for each in (X[:50], None)]
    monkeypatch.setattr("probus.parallel._WORTH_A_THREAD", 1e-9)
    for rows in (X, np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2]):
        np.testing.assert_array_equal(shap_values_of(trees, rows, n_jobs=3, background=X[:50]), expected[0])
        np.testing.assert_array_equal(shap_values_of(trees, rows, n_jobs=3), expected[1])


def test_no_rows_have_no_values_against_a_background(grow_at_random):
    trees, X = grow_at_random(4)
    assert shap_values_of(trees, X[:0], background=X).shape == (0, 5, 1)
    assert interactions_of(trees, X[:0]).shape == (0, 5, 5, 1)


def test_a_background_without_rows_is_refused(grow_at_random):
    trees, X = grow_at_random(4)
    with pytest.raises(DataError, match=r"a background of 0 rows\.\s+Expected at least one"):
        shap_values_of(trees, X, background=X[:0])


def test_models_explain_against_a_background():
    people = titanic()
    X, y = people[["Sex", "Age", "Pclass", "Fare"]], people["Survived"]
    few, background = X.take(range(20)), X.take(range(100, 160))
    for model in (
        RandomForestClassifier(5, random_state=0),
        ExtraTreesClassifier(5, random_state=0),
        HistGradientBoostingClassifier(max_iter=8),
    ):
        model.fit(X, y)
        output = model.decision_function if hasattr(model, "decision_function") else model.predict_proba
        shap = model.shap_values(few, background)
        np.testing.assert_allclose(shap.prediction, output(few), atol=1e-12)
        np.testing.assert_allclose(shap.base, output(background).mean(axis=0))
        pairs = model.shap_interactions(few, background)
        np.testing.assert_allclose(pairs.sum(axis=2), shap.values, atol=1e-12)


def test_an_initial_model_is_not_left_out_in_silence():
    X = np.random.default_rng(0).normal(size=(50, 2))
    model = GradientBoostingRegressor(n_estimators=3, init=LinearRegression()).fit(X, X[:, 0])
    with pytest.raises(DataError, match=r"model, LinearRegression, adds to the prediction\.\s+Expected init="):
        model.shap_values(X)
