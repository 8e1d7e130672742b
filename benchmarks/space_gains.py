"""``PROBUS_BENCH_DATA=folder python -m benchmarks.space_gains [--evaluations 30] [model …]``: what tuning gains.

Every model is tuned in its default space on one half of each table, by 3-fold cross-validation, and compared with its
default parameters on the other half, which tuning never uses (ROC AUC, accuracy, R²).
A space whose gain is negative on many tables is too wide or leads away from good defaults.

``--edges`` searches each space at random instead, and reports for each parameter on how many tables the best
configuration was in the lowest or highest twentieth of its range: by chance on 5 % each, a range that ends too early on
many. ``--tables`` takes every other table ("chosen"), on which ranges are chosen, or the others ("judged").
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
from probus.spaces import Choice, search_space
from probus.svm import SVC, SVR
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor
from probus.tuning import Random

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


def edges(model: Any, table: Real, rows: int, evaluations: int) -> dict[str, float]:
    """The place of each parameter of the best random configuration, between the ends of its range at 0 and 1."""
    some = np.random.default_rng(0).permutation(len(table.y))[:rows]
    X, y = table.X.iloc[some].reset_index(drop=True), table.y[some]
    tuned = probus.tuning.tune(model, X, y, tuner=Random(), cv=3, evaluations=evaluations, progress=None)
    space, best = search_space(model), tuned.archive.best.config
    values = {name: space[name].size for name in best}
    ordered = {name for name in best if not isinstance(space[name], Choice) or space[name].ordered}
    places = {name: space[name].to_unit(best[name]) for name in ordered}
    # the first and the last of a few values are the ends
    half = {name: 0.5 / size if size < 20 else 0.0 for name, size in values.items()}
    return {name: (place - half[name]) / (1.0 - 2.0 * half[name]) for name, place in places.items() if half[name] < 0.5}


def print_edges(name: str, tables: list[Real], rows: int, evaluations: int) -> None:
    places: dict[str, list[float]] = {}
    for table in tables:
        model = MODELS[name][0 if table.classes else 1]
        if model is not None:
            for parameter, place in edges(model, table, rows, evaluations).items():
                places.setdefault(parameter, []).append(place)
    for parameter, found in places.items():
        low, high = (sum(each < 0.05 for each in found), sum(each > 0.95 for each in found))
        middle = " ".join(f"{each:.2f}" for each in np.quantile(found, (0.1, 0.5, 0.9)))
        print(f"| {name} | {parameter} | {len(found)} | {low} | {high} | {middle} |", flush=True)


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--edges", action="store_true")
    parser.add_argument("--tables", choices=("all", "chosen", "judged"), default="all")
    parser.add_argument("models", nargs="*", default=[])
    parser.add_argument("--evaluations", type=int, default=30)
    parser.add_argument("--rows", type=int, default=2000)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    every = list(real_tables(Path(os.environ["PROBUS_BENCH_DATA"])))
    tables = {"all": every, "chosen": every[::2], "judged": every[1::2]}[options.tables]
    if options.edges:
        print("| model | parameter | tables | at the low end | at the high end | places |\n|---|---|---|---|---|---|")
        for name in options.models or MODELS:
            print_edges(name, tables, options.rows, options.evaluations)
        return
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
