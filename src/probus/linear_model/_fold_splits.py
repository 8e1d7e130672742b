"""The folds of models that choose a penalty by cross-validation, with scikit-learn's metadata routing."""

from __future__ import annotations

from typing import Any

from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from probus.wrapping import refuse_params, routing_enabled


def fold_router(model: Any, *, classifier: bool) -> MetadataRouter:
    """The routing of a model whose ``fit`` passes metadata, such as ``groups``, to its splitter."""
    to_split = MethodMapping().add(caller="fit", callee="split")
    splitter = check_cv(model.cv, classifier=classifier)
    return MetadataRouter(owner=model).add_self_request(model).add(splitter=splitter, method_mapping=to_split)


def fold_splits(
    model: Any, X: Any, y: Any, params: dict[str, Any], *, classifier: bool, **own: Any
) -> list[tuple[Any, Any]]:
    """The training and test rows of each fold; ``own`` is the metadata that ``fit`` itself uses."""
    refuse_params(params, model, "fit")
    routed = process_routing(model, "fit", **params, **own)["splitter"]["split"] if routing_enabled() else {}
    return list(check_cv(model.cv, y, classifier=classifier).split(X, y, **routed))
