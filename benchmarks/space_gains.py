"""``PROBUS_BENCH_DATA=folder python -m benchmarks.space_gains [--evaluations 30] [model …]``: what tuning gains.

Every model is tuned in its default space on one half of each table, by 3-fold cross-validation, and compared with its
default parameters on the other half, which tuning never uses (ROC AUC, accuracy, R²).
A space whose gain is negative on many tables is too wide or leads away from good defaults.
"""

from __future__ import annotations

import os
import time
import warnings
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer

import probus
from benchmarks.tables import Real, real_tables
from probus.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from probus.linear_model import ElasticNet, LogisticRegression
from probus.naive_bayes import NaiveBayes
from probus.neighbors import KNeighborsClassifier, KNeighborsRegressor
from probus.svm import SVC, SVR
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor

MODELS = {
    "forest": (RandomForestClassifier(random_state=0), RandomForestRegressor(random_state=0)),
    "extra trees": (ExtraTreesClassifier(random_state=0), ExtraTreesRegressor(random_state=0)),
    "boosting": (HistGradientBoostingClassifier(random_state=0), HistGradientBoostingRegressor(random_state=0)),
    "svm": (SVC(), SVR()),
    "linear": (LogisticRegression(), ElasticNet()),
    "neighbours": (KNeighborsClassifier(), KNeighborsRegressor()),
    "tree": (DecisionTreeClassifier(random_state=0), DecisionTreeRegressor(random_state=0)),
    "naive Bayes": (NaiveBayes(), None),
}


def gain(model: Any, table: Real, rows: int, evaluations: int) -> tuple[str, float, float, float]:
    """The measure, its value on the other half with the defaults and tuned, and the CPU seconds of tuning."""
    order = np.random.default_rng(0).permutation(len(table.y))[:rows]
    halves = [(table.X.iloc[half].reset_index(drop=True), table.y[half]) for half in np.array_split(order, 2)]
    scoring = "r2" if not table.classes else "roc_auc" if len(np.unique(table.y)) == 2 else "accuracy"
    score = get_scorer(scoring)
    default = probus.tabular(model).fit(*halves[0])
    start = time.process_time()
    tuned = probus.tuning.tune(model, *halves[0], cv=3, scoring=scoring, evaluations=evaluations, progress=None)
    spent = time.process_time() - start
    return scoring, score(default, *halves[1]), score(tuned, *halves[1]), spent


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("models", nargs="*", default=[])
    parser.add_argument("--evaluations", type=int, default=30)
    parser.add_argument("--rows", type=int, default=2000)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    tables = list(real_tables(Path(os.environ["PROBUS_BENCH_DATA"])))
    print("| model | table | measure | default | tuned | gain | seconds |\n|---|---|---|---|---|---|---|")
    for name in options.models or MODELS:
        gains = []
        for table in tables:
            model = MODELS[name][0 if table.classes else 1]
            if model is not None:
                scoring, before, after, spent = gain(model, table, options.rows, options.evaluations)
                gains.append(after - before)
                cells = f"{scoring} | {before:.4f} | {after:.4f} | {after - before:+.4f} | {spent:.1f}"
                print(f"| {name} | {table.name} | {cells} |", flush=True)
        better, worse = (sum(sign * each > 1e-4 for each in gains) for sign in (1, -1))
        print(f"| **{name}** | {len(gains)} tables | | | | mean {np.mean(gains):+.4f}, {better} up, {worse} down | |")


if __name__ == "__main__":
    main()
