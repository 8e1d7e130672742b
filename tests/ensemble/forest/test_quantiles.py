import pickle

import numpy as np
import pytest

from probus import load, save
from probus.datasets import mtcars
from probus.ensemble import ExtraTreesRegressor, RandomForestRegressor
from probus.ensemble.forest._quantiles import weighted_quantiles
from probus.errors import DataError, ModelFileError


def friedman(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 4)).round(2)
    return X, (10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 5 * X[:, 2] + rng.normal(size=n)).round(1)


def by_loops(forest, X, y, new, q, weight=None):
    """Meinshausen's weights and the inverse of their distribution function, row by row."""
    leaves, asked = forest.apply(X), forest.apply(new)
    order = np.argsort(y, kind="stable")
    found = []
    for row in asked:
        w = np.zeros(len(y))
        for t, leaf in enumerate(row):
            drawn = forest.bags_.counts(t) * (1.0 if weight is None else weight)
            inside = (leaves[:, t] == leaf) * drawn
            w += inside / inside.sum() / len(row)
        there = order[w[order] > 0]
        reached = np.cumsum(w[there])
        found.append([y[there[min(np.searchsorted(reached, share - 1e-12), len(there) - 1)]] for share in q])
    return np.array(found)


@pytest.mark.parametrize(
    "model",
    [
        RandomForestRegressor(15, random_state=0),
        RandomForestRegressor(15, min_samples_leaf=7, random_state=0),
        RandomForestRegressor(15, max_depth=2, criterion="absolute_error", random_state=0),
        RandomForestRegressor(15, max_bins=4, random_state=0),
        ExtraTreesRegressor(15, min_samples_leaf=5, random_state=0),
    ],
    ids=["to the end", "leaves of seven", "shallow", "coarse", "without bags"],
)
def test_quantiles_are_those_of_meinshausens_weights(model):
    X, y = friedman(150)
    new, q = friedman(25, seed=1)[0], [0.0, 0.05, 0.25, 0.5, 0.9, 1.0]
    model.fit(X, y)
    np.testing.assert_array_equal(model.quantiles(new, q), by_loops(model, X, y, new, q))


def test_weights_count_where_nothing_is_drawn():
    X, y = friedman(120)
    weight = np.random.default_rng(5).integers(0, 4, 120).astype(float)
    forest = ExtraTreesRegressor(10, min_samples_leaf=6, random_state=0).fit(X, y, weight)
    q = [0.1, 0.5, 0.9]
    np.testing.assert_array_equal(forest.quantiles(X, q), by_loops(forest, X, y, X, q, weight))


def test_quantiles_do_not_cross_and_keep_the_order_asked_for():
    X, y = friedman(300)
    forest = RandomForestRegressor(30, min_samples_leaf=5, random_state=0).fit(X, y)
    low, middle, high = forest.quantiles(X, [0.05, 0.5, 0.95]).T
    assert (low <= middle).all()
    assert (middle <= high).all()
    np.testing.assert_array_equal(forest.quantiles(X, [0.95, 0.05]), np.column_stack([high, low]))


def test_one_quantile_is_a_vector_and_quantiles_were_seen():
    X, y = friedman(100)
    forest = RandomForestRegressor(10, random_state=0).fit(X, y)
    median = forest.quantiles(X, 0.5)
    assert median.shape == (100,)
    assert np.isin(median, y).all()


def test_intervals_cover_new_targets_about_as_often_as_they_say():
    X, y = friedman(800)
    new, truth = friedman(800, seed=1)
    low, high = RandomForestRegressor(60, min_samples_leaf=10, random_state=0).fit(X, y).quantiles(new, [0.05, 0.95]).T
    assert 0.86 < np.mean((low <= truth) & (truth <= high)) < 0.99


def test_trees_grown_to_the_end_keep_next_to_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 4)), rng.normal(size=500)
    forest = RandomForestRegressor(10, max_bins=None, random_state=0).fit(X, y)
    assert len(forest.leaf_targets_.rank) == 0
    assert len(forest.leaf_targets_.targets) == 500


def test_a_saved_forest_and_one_grown_on_have_their_quantiles(tmp_path):
    X, y = friedman(100)
    forest = RandomForestRegressor(5, min_samples_leaf=4, random_state=0).fit(X, y)
    save(forest, tmp_path / "forest.probus")
    for again in (load(tmp_path / "forest.probus"), pickle.loads(pickle.dumps(forest))):
        np.testing.assert_array_equal(again.quantiles(X, [0.2, 0.8]), forest.quantiles(X, [0.2, 0.8]))
    once = RandomForestRegressor(12, min_samples_leaf=4, random_state=0).fit(X, y)
    grown = forest.set_params(n_estimators=12, warm_start=True).fit(X, y)
    np.testing.assert_array_equal(grown.quantiles(X, 0.3), once.quantiles(X, 0.3))


def test_leaves_that_are_not_there_are_refused():
    X, y = friedman(60)
    forest = RandomForestRegressor(3, min_samples_leaf=10, random_state=0).fit(X, y)
    forest.leaf_targets_.leaf[-1] = len(forest.trees_.feature)
    with pytest.raises(ModelFileError, match="leaves that are not there"):
        forest.check_fitted_state()


@pytest.mark.parametrize("field", ["start", "leaf", "targets"])
def test_targets_out_of_order_are_refused(field):
    X, y = friedman(60)
    kept = RandomForestRegressor(3, min_samples_leaf=10, random_state=0).fit(X, y).leaf_targets_
    getattr(kept, field)[:] = getattr(kept, field)[::-1].copy()
    with pytest.raises(ModelFileError, match="targets"):
        kept.check()


def test_the_kernel_runs_as_plain_python_too():
    X, y = friedman(60)
    forest = RandomForestRegressor(4, min_samples_leaf=3, random_state=0).fit(X, y)
    kept, trees = forest.leaf_targets_, forest.trees_
    leaves = (forest.apply(X[:5]) + trees.start[:-1]).astype(np.int32)
    place = kept.place_of(len(trees.feature))
    outs = [np.empty((5, 2)) for _ in range(2)]
    for kernel, out in zip((weighted_quantiles, weighted_quantiles.py_func), outs, strict=True):
        arrays = (kept.targets, place, kept.start, kept.rank, kept.weight, np.array([0.2, 0.6]))
        work = np.zeros(len(kept.targets))
        kernel(leaves, trees.value[:, 0, 0].copy(), *arrays, work, out)
        assert not work.any()
    np.testing.assert_array_equal(*outs)


@pytest.mark.parametrize("q", [1.5, [-0.1, 0.5], [], [[0.5]], [np.nan]])
def test_shares_outside_0_and_1_are_an_error(q):
    cars = mtcars()
    forest = RandomForestRegressor(3, random_state=0).fit(cars[["wt", "hp"]], cars["mpg"])
    with pytest.raises(DataError, match="Expected one or more numbers between 0 and 1"):
        forest.quantiles(cars[["wt", "hp"]], q)
