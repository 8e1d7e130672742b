"""Shapley values of any model are those of the definition, whole columns at a time, with errors that cover."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import probus
from probus.data import Table
from probus.ensemble import (
    BaggingRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from probus.errors import DataError
from probus.inspection import enumerate_coalitions, explain, sample_orders
from probus.linear_model import LinearRegression, LogisticRegression
from probus.naive_bayes import NaiveBayes
from probus.neighbors import KNeighborsClassifier, KNeighborsRegressor
from probus.svm import LinearSVC
from probus.tree import DecisionTreeClassifier

PEOPLE = probus.datasets.titanic()
PEOPLE = PEOPLE.take(~PEOPLE["Age"].missing)
X, Y = PEOPLE[["Sex", "Age", "Pclass"]], PEOPLE["Survived"]
FEW, OTHERS = X.take(range(6)), X.take(range(100, 130))
CARS = probus.datasets.mtcars()
NUMBERS, MPG = CARS.select("wt", "hp", "qsec"), CARS["mpg"].values


def by_definition(predict, rows: Table, others: Table) -> np.ndarray:
    """The mean change of the prediction over all orders and all rows of the background."""
    values = np.zeros((len(rows), len(rows.names)))
    orders = list(permutations(range(len(rows.names))))
    for i in range(len(rows)):
        for order in orders:
            now = others
            before = predict(now).mean()
            for j in order:
                name = rows.names[j]
                now = now.with_columns(rows[name].take(np.full(len(others), i)))
                after = predict(now).mean()
                values[i, j] += (after - before) / len(orders)
                before = after
    return values


def survival(model):
    return lambda rows: model.predict_proba(rows)[:, 1]


@pytest.mark.parametrize(
    "model",
    [NaiveBayes(), probus.tabular(KNeighborsClassifier(5)), RandomForestClassifier(5, max_depth=4, random_state=0)],
    ids=["bayes", "neighbours", "forest"],
)
def test_any_model_has_the_values_of_the_definition(model):
    model.fit(X, Y)
    found = explain(model, FEW, OTHERS, label="yes")
    np.testing.assert_allclose(found.values, by_definition(survival(model), FEW, OTHERS), atol=1e-10)
    np.testing.assert_allclose(found.base_values, model.predict_proba(OTHERS)[:, 1].mean())
    np.testing.assert_allclose(found.base_values + found.values.sum(axis=1), model.predict_proba(FEW)[:, 1], atol=1e-12)
    assert found.unit == "probability of yes"
    assert found.method.startswith("exact Shapley values of ")
    assert found.method.endswith(", against 30 background rows")


def test_the_other_scale_of_a_model_of_trees_is_explained_by_coalitions():
    model = HistGradientBoostingClassifier(max_iter=5).fit(X, Y)
    margin, probability = (explain(model, FEW, OTHERS, label="yes", output=each) for each in ("margin", "probability"))
    np.testing.assert_allclose(probability.values, by_definition(survival(model), FEW, OTHERS), atol=1e-10)
    np.testing.assert_allclose(margin.values, by_definition(model.decision_function, FEW, OTHERS), atol=1e-10)
    assert margin.unit == "log odds of yes"
    assert "against yes Sex = male" in margin.sentence(0)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, Y)
    found = explain(forest, FEW, OTHERS, label="yes", output="margin")

    def log_odds(rows):
        p = np.clip(forest.predict_proba(rows)[:, 1], 1e-6, 1 - 1e-6)
        return np.log(p / (1 - p))

    np.testing.assert_allclose(found.values, by_definition(log_odds, FEW, OTHERS), atol=1e-10)


def test_an_initial_model_is_explained_with_the_trees():
    model = GradientBoostingRegressor(n_estimators=5, init=LinearRegression()).fit(NUMBERS, MPG)
    found = explain(model, NUMBERS, NUMBERS)
    np.testing.assert_allclose(found.base_values + found.values.sum(axis=1), model.predict(NUMBERS))
    np.testing.assert_allclose(found.values[:2], by_definition(model.predict, NUMBERS.take([0, 1]), NUMBERS))
    assert explain(model, NUMBERS).method.startswith("occlusion")


@pytest.mark.parametrize("constant", ["zero", None])
def test_the_base_of_boosting_has_its_start(constant):
    model = GradientBoostingRegressor(n_estimators=5, init=constant).fit(NUMBERS, MPG)
    found = explain(model, NUMBERS)
    np.testing.assert_allclose(found.base_values + found.values.sum(axis=1), model.predict(NUMBERS))


def test_linear_models_are_relative_to_the_background():
    model = probus.tabular(LogisticRegression()).fit(X, Y)
    found = explain(model, FEW, OTHERS, label="yes")
    np.testing.assert_allclose(found.values, by_definition(model.decision_function, FEW, OTHERS), atol=1e-9)
    np.testing.assert_allclose(found.base_values, model.decision_function(OTHERS).mean())
    assert found.method == "coefficients, relative to the mean of 30 background rows"


def test_the_class_predicted_and_a_label_are_opposite_for_two_classes():
    model = HistGradientBoostingClassifier(max_iter=5).fit(X, Y)
    own, no = explain(model, FEW), explain(model, FEW, label="no")
    sign = np.where(model.predict(FEW) == "no", 1, -1)
    np.testing.assert_allclose(own.values, sign[:, None] * no.values)
    np.testing.assert_allclose(no.base_values + no.values.sum(axis=1), -model.decision_function(FEW))


@pytest.mark.parametrize("draws", [25, 60, 130])
def test_errors_of_sampling_cover_the_exact_values(draws):
    """On sums of products and steps; with fewer draws than rows of the background, as many, and more."""
    rng = np.random.default_rng(0)
    table = Table.of({f"x{j}": rng.normal(size=60) for j in range(6)})

    def predict(rows):
        Z = rows.numbers()
        return (Z[:, 0] * Z[:, 1] * (Z[:, 2] > 0) + 2 * (Z[:, 2] > 0) * Z[:, 3] + Z[:, 4] ** 2)[:, None]

    exact = enumerate_coalitions(predict, table.take(range(20)), table)
    covered = []
    for seed in range(12):
        found = sample_orders(predict, table.take(range(20)), table, most_draws=draws, random_state=seed)
        near = np.abs(found.values - exact.values) <= 1.96 * found.errors + 1e-12
        covered.append(near[:, :3].mean())
        np.testing.assert_allclose(found.values.sum(axis=1) + found.base, predict(table)[:20])
        np.testing.assert_allclose(found.values[:, 5], 0, atol=1e-12)
    assert 0.9 < np.mean(covered) < 0.99


def test_sampling_stops_at_the_tolerance_or_the_limit():
    model = BaggingRegressor(n_estimators=3, random_state=0).fit(CARS.drop("mpg", "name"), MPG)
    rows = CARS.drop("mpg", "name")
    spread = np.concatenate([model.predict(rows), model.predict(rows)]).std()
    found = explain(model, rows.take(range(4)), rows, tolerance=0.05, most_predictions=100_000)
    assert found.standard_errors.max() <= 0.05 * spread
    np.testing.assert_allclose(found.base_values + found.values.sum(axis=1), model.predict(rows.take(range(4))))
    assert "sampled orders, standard errors at most" in found.method
    rough = explain(model, rows.take(range(4)), rows, tolerance=0.0, most_predictions=2_000)
    assert rough.standard_errors.max() > found.standard_errors.max()
    assert "standard_error" in rough.to_frame().columns


def test_a_column_of_levels_is_one_player():
    model = probus.tabular(KNeighborsClassifier(5)).fit(X, Y)
    found = explain(model, FEW, OTHERS, label="yes")
    assert found.columns == ("Sex", "Age", "Pclass")


def test_columns_made_of_one_column_are_added_up():
    frame = PEOPLE[["Sex", "Age", "Pclass", "Embarked"]].to_pandas()
    encode = ColumnTransformer([("levels", OneHotEncoder(), ["Sex", "Pclass", "Embarked"])], remainder="passthrough")
    model = make_pipeline(encode, RandomForestClassifier(5, max_depth=4, random_state=0)).fit(frame, Y.decoded())
    found = explain(model, frame.head(8), interactions=True, label="yes")
    assert set(found.columns) == {"Sex", "Age", "Pclass", "Embarked"}
    total = found.base_values + found.values.sum(axis=1)
    np.testing.assert_allclose(total, model.predict_proba(frame.head(8))[:, 1])
    np.testing.assert_allclose(found.interactions.sum(axis=2), found.values, atol=1e-12)
    assert found.cells[0][found.columns.index("Sex")] == "male"


def test_interactions_sum_to_the_values():
    model = HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=3).fit(NUMBERS, MPG)
    for background in (None, NUMBERS):
        found = explain(model, NUMBERS, background, interactions=True)
        np.testing.assert_allclose(found.interactions.sum(axis=2), found.values, atol=1e-12)
        np.testing.assert_allclose(found.interactions, found.interactions.transpose(0, 2, 1))


def test_a_study_is_a_background_for_models_that_need_one():
    class Study:
        model = NaiveBayes().fit(X, Y)
        task = probus.Task(PEOPLE[["Sex", "Age", "Pclass", "Survived"]], "Survived")

    assert explain(Study(), FEW).method.endswith("against 200 background rows")
    assert explain(Study.model, FEW).method.startswith("occlusion")


def test_rows_of_the_training_are_recognised():
    from probus.calibration import ConformalClassifier

    model = ConformalClassifier(DecisionTreeClassifier(max_depth=2), cv=2).fit(X, Y)
    assert "about 100 % of these rows are training rows" in repr(explain(model, FEW))
    new = FEW.with_columns(Age=[0.123, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert explain(model, new).training == "none of these are training rows"


# -- input that is refused -----------------------------------------------------------------------------

FOREST = RandomForestRegressor(3, random_state=0).fit(NUMBERS, MPG)
CLASSIFIER = DecisionTreeClassifier(max_depth=2).fit(X, Y)
REFUSED = {
    "other columns": (
        lambda: explain(FOREST, NUMBERS, NUMBERS.drop("hp", "wt")),
        r"a background without the column 'wt' and 1 other\.\s+Expected the columns of the model\.\s+It has 'qsec'",
    ),
    "no background rows": (lambda: explain(FOREST, NUMBERS, NUMBERS.take([])), "a background of 0 rows"),
    "no rows": (lambda: explain(FOREST, NUMBERS.take([]), NUMBERS), r"no rows to explain\.\s+Expected at least one"),
    "no probabilities": (
        lambda: explain(probus.tabular(LinearSVC()).fit(X, Y), FEW, OTHERS, output="probability"),
        "predicts no probabilities",
    ),
    "no background for the other scale": (
        lambda: explain(CLASSIFIER, FEW, output="margin"),
        r"output='margin' of DecisionTreeClassifier without a background(.|\n)*explain\(model, X, background=rows\)",
    ),
    "an output": (
        lambda: explain(FOREST, NUMBERS, output="logit"),
        r"output='logit'\.\s+Expected 'probability', 'margin'",
    ),
    "a probability of numbers": (
        lambda: explain(FOREST, NUMBERS, output="probability"),
        "output='probability' of RandomForestRegressor, which predicts numbers",
    ),
    "a class of numbers": (
        lambda: explain(FOREST, NUMBERS, label=3),
        "label=3 of RandomForestRegressor, which predicts",
    ),
    "an unknown class": (lambda: explain(CLASSIFIER, FEW, label="maybe"), r"no class 'maybe'\.\s+Expected 'no', 'yes'"),
    "interactions": (
        lambda: explain(NaiveBayes().fit(X, Y), FEW, OTHERS, interactions=True),
        r"interactions of NaiveBayes\.\s+Expected a model of trees",
    ),
    "a tolerance": (
        lambda: explain(FOREST, NUMBERS, tolerance=-1),
        r"tolerance=-1\.\s+Expected a number of at least 0",
    ),
    "a limit": (
        lambda: explain(FOREST, NUMBERS, most_predictions=0),
        r"most_predictions=0\.\s+Expected a whole number of at least 1",
    ),
    "missing values": (
        lambda: explain(KNeighborsRegressor(3).fit(NUMBERS, MPG), NUMBERS, NUMBERS.with_columns(wt=[np.nan] * 32)),
        "(?i)missing|NaN",
    ),
    "a column to draw": (lambda: explain(FOREST, NUMBERS).plot_dependence("cyl"), r"no column 'cyl'\.\s+Expected 'wt'"),
    "a kind of plot": (
        lambda: explain(FOREST, NUMBERS).plot(kind="pie"),
        r"kind='pie'\.\s+Expected 'beeswarm' or 'bar'",
    ),
    "a waterfall": (
        lambda: explain(KNeighborsRegressor(3).fit(NUMBERS, MPG), NUMBERS).waterfall(0),
        r"a waterfall of occlusion, which has no base(.|\n)*background=rows",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_explained_is_refused(case):
    call, message = REFUSED[case]
    with pytest.raises((DataError, ValueError), match=message):
        call()


def test_constant_columns_and_one_class_add_nothing():
    rows = NUMBERS.with_columns(same=np.ones(32))
    for model in (RandomForestRegressor(3, random_state=0), KNeighborsRegressor(3)):
        assert (explain(model.fit(rows, MPG), rows.take([0, 1]), rows).values[:, 3] == 0).all()
    single = RandomForestClassifier(3, random_state=0).fit(NUMBERS, np.zeros(32))
    for background in (None, NUMBERS):
        found = explain(single, NUMBERS, background)
        np.testing.assert_array_equal(found.values, 0)
        np.testing.assert_array_equal(found.base_values, 1)
