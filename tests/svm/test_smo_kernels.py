"""The loops of sequential minimal optimisation against NumPy; as plain Python, except those compiled on their own."""

import numpy as np
import pytest

from probus.svm._smo import _best_partner, _gather, _lowest, add_rows


def lanes(m):
    return np.empty(min(64, m)), np.empty(min(64, m), np.float32)


@pytest.fixture
def draw():
    return np.random.default_rng(0)


@pytest.mark.parametrize("m", [1, 5, 64, 130, 300])
def test_the_pair_of_variables_is_the_one_of_the_formula(draw, m):
    g, row, diagonal = draw.normal(size=m), draw.random(m, dtype=np.float32), np.ones(m, dtype=np.float32)
    rise, fall = (np.where(draw.random(m) < 0.3, np.inf, 0.0) for _ in range(2))
    rise[0] = fall[0] = 0.0
    low, i = _lowest.py_func(g, rise, np.empty(min(64, len(g))))
    assert (low, i) == ((g + rise).min(), (g + rise).argmin())
    gains = np.empty(m, dtype=np.float32)
    high, gain, j = _best_partner.py_func(row, np.float32(1), diagonal, g, fall, low, gains, *lanes(len(g)))
    expected = np.maximum(g - fall - low, 0) ** 2 / (2 - 2 * row)
    assert high == (g - fall).max()
    np.testing.assert_allclose(gains, expected, rtol=1e-5)
    assert gain == gains[j] == gains.max()


def test_no_variable_that_can_move_up_is_reported(draw):
    assert _lowest.py_func(draw.normal(size=70), np.full(70, np.inf), np.empty(64)) == (np.inf, -1)


@pytest.mark.parametrize("twice", [1, 2])
@pytest.mark.parametrize("k", [1, 4, 7])
def test_rows_are_added_to_the_gradient(draw, k, twice):
    cache, slots = draw.random((9, 1100), dtype=np.float32), draw.permutation(9)[:k]
    by, g = draw.normal(size=k), draw.normal(size=1100 * twice)
    by[: k // 2] = 0.0
    expected = g + np.tile(by @ cache[slots].astype(float), twice)
    add_rows(cache, slots, by, 0, 600, g)
    add_rows(cache, slots, by, 600, 1100, g)
    np.testing.assert_allclose(g, expected, rtol=1e-12)


def test_the_matrix_of_a_block_is_copied_from_the_last_one_and_from_the_cache(draw):
    n = 60
    X = draw.normal(size=(n, 3))
    whole = (X @ X.T).astype(np.float32)
    slots, last_block, block = draw.permutation(n), np.arange(0, 50, 2), np.sort(draw.choice(2 * n, 40, replace=False))
    cache = np.empty_like(whole)
    cache[slots] = whole
    before = np.array([np.flatnonzero(last_block == v)[0] if v in last_block else -1 for v in block])
    K = np.empty((40, 40), dtype=np.float32)
    _gather.py_func(cache, slots[block % n], n, block, before, whole[np.ix_(last_block, last_block)], K)
    np.testing.assert_array_equal(K, whole[np.ix_(block % n, block % n)])
