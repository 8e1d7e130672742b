"""What Probus promises of every estimator, one function for each behaviour, by theme.

A behaviour is a function of a ``Specimen`` that raises an ``AssertionError`` where an estimator does not behave; its
name is what the report shows. ``when`` decides from the estimator's declaration whether it applies.
"""

from probus.testing.behaviours import _awkward as awkward
from probus.testing.behaviours import _copies as copies
from probus.testing.behaviours import _determinism as determinism
from probus.testing.behaviours import _files as files
from probus.testing.behaviours import _input as input
from probus.testing.behaviours import _missing as missing
from probus.testing.behaviours import _shapes as shapes
from probus.testing.behaviours import _sparse_matrices as sparse_matrices
from probus.testing.behaviours import _targets as targets
from probus.testing.behaviours import _weights as weights
from probus.testing.behaviours._behaviour import BEHAVIOURS, Behaviour, behaviour

__all__ = ["BEHAVIOURS", "Behaviour", "behaviour"]
