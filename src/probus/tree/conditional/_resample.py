"""P-values by permuting the response, for all columns at once (Westfall and Young 1993, min-P)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from probus.parallel import chunked, thread_count

_BATCH = 128  # permutations per random stream, independent of the number of threads
_ROUNDING = 1e-9


def minimum_pvalues(
    log_p: np.ndarray,
    log_p_of: Callable[[np.ndarray], np.ndarray],
    answers: np.ndarray,
    n_resamples: int,
    seed: np.random.SeedSequence,
) -> np.ndarray:
    """The share of permutations in which the smallest p-value of all columns is at most that of each column.

    Permuting the response keeps the dependence between columns, so that the adjustment is not conservative. The
    observed data count as one of the permutations.

    log_p : of each column, as observed. answers : the row whose response each case has. log_p_of : for rows of such
    answers, the p-values of the columns.
    """
    streams = seed.spawn(-(-n_resamples // _BATCH))
    smallest = np.empty(n_resamples)

    def shuffled(start: int, stop: int) -> None:
        rng = np.random.default_rng(streams[start // _BATCH])
        shuffles = rng.permuted(np.tile(answers, (stop - start, 1)), axis=1)
        smallest[start:stop] = np.fmin.reduce(log_p_of(shuffles), axis=1, initial=0.0)

    chunked(shuffled, n_resamples, thread_count(None, 10.0 * n_resamples * len(answers) * len(log_p)), chunk=_BATCH)
    as_small = smallest[:, None] <= log_p * (1.0 - _ROUNDING)
    return np.where(np.isnan(log_p), np.nan, (1 + as_small.sum(axis=0)) / (1 + n_resamples))
