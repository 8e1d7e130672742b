import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from probus.errors import DataError
from probus.tree import Tree
from probus.tree.prune import impurity_risk, misclassification_risk, pruned, pruning_path, subtree

models = st.sampled_from(
    [
        DecisionTreeClassifier(random_state=0),
        DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0),
        DecisionTreeRegressor(random_state=0),
    ]
)


def some_data(seed: int, n: int):
    """Few distinct values: ties, and splits that gain nothing; weights for one seed in three."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, rng.integers(2, 12), (n, 3)).astype(float)
    return X, rng.integers(0, 3, n), rng.random(n) if seed % 3 == 0 else None


# -- properties ----------------------------------------------------------------------------------------


@given(st.integers(0, 10_000), st.integers(2, 14), models, st.floats(0, 0.3))
def test_the_pruned_tree_is_the_smallest_of_the_best_of_all_subtrees(copied, all_subtrees, seed, n, model, alpha):
    X, y, w = some_data(seed, n)
    tree = copied(clone(model).fit(X, y, w))
    assume(tree.n_leaves <= 7)
    everyone = all_subtrees(tree)
    costs = np.array([impurity_risk(each)[each.is_leaf].sum() + alpha * each.n_leaves for each in everyone])
    best = min((each for each, cost in zip(everyone, costs, strict=True) if cost <= costs.min() + 1e-12),
               key=lambda each: each.n_leaves)  # fmt: skip
    small = pruned(tree, alpha)
    assume(small.n_leaves == pruned(tree, alpha + 1e-10).n_leaves)  # a price where rounding decides
    np.testing.assert_array_equal(small.impurity, best.impurity)
    np.testing.assert_array_equal(small.feature, best.feature)


@given(st.integers(0, 10_000), st.integers(1, 60), models)
def test_the_path_leads_from_the_tree_to_the_root_by_ever_smaller_trees(copied, seed, n, model):
    X, y, w = some_data(seed, n)
    tree = copied(clone(model).fit(X, y, w))
    path = pruning_path(tree)
    assert path.n_leaves[0] == tree.n_leaves
    assert path.n_leaves[-1] == 1
    assert (np.diff(path.n_leaves) < 0).all()
    assert (np.diff(path.alphas) >= 0).all()
    assert path.alphas[0] == 0
    assert len(path.order) == len(path.alphas) - 1
    assert (np.diff(path.alphas[path.steps]) > 0).all()
    assert path.steps[-1] == len(path.alphas) - 1
    for k in range(len(path.alphas)):
        tree_k = subtree(tree, path.order[:k])
        assert tree_k.n_leaves == path.n_leaves[k]
        np.testing.assert_allclose(impurity_risk(tree_k)[tree_k.is_leaf].sum(), path.impurities[k], atol=1e-12)


@given(st.integers(0, 10_000), st.integers(2, 60), models)
def test_pruning_by_an_alpha_of_the_path_gives_its_tree(copied, seed, n, model):
    X, y, w = some_data(seed, n)
    tree = copied(clone(model).fit(X, y, w))
    path = pruning_path(tree)
    for k in range(len(path.alphas)):
        last = np.flatnonzero(path.alphas <= path.alphas[k] + path.noise)[-1]
        assert pruned(tree, path.alphas[k]).n_leaves == path.n_leaves[last]


# -- scikit-learn --------------------------------------------------------------------------------------


@given(st.integers(0, 10_000), st.integers(2, 150), models)
def test_the_path_is_scikit_learns(copied, seed, n, model):
    X, y, w = some_data(seed, n)
    theirs = model.cost_complexity_pruning_path(X, y, w)
    ours = pruning_path(copied(clone(model).fit(X, y, w)))
    # theirs may fall, below zero even, by the last bit
    rising = np.maximum.accumulate(np.maximum(theirs.ccp_alphas, 0))
    for mine, known in ((ours.impurities, theirs.impurities), (ours.alphas, rising)):
        np.testing.assert_allclose(mine, known, rtol=1e-12, atol=1e-15 * (1 + theirs.impurities[-1]))


@given(st.integers(0, 10_000), st.integers(2, 80), models, st.integers(0, 10_000))
def test_ccp_alpha_leaves_scikit_learns_tree_node_for_node(copied, seed, n, model, which):
    X, y, w = some_data(seed, n)
    tree = copied(clone(model).fit(X, y, w))
    alphas = pruning_path(tree).alphas
    alpha = float(alphas[which % len(alphas)] * 1.001 + 1e-12)
    theirs = clone(model).set_params(ccp_alpha=alpha).fit(X, y, w).tree_
    ours = pruned(tree, alpha)
    for name in ("children_left", "children_right", "feature", "threshold", "impurity", "value", "n_node_samples"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


# -- rpart: frames as (number of the node, risk as a leaf, complexity), children of k are 2k and 2k + 1 --------------

# rpart(Species ~ ., iris, control = rpart.control(minsplit = 2, minbucket = 1, cp = 0, xval = 0, maxsurrogate = 0))
IRIS = [
    (1, 100, 0.5), (2, 0, 0), (3, 50, 0.44), (6, 5, 0.02), (12, 1, 0.01), (24, 0, 0), (25, 0, 0), (13, 2, 0.01),
    (26, 1, 0.01), (52, 0, 0), (53, 0, 0), (27, 0, 0), (7, 1, 0.005), (14, 1, 0.005), (28, 0, 0), (29, 0, 0),
    (15, 0, 0),
]  # fmt: skip
IRIS_TABLE = [(0.5, 0, 1), (0.44, 1, 0.5), (0.02, 2, 0.06), (0.01, 3, 0.04), (0.005, 6, 0.01), (0, 8, 0)]

# rpart(progstat ~ age + eet + g2 + grade + gleason + ploidy, stagec, control = rpart.control(cp = 0, xval = 0))
STAGEC = [
    (1, 54, 0.1049382716), (2, 9, 0.0092592592593), (4, 2, 0), (5, 7, 0.0092592592593), (10, 3, 0), (11, 3, 0),
    (3, 40, 0.1049382716), (6, 17, 0.055555555556), (12, 11, 0.027777777778), (24, 1, 0), (25, 10, 0.027777777778),
    (50, 5, 0), (51, 2, 0), (13, 3, 0), (7, 17, 0.1049382716), (14, 8, 0.018518518519), (28, 4, 0), (29, 3, 0),
    (15, 3, 0),
]  # fmt: skip
STAGEC_TABLE = [
    (0.1049382716, 0, 1), (0.055555555556, 3, 0.68518518519), (0.027777777778, 4, 0.62962962963),
    (0.018518518519, 6, 0.57407407407), (0.0092592592593, 7, 0.55555555556), (0, 9, 0.53703703704),
]  # fmt: skip

# rpart(V4 ~ V5 + V6 + V7 + V8 + V9 + V10 + V11 + V12 + V13, Ozone, control = rpart.control(xval = 0))
OZONE = [
    (1, 22558, 0.51575683405), (2, 4416.0689655172, 0.049979116325), (4, 721.4434782609, 0),
    (5, 2567.1965811966, 0.029277340064), (10, 383.5609756098, 0), (11, 1523.1973684211, 0.019929491154),
    (22, 337.6279069767, 0), (23, 736, 0), (3, 6507.488372093, 0.073240643508), (6, 3320.8941176471, 0.032168071833),
    (12, 178, 0), (13, 2417.2467532468, 0.013951274711), (26, 1210.0338983051, 0), (27, 892.5, 0),
    (7, 1534.4318181818, 0),
]  # fmt: skip
OZONE_TABLE = [
    (0.51575683405, 0, 1), (0.073240643508, 1, 0.48424316595), (0.049979116325, 2, 0.41100252245),
    (0.032168071833, 3, 0.36102340612), (0.029277340064, 4, 0.32885533429), (0.019929491154, 5, 0.29957799422),
    (0.013951274711, 6, 0.27964850307), (0, 7, 0.26569722836),
]  # fmt: skip


def tree_of_frame(frame) -> Tree:
    place = {number: t for t, (number, _, _) in enumerate(frame)}
    m = len(frame)
    left = np.array([place.get(2 * number, -1) for number, _, _ in frame])
    right = np.array([place.get(2 * number + 1, -1) for number, _, _ in frame])
    feature = np.where(left < 0, -2, 0)
    return Tree(
        children_left=left,
        children_right=right,
        feature=feature,
        threshold=np.zeros(m),
        missing_go_to_left=np.zeros(m, np.uint8),
        subset=np.full(m, -1),
        subsets=np.zeros(0, np.uint32),
        impurity=np.zeros(m),
        n_node_samples=np.ones(m, np.int64),
        weighted_n_node_samples=np.ones(m),
        value=np.zeros((m, 1, 1)),
        n_levels=np.zeros(1, np.int64),
    )


@pytest.mark.parametrize(
    ("frame", "table"), [(IRIS, IRIS_TABLE), (STAGEC, STAGEC_TABLE), (OZONE, OZONE_TABLE)],
    ids=["iris", "stagec", "ozone"],
)  # fmt: skip
def test_prices_are_rparts_complexity_and_cp_table(frame, table):
    """The price of rpart is a share of the risk of the root; the last row of its table has the price it stopped at."""
    risk = np.array([deviance for _, deviance, _ in frame]) / frame[0][1]
    path = pruning_path(tree_of_frame(frame), risk)
    np.testing.assert_allclose(path.complexity, [complexity for _, _, complexity in frame], rtol=1e-9, atol=1e-12)
    best = path.steps[::-1]
    np.testing.assert_allclose(path.alphas[best], [cp for cp, _, _ in table], rtol=1e-9, atol=1e-12)
    assert (path.n_leaves[best] - 1).tolist() == [splits for _, splits, _ in table]
    np.testing.assert_allclose(path.impurities[best], [error for _, _, error in table], rtol=1e-9, atol=1e-12)


# -- examples ------------------------------------------------------------------------------------------


def test_a_single_leaf_is_its_own_path(by_chance):
    tree = by_chance(0, 0)
    path = pruning_path(tree)
    assert path.alphas.tolist() == [0]
    assert path.n_leaves.tolist() == [1]
    assert path.steps.tolist() == [0]
    assert pruned(tree, 1.0).node_count == 1


def test_the_misclassification_risk_of_the_leaves_is_the_training_error(copied):
    X, y, _ = some_data(1, 90)
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    tree = copied(model)
    np.testing.assert_allclose(misclassification_risk(tree)[tree.is_leaf].sum(), 1 - model.score(X, y))


@pytest.mark.parametrize("alpha", [-0.1, np.nan])
def test_a_negative_alpha_is_an_error(by_chance, alpha):
    with pytest.raises(DataError, match="Expected a number of at least 0"):
        pruned(by_chance(0, 3), alpha)
