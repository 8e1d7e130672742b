"""Plots of decision boundaries: colours, lines, points and axes follow the model."""

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from sklearn.svm import LinearSVC

import probus
from probus import DataError, Table
from probus.display.drawing import COLOURS
from probus.inspection import plot_boundary
from probus.linear_model import LogisticRegression
from probus.naive_bayes import GaussianNB
from probus.tree import DecisionTreeClassifier

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def closed():
    yield
    from matplotlib import pyplot

    pyplot.close("all")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    return X, np.where(X[:, 0] + 0.3 * rng.normal(size=80) > 0, "right", "left")


def test_shading_is_that_of_the_predicted_class_and_deeper_where_it_is_certain(rows):
    X, y = rows
    model = LogisticRegression().fit(X, y)
    ax = plot_boundary(model, X, y)
    image, (left, right, bottom, top) = ax.images[0].get_array(), ax.images[0].get_extent()
    n = len(image)
    x, v = left + (np.arange(n) + 0.5) * (right - left) / n, bottom + (np.arange(n) + 0.5) * (top - bottom) / n
    cells = np.column_stack([np.tile(x, n), np.repeat(v, n)])
    nearest = [np.abs(image - (1 - 0.55 * (1 - np.array(to_rgb(c))))).sum(axis=2) for c in COLOURS[:2]]
    found = np.argmin(nearest, axis=0).ravel()
    clear = np.abs(model.predict_proba(cells)[:, 1] - 0.5) > 0.2
    np.testing.assert_array_equal(model.classes_[found][clear], model.predict(cells)[clear])
    middle = image[n // 2]
    assert middle[0].sum() < middle[n // 2].sum() > middle[-1].sum()  # pale near the boundary


def test_lines_lie_where_probabilities_are_equal(rows):
    X, y = rows
    model = LogisticRegression().fit(X, y)
    ax = plot_boundary(model, X, y)
    points = np.concatenate([path.vertices for path in ax.collections[0].get_paths()])
    np.testing.assert_allclose(model.predict_proba(points)[:, 1], 0.5, atol=1e-3)


def test_wrong_rows_are_counted_and_marked(rows):
    X, y = rows
    model = LogisticRegression().fit(X, y)
    ax = plot_boundary(model, X, y)
    wrong = int((model.predict(X) != y).sum())
    assert ax.get_title(loc="left") == f"LogisticRegression: {wrong} of 80 rows wrong"
    points = ax.collections[1:]
    assert sum(len(part.get_offsets()) for part in points) == 80
    assert sum(len(part.get_offsets()) for part in points if part.get_linewidths()[0] > 1) == wrong
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["left", "right", "wrong"]


def test_a_model_without_probabilities_has_two_plain_colours(rows):
    X, y = rows
    ax = plot_boundary(LinearSVC(), X, y)
    assert len(np.unique(ax.images[0].get_array().reshape(-1, 3), axis=0)) == 2


def test_typed_columns_and_pipelines_are_drawn_by_name():
    birds = probus.datasets.penguins()
    ax = plot_boundary(probus.tabular(GaussianNB()), birds.select("island", "bill_depth_mm"), birds["species"])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("island", "bill_depth_mm")
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["Biscoe", "Dream", "Torgersen"]
    assert ax.get_title(loc="left").startswith("GaussianNB: ")


def test_other_columns_are_held_at_their_usual_value():
    birds = probus.datasets.penguins()
    table = birds.select("bill_length_mm", "bill_depth_mm", "island")
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(table, birds["species"])
    ax = plot_boundary(model, table, birds["species"], columns=("bill_length_mm", "bill_depth_mm"))
    held = Table.of({"bill_length_mm": [40.0], "bill_depth_mm": [18.0], "island": ["Biscoe"]}, infer=False)
    (left, right, bottom, top), n = ax.images[0].get_extent(), 240
    at = int((18.0 - bottom) / (top - bottom) * n), int((40.0 - left) / (right - left) * n)
    colour = ax.images[0].get_array()[at]
    expected = list(model.classes_).index(model.predict(held)[0])
    hues = [(1 - np.array(to_rgb(c))) / (1 - np.array(to_rgb(c))).max() for c in COLOURS[:3]]
    distances = [np.abs((1 - colour) / (1 - colour).max() - hue).sum() for hue in hues]
    assert int(np.argmin(distances)) == expected


def test_what_cannot_be_drawn_is_refused(rows):
    X, y = rows
    with pytest.raises(DataError, match=r"3 columns to draw.*\n.*two"):
        plot_boundary(GaussianNB(), np.column_stack([X, X[:, 0]]), y)


def test_the_feasible_region_is_not_empty_where_a_line_separates():
    from probus import DataError
    from probus.inspection import plot_feasible_region

    # NOT of the second column, of which the first is 1: weights (1, -2)
    ax = plot_feasible_region([[1.0, 0.0], [1.0, 1.0]], [1, 0], weights=[1, -2])
    assert ax.get_title(loc="left").endswith("some")
    corners = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
    assert plot_feasible_region(corners, [0, 0, 1, 1]).get_title(loc="left").endswith("none")  # exclusive or
    tiny = plot_feasible_region([[1e-10, 0.0], [0.0, 1e12], [1e-10, 1e12]], [1, 0, 1])
    assert tiny.get_title(loc="left").endswith("some")  # units do not matter
    opposite = plot_feasible_region([[1.0, 2.0], [2.0, 4.0]], [0, 1])
    assert opposite.get_title(loc="left").endswith("none")
    with pytest.raises(DataError, match="could not convert string"):
        plot_feasible_region([["a", "b"]], [0])
    with pytest.raises(DataError, match=r"weights=\[1\].*\n.*two finite numbers"):
        plot_feasible_region(corners, [0, 0, 1, 1], weights=[1])
    with pytest.raises(DataError, match="margin=-1"):
        plot_feasible_region(corners, [0, 0, 1, 1], margin=-1)
    with pytest.raises(DataError, match="two columns"):
        plot_feasible_region(np.ones((4, 3)), [0, 0, 1, 1])
    with pytest.raises(DataError, match="3 classes"):
        plot_feasible_region(corners, [0, 1, 2, 2])
