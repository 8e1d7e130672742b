"""``python -m research.study [--seconds 60] [--tables titanic_passengers.parquet …] [--seed 0] [--who study FLAML]``.

The study against FLAML and AutoGluon. Each table is split into random halves. All are given one half and the same wall
time, and are scored on the other, which was shown to none: ROC AUC for two classes, log loss for more, RMSE for
numbers. Beside them is what each reports about itself: the study's score with its interval, whether that holds the
held-out score, and whether the wider one for a new test set of as many rows does, and the best validation score of the
others. AutoGluon takes part where it is installed. The tables were
named before anything was measured on them. FLAML wants an older pandas than our tests do, so it needs an environment of
its own: ``python -m venv peers``, ``peers/bin/pip install -e '.[automl]' lightgbm xgboost catboost pyarrow``, then
``peers/bin/python -m research.study``.

``--first-line`` instead prints how long each table's study takes to the first line of its leaderboard and to the first
model that has learnt, as wall and CPU seconds of a fresh process, imports included, the least of three.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from pandas import CategoricalDtype, Index
from pandas.api.types import is_numeric_dtype

import probus
from probus.metrics import Outcome, measure
from research.tables import TABLES, Real, read_table

FOLDER = Path(os.environ.get("PROBUS_BENCH_DATA", "../shared/data"))
NAMED = (
    "adult.parquet", "BostonHousing.csv", "california_housing.parquet", "german_credit.parquet",
    "LetterRecognition.csv", "PimaIndiansDiabetes2.csv", "Satellite.csv", "Sonar.csv", "spam.csv",
    "titanic_passengers.parquet",
)  # fmt: skip
FLAML_METRICS = {"roc_auc": "roc_auc", "log_loss": "log_loss", "rmse": "rmse"}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--tables", nargs="*", default=list(NAMED))
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--who", nargs="*", default=list(contestants()), choices=list(contestants()))
    options.add_argument("--first-line", action="store_true")
    chosen = options.parse_args()
    warnings.simplefilter("ignore")
    if chosen.first_line:
        print_first_lines(chosen.tables)
        return
    print("| table | rows | measure | who | held-out score | it reported | holds it | as a new test set | seconds |")
    print("|---" * 9 + "|")
    for file, target, left_out, classes in TABLES:
        if file in chosen.tables:
            table = read_table(FOLDER, file, target, left_out, classes)
            for line in contest(table, chosen.seconds, chosen.seed, chosen.who):
                print(line, flush=True)


def print_first_lines(tables: list[str]) -> None:
    print("| table | rows | first line: wall s | CPU s | first model: wall s | CPU s |")
    print("|---" * 6 + "|")
    for file, target, _, _ in TABLES:
        if file in tables:
            command = [sys.executable, "-m", "research.study_start", str(FOLDER / file), target]
            runs = [json.loads(subprocess.check_output(command)) for _ in range(3)]
            times = [min(run[which][clock] for run in runs) for which in ("line", "model") for clock in (0, 1)]
            print(f"| {file} | {runs[0]['rows']:,} | {' | '.join(f'{seconds:.1f}' for seconds in times)} |", flush=True)


def contestants() -> dict[str, Callable[..., tuple[Any, ...]]]:
    return {"study": by_study, "FLAML": by_flaml, "AutoGluon": by_autogluon}


def contest(table: Real, seconds: float, seed: int, who: list[str]) -> Iterator[str]:
    """A line for each contestant."""
    order = np.random.default_rng(seed).permutation(len(table.y))
    train, test = order[: len(order) // 2], order[len(order) // 2 :]
    y = table.y.astype(str) if table.classes else table.y
    k = len(np.unique(y)) if table.classes else 0
    scoring = "rmse" if not k else "roc_auc" if k == 2 else "log_loss"
    for name in who:
        started = time.perf_counter()
        try:
            answer = contestants()[name](table.X.iloc[train], y[train], table.X.iloc[test], scoring, seconds, seed)
        except ImportError:
            continue
        spent = time.perf_counter() - started
        predicted, classes, reported, intervals = answer
        held_out = scored(y[test], predicted, classes, scoring)
        inside = ["yes" if held_out in each else "no" for each in intervals] or ["–", "–"]
        row = (table.name, len(train), scoring, name, f"{held_out:.4f}", reported, *inside, f"{spent:.0f}")
        yield f"| {' | '.join(map(str, row))} |"


def scored(y: np.ndarray, predicted: np.ndarray, classes: Any, scoring: str) -> float:
    if classes is None:
        return float(np.sqrt(np.mean((y - predicted) ** 2)))
    codes = {label: code for code, label in enumerate(classes)}
    actual = np.array([codes[label] for label in y])
    known = Outcome(actual, classes=tuple(classes), positive=1 if len(classes) == 2 else None)
    return float(measure(scoring).compute(known.with_probabilities(predicted)))


def by_study(X: Any, y: np.ndarray, new: Any, scoring: str, seconds: float, seed: int) -> tuple[Any, ...]:
    result = probus.study(X, y, scoring=scoring, time=seconds, random_state=seed, allow_leaks=True, progress=None)
    classes = list(result.model.classes_) if result.task.classes else None
    predicted = result.model.predict(new) if classes is None else result.model.predict_proba(new)
    return predicted, classes, str(result.score), (result.score, result.score_on_new_rows(len(predicted)))


def by_flaml(X: Any, y: np.ndarray, new: Any, scoring: str, seconds: float, seed: int) -> tuple[Any, ...]:
    from flaml import AutoML

    task = "regression" if scoring == "rmse" else "classification"
    X, new = with_categories(X, new)
    found = AutoML()
    found.fit(
        X, y, task=task, metric=FLAML_METRICS[scoring], time_budget=seconds, seed=seed, verbose=0, n_jobs=-1,
        log_file_name="",
    )  # fmt: skip
    classes = None if task == "regression" else list(found.classes_)
    predicted = found.predict(new) if classes is None else found.predict_proba(new)
    best = 1 - found.best_loss if scoring == "roc_auc" else found.best_loss
    return predicted, classes, f"{best:.4f}", ()


def with_categories(X: Any, new: Any) -> tuple[Any, Any]:
    """Frames whose strings are categories, those of the training rows, and whose names are objects.

    FLAML does not know pandas' type of strings.
    """
    kinds = {name: CategoricalDtype(X[name].dropna().unique()) for name in X if not is_numeric_dtype(X[name].dtype)}
    names = Index(X.columns, dtype=object)
    return X.astype(kinds).set_axis(names, axis=1), new.astype(kinds).set_axis(names, axis=1)


def by_autogluon(X: Any, y: np.ndarray, new: Any, scoring: str, seconds: float, seed: int) -> tuple[Any, ...]:
    from autogluon.tabular import TabularPredictor

    with tempfile.TemporaryDirectory() as folder:
        metric = {"rmse": "root_mean_squared_error"}.get(scoring, scoring)
        model = TabularPredictor("the target", eval_metric=metric, path=folder, verbosity=0)
        model.fit(X.assign(**{"the target": y}), time_limit=seconds)
        best = abs(float(model.leaderboard()["score_val"].max()))
        if scoring == "rmse":
            return model.predict(new).to_numpy(), None, f"{best:.4f}", ()
        p = model.predict_proba(new)
        return p.to_numpy(), list(p.columns), f"{best:.4f}", ()


if __name__ == "__main__":
    main()
