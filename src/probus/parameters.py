"""The parameters of an estimator, declared once, in its class.

From a declaration follow ``__init__`` with its signature, the check when the estimator is fitted, the section
*Parameters* of its documentation, and what scikit-learn's checks read:

    class RandomForestClassifier(Classifier):
        n_estimators: int = parameter("The number of trees.", default=100, at_least=1, kw_only=False)
        criterion: str = parameter("The impurity that a split has to lower most.", default="gini", one_of=NAMES)
        random_state: Any = RANDOM_STATE

A parameter that many estimators share, such as ``RANDOM_STATE``, is a constant. Its place in the class is its place in
the signature, so that each class has the order that its users expect.
"""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, wraps
from types import CodeType, FunctionType
from typing import Any, Literal

from sklearn import get_config

from probus.allowed_values import (
    AllowedValues,
    InstanceOf,
    IntegerIn,
    NoneAllowed,
    OneOf,
    SeedValue,
    SplitsValue,
    TrueOrFalse,
    allowed_by,
    as_scikit_learn_says,
    one_of_each,
)
from probus.errors import DataError
from probus.sklearn_seam import InvalidParameterError
from probus.synonyms import answering_synonyms, refuse_unknown

__all__ = [
    "CLASS_WEIGHT",
    "COPY_X",
    "CV",
    "FIT_INTERCEPT",
    "MAX_ITER",
    "N_JOBS",
    "RANDOM_STATE",
    "REQUIRED",
    "TOL",
    "VERBOSE",
    "WARM_START",
    "Declared",
    "Parameter",
    "ParameterError",
    "attribute",
    "check_parameters",
    "check_sizes",
    "check_when_fitted",
    "declare",
    "declare_fields",
    "inherited",
    "parameter",
    "parameters_of",
]

_LARGEST = int(sys.float_info.max)
REQUIRED = inspect.Parameter.empty
_SECTIONS = ("Attributes", "Examples", "Notes", "References", "See Also", "Returns", "Raises")


class ParameterError(DataError, InvalidParameterError):
    """A parameter of an estimator has a value that it cannot have."""


@dataclass(frozen=True, eq=False)
class Parameter:
    """A parameter as it is declared: its sentence, its default, and the values that it may have.

    ``allowed`` is empty for one that the estimator checks itself.
    """

    doc: str
    default: Any
    allowed: tuple[AllowedValues, ...] | None
    bounds: Mapping[str, Any]
    options: tuple[Any, ...]
    kw_only: bool

    def values(self, annotation: str) -> tuple[AllowedValues, ...]:
        """The values that it may have: as given, else by its annotation, bounds and options."""
        if self.allowed is not None:
            return self.allowed
        return allowed_by(annotation, self.bounds, self.options)

    def but(self, **changes: Any) -> Any:
        """The same parameter with another sentence, default or other values; the arguments are those of ``parameter``.

        >>> MAX_ITER.but(default=300).default
        300
        """
        same = {"doc": self.doc, "default": self.default, "of": self.allowed, "one_of": self.options}
        return parameter(**{**same, "kw_only": self.kw_only, **self.bounds, **changes})


def parameter(
    doc: str,
    *,
    default: Any = REQUIRED,
    of: Iterable[AllowedValues] | None = None,
    one_of: Iterable[Any] = (),
    at_least: float | None = None,
    above: float | None = None,
    at_most: float | None = None,
    below: float | None = None,
    kw_only: bool = True,
) -> Any:
    """Declare a parameter of an estimator.

    Parameters
    ----------
    doc : what it means, in full sentences.
    default : its value where none is given; without one, a value must be given.
    of : the kinds of values it may have, where its annotation, options and bounds do not say it: ``of=[IntegerIn(2),
        RealIn(above=0, at_most=1)]``. An empty list leaves the check to the estimator.
    one_of : the names it may have, beside what its annotation allows.
    at_least, above, at_most, below : the bounds of numbers.
    kw_only : whether it can be passed by name only.

    >>> class Mean:
    ...     trim: float = parameter("The share of rows left out at each end.", default=0, below=0.5)
    >>> declare(Mean)
    >>> inspect.signature(Mean)
    <Signature (*, trim: 'float' = 0)>
    >>> check_parameters(Mean(trim=0.7))
    Traceback (most recent call last):
    probus.parameters.ParameterError: The 'trim' parameter of Mean must be a float in the range (-inf, 0.5). ...
    """
    bounds = {"at_least": at_least, "above": above, "at_most": at_most, "below": below}
    given = {name: bound for name, bound in bounds.items() if bound is not None}
    return Parameter(doc, default, None if of is None else tuple(of), given, tuple(one_of), kw_only)


def inherited(*, default: Any = REQUIRED, kw_only: bool = True, **changes: Any) -> Any:
    """Declare a parameter of the parents with another default, sentence or other values.

    The arguments are those of ``parameter``; what is not given is as the parents declare it.
    """
    return _Changes({**changes, "kw_only": kw_only, **({} if default is REQUIRED else {"default": default})})


@dataclass(frozen=True, eq=False)
class _Changes:
    """How a class changes a declaration of its parents."""

    changes: Mapping[str, Any]


def attribute(*, init: Literal[False] = False) -> Any:
    """An attribute that a class names for its type only, such as one that is set by ``fit``; no parameter."""
    return _ATTRIBUTE


_ATTRIBUTE = object()


# -- shared by many ------------------------------------------------------------------------------------

RANDOM_STATE = parameter(
    "The seed of what is drawn at random. An int gives the same result every time, a generator of NumPy goes on where "
    "it was, and None gives another result every time.",
    default=None,
    of=[SeedValue()],
)
N_JOBS = parameter(
    "How many jobs run in parallel. None is one, unless ``joblib.parallel_config`` says otherwise; -1 is one for each "
    "processor. The result does not depend on it.",
    default=None,
    of=[IntegerIn(), NoneAllowed()],
)
VERBOSE = parameter(
    "How much is printed during a fit; 0 prints nothing.", default=0, of=[IntegerIn(at_least=0), TrueOrFalse()]
)
WARM_START = parameter(
    "Whether ``fit`` continues from the previous fit. False starts from the beginning; True is for the same rows and "
    "more work, such as more trees or iterations.",
    default=False,
    of=[TrueOrFalse()],
)
CLASS_WEIGHT = parameter(
    'The weight of each class, as a dict; "balanced" gives all classes the same total weight, so that rare classes '
    "count more. None leaves the weights of the rows as they are.",
    default=None,
    of=[InstanceOf(dict), OneOf("balanced"), NoneAllowed()],
)
TOL = parameter(
    "The fit stops once an iteration changes less than this. Smaller values are more exact, and slower.",
    default=1e-4,
    at_least=0.0,
)
MAX_ITER = parameter(
    "The maximum number of iterations. Increase it if a warning reports that the fit has not converged.",
    default=1000,
    at_least=1,
)
FIT_INTERCEPT = parameter(
    "Whether an intercept is fitted. False is for columns and a target that are centred already.", default=True
)
COPY_X = parameter("Whether X is copied. False saves memory, and may overwrite X.", default=True)
CV = parameter(
    "How the rows are split: a number of folds, a splitter, or pairs of training and test rows. None is five folds, "
    "stratified for classes.",
    default=None,
    of=[SplitsValue()],
)


# -- from declarations to a class ----------------------------------------------------------------------


def declare(cls: type) -> None:
    """Give a class the ``__init__`` and the documentation that its declarations stand for.

    A class without declarations, its parents' included, or with an ``__init__`` of its own is left unchanged. A plain
    value in the class takes the place of a parameter of its parents: ``l1_ratio = 1.0`` in the lasso.
    """
    own = _own(cls)
    for name in [*own, *(name for name, value in vars(cls).items() if value is _ATTRIBUTE)]:
        delattr(cls, name)  # an instance without a value has no attribute
    declared = _declared(cls.__mro__)
    if not declared or "__init__" in vars(cls) or not (own or hasattr(cls.__init__, "declared")):  # type: ignore[misc]
        return
    cls._parameter_constraints = _Constraints()  # type: ignore[attr-defined]
    cls.__init__ = _init_of(cls, declared)  # type: ignore[misc]
    if own or cls.__doc__:
        cls.__doc__ = _Documentation(cls.__doc__ or "")  # type: ignore[assignment]


def _own(cls: type) -> dict[str, Parameter]:
    """The parameters that a class declares, or changes, and keep them with their annotations."""
    changed = {name: value.changes for name, value in vars(cls).items() if isinstance(value, _Changes)}
    if changed:
        before = _declared(cls.__mro__[1:])
        for name, changes in changed.items():
            setattr(cls, name, before[name][0].but(**changes))
    own = {name: value for name, value in vars(cls).items() if isinstance(value, Parameter)}
    annotations = inspect.get_annotations(cls)
    named = {name: (value, _text(annotations.get(name, "Any"))) for name, value in own.items()}
    cls._own_parameters = named  # type: ignore[attr-defined]
    return own


def declare_fields(cls: type) -> None:
    """Give a class the defaults and the documentation that its declarations stand for, before ``dataclass`` reads it.

    A parent calls it in ``__init_subclass__``, as ``Declared`` does; ``check_parameters`` checks an instance.
    """
    own = _own(cls)
    for name, each in own.items():
        if each.default is REQUIRED:
            delattr(cls, name)
        else:
            setattr(cls, name, each.default)
    if own:
        cls.__doc__ = _Documentation(cls.__doc__ or "")  # type: ignore[assignment]


class Declared:
    """Parent of dataclasses whose fields are declared: their values are checked when an instance is made.

    >>> @dataclass
    ... class Shrunken(Declared):
    ...     by: float = parameter("How much.", default=0.1, above=0)
    >>> Shrunken(by=0)
    Traceback (most recent call last):
    probus.parameters.ParameterError: The 'by' parameter of Shrunken must be a float in the range (0.0, inf). ...
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        declare_fields(cls)

    def __post_init__(self) -> None:
        check_parameters(self)


def check_when_fitted(cls: type) -> None:
    """Let the methods that fit, which a class defines, check the parameters first."""
    for name in ("fit", "partial_fit", "fit_transform", "fit_predict", "fit_resample"):
        method = vars(cls).get(name)
        if isinstance(method, FunctionType) and not hasattr(method, "__wrapped__"):
            setattr(cls, name, _checking(method))


def _checking(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def fit(model: Any, *args: Any, **named: Any) -> Any:
        if named:
            refuse_unknown(method, named, model)
        if not get_config()["skip_parameter_validation"]:
            model._validate_params()
        return method(model, *args, **named)

    return fit


def _text(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def parameters_of(cls: type) -> dict[str, tuple[Parameter, tuple[AllowedValues, ...]]]:
    """The declared parameters of a class in the order of its signature, each with the values that it may have."""
    if "_all_parameters" not in vars(cls):  # kept, since every fit needs them
        cls._all_parameters = {  # type: ignore[attr-defined]
            name: (each, each.values(annotation)) for name, (each, annotation) in _declared(cls.__mro__).items()
        }
    return vars(cls)["_all_parameters"]


class _Constraints:
    """The declarations of a class as scikit-learn writes them, for its checks."""

    def __get__(self, model: Any, cls: type) -> dict[str, Any]:
        found = parameters_of(cls)
        return {name: [each.constraint for each in values] or "no_validation" for name, (_, values) in found.items()}


def _declared(classes: Sequence[type]) -> dict[str, tuple[Parameter, str]]:
    """The declarations of a class and its parents, those of the last first, positional ones before others."""
    found: dict[str, tuple[Parameter, str]] = {}
    for parent in reversed(classes):
        found = {name: each for name, each in found.items() if name not in vars(parent)}
        found |= parent.__dict__.get("_own_parameters", {})
    return dict(sorted(found.items(), key=lambda item: item[1][0].kw_only))


def _init_of(cls: type, declared: Mapping[str, tuple[Parameter, str]]) -> FunctionType:
    """``__init__`` that stores each parameter, as if it had been written in the module of the class."""
    names = tuple(name for name, (each, _) in declared.items() if not each.kw_only)
    by_name = tuple(name for name in declared if name not in names)
    init = FunctionType(_code_of(names, by_name), vars(sys.modules[cls.__module__]), "__init__")
    init.__defaults__ = tuple(declared[name][0].default for name in names if declared[name][0].default is not REQUIRED)
    init.__kwdefaults__ = {n: declared[n][0].default for n in by_name if declared[n][0].default is not REQUIRED}
    init.__annotations__ = {name: annotation for name, (_, annotation) in declared.items()}
    init.declared = True  # type: ignore[attr-defined]
    init.__module__, init.__qualname__ = cls.__module__, f"{cls.__qualname__}.__init__"
    return answering_synonyms(init)  # type: ignore[return-value]


@cache
def _code_of(names: tuple[str, ...], by_name: tuple[str, ...]) -> CodeType:
    """The code of such an ``__init__``: classes of the same parameters share it, since compiling takes long."""
    arguments = ["self", *(f"{name}=None" for name in names), *["*"][: len(by_name)], *(f"{n}=None" for n in by_name)]
    body = "".join(f"    self.{name} = {name}\n" for name in names + by_name)
    made: dict[str, Any] = {}
    exec(f"def __init__({', '.join(arguments)}):\n{body}", made)
    return made["__init__"].__code__


class _Documentation:
    """The docstring of a class, which is written when it is first read: an import does not wait for it."""

    def __init__(self, doc: str):
        self.doc = doc

    def __get__(self, model: Any, cls: type) -> str:
        cls.__doc__ = _document(inspect.cleandoc(self.doc), _declared(cls.__mro__))
        return cls.__doc__


def _document(doc: str, declared: Mapping[str, tuple[Parameter, str]]) -> str:
    """The docstring with a section *Parameters* before its other sections and examples."""
    entries = []
    for name, (each, annotation) in declared.items():
        values = each.values(annotation)
        kind = f"{one_of_each(values)}, " if values else ""
        default = "required" if each.default is REQUIRED else f"default={each.default!r}"
        entries += [f"{name} : {kind}{default}", f"    {each.doc}"]
    lines = doc.splitlines()
    place = next((i for i, line in enumerate(lines) if line in _SECTIONS or line.startswith(">>> ")), len(lines))
    before, after = lines[:place], lines[place:]
    gap = [""] if before and before[-1] else []
    return "\n".join([*before, *gap, "Parameters", "----------", *entries, *([""] if after else []), *after])


# -- the check -----------------------------------------------------------------------------------------


def check_parameters(model: Any) -> None:
    """Raise a ParameterError where a parameter of an estimator has a value that it cannot have."""
    for name, (_, values) in parameters_of(type(model)).items():
        value = getattr(model, name)
        if values and not any(each.holds(value) for each in values):
            raise ParameterError(
                f"The {name!r} parameter of {type(model).__name__} must be {as_scikit_learn_says(values)}. "
                f"Got {_show(value)} instead.",
                hint=_hint(value, values),
            )


def check_sizes(model: Any) -> None:
    """Raise a ParameterError where a parameter is a whole number beyond the largest float."""
    for name in model._get_param_names():
        value = getattr(model, name, None)
        if type(value) is int and abs(value) > _LARGEST:
            digits = math.floor(math.log10(abs(value))) + 1
            raise ParameterError(
                f"The {name!r} parameter of {type(model).__name__} has {digits} digits.", "a number below 1.8e308"
            )


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"


def _hint(value: Any, values: tuple[AllowedValues, ...]) -> str:
    """The name that was probably meant, or that None is how to leave something out."""
    if not isinstance(value, str):
        return ""
    names = [option for each in values for option in each.options if isinstance(option, str)]
    near = get_close_matches(value, names, 1)
    if near:
        return f"Did you mean {near[0]!r}?"
    return "Pass None, without quotes." if value.lower() == "none" and NoneAllowed() in values else ""
