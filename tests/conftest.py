"""Settings of all tests: how many examples properties are tried on, one seed, and the cache of compiled kernels.

`make test` tries properties on many examples, `make check` on few; neither has a time limit. A run can be repeated:
examples are drawn by the name of the test. `HYPOTHESIS_PROFILE=search make test` searches for new ones.

The workers of a run share a cache of compiled kernels, one for each state of the kernels' sources. Numba compares the
file of a cached function only, not the files of the functions compiled into it, and would run their old code.
"""

import gc
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

ROOT = Path(__file__).parent.parent

settings.register_profile("full", deadline=None, derandomize=True)
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=15)
settings.register_profile("search", deadline=None, max_examples=300)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "full"))


def kernel_cache() -> Path:
    """The folder for the present sources of all folders that contain kernels; those of former sources are removed."""
    sources = sorted((ROOT / "src" / "probus").rglob("*.py"))
    folders = {source.parent for source in sources if b"numba" in source.read_bytes()}
    content = b"".join(source.read_bytes() for source in sources if source.parent in folders)
    caches = ROOT / ".pytest_cache" / "numba"
    caches.mkdir(parents=True, exist_ok=True)
    cache = caches / sha256(content).hexdigest()[:16]
    for former in set(caches.iterdir()) - {cache}:
        shutil.rmtree(former, ignore_errors=True)
    return cache


if "PYTEST_XDIST_WORKER" in os.environ and "NUMBA_CACHE_DIR" not in os.environ:
    os.environ["NUMBA_CACHE_DIR"] = str(kernel_cache())


def pytest_addoption(parser):
    parser.addoption("--check", default="", help="run only conformance checks whose name contains this")
    parser.addoption("--warmup", action="store_true", help="compile all kernels before the workers start")


def pytest_sessionstart(session):
    """Compile what the workers would compile both, each its own copy, at the same time."""
    if session.config.getoption("--warmup") and "PYTEST_XDIST_WORKER" not in os.environ:
        folder = {"NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR", str(kernel_cache()))}
        subprocess.run([sys.executable, "-m", "probus", "warmup"], env={**os.environ, **folder}, check=True)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Search no garbage among modules and tests, which stay: neither now, a sixth of the time, nor later."""
    gc.disable()
    result = yield
    gc.freeze()
    gc.enable()
    return result


@pytest.fixture(autouse=True)
def one_seed():
    """Make draws without a seed of their own the same in every run."""
    np.random.seed(0)  # noqa: NPY002 — the generator that scikit-learn's random_state=None is
