"""Without a folder that can be written, kernels are kept in a private temporary folder, or nowhere; imports work."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import probus
from probus.cli._doctor import doctor

pytestmark = pytest.mark.slow

FIT = """
import sys, warnings
warnings.simplefilter(sys.argv[1])
import probus.dummy
from probus.dummy import _one_r, OneRClassifier
from probus.compiling._kernel_cache import kept_elsewhere
import probus.naive_bayes
OneRClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"])
print(kept_elsewhere())
print(sum(sum(kernel.stats.cache_misses.values()) for kernel in vars(_one_r).values() if hasattr(kernel, "stats")))
"""


@pytest.fixture
def read_only(tmp_path):
    """A copy of the package without folders for caches, and an environment without a home folder.

    A file where Numba would make a folder stops the superuser too, who may write into read-only folders.
    """
    copy = tmp_path / "site" / "probus"
    shutil.copytree(Path(probus.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__", "files"))
    for folder in (copy, *(path for path in copy.rglob("*") if path.is_dir())):
        (folder / "__pycache__").write_text("in the way")
    (tmp_path / "temp").mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "XDG_"))}
    return {**kept, "PYTHONPATH": str(copy.parent), "HOME": os.devnull, "TMPDIR": str(tmp_path / "temp")}


def run(environment, code=FIT, filter="always"):
    done = subprocess.run(
        [sys.executable, "-c", code, filter], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    where, compiled = done.stdout.split("\n")[:2]
    return where, int(compiled), done.stderr


def test_kernels_are_kept_in_a_private_temporary_folder(read_only, tmp_path):
    where, compiled, said = run(read_only)
    (folder,) = (tmp_path / "temp").iterdir()
    assert where == f"kept in {folder}"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert compiled > 0
    assert list(folder.rglob("*.nbc"))
    assert said.count("probus can write neither beside its modules nor in the home folder") == 1
    assert f"compiled kernels are kept in {folder}. Set NUMBA_CACHE_DIR to a folder" in said

    where, compiled, said = run(read_only, filter="error")  # a second process finds them; no warning stops an import
    assert (where, compiled, said) == (f"kept in {folder}", 0, "")

    folder.chmod(0o777)  # anybody could have put code there
    where, compiled, _ = run(read_only)
    assert where != f"kept in {folder}"
    assert where.startswith(f"kept in {tmp_path / 'temp'}")
    assert compiled > 0
    assert list((tmp_path / "temp").iterdir()) == [folder]  # a folder for one session is removed at its end


def test_without_any_folder_kernels_are_compiled_anew(read_only):
    where, compiled, said = run(read_only, f"import tempfile; tempfile.tempdir = {os.devnull!r}\n" + FIT)
    assert where == "kept nowhere, every session compiles anew"
    assert compiled > 0
    assert said.count("compiled kernels are kept nowhere, every session compiles anew") == 1


def test_doctor_reports_where_kernels_are_kept(monkeypatch, capsys):
    monkeypatch.setattr("probus.compiling.kept_elsewhere", lambda: "kept in /tmp/private")
    doctor()
    assert "kept in /tmp/private: neither the package nor the home folder can be written" in capsys.readouterr().out


def test_every_kernel_is_defined_by_the_decorator_of_this_package():
    """Numba's own would need a folder, and could be interrupted. The seam has parts of kernels, without a cache."""
    home = Path(probus.__file__).parent
    own = [path for path in home.rglob("*.py") if "from numba import njit" in path.read_text()]
    assert [path.name for path in own if path.parent.name != "numba_seam"] == ["_compilation.py"]
    assert not [path for path in own if path.parent.name == "numba_seam" and "cache=True" in path.read_text()]
