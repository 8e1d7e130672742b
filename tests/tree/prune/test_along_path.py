import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from probus.tree.prune import pruned, pruning_path
from probus.tree.prune._node_losses import loss_at
from probus.tree.prune._pruning_cv import losses_along

prices = st.lists(st.floats(0, 0.5), min_size=1, max_size=4).map(lambda some: np.append(np.sort(some), np.inf))


@given(st.integers(0, 10_000), st.sampled_from(["error", "brier", "squared_error", "absolute_error"]), prices)
def test_losses_at_all_prices_are_those_of_the_trees_pruned_one_by_one(copied, seed, loss, alphas):
    rng = np.random.default_rng(seed)
    X, y, w = rng.integers(0, 6, (60, 2)).astype(float), np.append([0, 1, 2], rng.integers(0, 3, 57)), rng.random(60)
    model = DecisionTreeClassifier if loss in ("error", "brier") else DecisionTreeRegressor
    tree = copied(model(random_state=0).fit(X[:30], y[:30]))
    path = pruning_path(tree)
    alphas = np.sort(np.append(alphas, path.alphas[:3]))
    sums, squares = losses_along(tree, path, tree.apply(X), loss_at(loss, tree.value[:, 0], y), w, alphas)
    for k, alpha in enumerate(alphas):
        small = pruned(tree, alpha)
        losses = loss_at(loss, small.value[:, 0], y)(np.arange(60), small.apply(X))
        np.testing.assert_allclose([sums[k], squares[k]], [w @ losses, w @ losses**2], atol=1e-9)
