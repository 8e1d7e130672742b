"""Search of good parameters: spaces, tuners that propose configurations, and the archive of what was tried.

``tune`` searches the parameters of a model and returns it fitted, as a ``Tuned``, which is an estimator itself. Its
``archive`` has every evaluation; stored in a file, it lets a search go on after whatever has stopped it.
"""

from probus.borrowing import listing
from probus.spaces import Choice, Fixed, Integer, Real, Space, search_space, when
from probus.tuning._annealing_search import Annealing
from probus.tuning._archive import Archive
from probus.tuning._archive_database import open_database
from probus.tuning._archive_header import (
    are_same_rows,
    column_hashes,
    describe_part,
    fingerprint,
    first_difference,
    header_of_study,
    short_hash,
    table_hash,
)
from probus.tuning._bayesian_search import Bayesian
from probus.tuning._bohb import BOHB
from probus.tuning._covariance_search import CMAES
from probus.tuning._cv_results import resolved
from probus.tuning._evaluate import SplitResult
from probus.tuning._evaluation import Evaluation
from probus.tuning._evolution_search import Evolution
from probus.tuning._fidelity import Fidelity, fidelity_of
from probus.tuning._grid_search import Grid
from probus.tuning._halving import SuccessiveHalving
from probus.tuning._hyperband import Hyperband
from probus.tuning._optuna_search import OptunaTuner
from probus.tuning._pareto import pareto_front
from probus.tuning._racing import IteratedRacing
from probus.tuning._random_search import Random
from probus.tuning._sobol_search import Sobol
from probus.tuning._tune_model import tune
from probus.tuning._tuned import Tuned
from probus.tuning._tuner import Proposer, Trial, Tuner
from probus.tuning._tuning_run import run_search
from probus.tuning._warm_start import first_configs
from probus.tuning._workers import JobEndedError, executor_of

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
