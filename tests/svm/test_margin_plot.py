"""What the picture of a margin shows."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.contour import QuadContourSet

from probus.data import Table
from probus.errors import DataError
from probus.svm import SVC, LinearSVC, OneClassSVM, plot_margin

mpl.use("Agg")


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def test_support_vectors_are_encircled(noisy):
    X, y = noisy[0][:80, :2], noisy[1][:80]
    model = SVC().fit(X, y)
    ax = plot_margin(model, X, y)
    circles = ax.collections[-1].get_offsets()
    np.testing.assert_allclose(circles, X[model.support_])
    assert ax.get_title(loc="left") == f"SVC: {len(model.support_)} support vectors of 80 rows"


def test_the_boundary_is_where_the_decision_is_zero(noisy):
    X = noisy[0][:80, :2]
    y = X[:, 0] > 0.5 * X[:, 1]
    model = SVC(kernel="linear").fit(X, y)
    ax = plot_margin(model, X, y)
    _, boundary, margins = (part for part in ax.collections if isinstance(part, QuadContourSet))
    for contour, level in ((boundary, 0.0), (margins, 1.0)):
        vertices = np.concatenate([path.vertices for path in contour.get_paths()])
        np.testing.assert_allclose(np.abs(model.decision_function(vertices)), level, atol=1e-6)


def test_several_classes_tables_and_machines_without_support_vectors_are_drawn(iris):
    X, y = iris[0][:, :2], iris[1]
    table = Table.of({"length": X[:, 0], "width": X[:, 1]})
    ax = plot_margin(LinearSVC().fit(table, y), table, y)
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title(loc="left")) == ("length", "width", "LinearSVC")
    assert plot_margin(OneClassSVM().fit(X), X).get_title(loc="left").startswith("OneClassSVM: ")


def test_other_numbers_of_columns_are_refused(iris):
    with pytest.raises(DataError, match=r"a model of 4 columns and X of shape \(150, 4\)"):
        plot_margin(SVC().fit(*iris), *iris)
