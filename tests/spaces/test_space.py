"""Spaces: conditions, nesting, configurations, and what is wrong with a space."""

import json

import numpy as np
import pytest

import probus
from probus.errors import DataError
from probus.spaces import Choice, Fixed, Integer, Real, Space, when
from probus.svm import SVC

AUTOML = Space({
    "encoding": Choice("onehot", "impact"),
    "pca": Choice(True, False),
    "learner": Choice({
        "glmnet": Space({"s": Real(-12, 12, base=2), "alpha": Real(0, 1)}),
        "svm": Space({
            "cost": Real(-12, 12, base=2),
            "kernel": Choice("linear", "rbf"),
            "gamma": when(Real(-12, 12, base=2), kernel="rbf"),
        }),
        "boosting": Space({"eta": Real(-4, 0, base=10), "nrounds": Integer(1, 5000), "max_depth": Integer(1, 20)}),
    }),
})  # fmt: skip


def test_a_configuration_has_the_active_parameters_only():
    wanted = {
        ("glmnet", None): {"s", "alpha"},
        ("svm", "linear"): {"cost", "kernel"},
        ("svm", "rbf"): {"cost", "kernel", "gamma"},
        ("boosting", None): {"eta", "nrounds", "max_depth"},
    }
    seen = set()
    for config in AUTOML.sample(0, 200):
        case = config["learner"], config.get("kernel")
        seen.add(case)
        assert set(config) == {"encoding", "pca", "learner"} | wanted[case]
        assert AUTOML.check(json.loads(json.dumps(config))) == config
    assert seen == set(wanted)


def test_configurations_come_back_from_their_places():
    for config in AUTOML.sample(1, 50):
        unit = AUTOML.to_unit(config)
        assert np.isnan(unit).sum() == len(AUTOML) - len(config)
        again = AUTOML.from_unit(np.nan_to_num(unit, nan=0.5))
        assert list(again) == list(config)
        np.testing.assert_allclose(AUTOML.to_unit(again), unit, atol=1e-9)


def test_samples_depend_on_the_seed_only():
    assert AUTOML.sample(3, 4) == AUTOML.sample(3, 4) != AUTOML.sample(4, 4)
    assert AUTOML.sample(np.random.RandomState(3), 2) == AUTOML.sample(np.random.RandomState(3), 2)
    generator = np.random.default_rng(3)
    assert AUTOML.sample(generator, 2) + AUTOML.sample(generator, 2) == AUTOML.sample(3, 4)


def test_the_grid_is_every_combination_of_active_values():
    space = Space({"kernel": Choice("linear", "rbf"), "C": Integer(1, 3), "gamma": when(Real(0, 1), kernel="rbf")})
    grid = list(space.grid(2))
    assert len(grid) == 2 + 2 * 2
    assert {"kernel": "rbf", "C": 3, "gamma": 1.0} in grid
    assert all(space.check(config) == config for config in grid)
    assert len(list(space.grid({"gamma": 4, "C": 3}))) == 3 + 3 * 4


def test_prefixes_reach_the_conditions():
    model = AUTOML.prefixed("model__")
    assert model.conditions["model__gamma"] == {"model__kernel": ("rbf",), "model__learner": ("svm",)}
    assert {name.removeprefix("model__") for name in model.sample(0)[0]} == set(AUTOML.sample(0)[0])


def test_spaces_join_with_their_defaults():
    one = Space({"a": Real(0, 1)}, default={"a": 0.5})
    two = Space({"b": Integer(1, 3)}, default={"b": 2})
    assert (one | two).default == {"a": 0.5, "b": 2}
    assert (one | Space({"c": Fixed(1)})).default is None
    assert list(one.prefixed("x__") | two) == ["x__a", "b"]


def test_values_without_a_parameter_are_fixed():
    assert Space({"kernel": "rbf", "C": 2}).sample(0) == [{"kernel": "rbf", "C": 2}]


def test_the_default_is_that_of_the_model_where_it_lies_in_the_space():
    space = Space(
        {"C": Real(0.1, 10), "kernel": Choice("linear", "poly", "rbf"), "degree": when(Integer(2, 5), kernel="poly")}
    )
    assert space.with_default(SVC()).default == {"C": 1.0, "kernel": "rbf"}
    assert space.with_default(SVC(kernel="poly")).default == {"C": 1.0, "kernel": "poly", "degree": 3}
    assert space.with_default(SVC(C=99)).default is None
    inside = space.prefixed("model__").with_default(probus.tabular(SVC()))
    assert inside.default == {"model__C": 1.0, "model__kernel": "rbf"}


def test_names_are_those_of_the_model():
    space = Space({"gamma": Real(0, 1)})
    space.check_model(SVC())
    space.prefixed("model__").check_model(probus.tabular(SVC()))
    with pytest.raises(DataError, match=r"(?s)TabularPipeline has no parameter 'gamma'.*Did you mean 'model__gamma'\?"):
        space.check_model(probus.tabular(SVC()))
    with pytest.raises(DataError, match=r"(?s)SVC has no parameter 'gama'.*Did you mean 'gamma'\?"):
        Space({"gama": Real(0, 1)}).check_model(SVC())


def test_a_space_displays_its_conditions():
    assert repr(Space({"a": Choice(1, 2), "b": when(Real(0, 1), a=2)})).splitlines() == [
        "Space of 2 parameters",
        "a  Choice(1, 2)",
        "b  Real(0, 1)  when a = 2",
    ]
    assert "<td>" in AUTOML._repr_html_()
    assert repr(Space({})) == "Space of 0 parameters"


A = Choice("x", "y")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Space([1]), "Space of list.\n  Expected a dict of names and parameters"),
        (lambda: Space({1: A}), "the name 1 is not a string"),
        (lambda: Space({"a": Space({"b": A})}), "'a' is a space.\n  Expected a parameter. Use **space.prefixed('a__')"),
        (lambda: Space({"b": when(Real(0, 1), a="x")}), "the condition of 'b' names 'a', which is not in the space"),
        (lambda: Space({"alpha": A, "b": when(A, alpa="x")}), "Did you mean 'alpha'?"),
        (lambda: Space({"a": A, "b": when(A, a="z")}), "the condition of 'b' is a = 'z', which is impossible.\n"
         "  Expected a value of Choice('x', 'y')."),
        (lambda: Space({"a": Fixed("x"), "b": when(A, a="y")}), "which is impossible"),
        (lambda: Space({"a": Real(0, 1), "b": when(A, a=0.5)}), "is on 'a', a real number"),
        (lambda: Space({"a": when(A, b="x"), "b": when(A, a="x")}), "'a', 'b' depend on each other in a circle"),
        (lambda: Space({"a": A, "b": when(A, a="x"), "c": when(A, a="y", b="x")}), "'c' is never active: its conditions"
         " on 'a' exclude each other"),
        (lambda: Space({"a": A, "b": when(when(A, a="x"), a="y")}), "'b' is never active"),
        (lambda: Space({"a": Choice({"x": Space({"b": A}), "y": Space({"b": A})})}), "'b' is in more than one of"),
        (lambda: when(A), "has no condition"),
        (lambda: when(3, a=1), "Expected a parameter: Real"),
        (lambda: AUTOML.grid({"nope": 3}).__next__(), "resolution of 'nope'"),
        (lambda: Space({"a": A}, default={"a": "z"}), "'a' is 'z'.\n  Expected Choice('x', 'y')"),
    ],
)  # fmt: skip
def test_errors_say_what_is_wrong_with_a_space(make, message):
    with pytest.raises(DataError) as error:
        make()
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"kernel": "rbf", "gamma": 3}, "'gamma' is 3.\n  Expected Real(0, 1)"),
        ({"kernel": "rbf"}, "no value for 'gamma'.\n  Expected Real(0, 1)"),
        ({"kernel": "linear", "gamma": 0.5}, "'gamma' has a value, but is active only when kernel = 'rbf'"),
        ({"kernel": "linear", "gama": 0.5}, "no parameter 'gama'.\n  Expected one of kernel, gamma. Did you"),
        (["kernel"], "found a list.\n  Expected a configuration"),
    ],
)  # fmt: skip
def test_errors_say_what_is_wrong_with_a_configuration(config, message):
    space = Space({"kernel": Choice("linear", "rbf"), "gamma": when(Real(0, 1), kernel="rbf")})
    with pytest.raises(DataError) as error:
        space.check(config)
    assert message in str(error.value)


def test_a_condition_may_be_a_set_of_values():
    kinds = Choice("a", "b", "c")
    one, other = (Space({"kind": kinds, "rate": when(Real(0, 1), kind=given)}) for given in ({"c", "a"}, ["a", "c"]))
    assert one == other


def test_samples_and_places_are_counted():
    space = Space({"x": Real(0, 1), "y": Real(0, 1)})
    with pytest.raises(DataError, match=r"n=-1\.\n  Expected a whole number, 0 or more"):
        space.sample(n=-1)
    with pytest.raises(DataError, match=r"places of shape \(1,\)\.\n  Expected 2 numbers, one per parameter"):
        space.from_unit([0.1])
