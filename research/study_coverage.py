"""``python -m research.study_coverage [--rows 250] [--times 100]``: how often a study's interval holds the truth.

Small samples are drawn from large tables, so that the truth is known from the rest. On each sample families are
compared as a study does it, by 5-fold cross-validation, and the best is fitted on the whole sample. Counted is how
often its 95 % interval holds its score on the rest (the truth), how often the intervals of all families do, and how
often that of the best holds its score on as many other rows as the sample has. The last is what halves of a small table
show: the score of the other half varies as much as the estimate does, so an exact interval of 95 % would hold it in
about 83 %. Correction is what a study says that choosing the best adds to its score, excess by how much the score was
too good.
"""

from __future__ import annotations

import argparse
import os
import warnings
from pathlib import Path

import numpy as np

from probus.data import Task
from probus.lifecycle._families import families
from probus.lifecycle._selection_bias import selection_bias
from probus.metrics import measure
from probus.model_selection import resample, splits_of
from probus.pipeline import tabular
from probus.tree import DecisionTreeRegressor
from research.tables import TABLES, Real, read_table

FOLDER = Path(os.environ.get("PROBUS_BENCH_DATA", "../shared/data"))
NAMED = ("california_housing.parquet", "casp.parquet")
FAMILIES = ("Ridge regression", "Nearest neighbours")  # as a study tries them, and trees, which take no time
TREES = {"tree": DecisionTreeRegressor(min_samples_leaf=5), "small tree": DecisionTreeRegressor(max_depth=4)}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=250)
    options.add_argument("--times", type=int, default=100)
    chosen = options.parse_args()
    warnings.simplefilter("ignore")
    print("| table | rows | samples | best, truth | any family, truth | best, other rows | correction | excess |")
    print("|---" * 8 + "|")
    for file, target, left_out, classes in TABLES:
        if file in NAMED:
            print(line(read_table(FOLDER, file, target, left_out, classes), chosen.rows, chosen.times), flush=True)


def line(table: Real, n: int, times: int) -> str:
    """The shares over many samples of a table."""
    found = np.array([sample(table, n, seed) for seed in range(times)])
    shares = found.mean(axis=0)
    words = [f"{100 * share:.0f} %" for share in shares[:3]] + [f"{value:.3f}" for value in shares[3:]]
    return f"| {' | '.join([table.name, str(n), str(times), *words])} |"


def sample(table: Real, n: int, seed: int) -> tuple[float, ...]:
    """What one sample shows; see the head of the table."""
    order = np.random.default_rng(seed).permutation(len(table.y))
    drawn, others, rest = order[:n], order[n : 2 * n], order[2 * n : 2 * n + 5_000]
    task = Task.of(table.X.iloc[drawn], table.y[drawn])
    splits = splits_of(5, task, random_state=seed)
    models = {**families("regression", FAMILIES), **{name: tabular(tree) for name, tree in TREES.items()}}
    del models["Zero-R"]
    results = {name: resample(model, task, cv=splits, scoring="rmse", progress=None) for name, model in models.items()}
    scores = {name: each.estimate("rmse") for name, each in results.items()}
    best = min(scores, key=lambda name: scores[name].value)
    truths = {}
    for name, model in models.items():
        fitted = model.fit(task.X, task.y)
        truths[name] = [_rmse(table.y[rows], fitted.predict(table.X.iloc[rows])) for rows in (rest, others)]
    holds = {name: [each.low <= truth <= each.high for truth in truths[name]] for name, each in scores.items()}
    bias = selection_bias(results, best, measure("rmse"))
    own = np.mean([each[0] for each in holds.values()])
    return holds[best][0], own, holds[best][1], bias, truths[best][0] - scores[best].value


def _rmse(y: np.ndarray, predicted: np.ndarray) -> float:
    return float(np.sqrt(np.mean((y - predicted) ** 2)))


if __name__ == "__main__":
    main()
