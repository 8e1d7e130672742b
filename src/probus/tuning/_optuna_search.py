"""Samplers of Optuna as tuners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.parameters import parameter
from probus.spaces import Choice, Integer, Parameter, Real, Space
from probus.tuning._tuner import Score, Trial, Tuner, numbers_of

_NAMED = {"tpe": "TPESampler", "gp": "GPSampler", "cmaes": "CmaEsSampler", "nsgaii": "NSGAIISampler"}


@dataclass(repr=False)
class OptunaTuner(Tuner):
    """A sampler of Optuna searches the space; needs ``pip install optuna``.

    ``told`` has the trials and scores so far, in order, as that of other tuners.
    """

    sampler: Any = parameter(  # noqa: RUF009 - immutable
        '"tpe", "gp", "cmaes" or "nsgaii", seeded by the search, or a sampler of ``optuna.samplers`` with its own '
        "seed.",
        default="tpe",
    )

    finished = False

    def start(self, space: Space, random_state: int = 0, n_objectives: int = 1) -> OptunaTuner:
        """Begin a new search of a space; returns the tuner itself."""
        optuna = _optuna()
        self.space = space
        self.told: list[tuple[Trial, Score]] = []
        self._optuna = optuna
        self._open: dict[int, Any] = {}
        self._next = 0
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.study = optuna.create_study(
            directions=["maximize"] * n_objectives, sampler=self._seed(optuna.samplers, random_state)
        )
        return self

    def _seed(self, samplers: Any, seed: int) -> Any:
        if not isinstance(self.sampler, str):
            return _check(self.sampler, samplers)
        if self.sampler not in _NAMED:
            known = ", ".join(map(repr, _NAMED))
            raise DataError(f"sampler={self.sampler!r}.", f"one of {known}, or a sampler of optuna.samplers")
        return getattr(samplers, _NAMED[self.sampler])(seed=seed)

    def ask(self, n: int = 1) -> list[Trial]:
        """The next ``n`` proposals of the sampler, which may repeat a configuration."""
        self._check_started()
        trials = []
        for _ in range(n):
            asked = self.study.ask()
            config: dict[str, Any] = {}
            for name in self.space.order:
                if self.space.is_active(name, config):
                    config[name] = _suggest(asked, name, self.space[name])
            self._open[self._next] = asked
            trials.append(Trial(self._next, {name: config[name] for name in self.space if name in config}))
            self._next += 1
        return trials

    def tell(self, trial: Trial, score: Score) -> None:
        """Report a score to the study; a trial that was not asked for is added to it."""
        self._check_started()
        values = numbers_of(score)
        if values is None:
            raise DataError(f"trial {trial.number} has the score {score!r}.", "a number, or None where it failed")
        score = score if values and np.isfinite(values).all() else None
        self.told.append((trial, score))
        states = self._optuna.trial.TrialState
        asked = self._open.pop(trial.number, None)
        self._next = max(self._next, trial.number + 1)
        if asked is not None:
            self.study.tell(asked, score, state=states.FAIL if score is None else states.COMPLETE)
        elif score is not None:
            scales = {name: _distribution(self._optuna.distributions, self.space[name]) for name in trial.config}
            params = _as_stored(trial.config)
            made = self._optuna.trial.create_trial(params=params, distributions=scales, values=list(values))
            self.study.add_trial(made)


def _optuna() -> Any:
    try:
        import optuna
    except ImportError as error:
        raise DataError("OptunaTuner needs Optuna, which is not installed.", hint="pip install optuna") from error
    return optuna


def _check(sampler: Any, samplers: Any) -> Any:
    """The sampler; a study is refused, since its direction, its trials and its storage would not be used."""
    if isinstance(sampler, samplers.BaseSampler):
        return sampler
    raise DataError(
        f"the sampler is of type {type(sampler).__name__}.",
        "a name such as 'tpe', or a sampler of optuna.samplers",
        "Of a study, pass study.sampler: the search makes a study of its own.",
    )


def _distribution(distributions: Any, parameter: Parameter) -> Any:
    if isinstance(parameter, Integer):
        return distributions.IntDistribution(parameter.low, parameter.high, log=parameter.log)
    if isinstance(parameter, Real):
        low, high = parameter.bounds
        return distributions.FloatDistribution(low, high, log=parameter.log or parameter.base is not None)
    assert isinstance(parameter, Choice)
    return distributions.CategoricalDistribution(tuple(_flat_value(value) for value in parameter.values))


def _suggest(asked: Any, name: str, parameter: Parameter) -> Any:
    if isinstance(parameter, Integer):
        return asked.suggest_int(name, parameter.low, parameter.high, log=parameter.log)
    if isinstance(parameter, Real):
        low, high = parameter.bounds
        return asked.suggest_float(name, low, high, log=parameter.log or parameter.base is not None)
    assert isinstance(parameter, Choice)
    stored = [_flat_value(value) for value in parameter.values]
    return parameter.values[stored.index(asked.suggest_categorical(name, stored))]


def _as_stored(config: dict[str, Any]) -> dict[str, Any]:
    return {name: _flat_value(value) for name, value in config.items()}


def _flat_value(value: Any) -> Any:
    """Tuples as text: Optuna's choices are scalars."""
    return repr(value) if isinstance(value, tuple) else value
