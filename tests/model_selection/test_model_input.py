"""What models are fitted on: frames as they were given for those with their own preparation, tables for the others."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from probus import Table, Task, compare, datasets, resample
from probus.dummy import ZeroRClassifier
from probus.ensemble import VotingClassifier
from probus.errors import DataError
from probus.model_selection import (
    BestOfClassifier,
    bias_variance,
    diagnose,
    learning_curve,
    nested,
    validation_curve,
)
from probus.pipeline import tabular

TITANIC = datasets.load("titanic").select("Sex", "Age", "Fare", "Pclass", "Embarked", "Survived").take(slice(0, 400))
PANDAS = TITANIC.to_pandas().set_index(np.arange(1000, 1400))
Y = PANDAS["Survived"].to_numpy().astype(object)
X = PANDAS.drop(columns="Survived")
CV = StratifiedKFold(4, shuffle=True, random_state=0)
BY_NAME = make_pipeline(
    ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["Age", "Fare"]),
            ("labels", OneHotEncoder(handle_unknown="ignore"), ["Sex", "Pclass", "Embarked"]),
        ]
    ),
    LogisticRegression(),
)


class Recorder(ClassifierMixin, BaseEstimator):
    """Predicts a constant, and keeps what it was fitted on."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y):
        self.seen.append(X)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        self.seen.append(X)
        return np.full(len(X), self.classes_[0])


@pytest.fixture
def seen():
    Recorder.seen.clear()
    return Recorder.seen


# -- columns by name -----------------------------------------------------------------------------------

SOURCES = {
    "pandas": lambda: (X, Y),
    "polars": lambda: (pl.from_pandas(X), Y),
    "task of pandas": lambda: (Task(PANDAS, target="Survived"),),
    "task of X and y": lambda: (Task.of(X, Y),),
    "task of a table of pandas": lambda: (Task(Table.of(PANDAS), target="Survived"),),
    "task of a table": lambda: (Task(TITANIC, target="Survived"),),
    "table": lambda: (TITANIC.drop("Survived"), Y),
}


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_columns_by_name_have_the_scores_of_scikit_learn(source):
    result = resample(BY_NAME, *SOURCES[source](), cv=CV)
    assert result.failures == ()
    np.testing.assert_allclose(result.scores(), cross_val_score(BY_NAME, X, Y, cv=CV))


def test_columns_by_dtype_are_those_of_the_frame():
    by_dtype = ColumnTransformer([("n", SimpleImputer(), make_column_selector(dtype_include="number"))])
    model = make_pipeline(by_dtype, DecisionTreeClassifier(random_state=0))
    np.testing.assert_allclose(resample(model, X, Y, cv=CV).scores(), cross_val_score(model, X, Y, cv=CV))


@pytest.mark.slow
def test_every_verb_takes_columns_by_name():
    task = Task.of(X, Y)
    assert not compare({"by name": BY_NAME, "zero-r": ZeroRClassifier()}, X, Y, cv=CV).results["by name"].failures
    search = GridSearchCV(BY_NAME, {"logisticregression__C": [0.1, 1]}, cv=2)
    assert not resample(search, X, Y, cv=CV).failures
    assert not nested(search, X, Y, cv=3).outer.failures
    assert not nested([BY_NAME, ZeroRClassifier()], X, Y, cv=3).outer.failures
    for data in ((X, Y), (task,), (TITANIC.drop("Survived"), Y)):
        assert not learning_curve(BY_NAME, *data, cv=2, train_sizes=[150]).failures
        path = {"param_name": "logisticregression__C", "param_range": [1.0]}
        assert not validation_curve(BY_NAME, *data, cv=2, **path).failures
    assert not bias_variance(BY_NAME, X, Y, n_rounds=3).failures
    assert diagnose(resample(BY_NAME, X, Y, cv=CV, keep_models=True)).kind


@pytest.mark.parametrize("source", ["pandas", "task of a table"])
def test_members_of_an_ensemble_may_select_columns(source):
    voting = VotingClassifier([("by name", BY_NAME)], voting="soft")
    result = resample(voting, *SOURCES[source](), cv=CV)
    np.testing.assert_allclose(result.scores(), cross_val_score(BY_NAME, X, Y, cv=CV))


def test_the_best_of_candidates_may_select_columns():
    best = BestOfClassifier([BY_NAME], cv=3).fit(X, Y)
    np.testing.assert_array_equal(best.predict(X), BY_NAME.fit(X, Y).predict(X))
    np.testing.assert_allclose(best.predict_proba(X), BY_NAME.predict_proba(X))


# -- the kind of frame ---------------------------------------------------------------------------------


def test_a_model_of_its_own_class_is_given_rows_of_the_frame(seen):
    resample(Recorder(), X, Y, cv=CV)
    for rows in seen:
        pd.testing.assert_frame_equal(rows, X.loc[rows.index])


def test_a_task_of_a_frame_gives_its_features(seen):
    resample(Recorder(), Task(PANDAS, target="Survived", group="Pclass"), cv=2)
    assert list(seen[0].columns) == ["Sex", "Age", "Fare", "Embarked"]
    pd.testing.assert_frame_equal(seen[0], X.loc[seen[0].index].drop(columns="Pclass"))


def test_polars_and_arrays_are_given_as_they_are(seen):
    frame = pl.from_pandas(X)
    resample(Recorder(), frame, Y, cv=2)
    assert all(isinstance(rows, pl.DataFrame) and rows.schema == frame.schema for rows in seen)
    seen.clear()
    resample(Recorder(), X[["Fare"]].to_numpy(np.float32), Y, cv=2)
    assert all(type(rows) is np.ndarray and rows.dtype == np.float32 for rows in seen)


def test_inside_a_search_the_rows_are_given_too(seen):
    resample(GridSearchCV(Recorder(), {}, cv=2), X, Y, cv=2)
    assert all(isinstance(rows, pd.DataFrame) for rows in seen)


def test_a_task_of_a_table_is_prepared_for_a_model_of_its_own_class(seen):
    resample(Recorder(), Task(TITANIC, target="Survived"), cv=2)
    assert all(type(rows) is np.ndarray for rows in seen)


def test_taking_rows_of_a_task_takes_rows_of_its_frame():
    for rows in (
        np.arange(10, 20),
        range(10, 20),
        slice(10, 20),
        [*range(10, 20)],
        np.isin(np.arange(400), range(10, 20)),
    ):
        pd.testing.assert_frame_equal(Task(PANDAS, target="Survived").take(rows).given, X.iloc[10:20])
    assert len(Task(PANDAS, target="Survived").take([]).given) == 0
    assert Task(TITANIC, target="Survived").given is None


# -- models of scikit-learn ----------------------------------------------------------------------------


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_scikit_learn_is_given_a_frame_of_numbers_as_a_frame(library):
    kinds = []

    class Seen(SVC):
        def fit(self, X, y):
            kinds.append(type(X))
            return super().fit(X, y)

    frame = X[["Fare", "Age"]].fillna(0) if library == "pandas" else pl.from_pandas(X[["Fare", "Age"]].fillna(0))
    result = resample(Seen(), frame, Y, cv=CV)
    assert set(kinds) == {type(frame)}
    as_table = resample(SVC(), Task(Table.of(X[["Fare", "Age"]].fillna(0).assign(y=Y)), "y"), cv=CV)
    np.testing.assert_allclose(result.scores(), as_table.scores())


def test_scikit_learn_takes_labels_and_missing_values_by_preparation():
    result = resample(SVC(), X, Y, cv=CV)
    np.testing.assert_allclose(result.scores(), resample(tabular(SVC()), X, Y, cv=CV).scores())


def test_a_pipeline_that_begins_with_an_encoder_or_a_function_is_given_the_frame():
    labels = X[["Sex", "Pclass"]]
    for first in (OneHotEncoder(handle_unknown="ignore"), FunctionTransformer(pd.get_dummies)):
        model = make_pipeline(first, LogisticRegression())
        np.testing.assert_allclose(resample(model, labels, Y, cv=CV).scores(), cross_val_score(model, labels, Y, cv=CV))


class Copying(ClassifierMixin, BaseEstimator):
    """As CatBoost: the constructor copies a list, so that ``clone`` refuses it."""

    def __init__(self, columns=()):
        self.columns = list(columns) if isinstance(columns, list) else columns

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_a_model_that_cannot_be_cloned_is_refused_with_what_to_write():
    X, y = pd.DataFrame({"a": np.arange(20.0), "k": list("uv") * 10}), np.arange(20) % 2
    with pytest.raises(DataError, match=r"changes the parameter 'columns'(?s:.*)columns=\('k',\)"):
        resample(Copying(columns=["k"]), X, y)
    assert resample(Copying(columns=("k",)), X, y).estimate("accuracy").value == 0.5
