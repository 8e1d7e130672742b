"""The estimator contract: scikit-learn's conventions, plus a declaration of each model's input and fitted state.

A model is a class with ``accepts`` (the input it takes) and ``fitted`` (the attributes it has after ``fit``).
Validation, scikit-learn's tags, saving and the conformance suite are generated from the two.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date, timedelta
from functools import cache
from importlib import import_module
from numbers import Real
from os import PathLike
from typing import Any, ClassVar, dataclass_transform

import numpy as np
from scipy.sparse import issparse
from sklearn.base import (
    BaseEstimator,
    BiclusterMixin,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    DensityMixin,
    MetaEstimatorMixin,
    MultiOutputMixin,
    OneToOneFeatureMixin,
    OutlierMixin,
    RegressorMixin,
    TransformerMixin,
    clone,
    is_classifier,
    is_clusterer,
    is_outlier_detector,
    is_regressor,
)
from sklearn.utils import Tags, compute_class_weight, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, column_or_1d, validate_data

from probus.data import (
    Column,
    Kind,
    Schema,
    Table,
    are_records,
    checked_array,
    collect,
    fill_masked,
    has_names,
    is_frame,
    is_misread,
    settle,
    warn_of_numbers,
)
from probus.errors import DataError
from probus.parameters import (
    attribute,
    check_parameters,
    check_sizes,
    check_when_fitted,
    declare,
    inherited,
    parameter,
    parameters_of,
)
from probus.sklearn_seam import check_sample_weight
from probus.spaces import Space, search_space
from probus.state import Labels, Maybe, Object, Size, Spec
from probus.synonyms import of_models

__all__ = [
    "Accepts",
    "BaseEstimator",
    "BiclusterMixin",
    "ClassNamePrefixFeaturesOutMixin",
    "Classifier",
    "ClassifierMixin",
    "ClusterMixin",
    "DensityMixin",
    "MetaEstimatorMixin",
    "Model",
    "MultiLabelMixin",
    "MultiOutputMixin",
    "OneToOneFeatureMixin",
    "OutlierMixin",
    "PoorScoreMixin",
    "ProbabilisticClassifier",
    "Regressor",
    "RegressorMixin",
    "RequiredTargetMixin",
    "Transformer",
    "TransformerMixin",
    "accepts_of",
    "check_size",
    "checked_numbers",
    "checked_weights",
    "class_factors",
    "clone",
    "encoded_classes",
    "is_classifier",
    "is_clusterer",
    "is_outlier_detector",
    "is_regressor",
    "matrix_input",
    "refuse_labels",
    "table_input",
    "target_array",
]


@dataclass(frozen=True)
class Accepts:
    """The input a model takes directly; ``probus.tabular`` prepares everything else.

    Parameters
    ----------
    nominal : columns with levels (binary, nominal, ordinal), as levels.
    text : columns of free text.
    missing : missing values.
    sparse : SciPy sparse matrices.
    weights : ``sample_weight`` in ``fit``.
    negative : numbers below zero.
    scaled : the model uses distances, so its numeric columns should share a scale.
    infinite : infinite values, where missing values are accepted too.
    own_levels : the model decides itself what strings are, text or levels, and what an unknown level is; what wraps it
        leaves both to it.
    """

    nominal: bool = False
    text: bool = False
    missing: bool = False
    sparse: bool = False
    weights: bool = False
    negative: bool = True
    scaled: bool = False
    infinite: bool = False
    own_levels: bool = False

    def __str__(self) -> str:
        """The declaration as a phrase for documentation.

        >>> print(Accepts(nominal=True, missing=True))
        numeric and nominal columns, missing values
        """
        kinds = ["numeric", *(["nominal"] * self.nominal), *(["text"] * self.text)]
        parts = [" and ".join(kinds) + " columns"]
        parts += [word for word, yes in (("missing values", self.missing), ("sparse matrices", self.sparse)) if yes]
        return ", ".join(parts + ["sample weights"] * self.weights + ["no negative numbers"] * (not self.negative))

    @classmethod
    def everything(cls) -> Accepts:
        """Any input, without preparation: what a wrapper of no models accepts."""
        return cls(*(field.name not in _OF_ANY for field in fields(cls)))

    def intersect(self, other: Accepts) -> Accepts:
        """What both take; numbers should share a scale, and levels be left to the models, where either needs it.

        >>> print(Accepts(nominal=True, weights=True).intersect(Accepts(nominal=True, missing=True)))
        numeric and nominal columns
        """
        pairs = {field.name: (getattr(self, field.name), getattr(other, field.name)) for field in fields(self)}
        return Accepts(**{name: any(pair) if name in _OF_ANY else all(pair) for name, pair in pairs.items()})


_OF_ANY = ("scaled", "own_levels")


@dataclass_transform(eq_default=False, kw_only_default=True, field_specifiers=(parameter, inherited, attribute))
class Model(BaseEstimator):
    """Base class of every estimator of Probus."""

    accepts: ClassVar[Any] = Accepts()  # an Accepts; a property where it depends on parameters
    verbs: ClassVar[str | None] = None  # the module whose ``resample`` and others take the model, if its X is no rows
    prepared: ClassVar[str | None] = None  # the parameter that ``tabular`` prepares, of a model that reads any column
    fitted: ClassVar[Mapping[str, Spec]] = {}
    excused: ClassVar[Mapping[str, str]] = {}  # checks of scikit-learn that the class need not pass, and why

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        declare(cls)
        check_when_fitted(cls)

    def _validate_params(self) -> None:
        check_sizes(self)
        if parameters_of(type(self)):
            check_parameters(self)
        elif hasattr(self, "_parameter_constraints"):  # of a parent in scikit-learn
            super()._validate_params()

    @classmethod
    def fitted_state(cls) -> dict[str, Spec]:
        """Every attribute a fitted model of this class may hold."""
        common: dict[str, Spec] = {
            "n_features_in_": Size("d"),
            "feature_names_in_": Maybe(Labels("d")),
            "schema_": Maybe(Object(Schema)),
        }
        return {**common, **cls.fitted}

    @classmethod
    def _get_param_names(cls) -> list[str]:
        # scikit-learn inspects the signature on every fit, which on small data takes as long as the fit
        return list(_parameter_names(cls))  # type: ignore[arg-type]

    @classmethod
    def examples(cls) -> list[Model]:
        """The instances that ``probus.testing`` checks: one for each mode that parameters select."""
        return [cls()]

    def search_space(self) -> Space:
        """The parameters that should be tuned, as a ``probus.spaces.Space``; its default is the values of the model."""
        return search_space(self)

    def __sklearn_is_fitted__(self) -> bool:
        # an interrupted fit leaves some attributes
        required = _always_fitted(type(self))  # type: ignore[arg-type]
        return all(name in vars(self) for name in required) and any(name.endswith("_") for name in vars(self))

    def save(self, path: Any) -> Any:
        """Write the model to a file that contains only data, as ``probus.save``, and return the path."""
        return import_module("probus.persistence").save(self, path)  # a higher layer

    def __getattr__(self, name: str) -> Any:
        if use := of_models(name):
            raise AttributeError(f"a {type(self).__name__} has no attribute {name!r}: use {use}")
        return object.__getattribute__(self, name)  # raises

    def to_be_saved(self) -> BaseEstimator:
        """What a file stores in place of this model: itself, or a model inside it that predicts the same."""
        return self

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError where loaded attributes contradict each other although their shapes agree."""
        return

    def __rshift__(self, other: Any) -> Any:
        return import_module("probus.pipeline").sequence(self, other)  # a higher layer

    def __rrshift__(self, other: Any) -> Any:
        return import_module("probus.pipeline").sequence(other, self)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        accepts: Accepts = self.accepts
        tags.input_tags.allow_nan = accepts.missing
        tags.input_tags.sparse = accepts.sparse
        tags.input_tags.categorical = accepts.nominal
        tags.input_tags.string = accepts.nominal or accepts.text
        tags.input_tags.positive_only = not accepts.negative
        return tags


@cache
def _parameter_names(cls: type[Model]) -> tuple[str, ...]:
    return tuple(super(Model, cls)._get_param_names())  # type: ignore[misc]


@cache
def _always_fitted(cls: type[Model]) -> tuple[str, ...]:
    """The attributes of its own that a fitted model of the class always has."""
    return tuple(name for name, spec in cls.fitted.items() if not isinstance(spec, Maybe))


class RequiredTargetMixin:
    """A transformer that is fitted to a target."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.target_tags.required = True
        return tags


class MultiLabelMixin:
    """A classifier of rows with several labels."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.classifier_tags.multi_label = True
        return tags


class PoorScoreMixin:
    """A model whose scores scikit-learn's checks do not expect to be good."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        (tags.classifier_tags or tags.regressor_tags).poor_score = True
        return tags


class Classifier(ClassifierMixin, Model):
    """Base class of classifiers."""

    partly_labelled: ClassVar[bool] = False  # whether labels may be missing

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy on rows and their classes."""
        return super().score(X, target_array(y) if isinstance(y, str) else y, sample_weight)


class ProbabilisticClassifier(Classifier):
    """Base class of classifiers that always have ``predict_proba``, from which the rest follows."""

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of the probabilities.

        Parameters
        ----------
        X : the rows.

        Returns
        -------
        Rows × classes.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row.

        Parameters
        ----------
        X : the rows.

        Returns
        -------
        The classes.
        """
        probabilities = self.predict_proba(X)  # first, as it checks that the model is fitted
        return self.classes_[probabilities.argmax(axis=1)]


class Regressor(RegressorMixin, Model):
    """Base class of regressors."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² on rows and their numbers."""
        return super().score(X, target_array(y) if isinstance(y, str) else y, sample_weight)


class Transformer(TransformerMixin, Model):
    """Base class of transformers."""


_LARGEST_FLOAT = int(sys.float_info.max)
_TIMES = (date, timedelta)  # and their subclasses, pandas' included
_TREES = ("sklearn.tree", "sklearn.ensemble", "lightgbm", "xgboost", "catboost")


def accepts_of(model: Any) -> Accepts:
    """The input a model takes: its declaration, or scikit-learn's tags for a model of another library.

    Parameters
    ----------
    model : an estimator, of Probus or another library.

    Returns
    -------
    The declaration.
    """
    declared = getattr(model, "accepts", None)
    if isinstance(declared, Accepts):
        return declared
    tags = get_tags(model).input_tags
    return Accepts(
        missing=tags.allow_nan,
        sparse=tags.sparse,
        negative=not tags.positive_only,
        scaled=not type(model).__module__.startswith(_TREES),
    )


# -- input validation ----------------------------------------------------------------------------------


def matrix_input(model: Model, X: Any, *, reset: bool, **checks: Any) -> np.ndarray:
    """X as one float64 matrix, validated as scikit-learn does; for models that take numbers only.

    A Table is matched to the fitted columns by name. An error names the columns that cannot be used and suggests
    ``tabular``.

    Parameters
    ----------
    model : the estimator that reads X.
    X : the rows.
    reset : whether X is the training data, whose columns are kept.
    checks : further arguments of scikit-learn's ``validate_data``.

    Returns
    -------
    The matrix.
    """
    checks = {"dtype": np.float64, "accept_sparse": "csr" if model.accepts.sparse else False, **checks}
    if model.accepts.missing:
        checks.setdefault("ensure_all_finite", False if model.accepts.infinite else "allow-nan")
    X = fill_masked(X) if isinstance(X, np.ma.MaskedArray) else _rows_of(X)
    if type(X) is dict or are_records(X) or (is_frame(X) and is_misread(X)):
        X = Table.of(X, infer=False)
    if isinstance(X, Table):
        return _matrix_of_table(model, X, reset, checks)
    X = checked_array(X)
    ready = _valid_already(model, X, checks, reset)
    if ready is not None:
        return ready
    try:
        return validate_data(model, X, reset=reset, **checks)
    except ValueError as error:
        if is_frame(X):
            table = Table.of(X, infer=False)
            _check_accepted(model, table)
            _check_numbers(model, table)
        found = str(error).partition("\n")[0]
        if found.startswith(("Input X contains NaN", "Input X contains infinity")):
            # scikit-learn goes on to suggest other models; any model takes the rows after preparation
            raise DataError(found, "finite numbers", _how_to_fill(type(model).__name__)) from None
        raise
    except Exception as error:
        if is_frame(X):  # dates, which are days in a Table, types that NumPy lacks, or what is a clear error there
            return _matrix_of_table(model, Table.of(X, infer=False), reset, checks)
        if not isinstance(error, (TypeError, OverflowError)) or issparse(X) or np.ndim(X) != 2:
            raise
        return matrix_input(model, _numbers_of_cells(X, error), reset=reset, **checks)


def _numbers_of_cells(X: Any, error: Exception) -> np.ndarray:
    """An array of objects as numbers: dates in days; the error of validation, or a clearer one, for other objects."""
    try:
        return Table.of(np.asarray(X, dtype=object), infer=False).numbers()
    except DataError as clearer:
        raise (clearer if isinstance(error, OverflowError) else error) from None


def _valid_already(model: Model, X: Any, checks: dict[str, Any], reset: bool) -> np.ndarray | None:
    """What validation would return, where a quick check is enough: it takes as long as a fit of few rows otherwise."""
    if type(X) is not np.ndarray or X.ndim != 2 or 0 in X.shape:
        return None
    if not reset and (hasattr(model, "feature_names_in_") or X.shape[1] != getattr(model, "n_features_in_", 0)):
        return None
    if not checks.keys() <= {"dtype", "accept_sparse", "accept_large_sparse", "order", "ensure_all_finite"}:
        return None
    if not (checks.get("order") is None or (checks["order"] == "C" and X.flags.c_contiguous)):
        return None
    dtypes = checks["dtype"] if isinstance(checks["dtype"], list) else [checks["dtype"]]
    with np.errstate(all="ignore"):
        if X.dtype.kind not in "iu" and not (X.dtype in dtypes and np.isfinite(X.sum())):
            return None
    if reset:
        model.n_features_in_ = X.shape[1]
        model.__dict__.pop("feature_names_in_", None)
    return X if X.dtype in dtypes else X.astype(dtypes[0])


def _matrix_of_table(model: Model, table: Table, reset: bool, checks: dict[str, Any]) -> np.ndarray:
    names = getattr(model, "feature_names_in_", None)
    if not reset and names is not None:
        table = table.select(*names)
    _check_accepted(model, table)
    if not reset:
        _check_numbers(model, table)
        _warn_of_names(model)
    matrix = check_array(table.numbers(), estimator=model, input_name="X", **checks)
    if reset:
        model.n_features_in_ = matrix.shape[1]
        model.feature_names_in_ = np.array(table.names, dtype=object)
    else:
        _check_n_features(model, matrix.shape[1])
    return matrix


def _rows_of(X: Any) -> Any:
    """The rows; a lazy frame is collected, and a path refused with the line that reads it."""
    if isinstance(X, (str, PathLike)):
        raise DataError(f"X={str(X)[:60]!r}.", "rows", f"Use probus.read({str(X)[:60]!r}).")
    return collect(X)


def table_input(model: Model, X: Any, *, reset: bool, any_kind: bool = False, passed_on: bool = False) -> Table:
    """X as a Table with the columns of ``fit``; for models that take columns of any kind.

    A Table keeps its kinds. The dtypes of a frame or dict declare them. An array is numeric unless it holds strings.
    A warning names strings that are numbers or dates, as they are levels here and numbers where kinds are inferred.
    Rows that are ``passed_on`` to models of which one has its ``own_levels`` keep levels unknown in ``fit``: what is a
    level here may be text there, or one of "other". Where all of those models take text, phrases are text for each of
    them. With ``any_kind``, columns that the model does not accept are left to its parts to refuse.

    Parameters
    ----------
    model : the estimator that reads X.
    X : the rows.
    reset : whether X is the training data, whose schema is kept.
    any_kind : whether columns that the model does not accept are let through.
    passed_on : whether the rows go on to models inside this one.

    Returns
    -------
    The table.
    """
    X = _rows_of(X)
    named = has_names(X)
    array = X if named else validate_data(model, X, reset=reset, dtype=None, ensure_all_finite=False)
    table = Table.of(array, infer=False)
    if not reset:
        table = _as_fitted(model, table, named, keep_unseen=passed_on and model.accepts.own_levels)
    else:
        if not isinstance(X, Table):
            warn_of_numbers(table)
        if passed_on and not any_kind and model.accepts.text:
            table = settle(table)
        model.schema_ = table.schema
        if named:
            model.n_features_in_ = table.shape[1]
            model.feature_names_in_ = np.array(table.names, dtype=object)
    if not any_kind:
        _check_accepted(model, table)
    if min(table.shape) == 0:
        raise DataError(f"found a table of {table.shape[0]} rows and {table.shape[1]} columns.", "at least one of each")
    return table


def _as_fitted(model: Model, table: Table, named: bool, *, keep_unseen: bool) -> Table:
    """The table with the columns of ``fit``, matched by name where both have names, else by position."""
    schema = _schema_of(model)
    if named and hasattr(model, "feature_names_in_"):
        return schema.apply(table, keep_unseen=keep_unseen)
    _check_n_features(model, table.shape[1])
    if named:
        _warn_of_names(model)
    renamed = Table(column.renamed(name) for column, name in zip(table, schema.names, strict=True))
    return schema.apply(renamed, keep_unseen=keep_unseen)


def _schema_of(model: Model) -> Schema:
    from sklearn.utils.validation import check_is_fitted

    if not hasattr(model, "schema_"):  # which validation rows need before the fit has ended
        check_is_fitted(model)
    return model.schema_


def _warn_of_names(model: Model) -> None:
    """Warn as scikit-learn does where columns with names are matched by position."""
    if not hasattr(model, "feature_names_in_"):
        warnings.warn(f"X has feature names, but {type(model).__name__} was fitted without feature names", stacklevel=5)


def _check_n_features(model: Model, width: int) -> None:
    if width != model.n_features_in_:
        name = type(model).__name__
        raise DataError(f"X has {width} features, but {name} is expecting {model.n_features_in_} features as input.")


def _check_numbers(model: Model, table: Table) -> None:
    """Raise an error where a model that was fitted on an array of numbers is given other columns."""
    strange = [f"{column.name!r} ({column.kind})" for column in table if not column.is_number_like]
    if strange:
        raise DataError(
            f"{type(model).__name__} was fitted on an array of numbers; X has columns that are not: "
            f"{', '.join(strange[:5])}{', …' if len(strange) > 5 else ''}.",
            "the columns of the fit",
            "Fit the model on a Table or a data frame that has these columns.",
        )


def _check_accepted(model: Model, table: Table) -> None:
    """Raise an error that names the columns the model does not take."""
    accepts, name = model.accepts, type(model).__name__

    def refuse(columns: list[Column], what: str, fix: str) -> None:
        if columns:
            shown = ", ".join(f"{column.name!r} ({column.kind})" for column in columns[:5])
            shown += f", … ({len(columns)} in all)" if len(columns) > 5 else ""
            raise DataError(f"{name} does not accept {what}: {shown}.", str(accepts), fix)

    fix = f"Use probus.tabular({name}()), which adds the preprocessing it needs."
    if not accepts.text:
        refuse(table.of_kind(Kind.TEXT), "text columns", fix)
    if not accepts.nominal:
        levels = [c for c in table if not c.is_number_like and c.kind is not Kind.TEXT]
        refuse(levels, "columns that are not numeric", fix)
    if not accepts.missing:
        refuse([c for c in table if c.missing.any()], "missing values (NaN)", fix)
    if not accepts.infinite:
        infinite = [c for c in table if c.kind is Kind.NUMERIC and np.isinf(c.values).any()]
        refuse(
            infinite,
            "infinite values (inf)",
            "Replace them with missing values, which probus.tabular imputes, or with large numbers.",
        )


def _how_to_fill(name: str) -> str:
    return (
        f"probus.tabular({name}()) imputes missing values. Replace infinite ones with missing values or large numbers."
    )


def encoded_classes(y: Any, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """The sorted classes of a target and its codes into them.

    Parameters
    ----------
    y : the target.
    n_rows : the number of rows that X has.

    Returns
    -------
    The classes, and the code of each row.

    >>> encoded_classes(["b", "a", "b"], 3)
    (array(['a', 'b'], dtype='<U1'), array([1, 0, 1]))
    """
    if y is None:
        raise DataError("requires y to be passed, but the target y is None.", "one label per row")
    if isinstance(y, Column):
        if y.missing.any():
            raise DataError(
                f"target {y.name!r}: {int(y.missing.sum())} of {len(y)} labels are missing.",
                "a label for every row",
                "Drop those rows: table.take(~table[target].missing).",
            )
        y = y.decoded()
    labels = y if type(y) is np.ndarray and y.ndim == 1 else column_or_1d(target_array(y, "labels"), warn=True)
    if (labels.dtype.kind == "f" and not np.isfinite(labels).all()) or (
        labels.dtype.kind in "mM" and np.isnat(labels).any()
    ):
        raise DataError("Input y contains NaN, NaT or infinity.", "a label for every row", "Drop those rows.")
    if labels.dtype.kind == "O" and set(map(type, labels.tolist())) != {str}:  # strings need no check
        absent = sum(map(is_absent, labels))
        if absent:
            raise DataError(f"{absent} of {len(labels)} labels are missing (NaN or None).", "a label for every row")
        check_size(labels, "y")
        types = {type(label).__name__ for label in labels.tolist()}
        if len({isinstance(label, str) for label in labels.tolist()}) > 1:
            raise DataError(
                f"labels of types {' and '.join(sorted(types))}.", "labels of one type", "Write all as strings."
            )
        check_classification_targets(labels)
    if len(labels) != n_rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows and y has {len(labels)}.",
            "one y per row",
        )
    classes, codes = _distinct(labels)
    # checking the distinct classes is enough; with more than twenty, scikit-learn warns if they are many for the labels
    whole = labels.dtype.kind in "biuU" or (labels.dtype.kind == "f" and bool((classes == np.floor(classes)).all()))
    if not whole or len(classes) > 20:
        check_classification_targets(classes if len(classes) <= 20 else labels)
    return classes, codes


def class_factors(
    class_weight: Any, classes: np.ndarray, codes: np.ndarray, weights: np.ndarray | None = None
) -> np.ndarray:
    """The weight of each class by a parameter ``class_weight``: None, "balanced" or a dict.

    Parameters
    ----------
    class_weight : the parameter.
    classes : the sorted classes.
    codes : the code of each row's class.
    weights : the weight of each row.

    Returns
    -------
    A factor for each class.

    >>> class_factors("balanced", np.array(["a", "b"]), np.array([0, 1, 1, 1]))
    array([2.        , 0.66666667])
    """
    if class_weight is None:
        return np.ones(len(classes))
    return compute_class_weight(class_weight, classes=classes, y=classes[codes], sample_weight=weights)


def target_array(y: Any, expected: str = "labels or numbers") -> np.ndarray:
    """A target as an array; a DataError if its container cannot be converted to one, or is the name of a column.

    Parameters
    ----------
    y : the target.
    expected : what it should have been, for the error.

    Returns
    -------
    The array.
    """
    if isinstance(y, str):
        hint = f"Use fit(table.drop({y!r}), table[{y!r}]); resample, compare, tune and study take target={y!r}."
        raise DataError(f"y={y!r}.", "the target of each row", hint)
    try:
        return np.asarray(collect(y))
    except Exception as error:
        raise DataError(f"the target cannot be read: {error}", f"one value per row, {expected}") from error


def is_absent(value: Any) -> bool:
    """Whether a value is None, NaN, NaT or the NA of pandas, whose comparisons are neither true nor false.

    >>> [is_absent(value) for value in (None, float("nan"), "nan", 0)]
    [True, True, False, False]
    """
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def _distinct(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``np.unique`` with codes; strings are coded with a dict, which is faster than sorting."""
    listed = labels.tolist() if labels.dtype.kind in "OU" else []
    if set(map(type, listed)) != {str}:
        return np.unique(labels, return_inverse=True)
    found = sorted(set(listed))
    code = {label: i for i, label in enumerate(found)}
    return np.array(found, labels.dtype), np.fromiter(map(code.__getitem__, listed), np.int64, len(listed))


def checked_numbers(y: Any, n_rows: int) -> np.ndarray:
    """A numeric target as float64, one value per row, none missing.

    Parameters
    ----------
    y : the target.
    n_rows : the number of rows that X has.

    Returns
    -------
    The numbers.

    >>> checked_numbers([1, 2], 2)
    array([1., 2.])
    """
    if type(y) is np.ndarray and y.shape == (n_rows,) and n_rows and y.dtype.kind in "fiu" and np.isfinite(y).all():
        return y.astype(np.float64, copy=False)  # full validation takes longer than a fit of few rows
    if y is None:
        raise DataError("requires y to be passed, but the target y is None.", "one number per row")
    if isinstance(y, Column):
        if not y.is_number_like:
            raise DataError(f"target {y.name!r} is {y.kind}.", "numbers", "Use a classifier for labels.")
        y = y.numbers_array()
    numbers = column_or_1d(target_array(y, "numbers"), warn=True)
    check_size(numbers, "y")
    refuse_labels(numbers)
    target = check_array(numbers, ensure_2d=False, dtype=np.float64, input_name="y")
    if len(target) != n_rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows and y has {len(target)}.",
            "one y per row",
        )
    return target


def check_size(values: np.ndarray, name: str) -> None:
    """Raise a DataError where a whole number is beyond the largest float.

    Parameters
    ----------
    values : the numbers.
    name : what they are called in the error.
    """
    if values.dtype.kind != "O":
        return
    longest = max((abs(value) for value in values.ravel() if type(value) is int), default=0)
    if longest > _LARGEST_FLOAT:
        raise DataError(
            f"{name} holds a number of {math.floor(math.log10(longest)) + 1} digits.",
            "numbers below 1.8e308",
            "Convert them to logarithms.",
        )


def refuse_labels(y: np.ndarray) -> None:
    """Raise a DataError where values are dates, or strings that are not numbers.

    Parameters
    ----------
    y : the target.
    """
    if y.dtype.kind in "mM" or (y.dtype.kind == "O" and any(isinstance(v, _TIMES) for v in y.ravel())):
        raise DataError(
            "the target is a date or a duration.",
            "numbers",
            "Convert it, for example to days since the first date: (y - y.min()) / numpy.timedelta64(1, 'D').",
        )
    if y.dtype.kind not in "OUS":
        return
    texts = (value for value in y.tolist() if isinstance(value, (str, bytes)))
    others = list(dict.fromkeys(value for value in texts if not _reads(value)))
    if others:
        raise DataError(
            f"the target has values that are not numbers: {', '.join(map(repr, others[:3]))}.",
            "numbers",
            "Use a classifier for labels.",
        )


def _reads(text: str | bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def checked_weights(sample_weight: Any, X: Any) -> np.ndarray | None:
    """Row weights as float64, None staying None: not negative, not all zero, one per row or one for all.

    Parameters
    ----------
    sample_weight : the weights: an array, a number for all rows, or None.
    X : the rows that they belong to.

    Returns
    -------
    The weights, or None.
    """
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Real):  # checked as an array: scikit-learn accepts NaN as a single number
        sample_weight = np.full(X.shape[0], float(sample_weight))
    if type(sample_weight) is np.ndarray and sample_weight.dtype == np.float64 and sample_weight.shape == X.shape[:1]:
        with np.errstate(all="ignore"):
            if 0.0 < sample_weight.sum() < np.inf and sample_weight.min() >= 0.0:
                return sample_weight  # quick check: boosting passes new weights for every small tree
    if isinstance(sample_weight, (list, tuple)):
        check_size(np.asarray(sample_weight), "sample_weight")
    try:
        return check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    except ValueError as error:
        raise DataError(str(error), "a weight for each row: 0 or more, not all of them 0") from None
