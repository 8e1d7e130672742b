"""Members of an ensemble, whatever models they are: what they take, how they are fitted, what they say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel
from sklearn.utils.validation import has_fit_parameter, validate_data

from probus.base import Accepts, Model, accepts_of, matrix_input, table_input
from probus.data import Table
from probus.data.frames import is_frame
from probus.errors import DataError

__all__ = [
    "accepted_by_all",
    "answer",
    "columns_of",
    "entered",
    "fitted_member",
    "must_take_weights",
    "parallel",
    "rows_of",
    "seeded",
    "takes_weights",
    "written",
]

_METHODS = ("predict_proba", "decision_function", "predict")


def written(models: Iterable[Any]) -> str:
    """What each of some models can be asked, for messages.

    >>> from sklearn.svm import LinearSVC
    >>> written([LinearSVC()])
    'LinearSVC has decision_function and predict'
    """
    told = []
    for model in models:
        has = [method for method in _METHODS if hasattr(model, method)]
        told.append(f"{type(model).__name__} has {' and '.join(has) or 'none of ' + ', '.join(_METHODS)}")
    return "; ".join(told)


# -- what they take ------------------------------------------------------------------------------------


def accepted_by_all(models: Iterable[Any]) -> Accepts:
    """What every one of the models takes.

    >>> from probus.tree import DecisionTreeClassifier
    >>> from probus.naive_bayes import GaussianNB
    >>> print(accepted_by_all([DecisionTreeClassifier(), GaussianNB()]))
    numeric columns, sample weights
    """
    models = list(models)
    each = [_accepted_by(model) for model in models]
    return Accepts(
        nominal=all(accepts.nominal for accepts in each),
        text=all(accepts.text for accepts in each),
        missing=all(accepts.missing for accepts in each),
        sparse=all(accepts.sparse for accepts in each),
        weights=all(takes_weights(model) for model in models),
        negative=all(accepts.negative for accepts in each),
        scaled=any(accepts.scaled for accepts in each),
    )


def _accepted_by(model: Any) -> Accepts:
    """What a model takes; a pipeline takes what its first step does."""
    while hasattr(model, "steps") and model.steps:
        model = next((step for _, step in model.steps if step not in (None, "passthrough")), None)
    return accepts_of(model)


def takes_weights(model: Any) -> bool:
    """Whether ``fitted_member`` can hand weights of rows to that model."""
    return _weights_parameter(model) is not None


def _weights_parameter(model: Any) -> str | None:
    """What the ``fit`` of a model calls the weights of rows."""
    if isinstance(model, Model):
        return "sample_weight" if model.accepts.weights else None
    if has_fit_parameter(model, "sample_weight"):
        return "sample_weight"
    if hasattr(model, "steps"):
        name, last = model.steps[-1]
        inner = _weights_parameter(last)
        return inner and f"{name}__{inner}"
    return "sample_weight" if hasattr(model, "estimator") and takes_weights(model.estimator) else None


def must_take_weights(models: Iterable[Any]) -> None:
    """Raise, naming them, unless all of the models take weights of rows."""
    lacking = [type(model).__name__ for model in models if not takes_weights(model)]
    if lacking:
        raise DataError(
            f"sample_weight is given, and {', '.join(lacking)} does not support sample weights.",
            "models that take them, all of them",
            "Leave the weights out, or choose other models.",
        )


# -- data ----------------------------------------------------------------------------------------------


def entered(ensemble: Model, X: Any, *, reset: bool) -> Any:
    """X as the members will see it, checked against the columns of the fit.

    Where all members take levels, what has kinds becomes a Table once, so that all know the same levels. Otherwise
    numbers stay as they are, a Table of numbers becomes a matrix, and a frame stays a frame.
    """
    if reset and hasattr(ensemble, "schema_"):
        del ensemble.schema_
    typed = ensemble.accepts.nominal
    if typed and _has_kinds(X) if reset else hasattr(ensemble, "schema_"):
        return table_input(ensemble, X.toarray() if issparse(X) else X, reset=reset)
    if isinstance(X, Table) or type(X) is dict or (typed and is_frame(X)):
        return matrix_input(ensemble, X, reset=reset)
    if is_frame(X):
        return validate_data(ensemble, X, reset=reset, skip_check_array=True)
    sparse = ["csr", "csc"] if ensemble.accepts.sparse else False
    array = validate_data(ensemble, X, reset=reset, dtype=None, accept_sparse=sparse, ensure_all_finite=False)
    return _numbers(array) if array.dtype.kind == "O" else array


def _numbers(cells: np.ndarray) -> np.ndarray:
    """Numbers that came as objects as numbers, so that no member takes them for levels; strings as they are."""
    try:
        return cells.astype(np.float64)
    except ValueError:
        return cells


def _has_kinds(X: Any) -> bool:
    if isinstance(X, np.ndarray):
        return X.dtype.kind in "OUS"
    return isinstance(X, Table) or type(X) is dict or is_frame(X)


def rows_of(X: Any, rows: np.ndarray) -> Any:
    """Those rows of a table, a frame or a matrix."""
    return X.take(rows) if isinstance(X, Table) else _safe_indexing(X, rows, axis=0)


def columns_of(X: Any, columns: np.ndarray) -> Any:
    """Those columns of a table, a frame or a matrix; one that a Table holds twice gets a name of its own."""
    if len(columns) == X.shape[1] and np.array_equal(columns, np.arange(len(columns))):
        return X
    if not isinstance(X, Table):
        return _safe_indexing(X, columns, axis=1)
    taken: dict[str, Any] = {}
    for column in (X.columns[j] for j in columns):
        name = column.name
        while name in taken:
            name += "'"
        taken[name] = column.renamed(name)
    return Table(taken.values(), origin=X.origin)


# -- fitting and asking --------------------------------------------------------------------------------


def parallel(models: Iterable[Any], n_jobs: int | None, verbose: int = 0) -> Parallel:
    """Runs jobs on these models and yields what they return, in order; on threads where our kernels do the work."""
    prefer = "threads" if all(isinstance(model, Model) for model in models) else None
    return Parallel(n_jobs=n_jobs, prefer=prefer, verbose=verbose, return_as="generator")


def seeded(model: Any, seed: int) -> Any:
    """A clone whose random states, its parts' too, are drawn from the seed."""
    member, rng = clone(model), np.random.RandomState(seed)
    names = sorted(name for name in member.get_params() if name.rpartition("__")[2] == "random_state")
    return member.set_params(**{name: rng.randint(np.iinfo(np.int32).max) for name in names})


def fitted_member(member: Any, X: Any, y: np.ndarray, weights: np.ndarray | None) -> Any:
    """The member, fitted; weights must be None where it takes none.

    Rows that weigh nothing are left out, since not every model takes them for absent.
    """
    if weights is None:
        member.fit(X, y)
        return member
    if not weights.all():
        there = np.flatnonzero(weights)
        X, y, weights = rows_of(X, there), y[there], weights[there]
    member.fit(X, y, **{_weights_parameter(member) or "sample_weight": weights})
    return member


def answer(member: Any, method: str, X: Any, labels: np.ndarray | None) -> np.ndarray:
    """What a fitted member says about rows, one column for each of the labels where it gives chances.

    A classifier's labels come back as their places among ``labels``. A label that it was not shown has no chance.

    >>> from probus.dummy import ZeroRClassifier
    >>> few = ZeroRClassifier().fit([[0], [0]], ["a", "c"])
    >>> answer(few, "predict_proba", [[0]], np.array(["a", "b", "c"]))
    array([[0.5, 0. , 0.5]])
    """
    said = np.asarray(getattr(member, method)(X))
    if labels is None or not is_classifier(member):
        return said
    if method == "predict":
        return np.searchsorted(labels, said)
    known = np.asarray(getattr(member, "classes_", labels))
    _must_be_among(known, labels, member)
    if len(known) == len(labels):
        return said
    if method == "decision_function":
        raise DataError(
            f"{type(member).__name__} was shown {len(known)} of {len(labels)} classes: its decision_function cannot be "
            "put beside those of others.",
            "all classes in the rows of every member",
            "Use predict_proba, or give each member more rows.",
        )
    aligned = np.zeros((len(said), len(labels)))
    aligned[:, np.searchsorted(labels, known)] = said
    return aligned


def _must_be_among(known: np.ndarray, labels: np.ndarray, member: Any) -> None:
    strange = [label for label in known.tolist() if label not in labels]
    if strange:
        raise DataError(f"{type(member).__name__} knows the class {strange[0]!r}.", f"those of y: {labels.tolist()}")
