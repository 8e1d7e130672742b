import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold

import probus
from probus import Task
from probus.calibration import ConformalRegressor
from probus.dummy import ZeroRClassifier
from probus.ensemble import RandomForestRegressor
from probus.errors import DataError
from probus.linear_model import Ridge
from probus.neighbors import KNeighborsRegressor
from probus.tree import DecisionTreeRegressor


def numbers(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 3))
    return X, 3 * X[:, 0] + rng.normal(size=n) * np.exp(X[:, 1])


NEW = numbers(40, seed=9)[0]


@pytest.fixture(scope="module")
def regressor():
    """CV+ of a ridge regression, without scaling."""
    return ConformalRegressor(Ridge(), cv=4, method="cv+", scaled=False).fit(*numbers(61))


def barber(folds, X, y, new, level):
    """The CV+ interval as written by Barber et al. (2021), with least squares."""
    low, high = [], []
    for train, test in folds:
        fitted = LinearRegression().fit(X[train], y[train])
        residual = np.abs(y[test] - fitted.predict(X[test]))
        low.append(fitted.predict(new)[:, None] - residual)
        high.append(fitted.predict(new)[:, None] + residual)
    n, low, high = len(y), np.sort(np.hstack(low), axis=1), np.sort(np.hstack(high), axis=1)
    return low[:, int(np.floor((1 - level) * (n + 1))) - 1], high[:, int(np.ceil(level * (n + 1))) - 1]


def test_intervals_are_those_of_the_paper():
    X, y = numbers(53)
    folds = list(KFold(5, shuffle=True, random_state=1).split(X))
    model = ConformalRegressor(LinearRegression(), cv=folds, method="cv+", scaled=False).fit(X, y)
    low, high = barber(folds, X, y, NEW, 0.85)
    np.testing.assert_allclose(model.predict_interval(NEW, 0.85), np.column_stack([low, high]), rtol=1e-9)


def test_a_single_split_is_the_prediction_and_a_rank_of_the_residuals():
    X, y = numbers(60)
    model = ConformalRegressor(LinearRegression(), method="split", scaled=False).fit(X, y)
    assert len(model.residuals_) == 15
    width = np.sort(np.abs(model.residuals_))[int(np.ceil(0.8 * 16)) - 1]
    expected = model.predict(NEW)[:, None] + [-width, width]
    np.testing.assert_allclose(model.predict_interval(NEW, 0.8), expected)
    trained = np.setdiff1d(np.arange(60), model.residual_rows_)
    np.testing.assert_allclose(model.predict(NEW), LinearRegression().fit(X[trained], y[trained]).predict(NEW))


def test_jackknife_leaves_each_row_out():
    X, y = numbers(25)
    model = ConformalRegressor(LinearRegression(), method="jackknife+", scaled=False).fit(X, y)
    assert len(model.models_) == 25
    folds = [(np.delete(np.arange(25), i), np.array([i])) for i in range(25)]
    expected = np.column_stack(barber(folds, X, y, NEW, 0.9))
    np.testing.assert_allclose(model.predict_interval(NEW, 0.9), expected, rtol=1e-9)


def test_without_the_models_of_folds_residuals_are_set_around_the_prediction(regressor):
    X, y = numbers(61)
    model = ConformalRegressor(Ridge(), cv=4, method="cv", scaled=False).fit(X, y)
    np.testing.assert_array_equal(model.residuals_, regressor.residuals_)
    width = np.quantile(np.abs(model.residuals_), 0.9, method="weibull")  # the rank 0.9 · (n + 1), interpolated
    assert model.models_ == []
    np.testing.assert_allclose(model.predict_interval(NEW), model.predict(NEW)[:, None] + [-width, width])


def test_a_higher_level_gives_wider_intervals_around_the_prediction(regressor):
    narrow, wide = regressor.predict_interval(NEW, 0.5), regressor.predict_interval(NEW, 0.95)
    centre = regressor.predict(NEW)
    assert (wide[:, 0] < narrow[:, 0]).all()
    assert (narrow[:, 1] < wide[:, 1]).all()
    assert ((narrow[:, 0] <= centre) & (centre <= narrow[:, 1])).all()


@pytest.mark.slow
def test_scaled_intervals_follow_the_noise_and_cover():
    """One sample covers 0.88 to 0.94: the mean of eight is that of the level."""
    covered = []
    for sample in range(8):
        X, y = numbers(600, seed=2 * sample)
        new, truth = numbers(2000, seed=2 * sample + 1)
        model = ConformalRegressor(Ridge(), method="cv", random_state=0).fit(X, y)
        interval = model.predict_interval(new)
        width = interval[:, 1] - interval[:, 0]
        assert model.scale_model_ is not None
        assert np.corrcoef(width, np.exp(new[:, 1]))[0, 1] > 0.8
        covered.append(((interval[:, 0] <= truth) & (truth <= interval[:, 1])).mean())
    assert np.mean(covered) == pytest.approx(0.9, abs=0.02)


def test_intervals_of_models_that_agree_are_those_without_the_models_of_folds():
    X, y = numbers(61)
    auto, alone = (ConformalRegressor(Ridge(), cv=4, method=how, scaled=False).fit(X, y) for how in ("auto", "cv"))
    assert len(auto.models_) == 4
    np.testing.assert_array_equal(auto.predict_interval(NEW), alone.predict_interval(NEW))


def test_where_the_models_of_folds_disagree_the_default_is_cv_plus():
    """Least squares with about as many columns as rows is worse, the more rows it has: "cv" covers far too seldom."""
    covered = dict.fromkeys(("auto", "cv"), 0.0)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, new = rng.normal(size=(100, 95)), rng.normal(size=(500, 95))
        y, truth = X[:, 0] + rng.normal(size=100), new[:, 0] + rng.normal(size=500)
        for method in covered:
            model = ConformalRegressor(LinearRegression(), method=method, scaled=False).fit(X, y)
            low, high = model.predict_interval(new).T
            covered[method] += ((low <= truth) & (truth <= high)).mean() / 5
    assert covered["cv"] < 0.75
    assert covered["auto"] > 0.9


def _covered(model, population, rows, levels, seeds=15):
    """The mean coverage of new rows at each level, and the width over the one that would cover as often as it says."""
    found = np.zeros((len(levels), 2))
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        X, y = population(rows, rng)
        new, truth = population(500, rng)
        fitted = ConformalRegressor(model, scaled=False).fit(X, y)
        centre = fitted.predict(new)
        for place, level in enumerate(levels):
            low, high = fitted.predict_interval(new, level).T
            needed = 2 * np.quantile(np.abs(truth - centre), level)
            found[place] += ((low <= truth) & (truth <= high)).mean() / seeds, (high - low).mean() / needed / seeds
    return found.T


def _step_and_noise(n, rng):
    X = rng.normal(size=(n, 5))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n)


def _product_and_tails(n, rng):
    X = rng.normal(size=(n, 5))
    return X, X[:, 0] * X[:, 1] + rng.standard_t(3, size=n)


def _rows_far_out(n, rng):
    X = rng.normal(size=(n, 6))
    y = 2 * X[:, :2].sum(axis=1) + rng.normal(size=n)
    out = rng.random(n) < 0.05
    X[out] *= 20
    y[out] = 20 * rng.normal(size=out.sum())
    return X, y


@pytest.mark.slow
@pytest.mark.parametrize("population", [_step_and_noise, _product_and_tails])
def test_intervals_of_full_trees_are_as_wide_as_needed(population):
    """Models of folds that disagree as much as the noise are as good as each other: CV+ covered 92 % for 80 %."""
    covered, width = _covered(DecisionTreeRegressor(), population, 60, (0.8, 0.9))
    assert (np.abs(covered - [0.8, 0.9]) < 0.05).all()
    assert (width < 1.15).all()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::probus.linear_model.ExtrapolationWarning")
def test_intervals_with_outlying_rows_are_as_wide_as_needed():
    covered, width = _covered(Ridge(), _rows_far_out, 100, (0.8, 0.9), seeds=40)
    assert (np.abs(covered - [0.8, 0.9]) < 0.03).all()
    assert (width < 1.2).all()


@pytest.mark.slow
def test_intervals_of_models_worse_than_those_of_folds_still_hold():
    def near(n, rng):
        X = rng.standard_t(4, size=(n, 46))
        return X, 2 * X[:, 0] + rng.normal(size=n)

    covered, _ = _covered(LinearRegression(), near, 50, (0.8, 0.9))
    assert (covered > [0.8, 0.9]).all()


@pytest.mark.slow
def test_intervals_by_quantiles_reach_farther_where_residuals_do():
    """Noise on one side only, in half of the rows: the other half has narrow intervals, and none reaches far below."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (900, 2))
    y = X[:, 0] + rng.exponential(size=900) * np.where(X[:, 1] > 0, 3.0, 0.3)
    new, truth, noisy = X[400:], y[400:], X[400:, 1] > 0
    fits = {how: ConformalRegressor(Ridge(), cv=3, method="cv", scaled=how) for how in (False, "size", "auto")}
    found = {how: each.fit(X[:400], y[:400]).predict_interval(new) for how, each in fits.items()}
    low, high = found["auto"].T
    assert fits["auto"].spread_ == "quantiles"
    assert (high - low)[noisy].mean() > 3 * (high - low)[~noisy].mean()
    assert (low[noisy] > new[noisy, 0] - 2).mean() > 0.9
    assert ((low <= truth) & (truth <= high)).mean() == pytest.approx(0.9, abs=0.04)
    scores = [  # of Gneiting and Raftery (2007)
        np.mean(high - low + 20 * (np.maximum(low - truth, 0) + np.maximum(truth - high, 0)))
        for low, high in (each.T for each in found.values())
    ]
    assert scores[2] == min(scores)


@pytest.mark.parametrize("role", [{}, {"groups": np.arange(50) // 2}, {"sample_weight": np.arange(50.0) + 1}])
def test_repeated_splits_count_each_row_once(role):
    """Of repeated splits all predictions are used; a run that is repeated exactly changes nothing."""
    task = Task.of(*numbers(50), **role)
    final = probus.tabular(Ridge()).fit(task.X, task.y)
    runs = [probus.resample(Ridge(), task, cv=4, random_state=seed) for seed in (3, 4)]
    twice, both = (
        probus.resample(Ridge(), task, cv=[*runs[0].splits.pairs, *other.splits.pairs]) for other in (runs[0], runs[1])
    )
    found = [ConformalRegressor.from_resampled(final, kept, scaled=False) for kept in (runs[0], twice, both)]
    once, again, more = (each.predict_interval(task.X) for each in found)
    assert found[1].conformity_.n_units == pytest.approx(found[0].conformity_.n_units)
    np.testing.assert_allclose(again, once)
    assert not np.allclose(more, once)


@pytest.mark.slow
def test_a_spread_is_learnt_from_the_mean_residual_of_each_row():
    task = Task.of(*numbers(60))
    run = probus.resample(Ridge(), task, cv=3, random_state=3)
    twice = probus.resample(Ridge(), task, cv=[*run.splits.pairs, *run.splits.pairs])
    final = probus.tabular(Ridge()).fit(task.X, task.y)
    once, again = (ConformalRegressor.from_resampled(final, kept, scaled="quantiles") for kept in (run, twice))
    np.testing.assert_allclose(again.predict_interval(task.X), once.predict_interval(task.X))


@pytest.mark.slow
def test_even_noise_is_not_scaled():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    assert ConformalRegressor(Ridge(), method="cv").fit(X, X[:, 0] + rng.normal(size=150)).scale_model_ is None


def test_what_resample_kept_gives_the_same_intervals():
    X, y = numbers(61)
    task = Task.of(X, y)
    for keep in (False, True):
        resampled = probus.resample(Ridge(), task, cv=4, random_state=3, keep_models=keep)
        final = probus.tabular(Ridge()).fit(task.X, task.y)
        kept = ConformalRegressor.from_resampled(final, resampled, scaled=False)
        refit = ConformalRegressor(
            probus.tabular(Ridge()), cv=resampled.splits.pairs, method=kept.method, scaled=False
        ).fit(task.X, task.y)
        assert kept.method == ("auto" if keep else "cv")
        np.testing.assert_allclose(kept.predict_interval(task.X), refit.predict_interval(task.X))


def test_groups_are_left_out_whole_and_count_once():
    X, y = numbers(60)
    groups = np.arange(60) // 5
    model = ConformalRegressor(KNeighborsRegressor(1), cv=3, scaled=False, method="cv").fit(X, y, groups=groups)
    assert model.conformity_.n_units == pytest.approx(12)
    repeated = np.repeat(X[::5], 5, axis=0)  # the nearest row of each is in its own group
    far = ConformalRegressor(KNeighborsRegressor(1), cv=3, scaled=False, method="cv").fit(
        repeated, groups, groups=groups
    )
    assert (np.abs(far.residuals_) > 0).all()


def test_precisions_fit_the_model_and_count_every_row_once():
    """Of rows with σ from 0.1 to 1, weights that count as frequencies cover what the precise ones need: 66 %."""
    cover = {"frequency": [], "precision": []}
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.uniform(size=(1300, 2))
        sigma = np.exp(rng.uniform(np.log(0.1), 0, 1300))
        y = X[:, 0] + sigma * rng.normal(size=1300)
        for meaning, found in cover.items():
            model = ConformalRegressor(Ridge(), method="cv", scaled=False, weights=meaning)
            model.fit(X[:300], y[:300], sample_weight=1 / sigma[:300] ** 2)
            low, high = model.predict_interval(X[300:], 0.9).T
            found.append(((low <= y[300:]) & (y[300:] <= high)).mean())
            own = Ridge().fit(X[:300], y[:300], sample_weight=1 / sigma[:300] ** 2)
            np.testing.assert_allclose(model.predict(X), own.predict(X))
    assert np.mean(cover["frequency"]) < 0.72
    assert 0.88 < np.mean(cover["precision"]) < 0.92


def test_a_precision_of_zero_counts_for_nothing():
    X, y = numbers(60)
    weights = np.r_[np.zeros(20), np.linspace(1, 3, 40)]
    folds = [(np.arange(0, 60, 2), np.arange(1, 60, 2)), (np.arange(1, 60, 2), np.arange(0, 60, 2))]
    loud = np.r_[y[:20] + 1e6, y[20:]]
    model = ConformalRegressor(Ridge(), method="cv", cv=folds, scaled=False, weights="precision")
    low, high = model.fit(X, loud, sample_weight=weights).predict_interval(X[20:], 0.8).T
    assert (high - low).max() < 1e3
    assert model.conformity_.n_units == 40


def test_the_meaning_of_weights_is_one_of_two():
    with pytest.raises(DataError, match=r"must be a str among \{'frequency', 'precision'\}\. Got 'count'"):
        ConformalRegressor(Ridge(), weights="count").fit(*numbers(20))


@pytest.mark.slow
def test_weights_move_the_quantile():
    X, y = numbers(200)
    heavy = np.where(X[:, 1] > 0, 1.0, 1e-6)  # the noisy half counts
    even, weighted = (
        ConformalRegressor(Ridge(), method="cv", scaled=False).fit(X, y, sample_weight=w) for w in (None, heavy)
    )
    assert np.diff(weighted.predict_interval(NEW)).mean() > 1.2 * np.diff(even.predict_interval(NEW)).mean()


@pytest.mark.slow
def test_a_saved_model_gives_the_same_intervals(tmp_path):
    cars = probus.datasets.mtcars().drop("name")
    model = ConformalRegressor(DecisionTreeRegressor(max_depth=2), cv=3, scaled=True).fit(cars.drop("mpg"), cars["mpg"])
    loaded = probus.load(probus.save(model, tmp_path / "m.probus"))
    np.testing.assert_array_equal(loaded.predict_interval(cars), model.predict_interval(cars))


@pytest.mark.slow
def test_frames_and_tables_with_levels_and_missing_values():
    frame = pl.DataFrame({"x": [1.0, None, 3.0] * 10, "level": ["a", "b", None] * 10})
    model = ConformalRegressor(DecisionTreeRegressor(max_depth=2), scaled=True).fit(frame, np.arange(30.0))
    assert model.predict_interval(frame).shape == (30, 2)


def test_jobs_do_not_change_the_result(regressor):
    X, y = numbers(61)
    other = ConformalRegressor(Ridge(), cv=4, method="cv+", scaled=False, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(other.predict_interval(NEW), regressor.predict_interval(NEW))


def test_an_exact_model_has_intervals_of_no_width():
    X = np.arange(30.0)[:, None]
    interval = ConformalRegressor(LinearRegression()).fit(X, 2 * X[:, 0]).predict_interval(X)
    np.testing.assert_allclose(interval, np.column_stack([2 * X, 2 * X]), atol=1e-9)


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (ConformalRegressor(ZeroRClassifier()), "ZeroRClassifier is a classifier.\n  Expected a regressor."),
        (
            ConformalRegressor(Ridge(), method="plus"),
            "The 'method' parameter of ConformalRegressor must be a str among {'auto', 'cv+', 'cv', 'jack",
        ),
        (
            ConformalRegressor(Ridge(), scaled="yes"),
            "The 'scaled' parameter of ConformalRegressor must be an instance of 'bool'",
        ),
        (ConformalRegressor(Ridge(), method="split", cv=3), "method='split' with cv=3."),
        (ConformalRegressor(Ridge(), method="jackknife+", cv=3), "method='jackknife+' with cv=3."),
        (ConformalRegressor(Ridge(), cv=[([0, 1], [2]), ([0, 1], [2])]), "cv tests 1 rows more than once."),
        (ConformalRegressor(Ridge(), cv=[([0, 1], [1])]), "cv has 1 rows among training and test rows of one split."),
    ],
)
def test_what_cannot_be_fitted_is_refused(model, text):
    with pytest.raises(DataError) as error:
        model.fit(*numbers(20))
    assert str(error.value).startswith(text)


def test_a_group_for_each_row_is_needed():
    with pytest.raises(DataError, match=r"X has 20 rows and groups has shape \(19,\)"):
        ConformalRegressor(Ridge()).fit(*numbers(20), groups=np.arange(19))


def test_folds_are_as_few_as_rows_or_groups():
    X, y = numbers(12)
    few = ConformalRegressor(Ridge()).fit(X[:4], y[:4])
    assert len(few.models_) == 4
    assert few.predict_interval(X, 0.7).shape == (12, 2)
    grouped = ConformalRegressor(Ridge()).fit(X, y, groups=np.arange(12) % 3)
    assert len(grouped.models_) == 3


@pytest.mark.parametrize(
    ("rows", "given", "text"),
    [
        (1, {}, "1 sample.\n  Expected at least two samples"),
        (9, {"groups": np.zeros(9)}, "1 group.\n  Expected at least two groups"),
        (9, {"groups": np.array(["a", None, "b"] * 3, dtype=object)}, "groups with missing values.\n  Expected the"),
        (9, {"groups": np.array([1.0, 2.0, np.nan] * 3)}, "groups with missing values."),
        (9, {"sample_weight": np.eye(9)[0]}, "a fold whose training rows all have a weight of zero."),
    ],
)
def test_rows_that_cannot_be_split_are_refused(rows, given, text):
    X, y = numbers(rows)
    with pytest.raises(DataError) as error:
        ConformalRegressor(Ridge()).fit(X, y, **given)
    assert str(error.value).startswith(text)


def test_more_folds_than_rows_are_refused():
    with pytest.raises(DataError, match="cv=7 for 6 samples"):
        ConformalRegressor(Ridge(), cv=7).fit(*numbers(6))


@pytest.mark.slow
def test_a_scale_of_many_rows_is_learnt_from_some(monkeypatch):
    monkeypatch.setattr("probus.calibration._residual_scale._MOST", 40)
    X, y = numbers(200)
    model = ConformalRegressor(Ridge(), cv=2, method="cv", scaled=True).fit(X, y)
    assert model.scale_model_.trees_[0].n_node_samples[0] <= 40
    assert len(model.conformity_.score) == 200


def test_too_few_rows_for_a_level_are_refused():
    model = ConformalRegressor(RandomForestRegressor(2), cv=2).fit(*numbers(8))
    with pytest.raises(DataError, match=r"level=0\.9 from 8 rows"):
        model.predict_interval(NEW)
    assert model.predict_interval(NEW, 0.8).shape == (40, 2)


@pytest.mark.slow
def test_sparse_matrices_give_the_results_of_arrays():
    X, y = numbers(60)
    X = np.where(X > 0.3, X, 0.0)
    dense, stored = (ConformalRegressor(Ridge(), cv=3).fit(rows, y) for rows in (X, csr_array(X)))
    np.testing.assert_allclose(stored.predict_interval(csr_array(X)), dense.predict_interval(X), rtol=1e-6)
    assert stored.share_of_training_rows(csr_array(X)) == 1.0
    assert stored.scale_model_ is None  # a forest takes no sparse matrix


@pytest.mark.slow
def test_intervals_of_new_groups_cover():
    """Rows of a group share an error: new groups are covered at the level, on average over 40 samples."""
    covered = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        group = np.arange(400) // 5  # 80 groups; the last 40 are new
        X = rng.normal(size=(400, 2))
        y = X[:, 0] + 2 * rng.normal(size=80)[group] + rng.normal(size=400)
        model = ConformalRegressor(Ridge(), cv=4, method="cv", scaled=False).fit(X[:200], y[:200], groups=group[:200])
        low, high = model.predict_interval(X[200:]).T
        covered.append(((low <= y[200:]) & (y[200:] <= high)).mean())
    assert np.mean(covered) == pytest.approx(0.905, abs=0.03)


@pytest.mark.slow
def test_intervals_of_wide_least_squares_are_as_wide_as_needed():
    """Without a fifth of 40 rows, 28 columns leave 4 for the errors: intervals were twice as wide as needed."""
    held, width = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        rows, slopes = rng.normal(size=(1040, 28)), rng.normal(size=28)
        y = rows @ slopes + rng.normal(size=1040)
        model = ConformalRegressor(LinearRegression()).fit(rows[:40], y[:40])
        low, high = model.predict_interval(rows[40:], 0.9).T
        held.append(np.mean((low <= y[40:]) & (y[40:] <= high)))
        needed = 2 * np.quantile(np.abs(y[40:] - model.predict(rows[40:])), 0.9)
        width.append(np.mean(high - low) / needed)
    assert len(model.models_) == 20
    assert 0.85 < np.mean(held) < 0.95
    assert np.mean(width) < 1.4
    assert len(ConformalRegressor(LinearRegression()).fit(rows[:32], y[:32]).models_) == 5
