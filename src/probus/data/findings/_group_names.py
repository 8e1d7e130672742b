"""Columns that name groups of rows (patients, sites, batches), judging by their names and their values."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from probus.data._column import Column
from probus.data._kind import Kind
from probus.data._name_words import words_in_order, words_of
from probus.data.findings._column_checks import ID_WORDS, TIME_WORDS
from probus.data.findings._facts import facts, is_free_text, once_per_column

FEWEST_GROUPS = 5
FEWEST_ROWS = 20  # in groups of two or more
TOGETHER = 0.5  # of the rows are in groups of two or more
UNEVEN = 5  # rows of the largest group per row of a mean one: whole numbers with a peak are a quantity
FEWEST_NUMBERS = 8  # groups that are numbered: fewer are grades or counts
GAPLESS = 0.5  # of the whole numbers from the least to the greatest occur
LONG = 6  # characters of a hexadecimal code
ALIKE = 0.9  # of the levels have one form, such as P#

GROUP_WORDS = ID_WORDS | words_of(
    "account animal author batch branch building cage centre center child client clinic cohort company couple customer "
    "device document doctor donor driver employee engine experiment family farm field firm flock herd hospital "
    "household individual instrument kunde laboratory lab lesion litter lot machine member mouse nurse owner pair "
    "participant passenger patient person physician plant plate player plot practice proband pupil rater rat recording "
    "respondent rider scanner school sensor session shop sibling site slide speaker specimen station store student "
    "subject surgeon tank teacher tumor tumour turbine twin unit user vehicle video ward worker"
)
OTHER_WORDS = TIME_WORDS | words_of(
    "age amount average avg brand category city class color colour cost count country county degree diagnosis "
    "district duration education frequency gender grade height history income index job kind length level mass mean "
    "model month number of occupation per percent price product profession province purpose quarter rank rate rating "
    "ratio reason region score segment sex size speed species stage state status sum temperature total town type "
    "value volume weekday weight width years"
)
"""Words of quantities, kinds, places and times: their values are rarely the things that rows belong to."""

_DESIGNATIONS = words_of("code hash label name nr num number ref serial")

_DIGITS = re.compile(r"\d+")
_HEXADECIMAL = re.compile(r"(0x)?(?=.*\d)(?=.*[a-fA-F])[0-9a-fA-F-]+|(0x)?\d+")


@once_per_column
def may_name_groups(column: Column) -> bool:
    """Whether rows that share a value may belong together: levels or whole numbers, most of them in several rows."""
    seen = facts(column)
    if column.dates or is_free_text(column) or seen.n_distinct < FEWEST_GROUPS:
        return False
    if column.kind is Kind.NUMERIC and not bool((seen.values == np.floor(seen.values)).all()):
        return False
    several = int(seen.counts[seen.counts > 1].sum())
    return several >= max(FEWEST_ROWS, TOGETHER * seen.n_present)


def is_named_as_groups(column: Column) -> bool:
    """Whether the name of a column says that its values are things to which rows belong.

    The last word is what a name is about, but for words such as number or name: a hospital stay is no hospital.

    >>> names = ("patient_id", "patient_age", "Sites", "x", "ward name", "hospital_stay")
    >>> [is_named_as_groups(Column.labels(name, ["a"])) for name in names]
    [True, False, True, False, True, False]
    """
    words = words_in_order(column.name)
    about = [word for word in words if word not in _DESIGNATIONS]
    singular = {word.removesuffix("s") for word in words}
    last = {about[-1], about[-1].removesuffix("s")} if about else set()
    named = bool(set(words) & ID_WORDS or last & GROUP_WORDS)
    return named and not (set(words) | singular) & (OTHER_WORDS - {"number", "index"})


def is_named_otherwise(column: Column) -> bool:
    """Whether the name of a column says that its values are quantities, kinds, places or times.

    >>> [is_named_otherwise(Column.labels(name, ["a"])) for name in ("city", "birth_year", "hospital", "x")]
    [True, True, False, False]
    """
    return bool(words_of(column.name) & OTHER_WORDS)


def has_numbered_levels(column: Column) -> bool:
    """Whether levels differ in a number only (P1, P2, …), are hexadecimal, or whole numbers of about as many rows each.

    >>> [has_numbered_levels(Column.labels("g", levels)) for levels in ([f"P{i}" for i in range(9)], "ab")]
    [True, False]
    """
    seen = facts(column)
    if seen.n_distinct < FEWEST_NUMBERS or column.kind not in (Kind.NUMERIC, Kind.NOMINAL):
        return False
    if column.kind is Kind.NUMERIC or are_whole_numbers(column):
        values = seen.values.astype(np.float64)
        gapless = seen.n_distinct >= GAPLESS * (values.max() - values.min() + 1)
        even = bool(seen.counts.max() <= UNEVEN * seen.rows_per_value)
        return bool(gapless and even) if column.kind is Kind.NUMERIC else bool(even or not gapless)
    texts = [str(value) for value in seen.values]
    forms = Counter(_DIGITS.sub("#", text) for text in texts)
    form, count = forms.most_common(1)[0]
    if count >= ALIKE * seen.n_distinct and form.count("#") == 1:
        return True
    codes = [text for text in texts if len(text) >= LONG and _HEXADECIMAL.fullmatch(text)]
    return len(codes) >= ALIKE * seen.n_distinct and any(not code.isdecimal() for code in codes)


def are_whole_numbers(column: Column) -> bool:
    """Whether all levels are whole numbers, as those of grades are."""
    if not column.kind.has_levels:
        return False
    return all(text.isascii() and text.isdecimal() for text in map(str, facts(column).values))
