"""How alike a forest finds rows: the share of its trees in which they come to the same leaf."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csc_array

from probus.ensemble.forest._leaf_sharing import LeafSharing, leaf_codes, memberships
from probus.ensemble.forest._training_rows import must_be_out_of_bag, must_be_training_rows, times_drawn
from probus.errors import DataError
from probus.tree.prediction import leaves_of

if TYPE_CHECKING:
    from probus.ensemble.forest._forest_base import Forest


KINDS = ("all", "oob", "gap")


def proximity(model: Forest, X: Any, Y: Any = None, *, kind: str = "all", sparse: bool = False) -> Any:
    """How alike the forest finds each row of X and each of Y."""
    shared = sharing_of(model, X, Y, kind=kind)
    return shared.sparse(model.n_jobs) if sparse else shared.dense(model.n_jobs)


def sharing_of(model: Forest, X: Any, Y: Any = None, *, kind: str = "all") -> LeafSharing:
    """Which rows share which leaves, weighed as the kind of proximity has it."""
    if kind not in KINDS:
        raise DataError(f"kind={kind!r}.", "one of " + ", ".join(map(repr, KINDS)))
    seen, others = model._seen(X), None if Y is None else model._seen(Y)
    here = leaves_of(model.trees_, seen, model.n_jobs)
    there = None if others is None else leaves_of(model.trees_, others, model.n_jobs)
    return {"all": _of_all_trees, "oob": _out_of_bag, "gap": _as_predicted}[kind](model, here, there)


def _of_all_trees(model: Forest, here: np.ndarray, there: np.ndarray | None) -> LeafSharing:
    n_nodes = len(model.trees_.feature)
    rows = memberships(here, n_nodes)
    others = rows if there is None else memberships(there, n_nodes)
    codes = leaf_codes(model.trees_, here, here if there is None else there)
    return LeafSharing(rows, csc_array(others), np.full(len(here), len(model.trees_)), codes=codes)


def _out_of_bag(model: Forest, here: np.ndarray, there: np.ndarray | None) -> LeafSharing:
    if there is not None:
        raise DataError("kind='oob' with other rows Y.", "the rows of the fit alone", "Leave Y out.")
    must_be_out_of_bag(model, len(here))
    unseen = times_drawn(model) == 0
    rows = memberships(here, len(model.trees_.feature), unseen)
    codes, both = leaf_codes(model.trees_, here, here, unseen), (unseen.astype(np.float32),) * 2
    return LeafSharing(rows, csc_array(rows), unseen.sum(axis=1), both, codes)


def _as_predicted(model: Forest, here: np.ndarray, there: np.ndarray | None) -> LeafSharing:
    n_nodes, fitted = len(model.trees_.feature), here if there is None else there
    (must_be_out_of_bag if there is None else must_be_training_rows)(model, len(fitted))
    drawn = times_drawn(model)
    size = np.bincount(fitted.ravel(), drawn.ravel(), n_nodes)
    others = csc_array(memberships(fitted, n_nodes, drawn / np.maximum(size, 1.0)[fitted]))
    compared = np.ones(here.shape, bool) if there is not None else drawn == 0
    return LeafSharing(memberships(here, n_nodes, compared), others, compared.sum(axis=1))
