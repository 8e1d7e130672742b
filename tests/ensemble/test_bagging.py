"""Bagging against the single model, an explicit loop over members, and what must be refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.metrics import r2_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import probus
from probus import Column, DataError, Table
from probus.base import Accepts
from probus.datasets import iris, penguins
from probus.ensemble import BaggingClassifier, BaggingRegressor
from probus.naive_bayes import GaussianNB, NaiveBayes
from probus.neighbors import KNeighborsRegressor as Near
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor

X, Y = np.random.default_rng(0).normal(size=(80, 4)), np.arange(80) % 3
NUMBERS = X[:, 0] * 2 + X[:, 1] ** 2


class NoWeights(DecisionTreeClassifier):
    """A tree that takes no weights."""

    accepts = Accepts()

    def fit(self, X, y):
        return super().fit(X, y)


class NeedsTwoClasses(ClassifierMixin, BaseEstimator):
    """Refuses rows of one class, as many linear models do, and takes no weights."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError("needs samples of at least 2 classes")
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[-1])


@pytest.mark.parametrize("model", [DecisionTreeClassifier(max_depth=3), LogisticRegression(), KNeighborsClassifier()])
def test_one_whole_sample_without_replacement_is_the_model(model):
    alone = BaggingClassifier(model, 1, bootstrap=False).fit(X, Y)
    np.testing.assert_array_equal(alone.predict_proba(X), model.fit(X, Y).predict_proba(X))


def test_without_replacement_weights_reach_the_members():
    w = np.random.default_rng(1).integers(0, 3, 80).astype(float)
    bagged = BaggingRegressor(DecisionTreeRegressor(max_depth=2), 1, bootstrap=False).fit(X, NUMBERS, w)
    alone = DecisionTreeRegressor(max_depth=2).fit(X, NUMBERS, w)
    np.testing.assert_array_equal(bagged.predict(X), alone.predict(X))


@pytest.mark.parametrize("takes_weights", [True, False])
def test_predictions_equal_an_explicit_loop(takes_weights):
    tree = DecisionTreeClassifier() if takes_weights else NoWeights()
    bagged = BaggingClassifier(tree, 5, max_features=0.6, max_samples=0.7, random_state=3).fit(X, Y)
    total = np.zeros((80, 3))
    for member, rows, columns in zip(
        bagged.estimators_, bagged.estimators_samples_, bagged.estimators_features_, strict=True
    ):
        assert len(rows) == 56
        assert len(columns) == 2
        again = DecisionTreeClassifier(random_state=member.random_state).fit(X[rows][:, columns], Y[rows])
        total += again.predict_proba(X[:, columns])
    np.testing.assert_allclose(bagged.predict_proba(X), total / 5)
    np.testing.assert_array_equal(bagged.predict(X), total.argmax(axis=1))


def test_out_of_bag_chances_and_curve_equal_an_explicit_loop():
    bagged = BaggingClassifier(n_estimators=12, oob_score=True, random_state=0).fit(X, Y)
    errors = []
    for size in range(1, 13):
        chances = np.zeros((80, 3))
        for member, rows in zip(bagged.estimators_[:size], bagged.estimators_samples_[:size], strict=True):
            outside = np.setdiff1d(np.arange(80), rows)
            chances[outside] += member.predict_proba(X[outside])
        there = chances.sum(axis=1) > 0
        errors.append(np.mean(chances[there].argmax(axis=1) != Y[there]))
    np.testing.assert_allclose(bagged.oob_curve_, errors)
    assert bagged.oob_score_ == pytest.approx(1 - errors[-1])
    np.testing.assert_allclose(bagged.oob_decision_function_[there], (chances / chances.sum(axis=1)[:, None])[there])


def test_out_of_bag_numbers_and_curve_equal_an_explicit_loop():
    bagged = BaggingRegressor(n_estimators=25, oob_score=True, random_state=0).fit(X, NUMBERS)
    sums, times, errors = np.zeros(80), np.zeros(80), []
    for member, rows in zip(bagged.estimators_, bagged.estimators_samples_, strict=True):
        outside = np.setdiff1d(np.arange(80), rows)
        sums[outside] += member.predict(X[outside])
        times[outside] += 1
        errors.append(np.mean((sums / np.maximum(times, 1) - NUMBERS)[times > 0] ** 2))
    np.testing.assert_allclose(bagged.oob_curve_, errors)
    np.testing.assert_allclose(bagged.oob_prediction_, sums / times)
    assert bagged.oob_score_ == pytest.approx(1 - errors[-1] / NUMBERS.var())


def test_rows_that_all_members_saw_have_no_out_of_bag_answer():
    with pytest.warns(UserWarning, match="rows are in the sample of every member"):
        bagged = BaggingRegressor(n_estimators=1, oob_score=True, random_state=0).fit(X, NUMBERS)
    shown = np.isin(np.arange(80), bagged.estimators_samples_[0])
    np.testing.assert_array_equal(np.isnan(bagged.oob_prediction_), shown)


@given(st.integers(0, 1000))
def test_draws_do_not_depend_on_the_order_of_rows(seed):
    order = np.random.default_rng(seed).permutation(80)
    one = BaggingRegressor(n_estimators=2, random_state=seed).fit(X, NUMBERS)
    other = BaggingRegressor(n_estimators=2, random_state=seed).fit(X[order], NUMBERS[order])
    for mine, theirs in zip(one.estimators_samples_, other.estimators_samples_, strict=True):
        np.testing.assert_array_equal(np.sort(mine), np.sort(order[theirs]))


def test_rows_are_drawn_as_often_as_they_weigh():
    w = np.where(np.arange(80) < 3, 1.0, 0.0)
    w[0] = 2.5
    bagged = BaggingRegressor(n_estimators=4, max_samples=500, random_state=0).fit(X, NUMBERS, w)
    share = np.bincount(np.concatenate(bagged.estimators_samples_), minlength=80) / 2000
    np.testing.assert_allclose(share, w / w.sum(), atol=0.04)


def test_a_warm_start_adds_the_members_that_a_whole_fit_would_have():
    whole = BaggingClassifier(n_estimators=6, random_state=1).fit(X, Y)
    warm = BaggingClassifier(n_estimators=2, random_state=1, warm_start=True).fit(X, Y)
    first = warm.estimators_[0]
    warm.set_params(n_estimators=6).fit(X, Y)
    assert warm.estimators_[0] is first
    np.testing.assert_array_equal(warm.predict_proba(X), whole.predict_proba(X))
    with pytest.raises(DataError, match="n_estimators=3 must be larger or equal"):
        warm.set_params(n_estimators=3).fit(X, Y)


def test_a_bag_is_a_sequence_of_its_members():
    bagged = BaggingRegressor(n_estimators=3).fit(X, NUMBERS)
    assert len(bagged) == 3
    assert list(bagged) == bagged.estimators_
    assert bagged[1] is bagged.estimators_[1]


def test_all_steps_of_a_pipeline_see_the_rows_as_often_as_they_were_drawn():
    scaled = make_pipeline(StandardScaler(), LogisticRegression())
    bagged = BaggingClassifier(scaled, 3, random_state=0).fit(X, Y)
    for member, rows in zip(bagged.estimators_, bagged.estimators_samples_, strict=True):
        np.testing.assert_allclose(member[0].mean_, X[rows].mean(axis=0))


def test_logarithms_of_chances_do_not_underflow():
    rows, labels = np.array([[0.0], [1.0], [0.0], [1.0]]), [0, 1, 0, 1]
    bagged = BaggingClassifier(GaussianNB(), 3, bootstrap=False).fit(rows, labels)
    logs = bagged.predict_log_proba([[9.0]])
    assert bagged.predict_proba([[9.0]])[0, 0] == 0.0
    np.testing.assert_allclose(logs, GaussianNB().fit(rows, labels).predict_log_proba([[9.0]]), atol=1e-12)


def test_logarithms_of_votes_are_those_of_their_shares():
    bagged = BaggingClassifier(Perceptron(), 5, random_state=0).fit(X, Y)
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(bagged.predict_log_proba(X), np.log(bagged.predict_proba(X)))


def test_a_small_share_of_small_weights_is_one_row_and_a_warning():
    told = r"max_samples=0.5 when the total sum of sample weights is 1 results in a low number \(1\)"
    with pytest.warns(UserWarning, match=told):
        bagged = BaggingRegressor(max_samples=0.5).fit(X, NUMBERS, np.full(80, 1 / 80))
    assert {len(rows) for rows in bagged.estimators_samples_} == {1}


# -- several columns to predict ------------------------------------------------------------------------

BOTH = np.column_stack([NUMBERS, X[:, 2]])


def test_columns_of_a_target_are_predicted_by_models_that_take_them():
    bagged = BaggingRegressor(Near(3), 5, max_samples=0.8, random_state=0).fit(X, BOTH)
    each = [Near(3).fit(X[rows], BOTH[rows]).predict(X) for rows in bagged.estimators_samples_]
    np.testing.assert_allclose(bagged.predict(X), np.mean(each, axis=0))


def test_out_of_bag_predictions_of_columns_equal_an_explicit_loop():
    both = BaggingRegressor(Near(1), 25, random_state=0, oob_score=True).fit(X, BOTH)
    sums, times = np.zeros((80, 2)), np.zeros(80)
    for member, rows in zip(both.estimators_, both.estimators_samples_, strict=True):
        outside = np.setdiff1d(np.arange(80), rows)
        sums[outside] += member.predict(X[outside])
        times[outside] += 1
    there = times > 0
    np.testing.assert_allclose(both.oob_prediction_[there], sums[there] / times[there, None])
    np.testing.assert_allclose(both.oob_score_, r2_score(BOTH[there], both.oob_prediction_[there]))
    last = np.mean((both.oob_prediction_[there] - BOTH[there]) ** 2)
    assert both.oob_curve_[-1] == pytest.approx(last)


def test_draws_for_columns_do_not_depend_on_the_order_of_rows():
    back = np.arange(80)[::-1]
    one = BaggingRegressor(Near(1), 2, random_state=0).fit(X, BOTH)
    other = BaggingRegressor(Near(1), 2, random_state=0).fit(X[back], BOTH[back])
    for mine, theirs in zip(one.estimators_samples_, other.estimators_samples_, strict=True):
        np.testing.assert_array_equal(np.sort(mine), np.sort(back[theirs]))


def test_a_saved_bag_predicts_its_columns(tmp_path):
    model = BaggingRegressor(Near(2), 12, random_state=0, oob_score=True).fit(X, BOTH)
    back = probus.load(probus.save(model, tmp_path / "m.probus"))
    np.testing.assert_array_equal(back.predict(X), model.predict(X))
    np.testing.assert_array_equal(back.oob_prediction_, model.oob_prediction_)


def test_trees_predict_several_columns_one_by_one():
    with pytest.raises(DataError, match=r"y has 2 columns(.|\n)*MultiOutputRegressor\(DecisionTreeRegressor\(\)\)"):
        BaggingRegressor().fit(X, BOTH)
    several = BaggingRegressor(MultiOutputRegressor(DecisionTreeRegressor(max_depth=2)), 3, random_state=0).fit(X, BOTH)
    assert several.predict(X).shape == (80, 2)


def test_columns_of_another_length_are_refused():
    with pytest.raises(DataError, match="X has 80 rows and y has 79"):
        BaggingRegressor(Near(2)).fit(X, BOTH[:-1])


# -- tables --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["to_pandas", "to_polars", "to_arrow"])
def test_frames_keep_their_kinds(form):
    table = penguins()
    rows, y = table.drop("species"), table["species"]
    model = BaggingClassifier(n_estimators=3, max_features=0.5, random_state=0).fit(rows, y)
    frame = getattr(rows, form)()
    again = BaggingClassifier(n_estimators=3, max_features=0.5, random_state=0).fit(frame, y)
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(rows))
    kinds = {field.name: field.kind for member in model.estimators_ for field in member.schema_}
    assert kinds == rows.kinds


def test_columns_of_a_table_may_come_twice():
    rows, y = penguins().drop("species"), penguins()["species"]
    model = BaggingClassifier(n_estimators=4, bootstrap_features=True, random_state=0).fit(rows, y)
    assert any(len(set(columns)) < len(columns) for columns in model.estimators_features_)
    assert np.mean(model.predict(rows) == y.decoded()) > 0.9
    frame = iris().drop("species").to_pandas()
    BaggingClassifier(LogisticRegression(), 2, bootstrap_features=True).fit(frame, iris()["species"]).predict(frame)


def test_a_pipeline_that_prepares_tables_is_a_member_like_others():
    rows, y = penguins().drop("species"), penguins()["species"]
    model = BaggingClassifier(probus.tabular(LogisticRegression()), 3, random_state=0)
    assert model.accepts.nominal
    assert model.accepts.missing
    assert model.fit(rows, y).score(rows, y.decoded()) > 0.95


# -- classes that a draw does not hold -----------------------------------------------------------------


def rare():
    """Twenty rows of which two are of the class "b"."""
    labels = np.array(["a"] * 9 + ["b"] * 2 + ["c"] * 9)
    return np.random.default_rng(0).normal(size=(20, 2)) + (labels == "c")[:, None] * 3, labels


@pytest.mark.parametrize("model", [DecisionTreeClassifier(), NoWeights(), NaiveBayes(), LogisticRegression()])
def test_chances_of_members_without_a_class_are_put_where_they_belong(model):
    rows, labels = rare()
    bagged = BaggingClassifier(model, 12, max_samples=8, random_state=0, oob_score=True).fit(rows, labels)
    assert {len(member.classes_) for member in bagged.estimators_} == {2, 3}
    chances = bagged.predict_proba(rows)
    expected = np.zeros((20, 3))
    for member in bagged.estimators_:
        for column, place in enumerate(member.classes_):
            expected[:, place] += member.predict_proba(rows)[:, column] / 12
    np.testing.assert_allclose(chances, expected)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert set(bagged.predict(rows[:9])) <= {"a", "b"}


def test_decision_functions_without_a_class_are_not_averaged():
    rows, labels = rare()
    bagged = BaggingClassifier(LogisticRegression(), 12, max_samples=8, random_state=0).fit(rows, labels)
    with pytest.raises(DataError, match=r"LogisticRegression was fitted on 2 of 3 classes(.|\n)*Use predict_proba"):
        bagged.decision_function(rows)


def test_draws_of_fewer_rows_than_classes_deserve_a_warning():
    with pytest.warns(UserWarning, match=r"max_samples=2 draws 2 of 80 rows: too few to contain all 3 classes"):
        BaggingClassifier(max_samples=2).fit(X, Y)


def test_a_model_that_refuses_one_class_is_shown_the_other_rows_at_no_weight():
    rows, labels = np.arange(8.0)[:, None], np.array([1, 0, 0, 0, 0, 0, 0, 0])
    bagged = BaggingClassifier(LogisticRegression(), 20, random_state=0).fit(rows, labels)
    held = [set(labels[mine]) for mine in bagged.estimators_samples_]
    assert {0} in held
    assert all(member.classes_.tolist() == [0, 1] for member in bagged.estimators_)
    lonely = bagged.estimators_[held.index({0})]
    assert (lonely.predict(rows) == 0).all()


def test_a_model_that_refuses_a_draw_of_one_class_is_told_why():
    rows, labels = rare()
    with pytest.raises(
        DataError, match=r"a draw of 3 rows contains 1 of 3 classes, which NeedsTwoClasses does not take"
    ):
        BaggingClassifier(NeedsTwoClasses(), 50, max_samples=3, random_state=0).fit(rows, labels)


def test_other_refusals_of_members_come_through():
    with pytest.raises(ValueError, match="NaN"):
        BaggingClassifier(LogisticRegression()).fit(np.where(X > 1, np.nan, X), Y)


# -- what makes no sense -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"bootstrap": False, "oob_score": True}, "only available if bootstrap=True"),
        ({"warm_start": True, "oob_score": True}, "only available if warm_start=False"),
        ({"max_features": 5}, "max_features must be <= n_features; it is 5 of 4 columns"),
        ({"max_samples": 81, "bootstrap": False}, "max_samples=81 must be <= n_samples=80"),
    ],
)
def test_choices_that_make_no_sense_are_refused(params, told):
    with pytest.raises(DataError, match=told):
        BaggingClassifier(**params).fit(X, Y)


def test_weights_without_replacement_need_members_that_take_them():
    with pytest.raises(DataError, match="KNeighborsClassifier does not support sample weights"):
        BaggingClassifier(KNeighborsClassifier(), bootstrap=False).fit(X, Y, np.ones(80))


def test_a_saved_bag_answers_and_still_knows_its_draws(tmp_path):
    table = Table([*(Column.numbers(f"c{j}", X[:, j]) for j in range(4)), Column.labels("k", (Y % 2).astype(str))])
    model = BaggingClassifier(n_estimators=3, oob_score=True, max_features=3, random_state=0).fit(table, Y)
    back = probus.load(probus.save(model, tmp_path / "m.probus"))
    np.testing.assert_array_equal(back.predict_proba(table), model.predict_proba(table))
    np.testing.assert_array_equal(back.oob_curve_, model.oob_curve_)
    for mine, theirs in zip(model.estimators_samples_, back.estimators_samples_, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_a_bag_of_models_that_files_do_not_hold_is_refused_by_name(tmp_path):
    with pytest.raises(probus.ModelFileError, match="KNeighborsClassifier"):
        probus.save(BaggingClassifier(KNeighborsClassifier(), 2).fit(X, Y), tmp_path / "m.probus")
