"""The in-context network among the families: where it is named, or where the table is small and the time suffices."""

import pytest

import probus
from probus.errors import DataError
from probus.lifecycle._families import families


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


@pytest.mark.slow
def test_a_study_stacks_it():
    found = probus.study("mtcars", target="mpg", models=["context", "linear"], evaluations=0, cv=2, progress=None)
    assert {"In-context network", "Ensemble"} <= {*found.results}
    assert not any("failed" in note for note in found.notes)
