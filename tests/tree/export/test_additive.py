import json

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from probus.errors import DataError
from probus.tree.export import regions

mpl.use("Agg")


@pytest.mark.parametrize("surrogates", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_the_sum_over_regions_is_the_prediction(random_model, mixed_table, seed, surrogates):
    table = mixed_table(100 + seed)
    number = random_model(seed, surrogates)
    np.testing.assert_array_equal(regions(number)(table), number.predict(table))
    classes = random_model(seed, surrogates, classes=3)
    np.testing.assert_array_equal(regions(classes)(table), classes.predict_proba(table))


@pytest.mark.parametrize("seed", range(12))
def test_every_row_is_in_one_region_and_needs_no_surrogate_where_nothing_is_missing(random_model, mixed_table, seed):
    table = mixed_table(seed, missing=0.0)
    found = regions(random_model(seed))
    assert (found.contains(table).sum(axis=1) == 1).all()
    seen = found.model._seen(table)
    assert (sum(box.contains(seen).astype(int) for box in found) == 1).all()


def test_text_html_and_data(random_model):
    found = regions(random_model(3))
    assert repr(found).startswith(f"f(x) = Σ c_m 1[x ∈ Q_m], {len(found)} regions\n")
    assert json.loads(json.dumps(found.to_dict()))[0]["leaf"] == found[0].leaf
    assert found.to_frame().columns == ["leaf", "constant", "column", "low", "high", "levels", "missing"]
    assert found.constants.shape == (len(found),)
    assert found._repr_html_().count("<tr>") == len(found) + 1


def test_one_column_is_drawn_as_steps(as_ours):
    fitted = DecisionTreeRegressor(max_depth=2).fit([[1.0], [2.0], [7.0], [10.0], [20.0]], [1, 1, 0.5, 9, 11])
    ax = regions(as_ours(fitted)).plot()
    heights = {float(line.get_ydata()[0]) for line in ax.lines}
    assert heights == set(fitted.tree_.value[fitted.tree_.children_left < 0].ravel().tolist())


def test_two_columns_are_drawn_as_tiles_that_fill_the_axes(as_ours):
    rng = np.random.default_rng(0)
    X = rng.random((80, 2))
    fitted = DecisionTreeRegressor(max_leaf_nodes=9, random_state=0).fit(X, X[:, 0] + np.sin(9 * X[:, 1]))
    ax = regions(as_ours(fitted)).plot()
    assert 0 < len(ax.texts) <= 9
    area = sum(tile.get_width() * tile.get_height() for tile in ax.patches)
    assert area == pytest.approx(np.ptp(ax.get_xlim()) * np.ptp(ax.get_ylim()))


def test_levels_are_side_by_side(random_model):
    for seed in range(60):
        found = regions(random_model(seed, classes=2, depth=2))
        features = {condition.feature for box in found for condition in box.conditions}
        if features == {1, 3}:
            ax = found.plot()
            assert [label.get_text() for label in ax.get_xticklabels()][:2] == ["ash", "beech"]
            return
    raise AssertionError("no such tree among them")


def test_more_columns_are_not_drawn(random_model):
    wide = next(m for m in map(random_model, range(50)) if len(np.unique(m.tree_.feature)) == 5)
    with pytest.raises(DataError, match=r"the tree splits on 4 columns.\n  Expected one or two columns to plot"):
        regions(wide).plot()
