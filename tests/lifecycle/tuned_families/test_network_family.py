"""The network among the families: where it is named, or where time and PyTorch are there."""

import pytest

import probus
from probus import neural_network
from probus.errors import DataError
from probus.lifecycle._families import families


@pytest.mark.parametrize(
    ("rows", "seconds", "tried"),
    [(500, 300.0, False), (500, 600.0, True), (5000, 3600.0, False), (3000, 3600.0, True), (500, None, False)],
)
def test_it_is_tried_where_the_time_suffices(rows, seconds, tried):
    assert ("Network" in families("classification", None, rows, seconds)) == tried


def test_it_is_tried_where_it_is_named():
    assert list(families("regression", ["net", "ridge regression"])) == ["Zero-R", "Ridge regression", "Network"]


def test_without_pytorch_it_is_left_out_or_refused(monkeypatch):
    def refuse(needed_by):
        raise DataError(f"{needed_by} needs PyTorch, which is not installed.")

    monkeypatch.setattr(neural_network, "pytorch_is_installed", lambda: False)
    monkeypatch.setattr(neural_network, "load_torch", refuse)
    assert "Network" not in families("classification", None, 500, 3600.0)
    with pytest.raises(DataError, match="the family 'net' needs PyTorch"):
        families("classification", ["net"])


@pytest.mark.slow
def test_a_study_compares_it():
    found = probus.study("mtcars", target="mpg", models=["net", "linear"], evaluations=0, cv=2, progress=None)
    assert "Network" in repr(found)
    assert not any("failed" in note for note in found.notes)
