"""Where rows are too many to be counted and hessians tell their number, no row and no node is lost."""

import numpy as np
import pytest

from probus.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from probus.ensemble.boosting import _fitting as fitting
from probus.ensemble.boosting import _grower as grower
from probus.ensemble.boosting import _packed_gradients as packed_gradients
from probus.ensemble.boosting._node_arrays import LOWER, UPPER
from probus.ensemble.boosting._packed_gradients import Amounts, packed, scales_of
from probus.ensemble.boosting._threads import ThreadPool


@pytest.fixture
def uncounted(monkeypatch):
    """More than a hundred rows are many, and every tree is worth the threads asked for."""
    monkeypatch.setattr(packed_gradients, "_COUNTED", 100)
    monkeypatch.setattr(grower, "_WORTH_A_THREAD", 1)
    monkeypatch.setattr(fitting, "thread_count", lambda n_jobs, _: n_jobs)


def uneven(n: int = 20_000) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights so uneven that hessians tell the number of rows badly."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5))
    return X, X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n) * 0.3 > 1, rng.exponential(size=n) ** 4


def check_every_row_has_its_leaf(model, X: np.ndarray) -> None:
    leaf, trees = model.apply(X), model.trees_
    for t in range(len(trees)):
        nodes = slice(trees.start[t], trees.start[t + 1])
        found = np.bincount(leaf[:, t], minlength=nodes.stop - nodes.start)
        assert (found == trees.n_node_samples[nodes])[trees.is_leaf[nodes]].all()


@pytest.mark.usefixtures("uncounted")
@pytest.mark.parametrize("most", [{"max_leaf_nodes": 31}, {"max_leaf_nodes": None, "max_depth": 20}])
def test_leaves_keep_their_least_size_and_threads_agree(most):
    X, y, weight = uneven()
    given = {"max_iter": 5, "min_samples_leaf": 50, "early_stopping": False, "random_state": 0, **most}
    found = [HistGradientBoostingClassifier(n_jobs=n_jobs, **given).fit(X, y, weight) for n_jobs in (1, 2, 3)]
    check_every_row_has_its_leaf(found[0], X)
    assert found[0].trees_.n_node_samples.min() >= 50
    assert len({model.trees_.value.tobytes() for model in found}) == 1


@pytest.mark.usefixtures("uncounted")
def test_rows_that_hardly_matter_are_not_lost_where_they_miss_a_value():
    rng = np.random.default_rng(0)
    x = rng.normal(size=4000)
    y = np.where(np.abs(x) < 0.3, rng.integers(0, 2, 4000), x > 0)
    X = np.column_stack([x, np.where(np.abs(x) > 2, np.nan, rng.normal(size=4000)), rng.integers(0, 60, 4000)])
    given = {"max_iter": 200, "learning_rate": 0.5, "min_samples_leaf": 1, "random_state": 0, "n_jobs": 1}
    check_every_row_has_its_leaf(HistGradientBoostingClassifier(categorical_features=[2], **given).fit(X, y), X)


@pytest.mark.usefixtures("uncounted")
def test_weights_of_two_are_like_repetition_where_hessians_tell_the_number_of_rows():
    X, y, _ = uneven(500)
    given = {"max_iter": 5, "early_stopping": False, "n_jobs": 1}
    weighted = HistGradientBoostingRegressor(**given).fit(X, y, np.full(500, 2.0))
    repeated = HistGradientBoostingRegressor(**given).fit(X.repeat(2, axis=0), y.repeat(2))
    assert 10 <= weighted.trees_.n_node_samples.min() < 20
    assert weighted.score(X, y) == pytest.approx(repeated.score(X, y), abs=0.005)


@pytest.mark.usefixtures("uncounted")
def test_every_row_adds_something():
    hessian = np.array([0.0] * 200 + [1e9])
    amounts, rows, out = Amounts(np.zeros(201), hessian, None), np.arange(201, dtype=np.int32), np.zeros(201, np.int64)
    packed(amounts, rows, scales_of(amounts, rows, ThreadPool(1)), 0, ThreadPool(1), out)
    assert (out > 0).all()


def test_units_are_never_too_small_to_divide_by():
    amounts = Amounts(np.zeros(6), np.zeros(6), None)
    scales = scales_of(amounts, np.arange(6, dtype=np.int32), ThreadPool(1))
    assert np.isfinite(1.0 / np.array(scales[2:])).all()


def test_the_last_split_binds_its_children_too(plant):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    tree = plant(X, -X[:, 0] + rng.normal(size=300), max_leaves=2, monotone=np.array([1, 0]))
    assert np.isfinite(tree.facts[1, UPPER])
    assert tree.facts[1, UPPER] == tree.facts[2, LOWER]


@pytest.mark.parametrize("seed", range(8))
def test_equal_gains_are_split_in_the_same_order_on_threads(plant, monkeypatch, seed):
    rng = np.random.default_rng(seed)
    X, g = rng.integers(0, 4, (64, 3)), rng.choice([-0.125, 0.125], 64)
    alone = [plant(X, g, max_leaves=most) for most in range(3, 14)]
    monkeypatch.setattr(grower, "_WORTH_A_THREAD", 1)
    for most, tree in enumerate(alone, start=3):
        assert plant(X, g, max_leaves=most, threads=2).bytes == tree.bytes
