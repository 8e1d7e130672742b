from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import SVR

import probus
from probus.calibration import ConformalClassifier
from probus.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor, RandomForestClassifier
from probus.errors import DataError
from probus.inspection import explain
from probus.inspection._word_effects import WordEffect, word_effects
from probus.linear_model import LogisticRegression, PoissonRegressor, Ridge, RidgeClassifier
from probus.naive_bayes import NaiveBayes
from probus.neighbors import KNeighborsRegressor
from probus.svm import SVC
from probus.tree import CostComplexityCV, DecisionTreeClassifier, DecisionTreeRegressor

PEOPLE = probus.datasets.titanic().select("Survived", "Pclass", "Sex", "Age").take(slice(0, 200))
X, Y = PEOPLE.drop("Survived"), PEOPLE["Survived"]
CARS = probus.datasets.mtcars()[["wt", "hp", "qsec"]]
MPG = probus.datasets.mtcars()["mpg"].values
FEW = X.take(slice(0, 8))


@pytest.mark.parametrize("model", [RandomForestClassifier(5, random_state=0), DecisionTreeClassifier(max_depth=3)])
def test_the_reasons_of_trees_sum_to_the_change_of_the_probability(model):
    model.fit(X, Y)
    found, p = explain(model, FEW), model.predict_proba(FEW).max(axis=1)
    codes = model.predict_proba(FEW).argmax(axis=1)
    base = (p - found.values.sum(axis=1))[codes == 0]
    assert found.unit == "probability"
    assert found.method == "exact Shapley values of the trees"
    np.testing.assert_allclose(base, base[0])  # one base for all rows of a class


def test_the_single_score_of_boosting_is_turned_to_the_class_predicted():
    model = HistGradientBoostingClassifier(max_iter=5).fit(X, Y)
    found, raw = explain(model, FEW), model.decision_function(FEW)
    sign = np.where(model.predict(FEW) == model.classes_[1], 1, -1)
    base = raw - sign * found.values.sum(axis=1)
    assert found.unit == "log odds"
    np.testing.assert_allclose(base, base[0])
    only_first = explain(model, FEW.take(np.flatnonzero(sign < 0)))
    np.testing.assert_allclose(only_first.values, found.values[sign < 0])


def test_linear_reasons_are_changes_of_the_log_odds_by_column():
    model = probus.tabular(LogisticRegression()).fit(X, Y)
    found = explain(model, FEW)
    sign = np.where(model.predict(FEW) == model.classes_[1], 1, -1)
    base = model.decision_function(FEW) - sign * found.values.sum(axis=1)
    assert found.columns == ("Pclass", "Sex", "Age")
    np.testing.assert_allclose(base, model[-1].intercept_[0])  # at the mean of the training rows


def test_linear_models_without_scaling_are_relative_to_the_rows():
    model = Ridge().fit(CARS, MPG)
    found = explain(model, CARS)
    np.testing.assert_allclose(found.values, (CARS.numbers() - CARS.numbers().mean(axis=0)) * model.coef_)
    assert found.method == "coefficients, relative to the mean of these rows"
    assert found.unit == "prediction"


@pytest.mark.parametrize("model", [PoissonRegressor(), HistGradientBoostingRegressor(loss="poisson", max_iter=3)])
def test_a_score_before_its_link_is_called_so(model):
    assert explain(probus.tabular(model).fit(CARS, MPG), CARS).unit == "score of the model"


@pytest.mark.parametrize("model", [LogisticRegression(), HistGradientBoostingClassifier(max_iter=3)])
def test_scores_of_three_classes_are_not_called_log_odds(model):
    flowers = probus.datasets.load("iris")
    model.fit(flowers.drop("species"), flowers["species"])
    assert explain(model, flowers).unit == "score of the class"


@pytest.mark.parametrize("model", [RidgeClassifier(), SVC(kernel="linear")])
def test_the_score_of_a_model_without_log_odds_is_not_called_so(model):
    assert explain(probus.tabular(model).fit(CARS, MPG > 20), CARS).unit == "score of the class"


def test_what_changes_a_number_through_a_link_raises_or_lowers_it():
    found = explain(probus.tabular(PoissonRegressor()).fit(CARS, MPG), CARS)
    assert "lowered by wt = 5.25" in found.sentence(14, top=3)


def test_one_row_of_a_linear_model_without_scaling_has_reasons():
    model = Ridge().fit(CARS, MPG)
    found = explain(model, CARS.take([0]))
    np.testing.assert_allclose(found.values.sum() + model.intercept_, model.predict(CARS.take([0]))[0])
    assert found.method == "coefficients, relative to a row of zeros"


def test_other_models_by_leaving_out_a_value():
    model = NaiveBayes().fit(X, Y)
    found, hidden = explain(model, FEW), FEW.to_polars().with_columns(Sex=None)
    code = model.predict_proba(FEW).argmax(axis=1)
    whole, without = (
        model.predict_proba(rows)[np.arange(8), code] for rows in (FEW, probus.Table.of(hidden, infer=False))
    )
    expected = np.log(whole / (1 - whole)) - np.log(without / (1 - without))
    np.testing.assert_allclose(found.values[:, 1], expected)
    assert found.method.startswith("occlusion: the change if the value were missing")


def test_models_that_take_no_missing_values_are_given_typical_ones():
    found = explain(KNeighborsRegressor(3).fit(CARS, MPG), CARS)
    assert found.method.startswith("occlusion: the change if the value were typical of these rows")
    assert np.isfinite(found.values).all()


def test_trees_with_surrogates_have_shapley_values_where_no_surrogate_is_needed():
    rows = PEOPLE.take(~PEOPLE["Age"].missing)
    features, target = rows.drop("Survived"), rows["Survived"]
    plain = DecisionTreeClassifier(max_depth=3).fit(features, target)
    tree = DecisionTreeClassifier(max_depth=3, missing="surrogate").fit(features, target)
    found = explain(tree, features)
    assert found.method == "exact Shapley values of the trees"
    np.testing.assert_allclose(found.values, explain(plain, features).values)


def test_a_tree_that_surrogates_decide_has_values_replaced_by_typical_ones():
    x = np.arange(60.0)
    tree = DecisionTreeRegressor(max_depth=1, missing="surrogate").fit({"x": x, "z": x}, np.where(x < 20, 1.0, 5.0))
    rows = probus.Table.of({"x": [np.nan, np.nan, 5.0, 50.0], "z": [3.0, 40.0, 5.0, 50.0]}, infer=False)
    np.testing.assert_array_equal(tree.predict(rows), [1, 5, 1, 5])
    found = explain(tree, rows)
    assert found.method == "occlusion: the change if the value were typical of these rows, one column at a time"
    assert found.values[2, 0] == -4  # its surrogate would have decided alike, had it been made missing


def test_large_numbers_have_no_powers_of_ten():
    model = Ridge().fit(CARS, 10_000 * MPG)
    assert "e+" not in explain(model, CARS).sentence(0)


@pytest.mark.parametrize("model", [Ridge(), probus.tabular(DecisionTreeRegressor())], ids=["linear", "tree"])
def test_dates_are_shown_as_dates_with_their_time_of_day(model):
    when = np.datetime64("2021-03-01T00:00") + np.arange(40) * np.timedelta64(30, "h")
    found = explain(model.fit({"when": when}, np.arange(40.0)), {"when": when})
    cells = [row[found.columns.index("when")] for row in found.cells]
    assert cells[:2] == ["2021-03-01", "2021-03-02 06:00:00"]


def test_wrappers_and_pipelines_are_looked_into():
    tree = DecisionTreeClassifier(max_depth=2)
    bare = explain(tree.fit(X, Y), FEW)
    for model in (ConformalClassifier(tree, cv=2), probus.tabular(tree), CostComplexityCV(tree, cv=3)):
        found = explain(model.fit(X, Y), FEW)
        assert found.method == bare.method
    assert explain(ConformalClassifier(probus.tabular(tree), cv=2).fit(X, Y), FEW).columns == ("Pclass", "Sex", "Age")


def test_models_of_other_libraries():
    assert explain(probus.tabular(SVR()).fit(CARS, MPG), CARS).unit == "prediction"


def test_reasons_in_words_and_as_data():
    found = explain(DecisionTreeClassifier(max_depth=2).fit(X, Y), FEW)
    first = found.reasons(0)
    assert [abs(each.contribution) for each in first] == sorted(
        (abs(each.contribution) for each in first), reverse=True
    )
    assert found.sentence(0, top=1).startswith("no: for it Sex = male (+0.")
    assert len(found.top(1)["rows"][0]["reasons"]) == 1
    assert found.to_frame().columns == ["row", "prediction", "column", "value", "contribution"]
    assert repr(found).startswith(
        "Reasons of 8 predictions: exact Shapley values of the trees; added to the probability"
    )


def test_the_scores_and_topics_of_a_text_are_one_column_with_its_words():
    cars = probus.datasets.mtcars().drop("mpg")
    model = probus.tabular(Ridge()).fit(cars, MPG)
    found = explain(model, cars)
    assert found.columns.count("name") == 1
    assert not any(":" in name for name in found.columns)
    base = model.predict(cars) - found.values.sum(axis=1)
    np.testing.assert_allclose(base, base[0])  # nothing of the scores and topics is lost


NAMES = probus.datasets.titanic().select("Survived", "Name", "Pclass", "Age")


@pytest.mark.parametrize(
    "model",
    # The draws of a forest follow the bits of the features, and the last digits of topics differ between processors: of
    # 20 trees, a quarter of all seeds name a pair with the title instead; of 200, none of a hundred.
    [HistGradientBoostingClassifier(max_iter=20), LogisticRegression(), RandomForestClassifier(200, random_state=0)],
)
def test_reasons_of_a_text_name_the_words_that_move_the_score(model):
    rows = NAMES.drop("Survived")
    fitted = ConformalClassifier(probus.tabular(model), cv=2).fit(rows, NAMES["Survived"])
    found = explain(fitted, rows.take([0, 2, 3]))
    reasons = [next(each for each in found.reasons(row) if each.column == "Name") for row in range(3)]
    for title, each in zip(["Mr", "Miss", "Mrs"], reasons, strict=True):
        assert title in each.words
    assert '"Mr"' in found.sentence(0)
    assert "topic" not in repr(found) + found.sentence(0, top=20)
    assert "score" not in found.sentence(0, top=20)
    plain = found.top(None)["rows"][1]["reasons"]
    assert next(each for each in plain if each["column"] == "Name")["words"][0] == "Miss"


def test_models_that_vote_name_words_too():
    from probus.ensemble import VotingClassifier

    rows = NAMES.drop("Survived")
    members = [("bayes", probus.tabular(NaiveBayes())), ("logistic", probus.tabular(LogisticRegression()))]
    found = explain(VotingClassifier(members, voting="soft").fit(rows, NAMES["Survived"]), rows.take([0, 2]))
    assert "Miss" in next(each for each in found.reasons(1) if each.column == "Name").words


def test_words_that_say_the_same_are_named_together():
    notes = probus.Table([probus.data.Column.text("note", ["good great fine", "bad"])])

    def praise(rows, _):
        return np.array([float(any(word in text for word in ("good", "great"))) for text in rows["note"].values])

    found = word_effects(praise, notes, "note", lambda words: np.array([len(word) for word in words], dtype=float))
    assert found.rows == ((WordEffect("good great", 1.0),), ())
    nothing = word_effects(lambda rows, _: np.array([float(len(t) > 1) for t in rows["note"].values]), notes, "note")
    assert nothing.moving(0, 1.0, 2) == ()  # blanks are left, whatever word goes
    longest = word_effects(
        lambda rows, _: np.array([float(bool(t.strip())) for t in rows["note"].values]), notes, "note"
    )
    assert longest.moving(0, 1.0, 2) == ("good", "great")
    assert longest.moving(0, -1.0, 2) == ()


def test_a_word_that_was_left_out_changes_the_score_by_its_effect():
    rows = NAMES.drop("Survived").take([0, 2])
    model = probus.tabular(LogisticRegression()).fit(NAMES.drop("Survived"), NAMES["Survived"])
    found = explain(model, rows)
    texts = [text.replace("Mr.", ".").replace("Miss.", ".") for text in rows["Name"].decoded()]
    without = model.decision_function(rows.with_columns(probus.data.Column.text("Name", texts)))
    change = (model.decision_function(rows) - without) * np.where(model.predict(rows) == "yes", 1, -1)
    for row, title in enumerate(("Mr", "Miss")):
        effect = next(each.effect for each in found.words["Name"].rows[row] if each.phrase == title)
        assert effect == pytest.approx(change[row])


def test_no_rows_are_refused():
    with pytest.raises(DataError, match="no rows to explain"):
        explain(DecisionTreeClassifier().fit(X, Y), X.take([]))


class _Plain(ClassifierMixin, BaseEstimator):
    """As xgboost's: neither of Probus nor of scikit-learn, numbers as labels, and frames with the names of the fit."""

    def fit(self, X, y):
        self.classes_, self.names_ = np.unique(y), list(X.columns)
        return self

    def predict_proba(self, X):
        assert list(X.columns) == self.names_
        p = 1 / (1 + np.exp(-X["wt"].to_numpy()))
        return np.column_stack([1 - p, p])

    def predict(self, X):
        return self.classes_[(self.predict_proba(X)[:, 1] > 0.5).astype(int)]


def test_a_model_of_another_library_predicts_the_frame_that_it_was_fitted_on():
    frame = CARS.to_pandas()
    model = _Plain().fit(frame, np.repeat([0, 1], 16))
    found = explain(model, frame.head(3))
    assert found.values[:, 0].any()
    assert not found.values[:, 1:].any()


def test_xgboost_behind_labels_that_are_text_is_explained():
    xgboost = pytest.importorskip("xgboost")
    labels = np.array(["no", "yes"], dtype=object)[Y.values]
    model = probus.tabular(xgboost.XGBClassifier(n_estimators=3)).fit(X, labels)
    assert set(explain(model, FEW).predictions) <= {"no", "yes"}


def test_a_study_is_explained_by_its_model():
    @dataclass(frozen=True)
    class Study:
        model: object

    tree = DecisionTreeClassifier(max_depth=3).fit(X, Y)
    np.testing.assert_array_equal(explain(Study(tree), FEW).values, explain(tree, FEW).values)
