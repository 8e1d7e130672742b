import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import probus
from probus.dummy import ZeroRClassifier, ZeroRRegressor

numbers = st.floats(-1e6, 1e6).map(lambda v: round(v, 2))


def test_the_classifier_predicts_the_most_frequent_class_and_the_frequencies():
    model = ZeroRClassifier().fit([[0]] * 4, ["b", "a", "b", "c"])
    np.testing.assert_array_equal(model.predict([[9], [None]]), ["b", "b"])
    np.testing.assert_allclose(model.predict_proba([[9]]), [[0.25, 0.5, 0.25]])


def test_the_classifier_takes_weights_as_repetition():
    model = ZeroRClassifier().fit([[0]] * 3, ["b", "a", "c"], sample_weight=[1, 3, 0])
    np.testing.assert_allclose(model.class_prior_, [0.75, 0.25, 0.0])


@given(arrays(float, st.integers(1, 12), elements=numbers), st.data())
@pytest.mark.parametrize(("strategy", "statistic"), [("mean", np.mean), ("median", np.median)])
def test_weights_equal_repetition(strategy, statistic, y, data):
    times = data.draw(arrays(int, len(y), elements=st.integers(0, 4)).filter(np.any))
    model = ZeroRRegressor(strategy=strategy).fit(np.zeros((len(y), 1)), y, sample_weight=times)
    np.testing.assert_allclose(model.value_, statistic(np.repeat(y, times)), atol=1e-8)


@given(arrays(float, st.integers(1, 12), elements=numbers), numbers)
def test_no_other_constant_errs_less(y, other):
    X = np.zeros((len(y), 1))
    mean, median = ZeroRRegressor().fit(X, y).value_, ZeroRRegressor(strategy="median").fit(X, y).value_
    assert ((y - mean) ** 2).sum() <= ((y - other) ** 2).sum() * (1 + 1e-9) + 1e-6
    assert np.abs(y - median).sum() <= np.abs(y - other).sum() * (1 + 1e-9) + 1e-6


def test_the_regressor_takes_a_typed_table_and_its_target():
    table = probus.Table.of({"colour": ["red", None], "price": [1.0, 4.0]}, infer=False)
    model = ZeroRRegressor().fit(table.drop("price"), table["price"])
    np.testing.assert_array_equal(model.predict(table.select("colour")), [2.5, 2.5])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed, but the target y is None"),
        ([1.0, 2.0, 3.0], "inconsistent numbers of samples: X has 2 rows and y has 3"),
        ([1.0, np.nan], "Input y contains NaN"),
        (probus.Column.labels("size", ["S", "M"]), "target 'size' is binary.\n  Expected numbers. Use a classifier"),
    ],
)
def test_wrong_targets_are_named(y, message):
    with pytest.raises(ValueError) as error:
        ZeroRRegressor().fit([[0], [1]], y)
    assert message in str(error.value)


def test_an_unknown_strategy_is_named():
    with pytest.raises(ValueError, match="The 'strategy' parameter of ZeroRRegressor must be a str among"):
        ZeroRRegressor(strategy="mode").fit([[0]], [1.0])
