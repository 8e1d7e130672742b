"""Values become codes that keep their order, and columns that share a byte are told apart again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps

from probus.ensemble.boosting import _binning as module
from probus.ensemble.boosting._binning import Bins, bins_of
from probus.ensemble.boosting._node_arrays import CELLS, GROUP, N_CODES, NOMINAL, SIZE, STRIDE
from probus.tree.preparation._design import Design
from probus.tree.preparation._quantile_bins import cut_points

numbers = st.floats(allow_nan=True, allow_infinity=True)
columns = nps.arrays(np.float64, st.integers(1, 60), elements=numbers)


def numeric(*values: np.ndarray) -> Design:
    return Design(np.column_stack(values).astype(float), np.zeros(len(values), np.int64))


def cuts_of(values: np.ndarray, max_bins: int = 255) -> np.ndarray:
    edges = np.full(256, np.inf)
    return edges[: cut_points(np.sort(values), max_bins, edges)]


def decoded(bins: Bins, X: np.ndarray) -> np.ndarray:
    """The code of each value, read back from the bytes."""
    by_row, by_column = bins.codes(X)
    assert (by_row == by_column.T).all()
    about = bins.about
    return by_row[:, about[:, GROUP]].astype(np.int64) // about[:, STRIDE] % about[:, SIZE]


@given(columns, st.integers(2, 255))
def test_codes_are_what_searchsorted_finds(x, max_bins):
    bins = bins_of(numeric(x), max_bins)
    n_codes = bins.about[0, N_CODES]
    expected = np.searchsorted(bins.edges[0, : n_codes - 1], x)
    expected[np.isnan(x)] = n_codes
    assert (decoded(bins, x[:, None])[:, 0] == expected).all()


@given(columns, st.integers(2, 255))
def test_cuts_are_few_rise_and_part_neighbours(x, max_bins):
    cuts = cuts_of(x, max_bins)
    assert len(cuts) < max_bins
    assert (np.diff(cuts) > 0).all()
    known = np.unique(x[~np.isnan(x)])
    below = np.searchsorted(known, cuts, side="right")
    assert ((below > 0) & (below < len(known))).all()  # no bin is empty
    assert len(np.unique(below)) == len(cuts)


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=255, unique=True), st.data())
def test_few_values_are_kept_apart(values, data):
    values = np.unique(values)
    max_bins = data.draw(st.integers(max(2, len(values)), 255))
    assert len(cuts_of(np.repeat(values, 3), max_bins)) == len(values) - 1


@given(st.integers(0, 2**32), st.integers(2, 60), st.floats(0.0, 0.95))
def test_no_bin_has_more_than_its_share_unless_one_value_does(seed, max_bins, tied):
    rng = np.random.default_rng(seed)
    x = np.where(rng.random(600) < tied, rng.integers(0, 3, 600), rng.normal(size=600))
    cuts = cuts_of(x, max_bins)
    counts = np.bincount(np.searchsorted(cuts, x), minlength=len(cuts) + 1)
    heaviest = np.unique(x, return_counts=True)[1].max()
    assert counts.max() <= heaviest + -(-len(x) // max_bins)


def test_a_frequent_value_does_not_starve_the_others():
    x = np.concatenate([np.zeros(10_000), np.arange(1.0, 1001.0)])
    assert len(cuts_of(x, 11)) == 10
    counts = np.bincount(np.searchsorted(cuts_of(x, 11), x))
    assert counts[0] == 10_000
    assert counts[1:].max() <= 101
    assert len(cuts_of(-x, 11)) == 10  # nor if it is the largest


def test_the_best_cut_of_very_large_numbers_lies_between_them():
    big = np.finfo(float).max
    for low, high in ((-big, big), (-np.inf, np.inf), (1.0, np.nextafter(1.0, 2.0)), (0.0, 5e-324), (-np.inf, 0.0)):
        cuts = cuts_of(np.array([low, high]))
        assert low <= cuts[0] < high


@given(st.integers(0, 2**32), st.booleans())
def test_packed_columns_decode_to_the_codes_they_have_alone(seed, packed):
    rng = np.random.default_rng(seed)
    n, d = 300, int(rng.integers(1, 12))
    n_levels = np.where(rng.random(d) < 0.3, rng.integers(1, 40, d), 0)
    X = np.column_stack([rng.integers(0, levels or rng.integers(1, 300), n) for levels in n_levels]).astype(float)
    X[rng.random((n, d)) < rng.choice([0.0, 0.2], d)] = np.nan
    design = Design(X, n_levels)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_PACKED", 0 if packed else n + 1)
        bins = bins_of(design)
    about = bins.about
    alone = [bins_of(Design(X[:, [j]], n_levels[[j]])) for j in range(d)]
    expected = np.column_stack([decoded(bins_of_one, X[:, [j]]) for j, bins_of_one in enumerate(alone)])
    assert (decoded(bins, X) == expected).all()
    assert (expected < about[:, SIZE]).all()
    for group in range(bins.n_bytes):
        sizes = about[about[:, GROUP] == group, SIZE]
        assert about[about[:, GROUP] == group, CELLS].tolist() == [sizes.prod()] * len(sizes)
        assert sizes.prod() <= 256
        assert packed or (sizes > 1).sum() <= 1


def test_many_small_columns_share_few_bytes(monkeypatch):
    monkeypatch.setattr(module, "_PACKED", 0)
    X = np.random.default_rng(0).integers(0, 2, (100, 32)).astype(float)
    assert bins_of(Design(X, np.zeros(32, np.int64))).n_bytes == 4


def test_levels_beyond_the_most_frequent_count_as_missing():
    frequent = np.repeat(np.arange(255.0), 3)
    x = np.concatenate([frequent, np.arange(255.0, 400.0), [np.nan]])
    bins = bins_of(Design(x[:, None], np.array([400])))
    codes = decoded(bins, x[:, None])[:, 0]
    assert bins.about[0, [N_CODES, SIZE, NOMINAL]].tolist() == [255, 256, 1]
    assert (codes[: len(frequent)] == frequent).all()
    assert (codes[len(frequent) :] == 255).all()


def test_the_most_frequent_levels_are_kept_wherever_they_are():
    x = np.concatenate([np.arange(10.0), [7.0, 3.0]])
    bins = bins_of(Design(x[:, None], np.array([10])), max_bins=2)
    codes = decoded(bins, x[:, None])[:, 0]
    assert (codes[x == 3] == 0).all()
    assert (codes[x == 7] == 1).all()
    assert (codes[(x != 3) & (x != 7)] == 2).all()


def test_levels_never_seen_have_the_code_of_the_missing():
    x = np.array([0.0, 1.0, 2.0, np.nan])
    bins = bins_of(Design(x[:, None], np.array([3])))
    assert decoded(bins, np.array([[3.0], [-1.0], [np.nan], [1.0]]))[:, 0].tolist() == [3, 3, 3, 1]


def test_a_column_without_values_has_only_the_missing():
    bins = bins_of(numeric(np.full(5, np.nan)))
    assert bins.about[0, [N_CODES, SIZE]].tolist() == [1, 2]
    assert (decoded(bins, np.full((5, 1), np.nan)) == 1).all()


def test_infinities_are_ends_of_the_line():
    x = np.array([-np.inf, np.inf, 0.0, 1.0, np.inf])
    assert decoded(bins_of(numeric(x)), x[:, None])[:, 0].tolist() == [0, 3, 1, 2, 3]


def test_the_layout_of_the_matrix_does_not_matter():
    X = np.random.default_rng(0).normal(size=(3000, 5)).round(1)
    X[::7, 2] = np.nan
    n_levels = np.zeros(5, np.int64)
    rows, cols = (Design(np.asarray(X, order=order), n_levels) for order in "CF")
    assert bins_of(rows).edges.tobytes() == bins_of(cols).edges.tobytes()
    for a, b in zip(bins_of(rows).codes(rows.X), bins_of(cols).codes(cols.X), strict=True):
        assert a.tobytes() == b.tobytes()


def test_codes_do_not_depend_on_the_number_of_threads(monkeypatch):
    X = np.random.default_rng(0).normal(size=(5000, 3))
    design = Design(X, np.zeros(3, np.int64))
    expected = bins_of(design).codes(X)
    monkeypatch.setattr(module, "thread_count", lambda n_jobs, _: n_jobs)
    for n_jobs in (2, 3):
        bins = bins_of(design, n_jobs=n_jobs)
        assert bins.codes(X, n_jobs).by_row.tobytes() == expected.by_row.tobytes()


def test_a_sample_of_a_large_column_tells_its_quantiles(monkeypatch):
    monkeypatch.setattr(module, "_SAMPLE", 500)
    x = np.random.default_rng(0).permutation(20_000).astype(float)
    counts = np.bincount(decoded(bins_of(numeric(x), 10), x[:, None])[:, 0])
    assert len(counts) == 10
    assert 1000 < counts.min() <= counts.max() < 3000
