"""Explanations hang together: they sum to the prediction, can be picked apart, printed and drawn."""

import numpy as np
import pytest

from probus.ensemble.shap import ShapValues, SumOfTrees, TreeExplained
from probus.errors import DataError
from probus.tree.prediction._walk import sums_of


class Averaged(TreeExplained):
    """As a model would be: half the sum of its trees, and a constant."""

    def __init__(self, trees, n_groups=1, outputs=()):
        self.trees_, self.n_groups, self.outputs = trees, n_groups, outputs

    def _seen(self, X):
        return X

    def _sum_of_trees(self):
        return SumOfTrees(self.n_groups, 0.5, np.arange(self.n_groups * self.trees_.n_values) + 1.0, self.outputs)

    def predict(self, X):
        _, scale, offset, _ = self._sum_of_trees()
        return offset + scale * sums_of(self.trees_, X, self.n_groups)


@pytest.fixture(scope="module")
def numbers(grow_at_random):
    trees, X = grow_at_random(0, 6, 12, (0, 3, 0))
    return Averaged(trees), np.clip(X, -5, 5)


@pytest.fixture(scope="module")
def classes(grow_at_random):
    trees, X = grow_at_random(1, 6, 12, (0, 3, 0), n_outputs=3)
    return Averaged(trees, 1, ("a", "b", "c")), np.clip(X, -5, 5)


def test_one_output_sums_to_the_prediction(numbers):
    model, X = numbers
    shap = model.shap_values(X)
    assert shap.values.shape == X.shape
    np.testing.assert_allclose(shap.base + shap.values.sum(axis=1), model.predict(X)[:, 0])
    np.testing.assert_allclose(shap.prediction, model.predict(X)[:, 0])


def test_every_output_sums_to_its_prediction(classes):
    model, X = classes
    shap = model.shap_values(X)
    assert shap.values.shape == (*X.shape, 3)
    np.testing.assert_allclose(shap.prediction, model.predict(X))


def test_groups_are_outputs_too(grow_at_random):
    trees, X = grow_at_random(2, 6, 12)
    model = Averaged(trees, 3, (0, 1, 2))
    np.testing.assert_allclose(model.shap_values(X).prediction, model.predict(X))


def test_an_output_can_be_picked(classes):
    model, X = classes
    shap = model.shap_values(X)
    np.testing.assert_array_equal(shap["b"].values, shap.values[:, :, 1])
    np.testing.assert_allclose(shap["b"].prediction, model.predict(X)[:, 1])
    with pytest.raises(DataError, match=r"no output 'd'\.\s+Expected 'a', 'b', 'c'\."):
        shap["d"]
    with pytest.raises(DataError, match="Expected one output alone"):
        shap["a"]["a"]


def test_columns_are_ranked_by_mean_size(numbers, classes):
    shap = numbers[0].shap_values(numbers[1])
    sizes = np.abs(shap.values).mean(axis=0)
    np.testing.assert_array_equal(shap.importances, sizes)
    assert [name for name, _ in shap.ranked] == [f"x{j}" for j in np.argsort(-sizes)]
    several = classes[0].shap_values(classes[1])
    assert several.importances.shape == (3, 3)
    assert sum(size for _, size in several.ranked) == pytest.approx(several.importances.sum())


def test_names_come_from_the_model(numbers):
    model = Averaged(numbers[0].trees_)
    model.feature_names_in_ = np.array(["age", "job", "income"], object)
    assert model.shap_values(numbers[1]).feature_names == ("age", "job", "income")


def test_it_reads(numbers, classes):
    told = repr(numbers[0].shap_values(numbers[1]))
    assert told.startswith("What 3 columns add to 50 predictions from a base of ")
    assert len(told.splitlines()) == 4
    assert "for 3 outputs" in repr(classes[0].shap_values(classes[1]))


def test_many_columns_are_not_all_printed(grow_at_random):
    trees, X = grow_at_random(3, n_levels=(0,) * 25)
    assert repr(Averaged(trees).shap_values(X)).endswith("… 15 more")


def test_frames_hold_the_values(numbers, classes):
    shap = numbers[0].shap_values(numbers[1])
    assert shap.to_frame().columns == ["x0", "x1", "x2"]
    np.testing.assert_array_equal(shap.to_frame().to_numpy(), shap.values)
    several = classes[0].shap_values(classes[1])
    frame = several.to_frame()
    assert frame.shape == (150, 4)
    np.testing.assert_array_equal(frame.filter(output="c").drop("output").to_numpy(), several.values[:, :, 2])


def test_it_becomes_plain_data(numbers):
    data = numbers[0].shap_values(numbers[1]).to_dict()
    assert np.shape(data["values"]) == (50, 3)
    assert data["nominal"] == [False, True, False]


def test_results_are_frozen_and_the_data_are_not(numbers):
    model, X = numbers
    shap = model.shap_values(X)
    with pytest.raises(ValueError, match="read-only"):
        shap.values[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        shap.data[0] = 0
    assert X.flags.writeable


def test_a_beeswarm_has_a_point_for_each_row_and_column(numbers):
    shap = numbers[0].shap_values(numbers[1])
    ax = shap.plot()
    swarms = ax.collections
    assert [label.get_text() for label in ax.get_yticklabels()] == [name for name, _ in shap.ranked]
    for swarm, (name, _) in zip(swarms, shap.ranked, strict=True):
        np.testing.assert_allclose(swarm.get_offsets()[:, 0], shap.values[:, int(name[1])])
    heights = np.concatenate([swarm.get_offsets()[:, 1] - place for place, swarm in enumerate(swarms)])
    assert np.abs(heights).max() < 0.5


def test_bars_add_up_over_outputs(classes):
    shap = classes[0].shap_values(classes[1])
    ax = shap.plot(n_columns=2)
    ends = [patch.get_x() + patch.get_width() for patch in ax.patches]
    assert max(ends) == pytest.approx(shap.ranked[0][1])
    assert len(ax.patches) == 2 * 3
    assert len(shap["a"].plot(kind="bar").patches) == 3


def test_pictures_of_constants_are_drawn(grow_at_random):
    trees, X = grow_at_random(4, n_leaves=1)
    shap = Averaged(trees).shap_values(np.clip(X, -5, 5))
    assert (shap.values == 0).all()
    shap.plot()
    shap.plot(kind="bar")


def test_pictures_that_there_are_not_are_refused(classes):
    shap = classes[0].shap_values(classes[1])
    with pytest.raises(DataError, match=r"beeswarm of 3 outputs\.\s+Expected one\. Choose one: shap\['a'\]\.plot\(\)"):
        shap.plot(kind="beeswarm")
    with pytest.raises(DataError, match=r"kind='waterfall'\.\s+Expected 'beeswarm' or 'bar'"):
        shap.plot(kind="waterfall")


def test_it_shows_itself_in_notebooks(numbers):
    assert "<svg" in numbers[0].shap_values(numbers[1])._repr_html_()


def test_missing_values_and_levels_have_their_words(numbers):
    _, X = numbers
    shap = ShapValues(np.zeros_like(X), 0.0, X.copy(), ("a", "b", "c"), np.array([False, True, False]))
    assert {text.get_text() for text in shap.plot().texts} == {"low", "high", "missing", "nominal"}
