"""The options of a study are declared once, and the archive of a study repeats them."""

import json
from dataclasses import fields
from inspect import signature

import numpy as np

import probus
from probus.lifecycle._study_options import StudyOptions, checked_options

OF_THE_CALL = {"archive", "n_jobs", "progress", "executor"}  # which repeat nothing


def test_the_options_are_the_arguments_of_study_with_their_defaults():
    arguments = {each.name: each.default for each in signature(probus.study).parameters.values()}
    declared = {each.name: each.default for each in fields(StudyOptions)}
    assert set(arguments) - set(declared) == OF_THE_CALL
    assert {name: arguments[name] for name in declared if name != "X"} == {
        name: default for name, default in declared.items() if name != "X"
    }


def test_stored_options_are_those_that_were_given():
    given = StudyOptions(
        "iris", target="species", kinds={"a": ["S", "M"]}, read={"skip": 1}, sensitive="sex", drop=("b", "c"),
        models=("bayes", "linear"), time=20.0, evaluations=3, cost=2.5, cv=4, scoring=["accuracy"], allow_leaks=True,
        random_state=7, pos_label=1, out="/tmp/there",
    )  # fmt: skip
    again = checked_options(json.dumps(given.stored()), "a.db")
    lists = {"sensitive": ["sex"], "drop": ["b", "c"], "models": ["bayes", "linear"]}
    expected = {each.name: getattr(given, each.name) for each in fields(given) if each.name in again} | lists
    assert again == expected
    assert StudyOptions(**again).stored() == given.stored()


def test_what_is_in_memory_is_not_stored():
    assert StudyOptions({"x": [1.0]}, target="x").stored() is None
    assert StudyOptions("iris", target="species", cost=np.eye(3)).stored() is None
