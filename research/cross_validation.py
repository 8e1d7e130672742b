"""``python -m research.cross_validation [chosen | judged | …] [--samples N] [--cv K] [--repeats N] [cell …]``.

Do the intervals hold? Samples are drawn from a population. A model is cross-validated on each as ``probus.resample``
does by default, or with
``cv=K``, and the share of 95 % intervals that hold the expected score of a model trained on as many rows is printed,
with the mean half-width over the one that is needed (1.96 standard deviations of the score over samples). The expected
score is the mean over samples of a model, trained on one fold's training rows, on rows that no model was trained on.

The constants of ``probus.model_selection._score_variance`` were chosen on the cells of ``CHOSEN``. Those of ``JUDGED``
were written down afterwards, and run once; so were those of ``FRESH``, after the variance of rows that are tested once
and the effect of the strength of the signal had been chosen. Real populations are tables of a folder,
``PROBUS_BENCH_DATA``.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from probus.data import Task
from probus.metrics import Measure, Outcome, measure
from probus.model_selection import Splits, splits_of
from probus.model_selection._joined_outcomes import joined
from probus.model_selection._score_variance import is_unstable
from probus.model_selection._split_intervals import score_interval
from probus.model_selection._splits import halves, repeated_folds
from probus.model_selection._tested_rows import Halves, tested_rows

DATA = Path(os.environ.get("PROBUS_BENCH_DATA", "../shared/data"))
FRESH_ROWS = 4_000
FEWEST = 3  # rows of a class; samples with fewer are drawn again

Sample = tuple[np.ndarray, np.ndarray]
Draw = Callable[[np.random.Generator, int], Sample]


@dataclass(frozen=True)
class Cell:
    """A population, a model, a number of rows, the number of classes, 0 for numbers, and measures other than usual."""

    what: str
    draw: Draw
    model: Any
    n: int
    classes: int = 2
    named: tuple[str, ...] = ()

    @property
    def measures(self) -> list[Measure]:
        if self.named:
            return [measure(name) for name in self.named]
        names = ["accuracy", "balanced_accuracy", "brier"]
        if not self.classes:
            names = ["rmse", "mae", "r2"]
        elif self.classes == 2:
            names += ["f1", "roc_auc"]
        if self.classes and not (isinstance(self.model, DecisionTreeClassifier) and self.model.min_samples_leaf == 1):
            names.append("log_loss")  # that of a leaf of one row is infinite
        return [measure(name) for name in names]


# -- populations ---------------------------------------------------------------------------------------


def shifted(share: float, by: float, d: int = 5) -> Draw:
    """Two normal classes, the positive one shifted along two of d features."""

    def draw(rng: np.random.Generator, n: int) -> Sample:
        y = (rng.random(n) < share).astype(int)
        X = rng.normal(size=(n, d))
        X[:, 0] += by * y
        X[:, 1] += by * y / 2
        return X, y

    return draw


def exclusive_or(rng: np.random.Generator, n: int) -> Sample:
    """Two features of four decide together, one label in ten is flipped."""
    X = rng.normal(size=(n, 4))
    return X, (((X[:, 0] > 0) ^ (X[:, 1] > 0)) ^ (rng.random(n) < 0.1)).astype(int)


def blobs(shares: tuple[float, ...], apart: float, d: int = 6, seed: int = 5) -> Draw:
    """As many normal classes as shares."""
    centres = np.random.default_rng(seed).normal(size=(len(shares), d)) * apart

    def draw(rng: np.random.Generator, n: int) -> Sample:
        y = rng.choice(len(shares), n, p=shares)
        return centres[y] + rng.normal(size=(n, d)), y

    return draw


def linear(df: float, wave: float = 0.0) -> Draw:
    """A linear target, a wave added, with t-distributed errors."""

    def draw(rng: np.random.Generator, n: int) -> Sample:
        X = rng.normal(size=(n, 5))
        return X, X[:, 0] + X[:, 1] / 2 + wave * np.sin(2 * X[:, 2]) + rng.standard_t(df, n)

    return draw


def logistic(share: float, slope: float, *, skewed: bool, d: int = 8) -> Draw:
    """A logistic target of correlated, or of log-normal, features."""

    def draw(rng: np.random.Generator, n: int) -> Sample:
        X = rng.normal(size=(n, d)) + rng.normal(size=(n, 1))
        X = np.exp(X / 2) if skewed else X
        score = slope * ((X[:, 0] - X[:, 1]) + 0.5 * (X[:, 2] - X[:, 3]))
        odds = np.exp(score + np.log(share / (1 - share)))
        return X, (rng.random(n) < odds / (1 + odds)).astype(int)

    return draw


def checkerboard(rng: np.random.Generator, n: int) -> Sample:
    """Three by three fields of two colours, two features of noise, one label in twenty flipped."""
    X = rng.uniform(size=(n, 4))
    fields = np.floor(3 * X[:, 0]) + np.floor(3 * X[:, 1])
    return X, (fields.astype(int) + (rng.random(n) < 0.05)) % 2


def friedman(rng: np.random.Generator, n: int) -> Sample:
    """Friedman's (1991) first function, with t₅ errors."""
    X = rng.uniform(size=(n, 7))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, y + 2 * rng.standard_t(5, n)


def log_normal(rng: np.random.Generator, n: int) -> Sample:
    """A target whose errors grow with it."""
    X = rng.normal(size=(n, 4))
    return X, np.exp(0.4 * X[:, 0] + 0.2 * X[:, 1] + 0.5 * rng.normal(size=n))


def real(file: str, target: str, positive: str | None = None) -> Draw:
    """Rows of a table, without replacement; its numeric columns."""
    kept: list[Sample] = []

    def draw(rng: np.random.Generator, n: int) -> Sample:
        if not kept:
            import pandas as pd

            path = DATA / file
            frame = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
            y = frame.pop(target).to_numpy()
            X = frame.select_dtypes("number").to_numpy(dtype=float)
            X = (np.nan_to_num(X) - np.nanmean(X, axis=0)) / (np.nanstd(X, axis=0) + 1e-12)
            if positive is not None:
                y = np.array([str(each).strip() == positive for each in y]).astype(int)
            elif y.dtype.kind not in "fi":
                y = np.unique(y, return_inverse=True)[1]
            kept.append((X, y))
        X, y = kept[0]
        rows = rng.choice(len(y), min(n, len(y)), replace=False)
        return X[rows], y[rows]

    return draw


# -- cells ---------------------------------------------------------------------------------------------

SIX = (0.4, 0.2, 0.15, 0.1, 0.1, 0.05)
FULL, DEEP = DecisionTreeClassifier(random_state=0), DecisionTreeRegressor(random_state=0)
LOGIT = LogisticRegression(max_iter=300)

CHOSEN = (
    Cell("10 %, weak", shifted(0.1, 0.5), GaussianNB(), 300),
    Cell("10 %, weak", shifted(0.1, 0.5), GaussianNB(), 1000),
    Cell("5 %", shifted(0.05, 1.5), GaussianNB(), 1000),
    Cell("5 %", shifted(0.05, 1.5), FULL, 1000),
    Cell("30 %, weak", shifted(0.3, 0.4), LOGIT, 300),
    Cell("30 %, weak", shifted(0.3, 0.4), LOGIT, 1000),
    Cell("even", shifted(0.5, 1.0), GaussianNB(), 100),
    Cell("even", shifted(0.5, 1.0), GaussianNB(), 300),
    Cell("even", shifted(0.5, 1.0), FULL, 100),
    Cell("even", shifted(0.5, 1.0), FULL, 300),
    Cell("even", shifted(0.5, 1.0), FULL, 1000),
    Cell("30 %, strong", shifted(0.3, 3.5), GaussianNB(), 300),
    Cell("30 %", shifted(0.3, 1.0), KNeighborsClassifier(1), 300),
    Cell("exclusive or", exclusive_or, DecisionTreeClassifier(max_depth=3, random_state=0), 300),
    Cell("exclusive or", exclusive_or, FULL, 300),
    Cell("exclusive or", exclusive_or, FULL, 1000),
    Cell("six classes", blobs(SIX, 0.6), GaussianNB(), 300, 6),
    Cell("six classes", blobs(SIX, 0.6), FULL, 300, 6),
    Cell("normal errors", linear(100.0), LinearRegression(), 100, 0),
    Cell("t₃ errors", linear(3.0), LinearRegression(), 300, 0),
    Cell("t₃ errors", linear(3.0), DEEP, 300, 0),
    Cell("a wave", linear(100.0, 2.0), DecisionTreeRegressor(max_depth=4, random_state=0), 1000, 0),
)

JUDGED = (
    Cell("2 %, skewed features", logistic(0.02, 0.8, skewed=True), LOGIT, 3000),
    Cell("6 %, census", real("census.parquet", "income", "50000+."), LOGIT, 1000),
    Cell("12 %, weak", logistic(0.12, 0.4, skewed=False), KNeighborsClassifier(15), 300),
    Cell("20 %, nothing to learn", logistic(0.2, 0.0, skewed=False), DummyClassifier(strategy="prior"), 100),
    Cell("25 %, weak", logistic(0.25, 0.4, skewed=False), LOGIT, 100),
    Cell("25 %, weak", logistic(0.25, 0.4, skewed=False), LOGIT, 1000),
    Cell("24 %, adult", real("adult.parquet", "class", ">50K"), DecisionTreeClassifier(min_samples_leaf=5), 1000),
    Cell("40 %, spam", real("spam.csv", "type", "spam"), GaussianNB(), 300),
    Cell("50 %, strong", logistic(0.5, 2.5, skewed=False), LOGIT, 300),
    Cell("50 %, strong", logistic(0.5, 2.5, skewed=False), FULL, 300),
    Cell("35 %", logistic(0.35, 1.0, skewed=True), FULL, 1000),
    Cell("checkerboard", checkerboard, FULL, 300),
    Cell("checkerboard", checkerboard, DecisionTreeClassifier(max_depth=4, random_state=0), 1000),
    Cell("six even classes", blobs((1 / 6,) * 6, 0.9, seed=11), KNeighborsClassifier(5), 300, 6),
    Cell("six classes", blobs(SIX, 0.9, seed=11), FULL, 1000, 6),
    Cell("six classes, satellite", real("Satellite.csv", "classes"), GaussianNB(), 1000, 6),
    Cell("Friedman, t₅ errors", friedman, LinearRegression(), 300, 0),
    Cell("Friedman, t₅ errors", friedman, DEEP, 300, 0),
    Cell("Friedman, t₅ errors", friedman, DecisionTreeRegressor(max_depth=6, random_state=0), 1000, 0),
    Cell("log-normal", log_normal, LinearRegression(), 300, 0),
    Cell("housing", real("california_housing.parquet", "MedHouseVal"), LinearRegression(), 1000, 0),
    Cell("housing", real("california_housing.parquet", "MedHouseVal"), DecisionTreeRegressor(max_depth=5), 1000, 0),
)

FRESH = (
    Cell("15 %, weak", logistic(0.15, 0.5, skewed=False), LOGIT, 1000),
    Cell("40 %, weak", logistic(0.4, 0.35, skewed=False), LOGIT, 300),
    Cell("20 %, skewed features", logistic(0.2, 0.6, skewed=True), GaussianNB(), 500),
    Cell("35 %, skewed features", logistic(0.35, 1.0, skewed=True), FULL, 300),
    Cell("24 %, adult", real("adult.parquet", "class", ">50K"), DecisionTreeClassifier(min_samples_leaf=5), 500),
    Cell("30 %", logistic(0.3, 1.0, skewed=False), RandomForestClassifier(15, random_state=0), 300),
    Cell("checkerboard", checkerboard, KNeighborsClassifier(3), 500),
    Cell("four classes", blobs((0.4, 0.3, 0.2, 0.1), 0.8, seed=3), LOGIT, 300, 4),
    Cell("Friedman, t₅ errors", friedman, LinearRegression(), 150, 0),
    Cell("Friedman, t₅ errors", friedman, DEEP, 500, 0),
    Cell("a wave", linear(8.0, 1.5), KNeighborsRegressor(5), 300, 0),
    Cell("25 %, skewed features", logistic(0.25, 1.5, skewed=True), FULL, 600),
    Cell("checkerboard", checkerboard, FULL, 600),
    Cell("log-normal", log_normal, DecisionTreeRegressor(min_samples_leaf=3, random_state=0), 300, 0),
)


FEW_REPEATS = (  # those of JUDGED and FRESH on the same populations have other rows or models
    Cell("25 %, weak", logistic(0.25, 0.4, skewed=False), LOGIT, 1000),
    Cell("25 %, weak", logistic(0.25, 0.4, skewed=False), LOGIT, 100),
    Cell("12 %, weak", logistic(0.12, 0.4, skewed=False), KNeighborsClassifier(15), 300),
    Cell("50 %, strong", logistic(0.5, 2.5, skewed=False), LOGIT, 300),
    Cell("30 %", logistic(0.3, 1.0, skewed=False), RandomForestClassifier(25, min_samples_leaf=2, random_state=0), 400),
    Cell("20 %, skewed features", logistic(0.2, 0.6, skewed=True), GaussianNB(), 500),
    Cell("checkerboard", checkerboard, KNeighborsClassifier(5), 500),
    Cell("checkerboard", checkerboard, DecisionTreeClassifier(max_depth=4, random_state=0), 1000),
    Cell("Friedman, t₅ errors", friedman, LinearRegression(), 150, 0),
    Cell("Friedman, t₅ errors", friedman, KNeighborsRegressor(8), 400, 0),
    Cell("Friedman, t₅ errors", friedman, DecisionTreeRegressor(max_depth=4, random_state=0), 800, 0),
    Cell("log-normal", log_normal, RandomForestRegressor(25, min_samples_leaf=3, random_state=0), 300, 0),
)


# -- simulation ----------------------------------------------------------------------------------------


def predicted(model: Any, X: np.ndarray, y: np.ndarray, classes: int) -> Outcome:
    if not classes:
        return Outcome(y, model.predict(X))
    p = np.zeros((len(y), classes))
    p[:, model.classes_] = model.predict_proba(X)
    return Outcome(y, classes=tuple(range(classes)), positive=1 if classes == 2 else None).with_probabilities(p)


def one_sample(cell: Cell, seed: int, cv: int | None, repeats: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Value, low and high of every measure, and the score of one model on fresh rows."""
    from sklearn.base import clone

    rng = np.random.default_rng([crc32(cell.what.encode()), cell.n, seed])
    X, y = cell.draw(rng, cell.n + FRESH_ROWS)
    while cell.classes and np.bincount(y[: cell.n], minlength=cell.classes).min() < FEWEST:
        X, y = cell.draw(rng, cell.n + FRESH_ROWS)
    X, fresh, y, truth = X[: cell.n], X[cell.n :], y[: cell.n], y[cell.n :]
    task = Task({"y": y.astype(str) if cell.classes else y, "x": X[:, 0]}, target="y")
    splits = splits_of(cv, task, random_state=seed) if repeats is None else repeated_folds(task, cv or 5, repeats, seed)
    train = splits.pairs[0][0]
    expected = predicted(clone(cell.model).fit(X[train], y[train]), fresh, truth, cell.classes)
    outcomes = tested(cell, X, y, splits)
    halved = halves_of(task, splits, outcomes, lambda of_halves: tested(cell, X, y, of_halves))
    once = joined(outcomes[: splits.folds]).take(
        np.argsort(np.concatenate([t for _, t in splits.pairs[: splits.folds]]))
    )
    found = [_interval(each, outcomes, splits, halved, once) for each in cell.measures]
    return np.array(found), np.array([each.compute(expected) for each in cell.measures])


def tested(cell: Cell, X: np.ndarray, y: np.ndarray, splits: Splits) -> list[Outcome]:
    """The outcomes of all splits."""
    from sklearn.base import clone

    return [
        predicted(clone(cell.model).fit(X[train], y[train]), X[test], y[test], cell.classes)
        for train, test in splits.pairs
    ]


def halves_of(
    task: Task, splits: Splits, outcomes: Sequence[Outcome], outcomes_of: Callable[[Splits], list[Outcome]]
) -> Halves | None:
    """The halves that ``probus.resample`` would fit, if any."""
    drawn = halves(task, splits)
    if drawn is None or not is_unstable(outcomes, splits, None):
        return None
    return Halves(drawn, tuple(outcomes_of(drawn)))


def _interval(
    each: Measure, outcomes: list[Outcome], splits: Splits, halved: Halves | None, once: Outcome
) -> tuple[float, float, float]:
    found = tested_rows(each, outcomes, splits, None, halved)
    if found is None:
        return np.nan, np.nan, np.nan
    estimate = score_interval(each, found, once)
    return estimate.value, estimate.low, estimate.high


@dataclass(frozen=True)
class Coverage:
    """A measure, its expected value, the share of intervals that hold it, and their half-width over the needed one.

    wide : the 90th percentile of the half-widths, over the needed one.
    """

    measure: str
    expected: float
    held: float
    width: float
    wide: float


def coverage(cell: Cell, samples: int, cv: int | None = None, repeats: int | None = None) -> Iterator[Coverage]:
    """Of each measure of a cell, by default splits or with so many folds, once or repeated."""
    found = [one_sample(cell, seed, cv, repeats) for seed in range(samples)]
    intervals, fresh = (np.array(each) for each in zip(*found, strict=True))
    for m, each in enumerate(cell.measures):
        value, low, high = intervals[:, m].T
        known = ~np.isnan(value)
        root_mean_square = each.name == "rmse"  # its estimate is the root of a mean
        truth = np.sqrt(np.mean(fresh[:, m] ** 2)) if root_mean_square else float(np.nanmean(fresh[:, m]))
        held = float(np.mean((low <= truth) & (truth <= high), where=known))
        needed = 1.96 * value[known].std(ddof=1)
        half = (high[known] - low[known]) / 2
        mean, wide = (size / needed if needed > 0 else np.inf for size in (half.mean(), np.quantile(half, 0.9)))
        yield Coverage(each.name, truth, held, mean, wide)


def lines(cells: tuple[Cell, ...], samples: int, cv: int | None, repeats: int | None, only: list[str]) -> Iterator[str]:
    yield "| population | model | rows | measure | expected | cover | half-width / needed | 90th percentile |"
    yield "|---|---|---|---|---|---|---|---|"
    for cell in cells:
        if only and not any(word in f"{cell.what} {cell.model} {cell.n}" for word in only):
            continue
        name = str(cell.model).replace("DecisionTree", "Tree").replace(", random_state=0", "")
        for each in coverage(cell, samples, cv, repeats):
            cover = round(100 * each.held)
            shown = f"{cover}" if 93 <= cover <= 97 else f"**{cover}**"
            expected = f"{each.measure} | {each.expected:.3f}"
            yield f"| {cell.what} | {name} | {cell.n} | {expected} | {shown} | {each.width:.2f} | {each.wide:.2f} |"


def main(arguments: list[str]) -> None:
    warnings.simplefilter("ignore")
    cells = {"chosen": CHOSEN, "judged": JUDGED, "fresh": FRESH, "few_repeats": FEW_REPEATS}
    given = {name: int(arguments[i + 1]) for i, name in enumerate(arguments) if name.startswith("--")}
    samples, cv, repeats = given.get("--samples", 300), given.get("--cv"), given.get("--repeats")
    words = [word for word in arguments if not word.startswith("--") and not word.isdigit()]
    only = [word for word in words if word not in cells]
    for name in [word for word in words if word in cells] or cells:
        how = "default splits" if cv is repeats is None else f"{cv or 5} folds, {repeats or 1} times"
        print(f"\n{name}, {samples} samples, {how}\n")
        for line in lines(cells[name], samples, cv, repeats, only):
            print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
