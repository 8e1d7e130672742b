"""The variance of cross-validated scores: closed forms where models do not vary, and what it is invariant to."""

from dataclasses import replace

import numpy as np
import pytest

from probus.model_selection._score_variance import _Effects, score_variance


def test_it_is_that_of_independent_rows_where_models_do_not_vary(made):
    result = made.regressed(noise=0.0)
    losses = np.empty(100)
    for outcome, rows in zip(result.outcomes, result.rows, strict=True):
        losses[rows] = np.abs(outcome.predicted - outcome.actual)
    found = score_variance(result.tested("mae"))
    assert found.total == pytest.approx(losses.var(ddof=1) / 100)
    assert found.single == pytest.approx(found.total)
    assert found.inflation == pytest.approx(1)


def test_it_is_larger_where_models_vary(made):
    still, loud = (score_variance(made.regressed(noise=noise).tested("mae")) for noise in (0.0, 1.0))
    assert loud.inflation > still.inflation


def test_few_repeats_do_not_make_it_a_matter_of_chance(made):
    """The variances that splits show were as uncertain as the variance of rows: one in ten was 1.9 times the usual."""
    found = [score_variance(made.regressed(repeats=2, seed=seed).tested("mae")).inflation for seed in range(100)]
    assert np.quantile(found, 0.9) < 1.25 * np.median(found)
    large = [score_variance(made.regressed(repeats=2, seed=seed, of_fold=2.0).tested("mae")) for seed in range(20)]
    assert np.median([each.inflation for each in large]) > 3 * np.median(found)


def test_the_order_of_splits_does_not_matter(made):
    result = made.regressed(of_fold=0.5)
    tested = result.tested("mae")
    # folds in another order within their repeat, and the repeats in another order
    places = np.array([12, 10, 14, 13, 11, 3, 1, 0, 4, 2, 5, 9, 8, 7, 6])
    moved = replace(tested, split=places[tested.split])
    order = np.argsort(moved.split, kind="stable")
    parts = {name: getattr(moved, name)[order] for name in ("moves", "as_tested", "unit", "split")}
    found, expected = score_variance(replace(moved, **parts)), score_variance(tested)
    assert (found.total, found.df) == pytest.approx((expected.total, expected.df))


def test_it_grows_with_the_effects_of_folds(made):
    effects = [score_variance(made.regressed(repeats=5, of_fold=size).tested("mae")) for size in (0.0, 1.0, 2.0)]
    assert effects[0].inflation < effects[1].inflation < effects[2].inflation
    assert effects[2].df < effects[0].df


@pytest.mark.parametrize("name", ["rmse", "mae"])
def test_it_scales_with_the_square_of_the_unit(made, name):
    in_metres, in_millimetres = (score_variance(made.regressed(unit=unit).tested(name)) for unit in (1.0, 1000.0))
    assert in_millimetres.total == pytest.approx(1e6 * in_metres.total)
    assert in_millimetres.inflation == pytest.approx(in_metres.inflation)


@pytest.mark.parametrize(("unstable", "factor"), [(0.0, 1.15), (0.5, 1.95)])
def test_the_variance_of_rows_tested_once_grows_with_the_share_of_unstable_predictions(made, unstable, factor):
    tested = replace(made.regressed(repeats=1).tested("mae"), unstable=unstable)
    rows = np.var(tested.by_unit, ddof=1) / 100
    assert score_variance(tested).total == pytest.approx(factor * rows)


def test_folds_of_rows_tested_once_that_differ_by_more_than_their_rows_count(made):
    result = made.regressed(repeats=1, of_fold=5.0)
    tested = result.tested("mae")
    of_folds = result.scores("mae").var(ddof=1) * (1 / 5 + 1 / 4)
    assert score_variance(tested).total == pytest.approx(of_folds)
    rows = np.var(tested.by_unit, ddof=1) / 100
    assert of_folds > (1.15 + 1.6 * tested.unstable) * rows


def test_a_difference_of_rows_tested_once_has_a_quarter_more_than_their_own_variance_at_least(made):
    a, b = (made.regressed(repeats=1, noise=noise).tested("mae") for noise in (0.1, 0.3))
    apart = a.minus(b)
    rows = np.var(apart.by_unit, ddof=1) / 100
    assert apart.unstable is None
    assert score_variance(apart).total >= 1.25 * rows * (1 - 1e-12)


def test_one_unit_is_no_basis_for_a_variance(made):
    tested = made.regressed().tested("mae")
    alone = replace(tested, unit=np.zeros_like(tested.unit))
    assert score_variance(alone).total == np.inf


def test_a_difference_hardly_counts_what_moves_single_rows(made):
    # training sets that move every row by itself are in the row means of all splits already
    a, b = (made.regressed(repeats=5, seed=seed, noise=1.0).tested("mae") for seed in (0, 1))
    apart = a.minus(b)
    rows = np.var(apart.by_unit, ddof=1) / 100
    w = _Effects.of(apart).within
    assert w > 0.3 * rows
    assert score_variance(apart).total == pytest.approx(rows + 0.3 * w)


def test_a_difference_counts_training_sets_that_move_all_rows(made):
    a, b = (made.regressed(repeats=5, of_fold=of_fold).tested("mae") for of_fold in (0.0, 2.0))
    still = made.regressed(repeats=5, of_fold=0.01).tested("mae")
    assert score_variance(a.minus(b)).inflation > 1.5 * score_variance(a.minus(still)).inflation


def test_a_loss_without_bound_counts_training_sets_by_what_all_rows_have_alike(made):
    # one row in fifty is given next to nothing in some repeats: its losses say nothing about those of others
    result = made.classified(repeats=5, noise=0.1)
    tested = result.tested("log_loss")
    assert tested.unbounded
    assert not result.tested("brier").unbounded
    few = tested.unit < 2
    lumpy = replace(tested, moves=tested.moves + np.where(few & (tested.split % 2 == 0), 30.0, 0.0))
    rows = np.var(lumpy.by_unit, ddof=1) / 100
    of_all = score_variance(replace(lumpy, unbounded=False)).total - rows
    assert score_variance(lumpy).total - rows < 0.2 * of_all
