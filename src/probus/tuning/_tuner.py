"""The interface of tuners: ask for configurations to evaluate, tell their scores."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from probus.display import counted
from probus.errors import DataError
from probus.parameters import check_parameters, declare_fields, parameter
from probus.spaces import Space
from probus.state import Plain, Spec, Stored

BATCH = parameter("How many configurations ``tune`` asks for at once.", default=1, at_least=1)

Score = float | Sequence[float] | None


@dataclass(frozen=True)
class Trial:
    """A configuration to evaluate.

    Attributes
    ----------
    number : its place in the order of proposals.
    config : the values of the parameters.
    fidelity : the fidelity to evaluate it with, if any.
    """

    number: int
    config: dict[str, Any] = field(hash=False)
    fidelity: float | None = None


class Tuner(Stored, ABC):
    """What proposes the configurations of a search: ``start``, then ``ask`` and ``tell`` in turn.

    The proposals depend only on the seed and on the order of the calls of ``ask`` and ``tell``.
    """

    declared: ClassVar[Mapping[str, Spec]] = {"settings": Plain()}

    by_name: ClassVar[dict[str, type[Tuner]]] = {}
    """The tuners that have a ``name``, which is what ``tuner="random"`` finds."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        declare_fields(cls)
        if "name" in vars(cls):
            Tuner.by_name[vars(cls)["name"]] = cls

    batch = 1
    """How many trials a search asks for before it tells their scores, whatever the number of processes."""

    @abstractmethod
    def start(self, space: Space, random_state: int = 0, n_objectives: int = 1) -> Tuner:
        """Begin a new search of a space; returns the tuner itself."""

    @abstractmethod
    def ask(self, n: int = 1) -> list[Trial]:
        """At most ``n`` configurations to evaluate next; fewer where the tuner is finished or waits for scores."""

    @abstractmethod
    def tell(self, trial: Trial, score: Score) -> None:
        """The score of a trial, the higher the better; several for several objectives, None where it failed.

        A trial that was not asked for is accepted too, for example one from the archive of an earlier run.
        """

    @property
    @abstractmethod
    def finished(self) -> bool:
        """Whether there is nothing left to propose."""

    @property
    def ends(self) -> bool:
        """Whether the tuner ends by itself, so that a search needs no budget."""
        return False

    def _check_started(self) -> None:
        if not hasattr(self, "space"):
            raise DataError(f"{type(self).__name__} has not started.", "a tuner with a space", "Call start(space).")

    def __getstate__(self) -> dict[str, Any]:
        """The settings: a copy of a tuner, as in a cloned model, has not started."""
        return {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]

    def parts(self) -> dict[str, Any]:
        """What a model file stores: the settings."""
        return {"settings": self.__getstate__()}

    @classmethod
    def of_parts(cls, parts: Mapping[str, Any]) -> Stored:
        """The tuner of a model file."""
        return cls(**parts["settings"])

    def __repr__(self) -> str:
        params = [f"{each.name}={getattr(self, each.name)!r}" for each in fields(self)]  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(params)})"


class Proposer(Tuner):
    """Base class of tuners that propose one configuration after the other, none of them twice.

    A subclass is a dataclass of its settings that has ``_propose``. The space's default is the first proposal if it has
    one. ``told`` has the trials and scores so far, in order; ``pending`` the trials without a score.
    """

    several_objectives = False
    """Whether the tuner handles more than one objective."""

    default_first = True
    """Whether the space's default is the first proposal."""

    _RETRIES = 30

    def start(self, space: Space, random_state: int = 0, n_objectives: int = 1) -> Proposer:
        """Begin a new search of a space; returns the tuner itself."""
        if not isinstance(space, Space):
            raise DataError(f"found a {type(space).__name__}.", "a Space", "Use Space({'name': Real(0, 1)}).")
        if n_objectives > 1 and not self.several_objectives:
            able = "Bayesian, Evolution, Random, Sobol or Grid"
            raise DataError(f"{type(self).__name__} with {n_objectives} objectives.", "one objective", f"Use {able}.")
        if not isinstance(random_state, int | np.integer) or random_state < 0:
            raise DataError(f"random_state={random_state!r}.", "a whole number, 0 or more")
        check_parameters(self)
        self.space, self.n_objectives = space, n_objectives
        self.seed = int(random_state)
        self.told: list[tuple[Trial, Score]] = []
        self.pending: dict[int, Trial] = {}
        self._scored: set[tuple[Trial, str]] = set()
        self._next = 0
        self._known: set[str] = set()
        self._exhausted = False
        self._first: list[dict[str, Any]] = []
        self._begin()
        return self

    def begin_with(self, configs: Sequence[dict[str, Any]]) -> Proposer:
        """Propose these configurations of the space first, after its default; returns the tuner itself."""
        self._check_started()
        self._first = [self.space.check(config) for config in configs]
        return self

    def ask(self, n: int = 1) -> list[Trial]:
        """At most ``n`` configurations to evaluate next; fewer where the tuner is finished or waits for scores."""
        self._check_started()
        trials: list[Trial] = []
        while len(trials) < n and not self._exhausted:
            config = self._new_config()
            if config is None:
                break
            trial = Trial(self._next, config)
            self._remember(trial)
            self.pending[trial.number] = trial
            trials.append(trial)
        return trials

    def tell(self, trial: Trial, score: Score) -> None:
        """The score of a trial, the higher the better; several for several objectives, None where it failed."""
        self._check_started()
        values = numbers_of(score)
        if values is None or (values and len(values) != self.n_objectives):
            raise DataError(f"trial {trial.number} has the score {score!r}.", counted(self.n_objectives, "number"))
        if (trial, _text(trial.config)) in self._scored:
            raise DataError(f"trial {trial.number} has a score already.", "one score of each trial")
        self._scored.add((trial, _text(trial.config)))
        failed = not values or not np.isfinite(values).all()
        self.pending.pop(trial.number, None)
        self._remember(trial)
        self.told.append((trial, None if failed else values if self.n_objectives > 1 else values[0]))

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to propose."""
        return self._exhausted

    def _was_proposed(self, config: dict[str, Any]) -> bool:
        return _text(config) in self._known

    def _remember(self, trial: Trial) -> None:
        self._next = max(self._next, trial.number + 1)
        self._known.add(_text(trial.config))
        self._exhausted = self._exhausted or len(self._known) >= self.space.size

    def _new_config(self) -> dict[str, Any] | None:
        """The next proposal that was not made before; None where the tuner waits or the space has no further one."""
        if self._next == 0 and self.default_first and self.space.default is not None:
            return self.space.default
        while self._first:
            config = self._first.pop(0)
            if not self._was_proposed(config):
                return config
        for attempt in range(self._RETRIES):
            proposed = self._propose(self._next, np.random.default_rng([self.seed, self._next, attempt]))
            if proposed is None or not self._was_proposed(proposed):
                return proposed
        return self._unseen()

    def _unseen(self) -> dict[str, Any] | None:
        """A random configuration that was not proposed before, where proposals repeat; None where there is none."""
        for config in self.space.sample(np.random.default_rng([self.seed, self._next, self._RETRIES]), 300):
            if not self._was_proposed(config):
                return config
        if self.space.size < np.inf:
            for config in self.space.grid(int(min(self.space.size, 10_000))):
                if not self._was_proposed(config):
                    return config
        self._exhausted = True
        return None

    def _begin(self) -> None:
        """Prepare the state of a new search, if there is any besides ``told`` and ``pending``."""
        return

    @abstractmethod
    def _propose(self, number: int, random: np.random.Generator) -> dict[str, Any] | None:
        """A configuration for the trial of that number; None where the tuner waits for scores or is finished."""


def numbers_of(score: Score) -> tuple[float, ...] | None:
    """The numbers of a score, none where the trial failed; None where it is something else."""
    try:
        return () if score is None else tuple(np.atleast_1d(np.asarray(score, dtype=np.float64)).tolist())
    except (TypeError, ValueError):
        return None


def _text(config: dict[str, Any]) -> str:
    return json.dumps(config, sort_keys=True)
