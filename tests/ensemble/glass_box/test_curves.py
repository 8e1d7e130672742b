"""Curves, pairs, purification: against references that are obvious, and functions that were drawn."""

import numpy as np
import pytest

from probus.ensemble import ExplainableBoostingClassifier, ExplainableBoostingRegressor
from probus.ensemble.glass_box._column_codes import ColumnCodes
from probus.ensemble.glass_box._curve_kernel import CurvePlan, StepRule, add_round, sum_by_code
from probus.ensemble.glass_box._pair_kernel import PairPlan, interaction_strengths
from probus.ensemble.glass_box._purified_terms import purified_table
from probus.tree.preparation import Design


def drawn(n, seed=0, noise=0.3):
    """An additive truth with one pair: the rows, the target, and the value of each term."""
    rows = np.random.default_rng(seed)
    X = rows.uniform(-1, 1, (n, 5))
    terms = np.column_stack([np.sin(3 * X[:, 0]), 1.0 * (X[:, 1] > 0.2), X[:, 2] ** 2, 0 * X[:, 3], X[:, 3] * X[:, 4]])
    return X, terms.sum(axis=1) + noise * rows.normal(size=n), terms - terms.mean(axis=0)


def one_round(codes, gradient, hessian, rule, n_codes):
    starts = np.concatenate([[0], np.cumsum(np.array(n_codes) + 1)])
    d = len(codes)
    plan = CurvePlan(starts, np.zeros(d, bool), np.zeros(d, np.int64))
    T = starts[-1]
    rows_of, hessian_of = np.empty((T, 1)), np.empty((T, 1))
    sum_by_code(codes, len(gradient), np.ones((len(gradient), 1)), starts, rows_of)
    sum_by_code(codes, len(gradient), hessian, starts, hessian_of)
    curves, moved = np.zeros((T, 1)), np.zeros((len(gradient), 1))
    draws = np.random.default_rng(0).random((d, 16))
    given = (codes, len(gradient), gradient, hessian, rows_of[:, 0].copy(), hessian_of, plan, rule)
    add_round(*given, np.arange(d), draws, curves, moved)
    return curves[:, 0], moved[:, 0], starts


def test_a_round_is_the_best_stump_of_each_column_in_turn():
    rows = np.random.default_rng(1)
    codes = rows.integers(0, 7, (3, 200)).astype(np.uint8)
    gradient, hessian = rows.normal(size=(200, 1)), rows.random((200, 1)) + 0.5
    rule = StepRule(0.5, 1.0, 1.0, 5.0, 2, False)
    curves, moved, starts = one_round(codes, gradient, hessian, rule, [7, 7, 7])
    expected = np.zeros(200)
    for j in range(3):
        now = gradient[:, 0] + hessian[:, 0] * expected
        best = (-np.inf, None)
        for cut in range(1, 7):
            left = codes[j] < cut
            if min(left.sum(), (~left).sum()) < 5:
                continue
            parts = [(now[side].sum(), hessian[side].sum() + 1.0) for side in (left, ~left)]
            score = sum(g * g / h for g, h in parts)
            best = max(best, (score, cut), key=lambda each: each[0])
        left = codes[j] < best[1]
        step = np.empty(200)
        for side in (left, ~left):
            step[side] = -0.5 * now[side].sum() / (hessian[side, 0].sum() + 1.0)
        np.testing.assert_allclose(curves[starts[j] : starts[j] + 7][codes[j]], step)
        expected += step
    np.testing.assert_allclose(moved, expected)


def test_more_leaves_never_lose_and_the_kernel_is_its_python():
    rows = np.random.default_rng(2)
    codes = rows.integers(0, 20, (1, 300)).astype(np.uint8)
    gradient, hessian = rows.normal(size=(300, 1)), np.ones((300, 1))
    gains = []
    for leaves in (2, 3, 5, 16):
        rule = StepRule(1.0, 0.0, 0.0, 1.0, leaves, False)
        curves, moved, _ = one_round(codes, gradient, hessian, rule, [20])
        gains.append(-(gradient[:, 0] @ moved) - 0.5 * moved @ moved)
        assert len(np.unique(curves[:20])) == leaves
    assert gains == sorted(gains)


def test_purified_tables_have_no_marginals_and_keep_the_sum():
    rows = np.random.default_rng(3)
    table, weight = rows.normal(size=(5, 7, 2)), rows.integers(0, 4, (5, 7)).astype(float)
    weight[:, 3] = 0.0
    pure, first, second = purified_table(table, weight)
    np.testing.assert_allclose(pure + first[:, None] + second[None], table, atol=1e-10)
    np.testing.assert_allclose(np.einsum("ab,abk->ak", weight, pure), 0, atol=1e-9)
    np.testing.assert_allclose(np.einsum("ab,abk->bk", weight, pure), 0, atol=1e-9)


def test_the_strength_of_a_pair_is_the_largest_contrast_of_quadrants():
    rows = np.random.default_rng(4)
    codes = rows.integers(0, 4, (2, 120)).astype(np.uint8)
    gradient, hessian = rows.normal(size=(120, 1)), rows.random((120, 1)) + 0.5
    found = np.empty(1)
    plan = PairPlan(np.array([[0, 1]]), np.zeros(1, np.int64), np.array([4, 4]))
    interaction_strengths(codes, gradient, hessian, np.ones(120), plan, 3.0, found)
    best = 0.0
    for a in range(1, 4):
        for b in range(1, 4):
            quadrants = [(codes[0] < a, codes[1] < b), (codes[0] < a, codes[1] >= b),
                         (codes[0] >= a, codes[1] < b), (codes[0] >= a, codes[1] >= b)]  # fmt: skip
            masks = [x & y for x, y in quadrants]
            G = [gradient[mask].sum() for mask in masks]
            H = [hessian[mask].sum() for mask in masks]
            contrast = G[0] / H[0] - G[1] / H[1] - G[2] / H[2] + G[3] / H[3]
            best = max(best, contrast**2 / sum(1 / h for h in H))
    np.testing.assert_allclose(found[0], best)


def test_centres_of_bins_are_values_of_their_rows():
    X = np.array([[0.1], [0.1], [0.1], [7.0], [np.nan], [np.inf]])
    columns = ColumnCodes.of(Design(X, np.zeros(1, np.int64)), 255, 1, 0)
    codes = columns.of_rows(X)
    assert columns.centres_of(X, codes)[:3].tolist() == [0.1, 7.0, np.inf]
    assert codes.tolist() == [[0, 0, 0, 1, 3, 2]]


@pytest.mark.slow
def test_a_drawn_truth_is_found_and_so_is_its_pair():
    X, y, terms = drawn(3000)
    model = ExplainableBoostingRegressor(random_state=0).fit(X, y)
    assert model.terms_.pairs.tolist()[-1] == [3, 4]
    assert len(model.terms_.pairs) <= 3
    found = model.explain_local(X).values[:, :, 0]
    for j, most in enumerate((0.06, 0.1, 0.06, 0.09)):
        assert np.sqrt(np.mean((found[:, j] - terms[:, j]) ** 2)) < most
    pair = found[:, 5 + model.terms_.pairs.tolist().index([3, 4])]
    assert np.corrcoef(pair, terms[:, 4])[0, 1] > 0.97


def test_terms_have_mean_zero_over_the_training_rows():
    X, y, _ = drawn(600)
    weight = np.random.default_rng(1).integers(1, 3, 600)
    model = ExplainableBoostingRegressor(interactions=[(3, 4)], random_state=0).fit(X, y, weight)
    values = model.explain_local(X).values[:, :, 0]
    np.testing.assert_allclose(weight @ values, 0, atol=1e-8)
    pair = model.terms_.tables.reshape(model.terms_.shape(0))
    np.testing.assert_allclose((model.terms_.pair_rows.reshape(pair.shape) * pair).sum(axis=0), 0, atol=1e-8)


def test_local_terms_sum_to_the_score_of_each_kind_of_target():
    X, y, _ = drawn(400)
    three = np.digitize(y, np.quantile(y, [0.3, 0.6]))
    for model, target in (
        (ExplainableBoostingRegressor(random_state=0), y),
        (ExplainableBoostingRegressor(objective="poisson", random_state=0), np.floor(np.exp(y))),
        (ExplainableBoostingClassifier(random_state=0), y > 0.5),
        (ExplainableBoostingClassifier(interactions=2, random_state=0), three),
    ):
        local = model.fit(X, target).explain_local(X)
        raw = model._raw(X)
        np.testing.assert_allclose(local.scores, raw, atol=1e-10)
        np.testing.assert_allclose(local.values.sum(axis=1) + local.intercept, raw, atol=1e-10)
    assert model.terms_.tables.shape[1] == 3
    assert len(model.terms_.pairs) in (0, 2)


@pytest.mark.parametrize("sign", [1, -1])
def test_monotone_curves_only_rise_or_fall(sign):
    X, y, _ = drawn(800)
    model = ExplainableBoostingRegressor(monotone_constraints=[sign, 0, 0, 0, 0], random_state=0).fit(X, y)
    assert (sign * np.diff(model.curve(0).values[:-1]) >= 0).all()
    assert 0 not in model.terms_.pairs
    free = model.curve(2).values[:-1]
    assert (np.diff(free) < 0).any()
    assert (np.diff(free) > 0).any()


def test_missing_values_have_a_value_of_their_own_and_unknown_ones_add_nothing():
    X, y, _ = drawn(600)
    X[:200, 3] = np.nan
    y[:200] += 2.0
    model = ExplainableBoostingRegressor(interactions=0, random_state=0).fit(X, y)
    assert model.curve(3).values[-1] > 1.0
    row = np.array([[0.1, 0.1, np.nan, 0.1, 0.1]])
    assert model.explain_local(row).values[0, 2, 0] == 0.0


def test_levels_are_shrunk_to_the_mean_the_more_the_fewer_rows_they_have():
    rows = np.random.default_rng(0)
    level = np.array(list("abc"))[np.repeat([0, 1, 2], [290, 290, 20])]
    y = np.where(level == "c", 2.0, 0.0) + rows.normal(size=600)
    model = ExplainableBoostingRegressor(max_rounds=40, early_stopping_rounds=0, random_state=0)
    curve = model.fit({"level": level, "x": rows.normal(size=600)}, y).curve("level")
    mean = y[level == "c"].mean() - y.mean()
    assert 0.3 * mean < curve.values[2] < mean
    assert curve.view.labels == ("a", "b", "c")


def test_init_score_is_what_terms_are_added_to():
    X, y, _ = drawn(1500)
    known = np.sin(3 * X[:, 0])
    model = ExplainableBoostingRegressor(interactions=0, random_state=0).fit(X, y, init_score=known)
    assert np.abs(model.curve(0).values).max() < 0.2
    np.testing.assert_allclose(model.predict(X, init_score=known) - model.predict(X), known)


def test_excluded_columns_and_pairs_have_no_term():
    X, y, _ = drawn(1500, noise=0.1)
    model = ExplainableBoostingRegressor(exclude=[1, (3, 4)], random_state=0).fit(X, y)
    assert not model.curve(1).values.any()
    assert 1 not in model.terms_.pairs
    assert [3, 4] not in model.terms_.pairs.tolist()
