"""The memory of a fit, refused before it begins if the machine has too little: it grows with the number of classes."""

from __future__ import annotations

import os

from probus.ensemble.boosting._plan import BoostingPlan
from probus.errors import DataError

_PER_OUTPUT = 32  # bytes of a row for each output: raw prediction, gradient, hessian, and one to compute with
_PER_NODE = 300  # bytes of a node while trees are collected and assembled
_STOPPED = 500  # rounds that are counted if boosting may stop early


def check_memory(plan: BoostingPlan, n_rows: int, n_rounds: int, *, stops: bool) -> None:
    """Raise a DataError if a fit would need more than half of the memory of the machine."""
    k, limit = plan.loss.n_outputs, _physical_memory() // 2
    rounds = min(n_rounds, _STOPPED) if stops else n_rounds
    leaves = max(1, min(plan.max_leaves or n_rows, 2 ** min(plan.max_depth or 40, 40), n_rows // plan.min_samples_leaf))
    rows, trees = _PER_OUTPUT * n_rows * k, _PER_NODE * rounds * k * (2 * leaves - 1)
    if k > 1 and limit and rows + trees > limit:
        raise DataError(
            f"{k:,} classes need {_gigabytes(rows)} of memory for the gradients of {n_rows:,} rows and "
            f"{_gigabytes(trees)} for {rounds * k:,} trees of up to {leaves:,} leaves.",
            f"at most {_gigabytes(limit)}, half of the memory of this machine",
            "Merge rare classes, use fewer rounds or leaves, or use RandomForestClassifier.",
        )


def _physical_memory() -> int:
    """Bytes of memory, or 0 where the system does not report them."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 0


def _gigabytes(size: float) -> str:
    return f"{size / 2**30:.1f} GB"
