"""A fit: from rows and a start value to trees, with callbacks after each round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from probus.callbacks import Callback, EarlyStopping
from probus.ensemble.boosting._binning import bins_of
from probus.ensemble.boosting._callbacks import Round
from probus.ensemble.boosting._iterations import GrownTree, Rounds
from probus.ensemble.boosting._memory_limit import check_memory
from probus.ensemble.boosting._plan import BoostingPlan
from probus.ensemble.boosting._rows import DesignRows
from probus.ensemble.boosting._threads import ThreadPool
from probus.ensemble.boosting._tree_assembly import trees_of
from probus.numba_seam.instructions import ATOMIC
from probus.parallel import thread_count
from probus.tree import Trees


def boosted(
    plan: BoostingPlan, rows: DesignRows, start: np.ndarray, n_rounds: int, *, max_bins: int, n_jobs: int | None,
    callbacks: Sequence[Callback] = (), before: Trees | None = None,
) -> Trees:  # fmt: skip
    """The trees of so many rounds, or fewer if a callback stops; ``before`` are trees of a fit that is continued."""
    design, k = rows.design, len(start)
    n, d = len(rows), design.X.shape[1]
    check_memory(plan, n, n_rounds, stops=any(isinstance(callback, EarlyStopping) for callback in callbacks))
    bins = bins_of(design, max_bins, n_jobs, at=rows.at)
    codes = bins.codes(design.X, n_jobs, rows.at)
    raw = rows.raw_predictions(start, before, n_jobs)
    done = 0 if before is None else len(before) // k
    grown: list[GrownTree] = []
    threads = thread_count(n_jobs, 20.0 * d * k * (n + 8_000))  # 31 histograms are like 8,000 rows
    with ThreadPool(threads if ATOMIC else 1) as pool:
        rounds = Rounds(plan, bins, codes, rows.y, rows.weight, raw, pool)
        for callback in callbacks:
            callback.begin(rounds)
        for trees in rounds.trees(n_rounds, first=done):
            grown += trees
            if callbacks:
                finished = Round(rounds, trees, bins, design.n_levels)
                stops = [callback.after(finished) for callback in callbacks]
                if any(stops):
                    break
    added = [trees_of(grown, bins, design.n_levels)] if grown else []
    return Trees.joined([*([] if before is None else [before]), *added])
