"""``python -m research.curve_bands [fresh] [--replications N] [word …]``: do 95 % bands of learning curves hold?

Samples are drawn from populations, a learning curve is computed on each at all training rows and a quarter of them, and
the share of its bands of training scores, of test scores and of the gap between them is printed that hold the expected
score of a training set of that size, which is known from 500 other ones; beside it their mean half-width over the one
needed. At 100 replications the share is known to about ±4 points. The formula of training bands was chosen on the
populations without a mark, nothing on the fresh ones; that of test bands is the one of ``resample``.
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
from probus.metrics import Measure, Outcome, measure
from probus.metrics.resample_forms import Ranks
from probus.model_selection import LearningCurve, learning_curve, splits_of
from probus.model_selection._joined_outcomes import joined

Sample = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]
SHARES = (1.0, 0.25)
CLASSES = ("a", "b", "c")


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


TIMES, FRESH_ROWS = 500, 500


def truths(band: Band, size: int) -> np.ndarray:
    """The expected score on training and other rows, and their gap, over training sets of that size: [part, measure].

    Functions of means, such as the RMSE, are those of the expected means.
    """
    rng, outcomes = np.random.default_rng(7), []
    while len(outcomes) < TIMES:
        X, y = band.sample(rng, size + FRESH_ROWS)
        if is_classifier(band.model) and len(np.unique(y[:size])) < 2:
            continue
        model = clone(band.model).fit(X[:size], y[:size])
        outcomes.append([_outcome(model, X[part], y[part]) for part in (slice(size), slice(size, None))])
    found = []
    for part in zip(*outcomes, strict=True):
        everything = joined(part)
        found.append([_score(measure(name), part, everything) for name in band.metrics])
    signs = [measure(name).better(1) for name in band.metrics]
    return np.array([*found, (np.array(found[0]) - found[1]) * signs])


def _outcome(model: Any, X: np.ndarray, y: np.ndarray) -> Outcome:
    if not is_classifier(model):
        return Outcome(y, model.predict(X))
    k = len(CLASSES)
    p = np.zeros((len(y), k))
    p[:, model.classes_] = model.predict_proba(X)
    used = k if p[:, 2].any() or (y == 2).any() else 2
    return Outcome(y, classes=CLASSES[:used], positive=1 if used == 2 else None).with_probabilities(p[:, :used])


def _score(chosen: Measure, outcomes: Sequence[Outcome], everything: Outcome) -> float:
    if isinstance(chosen.form_of(everything), Ranks):
        return float(np.nanmean([chosen.compute(each) for each in outcomes]))
    return chosen.compute(everything)


def bands_of(band: Band, replications: int) -> tuple[np.ndarray, np.ndarray]:
    """The share of bands that hold, and their half-width over the needed one: [sizes, measures, parts]."""
    sizes = [int(0.8 * band.n * share) for share in SHARES]
    truth = np.array([truths(band, size) for size in sizes]).transpose(0, 2, 1)
    rng, found = np.random.default_rng(8), []
    for seed in range(replications):
        X, y = band.sample(rng, band.n)
        labels = np.array(CLASSES)[y] if is_classifier(band.model) else y
        splits = splits_of(None, Task({"x": X[:, 0], "y": labels}, target="y"), random_state=seed)
        how: dict[str, Any] = {"cv": splits, "scoring": list(band.metrics), "shuffle": True, "random_state": seed}
        curve = learning_curve(band.model, X, labels, train_sizes=sizes, **how)
        found.append([[_estimates(curve, size, name) for name in band.metrics] for size in sizes])
    value, low, high = np.moveaxis(np.array(found), -1, 0)
    held = np.mean((low <= truth) & (truth <= high), axis=0)
    return held, np.mean(high - low, axis=0) / 2 / (1.96 * value.std(axis=0, ddof=1))


def coverage(band: Band, replications: int) -> list[str]:
    """A line for each measure, a column for each part: coverage and width at every size."""
    held, width = bands_of(band, replications)
    lines = []
    for m, name in enumerate(band.metrics):
        cells = [
            " · ".join(f"{100 * h:.0f} ({w:.2f})" for h, w in zip(held[:, m, p], width[:, m, p], strict=True))
            for p in range(held.shape[2])
        ]
        lines.append(f"| {name} | {band.what}, {band.n} rows | {'yes' if band.fresh else ''} | {' | '.join(cells)} |")
    return lines


def _estimates(curve: LearningCurve, size: int, name: str) -> list[tuple[float, float, float]]:
    found = [curve.estimate(size, name, "train"), curve.estimate(size, name, "test"), curve.gap(size, name)]
    return [(each.value, each.low, each.high) for each in found]


def table(bands: Sequence[Band], replications: int) -> None:
    print("| measure | population and model | fresh | train: all rows · a quarter | test | gap |")
    print("|---|---|---|---|---|---|")
    for band in bands:
        print(*coverage(band, replications), sep="\n", flush=True)


def main(arguments: list[str]) -> None:
    warnings.simplefilter("ignore")
    replications = int(arguments[arguments.index("--replications") + 1]) if "--replications" in arguments else 100
    only = [word for word in arguments if not word.startswith("--") and not word.isdigit() and word != "fresh"]
    bands = [band for band in BANDS if band.fresh or "fresh" not in arguments]
    table([band for band in bands if not only or any(word in band.what for word in only)], replications)


if __name__ == "__main__":
    main(sys.argv[1:])
