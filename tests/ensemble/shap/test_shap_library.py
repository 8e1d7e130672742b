"""The explainers and plots of the library shap take our models and values; run where shap is installed."""

import subprocess
import sys

import numpy as np
import pytest

from probus.after_import import after_import
from probus.datasets import titanic
from probus.ensemble import (
    BoostingClassifier,
    BoostingRegressor,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from probus.ensemble.shap._shap_library import trees_for_shap
from probus.errors import DataError
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
X[RNG.random(X.shape) < 0.05] = np.nan
SIGNAL = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) ** 2
TWO, THREE = np.where(SIGNAL > 1, "b", "a"), np.digitize(SIGNAL, [0.3, 1.2])
MODELS = {
    "forest, two classes": (RandomForestClassifier(5, random_state=0), TWO),
    "forest, three classes": (RandomForestClassifier(5, random_state=0), THREE),
    "forest, numbers": (RandomForestRegressor(5, random_state=0), SIGNAL),
    "extra trees": (ExtraTreesRegressor(5, random_state=0), SIGNAL),
    "boosting, two classes": (BoostingClassifier(10, random_state=0), TWO),
    "boosting, three classes": (BoostingClassifier(10, random_state=0), THREE),
    "boosting, numbers": (BoostingRegressor(10, random_state=0), SIGNAL),
    "histograms": (HistGradientBoostingClassifier(max_iter=10), TWO),
    "a tree of classes": (DecisionTreeClassifier(max_depth=4), TWO),
    "a tree of numbers": (DecisionTreeRegressor(max_depth=4), SIGNAL),
}


def walked(tree, row):
    """The value of a tree of shap's dict for a row: what shap's own code does with it."""
    node = 0
    while tree["children_left"][node] >= 0:
        x = row[tree["features"][node]]
        side = (
            "children_default"
            if np.isnan(x)
            else "children_left"
            if x <= tree["thresholds"][node]
            else "children_right"
        )
        node = tree[side][node]
    return tree["values"][node]


@pytest.mark.parametrize("name", MODELS)
def test_the_trees_for_shap_sum_to_the_prediction(name):
    model, y = MODELS[name]
    model.fit(X, y)
    trees = trees_for_shap(model)["trees"]
    sums = np.array([sum(walked(tree, row) for tree in trees) for row in X[:20]])
    method = next(m for m in ("decision_function", "predict_proba", "predict") if hasattr(model, m))
    np.testing.assert_allclose(sums, getattr(model, method)(X[:20]).reshape(20, -1), atol=1e-12)


def test_what_shap_lacks_is_an_error_with_the_line_to_type():
    people = titanic()[["Sex", "Age", "Survived"]]
    forest = RandomForestClassifier(3, random_state=0).fit(people[["Sex", "Age"]], people["Survived"])
    with pytest.raises(DataError, match=r"levels of 'Sex', which shap's TreeExplainer(.|\n)*model\.shap_values\(X\)"):
        trees_for_shap(forest)
    tree = DecisionTreeClassifier(missing="surrogate", max_depth=2).fit(X, TWO)
    with pytest.raises(DataError, match="has surrogate splits, which"):
        trees_for_shap(tree)


@pytest.mark.parametrize("name", MODELS)
def test_shap_explains_our_trees_as_we_do(name):
    shap = pytest.importorskip("shap")
    model, y = MODELS[name]
    model.fit(X, y)
    theirs = shap.TreeExplainer(model)(X[:20])  # checks itself that they add up
    if not hasattr(model, "shap_values"):
        return
    ours = model.shap_values(X[:20])
    np.testing.assert_allclose(theirs.values, ours.values, atol=1e-6)
    np.testing.assert_allclose(theirs.base_values, ours.base_values, atol=1e-6)


def test_plots_of_shap_take_our_values(monkeypatch):
    shap = pytest.importorskip("shap")
    import matplotlib

    matplotlib.use("Agg")
    values = BoostingClassifier(10, random_state=0).fit(X, TWO).shap_values(X[:20])
    for plot in (shap.plots.beeswarm, shap.plots.bar, shap.plots.violin, shap.plots.heatmap):
        plot(values, show=False)
    shap.plots.waterfall(values.to_shap()[0], show=False)
    shap.summary_plot(values, X[:20], show=False)
    shap.dependence_plot(0, values, X[:20], show=False)


def test_a_library_that_is_imported_later_is_prepared_then(tmp_path, monkeypatch):
    (tmp_path / "imported_later.py").write_text("done = 0\n")
    (tmp_path / "preparing.py").write_text("def prepare(library):\n    library.done += 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    after_import("imported_later", "preparing", "prepare")
    after_import("imported_later", "preparing", "prepare")  # once is enough
    assert "preparing" not in sys.modules
    import imported_later

    assert imported_later.done == 1
    after_import("imported_later", "preparing", "prepare")
    assert imported_later.done == 2
    assert all(getattr(each, "library", "") != "imported_later" for each in sys.meta_path)


def test_shap_is_not_imported_with_our_trees():
    code = "import sys, probus.ensemble; print('shap' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
