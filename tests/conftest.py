"""How hard properties are tried: fully by `make test`, quickly by `make check`; never against a clock."""

import os

from hypothesis import settings

settings.register_profile("full", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=15)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "full"))
