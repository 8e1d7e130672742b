"""Our estimators in the place of scikit-learn's, under an unchanged script.

Call ``patch_sklearn()`` before a script's imports, or run ``python -m probus.patch script.py``: scikit-learn's modules
then offer our classes under its names. ``python -m probus.patch --list`` prints what is replaced, and what is left
alone and why.
"""

from probus.borrowing import listing
from probus.patch._patching import patch_sklearn, patched_sklearn, unpatch_sklearn

__all__ = ["patch_sklearn", "patched_sklearn", "unpatch_sklearn"]

__dir__ = listing(globals())
