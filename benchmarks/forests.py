"""Random forests against scikit-learn, LightGBM's forest mode, XGBoost's, and R's ranger where R has it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import pandas as pd
import sklearn.ensemble
import xgboost
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.preprocessing import OneHotEncoder

from benchmarks.boosting import Job, made
from benchmarks.measure import Contest, Row
from probus import ensemble

DATA = Path(os.environ.get("PROBUS_BENCH_DATA", ""))


def contests() -> Iterator[Contest]:
    job = made(100_000)
    for trees in (30, 100):
        yield from growing(job, trees)
    yield random_cuts(job)
    yield from many_classes()
    if (DATA / "LetterRecognition.csv").exists():
        yield from letters()
        yield adult()
    yield from regression()


# LightGBM and XGBoost are kept from growing fully, which would take them minutes
PEERS: dict[str, Callable[[int], Any]] = {
    "scikit-learn": lambda trees: sklearn.ensemble.RandomForestClassifier(trees, n_jobs=-1, random_state=0),
    "LightGBM, forest mode": lambda trees: lightgbm.LGBMClassifier(
        boosting_type="rf", n_estimators=trees, num_leaves=2_000, min_child_samples=1, min_child_weight=0.0,
        subsample=0.632, subsample_freq=1, feature_fraction_bynode=5 / 28, verbose=-1, n_jobs=-1,
    ),
    "XGBoost, forest mode": lambda trees: xgboost.XGBRFClassifier(
        n_estimators=trees, max_depth=16, min_child_weight=0.0, reg_lambda=1e-9, subsample=0.632,
        colsample_bynode=5 / 28, tree_method="hist",
    ),
}  # fmt: skip


def growing(job: Job, trees: int) -> Iterator[Any]:
    def ours() -> Any:
        return ensemble.RandomForestClassifier(trees, random_state=0).fit(job.X, job.y)

    for peer, make in PEERS.items():
        yield Contest(
            f"RandomForestClassifier, {trees} trees, {job.what}",
            ours,
            peer,
            lambda make=make: make(trees).fit(job.X, job.y),
            6.0 if peer == "scikit-learn" else 4.0,
            partial(aucs, job),
            rounds=2,
        )
    if has_ranger():
        yield RangerContest(job, trees, ours)


def random_cuts(job: Job) -> Contest:
    return Contest(
        f"ExtraTreesClassifier, 30 trees, {job.what}",
        lambda: ensemble.ExtraTreesClassifier(30, random_state=0).fit(job.X, job.y),
        "scikit-learn",
        lambda: sklearn.ensemble.ExtraTreesClassifier(30, n_jobs=-1, random_state=0).fit(job.X, job.y),
        6.0,
        partial(aucs, job),
        rounds=2,
    )


def aucs(job: Job, *models: Any) -> str:
    probabilities = [model.predict_proba(job.X_test)[:, 1] for model in models]
    return "AUC " + " and ".join(f"{roc_auc_score(job.y_test, p):.4f}" for p in probabilities)


def has_ranger() -> bool:
    if shutil.which("Rscript") is None:
        return False
    return subprocess.run(["Rscript", "-e", "library(ranger)"], capture_output=True).returncode == 0


@dataclass(frozen=True)
class RangerContest:
    """As ``Contest``, but for the peer R's own clock counts: starting R and reading the file do not."""

    job: Job
    trees: int
    ours: Callable[[], Any]

    def run(self) -> Row:
        times = []
        for _ in range(2):
            start = time.perf_counter()
            self.ours()
            times.append(time.perf_counter() - start)
        with tempfile.TemporaryDirectory() as folder:
            frame = pd.DataFrame(self.job.X, columns=[f"x{j}" for j in range(self.job.X.shape[1])])
            frame.assign(y=self.job.y).to_csv(f"{folder}/rows.csv", index=False)
            script = (
                f"d <- read.csv('{folder}/rows.csv'); d$y <- factor(d$y); library(ranger);"
                f"t <- system.time(ranger(y ~ ., d, num.trees = {self.trees}, probability = TRUE, min.node.size = 1));"
                "cat(t[['elapsed']])"
            )
            told = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True, check=True).stdout
        what = f"RandomForestClassifier, {self.trees} trees, {self.job.what}"
        return Row(what, min(times), "ranger", float(told.split()[-1]), 4.0, "")


def letters() -> Iterator[Contest]:
    frame = pd.read_csv(DATA / "LetterRecognition.csv")
    y, X = frame.pop("lettr").to_numpy(), frame.to_numpy(float)
    test = np.random.default_rng(0).random(len(y)) < 0.25
    yield Contest(
        "RandomForestClassifier, 100 trees, LetterRecognition, 15,000 × 16, 26 classes",
        lambda: ensemble.RandomForestClassifier(random_state=0).fit(X[~test], y[~test]),
        "scikit-learn",
        lambda: sklearn.ensemble.RandomForestClassifier(n_jobs=-1, random_state=0).fit(X[~test], y[~test]),
        6.0,
        lambda a, b: f"accuracy {a.score(X[test], y[test]):.4f} and {b.score(X[test], y[test]):.4f}",
        rounds=3,
    )


def adult() -> Contest:
    frame = pd.read_parquet(DATA / "adult.parquet")
    y = frame.pop("class").astype(str).to_numpy()
    levels = [name for name in frame if frame[name].dtype.kind not in "iuf"]
    for name in levels:
        frame[name] = frame[name].astype(str).astype("category")
    coder = OneHotEncoder(sparse_output=False, handle_unknown="ignore")
    matrix = np.hstack([frame.drop(columns=levels).to_numpy(float), coder.fit_transform(frame[levels])])
    test = np.random.default_rng(0).random(len(y)) < 0.25
    return Contest(
        "RandomForestClassifier, 100 trees, adult, nominal columns; peer on the one-hot matrix",
        lambda: ensemble.RandomForestClassifier(random_state=0).fit(frame[~test], y[~test]),
        "scikit-learn",
        lambda: sklearn.ensemble.RandomForestClassifier(n_jobs=-1, random_state=0).fit(matrix[~test], y[~test]),
        6.0,
        lambda a, b: f"accuracy {a.score(frame[test], y[test]):.4f} and {b.score(matrix[test], y[test]):.4f}",
        rounds=2,
    )


def made_of_levels(n: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Twenty nominal columns of 5 to 100 levels and nine of numbers, their codes as a matrix, and eight classes.

    Ten of the nominal columns and all numbers matter.
    """
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(n, 9))
    evidence = 0.5 * numbers @ rng.normal(size=(9, 8)) + 0.5 * (numbers[:, :3] * numbers[:, 3:6]) @ rng.normal(
        size=(3, 8)
    )
    codes = []
    for j, size in enumerate(np.linspace(5, 100, 20).astype(int)):
        codes.append(rng.choice(size, n, p=rng.dirichlet(np.ones(size))))
        evidence += 0.7 * (j % 2 == 0) * rng.normal(size=(size, 8))[codes[-1]]
    y = (evidence + rng.gumbel(size=evidence.shape)).argmax(axis=1)
    frame = pd.DataFrame({f"level{j}": pd.Categorical([f"l{c}" for c in own]) for j, own in enumerate(codes)})
    return frame.assign(**{f"x{j}": numbers[:, j] for j in range(9)}), np.column_stack([*codes, numbers]), y


def many_classes() -> Iterator[Contest]:
    frame, matrix, y = made_of_levels(100_000)
    train, test = slice(0, 80_000), slice(80_000, None)

    yield Contest(
        "RandomForestClassifier, 30 trees, 80,000 × 29, 20 columns of levels, 8 classes; peer on their codes",
        lambda: ensemble.RandomForestClassifier(30, random_state=0).fit(frame[train], y[train]),
        "scikit-learn",
        lambda: sklearn.ensemble.RandomForestClassifier(30, n_jobs=-1, random_state=0).fit(matrix[train], y[train]),
        4.0,
        lambda a, b: _two(a, frame[test], b, matrix[test], y[test]),
        rounds=2,
    )
    yield Contest(
        "ExtraTreesClassifier, 30 trees, 80,000 × 29, 8 classes, codes as numbers",
        lambda: ensemble.ExtraTreesClassifier(30, random_state=0).fit(matrix[train], y[train]),
        "scikit-learn",
        lambda: sklearn.ensemble.ExtraTreesClassifier(30, n_jobs=-1, random_state=0).fit(matrix[train], y[train]),
        4.0,
        lambda a, b: _two(a, matrix[test], b, matrix[test], y[test]),
        rounds=2,
    )


def _two(a: Any, X_a: Any, b: Any, X_b: Any, y: np.ndarray) -> str:
    clipped = [np.clip(model.predict_proba(X), 1e-3, 1.0) for model, X in ((a, X_a), (b, X_b))]
    losses = [log_loss(y, p / p.sum(axis=1, keepdims=True)) for p in clipped]
    return f"accuracy {a.score(X_a, y):.4f} and {b.score(X_b, y):.4f}, log loss {losses[0]:.3f} and {losses[1]:.3f}"


def regression() -> Iterator[Contest]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 10))
    y = X[:, :3].sum(axis=1) + X[:, 3] * X[:, 4] + rng.normal(size=len(X))
    train, test = slice(0, 50_000), slice(50_000, None)
    for name in ("RandomForestRegressor", "ExtraTreesRegressor"):
        ours, theirs = getattr(ensemble, name), getattr(sklearn.ensemble, name)
        yield Contest(
            f"{name}, 30 trees, 50,000 × 10",
            partial(_fitted, ours, X[train], y[train]),
            "scikit-learn",
            partial(_fitted, theirs, X[train], y[train], n_jobs=-1),
            6.0 if name == "RandomForestRegressor" else 4.0,
            lambda a, b: f"R² {a.score(X[test], y[test]):.4f} and {b.score(X[test], y[test]):.4f}",
            rounds=2,
        )


def _fitted(model: Any, X: np.ndarray, y: np.ndarray, **parameters: Any) -> Any:
    return model(30, random_state=0, **parameters).fit(X, y)
