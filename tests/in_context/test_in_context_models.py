"""The in-context models: which rows, columns and classes they use, what they predict, and what they refuse."""

import numpy as np
import pytest

import probus
from probus.data import Table
from probus.datasets import mtcars, penguins
from probus.errors import DataError, ModelFileError
from probus.in_context import InContextClassifier, InContextRegressor, _in_context
from probus.in_context._cell_encoding import CellEncoding


def classifier(**settings):
    return InContextClassifier(**{"n_members": 1, "random_state": 0, **settings})


def regressor(**settings):
    return InContextRegressor(**{"n_members": 1, "random_state": 0, **settings})


@pytest.fixture
def random():
    return np.random.default_rng(0)


# -- predictions -----------------------------------------------------------------------------------------------


def test_a_smooth_border_is_found(random):
    X = random.normal(size=(260, 2))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] ** 2 > 0.5, "yes", "no")
    assert classifier().fit(X[:160], y[:160]).score(X[160:], y[160:]) > 0.93


def test_numbers_and_their_quantiles_follow_the_distribution(random):
    X = random.normal(size=(500, 2))
    y = 3.0 * X[:, 0] + np.abs(X[:, 1]) * random.normal(size=500)
    model = regressor().fit(X[:250], y[:250])
    assert model.score(X[250:], y[250:]) > 0.8  # of 0.9, which noise leaves
    low, high = model.predict_interval(X[250:], level=0.8).T
    assert 0.7 < np.mean((low <= y[250:]) & (y[250:] <= high)) < 0.9
    wide = np.abs(X[250:, 1]) > 1.0
    assert np.mean((high - low)[wide]) > 1.5 * np.mean((high - low)[np.abs(X[250:, 1]) < 0.3])


def test_quantiles_do_not_cross_and_meet_at_the_ends(random):
    X = random.normal(size=(60, 2))
    model = regressor(quantiles=[0.001, 0.1, 0.5, 0.9, 0.999]).fit(X, X[:, 0])
    found = model.predict_quantiles(X)
    assert (np.diff(found, axis=1) >= 0).all()
    assert np.array_equal(found[:, 0], model.predict_quantiles(X, [1 / 128])[:, 0])
    np.testing.assert_allclose(model.predict_interval(X, 0.8), found[:, [1, 3]])


@pytest.mark.parametrize("factor", [1e-200, 1e150])
def test_units_do_not_matter(random, factor):
    X = random.normal(size=(50, 2))
    plain, scaled = regressor().fit(X, X[:, 0]), regressor().fit(factor * X, factor * X[:, 0])
    np.testing.assert_allclose(scaled.predict(factor * X) / factor, plain.predict(X), rtol=1e-4, atol=1e-4)


def test_columns_far_from_zero_keep_their_digits(random):
    X = random.normal(size=(80, 1))
    assert classifier().fit(X + 1e9, X[:, 0] > 0).score(X + 1e9, X[:, 0] > 0) > 0.97


def test_members_are_averaged(random):
    X, new = random.normal(size=(2, 40, 2))
    y = X[:, 0] > 0
    both = classifier(n_members=2).fit(X, y)
    first = classifier(n_members=2).fit(X, y)
    first.members_ = first.members_[:1]
    second = classifier(n_members=2).fit(X, y)
    second.members_ = second.members_[1:]
    mean = (first.predict_proba(new) + second.predict_proba(new)) / 2
    np.testing.assert_allclose(both.predict_proba(new), mean, rtol=1e-12)
    assert not np.allclose(first.predict_proba(new), second.predict_proba(new), atol=1e-4)


def test_training_sides_that_are_not_kept_give_the_same(random, monkeypatch):
    X = random.normal(size=(40, 2))
    kept = classifier(n_members=3).fit(X, X[:, 0] > 0)
    monkeypatch.setattr(_in_context, "_KEPT", 0)
    computed = classifier(n_members=3).fit(X, X[:, 0] > 0)
    assert [each is None for each in computed._kept_passes()] == [False, True, True]
    assert np.array_equal(kept.predict_proba(X), computed.predict_proba(X))


# -- rows, columns and classes that are chosen -----------------------------------------------------------------


def test_more_rows_than_the_context_are_divided_among_members_with_all_classes(random):
    X, y = random.normal(size=(400, 2)), np.repeat([0, 1], [380, 20])
    model = classifier(n_members=3, context_size=60).fit(X, y)
    rows = [plans[0].rows for plans in model.members_]
    assert [len(each) for each in rows] == [60, 60, 60]
    assert [int(model.targets_[each].sum()) for each in rows] == [3, 3, 3]  # 5 % of each
    assert len(np.unique(np.concatenate(rows))) > 120
    assert len(model.cells_) <= 181


def test_of_many_columns_those_related_to_the_target_are_used(random):
    X = random.normal(size=(120, 80))
    levels = random.integers(0, 3, 120)
    table = Table.of({**{f"x{i}": X[:, i] for i in range(80)}, "level": np.array(["u", "v", "w"])[levels]})
    y = X[:, 17] + X[:, 40] ** 2 + 2.0 * (levels == 1) + 0.1 * random.normal(size=120)
    encoding = regressor(max_columns=6).fit(table, y).encoding_
    assert len(encoding.columns) == 6
    assert {17, 40, 80} <= {*encoding.columns.tolist()}


def test_columns_without_information_are_left_out():
    X = np.column_stack([np.ones(20), np.arange(20.0), np.full(20, np.nan), np.where(np.arange(20) % 3, 1.0, np.nan)])
    assert classifier().fit(X, np.arange(20) > 9).encoding_.columns.tolist() == [1, 3]
    alone = classifier().fit(X[:, :1], np.arange(20) > 4)
    np.testing.assert_allclose(alone.predict_proba([[1.0]])[:, 1], 0.75, atol=0.1)


@pytest.mark.parametrize("n_classes", [12, 101])
def test_more_than_ten_classes_are_divided_into_groups(random, n_classes):
    y = np.arange(5 * n_classes) % n_classes
    X = np.column_stack([y % 10, y // 10]) + 0.05 * random.normal(size=(len(y), 2))
    model = classifier().fit(X, y)
    found = model.predict_proba(X[:40])
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert found.shape[1] == n_classes
    assert np.mean(model.predict(X[:40]) == y[:40]) > 0.5
    assert max(len(plan.groups) for plan in model.members_[0]) <= 10


def test_fractional_weights_draw_rows_by_their_share(random):
    X, y = random.normal(size=(100, 1)), np.arange(100) % 2
    weight = np.where(y == 1, 3.0, 1.0) * 0.3
    model = classifier().fit(X, y, sample_weight=weight)
    assert abs(model.targets_.mean() - 0.75) < 0.08
    even = classifier().fit(X, y, sample_weight=np.full(100, 0.3))
    assert np.array_equal(even.predict_proba(X[:5]), classifier().fit(X, y).predict_proba(X[:5]))


def test_relation_of_a_column_is_its_share_of_the_variance(random):
    y = random.normal(size=(3000, 1))
    table = Table.of({"exact": y[:, 0], "half": y[:, 0] + random.normal(size=3000), "none": random.normal(size=3000)})
    assert CellEncoding.fitted_to(table, y, 1).columns.tolist() == [0]
    assert CellEncoding.fitted_to(table, y, 2).columns.tolist() == [0, 1]


# -- typed tables ----------------------------------------------------------------------------------------------


def test_levels_missing_values_and_unknown_levels_need_no_preparation():
    birds = penguins()
    X, y = birds.drop("species"), birds["species"]
    model = classifier(n_members=2).fit(X.take(range(0, 344, 5)), y.take(range(0, 344, 5)))
    assert model.score(X.take(range(1, 344, 5)), y.take(range(1, 344, 5))) > 0.95
    row = {name: [None] for name in X.names} | {"island": ["Atlantis"]}
    with pytest.warns(probus.data.UnseenLevelWarning, match="Atlantis"):
        unknown = model.predict_proba(Table.of(row).with_columns())
    assert np.isclose(unknown.sum(), 1.0)


def test_texts_and_dates_are_prepared_by_tabular(random):
    words = np.array(["late delivery and broken box", "arrived quickly and works well"])
    label = random.integers(0, 2, 60)
    table = Table.of({"review": words[label], "when": [f"2026-01-{1 + i % 28:02d}" for i in range(60)]})
    model = probus.tabular(classifier()).fit(table, label)
    assert model.score(table, label) > 0.95


# -- bad input -------------------------------------------------------------------------------------------------


def test_one_class_has_probability_one():
    model = classifier().fit(np.ones((4, 1)), ["a"] * 4)
    assert model.predict_proba([[1.0], [2.0]]).tolist() == [[1.0], [1.0]]
    assert model.predict([[3.0]]).tolist() == ["a"]


def test_one_row_predicts_its_number():
    np.testing.assert_allclose(regressor().fit([[1.0]], [3.5]).predict([[0.0], [9.0]]), 3.5, atol=1e-3)


@pytest.mark.parametrize("wrong", [[0.0, 0.5], [], ["a"], [[0.5]]])
def test_quantiles_outside_of_0_and_1_are_refused(wrong):
    with pytest.raises(DataError, match=r"(?s)quantiles=.*numbers between 0 and 1.*quantiles=\[0.1, 0.9\]"):
        regressor(quantiles=wrong).fit(np.arange(9.0)[:, None], np.arange(9.0))


@pytest.mark.parametrize("level", [0.0, 0.99, True])
def test_levels_that_64_quantiles_do_not_have_are_refused(level):
    model = regressor().fit(np.arange(9.0)[:, None], np.arange(9.0))
    with pytest.raises(DataError, match=r"(?s)level=.*at most 126/128.*ConformalRegressor"):
        model.predict_interval([[1.0]], level)


def test_infinite_values_and_missing_targets_are_refused():
    X = np.arange(6.0)[:, None]
    with pytest.raises(DataError, match="does not accept infinite values"):
        classifier().fit(np.where(X == 3, np.inf, X), [0, 1] * 3)
    with pytest.raises(DataError, match="a label for every row"):
        classifier().fit(X, [0, 1, np.nan] * 2)
    with pytest.raises(ValueError, match="Input y contains NaN"):
        regressor().fit(X, [0, 1, np.nan] * 2)


def test_a_long_prediction_is_announced(random, monkeypatch):
    X = random.normal(size=(40, 1))
    model = classifier().fit(X, X[:, 0] > 0)
    monkeypatch.setattr(_in_context, "_AT_ONCE", 16)
    plain = model.predict_proba(X)
    monkeypatch.setattr(_in_context, "_LONG", 0.0)
    with pytest.warns(UserWarning, match="takes about 1 more minutes to predict 40 rows. probus.distil"):
        assert np.array_equal(model.predict_proba(X), plain)


# -- files -----------------------------------------------------------------------------------------------------


def test_a_file_has_the_rows_and_not_the_weights(tmp_path):
    cars = mtcars()
    X, y = cars.drop("mpg", "name"), cars["mpg"]
    model = regressor(n_members=2).fit(X, y)
    path = probus.save(model, tmp_path / "cars.probus")
    assert path.stat().st_size < 30_000
    assert np.array_equal(probus.load(path).predict_quantiles(X), model.predict_quantiles(X))


def test_a_file_of_other_weights_is_refused(tmp_path):
    model = regressor().fit(np.arange(9.0)[:, None], np.arange(9.0))
    model.weights_sha256_ = "0" * 64
    path = probus.save(model, tmp_path / "old.probus")
    with pytest.raises(ModelFileError, match=r"(?s)fitted with other weights.*the version of probus that saved it"):
        probus.load(path)


@pytest.mark.parametrize("number", [1e300, -1e11, np.nan, np.inf])
def test_targets_that_no_fit_stores_are_refused(number):
    model = regressor(n_members=2).fit(np.arange(30.0)[:, None], np.arange(30.0))
    model.check_fitted_state()
    model.targets_[0] = number
    with pytest.raises(ModelFileError, match="targets that are not standardised"):
        model.check_fitted_state()


# -- with the rest of the package ------------------------------------------------------------------------------


@pytest.mark.slow
def test_conformal_calibrated_explained_and_distilled(random):
    X = random.normal(size=(150, 3))
    table = Table.of({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]})
    y = X[:, 0] + 0.3 * random.normal(size=150)
    conformal = probus.calibration.ConformalRegressor(regressor(), cv=3).fit(table, y)
    assert conformal.predict_interval(table.take([0]), level=0.9).shape == (1, 2)
    small = regressor().fit(table, y)
    fast = probus.distil(small, table, y, into="boosting", cv=3)
    assert fast.fidelity.value > 0.8
    reasons = probus.explain(small, table.take(range(3)), background=table.take(range(20)))
    strongest = reasons.to_frame()
    assert len(strongest)
    sets = probus.calibration.ConformalClassifier(classifier(), cv=3).fit(table, y > 0)
    assert sets.predict_proba(table).shape == (150, 2)
