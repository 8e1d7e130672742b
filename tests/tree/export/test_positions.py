import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from probus.tree.export._page import tidy_places


@st.composite
def drawn_trees(draw):
    """Children, widths and depths of a tree of any shape, parents first."""
    n = draw(st.integers(1, 40))
    parents = [draw(st.integers(0, i - 1)) for i in range(1, n)]
    children = [[i + 1 for i, p in enumerate(parents) if p == node] for node in range(n)]
    depths = [0]
    for p in parents:
        depths.append(depths[p] + 1)
    widths = draw(st.lists(st.floats(1, 50), min_size=n, max_size=n))
    return children, np.array(widths), np.array(depths)


@given(drawn_trees())
def test_no_boxes_overlap_and_parents_are_centred(drawn):
    children, widths, depths = drawn
    x = tidy_places(children, widths.tolist(), gap=2.0)
    for depth in np.unique(depths):
        row = np.flatnonzero(depths == depth)
        row = row[np.argsort(x[row])]
        assert ((x - widths / 2)[row[1:]] - (x + widths / 2)[row[:-1]] >= 2 - 1e-6).all()
    for node, below in enumerate(children):
        assert not below or np.isclose(x[node], (x[below[0]] + x[below[-1]]) / 2)
        assert (np.diff(x[below]) > 0).all()
    assert np.isclose((x - widths / 2).min(), 0)


@given(drawn_trees())
def test_the_mirrored_tree_is_the_mirror_image_where_children_are_two_at_most(drawn):
    children, widths, _ = drawn
    if max(map(len, children)) > 2:
        return
    x = tidy_places(children, widths.tolist(), gap=1.0)
    mirrored = tidy_places([below[::-1] for below in children], widths.tolist(), gap=1.0)
    np.testing.assert_allclose(mirrored, (x + widths / 2).max() - x, atol=1e-6)
