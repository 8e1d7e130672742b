"""The optimisers: a rule for steps, their sizes, and the loop over epochs and batches."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from probus.allowed_values import NoneAllowed, RealIn
from probus.errors import DataError
from probus.linear_model.optimisers._linear_objective import LinearObjective
from probus.linear_model.optimisers._linear_rows import batch_descent
from probus.linear_model.optimisers._objective import Objective
from probus.linear_model.optimisers._trace import Trace
from probus.linear_model.optimisers._update_rules import ADAM, HEAVY_BALL, NESTEROV, PLAIN, RMSPROP, take_step
from probus.parameters import Declared, inherited, parameter
from probus.state import Maybe, Number, Part, Spec, String

_POWERS = {"constant": 0.0, "inverse": 1.0, "inverse_root": 0.5}


_BATCH_SIZE = parameter(
    "The examples of a step; None for all of them.", default=None, of=[RealIn(at_least=1), NoneAllowed()]
)
_BETA = parameter("β, the share that the running mean keeps in each step.", default=0.9, at_least=0, below=1)


@dataclass(frozen=True)
class Optimiser(Declared, Part):
    """The base class: step t moves against the gradient of a batch of examples."""

    step: float = parameter("The size a of the steps.", default=0.1, above=0)
    schedule: str = parameter(
        "Steps of size a, a / t or a / √t. Those that fall reach the minimum of a noisy gradient; 1 / t falls fast.",
        default="constant",
        one_of=_POWERS,
    )
    batch_size: int | None = _BATCH_SIZE

    rule: ClassVar[int] = PLAIN
    declared: ClassVar[Mapping[str, Spec]] = {
        "step": Number(),
        "schedule": String(tuple(_POWERS)),
        "batch_size": Maybe(Number()),
    }

    @property
    def constants(self) -> np.ndarray:
        """β₁, β₂ and ε of the rule."""
        return np.array([getattr(self, name, 0.0) for name in ("beta1", "beta2", "epsilon")])

    def minimise(
        self,
        objective: Objective,
        start: Any,
        *,
        max_epochs: int = 100,
        tol: float = 1e-6,
        patience: int = 5,
        validation: Objective | None = None,
        record: Literal["epoch", "step"] = "epoch",
        random_state: Any = None,
    ) -> Trace:
        """Walk down an objective.

        Parameters
        ----------
        objective : Objective
            A ``Function``, a ``LinearObjective``, or anything with their methods.
        start : array, the first point
        max_epochs : int
            How often every example is used.
        tol : float
            The walk ends where the gradient of all examples is at most that long.
        patience : int
            With batches or ``validation`` it also ends where so many epochs in a row have not lowered the value that is
            watched by more than ``tol``.
        validation : Objective, optional
            Early stopping: its value is watched in place of the objective's, and the best point returned.
        record : {"epoch", "step"}
            When loss, gradient and its variance are recorded, which each time takes all examples.
        random_state : int, RandomState or None
            For the order of the examples.

        Examples
        --------
        >>> from probus.linear_model.optimisers import Function
        >>> bowl = Function(lambda w: w[0] ** 2 + 10 * w[1] ** 2, lambda w: np.array([2 * w[0], 20 * w[1]]))
        >>> GradientDescent(0.04).minimise(bowl, [4.0, 1.0], max_epochs=200)
        GradientDescent: converged after 191 epochs
          loss 26 → 2.35001e-13, gradient 9.7e-07
        """
        descent = Descent(self, objective, start, random_state)
        recorder = _Recorder(objective)
        recorder.add(descent)
        best, best_point, waited, converged, epoch = np.inf, descent.w.copy(), 0, False, 0
        while epoch < max_epochs and not converged:
            epoch += 1
            descent.epoch(recorder.add if record == "step" else None)
            if record == "epoch":
                recorder.add(descent)
            watched = recorder.losses[-1] if validation is None else validation.value(descent.w)
            if not np.isfinite(watched) or not np.isfinite(descent.w).all():
                break
            waited = 0 if watched < best - tol else waited + 1
            if watched < best:
                best, best_point = watched, descent.w.copy()
            tired = waited >= patience and (descent.batch < objective.n_examples or validation is not None)
            converged = tired or recorder.norms[-1] <= tol
        self._warn(converged, epoch, descent.w, recorder.losses[-1])
        point = descent.w if validation is None else best_point
        return recorder.trace(type(self).__name__, point, descent.batch, epoch, converged)

    def _warn(self, converged: bool, epoch: int, w: np.ndarray, loss: float) -> None:
        name = type(self).__name__
        if not np.isfinite(w).all() or not np.isfinite(loss):
            text = f"{name} diverged in epoch {epoch}. Lower step={self.step}, or scale the columns."
        elif not converged:
            text = f"{name} has not converged after {epoch} epochs. Increase max_epochs, or choose another step."
        else:
            return
        warnings.warn(text, ConvergenceWarning, stacklevel=3)


@dataclass(frozen=True)
class GradientDescent(Optimiser):
    r"""Gradient descent, :math:`w ← w - a_t ∇f(w)` with the gradient of all examples."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.batch_size is not None:
            raise DataError(f"GradientDescent with batch_size={self.batch_size}.", "None", "Use MiniBatch.")


@dataclass(frozen=True)
class SGD(Optimiser):
    r"""Stochastic gradient descent, :math:`w ← w - a_t ∇f_i(w)` with the gradient of one random example."""

    batch_size: int | None = inherited(default=1)


@dataclass(frozen=True)
class MiniBatch(Optimiser):
    """Stochastic gradient descent with the mean gradient of a few random examples."""

    batch_size: int | None = inherited(default=32)


@dataclass(frozen=True)
class HeavyBall(Optimiser):
    r"""Momentum, :math:`w_{t+1} = w_t - a_t ∇f(w_t) + β (w_t - w_{t-1})` (Polyak 1964).

    The form :math:`m ← β m + (1 - β) ∇f`, :math:`w ← w - η m` is the same with η = a / (1 − β).
    """

    batch_size: int | None = inherited(default=32)
    beta: float = _BETA

    rule: ClassVar[int] = HEAVY_BALL
    declared: ClassVar[Mapping[str, Spec]] = {**Optimiser.declared, "beta": Number()}

    @property
    def beta1(self) -> float:
        """β under the name of the rule."""
        return self.beta


@dataclass(frozen=True)
class Nesterov(HeavyBall):
    r"""Momentum with the gradient at the point ahead, :math:`m ← β m - a_t ∇f(w + β m)`, :math:`w ← w + m`.

    The recorded points are those ahead, :math:`w + β m`.
    """

    rule: ClassVar[int] = NESTEROV


@dataclass(frozen=True)
class RMSprop(Optimiser):
    r"""Steps scaled by a running mean of squared gradients, :math:`w_j ← w_j - a_t g_j / \sqrt{v_j + ε}`.

    :math:`v ← β v + (1 - β) g^2`: components with small gradients take larger steps.
    """

    step: float = inherited(default=0.01)
    batch_size: int | None = inherited(default=32)
    beta: float = _BETA
    epsilon: float = parameter("ε, which is added before dividing.", default=1e-8, at_least=0)

    rule: ClassVar[int] = RMSPROP
    declared: ClassVar[Mapping[str, Spec]] = {**Optimiser.declared, "beta": Number(), "epsilon": Number()}

    @property
    def beta2(self) -> float:
        """β under the name of the rule."""
        return self.beta


@dataclass(frozen=True)
class Adam(Optimiser):
    r"""Momentum and scaled steps, :math:`w_j ← w_j - a_t \hat m_j / (\sqrt{\hat v_j} + ε)` (Kingma and Ba 2015).

    Means of gradients (β₁) and of their squares (β₂), corrected for their start at zero.
    """

    step: float = inherited(default=0.01)
    batch_size: int | None = inherited(default=32)
    beta1: float = _BETA.but(doc="β₁, the share that the mean of gradients keeps in each step.")
    beta2: float = _BETA.but(doc="β₂, the same of their squares.", default=0.999)
    epsilon: float = parameter("ε, which is added before dividing.", default=1e-8, at_least=0)

    rule: ClassVar[int] = ADAM
    declared: ClassVar[Mapping[str, Spec]] = {
        **Optimiser.declared,
        **dict.fromkeys(("beta1", "beta2", "epsilon"), Number()),
    }


class Descent:
    """An optimiser on its way: the point, its momentum and the number of the next step."""

    def __init__(self, optimiser: Optimiser, objective: Objective, start: Any, random_state: Any):
        self.optimiser, self.objective = optimiser, objective
        self.w = np.array(start, dtype=np.float64)
        self.m, self.v = np.zeros_like(self.w), np.zeros_like(self.w)
        self.t = 1
        self.random = check_random_state(random_state)
        self.batch = min(optimiser.batch_size or objective.n_examples, objective.n_examples)
        self._power = _POWERS[optimiser.schedule]

    def epoch(self, after_step: Any = None) -> float:
        """Use every example once, in a random order; the mean loss of a linear model on the way."""
        n = self.objective.n_examples
        order = self.random.permutation(n) if self.batch < n else np.arange(n)
        if isinstance(self.objective, LinearObjective) and after_step is None:
            return self.linear_epoch(self.objective, order)
        for first in range(0, n, self.batch):
            g = self.objective.gradient(self.w, order[first : first + self.batch])
            eta = self.optimiser.step / self.t**self._power
            take_step(self.optimiser.rule, self.optimiser.constants, eta, self.t, g, self.w, self.m, self.v)
            self.t += 1
            if after_step is not None:
                after_step(self)
        return np.nan

    def linear_epoch(self, at: LinearObjective, order: np.ndarray) -> float:
        """Use the examples of a linear model in that order; their mean loss on the way."""
        chosen = self.optimiser
        mean = batch_descent(
            at.rows, at.y, at.weight, order, self.batch, at.loss, at.penalty, at.fit_intercept, chosen.rule,
            chosen.constants, float(chosen.step), self._power, self.t, self.w, self.m, self.v,
        )  # fmt: skip
        self.t += -(-len(order) // self.batch)
        return mean


class _Recorder:
    """Losses, gradients and points."""

    def __init__(self, objective: Objective):
        self.objective = objective
        self.steps: list[int] = []
        self.path: list[np.ndarray] = []
        self.losses: list[float] = []
        self.norms: list[float] = []
        self.variances: list[float] = []

    def add(self, descent: Descent) -> None:
        with np.errstate(all="ignore"):
            each = self.objective.example_gradients(descent.w)
            mean = each.mean(axis=0)
            self.losses.append(self.objective.value(descent.w))
            self.norms.append(float(np.linalg.norm(mean)))
            self.variances.append(float(((each - mean) ** 2).sum(axis=1).mean()))
        self.steps.append(descent.t - 1)
        self.path.append(descent.w.copy())

    def trace(self, name: str, point: np.ndarray, batch: int, n_epochs: int, converged: bool) -> Trace:
        return Trace(
            name, point, np.array(self.steps), np.array(self.path), np.array(self.losses), np.array(self.norms),
            np.array(self.variances), batch, self.objective.n_examples, n_epochs, converged,
        )  # fmt: skip
