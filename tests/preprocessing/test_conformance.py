"""What every transformer of the package guarantees: scikit-learn's conventions, containers, names, declared state."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import estimator_checks_generator

from probus.data import Table
from probus.preprocessing import (
    AsTable,
    CumulativeEncoder,
    DateFeatures,
    FeatureConstructor,
    GowerImputer,
    TableEncoder,
    TextFeatures,
    TypedImputer,
)
from probus.state import check_state

TRANSFORMERS = [
    CumulativeEncoder(),
    TableEncoder(),
    TableEncoder("impact", "rank", random_state=0),
    TableEncoder("integer", "onehot"),
    TypedImputer(),
    TypedImputer("median", "missing", indicators=True),
    TypedImputer(indicators="auto"),
    GowerImputer(),
    GowerImputer(3, weights="distance", indicators=True),
    DateFeatures(),
    DateFeatures(cyclic=True),
    TextFeatures(random_state=0),
    FeatureConstructor(),
    FeatureConstructor(("product", "cosine"), screen="correlation"),
]
each_transformer = pytest.mark.parametrize("transformer", TRANSFORMERS, ids=str)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("transformer", [AsTable(), *TRANSFORMERS], ids=str)
def test_passes_scikit_learns_checks(transformer, subtests):
    for estimator, check in estimator_checks_generator(transformer):
        with subtests.test(check.func.__name__):
            check(estimator)


@each_transformer
@pytest.mark.parametrize(
    "check",
    [
        "check_transformer_get_feature_names_out",
        "check_transformer_get_feature_names_out_pandas",
        "check_set_output_transform",
        "check_set_output_transform_pandas",
        "check_global_output_transform_pandas",
        "check_set_output_transform_polars",
        "check_global_set_output_transform_polars",
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_names_and_containers_are_as_scikit_learn_wants_them(transformer, check):
    getattr(estimator_checks, check)(type(transformer).__name__, transformer)


@each_transformer
def test_a_container_in_gives_the_same_container_out(transformer, mixed, survived):
    for X, container in (
        (mixed, Table),
        (mixed.to_pandas(), pd.DataFrame),
        (mixed.to_polars(), pl.DataFrame),
        (mixed.select("age", "height").numbers(), np.ndarray),
    ):
        fitted = clone(transformer).fit(X, survived)
        assert isinstance(fitted.transform(X), container)
        assert isinstance(clone(transformer).fit_transform(X, survived), container)


@each_transformer
def test_containers_hold_the_same_values(transformer, mixed, survived):
    by_table = clone(transformer).fit(mixed, survived).transform(mixed)
    for frame in (mixed.to_pandas(), mixed.to_polars()):
        again = Table.of(clone(transformer).fit(frame, survived).transform(frame), infer=False)
        assert again.names == by_table.names
        for one, other in zip(by_table, again, strict=True):
            assert_same_cells(one, other)


def assert_same_cells(one, other):
    np.testing.assert_array_equal(one.missing, other.missing)
    present = ~one.missing
    np.testing.assert_array_equal(one.decoded()[present], other.decoded()[present])


@each_transformer
def test_the_index_of_a_pandas_frame_is_kept(transformer, mixed, survived):
    frame = mixed.to_pandas()
    frame.index = np.arange(len(frame))[::-1] * 3
    assert clone(transformer).fit_transform(frame, survived).index.equals(frame.index)


@each_transformer
def test_set_output_decides_the_container(transformer, mixed, survived):
    fitted = clone(transformer).set_output(transform="polars").fit(mixed, survived)
    out = fitted.transform(mixed)
    assert isinstance(out, pl.DataFrame)
    assert out.columns == fitted.get_feature_names_out().tolist()


@each_transformer
def test_the_order_of_columns_in_new_data_plays_no_part(transformer, mixed, survived):
    fitted = clone(transformer).fit(mixed, survived)
    shuffled = mixed.select(*reversed(mixed.names))
    for one, other in zip(fitted.transform(mixed), fitted.transform(shuffled), strict=True):
        assert one.name == other.name
        assert_same_cells(one, other)


@each_transformer
def test_rows_are_transformed_one_by_one(transformer, mixed, survived):
    fitted = clone(transformer).fit(mixed, survived)
    together, order = fitted.transform(mixed), np.random.default_rng(0).permutation(mixed.n_rows)
    for one, other in zip(together.take(order), fitted.transform(mixed.take(order)), strict=True):
        assert_same_cells(one, other)
    for one, other in zip(together.take([3]), fitted.transform(mixed.take([3])), strict=True):
        assert_same_cells(one, other)


@each_transformer
def test_the_order_of_training_rows_plays_no_part(transformer, mixed, survived):
    order = np.random.default_rng(0).permutation(mixed.n_rows)
    one = clone(transformer).fit(mixed, survived).transform(mixed)
    other = clone(transformer).fit(mixed.take(order), survived[order]).transform(mixed)
    assert one.names == other.names
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a.numbers_array(), b.numbers_array(), rtol=1e-12)


@each_transformer
def test_fitted_state_is_just_what_is_declared(transformer, mixed, survived):
    fitted = clone(transformer).fit(mixed, survived)
    state = {name: value for name, value in vars(fitted).items() if name.endswith("_")}
    check_state(type(fitted).__name__, type(fitted).fitted_state(), state)
    fitted.check_fitted_state()


@each_transformer
def test_fitting_does_not_change_the_training_data(transformer, mixed, survived):
    before = [column.values.copy() for column in mixed]
    clone(transformer).fit_transform(mixed, survived)
    for column, values in zip(mixed, before, strict=True):
        np.testing.assert_array_equal(column.values, values)
