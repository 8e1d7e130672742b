"""Bootstrap intervals against loops over scikit-learn's functions and against SciPy's bootstrap."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy import stats
from sklearn import metrics

from benchmarks.measure import Contest, peak_memory
from probus.metrics import Outcome, estimate, measure
from probus.metrics.bootstrap import resampled_values

N, RESAMPLES = 100_000, 2000
NAMES = ("roc_auc", "average_precision", "f1", "log_loss")
SHARE = 20  # of the resamples, for peers whose time is strictly proportional to their number

_MEMORY = """
import numpy as np
from probus.metrics import estimate
rng = np.random.default_rng(0)
y = (rng.random(100_000) < 0.3).astype(int)
p = 1 / (1 + np.exp(-rng.normal(size=100_000) - 2 * y + 1))
estimate(["roc_auc", "average_precision", "f1", "log_loss"], y, p, method="bca", random_state=0)
"""


def contests() -> Iterator[Contest]:
    rng = np.random.default_rng(0)
    y = (rng.random(N) < 0.3).astype(np.int64)
    p = 1 / (1 + np.exp(-rng.normal(size=N) - 2 * y + 1))
    outcome = Outcome.of(y, p, needs="probabilities")
    measures = [measure(name) for name in NAMES]
    yield Contest(
        f"{RESAMPLES:,} resamples of AUC, average precision, F1 and log loss, {N:,} rows",
        lambda: resampled_values(measures, outcome, RESAMPLES // SHARE, random_state=0),
        f"scikit-learn's functions in a loop (both 1/{SHARE} of the resamples)",
        lambda: loop(y, p, RESAMPLES // SHARE),
        50,
        lambda a, b: f"standard errors {a.std(axis=1).round(5)} and {b.std(axis=1).round(5)}, {memory()}",
        rounds=2,
    )
    loss = np.abs(y - p)
    for n_jobs, on in ((None, "all cores"), (1, "one core")):
        yield Contest(
            f"percentile interval of a mean, {RESAMPLES:,} resamples, {N:,} rows, {on}",
            partial(mean_interval, loss, n_jobs),
            "SciPy's bootstrap, vectorised, in batches of 100",
            partial(scipys_interval, loss),
            10,
            lambda a, b: f"{a[0]:.5f} to {a[1]:.5f} and {b[0]:.5f} to {b[1]:.5f}",
            rounds=3,
        )


def loop(y: np.ndarray, p: np.ndarray, n_resamples: int) -> np.ndarray:
    rng, values = np.random.default_rng(0), []
    for _ in range(n_resamples):
        rows = rng.integers(0, len(y), len(y))
        truth, chance = y[rows], p[rows]
        values.append(
            (
                metrics.roc_auc_score(truth, chance),
                metrics.average_precision_score(truth, chance),
                metrics.f1_score(truth, chance > 0.5),
                metrics.log_loss(truth, chance),
            )
        )
    return np.array(values).T


def mean_interval(loss: np.ndarray, n_jobs: int | None) -> tuple[float, float]:
    how = {"method": "percentile", "n_resamples": RESAMPLES, "random_state": 0, "n_jobs": n_jobs}
    found = estimate("mae", loss, np.zeros(N), **how)
    return found.low, found.high


def scipys_interval(loss: np.ndarray) -> tuple[float, float]:
    """All at once, as is its default, it would need 3 GB."""
    how = {"method": "percentile", "vectorized": True, "batch": 100, "rng": 0}
    found = stats.bootstrap((loss,), np.mean, n_resamples=RESAMPLES, **how).confidence_interval
    return found.low, found.high


def memory() -> str:
    return f"{peak_memory(_MEMORY):.0f} MB for BCa intervals of all four, imports and data included"
