import numpy as np
import pytest

from probus.ensemble import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier
from probus.tree import C45Classifier, DecisionTreeClassifier
from probus.tree.splitting._thresholds import between, midway

NEIGHBOURS = (0.3, 0.1 + 0.2)  # no float lies between them
PAIRS = [
    NEIGHBOURS, (1.0, np.nextafter(1.0, 2.0)), (5e-324, 1e-323), (0.0, 5e-324), (-5e-324, 0.0), (-1e308, 1e308),
    (-np.inf, np.inf), (-np.inf, 0.0), (0.0, np.inf), (1.0, 2.0),
]  # fmt: skip
MODELS = [
    DecisionTreeClassifier(), DecisionTreeClassifier(splitter="random"), DecisionTreeClassifier(max_bins=5),
    C45Classifier(), RandomForestClassifier(3, bootstrap=False),
    RandomForestClassifier(3, bootstrap=False, max_bins=None),
    ExtraTreesClassifier(3), ExtraTreesClassifier(3, max_bins=None), ExtraTreesClassifier(3, max_leaf_nodes=5),
]  # fmt: skip


@pytest.mark.parametrize(("below", "above"), PAIRS)
def test_a_threshold_is_at_least_the_value_below_and_less_than_the_one_above(below, above):
    for share in (0.0, 0.25, 0.5, 1.0 - 2.0**-53):
        assert below <= between.py_func(below, above, share) < above
    assert midway(np.array([below]), np.array([above]))[0] == between.py_func(below, above, 0.5)


def test_a_share_of_the_way_is_that_share_of_the_way():
    assert between.py_func(2.0, 6.0, 0.25) == 3.0
    assert between.py_func(-1e308, 1e308, 0.75) == 5e307


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("values", [NEIGHBOURS, (-1e308, 1e308), (0.0, 5e-324)])
def test_two_values_are_told_apart_however_near_or_far(model, values):
    X, y = np.repeat(values, 6)[:, None], np.repeat([0, 1], 6)
    assert model.fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize("options", [{}, {"criterion": "poisson"}, {"max_leaf_nodes": 30}])
def test_random_cuts_send_training_rows_where_they_were_counted_however_many_values_there_are(options):
    X = np.random.default_rng(0).lognormal(size=(800, 2))
    forest = ExtraTreesRegressor(2, max_bins=20, random_state=0, **options).fit(X, X[:, 0])
    for tree in forest:
        reached = np.bincount(tree.apply(X), minlength=tree.tree_.node_count)
        leaf = tree.tree_.is_leaf
        np.testing.assert_array_equal(reached[leaf], tree.tree_.n_node_samples[leaf])
