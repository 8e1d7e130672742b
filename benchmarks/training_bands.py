"""``python -m benchmarks.training_bands [fresh] [--replications N]``: do 95 % bands of training scores hold?

Samples are drawn from populations, a learning curve is computed on each at all training rows and a quarter of them, and
the share of its training bands is printed that hold the expected training score of a training set of that size, which
is known from 500 other ones; beside it their median half-width over the one needed. At 100 replications the share is
known to about ±4 points. The formula was chosen on the populations without a mark, nothing on the fresh ones.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from probus.data import Task
from probus.metrics import measure
from probus.model_selection import learning_curve

Sample = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]
SHARES = (1.0, 0.25)


@dataclass(frozen=True)
class Band:
    """A population, a model, and the measures of its training score."""

    what: str
    sample: Sample
    model: Any
    n: int
    metrics: tuple[str, ...]
    fresh: bool = False


def shifted(share: float, distance: float, columns: int) -> Sample:
    """Two normal classes that differ in two columns."""

    def sample(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        y = (rng.random(n) < share).astype(np.int64)
        X = rng.normal(size=(n, columns))
        X[:, 0] += distance * y
        X[:, 1] += distance / 2 * y
        return X, y

    return sample


def ringed(classes: int, noise: float) -> Sample:
    """Classes by distance from the centre, with noise."""

    def sample(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        X = rng.normal(size=(n, 3))
        r = np.sqrt((X[:, :2] ** 2).sum(axis=1)) + noise * rng.normal(size=n)
        return X, np.clip((r * classes / 2.5).astype(np.int64), 0, classes - 1)

    return sample


def waved(df: float) -> Sample:
    """A linear and a wavy column, and t errors."""

    def sample(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        X = rng.normal(size=(n, 5))
        return X, X[:, 0] + np.sin(2 * X[:, 1]) + rng.standard_t(df, n)

    return sample


def fanned(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Errors that grow with a column."""
    X = rng.uniform(0, 2, (n, 3))
    return X, X[:, 0] * X[:, 1] + (0.2 + X[:, 2]) * rng.normal(size=n)


BANDS = (
    Band("even classes, naive Bayes", shifted(0.5, 1.0, 4), GaussianNB(), 200, ("accuracy", "log_loss")),
    Band("10 % positive, naive Bayes", shifted(0.1, 1.5, 4), GaussianNB(), 300, ("accuracy", "log_loss")),
    Band("30 % positive, logistic", shifted(0.3, 0.7, 8), LogisticRegression(C=100), 300, ("accuracy", "log_loss")),
    Band(
        "even classes, tree of depth 3", shifted(0.5, 1.0, 4), DecisionTreeClassifier(max_depth=3), 200, ("accuracy",)
    ),
    Band("t6 errors, linear", waved(6), LinearRegression(), 100, ("mse",)),
    Band("t6 errors, tree of depth 4", waved(6), DecisionTreeRegressor(max_depth=4), 200, ("mse",)),
    Band("5 % positive, logistic", shifted(0.05, 2.0, 3), LogisticRegression(), 400, ("accuracy", "brier"), True),
    Band("three rings, tree of depth 5", ringed(3, 0.4), DecisionTreeClassifier(max_depth=5), 300, ("accuracy",), True),
    Band("three rings, 9-NN", ringed(3, 0.4), KNeighborsClassifier(9), 300, ("accuracy",), True),
    Band("20 % positive, naive Bayes", shifted(0.2, 1.0, 6), GaussianNB(), 500, ("accuracy", "roc_auc", "f1"), True),
    Band("growing errors, ridge", fanned, Ridge(), 200, ("rmse", "mae"), True),
    Band("growing errors, 7-NN", fanned, KNeighborsRegressor(7), 200, ("rmse",), True),
    Band("t8 errors, tree of 10 leaves", waved(8), DecisionTreeRegressor(max_leaf_nodes=10), 400, ("mse", "r2"), True),
)


def truths(band: Band, size: int, times: int = 500) -> dict[str, float]:
    """The expected score on the training rows, over training sets of that size with every class."""
    rng, found = np.random.default_rng(7), []
    while len(found) < times:
        X, y = band.sample(rng, size)
        model = clone(band.model)
        if is_classifier(model) and len(np.unique(y)) < 2:
            continue
        model.fit(X, y)
        predicted = model.predict_proba(X) if is_classifier(model) else model.predict(X)
        how = {"classes": model.classes_.tolist()} if is_classifier(model) else {}
        found.append([measure(name)(y, _labels(name, predicted, model), **how) for name in band.metrics])
    return dict(zip(band.metrics, np.nanmean(found, axis=0).tolist(), strict=True))


def _labels(name: str, predicted: np.ndarray, model: Any) -> np.ndarray:
    if predicted.ndim == 2 and measure(name).needs == "labels":
        return model.classes_[predicted.argmax(axis=1)]
    return predicted[:, 1] if predicted.ndim == 2 and name == "roc_auc" else predicted


def coverage(band: Band, replications: int) -> list[str]:
    """A line for each measure: coverage and width at every size."""
    sizes = [int(0.8 * band.n * share) for share in SHARES]
    truth = {size: truths(band, size) for size in sizes}
    rng, found = np.random.default_rng(8), []
    for seed in range(replications):
        X, y = band.sample(rng, band.n)
        columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
        labels = np.array([f"c{code}" for code in y]) if is_classifier(band.model) else y
        task = Task({**columns, "y": labels}, target="y")
        curve = learning_curve(band.model, task, train_sizes=sizes, scoring=list(band.metrics), random_state=seed)
        found.append([[curve.estimate(size, name, "train") for size in sizes] for name in band.metrics])
    lines = []
    for m, name in enumerate(band.metrics):
        cells = []
        for s, size in enumerate(sizes):
            estimates = [each[m][s] for each in found]
            held = np.mean([truth[size][name] in each for each in estimates])
            needed = 1.96 * np.std([each.value for each in estimates])
            width = np.median([each.half_width for each in estimates]) / needed
            cells.append(f"{100 * held:.0f} ({width:.2f})")
        lines.append(f"| {name} | {band.what}, {band.n} rows | {'yes' if band.fresh else ''} | {' · '.join(cells)} |")
    return lines


def table(bands: Sequence[Band], replications: int) -> None:
    print("| measure | population and model | fresh | held, per cent (half-width / needed): all rows · a quarter |")
    print("|---|---|---|---|")
    for band in bands:
        print(*coverage(band, replications), sep="\n", flush=True)


def main(arguments: list[str]) -> None:
    warnings.simplefilter("ignore")
    replications = int(arguments[arguments.index("--replications") + 1]) if "--replications" in arguments else 100
    table([band for band in BANDS if band.fresh or "fresh" not in arguments], replications)


if __name__ == "__main__":
    main(sys.argv[1:])
