import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from probus.tree.multiway._c45_pruning import added_errors, collapse
from probus.tree.multiway._multiway_growth import GrowingNode, Split


def test_upper_limits_are_those_of_the_book():
    """Quinlan (1993), chapter 4: U(0, 6), U(0, 9), U(0, 1) and U(1, 16) at 25 %."""
    limits = [(e + added_errors(n, e, 0.25)) / n for e, n in [(0, 6), (0, 9), (0, 1), (1, 16)]]
    np.testing.assert_allclose(limits, [0.206, 0.143, 0.750, 0.157], atol=5e-4)


def test_the_books_subtree_costs_more_than_a_leaf():
    """Three leaves without error of 6, 9 and 1 rows against one of 16 rows with one error: 3.273 and 2.512."""
    tree = sum(added_errors(n, 0, 0.25) for n in (6, 9, 1))
    leaf = 1 + added_errors(16, 1, 0.25)
    np.testing.assert_allclose([tree, leaf], [3.273, 2.512], atol=6e-3)


@pytest.mark.parametrize("confidence", [0.05, 0.1, 0.25, 0.4])
@pytest.mark.parametrize(("n", "errors"), [(30, 3), (100, 10), (400, 100)])
def test_with_rows_enough_the_limit_is_that_of_the_binomial(n, errors, confidence):
    rate = (errors + added_errors(n, errors, confidence)) / n
    assert binom.cdf(errors, n, rate) == pytest.approx(confidence, abs=0.03)


@given(st.floats(0.5, 200), st.floats(0, 1), st.sampled_from([0.05, 0.25, 0.5]))
def test_fractions_of_errors_lie_between_whole_ones(n, share, confidence):
    none, one = added_errors(n, 0, confidence), added_errors(n, 1, confidence)
    assert min(none, one) - 1e-9 <= added_errors(n, share * 0.999999, confidence) <= max(none, one) + 1e-9


def test_nothing_adds_nothing_and_a_leaf_all_wrong_two_thirds_of_the_rest():
    assert added_errors(0, 0, 0.25) == 0
    assert added_errors(4, 3.8, 0.25) == pytest.approx(0.67 * 0.2)


def split_node(counts, *below):
    return GrowingNode(np.array(counts, float), Split(0, len(below), 0.1, threshold=0.0), list(below))


def leaf(*counts):
    return GrowingNode(np.array(counts, float))


def test_splits_that_get_nothing_right_collapse_from_below():
    useless = split_node([3, 2], leaf(2, 1), leaf(1, 1))
    root = split_node([5, 5], useless, leaf(2, 3))
    collapse(root)
    assert useless.split is None
    assert root.split is not None
    hopeless = split_node([5, 2], split_node([3, 1], leaf(2, 0), leaf(1, 1)), leaf(2, 1))
    collapse(hopeless)
    assert hopeless.children == []
