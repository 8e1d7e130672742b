import io

import matplotlib as mpl
import numpy as np
import pytest
import sklearn.tree
from matplotlib import pyplot
from matplotlib.patches import FancyBboxPatch
from sklearn.datasets import load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import probus.tree
from probus.data import Table
from probus.errors import DataError
from probus.tree.export import export_text, plot_tree

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def iris_tree(as_ours):
    iris = load_iris()
    fitted = DecisionTreeClassifier(random_state=0).fit(iris.data, iris.target)
    fitted.classes_ = iris.target_names
    return as_ours(fitted, iris.feature_names)


def boxes(ax):
    return [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]


def texts(drawn):
    return [text.get_text() for text in drawn]


def test_every_node_has_a_box_and_none_touches_another(iris_tree, random_model):
    for model in (iris_tree, *(random_model(seed, classes=2, depth=5) for seed in range(5))):
        ax = plot_tree(model)[0].axes
        found = [patch.get_extents() for patch in boxes(ax)]
        assert len(found) == model.tree_.node_count
        assert not any(a.overlaps(b) for i, a in enumerate(found) for b in found[:i])


def test_no_text_leaves_its_box_or_overlaps_other_text(random_model):
    ax = plot_tree(random_model(3, classes=3, depth=5))[0].axes
    drawn = ax.figure.canvas.get_renderer()
    found = [text.get_window_extent(drawn).padded(-1) for text in ax.texts]
    assert not any(a.overlaps(b) for i, a in enumerate(found) for b in found[:i])
    frames = [patch.get_extents() for patch in boxes(ax)]
    for text in found:
        inside = [f for f in frames if f.overlaps(text)]
        assert all(f.x0 <= text.x0 and text.x1 <= f.x1 for f in inside)
    assert all(ax.bbox.x0 <= text.x0 and text.x1 <= ax.bbox.x1 for text in found)


def test_what_lies_deeper_is_left_out(iris_tree):
    ax = plot_tree(iris_tree, max_depth=1)[0].axes
    assert texts(ax.texts).count("…") == 2  # one side is a leaf before
    assert len(boxes(ax)) == 5
    said = texts(plot_tree(iris_tree, max_depth=0))
    assert {"setosa: 100 %", "…"} <= set(said)  # a leaf hides nothing


def test_branches_demand_and_leaves_predict(iris_tree):
    said = texts(plot_tree(iris_tree, max_depth=1))
    assert {"petal width (cm)", "≤ 0.8", "> 0.8", "setosa: 100 %", "n = 150", "versicolor: 50 %"} <= set(said)


def test_levels_are_shown_on_the_branches(random_model):
    said = {text for seed in range(12) for text in texts(plot_tree(random_model(seed)))}
    assert {"elm", "≤ M", "> M"} <= said
    assert any(text.startswith("ash, ") for text in said)


def test_the_branch_of_missing_levels_is_named():
    rng = np.random.default_rng(0)
    level = rng.choice(["a", "b", "c", None], 200)
    y = [each in ("a", None) for each in level]
    model = probus.tree.DecisionTreeClassifier().fit(Table.of({"g": level}), y)
    assert "a or missing" in texts(plot_tree(model))


def test_conditions_are_broken_between_words():
    levels = ["Executive admin and managerial", "Professional specialty", "Electroencephalography"]
    work = Table.of({"work": np.repeat([*levels, "none"], 20)})
    model = probus.tree.DecisionTreeClassifier().fit(work, np.repeat([0, 0, 0, 1], 20))
    text = " ".join(each.get_text() for each in plot_tree(model))
    assert all(name in text for name in ("Executive admin and", "Professional specialty", levels[2]))


def test_options_add_lines_to_the_boxes(iris_tree):
    said = texts(plot_tree(iris_tree, impurity=True, node_ids=True, proportion=True, precision=2))
    assert {"gini = 0.67", "node 0", "100 % of rows", "33 % of rows"} <= set(said)
    said = texts(plot_tree(iris_tree, label="root", impurity=True))
    assert {"n = 150", "50", "gini = 0.667"} <= set(said)
    assert "150" in texts(plot_tree(iris_tree, label="none"))
    said = texts(plot_tree(iris_tree, feature_names=list("abcd"), class_names=["x", "y", "z"]))
    assert {"d", "x: 100 %", "z"} <= set(said)


def test_colour_is_stronger_the_purer_the_node(iris_tree):
    fills = [patch.get_facecolor() for patch in boxes(plot_tree(iris_tree)[0].axes)]
    assert min(fills[0][:3]) > 0.9  # a third of each
    assert min(fills[1][:3]) < 0.5  # one class only
    assert {patch.get_facecolor() for patch in boxes(plot_tree(iris_tree, filled=False)[0].axes)} == {(1, 1, 1, 1)}


def test_branches_are_as_thick_as_the_rows_they_take(iris_tree):
    ax = plot_tree(iris_tree, max_depth=0)[0].axes
    thin, thick = [
        patch.get_linewidth() for patch in ax.patches if not patch.get_fill() or patch.get_facecolor()[3] == 0
    ]
    assert thick == pytest.approx(2 * thin)  # 100 rows against 50


def test_it_fits_into_the_axes_it_is_given(as_ours):
    X, y = load_diabetes(return_X_y=True)
    model = as_ours(DecisionTreeRegressor(max_depth=5, random_state=0).fit(X, y))
    _, ax = pyplot.subplots(figsize=(9, 5))
    assert plot_tree(model, ax=ax)[0].axes is ax
    assert all(
        ax.bbox.padded(1).containsx(e.x0) and ax.bbox.padded(1).containsx(e.x1)
        for e in (p.get_extents() for p in boxes(ax))
    )
    _, ax = pyplot.subplots(figsize=(9, 5))
    plot_tree(model, ax=ax, fontsize=8)
    assert {text.get_fontsize() for text in ax.texts} == {8, 7.2}


def test_it_is_drawn_on_the_current_axes_as_scikit_learn_does(iris_tree):
    own = plot_tree(iris_tree)[0].figure
    assert plot_tree(iris_tree)[0].figure is not own
    _, (left, right) = pyplot.subplots(1, 2)
    pyplot.sca(left)
    assert {text.axes for text in plot_tree(iris_tree)} == {left}
    n = len(left.texts)
    assert len(plot_tree(iris_tree)) == len(left.texts) == n
    assert not right.texts


def test_trees_of_scikit_learn_are_shown_by_scikit_learn():
    theirs = DecisionTreeRegressor(max_depth=1).fit([[0.0], [1.0]], [2.0, 3.0])
    assert export_text(theirs, decimals=1) == sklearn.tree.export_text(theirs, decimals=1)
    assert [a.get_text() for a in plot_tree(theirs)] == [a.get_text() for a in sklearn.tree.plot_tree(theirs)]


def test_it_can_be_written_as_png_and_svg(random_model):
    ax = plot_tree(random_model(1, classes=2), rounded=False)[0].axes
    for form, begins in (("png", b"\x89PNG"), ("svg", b"<?xml")):
        buffer = io.BytesIO()
        ax.figure.savefig(buffer, format=form)
        assert buffer.getvalue().startswith(begins)


def test_many_classes_and_a_leaf_alone_are_drawn(as_ours):
    rng = np.random.default_rng(0)
    many = DecisionTreeClassifier(max_depth=3).fit(rng.random((300, 2)), np.arange(300) % 30)
    assert "29" not in texts(plot_tree(as_ours(many)))  # no legend for thirty
    one = DecisionTreeClassifier().fit([[0.0], [1.0]], ["only", "only"])
    assert texts(plot_tree(as_ours(one))) == ["only: 100 %", "n = 2", "only"]


def test_dollars_in_names_are_no_mathematics(as_ours):
    fitted = DecisionTreeRegressor().fit([[0.0], [1.0]], [2.0, 3.0])
    ax = plot_tree(as_ours(fitted, ["$ per $week_"]))[0].axes
    ax.figure.savefig(io.BytesIO())
    assert "$ per $week_" in texts(ax.texts)


def test_arguments_out_of_range_are_refused(iris_tree):
    with pytest.raises(DataError, match="label='some'"):
        plot_tree(iris_tree, label="some")
    with pytest.raises(DataError, match="max_depth=-1"):
        plot_tree(iris_tree, max_depth=-1)
