"""Edits of curves, what is shown of them, saving, and input that is refused."""

import re

import numpy as np
import pytest

import probus
from probus.ensemble import ExplainableBoostingClassifier, ExplainableBoostingRegressor
from probus.errors import DataError, ModelFileError


def data(n=300):
    rows = np.random.default_rng(0)
    level = np.array(list("abc"))[rows.integers(0, 3, n)]
    x, z = rows.uniform(-1, 1, n), rows.integers(0, 5, n).astype(float)
    y = x + (level == "b") + 0.2 * z + x * z / 5 + 0.1 * rows.normal(size=n)
    return {"x": x, "z": z, "level": level}, y


@pytest.fixture
def model():
    X, y = data()
    return ExplainableBoostingRegressor(interactions=[("x", "z")], random_state=0, max_rounds=60).fit(X, y)


def change(model, before):
    return model.predict(data()[0]) - before


def test_a_curve_is_replaced_by_what_is_given_and_predictions_follow(model):
    X, _ = data()
    before = model.predict(X) - model.explain_local(X).values[:, 0, 0]
    model.set_curve("x", lambda x: 2 * x)
    places = model.curve("x").view.centres
    np.testing.assert_allclose(model.curve("x").values[:-1], 2 * places)
    np.testing.assert_allclose(change(model, before), 2 * X["x"], atol=0.05)
    model.set_curve("x", ([-1.0, 1.0], [0.0, 4.0]), missing=7.0)
    np.testing.assert_allclose(model.curve("x").values[:-1], 2 * places + 2)
    assert model.curve("x").values[-1] == 7.0
    model.set_curve("x", 0)
    np.testing.assert_allclose(change(model, before), 0, atol=1e-12)
    model.set_curve("x", np.arange(len(places)))
    assert model.curve("x").values[:3].tolist() == [0.0, 1.0, 2.0]
    assert np.isnan(model.curve("x").errors).all()
    assert model.explain_global().edited == ("x",)


def test_levels_are_set_by_name_and_others_keep_their_value(model):
    before = model.curve("level").values
    model.set_curve("level", {"b": 5.0})
    assert model.curve("level").values.tolist() == [before[0], 5.0, before[2], before[3]]


def test_a_pair_is_set_in_either_order(model):
    shape = model.pair("x", "z").values.shape
    table = np.arange(float(np.prod(shape))).reshape(shape)
    model.set_curve(("x", "z"), table)
    np.testing.assert_array_equal(model.pair("z", "x").values, table.T)
    model.set_curve(("z", "x"), table.T + 1)
    np.testing.assert_array_equal(model.pair("x", "z").values, table + 1)
    assert model.explain_global().edited == ("x × z",)


def test_smoothing_leaves_as_many_degrees_of_freedom_and_the_mean(model):
    before = model.curve("x")
    after = model.smooth("x", 2).curve("x")
    assert np.abs(np.diff(after.values[:-1], 2)).max() < 1e-3 * np.ptp(after.values)
    assert abs(after.rows @ after.values - before.rows @ before.values) < 1e-4 * len(data()[1])
    bent = np.abs(np.diff(before.values[:-1], 2)).sum()
    assert np.abs(np.diff(model.smooth("x", 40).curve("x").values[:-1], 2)).sum() < bent


@pytest.mark.parametrize(
    ("column", "curve", "text"),
    [
        ("x", ([0.0, 0.5, 0.5], [1.0, 2.0, 3.0]), "'x' = 0.5 has the values 2 and 3"),
        ("x", lambda x: np.arange(len(x)), "for one value"),
        ("x", lambda x, z: x * z, "fails on its values"),
        ("x", lambda x: x[:3], "returns an array of shape (3,)"),
        ("x", lambda x: x * np.nan, "not finite"),
        ("x", [1.0, 2.0], "one for each of its"),
        ("x", ([0.0], [1.0, 2.0]), "1 places and 2 values"),
        ("x", "up", "in place of|as values of the curve"),
        ("x", {}, "no points"),
        ("level", {"q": 1.0}, "no level 'q'"),
        ("lavel", 1.0, "Did you mean 'level'?"),
        (("x", "level"), 1.0, "no table of 'x' and 'level'"),
        (("x", "z"), np.ones((2, 2)), "a table of shape (2, 2)"),
        (("x", "x"), 1.0, "with itself"),
    ],
)  # fmt: skip
def test_an_edit_that_is_no_function_of_its_column_is_refused(model, column, curve, text):
    before = model.terms_
    with pytest.raises(DataError) as error:
        model.set_curve(column, curve)
    assert any(part in str(error.value) for part in text.split("|"))
    assert model.terms_ is before


def test_smoothing_levels_or_below_a_line_is_refused(model):
    with pytest.raises(DataError, match="levels without an order"):
        model.smooth("level")
    with pytest.raises(DataError, match="at least 2"):
        model.smooth("x", 1)


def test_an_edit_that_breaks_its_constraint_is_refused():
    X, y = data()
    model = ExplainableBoostingRegressor(monotone_constraints={"x": 1}, max_rounds=30, random_state=0).fit(X, y)
    with pytest.raises(DataError, match="not rising"):
        model.set_curve("x", lambda x: -x)
    assert (np.diff(model.smooth("x", 6).curve("x").values[:-1]) >= 0).all()


def test_a_saved_model_predicts_the_same_after_edits(model, tmp_path):
    X, _ = data()
    model.set_curve("x", lambda x: x**2).smooth("z", 2)
    again = probus.load(probus.save(model, tmp_path / "glass.probus"))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.explain_global().edited == model.explain_global().edited == ("x", "z")


def test_damaged_terms_are_refused(model):
    terms = model.terms_
    for name, value in (
        ("sizes", terms.sizes[:-1]),
        ("sizes", np.ones_like(terms.sizes)),
        ("tables", terms.tables[:-1]),
        ("curves", np.full_like(terms.curves, np.nan)),
    ):
        with pytest.raises(ModelFileError):
            type(terms).of_parts({**terms.parts(), name: value})
    columns = terms.columns
    for name, value in (("edges", np.zeros_like(columns.edges)), ("level_codes", columns.level_codes + 9)):
        with pytest.raises(ModelFileError):
            type(columns).of_parts({**columns.parts(), name: value})


def test_results_have_text_html_and_frames(model):
    X, _ = data()
    frame = model.to_frame()
    assert set(frame["column"]) == {"x", "z", "level"}
    assert (frame["low"] < frame["high"]).all()
    assert "What x adds to the prediction" in repr(model.curve("x"))
    assert "<svg" in model.pair("x", "z")._repr_html_()
    assert model.explain_global().to_frame().columns == ["term", "size", "edited"]
    assert model.explain_local({name: cells[:2] for name, cells in X.items()}).to_frame().shape == (8, 3)
    assert len(model.plot().axes) >= 4
    assert model.plot_curve(("x", "z")).get_title(loc="left") == "x × z"


BAD = [
    ({"interactions": [("x", "q")]}, "no column 'q'"),
    ({"interactions": ["x"]}, "in place of a pair"),
    ({"interactions": [("x", "z")], "exclude": ["x"]}, "the pair of 'x' and 'z'"),
    ({"exclude": ["q"]}, "no column 'q'"),
    ({"monotone_constraints": {"level": 1}}, "monotone_constraints of a nominal column"),
    ({"objective": probus.losses.AbsoluteError()}, "line search"),
    ({"objective": "poisson"}, "negative"),
]  # fmt: skip


@pytest.mark.parametrize(("parameters", "text"), BAD)
def test_parameters_that_cannot_be_are_refused(parameters, text):
    X, y = data(60)
    with pytest.raises(DataError, match=re.escape(text)):
        ExplainableBoostingRegressor(**parameters).fit(X, y)


def test_awkward_tables_are_fitted():
    rows = np.random.default_rng(0)
    y = rows.normal(size=20)
    wide = ExplainableBoostingRegressor(random_state=0).fit(rows.normal(size=(20, 60)), y)
    assert np.isfinite(wide.predict(rows.normal(size=(3, 60)))).all()
    empty = {"nothing": np.full(20, np.nan), "same": np.ones(20), "x": y + 1}
    model = ExplainableBoostingRegressor(random_state=0).fit(empty, y)
    assert not model.curve("nothing").values.any()
    assert not model.curve("same").values.any()
    one = ExplainableBoostingClassifier(random_state=0).fit(empty, np.zeros(20))
    assert one.predict_proba(empty).tolist() == [[1.0]] * 20


def test_unseen_levels_are_missing_with_a_warning(model):
    X, _ = data()
    with pytest.warns(UserWarning, match="new"):
        found = model.predict({**{name: cells[:1] for name, cells in X.items()}, "level": ["new"]})
    known = model.explain_local({name: cells[:1] for name, cells in X.items()})
    assert found[0] == pytest.approx(known.scores[0, 0] - known.values[0, 2, 0])


def test_scores_before_must_fit_the_rows():
    X, y = data(60)
    with pytest.raises(DataError, match="init_score of shape"):
        ExplainableBoostingRegressor().fit(X, y, init_score=y[:5])


def test_a_class_is_named_where_each_has_curves():
    X, y = data()
    model = ExplainableBoostingClassifier(max_rounds=20, random_state=0).fit(X, np.digitize(y, [0.5, 1.2]))
    with pytest.raises(DataError, match="no label"):
        model.curve("x")
    assert model.curve("x", 2).output == 2
