import numpy as np
import pytest

from probus.data import Table
from probus.data._schema import UnseenLevelWarning
from probus.ensemble import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor
from probus.ensemble.forest._fit_trees import pooled
from probus.tree.preparation._design import Design


def slow_twin(X, n_levels, weight):
    X = X.copy()
    for j in range(X.shape[1]):
        there = {v for v in X[:, j] if v == v}
        if n_levels[j] == 0 or len(there) <= 32:
            continue
        rare = [v for v in there if weight[X[:, j] == v].sum() < 10]
        X[np.isin(X[:, j], rare), j] = min(rare)
    return X


def columns(n=600):
    """Numbers, few levels, many levels of which some are rare, and as many declared of which few are there."""
    rng = np.random.default_rng(0)
    many = np.minimum(rng.geometric(0.05, n) - 1, 59).astype(float)
    many[rng.random(n) < 0.1] = np.nan
    X = np.column_stack([rng.integers(0, 90, n), rng.integers(0, 32, n), many, rng.integers(0, 20, n)]).astype(float)
    return Design(X, np.array([0, 32, 60, 60]))


@pytest.mark.parametrize("repeated", [False, True])
def test_rare_levels_of_columns_of_many_count_as_one(repeated):
    design = columns()
    weight = np.random.default_rng(1).integers(1, 4, 600).astype(float) if repeated else np.ones(600)
    before = design.X.copy()
    found, pools = pooled(design, weight)
    np.testing.assert_array_equal(found.X, slow_twin(design.X, design.n_levels, weight))
    assert list(pools) == [2]
    assert set(pools[2]) == set(before[found.X[:, 2] == pools[2][0], 2])
    np.testing.assert_array_equal(design.X, before)


def test_weights_that_are_no_counts_leave_each_row_one_row():
    design = columns()
    np.testing.assert_array_equal(pooled(design, np.full(600, 0.01))[0].X, pooled(design, np.ones(600))[0].X)


def test_a_table_without_rare_levels_stays_as_it_is():
    small = Design(np.arange(14.0)[:, None] % 3, np.array([3]))
    found, pools = pooled(small, np.ones(14))
    assert found.X is small.X
    assert pools == {}


def table(n=400):
    rng = np.random.default_rng(2)
    x = rng.normal(size=n)
    y = np.where(x + rng.normal(size=n) > 0, "yes", "no")
    return Table.of({"x": x, "ticket": [f"t{i}" for i in range(n)], "town": list(rng.choice(["a", "b"], n))}), y


@pytest.mark.slow
def test_a_column_of_names_does_not_spoil_a_forest():
    X, y = table()
    scores = [
        RandomForestClassifier(100, oob_score=True, random_state=0).fit(X.drop(*left_out), y).oob_score_
        for left_out in ((), ("ticket",))
    ]
    assert scores[0] == pytest.approx(scores[1], abs=0.05)


@pytest.mark.parametrize("max_bins", [255, None])
def test_rare_levels_go_the_same_way(max_bins):
    X, y = table()
    forest = RandomForestClassifier(20, max_bins=max_bins, random_state=0).fit(X, y)
    first, other = (forest.predict_proba({"x": [0.1], "ticket": [t], "town": ["a"]}) for t in ("t7", "t311"))
    np.testing.assert_array_equal(first, other)
    with pytest.warns(UnseenLevelWarning):
        assert forest.predict_proba({"x": [0.1], "ticket": ["unseen"], "town": ["a"]}).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("max_bins", [255, None])
def test_rare_or_missing_can_be_told_apart(max_bins):
    rng = np.random.default_rng(4)
    there = rng.random(400) < 0.5
    X = Table.of({"cabin": [f"c{i}" if yes else None for i, yes in enumerate(there)]})
    forest = RandomForestClassifier(10, max_bins=max_bins, random_state=0).fit(X, there)
    assert forest.score(X, there) == 1.0


def test_frequent_levels_of_a_column_of_many_are_still_asked():
    rng = np.random.default_rng(3)
    town = rng.integers(0, 40, 2000)
    y = (town % 2).astype(float)
    X = Table.of({"town": [f"town {t}" for t in town]})
    assert RandomForestRegressor(10, random_state=0).fit(X, y).score(X, y) > 0.99


@pytest.mark.slow
def test_random_parts_of_levels_need_no_such_care():
    X, y = table()
    forest = ExtraTreesClassifier(20, random_state=0).fit(X, y)
    assert (forest.trees_.feature == 1).any()
