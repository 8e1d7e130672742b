"""The kind that the values of a column infer_column, and the reason given."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probus.data import Kind
from probus.data._infer import infer_column


def strings(cells):
    values = np.empty(len(cells), dtype=object)
    values[:] = cells
    return values


def times(levels, n=4):
    """Each level n times."""
    return list(levels) * n


columns = st.one_of(
    st.lists(st.sampled_from([0.0, 1.0, 2.0, 8.5, np.nan]), min_size=1).map(np.array),
    st.lists(st.booleans(), min_size=1).map(np.array),
    st.lists(st.sampled_from(["low", "medium", "high", None]), min_size=1).map(strings),
    st.lists(st.sampled_from(["10", "9", "007", "9.0", "-1", None]), min_size=1).map(strings),
    st.lists(st.sampled_from(["2024-03-01", "1-Mar-2024", "2024-03-01T12:00", None]), min_size=1).map(strings),
    st.lists(st.one_of(st.none(), st.text()), min_size=1).map(strings),
)
quotes = st.sampled_from([True, False, None])


# -- properties ----------------------------------------------------------------------------------------


@given(columns, quotes)
def test_the_values_come_back(values, quoted):
    column = infer_column("x", values, quoted=quoted)
    assert len(column) == len(values)
    assert column.why
    if column.kind is Kind.NUMERIC and values.dtype == object:
        assert [v is None for v in values] == column.missing.tolist()
    elif values.dtype == object:
        assert [None if gone else cell for cell, gone in zip(column.decoded(), column.missing, strict=True)] == [
            *values
        ]
    else:
        np.testing.assert_array_equal(column.numbers_array(), values.astype(float))


@given(columns, quotes, st.randoms())
def test_the_order_of_the_rows_does_not_matter(values, quoted, random):
    rows = random.sample(range(len(values)), len(values))
    one, other = infer_column("x", values, quoted=quoted), infer_column("x", values[rows], quoted=quoted)
    assert (one.kind, one.levels, one.why, one.dates) == (other.kind, other.levels, other.why, other.dates)
    assert one.take(rows).decoded().tolist() == pytest.approx(other.decoded().tolist(), nan_ok=True)


@given(columns, quotes, st.integers(1, 30))
def test_missing_values_change_nothing(values, quoted, n):
    if values.dtype == bool:
        return
    absent = np.full(n, np.nan) if values.dtype.kind == "f" else strings([None] * n)
    one, other = (
        infer_column("x", values, quoted=quoted),
        infer_column("x", np.concatenate([values, absent]), quoted=quoted),
    )
    assert (one.kind, one.levels, one.why) == (other.kind, other.levels, other.why)
    assert other.missing[len(values) :].all()


@given(st.lists(st.integers(-(10**15), 10**15), min_size=1), st.sampled_from([True, None]))
def test_digits_that_are_names_are_in_numeric_order(numbers, quoted):
    column = infer_column("x", strings([str(number) for number in numbers]), quoted=quoted)
    assert [int(level) for level in column.levels] == (sorted(set(numbers)) if column.levels else [])
    assert column.levels or not quoted


# -- bare numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        ([1.5, 2, np.nan], "decimal numbers"),
        (
            [4, 6, 8, 4],
            "integers with 3 values (4, 6, 8): treated as numbers; if they are labels, kinds={'x': 'nominal'}",
        ),
        (
            [0, 1, 2, 3, 4, 5, 6, 6],
            "integers with 7 values (0, 1, 2, 3, 4, 5, …): treated as numbers; "
            "if they are labels, kinds={'x': 'nominal'}",
        ),
        ([*range(40)], "integers from 0 to 39"),
        ([1, 1, np.nan], "constant: 1"),
        ([0, np.inf], "numbers, some of them infinite"),
        ([np.nan, np.nan], "all values are missing"),
        ([], "all values are missing"),
    ],
)
def test_bare_numbers_are_numeric_however_few(numbers, why):
    column = infer_column("x", np.array(numbers, dtype=float))
    assert (column.kind, column.why) == (Kind.NUMERIC, why)


def test_only_zero_and_one_is_binary():
    column = infer_column("am", np.array([1.0, 0.0, np.nan]))
    assert (column.kind, column.levels, column.why) == (Kind.BINARY, (0, 1), "only 0 and 1")
    assert column.values.tolist() == [1, 0, -1]


def test_booleans_are_binary_even_if_only_one_is_seen():
    column = infer_column("hair", np.array([True, True]))
    assert (column.kind, column.levels, column.values.tolist()) == (Kind.BINARY, (False, True), [1, 1])


def test_integers_called_an_identifier_stay_numbers_but_are_pointed_out():
    assert infer_column("PassengerId", np.arange(1.0, 892)).why == (
        "integers in a column called 'PassengerId': treated as numbers; "
        "if they are labels, kinds={'PassengerId': 'nominal'}, or leave it out"
    )


# -- strings of digits ---------------------------------------------------------------------------------


def test_quoted_digits_are_names_where_other_numbers_are_bare():
    glass = infer_column("Type", strings(times(["7", "1", "2", "3", "5", "6"])), quoted=True)  # mlbench::Glass
    assert (glass.kind, glass.levels) == (Kind.NOMINAL, ("1", "2", "3", "5", "6", "7"))
    assert glass.why == (
        "6 distinct numbers in quotes, where others are unquoted: treated as labels; "
        "if not, kinds={'Type': 'numeric'} or 'ordinal'"
    )
    chas = infer_column("chas", strings(["1", "0", "0"]), quoted=True)  # mlbench::BostonHousing
    assert (chas.kind, chas.levels) == (Kind.BINARY, ("0", "1"))


@pytest.mark.parametrize(
    ("name", "cells", "kind"),
    [
        ("Cl.thickness", times(str(i) for i in range(1, 11)), Kind.NOMINAL),  # mlbench::BreastCancer
        ("hail", times(["0", "1"]), Kind.BINARY),  # mlbench::Soybean
        ("Id", [str(1_000_025 + 7 * i) for i in range(100)], Kind.NOMINAL),
        ("PatientNumber", [str(i) for i in range(100)], Kind.NOMINAL),
        ("NumberOfSteps", times(str(i) for i in range(100)), Kind.NUMERIC),
        ("zip", [f"{i:05}" for i in range(100)], Kind.NOMINAL),
        ("x", [f"{i:05}" for i in range(100)], Kind.NOMINAL),
        ("card", [str(10**15 + i) for i in range(100)], Kind.NOMINAL),
        ("age", [str(i) for i in range(18, 60)], Kind.NUMERIC),
        ("age", [str(i) for i in range(18, 30)], Kind.NUMERIC),
        ("price", times(["1.5", "2", "3"]), Kind.NUMERIC),
        ("tiny", times(["1e-3", "2e-3", ".5", "-1"]), Kind.NUMERIC),
    ],
)
def test_digits_where_quotes_carry_no_information(name, cells, kind):
    assert infer_column(name, strings(cells)).kind is kind


def test_digits_that_are_numbers_keep_their_values():
    column = infer_column("x", strings(["1.5", None, " 2 ", "-3e2"]))
    np.testing.assert_equal(column.values, [1.5, np.nan, 2, -300])
    assert column.why == "strings that are all numbers, 3 distinct; if they are labels, kinds={'x': 'nominal'}"


@pytest.mark.parametrize("cell", ["1_000", "nan", "inf", "0x10"])
def test_what_only_python_takes_for_a_number_is_none(cell):
    assert infer_column("x", strings(["1", "2", cell])).kind is Kind.NOMINAL


def test_a_few_words_among_numbers_are_pointed_out():
    column = infer_column("age", strings([*(str(i) for i in range(50)), "n/a", "?"]))
    assert column.kind is Kind.NOMINAL
    assert column.why == "numbers except '?', 'n/a': treated as labels; if they mean missing, missing=['?', 'n/a']"


# -- words ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "levels",
    [
        ("no", "yes"),
        ("FALSE", "TRUE"),
        ("n", "y"),
        ("f", "t"),
        ("F", "M"),
        ("absent", "present"),
        ("neg", "pos"),
        ("nonspam", "spam"),
        ("benign", "malignant"),
        ("Child", "Adult"),
        ("low", "high"),
        ("<=50K", ">50K"),
        ("- 50000.", "50000+."),
    ],
)
def test_two_levels_are_binary_and_in_order(levels):
    column = infer_column("x", strings(times(levels[::-1])))
    assert (column.kind, column.levels) == (Kind.BINARY, levels)
    assert column.why == f"two levels, {levels[0]!r}, {levels[1]!r}"


def test_one_level_is_nominal():
    column = infer_column("x", strings(["no", "no", None]))
    assert (column.kind, column.levels, column.why) == (Kind.NOMINAL, ("no",), "constant: 'no'")


def test_levels_whose_names_imply_an_order_are_ordinal():
    column = infer_column("AGE", strings(["65+", "14-17", None, "18-64"]), quoted=None)
    assert (column.kind, column.levels) == (Kind.ORDINAL, ("14-17", "18-64", "65+"))
    assert column.values.tolist() == [2, 0, -1, 1]
    assert column.why == (
        "levels whose names imply an order (intervals or counts); if there is none, kinds={'AGE': 'nominal'}"
    )


def test_weekdays_are_nominal_in_the_order_of_the_calendar():
    column = infer_column("day", strings(["Sun", "Mon", "Fri"]))
    assert (column.kind, column.levels) == (Kind.NOMINAL, ("Mon", "Fri", "Sun"))
    assert column.why == (
        "days of the week, which are cyclic: treated as unordered; to order them, kinds={'day': 'ordinal'}"
    )
    assert column.as_kind("ordinal").levels == column.levels


def test_an_unknown_among_ordered_levels_is_pointed_out():
    column = infer_column("risk", strings(["high", "unknown", "low", "medium"]))
    assert column.kind is Kind.NOMINAL
    assert column.why == (
        "ordered levels except 'unknown': treated as labels; if they mean missing, missing=['unknown']"
    )


def test_dates_are_days():
    column = infer_column("when", strings(["1970-01-02", None, "1970-01-03T12:00"]))
    assert column.dates
    assert column.why == "dates, as days since 1970-01-01"
    np.testing.assert_equal(column.values, [1, np.nan, 2.5])


def test_nothing_but_missing_strings_is_numeric():
    column = infer_column("x", strings([None, None]))
    assert (column.kind, column.why) == (Kind.NUMERIC, "all values are missing")


REVIEWS = [  # the beginnings of four reviews of Women's E-Commerce Clothing Reviews
    "Absolutely wonderful - silky and sexy and comfortable",
    "Love this dress! it's sooo pretty. i happened to find it in a store, and i'm glad i did",
    "I had such high hopes for this dress and really wanted it to work for me",
    "I love, love, love this jumpsuit. it's fun, flirty, and fabulous!",
]
NAMES = {
    "Titanic Name": ["Braund, Mr. Owen Harris", "Heikkinen, Miss. Laina", "Allen, Mr. William Henry"],
    "Titanic Ticket": ["A/5 21171", "PC 17599", "STON/O2. 3101282", "113803"],
    "Titanic Cabin": ["C85", "C123", "E46", "B58 B60"],
    "datasets::mtcars name": ["Mazda RX4", "Mazda RX4 Wag", "Datsun 710", "Hornet 4 Drive"],
    "rpart::car90 name": ["Acura Integra", "Acura Legend", "Audi 100", "BMW 325i"],
    "MovieLens title": ["Toy Story (1995)", "GoldenEye (1995)", "Four Rooms (1995)", "Usual Suspects, The (1995)"],
    "reviews Title": ["Some major design flaws", "My favorite buy!", "Flattering shirt", "Not for the very petite"],
}


def test_free_text_is_text():
    column = infer_column("Review Text", strings([*REVIEWS, None]))
    assert column.kind is Kind.TEXT
    assert column.values.tolist() == [*REVIEWS, None]
    assert column.why.endswith(
        "words on average, 4 of 4 distinct; if they are labels, kinds={'Review Text': 'nominal'}"
    )


def test_free_text_without_spaces_is_text():
    assert (
        infer_column("x", strings(["この商品はとても良いと思います", "色が写真と違っていて残念でした"])).kind
        is Kind.TEXT
    )


def test_long_levels_that_repeat_are_nominal():
    assert infer_column("x", strings(times(REVIEWS))).kind is Kind.NOMINAL


@pytest.mark.parametrize("origin", NAMES)
def test_names_are_nominal_however_distinct(origin):
    assert infer_column("name", strings(NAMES[origin])).kind is Kind.NOMINAL


def test_many_short_phrases_are_pointed_out():
    column = infer_column("Title", strings([f"{a} {b} dress" for a in "abcd" for b in "efgh"]))
    assert column.why == "short phrases, 16 distinct; if they are free text, kinds={'Title': 'text'}"


def test_a_hundred_thousand_levels_are_coded():
    cells = [f"user {i}" for i in range(100_000)]
    column = infer_column("user", strings(cells[::-1]))
    assert column.kind is Kind.NOMINAL
    assert column.levels == tuple(sorted(cells))
    assert column.decoded().tolist() == cells[::-1]


# -- the columns of the 23 files that are not bare numbers ---------------------------------------------


@pytest.mark.parametrize(
    ("origin", "levels"),
    [
        ("kernlab::income MARITAL.STATUS", ["Married", "Together", "Divorced", "Widowed", "Single"]),
        ("kernlab::income DUAL.INCOMES", ["Not Married", "Yes", "No"]),
        ("kernlab::income HOME.TYPE", ["House", "Condominium", "Apartment", "Mobile Home", "Other"]),
        ("kernlab::income LANGUAGE", ["English", "Spanish", "Other"]),
        ("mlbench::Zoo type", ["mammal", "bird", "reptile", "fish", "amphibian", "insect", "mollusc.et.al"]),
        ("mlbench::Satellite classes", ["red soil", "cotton crop", "grey soil", "damp grey soil"]),
        ("mlbench::LetterRecognition lettr", [*"ABCDEFGHIJKLMNOPQRSTUVWXYZ"]),
        ("rpart::stagec ploidy", ["diploid", "tetraploid", "aneuploid"]),
        ("rpart::car90 Steering", ["manual", "power", "both"]),
        ("rpart::car90 Trans2", ["", "auto.3", "auto.4", "auto.CVT"]),
        ("rpart::car90 Type", ["Compact", "Large", "Medium", "Small", "Sporty", "Van"]),
        ("datasets::iris Species", ["setosa", "versicolor", "virginica"]),
        ("datasets::Titanic Class", ["1st", "2nd", "3rd", "Crew"]),
    ],
)
def test_names_without_order_are_nominal_by_letter(origin, levels):
    column = infer_column("x", strings(times(levels)), quoted=True)
    assert (column.kind, column.levels) == (Kind.NOMINAL, tuple(sorted(levels)))


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        (np.tile(np.arange(10.0), 5000), "integers with 10 values (0, 1, 2, 3, 4, 5, …)"),
        (np.append(np.tile(np.arange(3.0), 9000), 7.0), "integers with 4 values (0, 1, 2, 7)"),
        (np.append(np.zeros(40_000), np.arange(90.0)), "integers from 0 to 89"),
        (np.append(np.arange(90.0), np.full(300, -0.0)), "integers from 0 to 89"),
        (np.append(np.tile([1.0, np.nan], 300), -(2.0**60)), "integers with 2 values (-1152921504606846976, 1)"),
    ],
)
def test_integers_are_counted_as_far_as_the_explanation_needs(numbers, why):
    assert infer_column("x", numbers).why.startswith(why)
