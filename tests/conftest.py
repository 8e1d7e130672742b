"""How hard properties are tried: fully by `make test`, quickly by `make check`; never against a clock.

A run can be repeated: examples are drawn by the test's own name, and what is left to chance by one seed. New examples
are looked for by `HYPOTHESIS_PROFILE=search make test`.

Each worker compiles into a cache of its own: of two processes that save different signatures of one function at the
same time, Numba may later hand one the other's code. And it begins anew whenever a source has changed: Numba looks at
the file of a cached function only, not at those of the functions that were compiled into it, and would go on running
their old code.
"""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

ROOT = Path(__file__).parent.parent

settings.register_profile("full", deadline=None, derandomize=True)
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=15)
settings.register_profile("search", deadline=None, max_examples=300)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "full"))


def fresh_cache(cache: Path) -> str:
    """The folder, emptied if a source is newer than what it holds."""
    stamp = cache / "begun"
    newest = max(source.stat().st_mtime_ns for source in (ROOT / "src" / "probus").rglob("*.py"))
    if not stamp.exists() or stamp.stat().st_mtime_ns < newest:
        shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir(parents=True)
        stamp.touch()
    return str(cache)


worker = os.environ.get("PYTEST_XDIST_WORKER")
if worker and "NUMBA_CACHE_DIR" not in os.environ:
    os.environ["NUMBA_CACHE_DIR"] = fresh_cache(ROOT / ".pytest_cache" / "numba" / worker)


@pytest.fixture(autouse=True)
def one_seed():
    """What draws without a seed of its own draws the same in every run."""
    np.random.seed(0)  # noqa: NPY002 — the generator that scikit-learn's random_state=None is
