"""Columns that name groups of rows (patients, sites, batches), judging by their names and their values."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from probus.data._column import Column
from probus.data._kind import Kind
from probus.data._name_words import words_of
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
    "age amount average avg brand category city class color colour cost count country county degree district duration "
    "education frequency gender grade height income index job kind length level mass mean model month number of "
    "occupation per percent price product profession province quarter rank rate rating ratio region score "
    "segment sex size speed species stage state status sum temperature total town type value volume weekday weight "
    "width years"
)
"""Words of quantities, kinds, places and times: their values are rarely the things that rows belong to."""

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

    >>> [is_named_as_groups(Column.labels(name, ["a"])) for name in ("patient_id", "patient_age", "Sites", "x")]
    [True, False, True, False]
    """
    words = words_of(column.name)
    words |= {word.removesuffix("s") for word in words}
    return bool(words & GROUP_WORDS) and not words & (OTHER_WORDS - {"number", "index"})


def is_named_otherwise(column: Column) -> bool:
    """Whether the name of a column says that its values are quantities, kinds, places or times.

    >>> [is_named_otherwise(Column.labels(name, ["a"])) for name in ("city", "birth_year", "hospital", "x")]
    [True, True, False, False]
    """
    return bool(words_of(column.name) & OTHER_WORDS)


def has_numbered_levels(column: Column) -> bool:
    """Whether levels differ in a number only (P1, P2, …), are hexadecimal, or whole numbers of about as many rows each.

    >>> has_numbered_levels(Column.labels("g", ["P1", "P2", "P10"] * 2)), has_numbered_levels(Column.labels("g", "ab"))
    (True, False)
    """
    seen = facts(column)
    if column.kind is Kind.NUMERIC:
        gapless = seen.n_distinct >= GAPLESS * (seen.values[-1] - seen.values[0] + 1)
        return seen.n_distinct >= FEWEST_NUMBERS and bool(gapless and seen.counts.max() <= UNEVEN * seen.rows_per_value)
    if column.kind is not Kind.NOMINAL or seen.n_distinct == 0:
        return False
    texts = [str(value) for value in seen.values]
    forms = Counter(_DIGITS.sub("#", text) for text in texts)
    form, count = forms.most_common(1)[0]
    if count >= ALIKE * seen.n_distinct and form.count("#") == 1:
        return True
    codes = [text for text in texts if len(text) >= LONG and _HEXADECIMAL.fullmatch(text)]
    return len(codes) >= ALIKE * seen.n_distinct and any(not code.isdecimal() for code in codes)
