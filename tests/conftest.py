"""How hard properties are tried: fully by `make test`, quickly by `make check`; never against a clock.

Each worker compiles into a cache of its own: of two processes that save different signatures of one function at the
same time, Numba may later hand one the other's code. And it begins anew whenever a source has changed: Numba looks at
the file of a cached function only, not at those of the functions that were compiled into it, and would go on running
their old code. Tests of one room go to one worker, which so compiles what others need not.
"""

import os
import re
import shutil
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parent.parent

settings.register_profile("full", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=15)
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


def pytest_collection_modifyitems(items):
    """Tests of one room belong together, those that hold an estimator to the contract included."""
    for item in items:
        model = re.match(r"test_estimator\[(\w+)\(", item.name)
        room = room_of_class(model[1]) if model else room_of_path(item.path.relative_to(ROOT))
        item.add_marker(pytest.mark.xdist_group(room))


def room_of_path(path):
    """``tests/tree/prune/test_table.py`` and ``src/probus/tree/build.py`` are of the room ``tree``."""
    parts = path.parts[1:] if path.parts[0] == "tests" else path.parts[2:]
    return "/".join(parts[: 2 if parts[0] == "ensemble" else 1])


@cache
def room_of_class(name):
    """The room of an estimator."""
    from probus.testing import estimators

    parts = next(cls.__module__ for cls in estimators() if cls.__name__ == name).split(".")[1:]
    return "/".join(parts[: 2 if parts[0] == "ensemble" else 1])
