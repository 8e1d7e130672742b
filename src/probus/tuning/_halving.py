"""Successive halving: many configurations with little effort, the best of them with more."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.parameters import check_parameters, parameter
from probus.spaces import Space
from probus.tuning._tuner import Score, Trial, Tuner, numbers_of

Bracket = list[tuple[float, int]]  # of each rung, the fidelity and the number of configurations

_RETRIES = 30


ETA = parameter("Of that many configurations one goes on, with that many times the effort.", default=3, above=1)
MIN_FIDELITY = parameter("The least effort; only its ratio to ``max_fidelity`` matters.", default=1, above=0)
MAX_FIDELITY = parameter("The effort of a full evaluation.", default=27, above=0)
FIDELITY = parameter(
    'What makes the effort: "auto" (trees or epochs if the model has them, else rows), "rows", "splits", or the name '
    "of "
    "a parameter that counts.",
    default="auto",
)
REPEATS = parameter("How often all brackets are run; None until the budget ends.", default=1, at_least=1)


class Halving(Tuner):
    """Base class of tuners that run brackets of successive halving.

    The configurations of a rung are evaluated with its fidelity; the best go on to the next rung. A failed one never
    does. A subclass is a dataclass of its settings that has ``brackets``.
    """

    eta: float
    min_fidelity: float
    max_fidelity: float
    fidelity: str
    repeats: int | None

    batch = 1000
    """The configurations of a rung do not depend on each other's scores."""

    @abstractmethod
    def brackets(self) -> list[Bracket]:
        """Of each bracket, the fidelity and the number of configurations of its rungs."""

    @property
    def ends(self) -> bool:
        """Whether the search ends by itself."""
        return self.repeats is not None

    @property
    def planned(self) -> int | None:
        """The number of evaluations of all brackets and of the model's own configuration; None without end."""
        each = sum(count for bracket in self.brackets() for _, count in bracket)
        return None if self.repeats is None else self.repeats * each + 1

    # -- ask and tell ----------------------------------------------------------------------------------

    def start(self, space: Space, random_state: int = 0, n_objectives: int = 1) -> Halving:
        """Begin a new search of a space; returns the tuner itself."""
        self._check()
        if n_objectives > 1:
            raise DataError(f"{type(self).__name__} with {n_objectives} objectives.", "one objective")
        self.space, self.seed = space, int(random_state)
        self.told: list[tuple[Trial, float | None]] = []
        self._numbers, self._drawn = 0, 0
        self._known: set[str] = set()
        self._schedule, self._place = self.brackets(), 0
        self._begin_bracket()
        return self

    def ask(self, n: int = 1) -> list[Trial]:
        """The next configurations of the rung; none where it waits for scores."""
        self._check_started()
        asked: list[Trial] = []
        while len(asked) < n and self._waiting:
            config = self._waiting.pop(0)
            asked.append(Trial(self._numbers, config, self._bracket[self._rung][0]))
            self._numbers += 1
        self._open.update({trial.number: trial for trial in asked})
        return asked

    def tell(self, trial: Trial, score: Score) -> None:
        """The score of a trial; one that was not asked for only informs later proposals."""
        self._check_started()
        values = numbers_of(score)
        if values is None or len(values) > 1:
            raise DataError(f"trial {trial.number} has the score {score!r}.", "1 number")
        value = values[0] if values and np.isfinite(values[0]) else None
        self.told.append((trial, value))
        if self._open.pop(trial.number, None) != trial:
            self._numbers = max(self._numbers, trial.number + 1)
            self._known.add(_text(trial.config))
            return
        self._scores.append((trial.number, -math.inf if value is None else value, trial.config))
        if not self._waiting and not self._open:
            self._promote()

    @property
    def finished(self) -> bool:
        """Whether all brackets are done."""
        return self._done

    # -- rungs -----------------------------------------------------------------------------------------

    def _begin_bracket(self) -> None:
        self._done = self.repeats is not None and self._place >= self.repeats * len(self._schedule)
        self._bracket = [] if self._done else self._schedule[self._place % len(self._schedule)]
        self._rung, self._open = 0, dict[int, Trial]()
        self._waiting = self._new_configs(self._bracket[0][1]) if self._bracket else []
        self._scores: list[tuple[int, float, dict[str, Any]]] = []
        if self._bracket and not self._waiting:
            self._done = True  # every configuration of the space was tried

    def _promote(self) -> None:
        """Begin the next rung with the best configurations of this one, the first of equals."""
        ranked = sorted(self._scores, key=lambda each: (-each[1], each[0]))
        self._rung += 1
        keep = self._bracket[self._rung][1] if self._rung < len(self._bracket) else 0
        self._waiting = [config for _, score, config in ranked[:keep] if score > -math.inf]
        self._scores = []
        if not self._waiting:
            self._place += 1
            self._begin_bracket()

    def _new_configs(self, n: int) -> list[dict[str, Any]]:
        configs = []
        for _ in range(n):
            for _ in range(_RETRIES):
                config = self._propose(np.random.default_rng([self.seed, self._drawn]))
                self._drawn += 1
                if _text(config) not in self._known:
                    self._known.add(_text(config))
                    configs.append(config)
                    break
        return configs

    def _propose(self, random: np.random.Generator) -> dict[str, Any]:
        """A new configuration: a random one, unless a subclass knows better."""
        return self.space.sample(random)[0]

    def _check(self) -> None:
        check_parameters(self)
        if self.min_fidelity > self.max_fidelity:
            raise DataError(
                f"min_fidelity={self.min_fidelity!r} and max_fidelity={self.max_fidelity!r}.",
                "0 < min_fidelity ≤ max_fidelity",
            )


@dataclass(repr=False)
class SuccessiveHalving(Halving):
    """Many configurations with little effort, of which the best 1/η are evaluated with η times as much, and so on.

    Jamieson and Talwalkar (2016), AISTATS.

    >>> SuccessiveHalving(eta=3, max_fidelity=27).brackets()
    [[(1.0, 27), (3.0, 9), (9.0, 3), (27.0, 1)]]
    """

    name = "halving"
    n: int | None = parameter(
        "The number of configurations to begin with; None is as many as leave one for the full effort.",
        default=None,
        at_least=1,
    )
    eta: float = ETA
    min_fidelity: float = MIN_FIDELITY
    max_fidelity: float = MAX_FIDELITY
    fidelity: str = FIDELITY
    repeats: int | None = REPEATS

    def brackets(self) -> list[Bracket]:
        """The one bracket: the fidelity and the number of configurations of each rung."""
        self._check()
        last = rungs_between(self.min_fidelity, self.max_fidelity, self.eta)
        n = round(self.eta**last) if self.n is None else self.n
        return [rungs(n, last, self.eta, self.max_fidelity)]


def rungs_between(low: float, high: float, eta: float) -> int:
    """⌊log_η(high / low)⌋, also where the logarithm is a whole number that rounding missed."""
    return math.floor(math.log(high / low) / math.log(eta) + 1e-9)


def rungs(n: int, s: int, eta: float, high: float) -> Bracket:
    """n_i = ⌊n η⁻ⁱ⌋ configurations with the fidelity high · η^(i − s), for i = 0 … s; those with at least one."""
    found = [(high * float(eta) ** (i - s), math.floor(n * float(eta) ** -i + 1e-9)) for i in range(s + 1)]
    return [(fidelity, count) for fidelity, count in found if count > 0]


def _text(config: dict[str, Any]) -> str:
    return repr(sorted(config.items()))
