import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from probus.state import check_state
from probus.tree import Tree
from probus.tree.prune import subtree

shapes = st.tuples(st.integers(0, 10_000), st.integers(0, 12))


def some_rows(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [rng.normal(size=50), rng.integers(0, 3, 50), rng.normal(size=50), rng.integers(0, 40, 50)]
    ).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    return X


def stopped(tree: Tree, leaf: int, collapse: np.ndarray) -> int:
    """The highest collapsed node above a leaf, else the leaf."""
    stop, node = leaf, leaf
    while node >= 0:
        stop = node if collapse[node] else stop
        node = int(tree.parents[node])
    return stop


@given(shapes, st.integers(0, 10_000))
def test_rows_stop_at_the_first_collapsed_node_of_their_path(by_chance, shape, seed):
    tree, X = by_chance(*shape), some_rows(seed)
    collapse = np.random.default_rng(seed).random(tree.node_count) < 0.2
    small = subtree(tree, collapse)
    small.check()
    check_state("Tree", Tree.declared, small.parts())
    stops = [stopped(tree, leaf, collapse) for leaf in tree.apply(X)]
    np.testing.assert_array_equal(small.predict(X), tree.value[stops, 0])


@given(shapes)
def test_collapsing_nothing_changes_nothing(by_chance, shape):
    tree = by_chance(*shape)
    same = subtree(tree, [])
    for name, part in tree.parts().items():
        ours = same.parts()[name]
        if part is None:
            assert ours is None
            continue
        pairs = (
            zip(part.parts().values(), ours.parts().values(), strict=True) if name == "surrogates" else [(part, ours)]
        )
        for old, new in pairs:
            if name not in ("subset", "subsets", "surrogates"):  # sets of levels may lie in another order
                np.testing.assert_array_equal(new, old)
            assert new.dtype == old.dtype
            assert new.shape == old.shape


@given(shapes)
def test_collapsing_the_root_leaves_one_leaf(by_chance, shape):
    root = subtree(by_chance(*shape), [0])
    root.check()
    assert root.node_count == root.n_leaves == 1
    assert len(root.subsets) == len(root.surrogates.feature) == 0


@given(shapes, st.integers(0, 10_000))
def test_nodes_keep_their_order_and_a_mask_equals_indices(by_chance, shape, seed):
    tree = by_chance(*shape)
    collapse = np.random.default_rng(seed).random(tree.node_count) < 0.3
    by_mask, by_number = subtree(tree, collapse), subtree(tree, np.flatnonzero(collapse))
    np.testing.assert_array_equal(by_mask.impurity, by_number.impurity)
    places = [int(np.flatnonzero(tree.impurity == each)[0]) for each in by_mask.impurity]
    assert places == sorted(places)
