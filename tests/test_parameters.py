"""Parameters declared once: signature, check, documentation and what scikit-learn reads follow from the declaration."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils._param_validation import InvalidParameterError, make_constraint

from probus import anomaly, linear_model, losses, model_selection, preprocessing
from probus.allowed_values import (
    IntegerIn,
    NoneAllowed,
    OldNames,
    OneOf,
    RealIn,
    SeedValue,
    allowed_by,
    as_scikit_learn_says,
    one_of_each,
)
from probus.base import Regressor
from probus.calibration import ConformalRegressor
from probus.errors import DataError
from probus.parameters import (
    MAX_ITER,
    RANDOM_STATE,
    REQUIRED,
    attribute,
    check_parameters,
    inherited,
    parameter,
    parameters_of,
)
from probus.testing import estimators


class Mean(Regressor):
    """The mean.

    Attributes
    ----------
    mean_ : float
    """

    trim: float = parameter("The share that is left out.", default=0.0, at_least=0, below=0.5, kw_only=False)
    kind: str | None = parameter("Which mean.", default="plain", one_of=("plain", "harmonic"))
    size: float | int = parameter(
        "How many.", default=1.0, of=[IntegerIn(at_least=2), RealIn(above=0, at_most=1, besides_int=True)]
    )
    random_state: object = RANDOM_STATE
    mean_: float = attribute()


class Other(Mean):
    """Another mean."""

    power: int = parameter("The power.", default=2, at_least=1)


class Same(Mean):
    """The same mean."""


class Trimmed(Same):
    """The mean without the smallest and the largest tenth."""

    trim: float = inherited(default=0.1, kw_only=False)
    kind: str | None = inherited(doc="The same.", default="plain")


class Iterated(Mean):
    """The mean of several rounds."""

    max_iter: int = MAX_ITER.but(default=300, at_most=500)


class Plain(Other):
    """The plain mean."""

    kind = "plain"


class Plainer(Plain):
    """The same."""


def test_the_signature_has_the_order_and_the_defaults_of_the_declarations():
    assert str(inspect.signature(Mean)) == (
        "(trim: 'float' = 0.0, *, kind: 'str | None' = 'plain', size: 'float | int' = 1.0, "
        "random_state: 'object' = None)"
    )
    assert list(inspect.signature(Other).parameters) == ["trim", "kind", "size", "random_state", "power"]
    with pytest.raises(TypeError, match=r"has no parameter 'trimm'\. Did you mean trim\?"):
        Mean(trimm=0.1)
    with pytest.raises(TypeError, match="takes from 1 to 2 positional arguments"):
        Mean(0.1, "plain")


def test_it_is_an_estimator_of_scikit_learn():
    assert clone(Other(0.2, power=3)).get_params() == {
        "trim": 0.2, "kind": "plain", "size": 1.0, "random_state": None, "power": 3,
    }  # fmt: skip
    assert repr(Mean(kind=None)) == "Mean(kind=None)"
    assert not hasattr(Mean(), "mean_")
    assert set(Mean._parameter_constraints) == {"trim", "kind", "size", "random_state"}


def test_a_plain_value_takes_the_place_of_a_parameter_of_the_parent():
    for cls in (Plain, Plainer):
        assert list(inspect.signature(cls).parameters) == ["trim", "size", "random_state", "power"]
        assert cls(trim=0.2).kind == "plain"
        assert "power : int" in cls.__doc__
        assert "kind :" not in cls.__doc__
        check_parameters(cls())
        with pytest.raises(DataError, match="The 'power' parameter of Plain"):
            check_parameters(cls(power=0))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"trim": 0.5}, "The 'trim' parameter of Mean must be a float in the range [0.0, 0.5). Got 0.5 instead."),
        ({"trim": np.nan}, "Got nan instead."),
        ({"trim": "a"}, "Got 'a' instead."),
        ({"trim": True}, "Got True instead."),
        (
            {"kind": "harmonik"},
            "must be a str among {'plain', 'harmonic'} or None. Got 'harmonik' instead.\n  Did you mean 'harmonic'?",
        ),
        ({"kind": "none"}, "Pass None, without quotes."),
        ({"size": 1}, "must be an int in the range [2, inf) or a float in the range (0.0, 1.0]. Got 1 instead."),
        (
            {"random_state": "a"},
            "Got 'a' instead.",
        ),
        ({"random_state": -1}, "Got -1 instead."),
    ],
)
def test_a_wrong_value_is_an_error_with_what_was_found_and_expected(values, message):
    with pytest.raises(DataError) as error:
        check_parameters(Mean(**values))
    assert message in str(error.value)
    assert isinstance(error.value, InvalidParameterError)


def test_the_documentation_lists_them_before_the_attributes():
    assert inspect.getdoc(Mean) == (
        "The mean.\n\nParameters\n----------\n"
        "trim : float, 0 or more and below 0.5, default=0.0\n    The share that is left out.\n"
        "kind : {'plain', 'harmonic'}; or None, default='plain'\n    Which mean.\n"
        "size : int, 2 or more; or float above 0 and at most 1, default=1.0\n    How many.\n"
        f"random_state : {SeedValue()}, default=None\n    {RANDOM_STATE.doc}\n"
        "\nAttributes\n----------\nmean_ : float"
    )


def test_a_class_that_inherits_its_parameters_documents_them_too():
    assert inspect.getdoc(Same).startswith("The same mean.\n\nParameters\n----------\ntrim : float, ")
    assert inspect.signature(Same) == inspect.signature(Mean)


def test_a_shared_parameter_can_have_another_default_and_other_bounds():
    each, values = parameters_of(Iterated)["max_iter"]
    assert (each.doc, each.default, values) == (MAX_ITER.doc, 300, (IntegerIn(at_least=1, at_most=500),))
    assert MAX_ITER.default == 1000


def test_a_subclass_changes_the_default_or_the_sentence_of_its_parents():
    before, after = parameters_of(Mean), parameters_of(Trimmed)
    assert list(after) == list(before)
    assert Trimmed().trim == 0.1
    assert after["trim"][0].doc == before["trim"][0].doc
    assert after["trim"][1] == before["trim"][1]
    assert (after["kind"][0].doc, after["kind"][1]) == ("The same.", before["kind"][1])


def test_old_names_are_allowed_and_not_mentioned():
    values = (OneOf("new"), OldNames("old"))
    assert values[1].holds("old")
    assert not values[1].holds("new")
    assert one_of_each(values) == "'new'"
    assert as_scikit_learn_says(values) == "a str among {'new'}"
    assert make_constraint(values[1].constraint).hidden


def test_annotations_say_what_is_allowed():
    assert one_of_each(allowed_by("int | None", {"at_least": 1}, ())) == "int, 1 or more; or None"
    assert allowed_by("float | None", {}, ("auto",)) == (RealIn(), NoneAllowed(), OneOf("auto"))
    assert allowed_by("dict[str, Any]", {}, ()) == ()


@pytest.mark.parametrize("cls", estimators(), ids=lambda cls: cls.__name__)
def test_every_declared_bound_is_refused_by_fit_with_its_text(cls):
    for name, (_, values) in parameters_of(cls).items():
        for bad in [object(), *(value for each in values for value in each.refused)]:
            if not values or any(each.holds(bad) for each in values):
                continue
            model = (clone(cls.examples()[0]) if cls.examples() else cls()).set_params(**{name: bad})
            required = [each for each in inspect.signature(model.fit).parameters.values() if each.default is each.empty]
            with pytest.raises(DataError, match=f"The '{name}' parameter of {cls.__name__} must be .* Got .* instead."):
                model.fit(*[None for each in required if each.kind is each.POSITIONAL_OR_KEYWORD])


@pytest.mark.parametrize("cls", estimators(), ids=lambda cls: cls.__name__)
def test_every_parameter_is_declared_with_a_sentence_and_an_allowed_default(cls):
    assert list(inspect.signature(cls).parameters) == list(parameters_of(cls))
    for name, (each, values) in parameters_of(cls).items():
        assert each.doc.endswith("."), name
        assert f"\n{name} : " in inspect.getdoc(cls), name
        assert each.default is REQUIRED or not values or any(kind.holds(each.default) for kind in values), name


@pytest.mark.parametrize("value", [object(), 1j, 3, "a", 10**400])
@pytest.mark.parametrize(
    ("model", "name"),
    [
        (anomaly.Windows(None, 2), "detector"),
        (anomaly.Contextual(anomaly.ZScore(), [0]), "detector"),
        (anomaly.CalibratedDetector(None), "detector"),
        (model_selection.BestOfRegressor([]), "candidates"),
        (preprocessing.AsTable(), "kinds"),
        (preprocessing.CumulativeEncoder(), "levels"),
        (preprocessing.FeatureConstructor(), "columns"),
        (preprocessing.FeatureConstructor(), "operations"),
    ],
    ids=lambda each: type(each).__name__ if hasattr(each, "fit") else repr(each)[:10],
)
def test_what_is_no_estimator_mapping_or_sequence_is_refused(model, name, value):
    with pytest.raises(DataError, match=f"The '{name}' parameter of {type(model).__name__} (must be|has 401 digits)"):
        clone(model).set_params(**{name: value}).fit([[1.0], [2.0]], [1.0, 2.0])


@pytest.mark.parametrize("cv", ["a", b"a", {"a": 1}, 1])
def test_splits_are_no_string_and_no_dict(cv):
    for model in (ConformalRegressor(Plain(), cv=cv), linear_model.RidgeCV(cv=cv)):
        with pytest.raises(DataError, match=f"The 'cv' parameter of {type(model).__name__} must be"):
            model.fit([[1.0], [2.0]], [1.0, 2.0])


def test_a_number_beyond_the_largest_float_is_refused():
    with pytest.raises(DataError, match="The 'delta' parameter of Huber must be a float"):
        losses.Huber(delta=10**400)
