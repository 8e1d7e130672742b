"""Search of good parameters: spaces, tuners that propose configurations, and the archive of what was tried.

``tune`` searches the parameters of a model and returns it fitted, as a ``Tuned``, which is an estimator itself. Its
``archive`` has every evaluation; stored in a file, it lets a search go on after whatever has stopped it.
"""

from probus.spaces import Choice, Fixed, Integer, Real, Space, search_space, when
from probus.tuning.archive import Archive
from probus.tuning.bohb import BOHB
from probus.tuning.evaluation import Evaluation
from probus.tuning.fidelity import fidelity_of
from probus.tuning.grid_search import Grid
from probus.tuning.halving import SuccessiveHalving
from probus.tuning.hyperband import Hyperband
from probus.tuning.racing import IteratedRacing
from probus.tuning.random_search import Random
from probus.tuning.tune_model import tune
from probus.tuning.tuned import Tuned
from probus.tuning.tuner import Trial, Tuner

__all__ = [
    "BOHB",
    "Archive",
    "Choice",
    "Evaluation",
    "Fixed",
    "Grid",
    "Hyperband",
    "Integer",
    "IteratedRacing",
    "Random",
    "Real",
    "Space",
    "SuccessiveHalving",
    "Trial",
    "Tuned",
    "Tuner",
    "fidelity_of",
    "search_space",
    "tune",
    "when",
]
