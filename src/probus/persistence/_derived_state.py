"""Fitted attributes of scikit-learn's classes that follow from others: never read from a file, but computed again."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np

from probus.errors import ModelFileError

_MOST_COLUMNS = 1_000_000  # of polynomials: a forged degree must not fill the memory
_MOST_FACTORS = 4_000_000  # of all of them, and the highest degree: nor take hours to name them
_HIGHEST = 1_000


def of_one_hot(encoder: Any) -> None:
    """The categories that are grouped or dropped, and the number of columns for each feature."""
    _group_infrequent(encoder, {})
    encoder._set_drop_idx()
    encoder._n_features_outs = encoder._compute_n_features_outs()


def of_ordinal(encoder: Any) -> None:
    """The categories that are grouped, and those that mean missing."""
    last = {place: len(found) - 1 for place, found in enumerate(encoder.categories_) if _is_nan(found[-1])}
    encoder._missing_indices = last
    _group_infrequent(encoder, last)


def of_target_encoder(encoder: Any) -> None:
    """Whether the encodings have the lengths of the categories."""
    encoder._infrequent_enabled = False
    n_outputs = len(encoder.classes_) if encoder.target_type_ == "multiclass" else 1
    expected = [len(found) for found in encoder.categories_ for _ in range(n_outputs)]
    if [len(each) for each in encoder.encodings_] != expected:
        raise ModelFileError("TargetEncoder.encodings_ of other lengths.", "one number for each category")


def _is_nan(value: Any) -> bool:
    return isinstance(value, Real) and value != value


def _group_infrequent(encoder: Any, missing: dict[int, int]) -> None:
    """How codes of categories become codes with infrequent categories as the last one."""
    encoder._check_infrequent_enabled()
    if not encoder._infrequent_enabled:
        return
    mappings: list[np.ndarray | None] = []
    encoder._default_to_infrequent_mappings = mappings
    for place, (found, infrequent) in enumerate(zip(encoder.categories_, encoder._infrequent_indices, strict=True)):
        n = len(found) - (place in missing)
        if infrequent is None:
            mappings.append(None)
            continue
        if len(infrequent) == 0 or infrequent.max() >= n or len(np.unique(infrequent)) < len(infrequent):
            raise ModelFileError("infrequent categories that are not among the categories.", f"indices below {n}")
        mapping = np.full(n, n - len(infrequent), dtype=np.int64)
        mapping[np.setdiff1d(np.arange(n), infrequent)] = np.arange(n - len(infrequent))
        mappings.append(mapping)


def of_polynomials(features: Any) -> None:
    """The degrees and the number of columns, which is limited."""
    degree, d = features.degree, features.n_features_in_
    low, high = degree if isinstance(degree, (tuple, list)) else (0, degree)
    if not all(type(each) is int for each in (low, high)) or not 0 <= low <= high:
        raise ModelFileError(f"PolynomialFeatures(degree={degree!r:.40}).", "whole numbers, not negative")
    top = min(high, d) if features.interaction_only else high
    count = math.lgamma(d + top + 1) - math.lgamma(d + 1) - math.lgamma(top + 1)  # log of the binomial coefficient
    most = math.log(min(_MOST_COLUMNS, _MOST_FACTORS / (top + 1)))
    if high > _HIGHEST or d > _MOST_COLUMNS or count > most:
        found = f"polynomials of degree {high} of {d} columns."
        raise ModelFileError(found, f"a degree of at most {_HIGHEST:,}, and at most {_MOST_COLUMNS:,} of them")
    features._min_degree, features._max_degree = low, high
    options = {"interaction_only": features.interaction_only, "include_bias": features.include_bias}
    counted = features._num_combinations(n_features=d, min_degree=low, max_degree=high, **options)
    features.n_output_features_ = int(counted)
    features._n_out_full = int(features._num_combinations(n_features=d, min_degree=0, max_degree=high, **options))


def of_bins(discretizer: Any) -> None:
    """Whether there is one more edge than there are bins, and the encoder has as many categories as bins."""
    n_bins = discretizer.n_bins_
    if [len(edges) for edges in discretizer.bin_edges_] != (n_bins + 1).tolist() or n_bins.min() < 1:
        raise ModelFileError("KBinsDiscretizer.bin_edges_ of other lengths.", "one edge more than bins")
    encoder = discretizer.__dict__.get("_encoder")
    if (encoder is None) != (discretizer.encode == "ordinal"):
        raise ModelFileError("KBinsDiscretizer with an encoder for ordinal codes, or without.", "one for one-hot codes")
    if encoder is not None and [len(each) for each in encoder.categories_] != n_bins.tolist():
        raise ModelFileError("KBinsDiscretizer with an encoder of other bins.", "a category for each bin")


def of_column_transformer(transformer: Any) -> None:
    """The positions of the columns of each transformer."""
    names = transformer.__dict__.get("feature_names_in_")
    d = transformer.n_features_in_
    if len({name for name, _, _ in transformer.transformers_}) < len(transformer.transformers_):
        raise ModelFileError("ColumnTransformer with two transformers of one name.", "unique names")
    places = {name: _positions(columns, names, d) for name, _, columns in transformer.transformers_}
    own = [each for each in transformer.transformers_ if each[0] != "remainder"]
    if [name for name, _, _ in own] != [name for name, _, _ in transformer.transformers]:
        raise ModelFileError("ColumnTransformer fitted with other transformers.", "those of its parameters")
    transformer._columns = [columns for _, _, columns in own]
    rest: Any = next((columns for name, _, columns in transformer.transformers_ if name == "remainder"), [])
    transformer._transformer_to_input_indices = {**places, "remainder": places.get("remainder", [])}
    transformer._remainder = ("remainder", transformer.remainder, rest)
    if transformer.output_indices_.keys() != places.keys() | {"remainder"}:
        raise ModelFileError("ColumnTransformer.output_indices_ of other names.", "those of its transformers")


def _positions(columns: Any, names: np.ndarray | None, d: int) -> list[int]:
    """Columns given by name, position, mask or slice as positions."""
    if isinstance(columns, slice):
        chosen = range(d)[_positional(columns, names)]
        if len(chosen) > _MOST_COLUMNS:
            raise ModelFileError(f"ColumnTransformer with {len(chosen):,} columns.", f"at most {_MOST_COLUMNS:,}")
        return list(chosen)
    cells = columns.tolist() if isinstance(columns, np.ndarray) else columns
    if isinstance(cells, list) and cells and all(type(each) is bool for each in cells):
        cells = np.flatnonzero(cells).tolist()
    listed = [cells] if isinstance(cells, (str, int)) else list(cells)
    known = {} if names is None else {name: place for place, name in enumerate(names.tolist())}
    places = [known.get(each) if isinstance(each, str) else _position(each, d) for each in listed]
    if any(place is None for place in places):
        raise ModelFileError(f"ColumnTransformer with the columns {columns!r:.60}.", "columns of the fit")
    return places  # type: ignore[return-value]


def _position(each: Any, d: int) -> int | None:
    if not isinstance(each, (int, np.integer)) or isinstance(each, bool) or not -d <= each < d:
        return None
    return int(each) % d


def _positional(columns: slice, names: np.ndarray | None) -> slice:
    if not isinstance(columns.start, str) and not isinstance(columns.stop, str):
        return columns
    listed = [] if names is None else names.tolist()
    start = listed.index(columns.start) if columns.start is not None else None
    stop = listed.index(columns.stop) + 1 if columns.stop is not None else None  # labels include the last
    return slice(start, stop, columns.step)
