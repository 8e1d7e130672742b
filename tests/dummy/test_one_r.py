import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import probus
from probus.dummy import OneRClassifier
from probus.dummy._one_r import close_intervals

# The weather data of Witten and Frank, Data Mining, chapter 4.
OUTLOOK = np.array(["sunny", "overcast", "rainy"])[[0, 0, 1, 2, 2, 2, 1, 0, 0, 2, 0, 1, 1, 2]].tolist()
TEMPERATURE = [85.0, 80, 83, 70, 68, 65, 64, 72, 69, 75, 75, 72, 81, 71]
HUMIDITY = [85.0, 90, 86, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 91]
WINDY = np.array(["no", "yes"])[[0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1]].tolist()
PLAY = np.array(["no", "yes"])[[0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0]]
NOMINAL = probus.Table.of(
    {
        "outlook": OUTLOOK,
        "temperature": np.array(["cool", "mild", "hot"])[np.digitize(TEMPERATURE, [69.5, 77])].tolist(),
        "humidity": np.where(np.array(HUMIDITY) > 82, "high", "normal").tolist(),
        "windy": WINDY,
    },
    infer=False,
)
NUMERIC = probus.Table.of({"temperature": TEMPERATURE, "humidity": HUMIDITY}, infer=False)


# -- reference -----------------------------------------------------------------------------------------


def test_levels_of_the_weather_data_give_the_rule_of_the_book():
    model = OneRClassifier().fit(NOMINAL, PLAY)
    assert model.column_ == "outlook"  # as good as humidity, and before it
    np.testing.assert_allclose(model.errors_ * 14, [4, 5, 4, 5])
    np.testing.assert_array_equal(model.predict(NOMINAL)[:4], ["no", "no", "yes", "yes"])


def test_numbers_of_the_weather_data_give_the_rule_of_the_book():
    model = OneRClassifier(min_bucket_size=3).fit(NUMERIC, PLAY)
    np.testing.assert_allclose(model.errors_ * 14, [5, 3])
    np.testing.assert_array_equal(model.thresholds_, [82.5, 95.5])
    temperature = OneRClassifier(min_bucket_size=3).fit(NUMERIC.select("temperature"), PLAY)
    np.testing.assert_array_equal(temperature.thresholds_, [77.5])


def test_the_rule_reads_as_text():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = OneRClassifier().fit(X, np.array(["setosa", "versicolor", "virginica"])[y])
    assert model.rules() == (
        "petal width (cm): 144 of 150 right\n"
        "  below 0.8    setosa      50 of 50\n"
        "  0.8 to 1.75  versicolor  49 of 54\n"
        "  from 1.75    virginica   45 of 46\n"
        "  missing      setosa      not seen"
    )


def test_dates_read_as_dates():
    frame = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=20)})
    rules = OneRClassifier().fit(frame, np.arange(20) >= 10).rules()
    assert "below 2024-01-10" in rules


# -- properties ----------------------------------------------------------------------------------------


@st.composite
def columns(draw):
    n = draw(st.integers(1, 40))
    values = draw(st.lists(st.sampled_from([None, 0.0, 1.0, 1.5, 2.0, 3.0, 7.0]), min_size=n, max_size=n))
    levels = draw(st.lists(st.sampled_from([None, "a", "b", "c"]), min_size=n, max_size=n))
    y = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    kinds = {"number": "numeric", "level": "nominal"}
    return probus.Table.of({"number": values, "level": levels}, kinds=kinds, infer=False), np.array(y)


@settings(max_examples=50, deadline=None)
@given(columns(), st.integers(1, 6), st.data())
def test_weights_equal_repetition(data, size, draw):
    table, y = data
    times = draw.draw(st.lists(st.integers(0, 3), min_size=len(y), max_size=len(y)).filter(any))
    rows = np.repeat(np.arange(len(y)), times)
    weighted = OneRClassifier(min_bucket_size=size).fit(table, y, sample_weight=times)
    repeated = OneRClassifier(min_bucket_size=size).fit(table.take(rows), y[rows])
    assert weighted.column_ == repeated.column_
    np.testing.assert_array_equal(weighted.thresholds_, repeated.thresholds_)
    np.testing.assert_array_equal(weighted.predict(table), repeated.predict(table))


@settings(max_examples=50, deadline=None)
@given(columns(), st.integers(1, 6), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(data, size, random):
    table, y = data
    order = random.sample(range(len(y)), len(y))
    straight = OneRClassifier(min_bucket_size=size).fit(table, y)
    mixed = OneRClassifier(min_bucket_size=size).fit(table.take(order), y[order])
    np.testing.assert_array_equal(straight.errors_, mixed.errors_)
    np.testing.assert_array_equal(straight.predict(table), mixed.predict(table))


@settings(max_examples=50, deadline=None)
@given(columns(), st.integers(1, 6))
def test_the_least_error_wins_and_is_the_error_on_the_training_rows(data, size):
    table, y = data
    model = OneRClassifier(min_bucket_size=size).fit(table, y)
    assert model.column_ == table.names[int(model.errors_.argmin())]
    np.testing.assert_allclose(np.mean(model.predict(table) != y), model.errors_.min())
    np.testing.assert_allclose(model.predict_proba(table).sum(axis=1), 1.0)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.floats(-100, 100), st.integers(0, 2)), min_size=1, max_size=60), st.integers(1, 6))
def test_intervals_are_large_enough_and_neighbours_differ(pairs, size):
    x, y = np.array([v for v, _ in pairs]), np.array([k for _, k in pairs])
    model = OneRClassifier(min_bucket_size=size).fit(x[:, None], y)
    counts = model.counts_[:-1]
    assert (counts[:-1].max(axis=1) >= size).all()  # the last interval takes what is left
    assert (counts.argmax(axis=1)[1:] != counts.argmax(axis=1)[:-1]).all()
    np.testing.assert_array_equal(np.bincount(np.searchsorted(model.thresholds_, x, side="right")), counts.sum(axis=1))


def test_closing_intervals_equals_the_reference_implementation():
    counts = np.random.default_rng(0).integers(0, 4, (200, 3)).astype(float)
    closes, expected, members = np.empty(200, dtype=np.bool_), np.empty(200, dtype=np.bool_), np.zeros(3)
    close_intervals(counts, 5.0, closes)
    for v in range(200):
        members += counts[v]
        following = counts[v + 1] if v < 199 else None
        best = members.argmax()
        expected[v] = following is None or (members[best] >= 5 and following[best] < following.max())
        members *= not expected[v]
    np.testing.assert_array_equal(closes, expected)


# -- hard cases ----------------------------------------------------------------------------------------


def test_missing_is_a_value_of_its_own():
    table = probus.Table.of({"v": [None, None, None, 1.0, 1.0, 1.0]}, infer=False)
    model = OneRClassifier(min_bucket_size=1).fit(table, ["gone"] * 3 + ["there"] * 3)
    np.testing.assert_array_equal(model.predict(table)[2:4], ["gone", "there"])
    assert model.errors_[0] == 0


def test_what_was_never_seen_gets_the_frequencies_of_all_rows():
    model = OneRClassifier(min_bucket_size=1).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[np.nan]]), [[0.25, 0.75]])


def test_no_threshold_falls_between_equal_values():
    model = OneRClassifier(min_bucket_size=1).fit([[1.0]] * 4 + [[2.0]], [0, 1, 0, 1, 1])
    np.testing.assert_array_equal(model.thresholds_, [1.5])


def test_adjacent_doubles_can_be_separated():
    low = 1.0
    high = np.nextafter(low, 2.0)
    model = OneRClassifier(min_bucket_size=1).fit([[low], [high]], [0, 1])
    np.testing.assert_array_equal(model.predict([[low], [high]]), [0, 1])


def test_a_column_of_one_value_predicts_the_most_frequent_class():
    model = OneRClassifier().fit([[1.0]] * 3, [0, 1, 1])
    np.testing.assert_array_equal(model.predict([[1.0], [5.0]]), [1, 1])
    assert "any value" in model.rules()


def test_a_bucket_of_no_rows_is_refused():
    with pytest.raises(
        ValueError, match="The 'min_bucket_size' parameter of OneRClassifier must be an int in the range"
    ):
        OneRClassifier(min_bucket_size=0).fit([[1.0]], [0])


def test_loaded_buckets_must_fit_the_column():
    model = OneRClassifier().fit(NOMINAL, PLAY)
    model.check_fitted_state()
    model.column_ = "windy"
    with pytest.raises(probus.ModelFileError, match="OneRClassifier with 4 buckets for column 'windy'"):
        model.check_fitted_state()
