"""Stacking and blending: what the final model is shown, and that no member knew it by heart."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.ensemble import StackingClassifier as TheirClassifier
from sklearn.ensemble import StackingRegressor as TheirRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import probus
from probus import DataError
from probus.datasets import mtcars, penguins
from probus.dummy import ZeroRRegressor
from probus.ensemble import BlendingClassifier, BlendingRegressor, StackingClassifier, StackingRegressor
from probus.naive_bayes import GaussianNB, NaiveBayes
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
LABELS = np.array(["a", "b", "c"])[np.argsort(np.argsort(X[:, 0] + X[:, 1] ** 2)) // 30]
NUMBERS = X[:, 0] * 2 + X[:, 1] + 0.1 * RNG.normal(size=90)
CLASSIFIERS = [("tree", DecisionTreeClassifier(max_depth=3)), ("bayes", GaussianNB()), ("svc", LinearSVC())]
REGRESSORS = [("tree", DecisionTreeRegressor(max_depth=3)), ("ridge", Ridge())]


class _Memory(BaseEstimator):
    """Knows every row it was fitted on, with its target, by heart."""

    def fit(self, X, y):
        self.known_ = {(*row, target) for row, target in zip(np.asarray(X).tolist(), y, strict=True)}
        self.rows_ = {row[:-1] for row in self.known_}
        return self

    def recalls(self, X):
        return np.array([tuple(row) in self.rows_ for row in np.asarray(X).tolist()], float)


class MemoryRegressor(RegressorMixin, _Memory):
    """Predicts 1 for rows it knows, 0 for others."""

    def predict(self, X):
        return self.recalls(X)


class MemoryClassifier(ClassifierMixin, _Memory):
    """Gives the last class all chance for rows it knows, the first for others."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return super().fit(X, y)

    def predict_proba(self, X):
        chances = np.zeros((len(X), len(self.classes_)))
        chances[:, -1] = self.recalls(X)
        chances[:, 0] = 1 - chances[:, -1]
        return chances

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class Witness(LinearRegression):
    """A final regressor that keeps what it was fitted on."""

    def fit(self, X, y):
        self.shown_, self.targets_ = np.asarray(X), y
        return super().fit(X, y)


class ClassWitness(GaussianNB):
    """A final classifier that keeps what it was fitted on."""

    def fit(self, X, y):
        self.shown_, self.targets_ = np.asarray(X), y
        return super().fit(X, y)


# -- no member knew it ---------------------------------------------------------------------------------


@given(st.integers(0, 10_000), st.sampled_from([2, 3, 5]))
@settings(max_examples=20)
def test_no_row_that_a_stacked_member_saw_reaches_the_final_model(seed, n_folds):
    folds = KFold(n_folds, shuffle=True, random_state=seed)
    model = StackingRegressor([("memory", MemoryRegressor())], Witness(), cv=folds).fit(X, NUMBERS)
    assert model.final_estimator_.shown_.tolist() == [[0.0]] * 90
    assert model.transform(X).tolist() == [[1.0]] * 90  # for predictions to come, members know all rows


@given(st.integers(0, 10_000), st.floats(0.05, 0.8))
@settings(max_examples=20)
def test_no_row_that_a_blended_member_saw_reaches_the_final_model(seed, share):
    rows = np.random.default_rng(seed).integers(60, size=90)  # many rows are there more than once
    model = BlendingRegressor(
        [("memory", MemoryRegressor())], Witness(), validation_fraction=share, random_state=seed, refit=False
    ).fit(X[rows], NUMBERS[rows])
    assert not model.final_estimator_.shown_.any()
    np.testing.assert_array_equal(model.transform(X[rows])[:, 0] == 0, model.held_out_)
    np.testing.assert_array_equal(model.final_estimator_.targets_, NUMBERS[rows][model.held_out_])
    assert abs(model.held_out_.mean() - share) < 0.1


@pytest.mark.parametrize(
    "model",
    [
        StackingClassifier([("memory", MemoryClassifier())], ClassWitness(), cv=3),
        BlendingClassifier([("memory", MemoryClassifier())], ClassWitness(), random_state=0),
    ],
)
def test_no_row_that_a_member_saw_reaches_the_final_classifier(model):
    model.fit(X, LABELS)
    assert not model.final_estimator_.shown_[:, -1].any()
    assert model.transform(X)[:, -1].all()


def test_blending_fits_members_on_all_rows_in_the_end_unless_told_not_to():
    members = [("memory", MemoryRegressor())]
    assert BlendingRegressor(members, random_state=0).fit(X, NUMBERS).transform(X).all()
    kept = BlendingRegressor(members, random_state=0, refit=False).fit(X, NUMBERS)
    assert len(kept.estimators_[0].rows_) == (~kept.held_out_).sum() == 72


def test_blending_holds_out_a_share_of_each_class():
    labels = np.array(["a"] * 60 + ["b"] * 20 + ["c"] * 10)
    model = BlendingClassifier(CLASSIFIERS[:1], random_state=1).fit(X, labels)
    assert [model.held_out_[labels == label].sum() for label in "abc"] == [12, 4, 2]


@given(st.integers(0, 1000))
@settings(max_examples=20)
def test_what_is_held_out_depends_on_what_rows_hold_not_on_where_they_stand(seed):
    order = np.random.default_rng(seed).permutation(90)
    here = BlendingClassifier(CLASSIFIERS[:1], GaussianNB(), random_state=seed).fit(X, LABELS)
    there = BlendingClassifier(CLASSIFIERS[:1], GaussianNB(), random_state=seed).fit(X[order], LABELS[order])
    np.testing.assert_array_equal(here.held_out_[order], there.held_out_)


# -- what the final model is shown ---------------------------------------------------------------------


@pytest.mark.parametrize("folds", [3, StratifiedKFold(4, shuffle=True, random_state=0)])
def test_what_the_final_model_is_shown_is_cross_val_predict(folds):
    model = StackingClassifier(CLASSIFIERS, ClassWitness(), cv=folds).fit(X, LABELS)
    assert model.stack_method_ == ["predict_proba", "predict_proba", "decision_function"]
    codes = np.unique(LABELS, return_inverse=True)[1]
    expected = [
        cross_val_predict(member, X, codes, cv=folds, method=method)
        for (_, member), method in zip(CLASSIFIERS, model.stack_method_, strict=True)
    ]
    np.testing.assert_allclose(model.final_estimator_.shown_, np.hstack(expected))


@pytest.mark.slow
@pytest.mark.parametrize("passthrough", [False, True])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_stacking_agrees_with_scikit_learn(passthrough, n_jobs):
    params = {"passthrough": passthrough, "cv": 3}
    mine = StackingClassifier(CLASSIFIERS, n_jobs=n_jobs, **params).fit(X, LABELS)
    theirs = TheirClassifier(CLASSIFIERS, **params).fit(X, LABELS)
    np.testing.assert_allclose(mine.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_allclose(mine.decision_function(X), theirs.decision_function(X))
    np.testing.assert_allclose(mine.transform(X), theirs.transform(X))
    assert mine.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    numbers = StackingRegressor(REGRESSORS, **params).fit(X, NUMBERS)
    np.testing.assert_allclose(numbers.predict(X), TheirRegressor(REGRESSORS, **params).fit(X, NUMBERS).predict(X))


def test_of_two_chances_one_is_shown():
    model = StackingClassifier(CLASSIFIERS[:2], cv=2).fit(X, LABELS == "a")
    assert model.final_estimator_.n_features_in_ == 2


def test_blending_is_the_recipe_by_hand():
    model = BlendingRegressor(REGRESSORS, Ridge(), random_state=0).fit(X, NUMBERS)
    shown, out = ~model.held_out_, model.held_out_
    said = np.column_stack([member.fit(X[shown], NUMBERS[shown]).predict(X[out]) for _, member in REGRESSORS])
    final = Ridge().fit(said, NUMBERS[out])
    whole = np.column_stack([member.fit(X, NUMBERS).predict(X) for _, member in REGRESSORS])
    np.testing.assert_allclose(model.predict(X), final.predict(whole))


def test_members_that_are_fitted_already_are_asked_in_their_own_labels():
    members = [(name, model.fit(X[:45], LABELS[:45])) for name, model in CLASSIFIERS[:2]]
    model = StackingClassifier(members, ClassWitness(), cv="prefit", stack_method="predict").fit(X[45:], LABELS[45:])
    assert model.estimators_[0] is members[0][1]
    codes = np.searchsorted(["a", "b", "c"], members[0][1].predict(X[45:]))
    np.testing.assert_array_equal(model.final_estimator_.shown_[:, 0], codes)


def test_groups_stay_together():
    groups = np.arange(90) % 9
    model = StackingRegressor(REGRESSORS, Witness(), cv=GroupKFold(3)).fit(X, NUMBERS, groups=groups)
    expected = cross_val_predict(Ridge(), X, NUMBERS, cv=GroupKFold(3), groups=groups)
    np.testing.assert_allclose(model.final_estimator_.shown_[:, 1], expected)


def test_a_class_that_is_in_one_fold_only_has_no_chance_there():
    labels = LABELS.astype("U4")
    labels[7] = "rare"
    model = StackingClassifier([("tree", DecisionTreeClassifier())], ClassWitness(), cv=KFold(3)).fit(X, labels)
    shown = model.final_estimator_.shown_
    assert shown.shape == (90, 4)
    assert not shown[7, 3]
    np.testing.assert_allclose(shown.sum(axis=1), 1.0)


def test_a_class_of_one_row_stays_with_the_members_when_blending():
    labels = LABELS.astype("U4")
    labels[7] = "rare"
    model = BlendingClassifier([("tree", DecisionTreeClassifier(max_depth=3))], random_state=0)
    with pytest.warns(UserWarning, match="class rare has one row, or only equal rows, which the members need"):
        model.fit(X, labels)
    chances = model.predict_proba(X)
    assert chances.shape == (90, 4)
    assert not chances[:, 3].any()
    assert np.isneginf(model.decision_function(X)[:, 3]).all()


# -- tables and weights --------------------------------------------------------------------------------


@pytest.mark.parametrize("Model", [StackingClassifier, partial(BlendingClassifier, random_state=0)])
@pytest.mark.parametrize("form", ["to_native", "to_pandas", "to_polars"])
def test_tables_reach_members_and_final_model_as_they_are(Model, form):
    table = penguins()
    rows, y = getattr(table.drop("species"), form)(), table["species"]
    members = [("tree", DecisionTreeClassifier(max_depth=3)), ("bayes", NaiveBayes())]
    model = Model(members, DecisionTreeClassifier(max_depth=4), passthrough=True).fit(rows, y)
    assert model.final_estimator_.schema_.kinds["island"] == table.kinds["island"]
    assert model.score(rows, y.decoded()) > 0.9


def test_a_final_model_of_numbers_cannot_be_shown_levels():
    model = StackingClassifier([("tree", DecisionTreeClassifier())], passthrough=True)
    assert not model.accepts.nominal
    with pytest.raises(DataError, match=r"does not accept columns that are not numeric: 'island'(.|\n)*probus.tabular"):
        model.fit(penguins().drop("species"), penguins()["species"])


@pytest.mark.parametrize("Model", [StackingRegressor, BlendingRegressor])
def test_weights_need_models_that_take_them_all_the_way(Model):
    with pytest.raises(DataError, match="MemoryRegressor does not support sample weights"):
        Model([("memory", MemoryRegressor())]).fit(X, NUMBERS, np.ones(90))
    with pytest.raises(DataError, match="MemoryRegressor does not support sample weights"):
        Model(REGRESSORS, MemoryRegressor()).fit(X, NUMBERS, np.ones(90))
    assert not Model(REGRESSORS, MemoryRegressor()).accepts.weights


# -- what makes no sense -------------------------------------------------------------------------------


@pytest.mark.parametrize("Model", [StackingClassifier, BlendingClassifier])
def test_a_model_without_the_method_asked_for_is_named_with_what_it_has(Model):
    told = r"estimator svc does not implement the method predict_proba: LinearSVC has decision_function and predict\."
    with pytest.raises(DataError, match=told + r"(.|\n)*stack_method='auto'"):
        Model(CLASSIFIERS, stack_method="predict_proba").fit(X, LABELS)


@pytest.mark.parametrize("Model", [StackingClassifier, BlendingClassifier])
def test_the_final_model_is_of_the_kind_of_the_whole(Model):
    with pytest.raises(DataError, match="'final_estimator' parameter should be a classifier"):
        Model(CLASSIFIERS, Ridge()).fit(X, LABELS)


def test_folds_that_leave_rows_out_are_refused():
    with pytest.raises(DataError, match=r"cv leaves \d+ of 90 rows out of all test folds(.|\n)*a partition"):
        StackingRegressor(REGRESSORS, cv=ShuffleSplit(3, random_state=0)).fit(X, NUMBERS)


def test_members_said_to_be_fitted_must_be():
    with pytest.raises(ValueError, match="cv='prefit', and 'tree', this DecisionTreeClassifier, is not fitted"):
        StackingClassifier([("tree", DecisionTreeClassifier())], cv="prefit").fit(X, LABELS)


def test_members_fitted_on_other_classes_are_refused():
    members = [("tree", DecisionTreeClassifier().fit(X, np.where(LABELS == "a", "z", LABELS)))]
    with pytest.raises(DataError, match="DecisionTreeClassifier has the class 'z'"):
        StackingClassifier(members, cv="prefit").fit(X, LABELS)


def test_one_row_cannot_be_held_out():
    with pytest.raises(DataError, match="n_samples=1 row, too few to hold any out"):
        BlendingRegressor(REGRESSORS).fit(X[:1], NUMBERS[:1])


# -- files ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("Model", [StackingClassifier, BlendingClassifier])
@pytest.mark.parametrize("passthrough", [False, True])
def test_saved_classifiers_with_the_default_final_model_answer_the_same(Model, passthrough, tmp_path):
    model = Model(CLASSIFIERS[:2], passthrough=passthrough).fit(X, LABELS)
    back = probus.load(probus.save(model, tmp_path / "m.probus"))
    np.testing.assert_array_equal(back.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("Model", [StackingRegressor, BlendingRegressor])
def test_saved_regressors_with_the_default_final_model_answer_the_same(Model, tmp_path):
    members = [("tree", DecisionTreeRegressor(max_depth=2)), ("mean", ZeroRRegressor())]
    table = mtcars().select("wt", "cyl", "gear")
    model = Model(members).fit(table, mtcars()["mpg"])
    back = probus.load(probus.save(model, tmp_path / "m.probus"))
    np.testing.assert_array_equal(back.predict(table), model.predict(table))


def test_models_that_files_do_not_hold_are_refused_by_name(tmp_path):
    model = StackingClassifier([("near", KNeighborsClassifier())]).fit(X, LABELS)
    with pytest.raises(probus.ModelFileError, match="KNeighborsClassifier"):
        probus.save(model, tmp_path / "m.probus")


@pytest.mark.parametrize("widths", [[3, 1], [10**6, 1], [2, 3]])
def test_forged_widths_are_refused(widths, tmp_path):
    model = StackingClassifier(CLASSIFIERS[:2]).fit(X, LABELS)
    model.meta_widths_ = np.array(widths)
    with pytest.raises(probus.ModelFileError, match=r"columns|below 1000000"):
        probus.load(probus.save(model, tmp_path / "m.probus"))


def test_notebooks_show_members_before_the_final_model():
    shown = StackingRegressor(REGRESSORS)._repr_html_()
    assert all(f"<label>{name}</label>" in shown for name in [name for name, _ in REGRESSORS])
    assert shown.index("final_estimator</label>") > shown.index(f"{REGRESSORS[0][0]}</label>")
