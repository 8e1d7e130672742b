"""``import probus`` is cheap, and everything it promises is there."""

import subprocess
import sys
import time

import pytest

import probus

HEAVY = {"numba", "sklearn", "scipy", "polars", "matplotlib", "pandas", "pyarrow"}


def python(code):
    """What a fresh interpreter prints, and how long it took."""
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout, time.perf_counter() - start


def test_importing_probus_imports_nothing_heavy():
    said, took = python("import sys, probus; print(*{name.partition('.')[0] for name in sys.modules})")
    assert not HEAVY & set(said.split())
    _, bare = python("pass")
    print(f"import probus costs {took - bare:.3f} s over a bare interpreter; the budget is 0.15 s")


def test_importing_the_data_room_imports_nothing_heavy():
    said, _ = python("import sys, probus; probus.Table; print(*{name.partition('.')[0] for name in sys.modules})")
    assert not HEAVY & set(said.split())


@pytest.mark.parametrize("name", probus.__all__)
def test_every_public_name_resolves(name):
    assert getattr(probus, name) is not None
    assert name in dir(probus)


def test_rooms_do_not_hide_verbs_and_a_star_import_brings_everything():
    said, _ = python(
        "from probus import *\n"
        "import probus, probus.persistence, probus.data, probus.pipeline, probus.lifecycle\n"
        "print(set(probus.__all__) <= set(dir()))\n"
        "print(all(callable(getattr(probus, v)) for v in ('read', 'examine', 'save', 'load', 'tabular', 'study')))"
    )
    assert said.split() == ["True", "True"]


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        probus.nonsense


@pytest.mark.parametrize("name", [name for name in probus._PACKAGES if hasattr(getattr(probus, name), "__path__")])
def test_a_package_lists_its_public_names_only(name):
    package = getattr(probus, name)
    assert dir(package) == sorted(package.__all__)
    assert not {each for each in dir(package) if each.startswith("_")}


def test_unknown_names_are_cheap_to_miss():
    """``hasattr`` of names with an underscore, as tools ask for, looks nowhere; of others it imports nothing."""
    code = (
        "import sys, probus; hasattr(probus, 'nonsense'); hasattr(probus, '__wrapped__'); print('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
