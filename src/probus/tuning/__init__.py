"""Search of good parameters: spaces, tuners that propose configurations, and the archive of what was tried.

``tune`` searches the parameters of a model and returns it fitted, as a ``Tuned``, which is an estimator itself. Its
``archive`` has every evaluation; stored in a file, it lets a search go on after whatever has stopped it.
"""

from probus.borrowing import listing
from probus.spaces import Choice, Fixed, Integer, Real, Space, search_space, when
from probus.tuning.annealing_search import Annealing
from probus.tuning.archive import Archive
from probus.tuning.bayesian_search import Bayesian
from probus.tuning.bohb import BOHB
from probus.tuning.covariance_search import CMAES
from probus.tuning.evaluation import Evaluation
from probus.tuning.evolution_search import Evolution
from probus.tuning.fidelity import fidelity_of
from probus.tuning.grid_search import Grid
from probus.tuning.halving import SuccessiveHalving
from probus.tuning.hyperband import Hyperband
from probus.tuning.optuna_search import OptunaTuner
from probus.tuning.pareto import pareto_front
from probus.tuning.racing import IteratedRacing
from probus.tuning.random_search import Random
from probus.tuning.sobol_search import Sobol
from probus.tuning.tune_model import tune
from probus.tuning.tuned import Tuned
from probus.tuning.tuner import Trial, Tuner

__all__ = [
    "BOHB",
    "CMAES",
    "Annealing",
    "Archive",
    "Bayesian",
    "Choice",
    "Evaluation",
    "Evolution",
    "Fixed",
    "Grid",
    "Hyperband",
    "Integer",
    "IteratedRacing",
    "OptunaTuner",
    "Random",
    "Real",
    "Sobol",
    "Space",
    "SuccessiveHalving",
    "Trial",
    "Tuned",
    "Tuner",
    "fidelity_of",
    "pareto_front",
    "search_space",
    "tune",
    "when",
]

__dir__ = listing(globals())
