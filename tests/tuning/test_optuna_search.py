"""Samplers of Optuna drive a space: with Optuna where it is installed, else with a stand-in of what is used of it."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from probus.errors import DataError
from probus.spaces import Choice, Integer, Real, Space, when
from probus.tuning import OptunaTuner, Trial

SPACE = Space({
    "kind": Choice("a", "b"),
    "layers": Choice((5,), (5, 5)),
    "depth": when(Integer(1, 9), kind="b"),
    "rate": Real(-3, 0, base=10),
})  # fmt: skip


class Asked:
    """A trial of the stand-in: it suggests random values."""

    def __init__(self, random):
        self.random = random

    def suggest_int(self, name, low, high, log):
        return int(self.random.integers(low, high + 1))

    def suggest_float(self, name, low, high, log):
        assert log
        return float(np.exp(self.random.uniform(np.log(low), np.log(high))))

    def suggest_categorical(self, name, choices):
        return choices[self.random.integers(len(choices))]


class Study:
    def __init__(self, directions, sampler):
        self.directions, self.random, self.trials = directions, np.random.default_rng(sampler), []

    def ask(self):
        return Asked(self.random)

    def tell(self, trial, score, state):
        self.trials.append((score, state))

    def add_trial(self, trial):
        self.trials.append((trial["values"][0], "added"))


@pytest.fixture
def stand_in(monkeypatch):
    def made(*args, **settings):
        return settings or args

    optuna = SimpleNamespace(
        logging=SimpleNamespace(set_verbosity=lambda level: None, ERROR=40),
        samplers=SimpleNamespace(TPESampler=lambda seed: seed),
        create_study=Study,
        trial=SimpleNamespace(TrialState=SimpleNamespace(FAIL="failed", COMPLETE="complete"), create_trial=made),
        distributions=SimpleNamespace(IntDistribution=made, FloatDistribution=made, CategoricalDistribution=made),
    )
    monkeypatch.setitem(sys.modules, "optuna", optuna)


def searched(n=12, seed=0):
    tuner = OptunaTuner().start(SPACE, seed)
    for _ in range(n // 2):
        for trial in tuner.ask(2):
            tuner.tell(trial, None if trial.number == 3 else -trial.config["rate"])
            yield tuner, trial


def test_a_stand_in_drives_the_space(stand_in):
    found = list(searched())
    assert [trial.number for _, trial in found] == list(range(12))
    assert all(SPACE.check(trial.config) == trial.config for _, trial in found)
    study = found[0][0].study
    assert study.directions == ["maximize"]
    assert [state for _, state in study.trials].count("failed") == 1
    assert [trial for _, trial in found] == [trial for _, trial in searched()]


def test_it_keeps_what_it_was_told_as_other_tuners_do(stand_in):
    tuner = OptunaTuner().start(SPACE, 0)
    first, second = tuner.ask(2)
    tuner.tell(first, float("nan"))
    tuner.tell(second, 0.5)
    assert tuner.told == [(first, None), (second, 0.5)]
    assert tuner.study.trials == [(None, "failed"), (0.5, "complete")]
    with pytest.raises(DataError, match="trial 1 has the score 'good'"):
        tuner.tell(second, "good")
    with pytest.raises(DataError, match="OptunaTuner has not started"):
        OptunaTuner().ask()


def test_trials_of_an_archive_are_added(stand_in):
    tuner = OptunaTuner().start(SPACE, 0)
    tuner.tell(Trial(4, SPACE.sample(0)[0]), 0.5)
    assert tuner.study.trials == [(0.5, "added")]
    assert tuner.ask()[0].number == 5
    assert not tuner.finished


def test_an_unknown_sampler_is_an_error(stand_in):
    with pytest.raises(DataError, match=r"sampler='bohb'.\n  Expected one of 'tpe', 'gp', 'cmaes', 'nsgaii'"):
        OptunaTuner("bohb").start(SPACE)


def test_without_optuna_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(DataError, match=r"which is not installed.\n  pip install optuna"):
        OptunaTuner().start(SPACE)


def test_a_study_is_no_sampler():
    optuna = pytest.importorskip("optuna")
    study = optuna.create_study()
    with pytest.raises(DataError, match=r"the sampler is of type Study\.\n  Expected a name .* pass study\.sampler"):
        OptunaTuner(study).start(SPACE)
    assert OptunaTuner(study.sampler).start(SPACE).ask(2)


@pytest.mark.parametrize("sampler", ["tpe", "nsgaii"])
def test_optuna_itself_drives_the_space(sampler):
    pytest.importorskip("optuna", reason="Optuna is not installed")
    tuner = OptunaTuner(sampler).start(SPACE, 0)
    tuner.tell(Trial(0, SPACE.sample(0)[0]), 0.5)
    for _ in range(15):
        (trial,) = tuner.ask()
        assert SPACE.check(trial.config) == trial.config
        tuner.tell(trial, None if trial.number == 3 else -trial.config["rate"])
    assert len(tuner.study.trials) == 16
