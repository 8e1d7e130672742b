"""Every tuner on random spaces of nested conditions: proposals in the space, repeatable, resumable."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probus.spaces import Choice, Fixed, Integer, Real, Space
from probus.tuning import (
    BOHB,
    CMAES,
    Annealing,
    Bayesian,
    Evolution,
    Grid,
    Hyperband,
    IteratedRacing,
    Random,
    Sobol,
    SuccessiveHalving,
    Trial,
)

NUMBERS = st.one_of(
    st.builds(Real, st.floats(-5, 0), st.floats(1, 5)),
    st.builds(lambda low, high: Real(low, high, log=True), st.floats(1e-9, 0.1), st.floats(1, 1e9)),
    st.builds(lambda low, more: Real(low, low + more, base=2), st.integers(-9, 3), st.integers(1, 9)),
    st.builds(lambda low, more: Integer(low, low + more), st.integers(-3, 3), st.integers(1, 40)),
    st.builds(lambda low, more: Integer(low, low + more, log=True), st.integers(1, 3), st.integers(1, 10**6)),
)
VALUES = st.lists(
    st.one_of(st.none(), st.booleans(), st.integers(0, 2), st.just("a"), st.tuples(st.integers(0, 1))),
    min_size=1, max_size=3, unique_by=repr,
)  # fmt: skip
CHOICES = st.one_of(st.builds(lambda values, ordered: Choice(*values, ordered=ordered), VALUES, st.booleans()), NUMBERS)


@st.composite
def spaces(draw, depth=0, prefix=""):
    """A space of up to three parameters, whose choices may have spaces of their own."""
    parameters = {}
    for number in range(draw(st.integers(0, 3))):
        name = f"{prefix}{'xyz'[number]}"
        if depth < 2 and draw(st.booleans()):
            inner = {value: draw(spaces(depth + 1, f"{name}_{i}_")) for i, value in enumerate(draw(VALUES))}
            parameters[name] = Choice(inner)
        else:
            parameters[name] = draw(st.one_of(CHOICES, st.builds(Fixed, st.integers(0, 3))))
    return Space(parameters)


TUNERS = [
    Random(),
    Grid(2),
    Sobol(),
    Evolution(3),
    Annealing(),
    CMAES(),
    pytest.param(Bayesian(n_initial=3), marks=pytest.mark.slow),
    Hyperband(max_fidelity=3),
    BOHB(max_fidelity=3, random_fraction=0.0),
    SuccessiveHalving(max_fidelity=3),
    IteratedRacing(),
]


def score(trial):
    """A number that depends on the configuration; every fourth trial fails."""
    return None if trial.number % 4 == 3 else len(json.dumps(trial.config)) % 7 + 1 / (1 + trial.number)


def search(tuner, space, n=8, told=()):
    """The trials of a search, of which the first have the scores of an earlier one."""
    tuner.start(space, 3)
    trials = []
    while len(trials) < n and not tuner.finished:
        asked = tuner.ask(2)
        if not asked:
            break
        for trial in asked:
            trials.append(trial)
            tuner.tell(trial, score(told[trial.number]) if trial.number < len(told) else score(trial))
    return trials


@pytest.mark.parametrize("tuner", TUNERS, ids=lambda tuner: type(tuner).__name__)
@settings(max_examples=5, deadline=None)
@given(space=spaces())
def test_proposals_are_configurations_of_the_space(tuner, space):
    if isinstance(tuner, IteratedRacing):
        tuner.on_splits(2)
    trials = search(tuner, space)
    assert trials
    assert all(space.check(trial.config) == trial.config for trial in trials)
    assert all(json.loads(json.dumps(trial.config)) is not None for trial in trials)
    assert search(tuner, space) == trials
    stored = [Trial(each.number, each.config, each.fidelity) for each in trials]
    assert search(tuner, space, told=stored[: len(stored) // 2]) == trials
