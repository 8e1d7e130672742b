"""Intervals of numbers, products of columns, and images as columns."""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import KBinsDiscretizer, PolynomialFeatures

import probus
from probus import DataError, Table
from probus.datasets import load
from probus.preprocessing import Monomials, TableDiscretizer, pixel_columns
from probus.tree import DecisionTreeClassifier


@pytest.mark.parametrize("strategy", ["uniform", "quantile", "kmeans"])
def test_intervals_are_those_of_scikit_learn_on_known_rows(strategy):
    rng = np.random.default_rng(0)
    x = np.round(rng.normal(size=300), 2)
    gaps = np.where(rng.random(300) < 0.2, np.nan, x)
    known = ~np.isnan(gaps)
    table = Table.of({"x": gaps, "kind": ["a", "b", "c"] * 100})
    ours = TableDiscretizer(4, strategy=strategy, encode="level").fit(table)
    how = {"quantile_method": "averaged_inverted_cdf"} if strategy == "quantile" else {}
    theirs = KBinsDiscretizer(4, encode="ordinal", strategy=strategy, subsample=None, **how).fit(gaps[known, None])
    found = ours.transform(table)
    numbers = ours.set_params(encode="number").transform(table)["x"].values
    np.testing.assert_array_equal(numbers, np.where(found["x"].missing, np.nan, found["x"].values))
    ours.set_params(encode="level")
    np.testing.assert_array_equal(found["x"].values[known], theirs.transform(gaps[known, None])[:, 0])
    assert (found["x"].values[~known] == -1).all()
    assert found["x"].kind is probus.Kind.ORDINAL
    assert found["kind"].decoded().tolist() == table["kind"].decoded().tolist()
    assert found["x"].missing.sum() == (~known).sum()
    beyond = ours.transform(Table.of({"x": [-99.0, 99.0], "kind": ["a", "b"]}))["x"]
    assert beyond.values.tolist() == [0, 3]


@pytest.mark.parametrize("strategy", ["uniform", "quantile", "kmeans"])
@pytest.mark.parametrize("unit", [2.0**-60, 2.0**40])
def test_intervals_do_not_depend_on_the_unit(strategy, unit):
    x = np.random.default_rng(0).normal(size=200)
    cuts = TableDiscretizer(4, strategy=strategy).fit(x[:, None]).cuts_[0]
    np.testing.assert_array_equal(TableDiscretizer(4, strategy=strategy).fit(unit * x[:, None]).cuts_[0], unit * cuts)


def test_frames_stay_frames_and_models_take_the_intervals():
    people = load("titanic")
    frame = pd.DataFrame({"age": people["Age"].values, "sex": people["Sex"].decoded()})
    binned = TableDiscretizer(4, encode="level", columns=["age"]).fit_transform(frame)
    assert isinstance(binned, pd.DataFrame)
    assert binned["age"].isna().sum() == frame["age"].isna().sum()
    model = TableDiscretizer(4) >> DecisionTreeClassifier(max_depth=3)
    assert model.fit(frame, people["Survived"]).score(frame, people["Survived"]) > 0.75


def test_columns_that_cannot_be_cut_are_one_interval_or_an_error():
    table = Table.of({"x": [1.0, 1.0, None], "kind": ["a", "b", "a"]})
    assert TableDiscretizer(encode="level").fit_transform(table)["x"].decoded().tolist() == ["any", "any", None]
    with pytest.raises(DataError, match=r"'kind' is (binary|nominal)"):
        TableDiscretizer(columns=["kind"]).fit(table)
    few = Table.of({"x": [1.0, 1.0, 1.0, 1.0, 2.0]})
    assert TableDiscretizer(4, encode="level").fit_transform(few)["x"].levels == ("< 2", "≥ 2")


@pytest.mark.parametrize(("degree", "interaction_only"), [(2, False), (3, False), (3, True)])
def test_monomials_are_those_of_scikit_learn(degree, interaction_only):
    X = np.random.default_rng(0).normal(size=(20, 3))
    ours = Monomials(degree, interaction_only=interaction_only).fit(X)
    theirs = PolynomialFeatures(degree, interaction_only=interaction_only, include_bias=False).fit(X)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X))
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_a_column_that_is_named_twice_is_one_factor():
    table = Table.of({"a": [2.0, 3.0], "b": [5.0, 7.0]})
    assert Monomials(columns=["a", "a"], interaction_only=True).fit_transform(table).names == ("a", "b")
    assert Monomials(columns=["b", "b"]).fit_transform(table).names == ("a", "b", "b^2")


def test_monomials_keep_missing_values_and_other_kinds():
    table = Table.of({"a": [2.0, None], "kind": ["x", "y"], "b": [3.0, 5.0]})
    made = Monomials().fit_transform(table)
    assert made.names == ("a", "kind", "b", "a^2", "a b", "b^2")
    np.testing.assert_array_equal(made["a b"].values, [6.0, np.nan])
    with pytest.raises(DataError, match="more than 2 new ones"):
        Monomials(max_columns=2).fit(table)
    with pytest.raises(DataError, match="'kind' is binary"):
        Monomials(columns=["kind"]).fit(table)


def test_pixels_are_columns_row_by_row():
    images = np.arange(2 * 3 * 4 * 2).reshape(2, 3, 4, 2)
    table = pixel_columns(images)
    assert table.shape == (2, 24)
    np.testing.assert_array_equal(table.numbers(), images.reshape(2, -1))
    assert table["pixel_2_1_0"].values[1] == images[1, 2, 1, 0]
    assert pixel_columns([np.zeros((2, 2)), np.ones((2, 2))]).shape == (2, 4)
    assert pixel_columns(np.full((2, 2), k) for k in range(3)).shape == (3, 4)


@pytest.mark.parametrize(
    ("images", "text"),
    [
        ([np.zeros((2, 2)), np.zeros((3, 2))], "2 sizes: 2×2, 3×2.*one size"),
        (np.zeros((2, 2)), r"shape \(2, 2\).*images\[None\]"),
        (np.zeros((0, 2, 2)), r"shape \(0, 2, 2\)"),
        (np.array([[["a"]]]), "array of <U1"),
    ],
)
def test_arrays_that_are_no_images_are_refused(images, text):
    with pytest.raises(DataError, match=r"(?s)" + text):
        pixel_columns(images)
