"""How good are defaults? ``python -m research.defaults [halves] [model …]``: no tuning, ranks at the end.

Every table with its own target; small tables are cross-validated, large ones split once. AUC for two classes, log loss
for more, RMSE for numbers. With ``halves`` the tasks of ``research.halves``, by log loss and RMSE, on one thread.
Seconds are the processor's. Scores are kept in a file, model by model, so that one can be run again alone.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss, roc_auc_score, root_mean_squared_error
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit

from research.halves import HALVES, tasks
from research.tables import Real, real_tables

SCORES = Path(os.environ.get("PROBUS_BENCH_SCORES", "/tmp/probus-defaults.json"))


def ours(classes: bool) -> Any:
    from probus.ensemble import BoostingClassifier, BoostingRegressor

    return BoostingClassifier(random_state=0) if classes else BoostingRegressor(random_state=0)


def hist(classes: bool) -> Any:
    from probus.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    return (HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor)(random_state=0)


def catboost(classes: bool) -> Any:
    from catboost import CatBoostClassifier, CatBoostRegressor

    return (CatBoostClassifier if classes else CatBoostRegressor)(verbose=0, allow_writing_files=False, random_seed=0)


def lightgbm(classes: bool) -> Any:
    import lightgbm

    return (lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor)(verbose=-1, random_state=0)


def xgboost(classes: bool) -> Any:
    import xgboost

    return (xgboost.XGBClassifier if classes else xgboost.XGBRegressor)(enable_categorical=True, random_state=0)


def scikit_learn(classes: bool) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    return (HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor)(random_state=0)


MODELS: dict[str, Callable[[bool], Any]] = {
    "ours": ours, "hist": hist, "catboost": catboost, "lightgbm": lightgbm, "xgboost": xgboost,
    "scikit-learn": scikit_learn,
}  # fmt: skip


def splits(table: Real) -> Any:
    n = len(table.y)
    if n > 15_000:
        kind = StratifiedShuffleSplit if table.classes else ShuffleSplit
        return kind(1, test_size=0.25, random_state=0).split(table.X, table.y)
    frequent = table.classes and np.bincount(table.y).min() >= 5
    kind = StratifiedKFold if frequent else KFold
    return kind(5, shuffle=True, random_state=0).split(table.X, table.y)


def prepared(name: str, X: pd.DataFrame) -> pd.DataFrame:
    """The frame as a peer wants it: CatBoost has no missing levels, scikit-learn at most 255."""
    if name == "catboost":
        X = X.copy()
        for column in X.columns[X.dtypes == "category"]:
            X[column] = X[column].astype(object).fillna("missing").astype(str)
    return X


def fitted(name: str, table: Real, learn: np.ndarray, n_jobs: int | None = None) -> tuple[Any, pd.DataFrame, float]:
    """The model, the frame that it wants, and the processor's seconds of its fit."""
    model, X = MODELS[name](table.classes), prepared(name, table.X)
    if n_jobs is not None:
        model.set_params(**{"thread_count" if name == "catboost" else "n_jobs": n_jobs})
    nominal = [i for i, column in enumerate(X.columns) if str(X[column].dtype) in ("object", "str")]
    start = time.process_time()
    model.fit(X.iloc[learn], table.y[learn], **({"cat_features": nominal} if name == "catboost" else {}))
    return model, X, time.process_time() - start


def loss_of(name: str, table: Real, learn: np.ndarray, judge: np.ndarray) -> tuple[float, float]:
    """Log loss or RMSE of a model on one thread, and seconds."""
    model, X, seconds = fitted(name, table, learn, n_jobs=1)
    if not table.classes:
        return float(root_mean_squared_error(table.y[judge], model.predict(X.iloc[judge]))), seconds
    probabilities = np.zeros((len(judge), int(table.y.max()) + 1))
    probabilities[:, np.asarray(model.classes_, int)] = model.predict_proba(X.iloc[judge])
    probabilities = np.clip(probabilities, 1e-9, None)
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    return float(-np.log(probabilities[np.arange(len(judge)), table.y[judge]]).mean()), seconds


def halves(chosen: list[str], folder: Path) -> None:
    """Scores of each task of the halves, and the mean ranks of models in each."""
    file = SCORES.with_stem(SCORES.stem + "-halves")
    found = json.loads(file.read_text()) if file.exists() else {}
    for _, task in tasks():
        for name in [name for name in chosen if name not in found.get(task.name, {})]:
            table = task.table(folder)
            pairs = [loss_of(name, table, *split) for split in task.splits(len(table.y))]
            found.setdefault(task.name, {})[name] = [sum(p[i] for p in pairs) / len(pairs) for i in (0, 1)]
            print(task.name, name, *(f"{v:.4f}" for v in found[task.name][name]), flush=True)
            file.write_text(json.dumps(found, indent=1))
    for half in HALVES:
        print(f"half {half}\n{summary({t.name: found[t.name] for _, t in tasks(half)})}\n")


def score(name: str, table: Real) -> tuple[float, float]:
    values, total = [], 0.0
    for learn, judge in splits(table):
        y, n_classes = table.y, int(table.y.max()) + 1 if table.classes else 0
        model, X, seconds = fitted(name, table, learn)
        total += seconds
        if not table.classes:
            values.append(root_mean_squared_error(y[judge], model.predict(X.iloc[judge])))
            continue
        probabilities = np.full((len(judge), n_classes), 1e-9)
        probabilities[:, np.asarray(model.classes_, int)] = model.predict_proba(X.iloc[judge])
        if n_classes == 2:
            values.append(-roc_auc_score(y[judge], probabilities[:, 1]))
        else:
            values.append(
                log_loss(y[judge], probabilities / probabilities.sum(1, keepdims=True), labels=range(n_classes))
            )
    return float(np.mean(values)), total


def main(chosen: list[str]) -> None:
    warnings.simplefilter("ignore")
    folder = Path(os.environ["PROBUS_BENCH_DATA"])
    if chosen[:1] == ["halves"]:
        halves(chosen[1:] or ["ours", "catboost", "lightgbm"], folder)
    else:
        whole_tables(chosen, folder)


def whole_tables(chosen: list[str], folder: Path) -> None:
    """Scores of each table with its own target, and the mean ranks of models."""
    only = {name for name in chosen if name not in MODELS}
    found = json.loads(SCORES.read_text()) if SCORES.exists() else {}
    tables = sorted(real_tables(folder), key=lambda table: len(table.y))
    for table in tables:
        if only and table.name not in only:
            continue
        for name in [name for name in chosen if name in MODELS] or MODELS:
            found.setdefault(table.name, {})[name] = score(name, table)
            print(table.name, len(table.y), name, *(f"{v:.4f}" for v in found[table.name][name]), flush=True)
            SCORES.write_text(json.dumps(found, indent=1))
    print(summary(found))


def summary(found: dict[str, dict[str, list[float]]]) -> str:
    frame = pd.DataFrame({t: {m: v[0] for m, v in s.items()} for t, s in found.items()}).T
    seconds = pd.DataFrame({t: {m: v[1] for m, v in s.items()} for t, s in found.items()}).T
    frame = frame.dropna()
    ranks = frame.rank(axis=1)
    both = frame[["ours", "catboost"]].rank(axis=1).mean() if {"ours", "catboost"} <= set(frame) else None
    return (
        f"{frame.round(4)}\n\nmean rank\n{ranks.mean()}\n\nof two\n{both}\n\nseconds\n{seconds.loc[frame.index].sum()}"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
