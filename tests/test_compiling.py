"""The first compilation of a process is announced where a person looks on, and only there."""

import sys
from types import SimpleNamespace

import pytest
from numba import njit
from numba.core import event

from probus import compiling


@pytest.fixture
def fresh(monkeypatch):
    compiling.announce_compiling()
    monkeypatch.setitem(compiling._state, "told", False)


def start(module):
    event.broadcast(
        event.Event("numba:compile", event.EventStatus.START, {"dispatcher": SimpleNamespace(__module__=module)})
    )


def test_it_is_said_once_to_a_terminal(fresh, monkeypatch, capsys):
    monkeypatch.setattr(compiling, "announcing", lambda: True)
    for _ in range(2):
        start("probus.tree.grow")
    assert capsys.readouterr().err.count("compiling for the first use") == 1


def test_nothing_is_said_where_nobody_looks_on(fresh, monkeypatch, capsys):
    monkeypatch.setattr(compiling, "announcing", lambda: False)
    start("probus.tree.grow")
    assert capsys.readouterr().err == ""


def test_the_kernels_of_others_are_no_matter_of_ours(fresh, monkeypatch, capsys):
    monkeypatch.setattr(compiling, "announcing", lambda: True)
    njit(lambda x: x + 1)(1)
    assert capsys.readouterr().err == ""


def test_warming_up_says_so_in_its_own_way(fresh, monkeypatch, capsys):
    monkeypatch.setattr(compiling, "announcing", lambda: True)
    compiling.keep_quiet()
    start("probus.tree.grow")
    assert capsys.readouterr().err == ""


def test_a_file_is_no_person(monkeypatch, tmp_path):
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    with (tmp_path / "log").open("w") as log:
        monkeypatch.setattr(sys, "stderr", log)
        assert not compiling.announcing()
