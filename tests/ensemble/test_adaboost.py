"""AdaBoost: the notes' formulas, scikit-learn's numbers, and what boosting does at its ends."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from sklearn.datasets import load_iris, make_classification, make_friedman1
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import AdaBoostClassifier as SklearnClassifier
from sklearn.ensemble import AdaBoostRegressor as SklearnRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeRegressor as SklearnTree

import probus
from probus import DataError, ModelFileError, Table
from probus.datasets import penguins, titanic
from probus.ensemble import AdaBoostClassifier, AdaBoostRegressor
from probus.ensemble.adaboost._weak_models import is_plain_tree
from probus.ensemble.forest._bags import order_by_content
from probus.naive_bayes import GaussianNB
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor


class FittedInFull(DecisionTreeClassifier):
    """A tree that boosting does not know, and so fits anew in every round."""


class FittedInFullRegressor(DecisionTreeRegressor):
    """The same for numbers."""


# -- the notes' formulas -------------------------------------------------------------------------------

TEN_X = np.array([[0.1, 5.0], [0.4, 1.0], [0.9, 3.3], [1.3, 4.1], [1.9, 0.2], [2.2, 2.9], [2.8, 4.7], [3.1, 0.8],
                  [3.7, 3.9], [4.4, 1.7]])  # fmt: skip
TEN_Y = np.array([-1, 1, -1, 1, 1, 1, -1, 1, -1, -1])


def best_stump(X, y, w):
    """Of all cuts the one of least weighted Gini impurity; each side says what most of its weight is."""

    def side(rows):
        plus = w[rows][y[rows] > 0].sum() / w[rows].sum()
        return w[rows].sum() * 2 * plus * (1 - plus), 1 if plus > 0.5 else -1

    found = []
    for x in X.T:
        for cut in (np.sort(x)[1:] + np.sort(x)[:-1]) / 2:
            (low, left), (high, right) = side(x <= cut), side(x > cut)
            found.append((low + high, np.where(x <= cut, left, right)))
    return min(found, key=lambda one: one[0])[1]


def test_ten_rows_follow_the_notes_step_by_step():
    model = AdaBoostClassifier(n_estimators=4).fit(TEN_X, TEN_Y)
    w, vote = np.ones(10), np.zeros(10)
    for error, weight in zip(model.estimator_errors_, model.estimator_weights_, strict=True):
        said = best_stump(TEN_X, TEN_Y, w)
        epsilon = w[said != TEN_Y].sum() / w.sum()
        alpha = np.log((1 - epsilon) / epsilon)
        np.testing.assert_allclose([error, weight], [epsilon, alpha], rtol=1e-9)
        w = w * np.exp(-0.5 * TEN_Y * alpha * said)
        vote += 0.5 * alpha * said
    np.testing.assert_array_equal(model.predict(TEN_X), np.sign(vote))
    np.testing.assert_allclose(w, np.exp(-TEN_Y * vote))  # the weights are the exponential loss of the vote so far


def test_the_notes_weights_are_ours_but_for_a_factor():
    """exp(-½ y α ŷ) divides right rows and multiplies wrong ones by exp(½ α); we multiply wrong ones by exp(α)."""
    alpha, right = 0.8, np.array([True, False, True])
    notes, ours = np.exp(-0.5 * alpha * np.where(right, 1, -1)), np.where(right, 1.0, np.exp(alpha))
    np.testing.assert_allclose(notes / notes.sum(), ours / ours.sum())


# -- scikit-learn --------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:divide by zero encountered in log")  # scikit-learn's, of weights that are zero
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_classes_have_scikit_learns_weights_errors_and_votes(n_classes, weighted):
    X, y = make_classification(300, 6, n_informative=4, n_redundant=0, n_classes=n_classes, random_state=3)
    weight = np.random.default_rng(0).integers(0, 4, 300) if weighted else None
    ours = AdaBoostClassifier(n_estimators=15, learning_rate=0.7).fit(X, y, weight)
    theirs = SklearnClassifier(n_estimators=15, learning_rate=0.7, random_state=0).fit(X, y, weight)
    np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-7)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-7)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-6)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_numbers_have_scikit_learns_draws_on_rows_that_stand_in_the_order_of_draws(loss):
    X, y = make_friedman1(300, noise=0.5, random_state=1)
    X = X.astype(np.float32).astype(float)  # as scikit-learn's trees see it
    order = order_by_content(X, y)
    X, y = X[order], y[order]
    # two questions deep: in small nodes columns split alike, and scikit-learn leaves it to chance which is taken
    ours = AdaBoostRegressor(DecisionTreeRegressor(max_depth=2), n_estimators=12, loss=loss, random_state=5).fit(X, y)
    theirs = SklearnRegressor(SklearnTree(max_depth=2), n_estimators=12, loss=loss, random_state=5).fit(X, y)
    np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-7)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-7)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-7)


def test_any_classifier_can_be_boosted_as_scikit_learn_does():
    X, y = make_classification(200, 5, flip_y=0.2, random_state=0)
    ours = AdaBoostClassifier(LogisticRegression(), n_estimators=4).fit(X, y)
    theirs = SklearnClassifier(LogisticRegression(), n_estimators=4).fit(X, y)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-5)


# -- properties ----------------------------------------------------------------------------------------


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1))
def test_weights_equal_repetition_for_two_classes_and_numbers(seed):
    rng = np.random.default_rng(seed)
    X, y, times = rng.random((25, 4)), rng.integers(0, 2, 25), rng.integers(0, 4, 25)
    y[:2], times[:2] = [0, 1], 1
    for model in (
        AdaBoostClassifier(n_estimators=4),
        AdaBoostRegressor(n_estimators=4, random_state=0),
        AdaBoostRegressor(n_estimators=4, resample=False),
    ):
        weighted = model.fit(X, y, times.astype(float)).predict(X)
        repeated = model.fit(X.repeat(times, axis=0), y.repeat(times)).predict(X)
        np.testing.assert_allclose(weighted, repeated, rtol=1e-9)


@pytest.mark.parametrize("missing", ["learn", "surrogate"])
@pytest.mark.parametrize("target", ["species", "sex"])
def test_trees_grown_on_columns_coded_once_are_those_that_are_fitted_in_full(missing, target):
    table = penguins()
    table = table.take(~table["sex"].missing)
    X, y = table.drop(target), table[target]
    choice = {"max_depth": 2, "missing": missing, "min_samples_leaf": 3}
    fast = AdaBoostClassifier(DecisionTreeClassifier(**choice), n_estimators=6).fit(X, y)
    slow = AdaBoostClassifier(FittedInFull(**choice), n_estimators=6).fit(X, y)
    assert is_plain_tree(fast.estimators_[0]) > is_plain_tree(slow.estimators_[0])
    np.testing.assert_allclose(fast.estimator_weights_, slow.estimator_weights_, rtol=1e-7)
    np.testing.assert_allclose(fast.predict_proba(X), slow.predict_proba(X), rtol=1e-7)
    for mine, other in zip(fast.estimators_, slow.estimators_, strict=True):
        np.testing.assert_allclose(mine.tree_.impurity, other.tree_.impurity, atol=1e-9)
        np.testing.assert_allclose(mine.predict_proba(X), other.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("resample", [False, True])
def test_trees_of_numbers_are_those_that_are_fitted_in_full(resample):
    X, y = make_friedman1(120, noise=0.5, random_state=0)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 120)
    choice = {"n_estimators": 6, "resample": resample, "random_state": 0}
    fast = AdaBoostRegressor(DecisionTreeRegressor(max_depth=3), **choice).fit(X, y, weight)
    slow = AdaBoostRegressor(FittedInFullRegressor(max_depth=3), **choice).fit(X, y, weight)
    np.testing.assert_allclose(fast.estimator_errors_, slow.estimator_errors_, rtol=1e-7)
    np.testing.assert_allclose(fast.predict(X), slow.predict(X), rtol=1e-7)


def test_stages_are_shorter_boostings():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=5).fit(X, y)
    stages = zip(model.staged_predict(X), model.staged_predict_proba(X), model.staged_score(X, y), strict=True)
    for t, (said, chances, score) in enumerate(stages, 1):
        shorter = AdaBoostClassifier(n_estimators=t).fit(X, y)
        np.testing.assert_array_equal(said, shorter.predict(X))
        np.testing.assert_array_equal(chances, shorter.predict_proba(X))
        assert score == shorter.score(X, y)


def test_stages_of_numbers_are_shorter_boostings():
    X, y = make_friedman1(80, random_state=0)
    model = AdaBoostRegressor(n_estimators=5, random_state=0).fit(X, y)
    for t, (said, score) in enumerate(zip(model.staged_predict(X), model.staged_score(X, y), strict=True), 1):
        shorter = AdaBoostRegressor(n_estimators=t, random_state=0).fit(X, y)
        np.testing.assert_array_equal(said, shorter.predict(X))
        assert score == shorter.score(X, y)


def test_the_answer_of_numbers_is_the_weighted_median():
    X, y = make_friedman1(60, random_state=0)
    model = AdaBoostRegressor(n_estimators=7, random_state=0).fit(X, y)
    weights = model.estimator_weights_
    for row, said in zip(X[:5], model.predict(X[:5]), strict=True):
        answers = np.array([member.predict(row[None])[0] for member in model.estimators_])
        below, upto = weights[answers < said].sum(), weights[answers <= said].sum()
        assert below < weights.sum() / 2 <= upto


# -- the ends of boosting ------------------------------------------------------------------------------


def test_a_model_without_error_ends_boosting_and_counts_one():
    model = AdaBoostClassifier(n_estimators=9).fit([[0.0], [1.0], [5.0], [6.0]], ["a", "a", "b", "b"])
    assert len(model.estimators_) == len(model.history_) == 1
    assert model.estimator_weights_.tolist() == [1.0] + 8 * [0.0]
    assert model.estimator_errors_.tolist() == [0.0] + 8 * [1.0]
    exact = AdaBoostRegressor(resample=False, n_estimators=9).fit([[0.0], [1.0]], [0.0, 3.0])
    assert exact.history_.weights.tolist() == [1.0]


def test_a_first_model_that_only_guesses_is_an_error_for_classes():
    with pytest.raises(
        DataError, match=r"worse than random, ensemble can not be fit: DummyClassifier has a weighted error of 0.500"
    ):
        AdaBoostClassifier(DummyClassifier()).fit(np.zeros((4, 1)), [0, 0, 1, 1])


def test_a_later_model_that_only_guesses_is_left_out():
    X, y = (
        np.array([[0.0], [1.0], [2.0]]),
        np.array([0, 1, 0]),
    )
    model = AdaBoostClassifier(DummyClassifier(strategy="most_frequent"), n_estimators=5).fit(X, y)
    assert len(model.estimators_) == 1
    assert model.history_.errors[0] == pytest.approx(1 / 3)


def test_a_first_regressor_that_only_guesses_is_kept_without_weight():
    y = np.array([0.0, 0.0, 0.0, 10.0])
    model = AdaBoostRegressor(DummyRegressor(strategy="constant", constant=11.0), n_estimators=3).fit(
        np.zeros((4, 1)), y
    )
    assert model.estimator_weights_.tolist() == [0.0, 0.0, 0.0]
    assert model.predict([[0.0]]).tolist() == [11.0]


def test_weights_that_overflow_end_boosting_with_a_warning():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(UserWarning, match="Sample weights have reached infinite values"):
        AdaBoostClassifier(n_estimators=30, learning_rate=400.0).fit(X, y)


def test_one_class_is_predicted():
    model = AdaBoostClassifier().fit([[0.0], [1.0]], ["yes", "yes"])
    assert model.predict([[9.0]]).tolist() == ["yes"]
    assert model.predict_proba([[9.0]]).tolist() == [[1.0]]


# -- what can be boosted -------------------------------------------------------------------------------


def test_a_table_with_levels_and_missing_values_goes_to_models_that_take_them():
    people = titanic()
    X, y = people[["Sex", "Age", "Pclass", "Embarked"]], people["Survived"]
    assert AdaBoostClassifier().accepts.nominal
    assert AdaBoostClassifier().accepts.missing
    assert not AdaBoostClassifier(GaussianNB()).accepts.nominal
    assert AdaBoostClassifier().fit(X, y).score(X, y.decoded()) > 0.8
    with pytest.raises(DataError, match=r"AdaBoostClassifier does not accept columns that are not numeric: 'Sex'"):
        AdaBoostClassifier(GaussianNB()).fit(X, y)


def test_an_ensemble_is_a_sequence_of_its_members():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    assert len(model) == 3
    assert list(model) == model.estimators_
    assert model[1] is model.estimators_[1]


def test_members_can_be_asked_by_themselves():
    people = titanic()
    X, y = people[["Sex", "Age"]], people["Survived"]
    first = AdaBoostClassifier(n_estimators=3).fit(X, y).estimators_[0]
    alone = DecisionTreeClassifier(max_depth=1).fit(X, y)
    np.testing.assert_array_equal(first.predict(X), alone.predict(X))


def test_arrays_of_more_dimensions_and_texts_reach_models_that_take_them():
    images, y = np.random.default_rng(0).normal(size=(40, 3, 4)), np.arange(40.0)
    flat = make_pipeline(FunctionTransformer(lambda X: X.reshape(len(X), -1)), KNeighborsRegressor(3))
    deep, wide = AdaBoostRegressor(flat, n_estimators=3, random_state=0), AdaBoostRegressor(flat[1], n_estimators=3)
    expected = wide.set_params(random_state=0).fit(images.reshape(40, 12), y).predict(images.reshape(40, 12))
    np.testing.assert_array_equal(deep.fit(images, y).predict(images), expected)
    stupid = AdaBoostClassifier(DummyClassifier(strategy="most_frequent")).fit(images, y > 10)
    assert stupid.predict_proba(images).shape == (40, 2)
    read = make_pipeline(CountVectorizer(), KNeighborsRegressor(1))
    assert AdaBoostRegressor(read, random_state=0).fit(["one", "two"], [1.0, 2.0]).predict(["two"]).shape == (1,)


def test_classifiers_must_take_weights_and_regressors_need_not():
    X, y = make_friedman1(60, random_state=0)
    with pytest.raises(DataError, match=r"KNeighborsClassifier doesn't support sample_weight.\n.*BaggingClassifier"):
        AdaBoostClassifier(KNeighborsClassifier()).fit(X, y > y.mean())
    model = AdaBoostRegressor(KNeighborsRegressor(2), n_estimators=3, resample=False, random_state=0).fit(X, y)
    assert len(model.estimators_) == 3
    with pytest.raises(AttributeError, match="KNeighborsRegressor has no feature_importances_"):
        model.feature_importances_


def test_draws_tell_rows_of_tables_apart():
    table = Table.of({"size": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "sort": list("ababab")})
    y = np.array([1.0, 1.0, 2.0, 2.0, 3.0, 4.0])
    pruned = DecisionTreeRegressor(max_depth=2, ccp_alpha=1e-9)
    model = AdaBoostRegressor(pruned, n_estimators=4, random_state=0)
    back = np.arange(6)[::-1]
    said, turned = model.fit(table, y).predict(table), model.fit(table.take(back), y[back]).predict(table)
    np.testing.assert_allclose(said, turned)


def test_a_file_keeps_the_ensemble_and_refuses_one_that_does_not_hang_together(tmp_path):
    people = titanic()
    X, y = people[["Sex", "Age", "Pclass"]], people["Survived"]
    model = AdaBoostClassifier(n_estimators=4).fit(X, y)
    probus.save(model, tmp_path / "boosted.probus")
    again = probus.load(tmp_path / "boosted.probus")
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    model.estimators_ = model.estimators_ + 3 * model.estimators_[:1]
    probus.save(model, tmp_path / "more.probus")
    with pytest.raises(ModelFileError, match=r"7 weak models.\n  Expected one or more, each with a weight"):
        probus.load(tmp_path / "more.probus")


# -- pictures ------------------------------------------------------------------------------------------


def test_history_is_a_frame_a_table_and_a_picture():
    X, y = make_classification(100, flip_y=0.3, random_state=0)
    history = AdaBoostClassifier(n_estimators=12).fit(X, y).history_
    assert history.chance == 0.5
    assert history.to_frame().columns == ["round", "error", "weight"]
    assert repr(history).endswith("  … and 2 more: see to_frame()")
    ax = history.plot(Figure().add_subplot())
    assert ax.get_title(loc="left") == "Weak models by round"
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), history.errors)


def test_roc_curves_of_stages_share_axes():
    X, y = make_classification(200, flip_y=0.3, random_state=0)
    model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    ax = model.plot_staged_roc(X, y, ax=Figure().add_subplot())
    assert [text.get_text().split(": ")[0] for text in ax.texts] == ["10 rounds", "5 rounds", "1 round"]
    turned = model.plot_staged_roc(X, y, (None,), pos_label=0, ax=Figure().add_subplot())
    assert turned.get_title(loc="left") == "ROC curve for 0"
    with pytest.raises(DataError, match=r"stages=\(20,\) of 10 rounds.\n  Expected some from 1 to 10"):
        model.plot_staged_roc(X, y, (20,))


def test_roc_curves_of_many_classes_are_of_one_against_the_rest():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    assert model.plot_staged_roc(X, y, (1, None), pos_label=2, ax=Figure().add_subplot()) is not None
    with pytest.raises(DataError, match=r"pos_label=None.\n  Expected one of 0, 1, 2"):
        model.plot_staged_roc(X, y)
