"""``python -m research.pilot_sizes``: how often the interval of ``test_size_for`` holds the number of rows needed.

Pilots of 50, 100 and 300 rows are drawn from the populations of ``research/populations.py``. What the number is comes
from a pilot of 200,000 rows. The method was chosen on those without a mark; nothing was chosen on the fresh ones.
"""

from __future__ import annotations

from zlib import crc32

import numpy as np

from probus.errors import DataError
from probus.metrics import test_size_for
from research.populations import CHOSEN_ON, FRESH, Population

METRICS = ("accuracy", "f1", "roc_auc", "log_loss", "rmse", "mae")
PILOTS = (50, 100, 300)
HALF_WIDTH = 0.03


def held(of: Population, rows: int, truth: int, replications: int) -> float:
    """Per cent of pilots whose interval holds the truth; pilots without a score are drawn again."""
    rng = np.random.default_rng([rows, crc32(f"{of.metric}, {of.what}".encode())])
    found: list[bool] = []
    while len(found) < replications:
        try:
            wanted = test_size_for(of.metric, HALF_WIDTH, y_true=of.sample(rng, rows), random_state=len(found))
        except DataError:
            continue
        assert wanted.low is not None
        assert wanted.high is not None
        found.append(wanted.low <= truth <= wanted.high)
    return 100 * float(np.mean(found))


def main(replications: int = 100) -> None:
    print("| measure | population | fresh | rows needed | interval holds them, per cent: 50 · 100 · 300 pilot rows |")
    print("|---|---|---|---|---|")
    for of in (*CHOSEN_ON, *FRESH):
        if of.metric not in METRICS or of.stratify or of.group_size > 1:
            continue
        truth = test_size_for(of.metric, HALF_WIDTH, y_true=of.sample(np.random.default_rng(3), 200_000)).n
        cells = " · ".join(f"{held(of, rows, truth, replications):.0f}" for rows in PILOTS)
        print(f"| {of.metric} | {of.what} | {'yes' if of.fresh else ''} | {truth:,} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
