from itertools import combinations, pairwise
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, chi2_contingency

from probus.tree.multiway._merging import chi2_tail, log_chi2_tail, log_multiplier, merged, pair_p_value


def p_value(table):
    """Pearson's test by SciPy, classes that nobody has left out."""
    table = np.asarray(table)
    table = table[:, table.any(axis=0)]
    return 1.0 if table.shape[1] < 2 else chi2_contingency(table, correction=False).pvalue


counts = st.lists(st.integers(0, 30), min_size=3, max_size=3).filter(any)


@given(counts, counts)
def test_pairs_are_tested_as_scipy_tests_them(one, other):
    found = pair_p_value(np.array(one, float), np.array(other, float))
    assert found == pytest.approx(p_value([one, other]), abs=1e-10)


@given(st.floats(0, 2000), st.integers(1, 60))
def test_tails_are_those_of_scipy(x, df):
    assert chi2_tail(x, df) == pytest.approx(chi2.sf(x, df), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("df", [1, 2, 3, 8, 19])
def test_logarithms_of_tails_are_those_of_scipy_and_go_on_where_it_ends(df):
    for x in (0.5, 3.0, 40.0, 900.0):
        assert log_chi2_tail(x, df) == pytest.approx(chi2.logsf(x, df), rel=1e-9)
    below, above = log_chi2_tail(1320.0, df), log_chi2_tail(1390.0, df)
    far = log_chi2_tail(1355.0, df)
    assert below > far > above
    assert far == pytest.approx((below + above) / 2, abs=0.02)  # nearly straight across where the digits run out


def partitions(items):
    if not items:
        yield []
        return
    head, *rest = items
    for parts in partitions(rest):
        yield [[head], *parts]
        for i, part in enumerate(parts):
            yield [*parts[:i], [head, *part], *parts[i + 1 :]]


def is_run(part, floating, c):
    fixed = sorted(set(part) - ({c - 1} if floating else set()))
    return all(b == a + 1 for a, b in pairwise(fixed))


@pytest.mark.parametrize("c", [2, 3, 4, 5, 6])
def test_multipliers_count_the_ways_to_merge(c):
    ways = list(partitions(list(range(c))))
    for r in range(2, c + 1):
        of_size = [way for way in ways if len(way) == r]
        runs = [way for way in of_size if all(is_run(part, False, c) for part in way)]
        afloat = [way for way in of_size if all(is_run(part, True, c) for part in way)]
        assert exp(log_multiplier(c, r, "free")) == pytest.approx(len(of_size))
        assert exp(log_multiplier(c, r, "ordered")) == pytest.approx(len(runs))
        assert exp(log_multiplier(c, r, "floating")) == pytest.approx(len(afloat))


def test_multipliers_of_many_categories_are_finite():
    assert log_multiplier(2000, 12, "free") == pytest.approx(2000 * log(12) - log(479001600), rel=1e-9)


def reference(table, alpha, min_child, may_merge):
    """Merge the most alike of the pairs that may, one after the other; then those that are too small."""
    groups = [[i] for i in range(len(table))]

    def merge_most_alike(pairs, least):
        p = [round(p_value([table[a].sum(axis=0), table[b].sum(axis=0)]), 11) for a, b in pairs]
        if max(p) <= least:
            return False
        a, b = pairs[int(np.argmax(p))]
        groups[groups.index(a)] = sorted(a + b)
        groups.remove(b)
        return True

    def pairs():
        return [pair for pair in combinations(groups, 2) if may_merge(groups, *pair)]

    while len(groups) > 2 and merge_most_alike(pairs(), alpha):
        pass
    while len(groups) > 1:
        lightest = min(sorted(groups), key=lambda g: table[g].sum())
        if table[lightest].sum() >= min_child:
            break
        merge_most_alike([pair for pair in pairs() if lightest in pair], -1)
    return sorted(groups)


def neighbours(n, floating):
    lone = n - 1 if floating else None

    def may_merge(groups, a, b):
        if [lone] in (a, b):
            return True
        line = [g for g in groups if g != [lone]]
        line.sort(key=lambda g: min(set(g) - {lone}))
        return abs(line.index(a) - line.index(b)) == 1

    return may_merge


KINDS = [(False, False), (True, False), (True, True)]


@pytest.mark.parametrize(("ordered", "floating"), KINDS)
@pytest.mark.parametrize("min_child", [0, 25])
@pytest.mark.parametrize("seed", range(8))
def test_levels_merge_as_in_the_reference(ordered, floating, min_child, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    table = 1.0 + rng.integers(0, 15, (n, 3)) * (rng.random((n, 3)) < 0.8)
    found = merged(table, ordered=ordered, floating=floating, alpha=0.1, min_child=min_child)
    may_merge = neighbours(n, floating) if ordered else lambda groups, a, b: True
    groups = reference(table, 0.1, min_child, may_merge)
    assert sorted(found.groups) == groups
    kind = "floating" if floating else "ordered" if ordered else "free"
    adjusted = log(p_value([table[g].sum(axis=0) for g in groups])) + log_multiplier(n, len(groups), kind)
    assert found.log_p == pytest.approx(min(0.0, adjusted), abs=1e-9)


def test_levels_of_one_profile_are_merged_at_once_as_one_by_one():
    """Fifty levels of three profiles: more than enough to look for them first."""
    rng = np.random.default_rng(0)
    profile = rng.integers(0, 3, 50)
    table = np.array([[9.0, 1], [5, 5], [1, 9]])[profile] * rng.integers(1, 4, 50)[:, None]
    found = merged(table, ordered=False, floating=False, alpha=0.05, min_child=0)
    assert sorted(found.groups) == sorted(np.flatnonzero(profile == k).tolist() for k in range(3))


def test_small_groups_join_those_they_are_most_like():
    table = np.array([[40.0, 1], [1, 40], [3, 0]])
    kept = merged(table, ordered=False, floating=False, alpha=1, min_child=0)
    joined = merged(table, ordered=False, floating=False, alpha=1, min_child=5)
    assert (len(kept.groups), joined.groups) == (3, [[0, 2], [1]])
    assert merged(table, ordered=False, floating=False, alpha=1, min_child=50).groups == [[0, 1, 2]]


def test_an_alpha_of_one_merges_nothing():
    table = np.tile([[5.0, 5.0]], (40, 1))
    assert len(merged(table, ordered=False, floating=False, alpha=1.0, min_child=0).groups) == 40
