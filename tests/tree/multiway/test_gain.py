from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy

from probus import Table
from probus.testing._specimen import with_missing
from probus.tree.multiway import ID3Classifier
from probus.tree.multiway._coding import coding_of
from probus.tree.multiway._gain import LevelTables, best_threshold, bits, count_levels, information_gain
from probus.tree.multiway._multiway_growth import Cases, Training
from probus.tree.preparation._design import design_of


def measured(table, y, w=None, min_cases=0.0):
    model = ID3Classifier()
    design = design_of(model, table, reset=True)
    w = np.ones(len(y)) if w is None else w
    coding = coding_of(design, model.schema_, w, n_bins=3, ordinal_levels=True)
    training = Training(np.asfortranarray(coding.coded(design.X)), y, w, int(y.max()) + 1, coding)
    rows = np.arange(len(y))
    cases = Cases(rows, w, training.counts(rows, w), np.ones(design.X.shape[1], bool), 0)
    layout = LevelTables.of(training)
    return layout.gains(layout.counted(training, cases), min_cases)


def test_gains_of_the_weather_are_those_of_the_paper(weather):
    gain, split_info, n_seen = measured(weather.table, weather.plays)
    np.testing.assert_allclose(gain, [0.247, 0.029, 0.152, 0.048], atol=5e-4)
    np.testing.assert_allclose(gain[0] / split_info[0], 0.156, atol=5e-4)  # Quinlan (1993), chapter 2
    assert n_seen.tolist() == [3, 3, 2, 2]


def test_a_missing_value_costs_gain_and_makes_a_branch_more(weather):
    """Quinlan (1993), chapter 3: the outlook of one row unknown; gain 13/14 × 0.214, split information 1.809."""
    outlook = with_missing(weather.table["outlook"], np.arange(14) == 11)
    gain, split_info, _ = measured(Table([outlook]), weather.plays)
    np.testing.assert_allclose(gain, 0.199, atol=5e-4)
    np.testing.assert_allclose(split_info, 1.809, atol=5e-4)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(1, 3)), min_size=2, max_size=40))
def test_gain_is_entropy_before_less_entropy_after(rows):
    code, label, w = np.array(rows).T
    table = np.zeros((4, 3))
    np.add.at(table, (code, label), w)
    before = entropy(table.sum(axis=0), base=2)
    after = sum(part.sum() * entropy(part, base=2) for part in table if part.any()) / table.sum()
    assert information_gain(table) == pytest.approx(before - after, abs=1e-12)
    np.testing.assert_allclose(bits(table[table.any(axis=1)]), [p.sum() * entropy(p, base=2) for p in table if p.any()])


@given(st.integers(0, 1000))
def test_levels_are_counted_as_one_by_one(seed):
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.integers(0, 3, (20, 2)) * 1.0)
    X[rng.random((20, 2)) < 0.2] = np.nan
    y, rows, w = rng.integers(0, 2, 20), rng.integers(0, 20, 12), rng.random(12)
    out = np.zeros((8, 2))
    count_levels(X, y, rows, w, np.array([0, 1]), np.array([0, 4]), np.array([4, 4]), out)
    for j in range(2):
        for code in range(4):
            for k in range(2):
                here = [x != x if code == 3 else x == code for x in X[rows, j]]
                assert out[4 * j + code, k] == pytest.approx(w[here & (y[rows] == k)].sum())


def cuts_of(x, y, w, min_cases, n_classes):
    """Every cut allowed: gain, split information, low, high."""
    known = ~np.isnan(x)
    n, n_known = w.sum(), w[known].sum()
    least = max(min(0.1 * n_known / n_classes, 25), min_cases)
    found = []
    for low, high in pairwise(np.unique(x[known])):
        sides = [known & (x <= low), known & (x > low)]
        if min(w[side].sum() for side in sides) >= least:
            table = np.array([np.bincount(y[side], w[side], n_classes) for side in sides])
            sizes = [*table.sum(axis=1), n - n_known]
            found.append((n_known / n * information_gain(table), entropy(sizes, base=2), low, high))
    return found


@given(st.integers(0, 1000))
def test_the_best_threshold_is_the_best_of_all(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 60))
    x = rng.normal(size=n).round(1)
    y = (x + rng.normal(size=n) > 0).astype(np.int64)
    x[rng.random(n) < 0.1] = np.nan
    w = rng.integers(1, 4, n) / 1.0
    out = np.zeros(4)
    best_threshold(x, y, w, np.argsort(x), 2, 2.0, out)
    found = cuts_of(x, y, w, 2.0, 2)
    best = max(found, key=lambda cut: round(cut[0], 9), default=(0.0,))
    net = best[0] - np.log2(max(len(found), 1)) / w.sum()
    if net <= 1e-9:
        assert out[0] == -1
    else:
        np.testing.assert_allclose(out, [net, *best[1:]], atol=1e-9)
