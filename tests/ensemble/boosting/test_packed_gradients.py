"""Gradient, hessian and count share a word, and no sum of any rows spills from one into the other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from probus.ensemble.boosting import _packed_gradients as packed_gradients
from probus.ensemble.boosting._packed_gradients import Amounts, Scales, packed, scales_of, unpack
from probus.ensemble.boosting._threads import ThreadPool

ALONE = ThreadPool(1)
LIMIT = packed_gradients._COUNTED

gradients = st.floats(-1e150, 1e150) | st.sampled_from([0.0, 1.0, -1.0, 1e-150, -1e-150])
hessians = st.floats(0.0, 1e150) | st.sampled_from([0.0, 1.0, 1e-150])


@njit
def fields(v, scales):
    return unpack(v, scales)


def pack(amounts: Amounts, seed: int = 0, rows: np.ndarray | None = None) -> tuple[np.ndarray, Scales]:
    n = len(amounts.gradient)
    rows = np.arange(n, dtype=np.int32) if rows is None else rows
    scales, out = scales_of(amounts, rows, ALONE), np.zeros(n, np.int64)
    packed(amounts, rows, scales, seed, ALONE, out)
    return out, scales


def split_up(packed_numbers: np.ndarray, scales: Scales) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The fields of each number, each as wide as can be."""
    low, high = scales.count_bits, scales.hessian_bits
    count = packed_numbers & ((1 << low) - 1)
    hessian = (packed_numbers >> low) & ((1 << high) - 1)
    return packed_numbers >> (low + high), hessian, count


def check_no_field_overflows(out: np.ndarray, scales: Scales) -> None:
    """The worst sums are those of all positive gradients, of all negative ones, and of all rows."""
    g, h, n = split_up(out, scales)
    width = 63 - scales.count_bits - scales.hessian_bits
    assert g[g > 0].sum() < 2.0**width
    assert g[g < 0].sum() >= -(2.0**width)
    assert h.sum() < 2.0**scales.hessian_bits
    assert n.sum() < 2.0**scales.count_bits


def check_sums(amounts: Amounts, out: np.ndarray, scales: Scales, some: np.ndarray) -> None:
    """Packed sums are the true sums, within a unit for each row."""
    g, h, n = fields(out[some].sum(), scales)
    slack = 1e-9 * np.abs(amounts.gradient).sum() + len(some) * scales.gradient_unit
    assert abs(g - amounts.gradient[some].sum()) <= slack
    hessian = np.ones(len(out)) if amounts.hessian is None else amounts.hessian
    assert abs(h - hessian[some].sum()) <= 1e-9 * hessian.sum() + len(some) * scales.hessian_unit
    if scales.count_bits > 0 or amounts.hessian is None:
        assert n == (len(some) if amounts.times is None else amounts.times[some].sum())


@given(st.lists(st.tuples(gradients, hessians, st.integers(1, 1000)), min_size=1, max_size=40), st.data())
def test_sums_of_any_rows_are_the_true_sums(rows, data):
    g, h, times = (np.array(column, float) for column in zip(*rows, strict=True))
    some = np.array(data.draw(st.lists(st.integers(0, len(g) - 1), min_size=1, unique=True)))
    seed = data.draw(st.integers(0, 2**62))
    for amounts in (Amounts(g, None, None), Amounts(g, h, None), Amounts(g, h * times, times)):
        out, scales = pack(amounts, seed)
        check_no_field_overflows(out, scales)
        check_sums(amounts, out, scales, some)


@pytest.mark.parametrize("n", [LIMIT - 1, LIMIT, LIMIT + 1])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_no_field_overflows_where_the_count_has_just_room(n, sign):
    rng = np.random.default_rng(n)
    for g in (np.ones(n), rng.exponential(size=n) ** 8, np.where(np.arange(n) == 7, 1e200, 1e-3)):
        for h in (None, np.ones(n), rng.exponential(size=n) ** 8, np.where(np.arange(n) == 9, 1e200, 0.0)):
            amounts = Amounts(sign * g, h, None)
            out, scales = pack(amounts)
            assert (scales.count_bits > 0) == (n <= LIMIT and h is not None)
            check_no_field_overflows(out, scales)
            check_sums(amounts, out, scales, np.arange(n))


def test_whole_weights_count_as_so_many_rows_up_to_the_limit():
    n = 1000
    for times in (np.full(n, LIMIT // n), np.full(n, LIMIT // n + 1)):
        times = times.astype(float)
        amounts = Amounts(np.linspace(-1, 1, n) * times, times, times)
        out, scales = pack(amounts)
        assert (scales.count_bits > 0) == (times.sum() <= LIMIT)
        check_no_field_overflows(out, scales)
        check_sums(amounts, out, scales, np.arange(n))


def test_enormous_whole_weights_leave_the_count_to_the_hessians():
    times = np.array([1e300, 2e300, 1.0])
    out, scales = pack(Amounts(np.array([1e300, -2e300, 1.0]), times, times))
    g, h, n = fields(out.sum(), scales)
    assert g == pytest.approx(-1e300, rel=1e-6)
    assert h == n == pytest.approx(3e300, rel=1e-6)


def test_counts_are_exact_where_hessians_are_constant():
    n = LIMIT + 5
    out, scales = pack(Amounts(np.random.default_rng(0).normal(size=n), None, None))
    some = np.arange(0, n, 3)
    assert fields(out[some].sum(), scales)[1:] == (len(some), len(some))


def test_rounding_evens_out():
    rng = np.random.default_rng(0)
    n = LIMIT
    g, h = np.full(n, 0.3), np.full(n, 0.7)
    g[0] = h[0] = 1000.0 * n  # so that a unit is large
    out, scales = pack(Amounts(g, h, None), seed=5)
    for some in (np.arange(1, n), rng.permutation(np.arange(1, n))[:10_000]):
        got_g, got_h, _ = fields(out[some].sum(), scales)
        assert scales.gradient_unit > 10.0
        assert abs(got_g - 0.3 * len(some)) < 6.0 * scales.gradient_unit * np.sqrt(len(some) / 4)
        assert abs(got_h - 0.7 * len(some)) < 6.0 * scales.hessian_unit * np.sqrt(len(some) / 4)


def test_nothing_to_learn_packs_to_counts():
    for h in (None, np.zeros(6), np.ones(6)):
        out, scales = pack(Amounts(np.zeros(6), h, None))
        g, total, n = fields(out.sum(), scales)
        assert (g, n) == (0.0, 6.0)
        assert total == pytest.approx(6.0 if h is None else h.sum())


def test_only_the_rows_asked_for_are_packed():
    g = np.array([1.0, 1e9, -1.0, 3.0])
    rows = np.array([0, 2, 3], np.int32)
    out, scales = pack(Amounts(g, None, None), rows=rows)
    assert out[1] == 0
    assert fields(out.sum(), scales) == pytest.approx((3.0, 3.0, 3.0))


def test_threads_pack_the_same_bytes():
    n = 200_000
    rng = np.random.default_rng(0)
    amounts = Amounts(rng.normal(size=n), rng.random(n), None)
    rows = np.arange(n, dtype=np.int32)
    found = []
    for threads in (1, 2, 3):
        with ThreadPool(threads) as pool:
            scales, out = scales_of(amounts, rows, pool), np.zeros(n, np.int64)
            packed(amounts, rows, scales, 3, pool, out)
            found.append((out.tobytes(), scales))
    assert len(set(found)) == 1
