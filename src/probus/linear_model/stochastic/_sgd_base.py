"""The loop of stochastic gradient descent over epochs, and what its models have in common."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from probus.allowed_values import InstanceOf, IntegerIn, NoneAllowed, TrueOrFalse
from probus.base import Accepts, Model, checked_weights, is_classifier
from probus.errors import DataError
from probus.linear_model._linear_parameters import ALPHA, L1_RATIO
from probus.linear_model._sparse_coefficients import SparseCoefficients
from probus.linear_model.optimisers._linear_objective import LinearObjective
from probus.linear_model.optimisers._linear_rows import Rows, rows_of
from probus.linear_model.optimisers._optimiser import Descent, Optimiser
from probus.linear_model.stochastic._sgd_kernel import (
    ADAPTIVE,
    CONSTANT,
    INVERSE_SCALING,
    OPTIMAL,
    PASSIVE_1,
    PASSIVE_2,
    has_stalled,
    row_keys,
    sgd_epochs,
    shuffle_blocks,
    shuffle_rows,
)
from probus.losses.margin_losses import loss_code, total_loss
from probus.parameters import FIT_INTERCEPT, MAX_ITER, RANDOM_STATE, TOL, VERBOSE, WARM_START, attribute, parameter
from probus.state import Array, Maybe, Number, Spec

_RATES = {
    "constant": CONSTANT,
    "optimal": OPTIMAL,
    "invscaling": INVERSE_SCALING,
    "adaptive": ADAPTIVE,
    "pa1": PASSIVE_1,
    "pa2": PASSIVE_2,
}
_NO_VALIDATION = "The sample weights for validation set are all zero, consider using a different random state."
_FAR = 10.0  # an objective so many times that of zero coefficients has diverged
_FEW, _SLOW = 0.1, 0.01  # sparse rows move most coefficients rarely; the intercept moves always, so in smaller steps
_LARGE = 1_000_000  # bytes beyond which rows are copied once rather than fetched from anywhere in every epoch
_MOST_COPIES = 10  # the largest mean of whole weights that count as repeated rows
_AT_ONCE, _OVERHEAD = 1_000_000, 10  # numbers in the epochs between two looks at interrupts, and what a row counts
_SMALLEST_RATE = 1e-6  # at which an adaptive rate no longer falls


Ending = tuple[float, float]  # see ``has_stalled``
# of the largest number of epochs, the random bits, the rate, the ending and the progress; returns the number of epochs
Epochs = Callable[[int, np.ndarray, float, Ending, np.ndarray], int]


@dataclass(frozen=True)
class TrainingRows:
    """The rows of a fit.

    X, rows : the matrix, and in the form of the kernels. weight : float64, one per row.
    source : the row that each was when it was given. visits : the rows to visit, some of them repeatedly.
    blocks : whether rows lie in random order, and are visited in blocks of neighbours.
    """

    X: Any
    rows: Rows
    weight: np.ndarray
    source: np.ndarray
    visits: np.ndarray
    blocks: bool = False

    @classmethod
    def of(cls, X: Any, weight: np.ndarray, visits: np.ndarray) -> TrainingRows:
        """All rows where they are."""
        return cls(X, rows_of(X), weight, np.arange(X.shape[0]), visits)

    def in_random_order(self, seed: int) -> TrainingRows:
        """A copy of the rows in random order."""
        source = self.visits.copy()
        shuffle_rows(source, _random_bits(seed))
        X = self.X[source]
        return TrainingRows(X, rows_of(X), self.weight[source], source, np.arange(len(source)), blocks=True)


def _random_bits(seed: int) -> np.ndarray:
    """The state of the kernels' random numbers."""
    return np.array([(2 * seed + 1) * 0x9E3779B97F4A7C15 % 2**64], dtype=np.uint64)


@dataclass
class Walk:
    """The coefficients of one problem on their way.

    w, b : coefficients and intercept. mean_w, mean_b : their means over steps, empty without averaging.
    t : the number of the next step. momentum, steps : float64[2, d + 1] of an optimiser, and the steps it has taken.
    pending : what the penalty on absolute values notes, see ``sgd_epoch``. objective, penalty : the mean of
    the one in the last epoch, and the other at its end, not finite where coefficients are not. at_zero : the loss of
    zero coefficients.
    """

    w: np.ndarray
    b: float
    mean_w: np.ndarray
    mean_b: float
    t: float
    momentum: np.ndarray
    steps: int
    pending: np.ndarray
    n_iter: int = 0
    objective: float = 0.0
    penalty: float = 0.0
    at_zero: float = 0.0


class StochasticDescent(SparseCoefficients, Model):
    """Parent of the linear models by stochastic gradient descent."""

    loss: str = attribute()
    penalty: str | None = parameter(
        "R: half the sum of squares, the sum of absolute values, or both; None is no penalty.",
        default="l2",
        one_of=("l2", "l1", "elasticnet"),
    )
    alpha: float = ALPHA.but(default=0.0001)
    l1_ratio: float | None = L1_RATIO.but(
        doc='The share of the absolute values of "elasticnet": 1 is the lasso, 0 is ridge.', default=0.15
    )
    fit_intercept: bool = FIT_INTERCEPT
    max_iter: int = MAX_ITER.but(doc="The maximum number of epochs, which visit every row once.")
    tol: float | None = TOL.but(
        doc="Epochs end when the objective has not fallen by that much for ``n_iter_no_change`` epochs; None never "
        "ends them early.",
        default=1e-3,
    )
    shuffle: bool = parameter(
        "Whether rows are visited in random order. The order then does not depend on that of X, and whole weights, of "
        "at most ten on average, count as repeated rows.",
        default=True,
    )
    verbose: int = VERBOSE.but(doc="Whether epochs are printed.")
    epsilon: float = parameter(
        "The residual from which on Huber's loss is linear, and up to which the insensitive losses are 0.",
        default=0.1,
        at_least=0,
    )
    random_state: Any = RANDOM_STATE
    learning_rate: str = parameter(
        "How large the steps are: 1 / (α (t + t₀)); eta0; eta0 / t ** power_t; eta0, divided by 5 whenever epochs no "
        "longer improve; or the passive-aggressive ones.",
        default="optimal",
        one_of=_RATES,
    )
    eta0: float = parameter("The size of the first steps, see ``learning_rate``.", default=0.01, above=0)
    power_t: float = parameter('How fast the steps of "invscaling" fall.', default=0.5)
    early_stopping: bool = parameter(
        "Whether the score of rows held out decides when to end: the accuracy of classes, R² of numbers.", default=False
    )
    validation_fraction: float = parameter("The share of rows held out.", default=0.1, above=0, below=1)
    n_iter_no_change: int = parameter("For how many epochs there may be no progress.", default=5, at_least=1)
    warm_start: bool = WARM_START
    average: Any = parameter(
        "Whether coefficients are means over steps; a number is the first step that counts.",
        default=False,
        of=[IntegerIn(above=0), TrueOrFalse()],
    )
    optimiser: Optimiser | None = parameter(
        "Another way down: an object of ``probus.linear_model.optimisers``, which has its own sizes of steps and "
        "batches. ``learning_rate``, ``eta0`` and ``power_t`` are then ignored.",
        default=None,
        of=[InstanceOf(Optimiser), NoneAllowed()],
    )

    accepts = Accepts(sparse=True, weights=True, scaled=True)
    fitted: ClassVar[dict[str, Spec]] = {
        "n_iter_": Number(),
        "t_": Number(),
        "_standard_coef": Maybe(Array("f8", "m d")),
        "_standard_intercept": Maybe(Array("f8", "m")),
        "_average_coef": Maybe(Array("f8", "m d")),
        "_average_intercept": Maybe(Array("f8", "m")),
        "momentum_": Maybe(Array("f8", "m 2 *")),
        "n_steps_": Maybe(Number()),
    }

    coef_: np.ndarray = attribute()
    intercept_: np.ndarray = attribute()

    # -- checks ----------------------------------------------------------------------------------------

    def _check_settings(self, *, partial: bool) -> None:
        if self.early_stopping and partial:
            raise ValueError("early_stopping should be False with partial_fit")
        if self.optimiser is None and self.learning_rate == "optimal" and self.alpha == 0:
            raise ValueError(
                "alpha must be > 0 since learning_rate is 'optimal'. alpha is used to compute the optimal learning "
                "rate."
            )
        needed = "hinge" if is_classifier(self) else "epsilon_insensitive"
        if self.learning_rate in ("pa1", "pa2") and self.loss != needed:
            raise ValueError(f"Learning rate '{self.learning_rate}' only works with loss '{needed}'.")
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            raise ValueError("l1_ratio must be set when penalty is 'elasticnet'")
        if self.optimiser is not None and self.average:
            raise DataError(
                "average with an optimiser.", "one of the two", "Let the steps fall: schedule='inverse_root'."
            )

    def _warn(self, walks: list[Walk]) -> None:
        if self.tol is not None and self.n_iter_ == self.max_iter:
            warnings.warn(
                "Maximum number of iteration reached before convergence. Consider increasing max_iter to improve the "
                "fit.",
                ConvergenceWarning,
                stacklevel=4,
            )
        if any(walk.objective > _FAR * walk.at_zero > 0.0 for walk in walks):
            warnings.warn(
                "The objective is more than ten times that of zero coefficients: the steps were too large. Scale the "
                "columns, which probus.tabular does, or lower eta0.",
                ConvergenceWarning,
                stacklevel=4,
            )
        if self.power_t < 0:
            warnings.warn(
                "Negative values for `power_t` are deprecated in version 1.8 and will raise an error in 1.10. Use "
                "values in the range [0.0, inf) instead.",
                FutureWarning,
                stacklevel=4,
            )

    # -- rows ------------------------------------------------------------------------------------------

    def _training_rows(
        self, X: Any, y: np.ndarray, sample_weight: Any, max_iter: int
    ) -> tuple[TrainingRows, np.ndarray, np.ndarray]:
        """The rows to visit, those held out, and the weights of all.

        Rows that are shuffled start in an order that does not depend on the given one.
        """
        if self.early_stopping and sample_weight is not None and not np.any(sample_weight):
            raise ValueError(_NO_VALIDATION)
        weights = checked_weights(sample_weight, X)
        weight, held_out = np.ones(len(y)) if weights is None else weights, self._held_out(y, weights)
        data = TrainingRows.of(X, weight, np.flatnonzero((weight > 0.0) & ~held_out))
        if self.shuffle:
            data = self._in_own_order(data, y, weights is not None)
            if max_iter > 1 and 8 * len(data.rows.values) > _LARGE and len(data.visits) <= 2 * len(y):
                data = data.in_random_order(int(self._seeds(1)[0]))
        return data, np.flatnonzero(held_out), weight

    def _in_own_order(self, data: TrainingRows, y: np.ndarray, weighted: bool) -> TrainingRows:
        """The rows sorted by what they hold, repeated where their weights are counts."""
        keys, weight = np.empty(len(y)), data.weight
        row_keys(data.rows, np.random.default_rng(0).random(data.X.shape[1] + 1) + 0.5, y.astype(np.float64), keys)
        visits = data.visits[np.argsort(keys[data.visits], kind="stable")]
        if weighted and (weight == np.floor(weight)).all() and weight.mean() <= _MOST_COPIES:
            visits, weight = np.repeat(visits, weight[visits].astype(np.int64)), np.ones(len(y))
        return replace(data, weight=weight, visits=visits)

    def _held_out(self, y: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
        """Which rows are kept for early stopping."""
        mask = np.zeros(len(y), dtype=bool)
        if not self.early_stopping:
            return mask
        from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

        split = StratifiedShuffleSplit if is_classifier(self) else ShuffleSplit
        cv = split(test_size=self.validation_fraction, random_state=self.random_state)
        mask[next(cv.split(np.zeros((len(y), 1)), y))[1]] = True
        if weights is not None and not weights[mask].any():
            raise ValueError(_NO_VALIDATION)
        return mask

    # -- the loop --------------------------------------------------------------------------------------

    def _start(self, n_problems: int, coef: Any, intercept: Any, d: int) -> list[Walk]:
        """Where each problem begins: given coefficients, or those of the last ``partial_fit``, or zeros."""
        w = np.zeros((n_problems, d)) if coef is None else np.array(coef, dtype=np.float64)
        b = np.zeros(n_problems) if intercept is None else np.array(intercept, dtype=np.float64).ravel()
        means = getattr(self, "_average_coef", None), getattr(self, "_average_intercept", None)
        momentum, steps = getattr(self, "momentum_", None), int(getattr(self, "n_steps_", 0))
        return [
            Walk(
                w[k].copy(),
                float(b[k]),
                np.zeros(d if self.average else 0) if means[0] is None else means[0][k].copy(),
                0.0 if means[1] is None else float(means[1][k]),
                self.t_,
                np.zeros((2, d + self.fit_intercept)) if momentum is None else momentum[k].copy(),
                steps,
                np.zeros(d if self.penalty in ("l1", "elasticnet") else 0),
            )
            for k in range(n_problems)
        ]

    def _walk(
        self,
        walk: Walk,
        data: TrainingRows,
        y: np.ndarray,
        weight: np.ndarray,
        seed: int,
        max_iter: int,
        score: Callable[[np.ndarray, float], float],
    ) -> None:
        """Epochs until the objective, or the score of rows held out, no longer improves."""
        order, random = data.visits.copy(), _random_bits(seed)
        loss, n = loss_code(self.loss, self.epsilon), len(data.visits)
        walk.at_zero = total_loss(*loss, y[order], np.zeros(n), np.ones(n), np.empty(n)) / n
        visit = self._plain_epochs if self.optimiser is None else self._optimiser_epochs
        epochs, rate = visit(walk, data, order, y, weight, seed), self.eta0
        ending = (-np.inf if self.tol is None else float(self.tol)), float(self.n_iter_no_change)
        most = 1 if self.early_stopping or self.verbose else max(1, _AT_ONCE // (n * (len(walk.w) + _OVERHEAD)))
        progress = np.array([-np.inf, 0.0])
        while walk.n_iter < max_iter:
            noted = np.empty(2) if self.early_stopping else progress
            walk.n_iter += epochs(min(most, max_iter - walk.n_iter), random, rate, ending, noted)
            if not isfinite(walk.b + walk.penalty):
                raise DataError(
                    f"Floating-point under-/overflow occurred at epoch #{walk.n_iter}. Scaling input data with "
                    "StandardScaler or MinMaxScaler might help."
                )
            gain = score(walk.w, walk.b) if self.early_stopping else -walk.objective
            if self.verbose:
                watched = "validation score" if self.early_stopping else "objective"
                print(f"-- Epoch {walk.n_iter}: {watched} {abs(gain):f}")
            if self.early_stopping:
                has_stalled(progress, gain, ending)
            if progress[1] >= self.n_iter_no_change:
                if self.learning_rate != "adaptive" or rate <= _SMALLEST_RATE:
                    return
                rate, progress[1] = rate / 5.0, 0.0

    def _plain_epochs(
        self, walk: Walk, data: TrainingRows, order: np.ndarray, y: np.ndarray, weight: np.ndarray, seed: int
    ) -> Epochs:
        """Visit every row once in an epoch, a step for each."""
        rows, (alpha, share) = data.rows, self._penalty()
        optimal = 1.0 / (self.alpha * np.sqrt(1.0 / np.sqrt(self.alpha))) if self.learning_rate == "optimal" else 0.0
        steps = _RATES[self.learning_rate], float(self.eta0), float(self.power_t), float(self.alpha), optimal
        few = len(rows.columns) and len(rows.values) < _FEW * (len(rows.starts) - 1) * len(walk.w)
        intercept = float(self.fit_intercept) * (_SLOW if few else 1.0)
        penalty = alpha * (0.5 * (1.0 - share) * float(walk.w @ walk.w) + share * float(np.abs(walk.w).sum()))
        state = np.array([walk.b, walk.t, walk.mean_b, 0.0, 0.0, penalty])
        how = loss_code(self.loss, self.epsilon), (alpha, share), steps, intercept, int(self.average)
        shuffling = (2 if data.blocks else 1) if self.shuffle else 0

        def epochs(most: int, random: np.ndarray, rate: float, ending: Ending, progress: np.ndarray) -> int:
            state[4] = rate
            done, walk.objective = sgd_epochs(
                most, shuffling, random, ending, progress, order, rows, y, weight, how, walk.w, state, walk.mean_w,
                walk.pending,
            )  # fmt: skip
            walk.b, walk.t, walk.mean_b, _, _, walk.penalty = state.tolist()
            return done

        return epochs

    def _optimiser_epochs(
        self, walk: Walk, data: TrainingRows, order: np.ndarray, y: np.ndarray, weight: np.ndarray, seed: int
    ) -> Epochs:
        """Let the optimiser use every row once in an epoch."""
        alpha, share = self._penalty()
        objective = LinearObjective(
            data.X, y, loss=self.loss, alpha=alpha * (1.0 - share), l1=alpha * share, fit_intercept=self.fit_intercept,
            sample_weight=weight, epsilon=self.epsilon,
        )  # fmt: skip
        start = np.append(walk.w, walk.b) if self.fit_intercept else walk.w
        assert self.optimiser is not None
        descent = Descent(self.optimiser, objective, start, seed)
        descent.m, descent.v, descent.t = walk.momentum[0], walk.momentum[1], walk.steps + 1
        descent.batch = min(self.optimiser.batch_size or len(data.visits), len(data.visits))

        def epoch(most: int, random: np.ndarray, rate: float, ending: Ending, progress: np.ndarray) -> int:
            if self.shuffle:
                (shuffle_blocks if data.blocks else shuffle_rows)(order, random)
            loss = descent.linear_epoch(objective, order)
            walk.w, walk.b = (descent.w[:-1], float(descent.w[-1])) if self.fit_intercept else (descent.w, 0.0)
            walk.t, walk.steps = walk.t + len(order), descent.t - 1
            walk.penalty = objective.penalty_at(descent.w)
            walk.objective = loss + walk.penalty
            has_stalled(progress, -walk.objective, ending)
            return 1

        return epoch

    def _penalty(self) -> tuple[float, float]:
        """α and the share of the absolute values."""
        share = {"l2": 0.0, "l1": 1.0, "elasticnet": self.l1_ratio, None: 0.0}[self.penalty]
        return (0.0 if self.penalty is None else float(self.alpha)), float(share or 0.0)

    def _store(self, walks: list[Walk]) -> None:
        """Store coefficients, of which the means once averaging has begun."""
        coef, intercept = np.array([walk.w for walk in walks]), np.array([walk.b for walk in walks])
        self.n_iter_ = max(walk.n_iter for walk in walks)
        self.t_ = max(walk.t for walk in walks)
        self.coef_, self.intercept_ = coef, intercept
        if self.average:
            self._standard_coef, self._standard_intercept = coef, intercept
            self._average_coef = np.array([walk.mean_w for walk in walks])
            self._average_intercept = np.array([walk.mean_b for walk in walks])
            if self.average <= self.t_ - 1:
                self.coef_, self.intercept_ = self._average_coef.copy(), self._average_intercept.copy()
        if self.optimiser is not None:
            self.momentum_ = np.array([walk.momentum for walk in walks])
            self.n_steps_ = max(walk.steps for walk in walks)

    def _forget(self) -> None:
        """Remove what an earlier fit has left."""
        for name in StochasticDescent.fitted:
            if name in vars(self):
                delattr(self, name)
        self.t_ = 1.0

    def _seeds(self, n_problems: int) -> np.ndarray:
        return check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=n_problems)


def checked_start(given: Any, shape: tuple[int, ...], name: str) -> np.ndarray | None:
    """Given coefficients in their shape; one problem may come without its first dimension."""
    if given is None:
        return None
    found = np.asarray(given.toarray() if hasattr(given, "toarray") else given, dtype=np.float64)
    if found.shape != shape and not (shape[0] == 1 and found.size == np.prod(shape) and found.ndim < len(shape) + 1):
        raise ValueError(f"Provided {name} does not match dataset: shape {found.shape}, not {shape}.")
    return found.reshape(shape)
