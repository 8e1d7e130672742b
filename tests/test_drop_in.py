"""Every public name of a scikit-learn module that we share imports from ours."""

import runpy
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from probus.patch._replacements import SHARED, public_names

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("name", SHARED)
def test_every_public_name_of_scikit_learn_imports_from_our_module(name):
    theirs, ours = import_module(f"sklearn.{name}"), import_module(f"probus.{name}")
    assert set(public_names(theirs)) <= set(ours.__all__) & set(dir(ours))
    assert len(set(ours.__all__)) == len(ours.__all__)
    for public in ours.__all__:
        assert getattr(ours, public) is not None


@pytest.mark.parametrize("name", SHARED)
def test_an_unknown_name_is_an_attribute_error_that_names_the_module(name):
    with pytest.raises(AttributeError, match=f"module 'probus.{name}' has no attribute 'nonsense'"):
        import_module(f"probus.{name}").nonsense


def test_borrowed_names_are_imported_when_first_used():
    code = "import sys, probus.metrics; print('sklearn.metrics' in sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed == "False\n"


def test_the_page_lists_what_is_ours_and_what_is_borrowed():
    """``python tools/drop_in.py`` writes it."""
    assert runpy.run_path(str(ROOT / "tools" / "drop_in.py"))["page"]() == (ROOT / "docs" / "drop-in.md").read_text()


def test_scikit_learns_classes_are_not_tested_in_place_of_ours(monkeypatch):
    """``python tools/sklearn_tests.py`` stops where a package of ours cannot be imported."""
    ours = runpy.run_path(str(ROOT / "tools" / "sklearn_tests.py"))["ours"]
    assert (ours("sklearn.cluster", "KMeans"), ours("sklearn.datasets", "load_iris")) == ("probus.cluster", None)

    def failing(name):
        raise ModuleNotFoundError("No module named 'numba'", name="numba")

    monkeypatch.setattr("importlib.import_module", failing)
    with pytest.raises(ModuleNotFoundError, match="numba"):
        ours("sklearn.cluster", "KMeans")
