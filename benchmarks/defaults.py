"""How good are defaults? ``python -m benchmarks.defaults [model …]``: every table, no tuning, ranks at the end.

Small tables are cross-validated, large ones split once. Scores are kept in a file, model by model, so that one can be
run again alone. AUC for two classes, log loss for more, RMSE for numbers.
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

from benchmarks.tables import Real, real_tables

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


def score(name: str, table: Real) -> tuple[float, float]:
    values, seconds = [], 0.0
    X = prepared(name, table.X)
    for learn, judge in splits(table):
        model = MODELS[name](table.classes)
        extra = (
            {"cat_features": [X.columns.get_loc(c) for c in X.columns if str(X[c].dtype) in ("object", "str")]}
            if (name == "catboost")
            else {}
        )
        y, n_classes = table.y, int(table.y.max()) + 1 if table.classes else 0
        start = time.perf_counter()
        model.fit(X.iloc[learn], y[learn], **extra)
        seconds += time.perf_counter() - start
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
    return float(np.mean(values)), seconds


def main(chosen: list[str]) -> None:
    warnings.simplefilter("ignore")
    only = {name for name in chosen if name not in MODELS}
    found = json.loads(SCORES.read_text()) if SCORES.exists() else {}
    folder = Path(os.environ["PROBUS_BENCH_DATA"])
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
