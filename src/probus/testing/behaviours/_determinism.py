"""The same data and seed give the same model, to the byte."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import joblib

from probus.persistence import Encoder
from probus.testing._outputs import assert_equal_outputs, outputs, state_of
from probus.testing._specimen import Specimen
from probus.testing.behaviours._behaviour import behaviour

__all__: list[str] = []


State = dict[str, tuple[Any, list[bytes]]]


def _bytes_of(model: Any) -> State:
    """Each fitted attribute of a model, as a file would hold it."""
    held = {}
    for name, value in state_of(model).items():
        encoder = Encoder()
        held[name] = encoder.node(value, name), [array.tobytes() for array in encoder.arrays]
    return held


def _assert_same_bytes(found: State, expected: State) -> None:
    names = found.keys() | expected.keys()
    differing = sorted(name for name in names if found.get(name) != expected.get(name))
    assert not differing, f"these differ: {', '.join(differing)}"


@behaviour()
def the_same_seed_gives_the_same_bytes(specimen: Specimen) -> None:
    """Fitting twice gives one model."""
    table = specimen.table()
    one, other = specimen.fitted(table), specimen.fitted(table)
    _assert_same_bytes(_bytes_of(one), _bytes_of(other))
    assert_equal_outputs(outputs(one, table), outputs(other, table))


@behaviour()
def any_number_of_threads_gives_the_same_bytes(specimen: Specimen) -> None:
    """Threads change the time, not the model; here even the smallest work is spread over them."""
    table = specimen.table()
    one = specimen.fitted(table)
    expected = outputs(one, table)
    for n_jobs in (2, 3):
        with patch("probus.parallel._WORTH_A_THREAD", 1e-9), joblib.parallel_config("threading", n_jobs=n_jobs):
            model = specimen.fitted(table)
            found = outputs(model, table)
        _assert_same_bytes(_bytes_of(model), _bytes_of(one))
        assert_equal_outputs(found, expected)


@behaviour(lambda specimen: specimen.has("n_jobs"))
def any_number_of_jobs_gives_the_same_bytes(specimen: Specimen) -> None:
    """The same for the parameter."""
    table = specimen.table()
    y = specimen.target(len(table))
    one = specimen.fresh(n_jobs=1).fit(table, y)
    for n_jobs in (2, -1):
        # threads, since processes take seconds to start
        with patch("probus.parallel._WORTH_A_THREAD", 1e-9), joblib.parallel_config("threading"):
            model = specimen.fresh(n_jobs=n_jobs).fit(table, y)
            found = outputs(model, table)
        _assert_same_bytes(_bytes_of(model), _bytes_of(one))
        assert_equal_outputs(found, outputs(one, table))


@behaviour()
def fitting_again_forgets_what_was_before(specimen: Specimen) -> None:
    """A model fitted to other data first is the model fitted once."""
    table = specimen.table()
    other = specimen.table(20, seed=9).drop("width")
    again = specimen.fitted(other).fit(table, specimen.target(len(table)))
    _assert_same_bytes(_bytes_of(again), _bytes_of(specimen.fitted(table)))


@behaviour()
def predicting_changes_nothing(specimen: Specimen) -> None:
    """Predicting does not modify a model, and gives the same output again."""
    table = specimen.table()
    model = specimen.fitted(table)
    before = _bytes_of(model)
    first = outputs(model, table)
    assert_equal_outputs(outputs(model, table), first)
    _assert_same_bytes(_bytes_of(model), before)
