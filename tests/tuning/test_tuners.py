"""What every tuner keeps: proposals in the space, none twice, the same for the same scores, failures survived."""

import pickle
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from probus.errors import DataError
from probus.parameters import parameters_of
from probus.spaces import Choice, Integer, Real, Space, when
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
    pareto_front,
)

TUNERS = [
    Random(),
    Grid(shuffle=True),
    Sobol(),
    Evolution(),
    Annealing(),
    CMAES(),
    Bayesian(),
    pytest.param(Bayesian("forest", "ei"), marks=pytest.mark.slow),
]
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


@pytest.fixture(params=TUNERS, ids=lambda tuner: type(tuner).__name__)
def tuner(request):
    return request.param


def test_proposals_are_in_the_space_and_none_is_made_twice(tuner):
    configs = search(tuner, 16, batch=2)
    assert len(configs) == 16
    assert all(MIXED.check(config) == config for config in configs)
    assert len({str(config) for config in configs}) == 16


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


def test_a_copy_has_the_settings_and_has_not_started(tuner):
    search(tuner, 3)
    copied = pickle.loads(pickle.dumps(deepcopy(tuner)))
    assert repr(copied) == repr(tuner)
    assert not hasattr(copied, "told")
    assert search(copied, 3) == search(tuner, 3)


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


@pytest.mark.slow
def test_a_huge_grid_is_listed_as_it_is_asked_for():
    huge = Space({name: Real(0, 1) for name in "abcdefghijkl"})
    assert Grid().start(huge).ask(2)[1].config["l"] == 0.25
    with pytest.raises(DataError, match=r"more than 1,000,000 points.\n  Expected a smaller one to shuffle"):
        Grid(shuffle=True).start(huge)


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
    with pytest.raises(DataError, match=r"random_state=-1.\n  Expected a whole number, 0 or more"):
        Random().start(MIXED, -1)


def hypervolume(points):
    """The area between the points and the origin."""
    area, height = 0.0, 0.0
    for x, y in sorted(points, reverse=True):
        area, height = area + x * max(y - height, 0.0), max(height, y)
    return area


@pytest.mark.parametrize("tuner", [Bayesian(), Evolution()], ids=repr)
def test_several_objectives_are_searched_along_their_front(tuner):
    """The front of Schaffer's problem is x between 0 and 2; random points are near it with probability 1/5."""
    space = Space({"x": Real(-4, 6), "y": Real(0, 1)})
    areas = []
    for each in (tuner, Random()):
        each.start(space, 0, n_objectives=2)
        for _ in range(40):
            (trial,) = each.ask()
            x, y = trial.config["x"], trial.config["y"]
            each.tell(trial, (4 - x**2 - y, 4 - (x - 2) ** 2 - y))
        found = [score for _, score in each.told if min(score) > 0]
        front = pareto_front(found)
        areas.append(hypervolume([found[place] for place in front]))
    assert areas[0] > areas[1]


def branin(config):
    """Its minimum is 0.397887 (Dixon and Szegő 1978)."""
    x, y = config["x"], config["y"]
    return (y - 5.1 * x**2 / (4 * np.pi**2) + 5 * x / np.pi - 6) ** 2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(x) + 10


@pytest.mark.parametrize("acquisition", ["ei", "lcb"])
def test_bayesian_optimisation_finds_the_minimum_of_branin(acquisition):
    tuner = Bayesian(acquisition=acquisition).start(Space({"x": Real(-5, 10), "y": Real(0, 15)}), 0)
    for _ in range(40):
        (trial,) = tuner.ask()
        tuner.tell(trial, -branin(trial.config))
    assert 0.397887 <= -max(score for _, score in tuner.told) < 0.42


def test_a_batch_is_spread_by_what_is_believed_of_pending_trials():
    tuner = Bayesian().start(Space({"x": Real(0, 1), "y": Real(0, 1)}), 0)
    for trial in tuner.ask(10):
        tuner.tell(trial, -abs(trial.config["x"] - 0.5) - abs(trial.config["y"] - 0.5))
    asked = [tuner.space.to_unit(trial.config) for trial in tuner.ask(4)]
    assert min(np.abs(asked[i] - asked[j]).max() for i in range(4) for j in range(i)) > 1e-3


def test_covariance_adaptation_solves_an_ill_conditioned_problem():
    """A rotated ellipsoid of condition 1000: the covariance becomes the inverse Hessian, up to a factor."""
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    hessian = turn @ np.diag([1.0, 30.0, 1000.0]) @ turn.T
    tuner = CMAES(step=0.1).start(Space({name: Real(0, 1) for name in "xyz"}), 0)
    for _ in range(500):
        (trial,) = tuner.ask()
        place = tuner.space.to_unit(trial.config) - [0.4, 0.6, 0.5]
        tuner.tell(trial, -place @ hessian @ place)
    assert max(score for _, score in tuner.told) > -1e-5
    values = np.linalg.eigvalsh(tuner._normal.C @ hessian + (tuner._normal.C @ hessian).T)
    assert values.max() / values.min() < 30


def test_choices_of_covariance_adaptation_move_to_the_better_ones():
    tuner = CMAES().start(Space({"kind": Choice("a", "b", "c"), "x": Real(0, 1)}), 0)
    for _ in range(60):
        (trial,) = tuner.ask()
        tuner.tell(trial, (trial.config["kind"] == "b") - abs(trial.config["x"] - 0.3))
    late = [trial.config["kind"] for trial, _ in tuner.told[40:]]
    assert late.count("b") > 12


def test_annealing_accepts_worse_configurations_only_while_it_is_hot():
    def accepted(temperature):
        tuner = Annealing(temperature, cooling=0.999).start(Space({"x": Real(0, 1)}), 0)
        worse = 0
        for _ in range(60):
            (trial,) = tuner.ask()
            before = tuner._current
            tuner.tell(trial, -((trial.config["x"] - 0.5) ** 2))
            tuner._walk()
            worse += before is not None and tuner._current[1] < before[1]
        return worse

    assert accepted(1e-9) == 0
    assert accepted(1e9) > 15


@pytest.mark.parametrize(
    ("tuner", "message"),
    [
        (
            Bayesian("tree"),
            "'surrogate' parameter of Bayesian must be a str among {'gp', 'forest'}. Got 'tree' instead.",
        ),
        (Bayesian(acquisition="pi"), "must be a str among {'ei', 'lcb'}. Got 'pi' instead."),
        (Evolution(population=1), "must be an int in the range [2, inf). Got 1 instead."),
        (Annealing(cooling=2), "must be a float in the range (0.0, 1.0). Got 2 instead."),
        (Annealing(temperature=0), "must be a float in the range (0.0, inf). Got 0 instead."),
        (Grid(0), "must be an int in the range [1, inf) or an instance of 'collections.abc.Mapping'. Got 0 instead."),
        (Bayesian(batch=0), "must be an int in the range [1, inf). Got 0 instead."),
        (Evolution(batch=-1), "must be an int in the range [1, inf). Got -1 instead."),
        (Annealing(n_initial=0), "must be an int in the range [1, inf). Got 0 instead."),
        (CMAES(population=0), "must be an int in the range [4, inf) or None. Got 0 instead."),
        (CMAES(step=0), "must be a float in the range (0.0, 1.0]. Got 0 instead."),
    ],
    ids=repr,
)
def test_settings_that_cannot_be_are_errors(tuner, message):
    with pytest.raises(DataError) as error:
        tuner.start(MIXED)
    assert message in str(error.value)


def test_calls_out_of_order_and_scores_that_are_no_numbers_are_errors():
    with pytest.raises(DataError, match=r"Random has not started\.\n  Expected a tuner with a space\. Call start"):
        Random().ask(1)
    tuner = Random().start(MIXED)
    (trial,) = tuner.ask(1)
    with pytest.raises(DataError, match=r"trial 0 has the score 'a'\.\n  Expected 1 number"):
        tuner.tell(trial, "a")
    tuner.tell(trial, 1.0)
    with pytest.raises(DataError, match="trial 0 has a score already"):
        tuner.tell(trial, 2.0)
    assert tuner.told == [(trial, 1.0)]


@pytest.mark.parametrize("tuner", [CMAES(), Annealing()], ids=repr)
def test_tuners_of_one_objective_say_so(tuner):
    with pytest.raises(DataError, match=r"with 2 objectives.\n  Expected one objective. Use Bayesian, Evolution"):
        tuner.start(MIXED, 0, n_objectives=2)


@pytest.mark.parametrize(
    "tuner", [Bayesian(n_initial=2), Evolution(population=2), CMAES(), Annealing(n_initial=2)], ids=repr
)
def test_a_search_goes_on_where_everything_fails(tuner):
    tuner.start(MIXED, 0)
    for _ in range(8):
        for trial in tuner.ask():
            tuner.tell(trial, float("nan"))
    assert len(tuner.told) == 8


def test_evolution_keeps_the_best_of_all_and_no_more_to_choose_from():
    tuner = Evolution(population=4).start(MIXED, random_state=0)
    for number in range(60):
        for trial in tuner.ask(1):
            tuner.tell(trial, None if number % 7 == 3 else round(score(trial.config)))  # with ties
    scored = [(trial, value) for trial, value in tuner.told if value is not None]
    best = sorted(scored, key=lambda each: -each[1])[:4]
    assert tuner._parents() == [trial for trial, _ in best]
    assert len(tuner._candidates) == 4


def test_a_gaussian_process_is_fitted_to_a_bounded_number_of_scores_the_best_among_them():
    tuner = Bayesian().start(MIXED, random_state=0)
    for trial in Random().start(MIXED, random_state=1).ask(400):
        tuner.tell(trial, score(trial.config))
    (trial,) = tuner.ask()
    fitted = tuner._model.X
    assert len(fitted) == 150
    best = max(tuner.told, key=lambda each: each[1])[0]
    assert (fitted == tuner._cube.features(tuner._units([best]))[0]).all(axis=1).any()
    assert MIXED.check(trial.config) == trial.config


@pytest.mark.parametrize(
    "tuner", [*TUNERS, SuccessiveHalving(), Hyperband(), BOHB(), IteratedRacing()], ids=lambda each: type(each).__name__
)
def test_a_setting_out_of_its_declared_bounds_is_an_error_when_a_search_starts(tuner):
    for name, (_, values) in parameters_of(type(tuner)).items():
        for bad in [object(), "a", *(value for each in values for value in each.refused)]:
            if not values or any(each.holds(bad) for each in values):
                continue
            with pytest.raises(DataError, match=f"The '{name}' parameter of {type(tuner).__name__} must be .* Got "):
                replace(tuner, **{name: bad}).start(Space({"x": Real(0, 1)}))
