import numpy as np
import pytest

from probus.datasets import iris
from probus.ensemble import RandomForestClassifier, RandomForestRegressor
from probus.errors import DataError


@pytest.fixture(scope="module")
def flowers():
    table = iris()
    return table.drop("species"), table["species"].decoded()


@pytest.fixture(scope="module")
def forest(flowers):
    return RandomForestClassifier(60, random_state=0).fit(*flowers)


@pytest.mark.parametrize("kind", ["all", "oob"])
def test_scores_are_breimans_from_the_whole_matrix(forest, flowers, kind):
    X, y = flowers
    P, expected = forest.proximity(X, kind=kind), np.empty(150)
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        raw = len(rows) / (P[np.ix_(rows, rows)] ** 2).sum(axis=1)
        away = raw - np.median(raw)
        mad = np.median(np.abs(away))
        expected[rows] = away / (1.4826 * mad if mad > 0 else 1.2533 * np.abs(away).mean())
    np.testing.assert_allclose(forest.outlier_scores(X, y, kind=kind), expected)


def test_a_row_with_the_label_of_another_class_lies_outside(flowers):
    X, y = flowers[0], flowers[1].copy()
    y[3] = "virginica"
    scores = RandomForestClassifier(60, random_state=0).fit(X, y).outlier_scores(X, y, kind="oob")
    assert scores[y == "virginica"].max() == scores[3]


def test_without_classes_all_rows_are_one():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    X[0] = 12.0
    forest = RandomForestRegressor(50, min_samples_leaf=5, random_state=0).fit(X, X.sum(axis=1))
    scores = forest.outlier_scores(X)
    np.testing.assert_allclose(np.median(scores), 0.0, atol=1e-12)
    assert scores.shape == (100,)


def test_rows_that_are_all_alike_have_no_outlier():
    forest = RandomForestClassifier(5, random_state=0).fit(np.ones((6, 1)), [0, 1] * 3)
    np.testing.assert_array_equal(forest.outlier_scores(np.ones((6, 1))), 0.0)


def test_a_kind_that_is_not_symmetric_is_an_error(forest, flowers):
    with pytest.raises(DataError, match=r"kind='gap'.\n  Expected 'all' or 'oob'"):
        forest.outlier_scores(*flowers, kind="gap")
