"""Arguments of the main functions that have a wrong type are errors that state what is expected."""

import re
from contextlib import suppress

import numpy as np
import pytest

import probus
from probus.dummy import ZeroRClassifier
from probus.errors import DataError
from probus.naive_bayes import GaussianNB

X = np.random.default_rng(0).normal(size=(40, 2))
Y = np.where(X[:, 0] > 0, "yes", "no")
TABLE = probus.Table.of({"x": X[:, 0], "y": Y})

CALLS = {
    "read": lambda **options: probus.read(TABLE, **options),
    "resample": lambda **options: probus.resample(GaussianNB(), X, Y, cv=2, **options),
    "compare": lambda **options: probus.compare(
        **{"models": [GaussianNB(), ZeroRClassifier()], "X": X, "y": Y, "cv": 2, **options}
    ),
    "tune": lambda **options: probus.tune(GaussianNB(), X, Y, cv=2, evaluations=1, **options),
    "study": lambda **options: probus.study(
        **{"X": TABLE, "target": "y", "models": ["bayes"], "cv": 2, "evaluations": 0, **options}
    ),
    "explore": lambda **options: probus.explore(TABLE, **options),
    "profile": lambda **options: probus.profile(TABLE, **options),
}
WRONG = [
    ("read", "kinds", "nominal", "a dict of kinds by column"),
    ("read", "columns", 3, "names of columns"),
    ("resample", "n_jobs", "a", "a whole number"),
    ("resample", "random_state", "a", "a whole number from 0"),
    ("resample", "progress", 3, "'auto', None, or a function"),
    ("resample", "keep_models", "yes", "True or False"),
    ("resample", "scoring", 3, "a measure, its name"),
    ("compare", "models", 3, "estimators in a list"),
    ("compare", "level", "a", "a number"),
    ("compare", "alpha", None, "a number"),
    ("compare", "margin", "a", "a number"),
    ("tune", "name", None, "a string"),
    ("tune", "n_jobs", "a", "a whole number"),
    ("study", "target", 3, "the name of a column"),
    ("study", "order", 3, "the name of a column"),
    ("study", "sensitive", 3, "names of columns"),
    ("study", "read", 3, "a dict of options"),
    ("study", "evaluations", "a", "a whole number"),
    ("study", "archive", 3, "a path"),
    ("study", "out", 3, "a path"),
    ("study", "allow_leaks", "a", "True or False"),
    ("study", "cost", object(), "a number, a dict of costs"),
    ("explore", "random_state", "a", "a whole number from 0"),
    ("profile", "kinds", 3, "a dict of kinds by column"),
]


@pytest.mark.parametrize(("function", "name", "value", "expected"), WRONG, ids=[f"{w[0]}-{w[1]}" for w in WRONG])
def test_an_argument_of_a_wrong_type_is_an_error_that_states_what_is_expected(function, name, value, expected):
    with pytest.raises(DataError, match=re.escape(expected)):
        CALLS[function](**{name: value})


@pytest.mark.parametrize("value", ["a", -1, None, object()], ids=["a", "-1", "None", "object"])
@pytest.mark.parametrize("name", ["groups", "sample_weight", "pos_label", "cv", "scoring", "n_jobs", "random_state"])
def test_no_argument_of_resample_raises_an_error_of_python(name, value):
    with suppress(DataError):
        probus.resample(**{"model": ZeroRClassifier(), "X": X, "y": Y, "cv": 2, "n_jobs": 1, name: value})
