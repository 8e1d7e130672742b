"""``PROBUS_BENCH_DATA=folder python -m research.averaged_boosting [--tables judging] [--models 4]``.

What the mean of several models gains. Boosting with its defaults, one model and the mean of several (``n_models``), is
fitted on one half of each table and scored on the other (log loss or RMSE), with several seeds. That four are worth
their time was seen on the tables of ``CHOOSING`` of ``research.space_gains``; those of ``JUDGING`` judge it.
"""

from __future__ import annotations

import time
import warnings
from argparse import ArgumentParser

import numpy as np
from sklearn.metrics import log_loss

from probus.ensemble import BoostingClassifier, BoostingRegressor
from research.space_gains import CHOOSING, JUDGING, tables
from research.tables import Real as Table

_MOST_ROWS = 40_000


def loss_and_seconds(table: Table, n_models: int, seed: int) -> tuple[float, float]:
    """The loss on the half that was not fitted, and the seconds of the fit."""
    order = np.random.default_rng(seed).permutation(len(table.y))[:_MOST_ROWS]
    train, test = np.array_split(order, 2)
    y = table.y.astype(str) if table.classes else table.y
    model = (BoostingClassifier if table.classes else BoostingRegressor)(n_models=n_models, random_state=seed)
    started = time.perf_counter()
    model.fit(table.X.iloc[train], y[train])
    spent = time.perf_counter() - started
    if isinstance(model, BoostingRegressor):
        return float(np.sqrt(np.mean((model.predict(table.X.iloc[test]) - y[test]) ** 2))), spent
    known = np.isin(y[test], model.classes_)  # a class of one row is in one half only
    return float(log_loss(y[test][known], model.predict_proba(table.X.iloc[test[known]]), labels=model.classes_)), spent


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--tables", choices=("choosing", "judging"), default="judging")
    parser.add_argument("--models", type=int, default=4)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"| table | rows | loss of one | of {options.models} | gain | times as long |")
    print("|---" * 6 + "|")
    gains = []
    for table in tables(JUDGING if options.tables == "judging" else CHOOSING):
        runs = np.array(
            [[loss_and_seconds(table, n, seed) for n in (1, options.models)] for seed in range(options.seeds)]
        )
        (one, spent), (several, longer) = runs.mean(axis=0)
        gains.append(1 - several / one)
        rows = min(len(table.y), _MOST_ROWS) // 2
        print(
            f"| {table.name} | {rows:,} | {one:.4f} | {several:.4f} | {gains[-1]:+.2%} | {longer / spent:.1f} |",
            flush=True,
        )
    better = sum(gain > 0 for gain in gains)
    print(f"| **all** | | | | mean {np.mean(gains):+.2%}, better on {better} of {len(gains)} | |")


if __name__ == "__main__":
    main()
