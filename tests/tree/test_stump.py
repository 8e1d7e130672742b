import numpy as np
import pytest

from probus.data import Table
from probus.errors import DataError
from probus.testing import check
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor
from probus.tree._stump import DecisionStumpClassifier, DecisionStumpRegressor

PAIRS = [(DecisionStumpClassifier, DecisionTreeClassifier), (DecisionStumpRegressor, DecisionTreeRegressor)]


@pytest.mark.parametrize(("Stump", "Tree"), PAIRS)
@pytest.mark.parametrize("missing", ["learn", "surrogate"])
def test_a_stump_is_a_tree_of_depth_one(Stump, Tree, missing):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(90, 2)), rng.integers(0, 5, 90)])
    X[rng.random(X.shape) < 0.1] = np.nan
    y, w = rng.integers(0, 3, 90), rng.random(90) * (rng.random(90) < 0.8)
    stump = Stump(missing=missing, categorical_features=[2]).fit(X, y, w)
    tree = Tree(missing=missing, categorical_features=[2], max_depth=1).fit(X, y, w)
    assert stump.get_depth() == 1
    for name in ("feature", "threshold", "subset", "value", "impurity"):
        np.testing.assert_array_equal(getattr(stump.tree_, name), getattr(tree.tree_, name))
    np.testing.assert_array_equal(stump.predict(X), tree.predict(X))


@pytest.mark.parametrize("criterion", ["entropy", "misclassification", "gain_ratio"])
def test_the_criterion_decides_the_question(criterion):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    stump = DecisionStumpClassifier(criterion=criterion).fit(X, y)
    tree = DecisionTreeClassifier(criterion=criterion, max_depth=1).fit(X, y)
    assert stump.tree_.threshold[0] == tree.tree_.threshold[0]


def test_it_takes_tables_and_one_class():
    table = Table.of({"colour": ["red", "blue", "red", "green"]})
    assert DecisionStumpClassifier().fit(table, [1, 0, 1, 0]).predict(table).tolist() == [1, 0, 1, 0]
    assert DecisionStumpClassifier().fit(table, [1, 1, 1, 1]).predict_proba(table).tolist() == [[1.0]] * 4


def test_it_learns_from_weights_alone():
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    first, second = (DecisionStumpClassifier().fit(X, y, w) for w in ([9, 1, 9, 1], [9, 9, 1, 1]))
    assert (first.tree_.feature[0], second.tree_.feature[0]) == (0, 1)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="'criterion' parameter of DecisionStumpRegressor"):
        DecisionStumpRegressor(criterion="gini").fit([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(DataError, match="are negative"):
        DecisionStumpRegressor(criterion="poisson").fit([[1.0], [2.0]], [1.0, -2.0])
    with pytest.raises(ValueError, match="NaN"):
        DecisionStumpClassifier(missing="error").fit([[1.0], [np.nan]], [0, 1])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("Stump", [DecisionStumpClassifier, DecisionStumpRegressor])
def test_it_keeps_the_contract(Stump):
    check(Stump)
