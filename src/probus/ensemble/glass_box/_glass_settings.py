"""The parameters of a glass box, resolved: names of columns and pairs become positions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from probus.display import listed
from probus.ensemble.glass_box._bag_rounds import Rounds
from probus.ensemble.glass_box._glass_fit import GlassPlan
from probus.errors import DataError
from probus.losses import Loss
from probus.sklearn_seam import check_monotonic_cst

_RATE = 0.1
_LEVEL_L2 = 5.0
_LEAVES, _LEAF = 50, (2, 10)
_BAGS, _FEWER_BAGS, _MANY = 16, 8, 1_000  # rows, from which several classes have fewer


def glass_plan(model: Any, n: int, n_levels: np.ndarray, loss: Loss, seed: int) -> GlassPlan:
    """How to fit a model to n rows, of columns of which some have levels."""
    signs = check_monotonic_cst(model, model.monotone_constraints)
    signs = np.zeros(len(n_levels), np.int64) if signs is None else signs.astype(np.int64)
    if (signs[n_levels > 0] != 0).any():
        raise DataError("monotone_constraints of a nominal column.", "0 for columns without an order")
    if signs.any() and loss.n_outputs > 1:
        raise DataError("monotone_constraints for more than two classes.", "None", "Each class has a curve of its own.")
    names = column_names(model)
    left_out, excluded = _excluded(model.exclude, names)
    pairs, n_pairs = _wanted_pairs(model.interactions, names)
    for first, second in [] if pairs is None else pairs.tolist():
        clash = [j for j in (first, second) if signs[j] or j in left_out]
        if clash or (first, second) in excluded:
            raise DataError(
                f"the pair of {names[first]!r} and {names[second]!r} in interactions.",
                "columns and pairs that are not excluded, without monotone constraint",
            )
    rate = model.learning_rate or _RATE
    penalties = (model.reg_lambda, model.reg_lambda + _LEVEL_L2)
    leaf = model.min_samples_leaf or int(np.clip(n // _LEAVES, *_LEAF))
    size = (float(leaf), model.max_leaves)
    stop = (model.max_rounds, model.early_stopping_rounds)
    curves = Rounds(rate, *penalties, *size, model.smoothing_rounds, *stop)
    tables = replace(curves, smooth=0)  # of the best splits
    bags = model.outer_bags or (_FEWER_BAGS if loss.n_outputs > 1 and n >= _MANY else _BAGS)
    return GlassPlan(
        curves, tables, bags, model.max_bins, model.max_interaction_bins, signs, frozenset(left_out), pairs,
        n_pairs, frozenset(excluded), seed,
    )  # fmt: skip


def column_names(model: Any) -> list[str]:
    """The names of the columns of the fit; x0, x1, … of an array."""
    schema = getattr(model, "schema_", None)
    if schema is not None:
        return list(schema.names)
    names = getattr(model, "feature_names_in_", None)
    return [f"x{j}" for j in range(model.n_features_in_)] if names is None else [str(name) for name in names]


def column_of(column: Any, names: list[str]) -> int:
    """The position of a column given by name or position."""
    if isinstance(column, str) and column in names:
        return names.index(column)
    if isinstance(column, (int, np.integer)) and not isinstance(column, bool) and 0 <= column < len(names):
        return int(column)
    near = get_close_matches(str(column), names, 2)
    hint = f"Did you mean {listed(map(repr, near), 'or')}?" if near else ""
    raise DataError(f"no column {column!r}.", ", ".join(map(repr, names[:12])) + ", …" * (len(names) > 12), hint)


def pair_of(pair: Any, names: list[str]) -> tuple[int, int]:
    """The positions of a pair of columns, in order."""
    if isinstance(pair, str) or not isinstance(pair, Iterable) or len(list(pair)) != 2:
        raise DataError(f"{pair!r} in place of a pair.", "two columns, as ('age', 'income')")
    first, second = sorted(column_of(each, names) for each in pair)
    if first == second:
        raise DataError(f"a pair of {names[first]!r} with itself.", "two columns")
    return first, second


def _excluded(exclude: Any, names: list[str]) -> tuple[set[int], set[tuple[int, int]]]:
    columns, pairs = set(), set()
    for each in exclude or ():
        if isinstance(each, (list, tuple)):
            pairs.add(pair_of(each, names))
        else:
            columns.add(column_of(each, names))
    return columns, pairs


def _wanted_pairs(interactions: Any, names: list[str]) -> tuple[np.ndarray | None, int | None]:
    """Given pairs, or how many to choose; None for those beyond noise."""
    if isinstance(interactions, (list, tuple)):
        pairs = sorted({pair_of(each, names) for each in interactions})
        return np.array(pairs, np.int64).reshape(-1, 2), 0
    return None, None if interactions == "auto" else interactions or 0
