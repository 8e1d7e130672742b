"""Models of other libraries behind ``tabular`` and in every verb: they get the rows and labels that they take."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_predict

import probus
from probus import DataError, Table, Task
from probus.calibration import ConformalClassifier, ConformalRegressor
from probus.pipeline import tabular
from probus.pipeline._foreign import LibraryRows
from probus.spaces import Choice

RNG = np.random.default_rng(0)
NUMBERS = pd.DataFrame(RNG.normal(size=(90, 3)), columns=["a", "b<5", "c"])
Y = np.where(NUMBERS["a"] + 0.4 * RNG.normal(size=90) > 0, "yes", "no")
MIXED = NUMBERS.assign(d=RNG.choice(["u", "v"], 90))
MIXED.loc[3, "a"] = np.nan
SOURCES = {
    "array": NUMBERS.to_numpy(),
    "pandas": NUMBERS,
    "polars": pl.from_pandas(NUMBERS),
    "table": Table.of(NUMBERS),
    "dict": NUMBERS.to_dict("list"),
    "mixed": MIXED,
}


class Own(ClassifierMixin, BaseEstimator):
    """A class of one's own, as scikit-learn describes them, that converts its rows."""

    def __init__(self, C=1.0):
        self.C = C

    def fit(self, X, y):
        self.seen_ = type(X).__module__.partition(".")[0]
        self.model_ = LogisticRegression(C=self.C).fit(self._array(X), y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(self._array(X))

    def predict_proba(self, X):
        return self.model_.predict_proba(self._array(X))

    def _array(self, X):
        return np.asarray(X, dtype=float)


class OfPandas(Own):
    def _array(self, X):
        return X.iloc[:, :].values


class OfArrays(Own):
    def _array(self, X):
        return X[:, [0, 1, 2]].reshape(len(X), 3)


class OwnRegressor(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        self.model_ = LinearRegression().fit(X.values, y)
        return self

    def predict(self, X):
        return self.model_.predict(X.values)


def catboost(**parameters):
    library = pytest.importorskip("catboost", reason="needs CatBoost")
    how = {"iterations": 5, "verbose": 0, "allow_writing_files": False, "thread_count": 1}
    return library.CatBoostClassifier(**how, **parameters)


def lightgbm():
    library = pytest.importorskip("lightgbm", reason="needs LightGBM")
    return library.LGBMClassifier(n_estimators=5, verbose=-1, n_jobs=1)


def xgboost():
    return pytest.importorskip("xgboost", reason="needs XGBoost").XGBClassifier(n_estimators=5, n_jobs=1)


LIBRARIES = {"catboost": catboost, "lightgbm": lightgbm, "xgboost": xgboost, "own": Own}
DEPTH = {"catboost": "depth", "lightgbm": "max_depth", "xgboost": "max_depth"}


# -- every verb ----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("library", LIBRARIES)
def test_every_verb_takes_models_of_other_libraries(library, source):
    X, make = SOURCES[source], LIBRARIES[library]
    wrapped = tabular(make())
    first = wrapped if library == "own" and source == "mixed" else make()  # it prepares rows of frames itself
    assert not probus.resample(first, X, Y, cv=2).failures
    assert not probus.compare({"it": first, "ours": LogisticRegression()}, X, Y, cv=2).results["it"].failures
    assert ConformalClassifier(wrapped, cv=2).fit(X, Y).predict_set(X).members.shape == (90, 2)
    result = probus.study(X, Y, models={"it": make()}, evaluations=0, cv=2, progress=None)
    assert [row["error"] for row in result.tried] == [None, None]
    assert result.best == "it"
    assert accuracy_score(Y, result.model.predict(X)) > 0.7
    if library in DEPTH:
        space = {DEPTH[library]: Choice(2, 3)}
        tuned = probus.tune(make(), X, Y, space=space, evaluations=2, cv=2, progress=None)
        assert set(tuned.predict(X)) == {"no", "yes"}


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_wrapped_model_predicts_as_the_library_does_on_arrays(library):
    model = LIBRARIES[library]()
    codes = (Y == "yes").astype(int)
    found = tabular(clone(model)).fit(NUMBERS, Y)
    array = NUMBERS.to_numpy()
    array = (array - array.mean(axis=0)) / array.std(axis=0) if library == "own" else array
    expected = model.fit(array, codes)
    np.testing.assert_allclose(found.predict_proba(NUMBERS), expected.predict_proba(array), rtol=1e-6)
    np.testing.assert_array_equal(found.predict(NUMBERS), np.array(["no", "yes"])[expected.predict(array)])
    assert found.classes_.tolist() == ["no", "yes"]
    assert found.score(NUMBERS, Y) == pytest.approx(expected.score(array, codes))


def test_one_column_of_predicted_labels_is_read():
    """CatBoost returns a matrix of one column where there are several classes."""
    y = np.digitize(NUMBERS["a"], [-0.5, 0.5]).astype(str)
    found = probus.resample(catboost(), NUMBERS, y, cv=2, scoring="accuracy")
    by_hand = [accuracy_score(y[test], catboost().fit(NUMBERS.iloc[train], y[train]).predict(NUMBERS.iloc[test]))
               for train, test in found.splits.pairs]  # fmt: skip
    np.testing.assert_allclose(found.scores(), by_hand)


# -- rows ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("source", "seen"), [("pandas", "pandas"), ("array", "numpy"), ("polars", "numpy"),
                                              ("dict", "numpy"), ("mixed", "pandas")])  # fmt: skip
def test_a_class_of_ones_own_gets_a_frame_of_pandas_where_one_came_in(source, seen):
    assert tabular(Own()).fit(SOURCES[source], Y)[-1].seen_ == seen


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("own", [OfPandas, OfArrays])
def test_a_class_that_takes_only_one_container_gets_it(own, source):
    X = SOURCES["pandas" if source == "mixed" else source]
    model, expected = (tabular(each()).fit(X, Y) for each in (own, Own))
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X))
    assert model.get_params()["rows__container"] == "given"
    np.testing.assert_array_equal(clone(model).fit(X, Y).predict(X), model.predict(X))


def test_the_rows_of_pandas_have_the_names_of_the_columns():
    class Names(Own):
        def fit(self, X, y):
            self.names_ = list(X.columns)
            return super().fit(X, y)

    model = tabular(Names()).fit(MIXED, Y)
    assert model[-1].names_ == [*model[:-1].named_steps["encode"].get_feature_names_out()]


@pytest.mark.parametrize("verb", ["resample", "compare", "tune", "study", "conformal"])
def test_a_class_that_takes_frames_of_pandas_works_in_every_verb(verb):
    if verb == "conformal":
        assert len(ConformalClassifier(OfPandas(), cv=2).fit(NUMBERS, Y).predict(NUMBERS)) == 90
    elif verb == "study":
        result = probus.study(NUMBERS, Y, models={"own": OfPandas()}, evaluations=0, cv=2, progress=None)
        assert not result.results["own"].failures
    elif verb == "tune":
        space = {"C": Choice(0.1, 1.0)}
        assert len(probus.tune(OfPandas(), NUMBERS, Y, space=space, cv=2, progress=None).predict(NUMBERS)) == 90
    elif verb == "compare":
        assert not probus.compare([OfPandas(), Own()], NUMBERS, Y, cv=2).results["OfPandas"].failures
    else:
        expected = cross_val_predict(
            OfPandas(), NUMBERS, Y, cv=[*probus.resample(Own(), NUMBERS, Y, cv=2).splits.pairs]
        )
        found = probus.resample(OfPandas(), NUMBERS, Y, cv=2).pooled()
        assert np.array(found.classes)[found.predicted].tolist() == expected.tolist()


def test_a_regressor_of_ones_own_gets_the_frame_too():
    y = NUMBERS["a"] * 2 + RNG.normal(size=90)
    model = tabular(OwnRegressor()).fit(MIXED, y)
    assert np.corrcoef(model.predict(MIXED), y)[0, 1] > 0.8
    bounds = ConformalRegressor(tabular(OwnRegressor()), cv=2).fit(MIXED, y).predict_interval(MIXED)
    assert (bounds[:, 0] < bounds[:, 1]).all()


def test_the_first_error_of_a_model_that_takes_nothing_is_raised():
    class Never(Own):
        def fit(self, X, y):
            raise ValueError(f"no {type(X).__name__}")

    with pytest.raises(ValueError, match="no DataFrame"):
        tabular(Never()).fit(NUMBERS, Y)


def test_a_search_over_a_model_of_another_library_gets_arrays():
    search = GridSearchCV(catboost(), {"depth": [1, 2]}, cv=2)
    assert tabular(search).fit(MIXED, Y).score(MIXED, Y) > 0.7


def test_models_of_scikit_learn_have_no_further_step():
    assert "rows" not in tabular(LogisticRegression()).named_steps


def test_rows_are_scaled_and_put_in_a_container():
    rows = LibraryRows(container="polars").fit(NUMBERS).transform(NUMBERS)
    assert isinstance(rows, pl.DataFrame)
    np.testing.assert_array_equal(rows.to_numpy(), NUMBERS.to_numpy())
    assert rows.columns == ["a", "b<5", "c"]


# -- labels --------------------------------------------------------------------------------------------


def test_xgboost_predicts_the_labels_of_the_target():
    for labels in (np.array(["no", "yes"]), np.array([1, 2]), np.array([False, True])):
        y = labels[(Y == "yes").astype(int)]
        model = tabular(xgboost()).fit(NUMBERS, y)
        assert model.classes_.tolist() == labels.tolist()
        assert set(model.predict(NUMBERS).tolist()) == set(labels.tolist())


def test_labels_of_validation_rows_are_coded_too():
    library = pytest.importorskip("xgboost", reason="needs XGBoost")
    model = tabular(library.XGBClassifier(n_estimators=30, early_stopping_rounds=2, n_jobs=1))
    model.fit(NUMBERS[:60], Y[:60], X_val=NUMBERS[60:], y_val=Y[60:])
    assert model[-1].best_iteration < 29
    with pytest.raises(DataError, match="y_val contains 'maybe', which y does not"):
        model.fit(NUMBERS[:60], Y[:60], X_val=NUMBERS[60:], y_val=np.where(Y[60:] == "no", "maybe", "yes"))


def test_a_task_brings_its_target_to_a_coded_model():
    model = tabular(xgboost()).fit(Task(NUMBERS.assign(y=Y), "y"))
    assert model.score(NUMBERS, Y) > 0.7


# -- classes without tags ------------------------------------------------------------------------------


def test_a_class_without_base_classes_of_scikit_learn_is_a_clear_error():
    class Bare:
        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.zeros(len(X))

        def get_params(self, deep=True):
            return {}

        def set_params(self, **_):
            return self

    text = r"Bare has no scikit-learn tags, .*\n.*Write class Bare\(ClassifierMixin, BaseEstimator\)"
    for use in (
        lambda: tabular(Bare()),
        lambda: probus.resample(Bare(), NUMBERS, Y),
        lambda: probus.compare([Bare(), Own()], NUMBERS, Y),
        lambda: ConformalClassifier(Bare()).fit(NUMBERS, Y),
        lambda: ConformalRegressor(Bare()).fit(NUMBERS, NUMBERS["a"]),
    ):
        with pytest.raises(DataError, match=text):
            use()


def test_a_model_of_another_library_is_refused_by_its_name_when_saved(tmp_path):
    X, y = pd.DataFrame({"a": np.arange(20.0)}), np.arange(20) % 2
    model = tabular(Own()).fit(X, y)
    with pytest.raises(
        probus.ModelFileError, match=r"test_foreign\.Own' is not a class (?s:.*)joblib\.dump\(model, 'model\.joblib'\)"
    ):
        model.save(tmp_path / "model.probus")
