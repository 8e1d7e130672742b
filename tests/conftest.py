"""How hard properties are tried: fully by `make test`, quickly by `make check`; never against a clock.

Each worker compiles into a cache of its own: of two processes that save different signatures of one function at the
same time, Numba may later hand one the other's code.
"""

import os
from pathlib import Path

from hypothesis import settings

settings.register_profile("full", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=15)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "full"))

worker = os.environ.get("PYTEST_XDIST_WORKER")
if worker:
    os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parent.parent / ".pytest_cache" / "numba" / worker))
