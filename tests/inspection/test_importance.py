"""Importances: against brute force, scikit-learn and hand-made tables; their intervals against simulation."""

import numpy as np
import pytest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression as SklearnRegression
from sklearn.metrics import log_loss, max_error

import probus
from probus.data import Table, Task
from probus.dummy import ZeroRClassifier
from probus.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from probus.errors import DataError
from probus.inspection import Importances, importance, total_variation
from probus.inspection.column_importance import _shuffled_outcomes
from probus.linear_model import LinearRegression, LogisticRegression
from probus.metrics import MEASURES
from probus.naive_bayes import NaiveBayes
from probus.svm import LinearSVC
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor
from probus.tree.prediction import sums_of, sums_with_other_values

RNG = np.random.default_rng(0)
N = 240
A, B, NOISE = RNG.normal(size=(3, N))
LEVEL = np.array(list("pqrs"))[RNG.integers(0, 4, N)]
Y = A + (LEVEL == "p") + 0.5 * RNG.normal(size=N)
FRAME = {"a": A, "b": B, "noise": NOISE, "level": LEVEL}
NUMBERS = Task(Table.of({**FRAME, "y": Y}), "y")
CLASSES = Task(Table.of({**FRAME, "y": np.where(Y > 0.2, "yes", "no")}), "y")
TRAIN, TEST = np.arange(0, N, 2), np.arange(1, N, 2)


def fitted(model, task):
    part = task.take(TRAIN)
    return probus.tabular(model).fit(part.X, part.y), task.take(TEST)


# -- trees -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model", [RandomForestClassifier(8, random_state=0), HistGradientBoostingClassifier(max_iter=8)]
)
def test_sums_with_other_values_are_those_of_changed_rows(model):
    X = RNG.normal(size=(300, 4))
    X[RNG.random(X.shape) < 0.1] = np.nan
    table = Table.of({**{f"x{j}": X[:, j] for j in range(4)}, "level": np.array(list("abcdef"))[np.arange(300) % 6]})
    y = (np.nan_to_num(X[:, 0]) > 0).astype(int) + (np.arange(300) % 6 == 2)
    model.fit(table, y)
    seen, n_groups = model._seen(table), model._sum_of_trees().n_groups
    donors = RNG.integers(0, 300, (1, 3, 300))
    sets = np.array([0, 1, -1, 0, 2])
    found = sums_with_other_values(model.trees_, seen, donors, sets, n_groups)
    np.testing.assert_allclose(found.own, sums_of(model.trees_, seen, n_groups))
    for s in range(3):
        for r in range(3):
            changed = seen.copy()
            changed[:, sets == s] = seen[donors[0, r]][:, sets == s]
            np.testing.assert_allclose(found.other[:, s, r], sums_of(model.trees_, changed, n_groups), atol=1e-12)


def test_trees_and_predictions_of_shuffled_tables_give_the_same(monkeypatch):
    model, test = fitted(RandomForestClassifier(20, random_state=0), CLASSES)
    fast = importance(model, test)

    monkeypatch.setattr(_shuffled_outcomes, "ensemble_of", lambda *_: None)
    slow = importance(model, test)
    assert fast.names == slow.names
    for name in fast.names:
        assert fast[name].value == pytest.approx(slow[name].value, abs=1e-12)
        assert fast[name].low == pytest.approx(slow[name].low, abs=1e-12)


# -- values ----------------------------------------------------------------------------------------------------


def test_all_shuffles_give_the_mean_over_all_pairs_of_rows():
    model, test = fitted(NaiveBayes(), CLASSES)
    rows = test.take(np.arange(25))
    found = importance(model, rows, n_repeats=24, columns=["a"], scoring="log_loss")
    p = model.predict_proba
    pairs = [
        log_loss(rows.y[[i]], p(rows.X.take([i]).with_columns(rows.X["a"].take([m]))), labels=["no", "yes"])
        for i in range(25)
        for m in range(25)
        if m != i
    ]
    expected = np.mean(pairs) - log_loss(rows.y, p(rows.X), labels=["no", "yes"])
    assert found["a"].value == pytest.approx(expected)


@pytest.mark.parametrize("model", [LinearRegression(), RandomForestRegressor(30, random_state=0)])
def test_values_agree_with_scikit_learn(model):
    X, y = np.column_stack([A, B, NOISE]), A + 0.5 * B
    model.fit(X[TRAIN], y[TRAIN])
    ours = importance(model, X[TEST], y[TEST], scoring="r2", n_repeats=30)
    theirs = permutation_importance(model, X[TEST], y[TEST], scoring="r2", n_repeats=30, random_state=0)
    for j in range(3):
        error = theirs.importances_std[j] / np.sqrt(30)
        assert ours[f"x{j}"].value == pytest.approx(theirs.importances_mean[j], abs=6 * error + 0.02)


def test_a_model_of_scikit_learn_is_measured_as_well():
    frame = NUMBERS.X.select("a", "b", "noise").to_pandas()
    model = SklearnRegression().fit(frame.iloc[TRAIN], Y[TRAIN])
    found = importance(model, frame.iloc[TEST], Y[TEST])
    assert found.names[0] == "a"
    assert 0 in found["noise"]


def test_columns_together_lose_more_than_each():
    model, test = fitted(RandomForestRegressor(30, random_state=0), NUMBERS)
    found = importance(model, test, together={"both": ["a", "level"]})
    assert set(found.names) == {"both", "b", "noise"}
    assert found.names[0] == "both"
    alone = importance(model, test)
    assert found["both"].value > max(alone["a"].value, alone["level"].value)


def test_of_two_copies_each_adds_nothing_that_the_other_has_not():
    table = Table.of({"a": A, "copy": A + 0.05 * B, "noise": NOISE, "y": Y})
    task = Task(table, "y")
    model, test = fitted(RandomForestRegressor(50, random_state=0), task)
    alone, given = importance(model, test), importance(model, test, conditional=True)
    assert alone["copy"].low > 0
    assert given["copy"].value < 0.2 * alone["copy"].value
    assert given.given["copy"] == ("a",)
    assert given.method == "conditional permutation"


@pytest.mark.parametrize("scoring", ["roc_auc", "log_loss", "accuracy", "f1", "expected_calibration_error", "mcc"])
def test_any_measure_of_classes(scoring):
    scoring = scoring if scoring in MEASURES else next(n for n in MEASURES if "calib" in n or n == "ece")
    model, test = fitted(LogisticRegression(), CLASSES)
    found = importance(model, test, scoring=scoring)
    assert len(found) == 4
    assert all(e.low <= e.value <= e.high for e in found.estimates)
    assert found["a"].value > found["noise"].value or "calib" in scoring


def test_ranks_need_a_covariance():
    model, test = fitted(LinearRegression(), NUMBERS)
    found = importance(model, test, scoring="median_ae" if "median_ae" in MEASURES else max_error)
    assert found["a"].low < found["a"].value < found["a"].high
    with pytest.raises(DataError, match="whose covariance is not known"):
        found.ranks()


def test_groups_of_splits_that_are_left_out():
    y = np.where(np.arange(N) < 5, "yes", "no")
    splits = [(np.setdiff1d(np.arange(N), t), t) for t in (np.arange(0, 120), np.arange(120, N))]
    table = Table.of({**FRAME, "y": y})
    found = importance(
        NaiveBayes(), table, target="y", cv=splits, scoring="roc_auc", groups=np.arange(N) // 4, columns=["a"]
    )
    assert np.isfinite(found["a"].value)


def test_weights_and_groups_count():
    weights = np.where(TEST % 3 == 0, 2.0, 0.5)
    model, test = fitted(LinearRegression(), NUMBERS)
    plain = importance(model, test.X, test.y, sample_weight=weights)
    grouped = importance(model, test.X, test.y, groups=np.arange(len(TEST)) // 8)
    assert plain["a"].value != importance(model, test)["a"].value
    assert grouped["a"].n == 15


def test_rows_out_of_bag_are_predicted_by_the_trees_that_do_not_know_them():
    forest = RandomForestClassifier(60, random_state=0, oob_score=True).fit(CLASSES.X, CLASSES.y)
    found = importance(forest, CLASSES, out_of_bag=True, scoring="accuracy")
    assert found.rows_kind == "out of bag"
    assert 0 in found["noise"]
    assert found["a"].low > 0
    by_tree = forest.permutation_importance(CLASSES.X, CLASSES.y, random_state=0)
    assert found["a"].value == pytest.approx(by_tree["a"].value, abs=0.15)


# -- sources ---------------------------------------------------------------------------------------------------


def test_a_result_of_resample_needs_no_fit(monkeypatch):
    result = probus.resample(LogisticRegression(), CLASSES, cv=4, keep_models=True)
    monkeypatch.setattr(LogisticRegression, "fit", lambda *_: 1 / 0)
    found = importance(result)
    assert found.where == "test rows, stratified 4-fold cross-validation"
    assert found["a"].low > 0
    assert importance(result, method="weight")["a"].low > 0


def test_an_unfitted_model_is_fitted_on_splits():
    assert (
        importance(LogisticRegression(), CLASSES, cv=4).names
        == importance(probus.resample(LogisticRegression(), CLASSES, cv=4, random_state=0, keep_models=True)).names
    )


def test_a_study_and_its_file(tmp_path):
    options = {"cv": 3, "progress": None, "evaluations": 0, "time": None}
    study = probus.study(CLASSES, models={"logistic": LogisticRegression()}, **options)
    found = importance(study)
    assert "was fitted again" in found.notes[0]
    path = tmp_path / "m.probus"
    probus.save(study.model, path)
    again = importance(probus.load(path), study.task)
    assert set(again.names) == set(study.features)


# -- other methods ---------------------------------------------------------------------------------------------


def test_dropping_a_column_costs_what_only_it_has():
    found = importance(LinearRegression(), NUMBERS, method="drop", cv=5)
    assert found.names[0] == "a"
    assert 0 in found["noise"]
    scores = [
        probus.resample(LinearRegression(), task, cv=5, scoring="rmse", random_state=0).scores()
        for task in (NUMBERS, Task(NUMBERS.table.drop("a"), "y"))
    ]
    assert found["a"].value == pytest.approx(np.mean(scores[1] - scores[0]))


def test_weights_are_those_of_standardised_columns():
    X = np.column_stack([3 * A, B])
    y = X @ [2.0, -1.0]
    model = LinearRegression().fit(X, y)
    found = importance(model, X, y, method="weight")
    assert found["x0"].value == pytest.approx(2 * np.std(3 * A) / np.std(y))
    assert found["x1"].value == pytest.approx(-np.std(B) / np.std(y))
    assert found["x0"].low == -np.inf  # a single fit has no interval


def test_impurities_are_those_of_the_forest():
    forest = RandomForestClassifier(25, random_state=0).fit(CLASSES.X, CLASSES.y)
    found = importance(forest, CLASSES, method="impurity")
    for name, value in zip(forest.feature_names_in_, forest.feature_importances_, strict=True):
        assert found[name].value == pytest.approx(value, abs=1e-12)
    assert found.rows_kind == "training"


def test_shapley_sizes_are_means_of_the_values():
    forest, test = fitted(RandomForestClassifier(25, random_state=0), CLASSES)
    found = importance(forest, test, method="shapley")
    values = probus.explain(forest, test.X, label="yes")
    for j, name in enumerate(values.columns):
        assert found[name].value == pytest.approx(np.abs(values.values[:, j]).mean())


# the six rows of a table of start-ups that course notes print; the last column is a class
STARTUPS = {
    "R&D": [165349.2, 162597.7, 153441.51, 0.0, 542.05, 0.0],
    "administration": [136997.8, 151377.59, 101145.55, 135426.92, 51743.15, 116983.8],
    "marketing": [471784.1, 443886.53, 407934.54, 0.0, 0.0, 45173.06],
    "profit": [192261.83, 191792.06, 191050.39, 42559.73, 35673.41, 14681.4],
    "california": [0, 1, 1, 1, 0, 0],
}


def test_total_variation_of_the_startup_table():
    """In bins at 50,000: of R&D two of three in California are above, and one of three elsewhere, so that
    |2/3 − 1/3| + |1/3 − 2/3| = 2/3. Values for themselves: all differ but two zeros, one of each class."""
    y = STARTUPS["california"]
    assert total_variation(STARTUPS["R&D"], y, bins=[50_000]) == pytest.approx(2 / 3)
    assert total_variation(STARTUPS["R&D"], y) == pytest.approx(4 / 3)
    assert total_variation(STARTUPS["profit"], y) == pytest.approx(2)


def test_correlation_of_the_startup_table_and_more_rows_like_it():
    table = {name: np.repeat(values, 4) for name, values in STARTUPS.items()}
    task = Task(Table.of(table).drop("california"), "profit")
    found = importance(None, task, method="correlation")
    for name in ("R&D", "administration", "marketing"):
        assert found[name].value == pytest.approx(np.corrcoef(STARTUPS[name], STARTUPS["profit"])[0, 1])


def test_total_variation_finds_that_of_the_population():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 4000)
    level = np.where(rng.random(4000) < np.where(y == 1, 0.7, 0.4), "u", "v")
    task = Task(Table.of({"level": level, "x": rng.normal(size=4000) + y, "noise": rng.normal(size=4000), "y": y}), "y")
    found = importance(None, task, method="total_variation")
    assert 0.6 in found["level"]
    assert found["x"].value == pytest.approx(2 * 0.3829, abs=0.06)  # 2 (2Φ(1/2) − 1)
    assert 0 in found["noise"]


# -- intervals -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_column_of_noise_has_0_in_its_interval_as_often_as_stated():
    """A short form of ``python -m research.noise_columns``."""
    rng, inside = np.random.default_rng(5), []
    for _ in range(150):
        X = rng.normal(size=(300, 4))
        y = X[:, 0] + X[:, 1] + rng.normal(size=300)
        model = DecisionTreeClassifier(max_depth=6).fit(X[:150], y[:150] > 0)
        found = importance(model, X[150:], y[150:] > 0, scoring="log_loss")
        inside += [0 in found["x2"], 0 in found["x3"]]
    assert 0.90 <= np.mean(inside) <= 0.99


def test_intervals_over_rows_hold_the_importance_on_many_rows():
    rng = np.random.default_rng(6)
    model = LinearRegression().fit(np.eye(2), [1.0, 2.0])
    model.coef_, model.intercept_ = np.array([1.0, 0.5]), 0.0
    truth = {"x0": 2.0, "x1": 0.5}  # 2 β² of a standard normal column
    inside = []
    for _ in range(200):
        X = rng.normal(size=(80, 2))
        found = importance(model, X, X @ model.coef_ + rng.normal(size=80), scoring="mse")
        inside += [value in found[name] for name, value in truth.items()]
    assert 0.90 <= np.mean(inside) <= 0.98


# -- results ---------------------------------------------------------------------------------------------------


def test_the_result_is_a_frame_a_text_a_page_and_a_picture():
    model, test = fitted(RandomForestClassifier(20, random_state=0), CLASSES)
    found = importance(model, test)
    assert isinstance(found, Importances)
    assert found.to_frame().columns == ["column", "value", "low", "high"]
    assert "loss of ROC AUC" in found.to_dict()["quantity"]
    assert "Loss of ROC AUC when a column is shuffled" in repr(found)
    assert "<table>" in found._repr_html_()
    assert found.plot().get_xlabel() == "loss of ROC AUC when a column is shuffled"
    ranks = found.ranks()
    assert ranks.to_frame()["rank"].to_list() == [1, 2, 3, 4]
    assert ranks.low[0] == 1
    assert 0.3 < ranks.correlation <= 1
    ranks.plot()


def test_methods_side_by_side_say_why_they_differ():
    table = Table.of({"a": A, "copy": A + 0.02 * B, "ids": np.arange(N).astype(float) * 7 % 241, "y": Y})
    task = Task(table, "y")
    both = importance(RandomForestRegressor(30, random_state=0), task, method=["correlation", "drop"], cv=4).compare()
    assert any("goes with" in line for line in both.differences)
    assert set(both.to_frame().columns) >= {"column", "correlation", "drop", "rank by drop"}
    assert both.plot().get_title("left") == "Importances by several methods"
    forest = RandomForestRegressor(60, random_state=0, max_features=1).fit(task.X.take(TRAIN), Y[TRAIN])
    split = importance(forest, task.take(TEST), method=["impurity", "permutation"]).compare()
    assert any("training rows" in line for line in split.differences)
    with pytest.raises(DataError, match="importances by one method"):
        importance(forest, task.take(TEST)).compare()


# -- bad input -------------------------------------------------------------------------------------------------


def test_a_model_without_probabilities_is_measured_by_accuracy():
    model, test = fitted(LinearSVC(), CLASSES)
    assert importance(model, test).scoring == "accuracy"
    with pytest.raises(DataError, match=r"needs probabilities, which .* does not predict"):
        importance(model, test, scoring="log_loss")


def test_a_constant_column_is_not_important():
    table = Table.of({"a": A, "same": np.zeros(N), "y": Y})
    task = Task(table, "y")
    model, test = fitted(LinearRegression(), task)
    for method in ("permutation", "shapley", "correlation", "weight"):
        assert importance(model, test, method=method)["same"].value == 0


def test_one_class_is_an_error_in_words():
    model, test = fitted(LogisticRegression(), CLASSES)
    one = test.take(np.flatnonzero(test.y == "yes"))
    with pytest.raises(DataError, match="ROC AUC is undefined on these rows"):
        importance(model, one)
    with pytest.raises(DataError, match="is 'yes' in every row"):
        importance(model, one.X, one.y)


def test_more_columns_than_rows():
    X = RNG.normal(size=(30, 60))
    found = importance(RandomForestRegressor(20, random_state=0), X, X[:, 0] + 0.1 * RNG.normal(size=30), cv=3)
    assert len(found) == 60


def test_a_measure_undefined_in_a_fold_leaves_the_fold_out():
    y = np.where(np.arange(N) < 5, "yes", "no")
    splits = [(np.setdiff1d(np.arange(N), t), t) for t in (np.arange(0, N, 2), np.arange(101, N, 2))]
    table = Table.of({**FRAME, "y": y})
    found = importance(NaiveBayes(), table, target="y", cv=splits, scoring="roc_auc")
    assert np.isfinite(found["a"].value)
    drop = importance(NaiveBayes(), table, target="y", cv=splits, scoring="roc_auc", method="drop")
    assert "undefined on 1 of 2 splits" in drop.notes[-1]


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ({"method": "shap"}, "method='shap'"),
        ({"columns": ["z"]}, "no column 'z'"),
        ({"together": {"s": ["a"], "t": ["a", "b"]}}, "column 'a' is in two sets"),
        ({"together": {"s": []}}, "a set without columns"),
        ({"n_repeats": 0}, "n_repeats=0"),
        ({"conditional": 2.0}, "conditional=2.0"),
        ({"scoring": "rmse"}, "rmse needs values"),
        ({"out_of_bag": True}, "out_of_bag=True of"),
        ({"method": "impurity"}, "has no impurities"),
        ({"method": "total_variation", "together": {"s": ["a"]}}, "together with method"),
    ],
)
def test_what_cannot_be_measured_is_an_error(how, text):
    model, test = fitted(NaiveBayes(), CLASSES)
    with pytest.raises(DataError, match=text):
        importance(model, test, **how)


def test_further_errors_name_what_is_expected():
    both = RandomForestRegressor(3, random_state=0).fit(np.column_stack([A, B]), np.column_stack([A, B]))
    with pytest.raises(DataError, match="of 2 outputs"):
        importance(both, np.column_stack([A, B]), A)
    model, test = fitted(NaiveBayes(), CLASSES)
    with pytest.raises(DataError, match="no column 'level'"):
        importance(model, test.X.drop("level"), test.y)
    with pytest.raises(DataError, match="given the numbers 'y'"):
        importance(model, NUMBERS.take(TEST))
    with pytest.raises(DataError, match="keep_models=True"):
        importance(probus.resample(ZeroRClassifier(), CLASSES, cv=3))
    with pytest.raises(DataError, match="method='drop' without a model"):
        importance(None, CLASSES, method="drop")
    with pytest.raises(DataError, match="has no coefficients"):
        importance(model, test, method="weight")
    with pytest.raises(DataError, match="total variation for the numbers"):
        importance(None, NUMBERS, method="total_variation")
    forest = RandomForestClassifier(5, random_state=0).fit(CLASSES.X, CLASSES.y)
    with pytest.raises(DataError, match="was fitted on 240"):
        importance(forest, CLASSES.take(TEST), out_of_bag=True)


def test_importances_without_an_interval_show_none():
    X = RNG.normal(size=(80, 2))
    tree = DecisionTreeRegressor(max_depth=3).fit(X, X[:, 0])
    found = probus.importance(tree, X, X[:, 0], method=["impurity", "permutation"])
    assert "inf" not in str(found.compare())


def test_splits_of_unequal_few_rows_are_shuffled_as_often():
    X, y = RNG.normal(size=(12, 3)), np.tile(["a", "b"], 6)
    found = probus.importance(RandomForestClassifier(5, random_state=0), X, y, scoring="log_loss")
    assert np.isfinite([each.value for each in found.estimates]).all()
    assert "repeat" in str(found)
