"""CFS and mRMR against brute force and their formulas; selection by importance."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import mutual_info_score, normalized_mutual_info_score

import probus
from probus.data import Column, Table
from probus.ensemble import RandomForestClassifier
from probus.errors import DataError
from probus.feature_selection import CorrelationSubset, ImportanceSelection, MinimumRedundancy
from probus.feature_selection._redundancy import _Dependences, best_first, coded_values, merit
from probus.linear_model import Lasso
from probus.naive_bayes import GaussianNB
from probus.preprocessing import ScreeningTarget
from probus.tree import DecisionTreeClassifier


@pytest.fixture(scope="module")
def titanic():
    return probus.datasets.titanic().drop("Name", "Ticket", "Cabin", "PassengerId")


def levels(rng, n, d):
    return Table(Column.labels(f"c{j}", rng.choice(list("abcd")[: 2 + j % 3], n)) for j in range(d))


def test_dependence_is_symmetric_uncertainty():
    rng = np.random.default_rng(0)
    table, y = levels(rng, 100, 3), rng.choice(["n", "y"], 100)
    target = ScreeningTarget.of(y, 100)
    found = _Dependences(table, target, "symmetric_uncertainty")
    first, second = (column.values for column in list(table)[:2])
    assert found(0, 1) == pytest.approx(normalized_mutual_info_score(first, second)) == found(1, 0)
    assert found(0, 3) == pytest.approx(normalized_mutual_info_score(first, target.values))
    assert _Dependences(table, target, "mutual_information")(0, 1) == pytest.approx(mutual_info_score(first, second))


def test_the_merit_is_halls_formula_and_the_search_mostly_finds_the_best_subset():
    """On strengths drawn at random, which no data need have: the search is no proof."""
    optimal = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        strengths = rng.random((7, 7))
        strengths = (strengths + strengths.T) / 2

        def dependence(i, j, strengths=strengths):
            return float(strengths[i, j])

        every = [s for k in range(1, 7) for s in combinations(range(6), k)]
        for subset in every[:30]:
            k = len(subset)
            r_cf = np.mean([strengths[i, 6] for i in subset])
            r_ff = np.mean([strengths[i, j] for i, j in combinations(subset, 2)]) if k > 1 else 0.0
            assert merit(dependence, subset, 6) == pytest.approx(k * r_cf / np.sqrt(k + k * (k - 1) * r_ff))
        found, value = best_first(dependence, 6)
        optimal += value >= max(merit(dependence, s, 6) for s in every) - 1e-12
        assert value == pytest.approx(merit(dependence, found, 6))
    assert optimal >= 15


def test_a_copy_of_a_good_column_is_not_kept():
    rng = np.random.default_rng(1)
    a, b, c = rng.normal(size=(3, 500))
    X = np.column_stack([a, a + 0.05 * c, b, c])
    y = np.where(a + b > 0, "yes", "no")
    for measure in ("symmetric_uncertainty", "correlation"):
        kept = CorrelationSubset(measure=measure).fit(X, y).get_support()
        assert kept.tolist()[2:] == [True, False]
        assert kept[:2].sum() == 1
    assert set(MinimumRedundancy(k=2).fit(X, y).order_.tolist()) in ({0, 2}, {1, 2})


@pytest.mark.parametrize("scheme", ["difference", "quotient"])
def test_minimum_redundancy_is_its_formula(scheme):
    X, y = load_iris(return_X_y=True)
    codes = [coded_values(x) for x in X.T]
    relevance = [mutual_info_score(c, y) for c in codes]
    order = [int(np.argmax(relevance))]
    while len(order) < 4:
        scores = {}
        for j in set(range(4)) - set(order):
            redundancy = np.mean([mutual_info_score(codes[j], codes[i]) for i in order])
            scores[j] = relevance[j] - redundancy if scheme == "difference" else relevance[j] / redundancy
        order.append(max(scores, key=scores.get))
    selector = MinimumRedundancy(4, scheme=scheme).fit(X, y)
    assert selector.order_.tolist() == order
    np.testing.assert_allclose(selector.relevance_, relevance, atol=1e-12)


def test_columns_of_any_kind_with_missing_values(titanic):
    X, y = titanic.drop("Survived"), titanic["Survived"]
    assert "Sex" in CorrelationSubset(measure="correlation").fit(X, y).get_feature_names_out()
    assert "Sex" in MinimumRedundancy(3).fit(X, y).get_feature_names_out()
    by_age = CorrelationSubset().fit(X.take(~X["Age"].missing).drop("Age"), X["Age"].take(~X["Age"].missing))
    assert "Pclass" in by_age.get_feature_names_out()
    with pytest.raises(DataError, match="k=9 of 7 columns"):
        MinimumRedundancy(9).fit(X, y)
    with pytest.raises(DataError, match="one class only"):
        CorrelationSubset().fit(X, ["a"] * len(X))


def test_importance_of_prepared_columns_is_added_up(titanic):
    X, y = titanic.drop("Survived"), titanic["Survived"]
    tree = DecisionTreeClassifier(max_depth=3).fit(X, y)
    own = ImportanceSelection(DecisionTreeClassifier(max_depth=3)).fit(X, y)
    np.testing.assert_allclose(own.importances_, tree.feature_importances_)
    assert own.threshold_ == pytest.approx(1 / 7)
    forest = ImportanceSelection(RandomForestClassifier(20, random_state=0), k=3).fit(X, y)
    assert "Sex" in forest.get_feature_names_out()
    from sklearn.ensemble import RandomForestClassifier as Theirs

    theirs = ImportanceSelection(Theirs(20, random_state=0), threshold="median").fit(X, y)
    assert theirs.importances_.sum() == pytest.approx(1.0)
    assert theirs.support_.sum() == 4


def test_columns_without_a_coefficient_are_left_out():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 5))
    y = 3 * X[:, 1] - X[:, 3] + 0.1 * rng.normal(size=100)
    selector = ImportanceSelection(Lasso(alpha=0.3), threshold=0.0).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [1, 3]
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    np.testing.assert_allclose(selector.importances_, np.abs(Lasso(alpha=0.3).fit(Z, y).coef_), atol=1e-3)
    with pytest.raises(DataError, match=r'GaussianNB has neither coefficients nor importances(.|\n)*"permutation"'):
        ImportanceSelection(GaussianNB()).fit(X, y > 0)
    with pytest.raises(DataError, match="k=6 of 5 columns"):
        ImportanceSelection(Lasso(), k=6).fit(X, y)


def test_importance_selection_needs_two_classes():
    with pytest.raises(DataError, match="one class only"):
        ImportanceSelection(DecisionTreeClassifier(), k=1).fit(np.eye(4), ["a"] * 4)
