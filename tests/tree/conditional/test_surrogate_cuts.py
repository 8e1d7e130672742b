"""Second-best questions: those that send rows the same way."""

import numpy as np
import pytest

from probus.tree.conditional._cut import Cut, best_cut
from probus.tree.conditional._independence import IndependenceData
from probus.tree.conditional._recursive_partitioning import surrogates_for


@pytest.fixture
def cases():
    """A column, its mirror image, a coarse and a nominal copy, and noise."""
    rng = np.random.default_rng(0)
    x = rng.permutation(60).astype(float)
    coarse = np.where(rng.random(60) < 0.1, rng.integers(0, 2, 60), x > 24)
    columns = np.stack([x, -x, coarse, np.where(x <= 24, 2.0, x % 2), rng.normal(size=60)])
    return IndependenceData(columns, np.array([0, 0, 0, 3, 0]), (x > 24)[:, None] * 1.0, np.ones(60))


def of(cases, most, rows=None):
    rows = np.arange(60) if rows is None else rows
    primary = Cut(0, threshold=24.0)
    return surrogates_for(primary, primary.sides(cases.columns[0, rows]), cases, rows, most)


def test_they_send_rows_as_the_primary_cut_does(cases):
    mirror, nominal, coarse = of(cases, 3)
    found = sorted([mirror, nominal, coarse], key=lambda s: s.cut.feature)
    assert [s.cut.feature for s in found] == [1, 2, 3]
    assert found[0].flipped
    assert found[0].cut.threshold == -25.0
    assert found[0].agreement == found[0].adjusted == 1.0
    np.testing.assert_array_equal(found[2].cut.left, [False, False, True])
    assert not found[2].flipped


def test_agreement_is_counted_against_the_larger_side(cases):
    (coarse,) = [s for s in of(cases, 4) if s.cut.feature == 2]
    alike = ((cases.columns[2] > 0) == (cases.columns[0] > 24)).mean()
    assert coarse.agreement == pytest.approx(alike)
    assert coarse.adjusted == pytest.approx((alike * 60 - 35) / 25)


def test_at_most_max_surrogates_are_kept(cases):
    assert len(of(cases, 1)) == 1


def test_what_agrees_no_more_than_the_larger_side_is_left_out(cases):
    noise = np.array([0.0, 0.0, 1.0, 1.0] * 15)
    same = IndependenceData(np.stack([cases.columns[0], noise]), np.zeros(2, np.int64), cases.h, cases.w)
    left = same.columns[0] <= 24
    assert best_cut(1, noise, 0, left[:, None] * 1.0, np.ones(60), 0.0) is not None
    assert all(s.adjusted > 0 for s in of(same, 5))


def test_rows_that_the_primary_split_cannot_send_are_ignored(cases):
    columns = cases.columns.copy()
    columns[0, ::5] = np.nan
    holed = IndependenceData(columns, cases.n_levels, cases.h, cases.w)
    some = np.flatnonzero(~np.isnan(columns[0]))
    for one, other in zip(of(holed, 3), of(cases, 3, some), strict=True):
        assert (one.cut.feature, one.cut.threshold, one.agreement) == (
            other.cut.feature,
            other.cut.threshold,
            other.agreement,
        )
