"""Gradient boosting against LightGBM, XGBoost, CatBoost and scikit-learn: 100 trees of 31 leaves, equal settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import catboost
import lightgbm
import numpy as np
import pandas as pd
import sklearn.ensemble
import xgboost
from sklearn.metrics import roc_auc_score

from benchmarks.measure import Contest
from probus import ensemble

DATA = Path(os.environ.get("PROBUS_BENCH_DATA", ""))
GOAL = 1 / 0.75


class Job(NamedTuple):
    """Rows to learn from and rows to be judged by."""

    what: str
    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray
    classes: bool


def contests() -> Iterator[Contest]:
    for n in (5_000, 200_000, 1_000_000):
        yield from growing(made(n), rounds=5 if n < 10_000 else 3 if n < 500_000 else 2)
    if (DATA / "census.parquet").exists():
        yield from growing(census(), rounds=2)
        yield from growing(casp(), rounds=3)
    yield from predicting()
    yield one_row()


def made(n: int) -> Job:
    """28 columns: some add up, some interact, some only noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n + 100_000, 28))
    signal = X[:, :8].sum(axis=1) / 2 + X[:, 8] * X[:, 0] + np.abs(X[:, 9]) + np.sin(2 * X[:, 10]) - 0.8
    y = (signal + 1.5 * rng.normal(size=len(X)) > 0).astype(int)
    return Job(f"{n:,} × 28, two classes", X[:n].copy(), y[:n].copy(), X[n:], y[n:], True)


def census() -> Job:
    frame = pd.read_parquet(DATA / "census.parquet").drop(columns="instance_weight")
    y = (frame.pop("income").astype(str).str.contains("50000+", regex=False)).to_numpy().astype(int)
    for name in frame:
        if frame[name].dtype.kind not in "iuf":
            frame[name] = frame[name].astype(object).fillna("missing").astype(str).astype("category")
    test = np.random.default_rng(0).random(len(y)) < 0.25
    learn = frame[~test], y[~test]
    return Job(f"census, {(~test).sum():,} × {frame.shape[1]}, nominal columns", *learn, frame[test], y[test], True)


def casp() -> Job:
    frame = pd.read_parquet(DATA / "casp.parquet")
    y, X = frame.pop("RMSD").to_numpy(), frame.to_numpy(float)
    test = np.random.default_rng(0).random(len(y)) < 0.25
    return Job(f"casp, {(~test).sum():,} × 9, regression", X[~test], y[~test], X[test], y[test], False)


def model_of(name: str, classes: bool) -> Any:
    """100 trees of 31 leaves at a rate of 0.1, at least 20 rows in a leaf where that can be said, no other penalty."""
    same: dict[str, Any] = {"n_estimators": 100, "learning_rate": 0.1}
    if name == "Probus":
        ours = ensemble.HistGradientBoostingClassifier if classes else ensemble.HistGradientBoostingRegressor
        return ours(early_stopping=False, random_state=0)
    if name == "scikit-learn":
        kin = sklearn.ensemble
        theirs = kin.HistGradientBoostingClassifier if classes else kin.HistGradientBoostingRegressor
        return theirs(early_stopping=False)
    if name == "LightGBM":
        theirs = lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor
        return theirs(num_leaves=31, verbose=-1, n_jobs=-1, **same)
    if name == "XGBoost":
        theirs = xgboost.XGBClassifier if classes else xgboost.XGBRegressor
        return theirs(
            max_leaves=31, max_depth=0, grow_policy="lossguide", tree_method="hist", reg_lambda=0.0,
            min_child_weight=1e-3, enable_categorical=True, **same,
        )  # fmt: skip
    theirs = catboost.CatBoostClassifier if classes else catboost.CatBoostRegressor
    return theirs(
        grow_policy="Lossguide", max_leaves=31, min_data_in_leaf=20, l2_leaf_reg=0, verbose=0,
        allow_writing_files=False, **same,
    )  # fmt: skip


def fitted(name: str, job: Job) -> Any:
    model = model_of(name, job.classes)
    if name != "CatBoost" or not isinstance(job.X, pd.DataFrame):
        return model.fit(job.X, job.y)
    return model.fit(job.X, job.y, cat_features=list(job.X.columns[job.X.dtypes == "category"]))


def growing(job: Job, rounds: int) -> Iterator[Contest]:
    for peer in ("LightGBM", "XGBoost", "CatBoost", "scikit-learn"):
        if len(job.y) > 500_000 and peer in ("CatBoost", "scikit-learn"):
            continue  # minutes, and never the fastest below
        yield Contest(
            f"HistGradientBoosting, 100 trees × 31 leaves, {job.what}",
            partial(fitted, "Probus", job),
            peer,
            partial(fitted, peer, job),
            GOAL,
            partial(compared, job),
            rounds=1 if peer in ("CatBoost", "scikit-learn") else rounds,
        )


def compared(job: Job, ours: Any, theirs: Any) -> str:
    """The scores of both, and the difference with its paired 95 % interval from resamples of the test rows."""
    rng = np.random.default_rng(0)
    answers = [
        m.predict_proba(job.X_test)[:, 1] if job.classes else np.asarray(m.predict(job.X_test)) for m in (ours, theirs)
    ]
    if not job.classes:
        errors = [(job.y_test - a) ** 2 for a in answers]
        scores = [float(np.sqrt(e.mean())) for e in errors]
        draws = rng.integers(0, len(job.y_test), (500, len(job.y_test)))
        lags = [np.sqrt(errors[0][d].mean()) - np.sqrt(errors[1][d].mean()) for d in draws]
        return f"RMSE {scores[0]:.4f} and {scores[1]:.4f}, difference {interval(lags)}"
    scores = [float(roc_auc_score(job.y_test, a)) for a in answers]
    lags = []
    for _ in range(60):
        d = rng.integers(0, len(job.y_test), len(job.y_test))
        lags.append(roc_auc_score(job.y_test[d], answers[0][d]) - roc_auc_score(job.y_test[d], answers[1][d]))
    middle, spread = float(np.mean(lags)), 1.96 * float(np.std(lags))
    told = f"{middle:+.4f} [{middle - spread:+.4f}, {middle + spread:+.4f}]"
    return f"AUC {scores[0]:.4f} and {scores[1]:.4f}, difference {told}"


def interval(lags: list[Any]) -> str:
    low, high = np.quantile(lags, [0.025, 0.975])
    return f"{np.mean(lags):+.4f} [{low:+.4f}, {high:+.4f}]"


def predicting() -> Iterator[Contest]:
    job = made(200_000)
    X = np.random.default_rng(1).normal(size=(1_000_000, 28))
    ours = fitted("Probus", job)
    for peer in ("LightGBM", "XGBoost", "CatBoost"):
        theirs = fitted(peer, job)
        predict: Callable[[], Any] = partial(theirs.predict_proba, X)
        yield Contest(
            "predict_proba, 1,000,000 × 28, 100 trees × 31 leaves",
            lambda: ours.predict_proba(X),
            peer,
            predict,
            1.0,
            lambda a, b: f"correlation of the two {np.corrcoef(a[:, 1], b[:, 1])[0, 1]:.4f}",
            rounds=3,
        )


def one_row() -> Contest:
    job = made(5_000)
    ours, theirs = fitted("Probus", job), fitted("LightGBM", job)
    row = job.X[:1]
    return Contest(
        "predict_proba of one row, 100 trees × 31 leaves",
        lambda: ours.predict_proba(row),
        "LightGBM",
        lambda: theirs.predict_proba(row),
        1.0,
        lambda a, b: f"{a[0, 1]:.3f} and {b[0, 1]:.3f}",
        rounds=5,
        repeat=200,
    )
