"""What a model is fitted on: the typed table, or the frame or array that the task was made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags

from probus.base import Model, accepts_of
from probus.data import Table, Task, is_frame, settle, warn_of_numbers
from probus.errors import DataError
from probus.pipeline import TabularPipeline, named_frame, tabular, takes_tables
from probus.preprocessing import AsTable
from probus.wrapping import libraries_of, must_have_tags, name_of, parts_of

# libraries whose models take numbers, or what their tags say
_DECLARED = frozenset({"probus", "sklearn", "xgboost", "lightgbm", "catboost"})


def prepared(model: Any, task: Task) -> Any:
    """The model ready for the rows that ``rows_for`` returns.

    - A model that selects columns, or that has a class of its own while the task was made of a frame or an array, is
      unchanged: it has its own preparation, and is given the rows as they were given.
    - A model of scikit-learn is given the frame that the task was made of where that holds only numbers it takes,
      scaled where the model needs it.
    - Any other is wrapped by ``tabular``, unless it or what it searches over already is.
    """
    if hasattr(model, "fit") and not isinstance(model, type):
        must_have_tags(model)
        _must_be_cloned(model)
    model = _with_sensitive(model, task)
    if not hasattr(model, "get_params") or isinstance(model, (type, TabularPipeline)) or _searches_tabular(model):
        ready = model if _searches_tabular(model) else tabular(model)
    elif selects_columns(model, task.features) or (task.given is not None and any(map(_foreign, parts_of(model)))):
        ready = model
    elif _takes_as_given(model, task):
        ready = _scale(model, type(task.given).__module__.partition(".")[0])
    else:
        ready = tabular(model)
    wrong = is_regressor(ready) if task.kind == "classification" else is_classifier(ready)
    if wrong:
        kind = "regressor" if task.kind == "classification" else "classifier"
        raise DataError(f"{name_of(ready)} is a {kind}.", f"a model for a {task.kind}, which {task.target!r} needs")
    return ready


def _with_sensitive(model: Any, task: Task) -> Any:
    """The model, with the sensitive columns of the task for those of its parts that need some and name none."""
    if not task.sensitive or not hasattr(model, "get_params") or isinstance(model, type):
        return model
    unnamed = [name for name, value in _sensitive_parameters(model) if value is None]
    return clone(model).set_params(**{name: list(task.sensitive) for name in unnamed}) if unnamed else model


def _sensitive_parameters(model: Any) -> Iterator[tuple[str, Any]]:
    """The parameters that name sensitive columns, of a model and of its parts, with their values."""
    params = model.get_params()
    owners = {"": model} | {f"{name}__": value for name, value in params.items()}
    for prefix, owner in owners.items():
        if getattr(owner, "names_sensitive", False) and not isinstance(owner, type):
            yield f"{prefix}sensitive", params[f"{prefix}sensitive"]


def _must_be_cloned(model: Any) -> None:
    """Raise where scikit-learn's ``clone``, which makes the model of each fold, refuses a model."""
    try:
        clone(model)
    except RuntimeError as error:
        changed = str(error).rpartition(" ")[2]
        value = model.get_params(deep=False).get(changed)
        hint = f"A tuple is not changed: {changed}={tuple(value)!r}." if isinstance(value, (list, np.ndarray)) else ""
        raise DataError(
            f"{name_of(model)} cannot be cloned: its constructor changes the parameter {changed!r}.",
            "a model of which sklearn.base.clone makes one for each fold",
            hint,
        ) from None


def rows_for(ready: Any, task: Task) -> Any:
    """The features that a prepared model is fitted on; phrases are text on all rows where a part treats them so."""
    phrases = any(isinstance(part, AsTable) and part.phrases for part in parts_of(ready))
    rows = features_for(ready, settle(task.X) if phrases else task.X, task.given)
    if isinstance(rows, Table):
        warn_of_numbers(task.X)
    return rows


def features_for(ready: Any, table: Table, given: Any = None) -> Any:
    """The table where ``tabular`` wraps the model; else the given rows, or the table as a frame."""
    wrapped = isinstance(ready, TabularPipeline) and takes_tables(ready)
    if wrapped or _searches_tabular(ready):
        return table
    return named_frame(table) if given is None else given


def selects_columns(model: Any, names: tuple[str, ...]) -> bool:
    """Whether some part of a model takes columns by name or by kind, so that it needs them as they are.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> selects_columns(make_pipeline(ColumnTransformer([("n", "passthrough", ["age"])]), LogisticRegression()), ())
    True
    """
    return any(_selects(part, names) for part in parts_of(model))


# -- what a model is made of ---------------------------------------------------------------------------


def _searches_tabular(model: Any) -> bool:
    return isinstance(getattr(model, "estimator", None), TabularPipeline)


def _selects(part: Any, names: tuple[str, ...]) -> bool:
    if isinstance(part, Model):
        return False  # takes tables
    if isinstance(part, (ColumnTransformer, FunctionTransformer)):
        return True
    if hasattr(part, "transform") and get_tags(part).input_tags.categorical:
        return True
    return any(_names_some(value, names) for value in part.get_params(deep=False).values())


def _names_some(value: Any, names: tuple[str, ...]) -> bool:
    """Whether a parameter is a list or a dict of names of columns."""
    listed = list(value) if isinstance(value, (list, tuple, set, Mapping, np.ndarray)) else []
    return bool(listed) and all(isinstance(each, str) and each in names for each in listed)


def _foreign(part: Any) -> bool:
    """Whether no class of a library whose tags are known defines how the part is fitted."""
    return not libraries_of(part) & _DECLARED


# -- numbers -------------------------------------------------------------------------------------------


def _takes_as_given(model: Any, task: Task) -> bool:
    """Whether a model of scikit-learn takes the frame unchanged: numbers, and missing values only if it takes them."""
    if not (is_frame(task.given) and "sklearn" in libraries_of(model)):
        return False
    import narwhals as nw

    dtypes = nw.from_native(task.given).schema.values()
    if not all(dtype.is_numeric() or isinstance(dtype, nw.Boolean) for dtype in dtypes):
        return False
    return accepts_of(model).missing or not any(column.missing.any() for column in task.X)


def _scale(model: Any, library: str) -> TabularPipeline:
    """The model, behind the scaling that ``tabular`` would put in front of it, which keeps the kind of frame."""
    scaling = [(name, step.set_output(transform=library)) for name, step in tabular(model).steps if name == "scale"]
    return TabularPipeline([*scaling, ("model", model)])
