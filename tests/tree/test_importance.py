import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor
from probus.tree._importance import surrogate_importances

SEEDS = st.integers(0, 2**32 - 1)


def some_rows(seed: int):
    rng = np.random.default_rng(seed)
    common = rng.normal(size=50)
    X = common[:, None] + rng.normal(size=(50, 4)) * [0.3, 1.0, 0.5, 3.0]
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, common + rng.normal(size=50)


@settings(max_examples=20)
@given(SEEDS)
def test_each_split_credits_its_column_and_those_of_its_surrogates(seed):
    model = DecisionTreeRegressor(missing="surrogate", min_samples_leaf=4).fit(*some_rows(seed))
    tree, credit = model.tree_, np.zeros(4)
    risk = tree.impurity * tree.n_node_samples
    for t in np.flatnonzero(~tree.is_leaf):
        gain = risk[t] - risk[tree.children_left[t]] - risk[tree.children_right[t]]
        credit[tree.feature[t]] += gain
        for s in tree.surrogates.of(t):
            credit[tree.surrogates.feature[s]] += gain * tree.surrogates.adjusted[s]
    np.testing.assert_allclose(surrogate_importances(model), credit / credit.sum())


def test_without_surrogates_it_is_the_fall_of_impurity():
    X, y = some_rows(0)
    for params in ({"missing": "learn"}, {"missing": "surrogate", "max_surrogates": 0}):
        model = DecisionTreeRegressor(**params).fit(X, y)
        np.testing.assert_allclose(surrogate_importances(model), model.feature_importances_)


def test_a_copy_of_a_column_matters_as_much():
    X, y = some_rows(0)
    X = np.where(np.isnan(X), 0.0, X)
    tree = DecisionTreeClassifier(missing="surrogate", min_samples_leaf=2)  # a surrogate leaves two rows on either side
    model = tree.fit(np.column_stack([X[:, 0], X[:, 0]]), y > 0)
    np.testing.assert_allclose(surrogate_importances(model), [0.5, 0.5])
    assert model.feature_importances_[1] == 0


def test_a_root_alone_says_nothing():
    model = DecisionTreeClassifier(missing="surrogate").fit([[1.0, 2.0], [1.0, 2.0]], [0, 1])
    np.testing.assert_array_equal(surrogate_importances(model), [0.0, 0.0])
