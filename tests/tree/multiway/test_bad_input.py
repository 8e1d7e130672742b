import sys

import numpy as np
import pytest

from probus import Column, DataError, Table
from probus.data import UnseenLevelWarning
from probus.testing._specimen import with_missing
from probus.tree.multiway import C45Classifier, CHAIDClassifier, ID3Classifier
from probus.tree.multiway._c45_pruning import collapse, prune
from probus.tree.multiway._coding import coding_of
from probus.tree.multiway._multiway_growth import GrowingNode, Split, Training, flattened
from probus.tree.preparation._design import design_of

MODELS = [ID3Classifier(), C45Classifier(), CHAIDClassifier(min_parent=4, min_child=1)]
every_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)


def weather_like(n=60, seed=0):
    rng = np.random.default_rng(seed)
    table = Table(Column.labels(name, [f"v{k}" for k in rng.integers(0, 3, n)]) for name in ("a", "b"))
    return table, (table["a"].values > 0).astype(int)


@every_model
def test_an_unseen_level_is_a_missing_value(model):
    table, y = weather_like()
    model.fit(table, y)
    with pytest.warns(UnseenLevelWarning, match="'a': 'new'"):
        strange = model.predict_proba({"a": ["new"], "b": ["v0"]})
    np.testing.assert_array_equal(strange, model.predict_proba({"a": [None], "b": ["v0"]}))


@every_model
def test_a_column_without_values_is_never_split_on(model):
    table, y = weather_like()
    hollow = table.with_columns(
        with_missing(table["b"], np.ones(60, bool)),
        Column.numbers("c", np.full(60, np.nan)),
        Column.labels("d", [None] * 60),
    )
    model.fit(hollow, y)
    assert set(model.tree_.feature[~model.tree_.is_leaf]) == {0}
    assert (model.predict(hollow) == y).all()


@every_model
def test_columns_without_levels_alone_give_a_leaf(model):
    empty = Column.labels("empty", [None] * 6, levels=())
    for kind in ("nominal", "ordinal"):
        assert model.fit(Table([empty.as_kind(kind)]), [0, 1] * 3).get_n_leaves() == 1
    assert ID3Classifier(n_bins=None).fit(Table([empty]), [0, 1] * 3).get_n_leaves() == 1


@every_model
def test_constant_columns_and_single_classes_give_a_leaf(model):
    table, y = weather_like()
    constant = Table([Column.labels("same", ["x"] * 60), Column.numbers("one", np.ones(60))])
    assert model.fit(constant, y).get_n_leaves() == 1
    np.testing.assert_allclose(model.predict_proba(constant)[0], np.bincount(y) / 60)
    assert model.fit(table, ["only"] * 60).get_depth() == 0


@every_model
def test_thousands_of_levels_are_no_reason_to_fail(model):
    rng = np.random.default_rng(0)
    name = Column.labels("name", [f"n{i}" for i in rng.integers(0, 3000, 4000)])
    group = rng.integers(0, 3, 4000)
    table = Table([name, Column.labels("group", [f"g{g}" for g in group])])
    y = (group > 0).astype(int)
    assert (model.fit(table, y).predict(table) == y).all()


@every_model
def test_labels_that_are_missing_are_refused(model):
    table, y = weather_like()
    with pytest.raises(DataError, match="Input y contains NaN"):
        model.fit(table, np.where(np.arange(60) == 3, np.nan, y))


@every_model
@pytest.mark.parametrize(("weights", "text"), [(-np.ones(60), "Negative"), (np.zeros(60), "zero")])
def test_weights_that_make_no_sense_are_refused(model, weights, text):
    with pytest.raises(ValueError, match=f"(?i){text}"):
        model.fit(*weather_like(), sample_weight=weights)


@every_model
def test_a_row_of_no_weight_teaches_nothing_not_even_a_level(model):
    table, y = weather_like()
    odd = Table.of({"a": [*table["a"].decoded(), "odd"], "b": [*table["b"].decoded(), "v0"]}, infer=False)
    weighted = model.fit(odd, [*y, 1], sample_weight=[1.0] * 60 + [0.0]).export_text()
    assert weighted == model.fit(table, y).export_text()


def chain(depth):
    """A tree that splits off one row after the other, far deeper than Python may recurse."""
    x, y = np.arange(depth + 1.0), np.arange(depth + 1) % 2
    model = C45Classifier()
    design = design_of(model, x[:, None], reset=True)
    coding = coding_of(design, None, np.ones(depth + 1), n_bins=None, ordinal_levels=False)
    training = Training(design.X, y, np.ones(depth + 1), 2, coding)
    node = root = GrowingNode(np.bincount(y, minlength=2) * 1.0)
    for i in range(depth):
        node.split = Split(0, 2, 0.1, threshold=x[i])
        counts = [np.bincount(part, minlength=2) * 1.0 for part in (y[[i]], y[i + 1 :])]
        node.children = [GrowingNode(part) for part in counts]
        node = node.children[1]
    return model, root, training


@pytest.mark.slow
def test_deep_trees_do_not_exhaust_the_stack():
    depth = 2 * sys.getrecursionlimit()
    model, root, training = chain(depth)
    collapse(root)
    model.tree_ = flattened(root, training.coding, laplace=False)
    model.classes_, model.n_classes_ = np.array([0, 1]), 2
    assert (model.get_depth(), len(model.rules()), model.export_text().count("\n")) == (depth, depth + 1, 2 * depth - 1)
    assert model.predict([[7.0], [8.0]]).tolist() == [1, 0]
    prune(root, training, 0.25, raising=False)
    assert root.split is None
