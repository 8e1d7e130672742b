"""What every tuner keeps: proposals in the space, none twice, the same for the same scores, failures survived."""

import pytest

from probus.errors import DataError
from probus.spaces import Choice, Integer, Real, Space, when
from probus.tuning import Grid, Random, Trial

TUNERS = [Random(), Grid(shuffle=True)]
MIXED = Space({
    "kind": Choice("a", "b", "c"),
    "depth": Integer(1, 30, log=True),
    "rate": when(Real(1e-3, 1, log=True), kind=["a", "b"]),
})  # fmt: skip
SMALL = Space({"kind": Choice("a", "b"), "depth": when(Integer(1, 3), kind="b")})


def score(config):
    return -abs(config.get("depth", 1) - 7) - abs(config.get("rate", 1) - 0.1) - (config["kind"] == "c")


def search(tuner, n, batch=1, space=MIXED, random_state=0):
    """The configurations of a search whose every fifth evaluation fails."""
    tuner.start(space, random_state)
    configs = []
    while len(configs) < n and not tuner.finished:
        for trial in tuner.ask(batch):
            configs.append(trial.config)
            tuner.tell(trial, None if trial.number % 5 == 4 else score(trial.config))
    return configs


@pytest.fixture(params=TUNERS, ids=repr)
def tuner(request):
    return request.param


def test_proposals_are_in_the_space_and_none_is_made_twice(tuner):
    configs = search(tuner, 24, batch=2)
    assert len(configs) == 24
    assert all(MIXED.check(config) == config for config in configs)
    assert len({str(config) for config in configs}) == 24


def test_the_same_seed_gives_the_same_search(tuner):
    first = search(tuner, 12)
    assert search(tuner, 12) == first
    assert search(tuner, 12, random_state=1) != first


def test_a_resumed_search_goes_on_as_the_uninterrupted_one(tuner):
    whole = search(tuner, 14)
    tuner.start(MIXED, 0)
    for number, config in enumerate(whole[:11]):
        tuner.ask(1)
        tuner.tell(Trial(number, config), None if number % 5 == 4 else score(config))
    assert [trial.config for trial in tuner.ask(1)] == whole[11:12]


def test_a_small_space_is_searched_whole_and_then_finished(tuner):
    configs = search(tuner, 100, space=SMALL)
    assert sorted(map(str, configs)) == sorted(map(str, SMALL.grid()))
    assert tuner.finished
    assert tuner.ask(3) == []


def test_an_empty_space_has_one_configuration(tuner):
    tuner.start(Space({}))
    assert [trial.config for trial in tuner.ask(5)] == [{}]
    assert tuner.finished


def test_the_grid_follows_the_order_of_the_space():
    configs = search(Grid(3), 100)
    assert configs == list(MIXED.grid(3))


def test_the_default_comes_first():
    space = Space({"x": Real(0, 1)}, default={"x": 0.25})
    assert Random().start(space).ask(2)[0].config == {"x": 0.25}


def test_scores_must_match_the_objectives():
    tuner = Random().start(MIXED, 0, n_objectives=2)
    trial = tuner.ask()[0]
    with pytest.raises(DataError, match=r"(?s)trial 0 has the score 1.0.*Expected 2 numbers"):
        tuner.tell(trial, 1.0)
    with pytest.raises(DataError, match=r"(?s)found a dict.*Expected a Space"):
        Random().start({"x": Real(0, 1)})
