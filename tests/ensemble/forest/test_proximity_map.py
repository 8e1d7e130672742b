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
def test_the_plane_is_that_of_classical_scaling(forest, flowers, kind):
    P = forest.proximity(flowers[0], kind=kind)
    np.fill_diagonal(P, 1.0)
    J = np.eye(150) - 1 / 150
    B = -0.5 * J @ (1.0 - P) @ J
    values, axes = np.linalg.eigh(B)
    found = forest.proximity_map(flowers[0], kind=kind)
    best = (axes[:, -2:] * values[-2:]) @ axes[:, -2:].T
    np.testing.assert_allclose(found.points @ found.points.T, best, atol=1e-6)
    np.testing.assert_allclose(found.explained, values[[-1, -2]] / np.trace(B), rtol=1e-6)


def test_classes_lie_apart(forest, flowers):
    found = forest.proximity_map(*flowers, kind="oob")
    centres = np.array([found.points[flowers[1] == label].mean(axis=0) for label in forest.classes_])
    nearest = np.linalg.norm(found.points[:, None] - centres, axis=2).argmin(axis=1)
    assert (forest.classes_[nearest] == flowers[1]).mean() > 0.9


def test_the_same_points_come_again(forest, flowers):
    one, two = forest.proximity_map(flowers[0]), forest.proximity_map(flowers[0])
    assert one.points.tobytes() == two.points.tobytes()


def test_rows_that_are_all_alike_are_one_point():
    forest = RandomForestClassifier(5, random_state=0).fit(np.ones((6, 1)), [0, 1] * 3)
    np.testing.assert_array_equal(forest.proximity_map(np.ones((6, 1))).points, 0.0)


def test_points_are_drawn_with_classes_numbers_or_neither(forest, flowers):
    X, y = flowers
    assert [t.get_text() for t in forest.proximity_map(X, y).plot().texts] == ["setosa", "versicolor", "virginica"]
    assert forest.proximity_map(X).plot().get_title(loc="left") == "Rows by proximity"
    numbers = RandomForestRegressor(10, random_state=0).fit(X, X["petal_length"]).proximity_map(X, X["petal_length"])
    numbers.plot()
    assert numbers.to_frame().columns == ["x1", "x2", "y"]
    assert "150 rows in a plane" in repr(numbers)


def test_too_few_rows_are_an_error(forest, flowers):
    with pytest.raises(DataError, match=r"a map of 3 rows.\n  Expected four rows or more"):
        forest.proximity_map(flowers[0].take([0, 1, 2]))
