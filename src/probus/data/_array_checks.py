"""Arrays and sparse matrices as they come from outside, made safe for kernels, which check no index."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.errors import DataError

_EPOCH = np.datetime64("1970-01-01", "us")
_DAY = 86_400_000_000  # microseconds
_MICROSECONDS = {"ms": 1_000, "s": 1_000_000, "m": 60_000_000, "h": _DAY // 24, "D": _DAY, "W": 7 * _DAY}
_MICROSECONDS |= {"M": 31 * _DAY, "Y": 366 * _DAY}


def checked_array(X: Any) -> Any:
    """X unchanged, but a sparse matrix as ``checked_sparse``, and dates or durations in days as ``days_of``."""
    if hasattr(X, "tocsr"):  # SciPy is not imported for tables
        return checked_sparse(X)
    if type(X) is list:
        try:
            array = np.asarray(X)
        except ValueError:  # rows of different lengths, which validation explains
            return X
        return days_of(array) if array.dtype.kind in "mM" else X
    return days_of(X) if isinstance(X, np.ndarray) and X.dtype.kind in "mM" else X


def days_of(moments: np.ndarray, name: str = "") -> np.ndarray:
    """Dates as days since 1970-01-01, durations as days; NaT is NaN.

    Microseconds in 64 bits reach 292,000 years; beyond, it is an error that names the column.

    >>> days_of(np.array(["1970-01-03", "NaT"], "datetime64[D]"))
    array([ 2., nan])
    """
    missing = np.isnat(moments)
    unit, count = np.datetime_data(moments.dtype)
    coarser = _MICROSECONDS.get(unit, 0) * count
    known = moments[~missing].view(np.int64)
    if coarser and len(known) and max(-int(known.min()), int(known.max())) * coarser >= 2**63:
        raise too_far(name)
    spans = moments.astype("datetime64[us]") - _EPOCH if moments.dtype.kind == "M" else moments
    days = spans.astype("timedelta64[us]").astype(np.float64) / 86_400e6
    return np.where(missing, np.nan, days)


def too_far(name: str = "") -> DataError:
    """The error for dates that microseconds do not reach."""
    return DataError(
        f"column {name!r} holds dates or spans of more than 292,000 years." if name else "dates beyond 292,000 years.",
        "dates that 64 bits of microseconds since 1970 reach",
        "Replace them with missing values, or convert them to numbers of years.",
    )


def checked_sparse(X: Any) -> Any:
    """A sparse matrix whose indices are within its shape, sorted, each once; the caller's own is not changed.

    Entries of the same place are summed, as SciPy reads them.
    """
    if X.format in ("csr", "csc", "bsr"):
        _check_compressed(X)
    elif X.format == "coo":
        _check_within(X.coords[0], X.shape[0])
        _check_within(X.coords[-1], X.shape[-1])
    if X.format not in ("csr", "csc"):
        if len(X.shape) != 2:
            return X  # which validation refuses
        X = X.tocsr()
        _check_compressed(X)
    fresh = type(X)((X.data, X.indices, X.indptr), shape=X.shape, copy=False)  # has no flags of earlier contents
    if not fresh.has_canonical_format:
        fresh = fresh.copy()
        fresh.sum_duplicates()
    return fresh


def _check_compressed(X: Any) -> None:
    """Raise a DataError where the arrays of a CSR, CSC or BSR matrix do not describe one."""
    rows, columns = np.array(X.shape) // (X.blocksize if X.format == "bsr" else 1)
    major, minor = (columns, rows) if X.format == "csc" else (rows, columns)
    starts = X.indptr
    if len(starts) != major + 1 or starts[0] != 0 or (np.diff(starts) < 0).any():
        raise _format_error("indptr does not ascend from 0, with one entry per row and one more")
    if starts[-1] > min(len(X.indices), len(X.data)):
        raise _format_error(f"indptr ends at {starts[-1]} of {min(len(X.indices), len(X.data))} values")
    _check_within(X.indices[: starts[-1]], minor)


def _check_within(indices: np.ndarray, size: int) -> None:
    if len(indices) and not 0 <= indices.min() <= indices.max() < size:
        worst = indices.min() if indices.min() < 0 else indices.max()
        raise _format_error(f"it has an index {worst}, where 0 to {size - 1} is possible")


def _format_error(found: str) -> DataError:
    return DataError(
        f"the sparse matrix is damaged: {found}.",
        "indices within its shape",
        "Build it anew, for example with scipy.sparse.coo_array((values, (rows, columns)), shape).",
    )
