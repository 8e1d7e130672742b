"""What examine finds, what it leaves alone, and its text."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, mannwhitneyu

from probus import datasets, tabular
from probus.data import Column, Kind, Table
from probus.data._examine import examine
from probus.data.findings import CHECKS, CODES, Finding, Findings
from probus.data.findings._label_checks import _one_letter_apart
from probus.data.findings._leak_shares import lone_accuracy, lone_r2
from probus.data.findings._missing_checks import _missing_by_class, _missing_by_value
from probus.errors import DataError
from probus.naive_bayes import GaussianNB

RNG = np.random.default_rng(7)
N = 400


def noise(n=N, **columns):
    """A table in which nothing is wrong, with some columns put in."""
    rng = np.random.default_rng(11)
    plain = {"height": rng.normal(170, 9, n), "wind": rng.gamma(2.0, 3.0, n), "sky": rng.choice(["clear", "cloud"], n)}
    return {**plain, **columns}


def codes(table, target=None, column=None):
    found = examine(table, target)
    return {f.code for f in found if column is None or f.column == column}


def one(table, code, target=None):
    (finding,) = examine(table, target).of(code)
    return finding


# -- properties ----------------------------------------------------------------------------------------

cells = st.one_of(
    st.none(),
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([-999.0, 0.0, 1.0, 99.0]),
)
words = st.one_of(st.none(), st.text(max_size=3), st.sampled_from(["?", "Male", "male ", "10", "none"]))


@st.composite
def tables(draw):
    n = draw(st.integers(0, 30))
    column = st.one_of(st.lists(cells, min_size=n, max_size=n), st.lists(words, min_size=n, max_size=n))
    return draw(st.dictionaries(st.sampled_from(["age", "id", "x", "y"]), column, min_size=1))


@settings(max_examples=60, deadline=None)
@given(tables(), st.booleans())
def test_any_table_can_be_examined(table, with_target):
    found = examine(table, next(iter(table)) if with_target else None)
    assert all(f.code in CODES and (f.column is None or f.column in table) for f in found)
    assert repr(found)
    assert found._repr_html_()


def test_the_order_of_the_rows_does_not_matter():
    table = datasets.titanic()
    shuffled = table.take(RNG.permutation(table.n_rows))
    expected = {(f.code, f.column) for f in examine(table, "Survived")}
    assert {(f.code, f.column) for f in examine(shuffled, "Survived")} == expected


def test_noise_has_no_findings():
    assert len(examine(noise(outcome=RNG.choice(["no", "yes"], N)), "outcome")) == 0


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=2, max_size=40))
def test_lone_accuracy_is_leave_one_out_voting(pairs):
    groups, classes = np.array(pairs).T
    right = 0
    for i in range(len(groups)):
        others = (groups == groups[i]) & (np.arange(len(groups)) != i)
        votes = np.bincount(classes[others], minlength=3)
        right += all(votes[classes[i]] > votes[k] for k in range(3) if k != classes[i])
    assert lone_accuracy(groups, classes) == pytest.approx(right / len(groups))


def test_lone_r2_is_leave_one_out_averaging():
    groups, y = RNG.integers(0, 12, 60), RNG.normal(size=60)
    others = [(groups == g) & (np.arange(60) != i) for i, g in enumerate(groups)]
    guesses = np.array([y[mask].mean() if mask.any() else y.mean() for mask in others])
    assert lone_r2(groups, y) == pytest.approx(1 - ((y - guesses) ** 2).sum() / ((y - y.mean()) ** 2).sum())


def test_one_letter_apart_is_one_letter_added_left_out_changed_or_moved():
    levels = {"Berlin": 50, "Berlim": 1, "Berln": 2, "Berlinn": 3, "Belrin": 4, "Bonn": 5, "Dublin": 6}
    rare = {pair[0] for pair in _one_letter_apart(levels) if pair[1] == "Berlin"}
    assert rare == {"Berlim", "Berln", "Berlinn", "Belrin"}


def test_the_tests_of_missingness_agree_with_scipy():
    missing = RNG.random(N) < 0.3
    x = Column.numbers("x", np.where(missing, np.nan, 1.0))
    label = Column.labels("label", RNG.choice(["a", "b", "c"], N).tolist())
    observed = [[np.sum(missing & (label.values == k)) for k in range(3)] for missing in (missing, ~missing)]
    assert _missing_by_class(x, label)[0] == pytest.approx(chi2_contingency(observed, correction=False).pvalue)
    y = Column.numbers("y", np.round(RNG.normal(size=N), 1))
    expected = mannwhitneyu(y.values[missing], y.values[~missing], use_continuity=False, method="asymptotic").pvalue
    assert _missing_by_value(x, y)[0] == pytest.approx(expected)


# -- 1xx -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [-999.0, 9999.0, -1.0, 999999.0])
def test_a_repeated_code_far_from_the_rest_is_disguised_missing(value):
    finding = one(noise(speed=np.append(RNG.uniform(3, 60, N - 3), [value] * 3)), "PB101")
    assert finding.column == "speed"
    assert finding.evidence.startswith(f"{value:.0f} in 3 rows is far from the other values")
    assert f"missing=[{value:.0f}]" in finding.suggestion


def test_codes_among_the_other_values_are_values():
    assert "PB101" not in codes(noise(temperature=RNG.integers(-20, 35, N).astype(float)))  # -1 and -9 are in it
    assert "PB101" not in codes(noise(score=RNG.integers(0, 121, N).astype(float)))  # 9 and 99 are in it
    assert "PB101" not in codes(noise(vote=RNG.choice([-1.0, 0.0, 1.0], N)))


@pytest.mark.parametrize("word", ["?", " ?", "unknown", "N/A", "", "-", "missing", "Not known", "null"])
def test_words_for_no_value_are_disguised_missing(word):
    table = Table([Column.labels("town", ["Ulm", "Köln", word, "Ulm"] * 100)])
    finding = one(table, "PB101")
    assert (finding.severity, finding.evidence) == ("warning", f"{word!r} in 100 of 400 rows (25 %).")


def test_none_is_noted_unless_it_is_an_answer():
    assert one({"pet": ["cat", "cat", "none", "dog"] * 10}, "PB101").severity == "note"
    assert "PB101" not in codes({"pet": ["none", "none", "cat", "dog"] * 10})
    number = Table([Column.labels("children", ["None", "One", "Two", "Two"] * 10)])
    assert "PB101" not in codes(number)


def test_a_minus_beside_a_plus_is_a_level():
    assert "PB101" not in codes(Table([Column.labels("rhesus", ["+", "-", "+", "+"] * 10)]))


def test_zeros_far_below_the_rest_are_suspicious():
    pressure = np.append(RNG.normal(72, 10, N - 8), [0.0] * 8)
    assert one(noise(pressure=pressure), "PB105").evidence.startswith(
        "8 values are exactly 0; the smallest of the others is"
    )
    rain = np.where(RNG.random(N) < 0.3, 0.0, RNG.gamma(1.0, 4.0, N))
    assert "PB105" not in codes(noise(rain=rain))


def test_much_missing_gives_the_share():
    finding = one(datasets.titanic(), "PB102")
    assert (finding.column, finding.severity) == ("Cabin", "warning")
    assert finding.evidence == "687 of 891 values are missing (77 %)."


def test_a_column_of_nothing_is_an_error():
    assert one(noise(empty=np.full(N, np.nan)), "PB103").severity == "error"


def test_missingness_that_goes_with_the_class_is_found():
    # R 4.2: chisq.test(is.na(Cabin), Survived, correct = FALSE) gives X-squared = 89.1
    finding = one(datasets.titanic(), "PB104", "Survived")
    assert finding.column == "Cabin"
    assert "missing in 88 % of the rows with Survived = no, in 60 % with yes (χ² = 89, p < 0.001)." in finding.evidence


def test_missingness_that_goes_with_a_numeric_target_is_found_once_for_columns_that_share_it():
    y = RNG.normal(size=N)
    partial = np.where(y > 0.5, np.nan, 1.0)
    table = noise(a=partial + RNG.normal(size=N), b=partial + RNG.normal(size=N), y=y)
    finding = one(table, "PB104", "y")
    assert finding.column == "a"
    assert "The same rows lack 'b'." in finding.evidence


def test_missingness_at_random_is_not_held_against_the_target():
    partial = np.where(RNG.random(N) < 0.4, np.nan, RNG.normal(size=N))
    assert "PB104" not in codes(noise(partial=partial, y=RNG.normal(size=N)), "y")


# -- 2xx columns ---------------------------------------------------------------------------------------


def test_constants_and_near_constants_are_found():
    assert one(noise(unit=["kg"] * N), "PB201").evidence == "400 rows hold 'kg'."
    table = noise(flag=[0.0] * 399 + [1.0])
    assert one(table, "PB202").evidence == "99.75 % of the rows hold 0; 1 differs."


@pytest.mark.parametrize(
    ("copy", "evidence"),
    [
        (lambda x: x.copy(), "equals 'x'."),
        (lambda x: x**3, "orders the rows like 'x'."),
        (lambda x: -2.0 * x + 3, "correlation -1.00000 with 'x'."),
    ],
)
def test_redundant_columns_are_found(copy, evidence):
    x = RNG.normal(size=N)
    finding = one({"x": x, "y": RNG.normal(size=N), "copy": copy(x)}, "PB203")
    assert (finding.column, finding.evidence) == ("copy", evidence)


def test_recoded_levels_are_found():
    finding = one(datasets.adult(), "PB203")
    assert (finding.column, finding.evidence) == (
        "education-num",
        "each of its 16 values corresponds to one value of 'education'.",
    )


def test_two_labels_that_never_repeat_are_no_duplicates():
    table = {"first": [f"a{i}" for i in RNG.permutation(N)], "second": [f"b{i}" for i in RNG.permutation(N)]}
    assert "PB203" not in codes(Table.of(table, infer=False))


def test_identifiers_are_found_by_sequence_by_name_and_by_labels():
    found = examine(datasets.titanic()).of("PB204")
    assert [f.column for f in found] == ["PassengerId"]
    assert one(noise(row=np.arange(N) + 1.0), "PB204").evidence == "the integers from 1 to 400, each once."
    assert "PB204" in codes(datasets.breast_cancer(), column="id")


def test_measurements_years_and_free_text_are_not_identifiers():
    letters = [f"The {i}th customer wrote a long letter that says many things about the product." for i in range(N)]
    table = {**noise(), "year": 1600.0 + np.arange(N), "letter": Column.text("letter", letters)}
    assert "PB204" not in codes(table)
    assert not any(c in codes(table, column="letter") for c in ("PB209", "PB210", "PB211"))


def test_codes_kept_as_numbers_are_noted():
    finding = one(noise(zip_code=RNG.integers(10_000, 10_050, N).astype(float)), "PB214")
    assert finding.suggestion.startswith("table.with_kinds(zip_code='nominal')")


# -- 2xx values ----------------------------------------------------------------------------------------


def test_infinite_values_are_errors_with_their_rows():
    x = RNG.normal(size=N)
    x[[3, 9]] = np.inf
    assert one(noise(ratio=x), "PB205").evidence == "2 infinite values (rows 3, 9)."


@pytest.mark.parametrize(("name", "value"), [("age", -4.0), ("Age", 350.0), ("unit_price", -12.0), ("month", 13.0)])
def test_values_that_the_name_forbids_are_found(name, value):
    values = np.append(RNG.integers(1, 12, N - 1), value).astype(float)
    finding = one(noise(**{name: values}), "PB206")
    assert finding.evidence.startswith(f"1 value, {value:.0f}; the name implies")
    assert "row 399" in finding.evidence


def test_a_name_that_many_values_contradict_means_something_else():
    assert "PB206" not in codes(noise(age=RNG.normal(size=N)))


def test_a_slip_of_the_decimal_point_is_an_outlier_and_a_long_tail_is_not():
    height = np.append(RNG.normal(175, 8, N - 1), 17.5)
    assert one(noise(stature=height), "PB207").evidence.startswith("17.5 lies far outside")
    assert "PB207" not in codes(noise(wealth=RNG.lognormal(10, 1.5, N)))


def test_numbers_kept_as_text_are_found_with_the_words_between_them():
    cells = [str(v) for v in RNG.integers(100, 900, N - 3)] + ["n.d."] * 3
    finding = one(Table([Column.labels("load", cells), Column.numbers("x", RNG.normal(size=N))]), "PB208")
    assert finding.evidence == "99.25 % of the values are numbers, stored as nominal levels; the rest are 'n.d.'."
    assert finding.suggestion == "probus.read(…, missing=['n.d.'])"


def test_numbers_in_quotes_are_only_noted_and_grades_are_left_alone():
    numbers = [str(v) for v in RNG.integers(100, 900, N)]
    assert one(Table([Column.labels("load", numbers)]), "PB208").severity == "note"
    assert "PB208" not in codes(Table([Column.labels("grade", [str(v) for v in RNG.integers(1, 11, N)])]))


def test_codes_with_leading_zeros_are_not_numbers():
    cells = [f"{v:04d}" for v in RNG.integers(1, 900, N)]
    assert "PB208" not in codes(Table([Column.labels("station", cells)]))


# -- 2xx levels ----------------------------------------------------------------------------------------


def test_spellings_of_one_level_are_found():
    cells = ["male"] * 50 + ["Male "] * 3 + ["MALE"] * 2 + ["female"] * 60
    finding = one({"sex": cells}, "PB209")
    assert finding.evidence == "different spellings of one level: 'male' (50) = 'Male ' (3) = 'MALE' (2)."


def test_signs_keep_levels_apart():
    assert "PB209" not in codes(Table([Column.labels("income", ["<=50K", ">50K", "50K"] * 20)]))
    assert "PB209" not in codes(Table([Column.labels("change", ["-1", "1", "1-2", "12"] * 20)]))


def test_stray_spaces_are_noted():
    finding = one(Table([Column.labels("class", [" Private", " State"] * 20)]), "PB209")
    assert (finding.severity, finding.evidence) == (
        "note",
        "2 of 2 levels have surrounding spaces: ' Private', ' State'.",
    )


def test_a_rare_neighbour_of_a_common_level_is_a_likely_typo():
    finding = one({"town": ["Hamburg"] * 90 + ["Hambrug"] + ["Hamburk"] + ["Bremen"] * 80}, "PB210")
    assert finding.evidence == (
        "possible typing errors: 'Hambrug' (1) for 'Hamburg' (90), 'Hamburk' (1) for 'Hamburg' (90)."
    )


def test_numbered_levels_are_no_typos():
    table = {"zone": ["Zone 11"] * 90 + ["Zone 12"], "ward": ["Class A"] * 90 + ["Class B"]}
    assert "PB210" not in codes(table)


def test_many_levels_and_rare_levels_are_found():
    found = examine(datasets.titanic()).of("PB211")
    assert [f.column for f in found] == ["Ticket", "Cabin"]
    assert found[0].evidence == "681 distinct values, 1.3 rows each on average."
    table = {"blood": ["A"] * 60 + ["B"] * 50 + ["AB"] * 3}
    assert one(table, "PB212").evidence == "1 of 3 levels has fewer than 5 rows: AB (3)."


def test_counts_of_one_are_singular():
    unit = noise(unit=["kg"] * (N - 1) + [None])
    assert one(unit, "PB201").evidence == "399 rows hold 'kg', the other 1 is missing."
    few = Table.of(noise(3, dose=[None, 1.0, 2.0]))
    assert one(few, "PB102").evidence == "1 of 3 values is missing (33 %)."
    assert one(few, "PB401", "dose").evidence == "1 of 3 labels is missing (33 %)."
    repeated = {name: [*values[:-1], values[0]] for name, values in noise().items()}
    assert one(repeated, "PB301").evidence.startswith("1 of 400 rows (0.25 %) repeats an earlier row. About 2 rows")


def test_phrases_that_tabular_uses_as_text_are_neither_identifiers_nor_too_many_levels():
    ends, things = ("well", "badly", "as before", "slowly"), ("visit", "call", "letter")
    notes = [f"the {things[i % 3]} number {i} went {ends[i % 4]}" for i in range(N)]
    unique = Table([Column.labels("note", notes)])
    repeated = Table([Column.labels("note", notes[: int(0.8 * N)] + notes[: N - int(0.8 * N)])])
    for table in (unique, repeated):
        (note,) = tabular(GaussianNB()).fit(table, np.arange(N) % 2).notes_
        assert note.startswith("note is used as 1 score")
        assert not codes(table, column="note") & {"PB204", "PB211"}
    assert "PB204" in codes(unique.with_kinds(note="nominal"), column="note")
    assert "PB211" in codes(repeated.with_kinds(note="nominal"), column="note")


def test_an_order_implied_by_names_is_reported_until_it_is_declared():
    table = Table([Column.labels("dose", ["low", "medium", "high", "low"] * 20)])
    assert one(table, "PB213").suggestion == "table.with_kinds(dose=['low', 'medium', 'high'])"
    assert "PB213" not in codes(table.with_kinds(dose=["low", "medium", "high"]))


# -- 3xx -----------------------------------------------------------------------------------------------


def test_copies_of_rows_are_counted_with_those_that_would_leak():
    table = Table.of(noise())
    finding = one(table.take(np.append(np.arange(N), np.arange(50))), "PB301")
    assert finding.severity == "warning"
    assert finding.evidence.startswith(
        "50 of 450 rows (11 %) repeat an earlier row. About 80 rows would have a duplicate in the training data"
    )


def test_copies_that_share_an_identifier_are_no_coincidence():
    finding = one(datasets.breast_cancer(), "PB301")
    assert finding.severity == "warning"
    assert finding.evidence.startswith(
        "8 of 699 rows (1 %) repeat an earlier row. About 13 rows would have a duplicate in the training data"
    )


def test_copies_behind_a_running_number_are_found():
    table = Table.of(noise()).take(np.append(np.arange(N), np.arange(50)))
    table = table.with_columns(Column.numbers("row", np.arange(450.0)))
    assert one(table, "PB302").evidence.startswith(
        "50 of 450 rows (11 %) repeat an earlier row in all columns except 'row'."
    )


def test_copies_that_were_recorded_at_other_times_are_found():
    table = Table.of(noise()).take(np.append(np.arange(N), np.arange(50)))
    days = Column.numbers("when", 20_000 + np.random.default_rng(0).permutation(450) / 7, dates=True)
    assert one(table.with_columns(days), "PB302").evidence.startswith(
        "50 of 450 rows (11 %) repeat an earlier row in all columns except 'when'."
    )


def test_equal_rows_of_few_values_may_be_coincidence():
    finding = one({"a": RNG.choice(["x", "y"], N), "b": RNG.choice(["u", "v"], N)}, "PB301")
    assert (finding.severity, finding.evidence.endswith("so this may be chance.")) == ("note", True)


# -- 4xx -----------------------------------------------------------------------------------------------


def test_missing_labels_are_an_error():
    finding = one(datasets.airquality(), "PB401", "ozone")
    assert finding.evidence == "37 of 153 labels are missing (24 %)."
    assert finding.suggestion == "table.take(~table['ozone'].missing)"


def test_one_class_is_an_error():
    assert one(noise(y=["no"] * N), "PB402", "y").evidence == "every label is 'no'."


def test_imbalance_gives_the_score_of_guessing():
    finding = one(noise(y=["no"] * 390 + ["yes"] * 10), "PB403", "y")
    assert finding.severity == "note"
    assert finding.evidence == "no has 390 rows, yes has 10; predicting always no has an accuracy of 98 %."


def test_the_accuracy_of_a_constant_is_said_only_where_it_is_high():
    finding = one(noise(y=["a"] * 130 + ["b"] * 130 + ["c"] * 135 + ["d"] * 5), "PB403", "y")
    assert finding.evidence == "c has 135 rows, d has 5."


def test_rare_classes_are_named():
    assert one(datasets.zoo(), "PB404", "type").evidence == "1 of 7 classes with fewer than 5 rows: amphibian 4."


def test_a_numeric_target_of_few_values_is_questioned():
    finding = one(noise(stars=RNG.integers(1, 6, N).astype(float)), "PB405", "stars")
    assert finding.evidence == "the numeric target takes 5 values: 1, 2, 3, 4, 5."
    assert "PB405" not in codes(noise(y=RNG.integers(0, 2, N).astype(float)), "y")


def test_contradictory_rows_bound_what_can_be_reached():
    # R 4.2, data(Titanic): class, sex and age decide survival for 79 % at best
    table = {"a": ["x"] * 60 + ["y"] * 40, "label": ["no"] * 45 + ["yes"] * 15 + ["yes"] * 40}
    finding = one(table, "PB406", "label")
    assert "60 rows have the same features as a row of another class" in finding.evidence
    assert "no model can have an accuracy above 85 % on these rows." in finding.evidence


def test_a_column_that_knows_the_class_is_a_leak():
    y = RNG.choice(["no", "yes"], N)
    boat = np.where(y == "yes", RNG.choice(["3", "7", "C"], N), "none")
    finding = one(noise(boat=boat, y=y), "PB407", "y")
    assert (finding.column, finding.severity) == ("boat", "error")
    assert "predicts 'y' in 100 % of the rows" in finding.evidence
    score = np.where(y == "yes", RNG.uniform(5, 9, N), RNG.uniform(0, 4, N))
    assert one(noise(score=score, y=y), "PB407", "y").column == "score"


def test_missingness_alone_can_leak():
    y = RNG.choice(["no", "yes"], N)
    x = np.where(y == "yes", RNG.normal(size=N), np.nan)
    assert one(noise(x=x, y=y), "PB407", "y").column == "x"


def test_a_column_that_knows_the_number_is_a_leak():
    y = RNG.normal(size=N)
    assert one(noise(total=np.exp(y) + RNG.normal(0, 0.001, N), y=y), "PB407", "y").severity == "error"


def test_identifiers_are_no_leaks():
    y = RNG.choice(["no", "yes"], N)
    keys = Column.labels("key", [f"k{i}" for i in range(N)])
    assert "PB407" not in codes({**noise(y=y), "key": keys}, "y")


@pytest.mark.parametrize("name", ["iris", "penguins", "breast_cancer", "house_votes", "spam", "housing", "mtcars"])
def test_good_predictors_are_no_leaks(name):
    assert "PB407" not in codes(datasets.load(name), datasets.info(name).target)


def test_an_unknown_target_is_an_error():
    with pytest.raises(DataError, match="no column 'z'"):
        examine(noise(), "z")


# -- the result ----------------------------------------------------------------------------------------

SOME = Findings(
    [
        Finding("PB212", "blood", "note", "two rare.", "merge"),
        Finding("PB301", None, "warning", "one <copy>.", "drop it"),
        Finding("PB205", "x", "error", "one infinite.", "remove"),
    ],
    (1200, 4),
)


def test_the_worst_comes_first_and_columns_are_aligned():
    assert repr(SOME) == (
        "3 findings in 1,200 rows × 4 columns: 1 error, 1 warning, 1 note\n"
        "  error    PB205 infinite        x      one infinite.\n"
        "                                        → remove\n"
        "  warning  PB301 duplicate-rows         one <copy>.\n"
        "                                        → drop it\n"
        "  note     PB212 rare-levels     blood  two rare.\n"
        "                                        → merge"
    )


def test_findings_are_a_sequence_that_can_be_filtered():
    assert [f.code for f in SOME] == ["PB205", "PB301", "PB212"]
    assert SOME[0].title == "infinite"
    assert isinstance(SOME[:2], Findings)
    assert [f.code for f in SOME.of("PB301", "PB212")] == ["PB301", "PB212"]
    assert [f.code for f in SOME.severity("error")] == ["PB205"]
    assert [f.code for f in SOME.column("blood")] == ["PB212"]
    with pytest.raises(AttributeError):
        SOME[0].code = "PB999"


def test_findings_become_plain_data_frames_and_html():
    assert SOME.to_dict()["findings"][1] == {
        "code": "PB301",
        "title": "duplicate-rows",
        "column": None,
        "severity": "warning",
        "evidence": "one <copy>.",
        "suggestion": "drop it",
    }
    frame = SOME.to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame["title"].to_list() == ["infinite", "duplicate-rows", "rare-levels"]
    assert Findings([], (3, 2)).to_frame().columns == frame.columns
    assert "one &lt;copy&gt;." in SOME._repr_html_()


def test_a_table_without_findings_is_reported_as_such():
    assert repr(Findings([], (3, 2))) == "Nothing found in 3 rows × 2 columns."


def test_a_wide_table_does_not_flood_the_terminal():
    many = Findings([Finding("PB201", f"c{i}", "note", "same.", "drop") for i in range(100)], (5, 100))
    assert repr(many).endswith("… and 40 more: see to_frame()")


# -- the house -----------------------------------------------------------------------------------------


def test_every_code_is_on_the_page_and_every_code_on_the_page_exists():
    page = (Path(__file__).parents[2] / "docs" / "findings.md").read_text(encoding="utf-8")
    headings = [line.split("**")[1] for line in page.splitlines() if line.startswith("**PB")]
    assert headings == [f"{code} {title}." for code, title in CODES.items()]


def test_every_check_documents_its_code():
    codes_in_docstrings = " ".join(check.__doc__.split(":")[0] for check in CHECKS)
    assert sorted(set(codes_in_docstrings.replace(",", "").split())) == sorted(CODES)


def test_examine_imports_nothing_heavy():
    heavy = {"scipy", "sklearn", "polars", "pandas", "numba"}
    script = f"import sys; from probus.data import examine; print(*({heavy} & set(sys.modules)))"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stdout.strip()) == (0, "")


def test_frames_are_examined_as_they_are():
    frame = pl.DataFrame({"x": [1.0, 2.0, float("inf")], "kind": ["a", "b", "?"]})
    assert codes(frame) == {"PB205", "PB101"}
    assert Table.of(frame)["kind"].kind is Kind.NOMINAL


def test_a_column_instead_of_its_name_is_an_error():
    table = Table.of({"x": [1, 2], "y": [3, 4]})
    with pytest.raises(DataError, match=r"the target is of type Column\."):
        examine(table, target=table["y"])


def test_a_feature_of_the_groups_is_no_duplicate_of_the_column_of_groups():
    age = np.random.default_rng(0).normal(size=30)
    table = {"patient": [f"p{i // 4}" for i in range(120)], "age": np.repeat(age, 4), "y": np.arange(120) % 3}
    assert [each.column for each in examine(table, "y").of("PB203")] == ["age"]
    assert not examine(table, "y", group="patient").of("PB203")
