"""The order in which dual coordinate descent visits the rows, and its estimate of the gap."""

import numpy as np
import pytest
from sklearn.svm import LinearSVC as Peer

from probus.svm import LinearSVC
from probus.svm._dual_descent import _gap_of_row, _shuffle_blocks


@pytest.mark.parametrize(("size", "block"), [(50, 1), (50, 8), (37, 8), (3, 8), (0, 8)])
def test_blocks_of_active_rows_are_shuffled_and_stay_in_order(size, block):
    active = np.random.default_rng(0).permutation(50)
    expected = np.sort(active[:size])
    with np.errstate(over="ignore"):
        _shuffle_blocks.py_func(active, size, block, np.uint64(7))
    np.testing.assert_array_equal(np.sort(active), np.arange(50))
    np.testing.assert_array_equal(np.sort(active[:size]), expected)
    blocks = {tuple(expected[a : a + block]) for a in range(0, size, block)}
    at = 0
    while at < size:
        own = next(each for each in blocks if each[0] == active[at])
        assert tuple(active[at : at + len(own)]) == own
        at += len(own)


@pytest.mark.parametrize("d", [0.0, 0.5])
@pytest.mark.parametrize("r", [-1.5, -0.1, 0.0, 0.3, 2.0])
def test_the_contribution_of_a_row_to_the_gap_is_that_of_its_conjugate(d, r):
    lo, hi, epsilon, b = -0.7, 1.2, 0.2, 0.4
    grid = np.append(np.linspace(lo, hi, 100_001), 0.0)
    loss = np.max(r * grid - 0.5 * d * grid**2 - epsilon * np.abs(grid))
    terms = 0.5 * d * b**2 + epsilon * abs(b)
    assert _gap_of_row.py_func(r, b, lo, hi, d, epsilon) == pytest.approx(loss + terms - b * r, abs=1e-8)


def test_rows_too_many_for_nearby_memory_are_fitted_as_precisely():
    rng = np.random.default_rng(0)
    X = np.sort(rng.normal(size=(4_000, 40)), axis=0)  # neighbours are alike
    y = X @ rng.normal(size=40) + rng.normal(size=4_000) > 0
    ours = LinearSVC(loss="hinge", C=0.001, max_iter=5_000).fit(X, y)
    theirs = Peer(loss="hinge", C=0.001, tol=1e-8, max_iter=100_000).fit(X, y)
    assert ours.dual_gap_ <= 1e-6
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)
