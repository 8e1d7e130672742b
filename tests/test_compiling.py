"""Compilations are announced in terminals and notebooks, and processes do not mix up their compiled code."""

import gc
import os
import signal
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
from numba import njit
from numba.core import event
from numba.core.caching import IndexDataCacheFile

from probus import Task, resample
from probus.compiling import _compilation as compiling
from probus.ensemble import IsolationForest
from probus.ensemble._isolation_growth import grow_isolation_tree
from probus.linear_model import SGDClassifier
from probus.linear_model.stochastic._sgd_kernel import sgd_epochs
from probus.numba_seam.cache_files import ignore_unreadable_index
from probus.tree import C45Classifier
from probus.tree.multiway._row_paths import walk_shares


@pytest.fixture
def fresh(monkeypatch):
    compiling.announce_compiling()
    monkeypatch.setitem(compiling._state, "announced", 0)


def start(module, **attributes):
    with event.trigger_event("numba:compile", {"dispatcher": SimpleNamespace(__module__=module, **attributes)}):
        pass


def test_it_is_announced_once_with_an_estimate_in_a_terminal(fresh, monkeypatch, capsys):
    monkeypatch.setattr(compiling, "announcing", lambda: True)
    for _ in range(2):
        start("probus.tree.growing._grow")
    assert capsys.readouterr().err.count(f"about {compiling._SECONDS['probus.tree.']} s, once") == 1


def test_it_is_announced_again_only_where_the_estimate_rises(fresh, monkeypatch, capsys):
    monkeypatch.setattr(compiling, "announcing", lambda: True)
    for module in ("probus.losses.derivatives", "probus.tree.growing._grow", "probus.losses.derivatives"):
        start(module)
    assert capsys.readouterr().err.count("compiling kernels for this machine") == 2


def test_a_block_that_fits_several_models_is_announced_with_its_own_estimate(fresh, monkeypatch, capsys):
    monkeypatch.setattr(compiling, "announcing", lambda: True)
    with compiling.compiling_beside(print, seconds=40):
        for module in ("probus.dummy._one_r", "probus.tree.growing._grow"):
            start(module)
    announced = capsys.readouterr().err
    assert announced.count("compiling") == 1
    assert "about 40 s" in announced


def test_compilation_is_no_part_of_the_time_of_a_model(fresh, monkeypatch):
    now = iter(range(0, 1000, 10))
    monkeypatch.setattr(compiling.time, "perf_counter", lambda: float(next(now)))
    before = compiling.seconds_compiling()
    with event.trigger_event("numba:compile", {"dispatcher": None}):
        start("probus.tree.growing._grow")  # one within another counts once
    assert compiling.seconds_compiling() - before == 10


def test_a_model_is_not_charged_for_what_it_compiles(fresh, monkeypatch):
    from sklearn.dummy import DummyClassifier

    class Compiles(DummyClassifier):
        def fit(self, X, y):
            with event.trigger_event("numba:compile", {"dispatcher": None}):
                time.sleep(0.2)
            return super().fit(X, y)

    task = Task({"x": range(20), "y": ["a", "b"] * 10}, target="y")
    assert resample(Compiles(), task, cv=2).seconds.max() < 0.15


def test_a_second_process_compiles_beside_the_first(fresh, monkeypatch, tmp_path):
    monkeypatch.setattr("subprocess.Popen.kill", lambda process: process.wait())
    with compiling.compiling_beside(os.mkdir, tmp_path / "made", seconds=1):
        start("probus.tree.growing._grow")
    assert (tmp_path / "made").exists()


def test_no_process_is_started_where_nothing_is_compiled(fresh, monkeypatch):
    started = []
    monkeypatch.setattr("subprocess.Popen", lambda *args, **params: started.append(args))
    with compiling.compiling_beside(print, seconds=1):
        start("elsewhere")
    assert not started


def test_work_that_cannot_be_sent_is_left_to_the_first_process(fresh, monkeypatch):
    started = []
    monkeypatch.setattr("subprocess.Popen", lambda *args, **params: started.append(args))
    with compiling.compiling_beside(lambda: None, seconds=1):
        start("probus.tree.growing._grow")
    assert not started


def test_garbage_is_collected_again_after_a_compilation(fresh):
    assert gc.isenabled()
    with event.trigger_event("numba:compile", {"dispatcher": SimpleNamespace(__module__="elsewhere")}):
        assert not gc.isenabled()
    assert gc.isenabled()


def test_nothing_is_announced_outside_of_terminals_and_notebooks(fresh, monkeypatch, capsys):
    monkeypatch.setattr(compiling, "announcing", lambda: False)
    start("probus.tree.growing._grow")
    assert capsys.readouterr().err == ""


def test_kernels_of_other_packages_are_not_announced(fresh, monkeypatch, capsys):
    monkeypatch.setattr(compiling, "announcing", lambda: True)
    njit(lambda x: x + 1)(1)
    assert capsys.readouterr().err == ""


def test_warmup_shows_progress_instead(fresh, monkeypatch, capsys):
    monkeypatch.setattr(compiling, "announcing", lambda: True)
    compiling.keep_quiet()
    start("probus.tree.growing._grow")
    assert capsys.readouterr().err == ""


def test_a_file_is_no_terminal(monkeypatch, tmp_path):
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    with (tmp_path / "log").open("w") as log:
        monkeypatch.setattr(sys, "stderr", log)
        assert not compiling.announcing()


def test_a_function_made_by_exec_has_no_module(fresh):
    names = {"__name__": None}
    exec("def add(x):\n    return x + 1", names)
    assert names["add"].__module__ is None
    assert njit(names["add"])(1) == 2


def test_processes_that_save_at_the_same_time_load_no_code_of_each_other(fresh, monkeypatch, tmp_path):
    one, other = (IndexDataCacheFile(str(tmp_path), "kernel", source_stamp=1) for _ in range(2))
    for cache in (one, other):
        start("probus.tree.growing._grow", _cache=SimpleNamespace(_cache_file=cache))
    monkeypatch.setattr(one, "_load_index", dict)  # read before the other has written
    other.save("float64", "code of the other")
    one.save("float32", "code of the one")
    other.save("float64", "code of the other")
    found = IndexDataCacheFile(str(tmp_path), "kernel", source_stamp=1)
    assert found.load("float32") in ("code of the one", None)
    assert found.load("float64") in ("code of the other", None)


def test_an_index_of_another_version_is_ignored(monkeypatch, tmp_path):
    """After an upgrade, the types of a former version may name classes that are elsewhere now."""
    cache = IndexDataCacheFile(str(tmp_path), "kernel", source_stamp=1)
    ignore_unreadable_index(SimpleNamespace(_cache=SimpleNamespace(_cache_file=cache)))
    monkeypatch.setattr(sys.modules[SimpleNamespace.__module__], "Moved", Moved, raising=False)
    monkeypatch.setattr(Moved, "__module__", SimpleNamespace.__module__)
    cache.save(Moved(), "old code")
    monkeypatch.delattr(sys.modules[SimpleNamespace.__module__], "Moved")
    assert cache.load("float64") is None
    cache.save("float64", "new code")
    assert cache.load("float64") == "new code"


class Moved:
    pass


def test_kernels_of_probus_get_files_with_unique_names(fresh):
    from probus.tree.growing._grow import grow

    start(grow.__module__, _cache=grow._cache)
    cache = grow._cache._cache_file
    assert cache._data_name(1) != cache._data_name(1)


def test_files_of_other_packages_keep_their_names(fresh, tmp_path):
    cache = IndexDataCacheFile(str(tmp_path), "kernel", source_stamp=1)
    start("elsewhere", _cache=SimpleNamespace(_cache_file=cache))
    assert cache._data_name(1) == IndexDataCacheFile(str(tmp_path), "kernel", source_stamp=1)._data_name(1)
    assert cache._data_name(1) == "kernel.1.nbc"


def test_another_numba_without_the_private_names_keeps_its_own(fresh):
    for cache in (None, SimpleNamespace(), SimpleNamespace(_cache_file=SimpleNamespace(_data_name_pattern="{number}"))):
        start("probus.tree.growing._grow", _cache=cache)
        assert not hasattr(getattr(cache, "_cache_file", None), "_data_name")


@pytest.mark.parametrize(
    ("model", "kernel"),
    [
        (IsolationForest(n_estimators=2), grow_isolation_tree),
        (C45Classifier(), walk_shares),
        (SGDClassifier(), sgd_epochs),
    ],
    ids=lambda given: type(given).__name__,
)
def test_read_only_rows_need_no_kernel_of_their_own(model, kernel):
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    model.fit(X, y).predict(X)
    compiled = len(kernel.signatures)
    assert compiled > 0
    X.flags.writeable = False
    model.fit(X, y).predict(X)
    assert len(kernel.signatures) == compiled


@njit(nogil=True)
def spin_and_return_a_tuple(steps):
    """A kernel that runs long enough for a signal, and returns a tuple, whose arrays Numba looks up by Python."""
    out = np.zeros(2)
    for i in range(steps):
        out[i % 2] += np.sqrt(i)
    return steps, out


def test_ctrl_c_within_a_kernel_that_returns_a_tuple_is_a_keyboard_interrupt():
    def answer(*_):
        raise KeyboardInterrupt

    def spin():
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        while True:
            spin_and_return_a_tuple(20_000_000)

    spin_and_return_a_tuple(10)
    former = signal.signal(signal.SIGALRM, answer)
    try:
        with pytest.raises(KeyboardInterrupt):  # a SystemError where Numba answers it
            spin()
    finally:
        signal.signal(signal.SIGALRM, former)
