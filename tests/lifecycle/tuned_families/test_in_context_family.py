"""The in-context network among the families: where it is named, or where the table is small and the time suffices."""

import pytest

import probus
from probus.errors import DataError
from probus.lifecycle._families import families, is_tuned
from probus.spaces import search_space


@pytest.mark.parametrize(
    ("rows", "seconds", "tried"),
    [
        (100, 30, True),
        (100, 20, False),
        (1000, 240, False),
        (1000, 300, True),
        (1300, 3600, False),
        (9, None, False),
    ],
)
def test_it_is_tried_on_small_tables_where_the_time_suffices(rows, seconds, tried):
    assert ("In-context network" in families("classification", None, rows, seconds)) == tried


def test_it_is_tried_where_it_is_named():
    named = families("regression", ["context", "ridge regression"], 10**6)
    assert list(named) == ["Zero-R", "Ridge regression", "In-context network"]


def test_the_name_of_another_library_leads_to_it():
    with pytest.raises(DataError, match="Use 'context'"):
        families("classification", ["tabpfn"])


def test_it_is_tuned_so_that_it_can_be_a_member_of_an_ensemble():
    model = families("classification", ["context"])["In-context network"]
    assert search_space(model).size == 2
    assert is_tuned(model)


@pytest.mark.slow
def test_a_study_compares_it():
    found = probus.study("mtcars", target="mpg", models=["context", "linear"], evaluations=0, cv=2, progress=None)
    assert "In-context network" in found.results
    assert not any("failed" in note for note in found.notes)
