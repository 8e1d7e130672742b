"""Scores of single columns against scikit-learn and SciPy, and the filters on typed tables."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.sparse import csr_matrix
from sklearn import feature_selection as theirs
from sklearn.datasets import load_iris, make_regression
from sklearn.preprocessing import OneHotEncoder

import probus
from probus.data import Column, Table
from probus.errors import DataError
from probus.feature_selection import (
    GenericUnivariateSelect,
    SelectFdr,
    SelectFpr,
    SelectFwe,
    SelectKBest,
    SelectPercentile,
    chi2,
    f_classif,
    signal_to_noise,
)
from probus.linear_model import LogisticRegression
from probus.naive_bayes import NaiveBayes


@pytest.fixture(scope="module")
def titanic():
    return probus.datasets.titanic().drop("Name", "Ticket", "Cabin", "PassengerId")


def scores(name, columns, y, **weights):
    return SelectKBest(name, k="all").fit(columns, y, **weights)


def test_scores_of_numbers_are_those_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    for ours, function in (("anova", theirs.f_classif), ("chi2", theirs.chi2), ("auto", theirs.f_classif)):
        fitted, (expected, p_values) = scores(ours, X, y), function(X, y)
        np.testing.assert_allclose(fitted.scores_, expected, rtol=1e-9)
        np.testing.assert_allclose(fitted.pvalues_, p_values, rtol=1e-6)
    X, y = make_regression(80, 6, n_informative=2, random_state=0, noise=50.0)
    fitted, (expected, p_values) = scores("auto", X, y), theirs.f_regression(X, y)
    np.testing.assert_allclose(fitted.scores_, expected, rtol=1e-9)
    np.testing.assert_allclose(fitted.pvalues_, p_values, rtol=1e-7)
    np.testing.assert_allclose(scores("correlation", X, y).scores_, np.abs(theirs.r_regression(X, y)), rtol=1e-9)


def test_association_is_the_test_that_suits_both_kinds(titanic):
    rows = titanic.take(~titanic["Age"].missing & ~titanic["Embarked"].missing)
    survived, port = rows["Survived"].decoded(), rows["Embarked"].decoded()
    fitted = scores("association", rows.drop("Survived"), survived)
    found = dict(zip(rows.drop("Survived").names, fitted.pvalues_, strict=True))
    counts = pd.crosstab(port, survived).to_numpy()
    assert found["Embarked"] == pytest.approx(stats.chi2_contingency(counts, correction=False).pvalue, rel=1e-9)
    age = rows["Age"].values
    assert found["Age"] == pytest.approx(stats.f_oneway(*(age[survived == c] for c in np.unique(survived))).pvalue)
    np.testing.assert_allclose(fitted.scores_, -np.log10(fitted.pvalues_))
    of_age = scores("association", rows.select("Embarked"), age)
    assert of_age.pvalues_[0] == pytest.approx(stats.f_oneway(*(age[port == p] for p in np.unique(port))).pvalue)


def test_the_statistic_of_a_nominal_column_is_the_sum_over_its_levels(titanic):
    port = titanic.select("Embarked").take(~titanic["Embarked"].missing)
    survived = titanic["Survived"].decoded()[~titanic["Embarked"].missing]
    onehot = OneHotEncoder().fit_transform(port["Embarked"].decoded()[:, None])
    assert scores("chi2", port, survived).scores_[0] == pytest.approx(theirs.chi2(onehot, survived)[0].sum())


def test_strength_is_cramers_v_and_the_correlation_ratio(titanic):
    port = titanic.select("Embarked").take(~titanic["Embarked"].missing)
    survived = titanic["Survived"].decoded()[~titanic["Embarked"].missing]
    counts = pd.crosstab(port["Embarked"].decoded(), survived).to_numpy()
    assert scores("correlation", port, survived).scores_[0] == pytest.approx(
        stats.contingency.association(counts, method="cramer")
    )
    X, y = load_iris(return_X_y=True)
    r = np.corrcoef(X[:100, 0], y[:100])[0, 1]
    assert scores("correlation", X[:100], y[:100]).scores_[0] == pytest.approx(abs(r))


def test_signal_to_noise_is_the_formula():
    X, y = load_iris(return_X_y=True)
    X, y = X[:100], y[:100]
    a, b = X[y == 0], X[y == 1]
    by_hand = (a.mean(axis=0) - b.mean(axis=0)) ** 2 / (a.std(axis=0) + b.std(axis=0))
    np.testing.assert_allclose(signal_to_noise(X, y, standardise=False), by_hand)
    np.testing.assert_allclose(signal_to_noise(X * [1, 10, 100, 1000], y), signal_to_noise(X, y))
    np.testing.assert_allclose(scores("signal_to_noise", X, y).scores_, signal_to_noise(X, y))
    three = load_iris(return_X_y=True)
    largest = np.max([signal_to_noise(three[0], three[1] == c) for c in range(3)], axis=0)
    np.testing.assert_allclose(signal_to_noise(*three), largest)


@pytest.mark.parametrize("name", ["association", "correlation", "chi2", "anova", "signal_to_noise"])
def test_weights_count_rows(name):
    rng = np.random.default_rng(0)
    table = Table([Column.numbers("x", rng.integers(0, 9, 60)), Column.numbers("z", rng.random(60))])
    if name in ("association", "correlation"):
        table = table.with_columns(Column.labels("l", rng.choice(list("abc"), 60)))
    y, weights = rng.choice(["no", "yes"], 60), rng.integers(0, 4, 60)
    repeated = np.repeat(np.arange(60), weights)
    weighed, twice = scores(name, table, y, sample_weight=weights), scores(name, table.take(repeated), y[repeated])
    np.testing.assert_allclose(weighed.scores_, twice.scores_, rtol=1e-9)


def test_missing_values_are_left_out_column_by_column(titanic):
    present = ~titanic["Age"].missing
    y = titanic["Survived"]
    whole = scores("mutual_information", titanic.select("Age"), y)
    part = scores("mutual_information", titanic.select("Age").take(present), y.take(present))
    assert whole.scores_[0] == pytest.approx(part.scores_[0], abs=0.02)
    assert scores("association", titanic.select("Age"), y).scores_ == pytest.approx(
        scores("association", titanic.select("Age").take(present), y.take(present)).scores_
    )


@pytest.mark.parametrize(
    ("ours", "other"),
    [
        (SelectKBest(f_classif, k=2), theirs.SelectKBest(k=2)),
        (SelectKBest(k=2), theirs.SelectKBest(k=2)),
        (SelectPercentile(chi2, percentile=50), theirs.SelectPercentile(theirs.chi2, percentile=50)),
        (SelectFpr(alpha=1e-3), theirs.SelectFpr(alpha=1e-3)),
        (SelectFdr(alpha=1e-3), theirs.SelectFdr(alpha=1e-3)),
        (SelectFwe(alpha=1e-3), theirs.SelectFwe(alpha=1e-3)),
        (
            GenericUnivariateSelect(chi2, mode="k_best", param=3),
            theirs.GenericUnivariateSelect(theirs.chi2, mode="k_best", param=3),
        ),
    ],
    ids=lambda each: type(each).__name__,  # the text of a function names its place in memory
)
def test_filters_keep_what_scikit_learns_keep(ours, other):
    rng = np.random.default_rng(0)
    X, y = load_iris(return_X_y=True)
    X = np.abs(np.hstack([X, rng.normal(size=(150, 20)), X[:, :3] + 0.1 * rng.normal(size=(150, 3))]))
    for rows in (X, csr_matrix(X)):
        ours.fit(rows, y)
        other.fit(rows, y)
        np.testing.assert_array_equal(ours.get_support(), other.get_support())
        np.testing.assert_array_equal(ours.get_support(indices=True), other.get_support(indices=True))
        kept = [each.transform(rows) for each in (ours, other)]
        kept = [each.toarray() if hasattr(each, "toarray") else each for each in kept]
        np.testing.assert_array_equal(*kept)
        back = [each.inverse_transform(each.transform(rows)) for each in (ours, other)]
        back = [each.toarray() if hasattr(each, "toarray") else each for each in back]
        np.testing.assert_array_equal(*back)


def test_whole_nominal_columns_are_kept_in_every_container(titanic):
    table, y = titanic.drop("Survived"), titanic["Survived"].decoded()
    for rows, kind in ((table, Table), (table.to_pandas(), pd.DataFrame)):
        selector = SelectKBest("association", k=2).fit(rows, y)
        assert isinstance(selector.transform(rows), kind)
        assert list(selector.get_feature_names_out()) == ["Pclass", "Sex"]
    frame = SelectKBest("association", k=2).set_output(transform="polars").fit_transform(table, y)
    assert frame.columns == ["Pclass", "Sex"]


def test_a_filter_is_fitted_within_the_splits(titanic):
    model = SelectKBest("association", k=3) >> probus.tabular(LogisticRegression())
    result = probus.resample(model, titanic, target="Survived", cv=3, keep_models=True)
    assert result.estimate("roc_auc").value > 0.8
    assert not result.failures


def test_the_number_of_columns_can_be_tuned(titanic):
    from probus.spaces import Integer, Space

    model = SelectKBest("association", k=1) >> NaiveBayes()
    tuned = probus.tune(model, titanic, target="Survived", space=Space({"selectkbest__k": Integer(1, 7)}), cv=3,
                        evaluations=4, scoring="roc_auc", progress=None)  # fmt: skip
    assert 1 <= tuned.best_params_["selectkbest__k"] <= 7


def test_selection_of_noise_is_as_frequent_as_its_level_says():
    """Population: 300 tables of 20 unrelated columns, of which one in five is nominal."""
    rng = np.random.default_rng(5)
    kept, any_kept = 0, 0
    for _ in range(300):
        columns = [Column.numbers(f"x{j}", rng.normal(size=60)) for j in range(16)]
        columns += [Column.labels(f"l{j}", rng.choice(list("abc"), 60)) for j in range(4)]
        table, y = Table(columns), rng.choice(["no", "yes"], 60)
        kept += SelectFpr("association", alpha=0.05).fit(table, y).get_support().mean()
        any_kept += SelectFwe("association", alpha=0.2).fit(table, y).get_support().any()
    assert 0.04 < kept / 300 < 0.06
    assert 0.12 < any_kept / 300 < 0.25


def test_a_model_file_keeps_the_selection(titanic, tmp_path):
    model = (SelectKBest("association", k=3) >> NaiveBayes()).fit(titanic.drop("Survived"), titanic["Survived"])
    again = probus.load(model.save(tmp_path / "model.probus"))
    rows = titanic.drop("Survived").head(20)
    np.testing.assert_array_equal(again.predict(rows), model.predict(rows))


@pytest.mark.parametrize(
    ("selector", "X", "y", "text"),
    [
        (SelectKBest("association"), np.eye(4), ["a"] * 4, "the target has one class only"),
        (SelectKBest("chi2"), -np.eye(4), [0, 1, 0, 1], "column 'x0' has negative values"),
        (SelectKBest("chi2"), np.eye(4), [0.1, 1.2, 0.3, 1.4], "χ² of a numeric target"),
        (SelectFdr("mutual_information"), np.eye(4), [0, 1, 0, 1], "mutual_information has no p-values"),
        (SelectKBest("anova"), Table.of({"l": ["a", "b", "a", "c"]}), [0, 1, 0, 1], "anova of column 'l', which is no"),
        (SelectKBest(f_classif), Table.of({"l": ["a", "b", "a", "c"]}), [0, 1, 0, 1], "f_classif scores numbers; col"),
        (SelectKBest("associaton"), np.eye(4), [0, 1, 0, 1], "Did you mean 'association'"),
        (SelectKBest(), np.eye(4), None, "requires y to be passed"),
        (SelectKBest(), Table.of({"t": ["a b c d", "e f g h"]}, kinds={"t": "text"}), [0, 1], "text columns"),
    ],
)
def test_bad_input_is_named(selector, X, y, text):
    with pytest.raises(DataError, match=text):
        selector.fit(X, y)


def test_more_columns_than_there_are_is_a_warning_and_none_is_too():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(UserWarning, match="k=9 is greater than n_features=4"):
        assert SelectKBest(k=9).fit(X, y).get_support().all()
    with pytest.warns(UserWarning, match="No features were selected"):
        assert SelectFwe(alpha=0.0).fit(X, y).transform(X).shape == (150, 0)


def test_constant_columns_have_the_lowest_score():
    rng = np.random.default_rng(0)
    X, y = np.column_stack([np.full(50, 3.3), rng.normal(size=50)]), rng.integers(0, 2, 50)
    for name in ("auto", "association", "correlation", "mutual_information", "signal_to_noise"):
        assert scores(name, np.abs(X), y).scores_[0] == 0.0
