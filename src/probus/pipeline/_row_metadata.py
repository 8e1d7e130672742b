"""Values beside the rows: sample weights, groups, sensitive features and validation rows, and who takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import has_fit_parameter

from probus.base import checked_weights
from probus.data import Table, Task, collect
from probus.errors import DataError
from probus.sklearn_seam import num_samples
from probus.wrapping import groups_parameter, must_take_weights, routing_enabled, takes_weights, weights_parameter

PER_ROW = ("sample_weight", "groups", "sensitive_features")
VALIDATION = ("X_val", "y_val", "sample_weight_val")


@dataclass(frozen=True)
class GivenRows:
    """What ``fit`` was given: rows, target, values per row, validation rows, and parameters of single parts."""

    X: Any
    y: Any
    per_row: Mapping[str, Any]
    validation: Mapping[str, Any]
    others: Mapping[str, Any]


def split_given(X: Any, y: Any, params: Mapping[str, Any], owner: str) -> GivenRows:
    """The parameters of ``fit`` by their meaning; a Task brings its target, weights, groups and sensitive columns.

    >>> given = split_given([[1.0]], [2.0], {"sample_weight": [3.0], "tree__check_input": True}, "Sequence")
    >>> given.per_row, given.others
    ({'sample_weight': array([3.])}, {'tree__check_input': True})
    """
    per_row = {name: params[name] for name in PER_ROW if params.get(name) is not None}
    X = collect(X)
    if isinstance(X, Task):
        X, y, per_row = _of_task(X, y, per_row)
    if type(X) is dict:
        X = Table.of(X, infer=False)
    if "sample_weight" in per_row:
        per_row["sample_weight"] = checked_weights(per_row["sample_weight"], np.empty((num_samples(X), 0)))
    validation = {name: params[name] for name in VALIDATION if params.get(name) is not None}
    if validation and not {"X_val", "y_val"} <= validation.keys():
        raise DataError(f"{' and '.join(validation)} without the others.", "X_val and y_val, both or neither")
    others = {name: value for name, value in params.items() if name not in (*PER_ROW, *VALIDATION)}
    strange = [name for name in others if "__" not in name]
    if strange:
        raise DataError(
            f"{owner}.fit does not accept the parameter {strange[0]!r}.",
            ", ".join((*PER_ROW, *VALIDATION)) + ", or name__parameter for one part",
        )
    return GivenRows(X, y, per_row, validation, others)


def _of_task(task: Task, y: Any, per_row: dict[str, Any]) -> tuple[Any, Any, dict[str, Any]]:
    if y is not None or per_row:
        raise DataError("a Task together with y, weights or groups.", "a Task alone, or X and y")
    sensitive = task.table.select(*task.sensitive) if task.sensitive else None
    roles = {"sample_weight": task.sample_weight, "groups": task.groups, "sensitive_features": sensitive}
    return task.X, task.y, {name: value for name, value in roles.items() if value is not None}


def given_to(part: Any, per_row: Mapping[str, Any], *, last: bool) -> dict[str, Any]:
    """The values that the ``fit`` of a part takes, under its names for them.

    A model at the end must take sample weights where there are any; a transformer may ignore them.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> given_to(GaussianNB(), {"sample_weight": [1.0], "groups": ["a"]}, last=True)
    {'sample_weight': [1.0]}
    """
    if last and "sample_weight" in per_row and not weights_allowed(part):
        must_take_weights([part])
    names = {name: _PARAMETERS.get(name, partial(_own, name=name))(part) for name in per_row}
    return {parameter: per_row[name] for name, parameter in names.items() if parameter is not None}


def routed(owner: Any, per_row: Mapping[str, Any]) -> dict[str, dict[str, Any]] | None:
    """What each part requests, by its name, where scikit-learn's metadata routing is enabled; else None."""
    if not routing_enabled():
        return None
    shares = process_routing(owner, "fit", **per_row)
    return {name: dict(share["fit"]) for name, share in shares.items()}


def router_of(owner: Any, named: Iterable[tuple[str, Any]]) -> MetadataRouter:
    """A router that passes the parameters of ``fit`` to the parts that request them."""
    router, to_fit = MetadataRouter(owner=owner), MethodMapping().add(caller="fit", callee="fit")
    for name, part in named:
        if not isinstance(part, str):
            router.add(method_mapping=to_fit, **{name: part})
    return router


def weights_allowed(part: Any) -> bool:
    """Whether a part at the end takes sample weights, or is a transformer, which may ignore them."""
    return isinstance(part, str) or not (is_classifier(part) or is_regressor(part)) or takes_weights(part)


_PARAMETERS = {"sample_weight": weights_parameter, "groups": groups_parameter}


def _own(part: Any, name: str) -> str | None:
    passes_on = name in getattr(part, "passes_on", ())
    return name if passes_on or has_fit_parameter(part, name) else None
