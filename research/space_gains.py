"""``PROBUS_BENCH_DATA=folder python -m research.space_gains [--evaluations 25] [model …]``: what tuning gains.

Every model is tuned in its default space on one half of each table, by 3-fold cross-validation, and compared with its
default parameters on the other half, which tuning never uses (ROC AUC, accuracy, R²). ``--before`` does the same in the
space that the model had before its ranges were chosen on tables (``BEFORE``), with the same budget and seeds.
A space whose gain is negative on many tables is too wide or leads away from good defaults.

``--wide`` searches spaces wider than the default ones (``research.wide_spaces``) at random, and reports of each
parameter where the best tenth of the configurations lies, and on how many tables the best one is outside of the
default range. Ranges are chosen by it on the tables of ``CHOOSING``; those of ``JUDGING`` only judge the gains. Both
lists were written before anything was measured. ``--store FILE`` stores what was evaluated as lines of JSON.
"""

from __future__ import annotations

import json
import math
import os
import time
import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.metrics import get_scorer

import probus
from probus.spaces import Choice, Integer, Real, Space, search_space
from probus.spaces._conditions import Conditional
from probus.tuning import Random
from research.tables import TABLES, read_table
from research.tables import Real as Table
from research.wide_spaces import MODELS, wide_space

BUNDLED = {"diabetes": datasets.load_diabetes, "wine": datasets.load_wine, "digits": datasets.load_digits}
CHOOSING = (
    "airquality", "california_housing", "mtcars", "diabetes", "adult", "BreastCancer", "german_credit", "Glass",
    "income", "infert", "LetterRecognition", "Satellite", "stagec", "wine", "Zoo",
)  # fmt: skip
JUDGING = (
    "BostonHousing", "car90", "casp", "Ozone", "census", "HouseVotes84", "iris", "kyphosis", "penguins",
    "PimaIndiansDiabetes2", "Sonar", "Soybean", "spam", "titanic_passengers", "digits",
)  # fmt: skip

# of each class, the parameters that were chosen on tables, as they were before
_NEIGHBORS = {"n_neighbors": Integer(1, 50, log=True)}
BEFORE: dict[str, dict[str, Any]] = {
    "KNeighborsClassifier": _NEIGHBORS,
    "KNeighborsRegressor": _NEIGHBORS,
    "LogisticRegression": {"C": Real(1e-4, 1e4, log=True)},
}


def tables(names: tuple[str, ...]) -> Iterator[Table]:
    folder = Path(os.environ["PROBUS_BENCH_DATA"])
    for file, *others in TABLES:
        if Path(file).stem in names:
            yield read_table(folder, file, *others)
    for name, load in BUNDLED.items():
        if name in names:
            X, y = load(return_X_y=True)
            yield Table(name, pd.DataFrame(X).add_prefix("x"), y, classes=name != "diabetes")


def some_rows(table: Table, rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    some = np.random.default_rng(0).permutation(len(table.y))[:rows]
    return table.X.iloc[some].reset_index(drop=True), table.y[some]


# -- gains of tuning -------------------------------------------------------------------------------------


def space_before(model: Any) -> Space:
    """The space that the model had before its ranges were chosen on tables."""
    space = search_space(model)
    kept = {name: Conditional(space[name], space.conditions.get(name, {})) for name in space}
    return Space({**kept, **BEFORE.get(type(model).__name__, {})}).with_default(model)


def gain(model: Any, table: Table, options: Namespace, seed: int) -> tuple[str, float, float, float]:
    """The measure, its value on the other half with the defaults and tuned, and the CPU seconds of tuning."""
    X, y = some_rows(table, options.rows)
    order = np.random.default_rng(seed).permutation(len(y))
    halves = [(X.iloc[half].reset_index(drop=True), y[half]) for half in np.array_split(order, 2)]
    scoring = "r2" if not table.classes else "roc_auc" if len(np.unique(table.y)) == 2 else "accuracy"
    score = get_scorer(scoring)
    default = probus.tabular(model).fit(*halves[0])
    how = {"cv": 3, "scoring": scoring, "evaluations": options.evaluations, "random_state": seed, "progress": None}
    space = space_before(model) if options.before else None
    start = time.process_time()
    tuned = probus.tuning.tune(model, *halves[0], space=space, **how)
    spent = time.process_time() - start
    return scoring, score(default, *halves[1]), score(tuned, *halves[1]), spent


def print_gains(name: str, options: Namespace) -> None:
    gains = []
    for table in tables(JUDGING if options.tables == "judging" else CHOOSING):
        model = MODELS[name][0 if table.classes else 1]
        for seed in range(options.seeds if model is not None else 0):
            scoring, before, after, spent = gain(model, table, options, seed)
            gains.append(after - before)
            cells = f"{scoring} | {before:.4f} | {after:.4f} | {after - before:+.4f} | {spent:.1f}"
            print(f"| {name} | {table.name} | {cells} |", flush=True)
    better, worse = (sum(sign * each > 1e-4 for each in gains) for sign in (1, -1))
    middle = f"mean {np.mean(gains):+.4f}, median {np.median(gains):+.4f}"
    print(f"| **{name}** | {len(gains)} runs | | | | {middle}, {better} up, {worse} down | |", flush=True)


# -- where good configurations are -----------------------------------------------------------------------


def evaluated(name: str, table: Table, options: Namespace) -> tuple[list[dict[str, Any]], np.ndarray]:
    """Random configurations of the wide space, and their scores, the higher the better."""
    model, space = MODELS[name][0 if table.classes else 1], wide_space(name, table.classes)
    how = {"space": space, "tuner": Random(), "cv": 3, "evaluations": options.evaluations + 1, "progress": None}
    archive = probus.tuning.tune(model, *some_rows(table, options.rows), **how).archive
    found = [(dict(each.config), float(score)) for each, score in zip(archive, archive.turned, strict=True)][1:]
    if options.store:
        with Path(options.store).open("a") as file:
            line = {"model": name, "table": table.name, "default": float(archive.turned[0]), "found": found}
            file.write(json.dumps(line) + "\n")
    known = [(config, score) for config, score in found if score == score]
    return [config for config, _ in known], np.array([score for _, score in known])


def print_wide(name: str, options: Namespace) -> None:
    values: dict[str, list[tuple[float, bool, bool]]] = {}  # of good ones: the value, and whether of the best
    for table in tables(JUDGING if options.tables == "judging" else CHOOSING):
        if MODELS[name][0 if table.classes else 1] is None:
            continue
        configs, scores = evaluated(name, table, options)
        best = np.argsort(-scores)[: max(1, round(len(scores) / 10))]
        for place in best:
            for parameter, value in configs[place].items():
                values.setdefault(parameter, []).append((value, place == best[0], table.classes))
    for parameter, found in values.items():
        models = {classes: MODELS[name][0 if classes else 1] for _, _, classes in found}
        spaces = {classes: search_space(model) for classes, model in models.items()}
        ends = {classes: _ends(space, parameter) for classes, space in spaces.items()}
        found = [(math.inf if value is None else value, *others) for value, *others in found]  # None: no limit
        firsts = [(value, *ends[classes]) for value, first, classes in found if first]
        if isinstance(found[0][0], str):
            cells = ", ".join(f"{one}: {sum(v == one for v, *_ in firsts)}" for one in sorted({v for v, *_ in firsts}))
            print(f"| {name} | {parameter} | {len(firsts)} | | | {cells} |", flush=True)
            continue
        low, high = sum(v < least for v, least, _ in firsts), sum(v > most for v, _, most in firsts)
        middle = " ".join(f"{each:.3g}" for each in np.quantile([v for v, *_ in found], (0.1, 0.25, 0.5, 0.75, 0.9)))
        print(f"| {name} | {parameter} | {len(firsts)} | {low} | {high} | {middle} |", flush=True)


def _ends(space: Space, parameter: str) -> tuple[float, float]:
    """The ends of a parameter's range; without bounds where the default space does not have it."""
    if parameter not in space:
        return -np.inf, np.inf
    known = space[parameter]
    if isinstance(known, Choice):
        numbers = [value for value in known.values if isinstance(value, int | float)]
        open_ = any(value is None for value in known.values)  # no limit
        return (min(numbers), np.inf if open_ else max(numbers)) if numbers else (-np.inf, np.inf)
    return known.low, known.high


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("models", nargs="*", default=[])
    parser.add_argument("--wide", action="store_true")
    parser.add_argument("--before", action="store_true")
    parser.add_argument("--tables", choices=("choosing", "judging"))
    parser.add_argument("--evaluations", type=int, default=25)
    parser.add_argument("--rows", type=int, default=1500)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--store")
    options = parser.parse_args()
    options.tables = options.tables or ("choosing" if options.wide else "judging")
    warnings.simplefilter("ignore")
    last = ("best below", "best above", "values of the best tenth")
    header = (
        ("parameter", "tables", *last) if options.wide else ("table", "measure", "default", "tuned", "gain", "seconds")
    )
    print(f"| model | {' | '.join(header)} |\n{'|---' * (len(header) + 1)}|")
    for name in options.models or MODELS:
        (print_wide if options.wide else print_gains)(name, options)


if __name__ == "__main__":
    main()
