"""The loops of the network compared with plain NumPy."""

import numpy as np
import pytest

from probus.in_context._kernels import attend_to_columns, attend_to_rows, exponentials, gelu, normalise, write_keys


@pytest.fixture
def random():
    return np.random.default_rng(0)


def softmax(scores, axis):
    weight = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return weight / weight.sum(axis=axis, keepdims=True)


@pytest.mark.parametrize("rows", [1, 3, 4, 37])
def test_exponentials_are_those_of_the_differences_to_the_largest(random, rows):
    scores = (30.0 * random.normal(size=(rows, 16))).astype(np.float32)
    expected = np.exp(scores.astype(np.float64) - scores.max(axis=0))
    total = np.empty(16, np.float32)
    exponentials(scores, total)
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-35)
    np.testing.assert_allclose(total, expected.sum(axis=0), rtol=1e-5)


def test_cells_attend_to_the_training_rows_of_their_column(random):
    T, H, D, N, L = 3, 4, 8, 21, 16
    query = random.normal(size=(T, H * D, L)).astype(np.float32)
    projected = random.normal(size=(T, 2 * H * D, N)).astype(np.float32)
    keys, values = np.empty((T * H, N, D), np.float32), np.empty((T * H, D, N), np.float32)
    for first in range(0, N, L):  # the last block is not full
        block = np.resize(projected[:, :, first : first + L], (T, 2 * H * D, min(L, N - first)))
        write_keys(np.ascontiguousarray(block), keys, values, first, min(L, N - first))
    out = np.empty_like(query)
    attend_to_rows(query, keys, values, out)
    q, k, v = (each.reshape(T, H, D, -1) for each in (query, projected[:, : H * D], projected[:, H * D :]))
    weight = softmax(np.einsum("thdl,thdn->thln", q, k), 3)
    np.testing.assert_allclose(out, np.einsum("thln,thdn->thdl", weight, v).reshape(out.shape), atol=2e-5)


def test_cells_attend_to_the_cells_of_their_row(random):
    T, H, D, L = 5, 4, 8, 16
    projected = random.normal(size=(T, 3 * H * D, L)).astype(np.float32)
    out = np.empty((T, H * D, L), np.float32)
    attend_to_columns(projected, H, out)
    q, k, v = (each.reshape(T, H, D, L) for each in np.split(projected, 3, axis=1))
    weight = softmax(np.einsum("thdl,shdl->htsl", q, k), 2)
    np.testing.assert_allclose(out, np.einsum("htsl,shdl->thdl", weight, v).reshape(out.shape), atol=2e-5)


def test_norms_divide_by_the_root_mean_square(random):
    cells, gain = random.normal(size=(2, 7, 16)).astype(np.float32), random.normal(size=7).astype(np.float32)
    out = np.empty_like(cells)
    normalise(cells, gain, out)
    expected = cells / np.sqrt((cells**2).mean(axis=1, keepdims=True) + 1e-6) * gain[:, None]
    np.testing.assert_allclose(out, expected, rtol=1e-5)


def test_gelu_is_the_approximation_by_the_hyperbolic_tangent():
    x = np.linspace(-40, 40, 999).astype(np.float32)
    expected = (
        0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x.astype(np.float64) + 0.044715 * x.astype(np.float64) ** 3)))
    )
    gelu(x)
    np.testing.assert_allclose(x, expected, rtol=1e-5, atol=1e-6)
