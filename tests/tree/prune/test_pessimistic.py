import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from probus.errors import DataError
from probus.tree.prune import pessimistic_pruned, upper_error


@given(st.integers(1, 400), st.floats(0.01, 0.9), st.data())
def test_so_few_errors_have_the_probability_of_the_confidence_at_the_limit(n, confidence, data):
    errors = data.draw(st.integers(0, n - 1))
    np.testing.assert_allclose(binom.cdf(errors, n, upper_error(errors, n, confidence)), confidence, rtol=1e-6)


def test_a_leaf_that_is_always_wrong_errs_always():
    assert upper_error(3, 3) == 1


@pytest.mark.parametrize(("n", "limit"), [(6, 0.206), (9, 0.143), (1, 0.750)])
def test_limits_are_quinlans(n, limit):
    """C4.5: Programs for Machine Learning (1993), page 41, CF = 25%."""
    assert round(float(upper_error(0, n)), 3) == limit


def predicted_errors(tree, node: int = 0) -> float:
    """What C4.5 takes the leaves below a node to get wrong."""
    if tree.is_leaf[node]:
        n = tree.weighted_n_node_samples[node]
        return n * float(upper_error(n * (1 - tree.value[node, 0].max()), n))
    return sum(predicted_errors(tree, int(child[node])) for child in (tree.children_left, tree.children_right))


@given(st.integers(0, 10_000), st.integers(2, 40))
def test_pruning_never_raises_the_predicted_errors_and_happens_only_once(copied, seed, n):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 8, (n, 2)).astype(float), rng.integers(0, 3, n)
    tree = copied(DecisionTreeClassifier(random_state=0).fit(X, y))
    small = pessimistic_pruned(tree)
    assert predicted_errors(small) <= predicted_errors(tree) + 1e-9
    assert small.node_count == pessimistic_pruned(small).node_count <= tree.node_count


@given(st.integers(0, 10_000))
def test_less_confidence_in_the_rows_prunes_more(copied, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 1)), rng.integers(0, 2, 60)
    stump = copied(DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y))
    sizes = [pessimistic_pruned(stump, confidence).n_leaves for confidence in (0.001, 0.25, 0.999)]
    assert sizes == sorted(sizes)


def test_weights_equal_repetition(copied):
    rng = np.random.default_rng(3)
    X, y, times = rng.normal(size=(40, 2)), rng.integers(0, 2, 40), rng.integers(1, 4, 40)
    weighted = DecisionTreeClassifier(random_state=0).fit(X, y, times)
    repeated = DecisionTreeClassifier(random_state=0).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    pair = [pessimistic_pruned(copied(each)) for each in (weighted, repeated)]
    np.testing.assert_array_equal(pair[0].threshold, pair[1].threshold)


def test_trees_of_numbers_are_refused(copied):
    tree = copied(DecisionTreeRegressor(random_state=0).fit([[0.0], [1.0]], [0.0, 1.0]))
    with pytest.raises(DataError, match="For numbers use ccp_alpha or prune='reduced_error'"):
        pessimistic_pruned(tree)


@pytest.mark.parametrize("confidence", [0, 1, np.nan])
def test_a_confidence_outside_its_range_is_refused(by_chance, confidence):
    with pytest.raises(DataError, match="Expected a number between 0 and 1"):
        pessimistic_pruned(by_chance(0, 2), confidence)
