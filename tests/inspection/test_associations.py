import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from probus.data import Column, Table
from probus.inspection._associations import associations, correlation_ratio, cramers_v

random = np.random.default_rng(0)
codes = st.lists(st.integers(0, 4), min_size=5, max_size=60).map(np.array)


@given(codes, st.randoms())
def test_cramers_v_is_symmetric_and_within_bounds(a, shuffler):
    b = a.tolist()
    shuffler.shuffle(b)
    b = np.array(b)
    assert 0 <= cramers_v(a, b) <= 1
    assert cramers_v(a, b) == pytest.approx(cramers_v(b, a))


def test_cramers_v_agrees_with_the_formula_on_a_full_contingency_table():
    a, b = random.integers(0, 4, 300), random.integers(0, 3, 300)
    b = np.where(random.random(300) < 0.5, np.minimum(a, 2), b)
    table = np.zeros((4, 3))
    np.add.at(table, (a, b), 1)
    n, r, k = 300, 4, 3
    phi2 = stats.chi2_contingency(table, correction=False).statistic / n
    phi2 = max(phi2 - (r - 1) * (k - 1) / (n - 1), 0)
    v = np.sqrt(phi2 / min(r - (r - 1) ** 2 / (n - 1) - 1, k - (k - 1) ** 2 / (n - 1) - 1))
    assert cramers_v(a, b) == pytest.approx(v)


def test_many_levels_do_not_look_strong_by_chance():
    labels, numbers = random.integers(0, 200, 1000), random.normal(size=1000)
    assert correlation_ratio(labels, numbers) < 0.2
    assert cramers_v(labels, random.integers(0, 200, 1000)) < 0.2


def test_correlations_agree_with_scipy_on_the_rows_where_both_are_present():
    x = random.normal(size=200)
    y = np.exp(x) + random.normal(size=200)
    y[:40] = np.nan
    (pair,) = associations(Table([Column.numbers("x", x), Column.numbers("y", y)]))
    r, rho = stats.pearsonr(x[40:], y[40:]).statistic, stats.spearmanr(x[40:], y[40:]).statistic
    assert pair.rows == 160
    assert pair.value == pytest.approx(max(r, rho))


def test_a_falling_relation_keeps_its_sign():
    x = np.arange(10.0)
    (pair,) = associations(Table([Column.numbers("x", x), Column.numbers("y", -(x**3))]))
    assert pair.value == pytest.approx(-1)


def test_kinds_choose_the_measure():
    n = 100
    number, noise = np.arange(n, dtype=float), random.normal(size=n)
    levels = Column.labels("nominal", [f"l{i // 25}" for i in range(n)])
    table = Table(
        [
            Column.numbers("number", number),
            Column.numbers("noise", noise),
            levels,
            levels.renamed("twin"),
            levels.renamed("ordered").as_kind("ordinal"),
            Column.text("text", ["some words"] * n),
        ]
    )
    measures = {frozenset((p.first, p.second)): p.measure for p in associations(table)}
    assert measures[frozenset(("number", "ordered"))] == "Spearman's ρ"
    assert measures[frozenset(("number", "nominal"))] == "correlation ratio η"
    assert measures[frozenset(("nominal", "twin"))] == "Cramér's V"
    assert measures[frozenset(("nominal", "ordered"))] == "correlation ratio η"
    assert not any("text" in pair for pair in measures)


def test_constants_and_tiny_overlaps_are_left_out():
    nan = np.nan
    table = Table(
        [
            Column.numbers("x", [1.0, 2, nan, nan]),
            Column.numbers("y", [nan, 2, 3, 4.0]),
            Column.numbers("c", [1.0, 1, 1, 1]),
            Column.numbers("gone", [nan] * 4),
        ]
    )
    assert associations(table) == []


def test_infinite_values_are_left_out():
    x = np.array([1.0, 2, 3, np.inf, 5])
    (pair,) = associations(Table([Column.numbers("x", x), Column.numbers("y", [1.0, 2, 3, 4, 5])]))
    assert (pair.value, pair.rows) == (pytest.approx(1), 4)
