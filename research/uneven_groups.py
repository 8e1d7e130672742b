"""``python -m research.uneven_groups [samples] [cells]``: do intervals and verdicts hold for new groups and later rows?

Repeated measures of groups of unequal sizes, and rows in time. ``coverage``: how often the interval of ``resample``
holds the expected score, which is the mean over all samples of a cell, and its mean width in those that the spread of
the scores would need. ``size``: how often ``compare`` calls two models different that are equal in expectation: the
same model of either of two columns that are exchangeable.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from probus import Task, compare, resample
from probus.linear_model import LinearRegression, LogisticRegression
from probus.neighbors import KNeighborsClassifier, KNeighborsRegressor
from probus.pipeline import Pipeline

Random = np.random.Generator


def _sizes(rng: Random, how: str, n: int) -> np.ndarray:
    """The rows of each of n groups."""
    if how == "geometric":
        return rng.geometric(0.2, n)
    if how == "log-normal":
        return np.maximum(np.round(np.exp(rng.normal(1.2, 0.9, n))), 1).astype(int)
    if how == "two kinds":
        return np.where(rng.uniform(size=n) < 0.2, 15, 2)
    return rng.integers(1, 12, n)


def measures(rng: Random, how: str, n: int, effect: float, classes: bool) -> dict[str, Any]:
    """Repeated measures: two exchangeable columns, partly the same within a group, and an effect of the group."""
    sizes = _sizes(rng, how, n)
    of = np.repeat(np.arange(n), sizes)
    X = (0.7 * rng.normal(size=(n, 2)))[of] + 0.7 * rng.normal(size=(len(of), 2))
    score = X.sum(axis=1) + effect * rng.normal(size=n)[of]
    y = np.where(score + rng.logistic(size=len(of)) > 0, "b", "a") if classes else score + rng.normal(size=len(of))
    return {"who": of, "day": rng.uniform(0, 100, len(of)), "u": X[:, 0], "v": X[:, 1], "y": y}


def series(rng: Random, how: str, n: int, effect: float, classes: bool) -> dict[str, Any]:
    """Rows in time, several at one time, without memory but for their columns."""
    day = np.sort(rng.integers(0, n if how == "few ties" else n // 6, n))
    X = rng.normal(size=(n, 2)) if how != "heavy" else rng.standard_t(4, size=(n, 2))
    score = effect * X.sum(axis=1)
    y = np.where(score + rng.logistic(size=n) > 0, "b", "a") if classes else score + rng.normal(size=n)
    return {"who": np.arange(n), "day": day, "u": X[:, 0], "v": X[:, 1], "y": y}


CELLS: dict[str, tuple[Callable[..., Any], str, int, float, bool, str, str]] = {
    # they judge: how unequal groups are drawn was chosen on means of losses without models
    "60 groups, geometric, logistic": (measures, "geometric", 60, 1.0, True, "group:who", "linear"),
    "40 groups, log-normal, 15-NN": (measures, "log-normal", 40, 1.0, True, "group:who", "neighbors"),
    "80 groups, two kinds, least squares": (measures, "two kinds", 80, 1.0, False, "group:who", "linear"),
    "30 groups, uniform, least squares": (measures, "uniform", 30, 0.7, False, "group:who", "linear"),
    "300 in time, ties, logistic": (series, "ties", 300, 0.7, True, "time:day", "linear"),
    "240 in time, heavy, least squares": (series, "heavy", 240, 0.7, False, "time:day", "linear"),
    "60 groups and time, geometric, logistic": (measures, "geometric", 60, 1.0, True, "group:who,time:day", "linear"),
    "80 groups and time, two kinds, squares": (measures, "two kinds", 80, 1.0, False, "group:who,time:day", "linear"),
}


def _model(classes: bool, how: str) -> Any:
    if how == "neighbors":
        return KNeighborsClassifier(15) if classes else KNeighborsRegressor(15)
    return LogisticRegression() if classes else LinearRegression()


def _task(columns: dict[str, Any], split: str) -> Task:
    roles = {}
    if "group" in split:
        roles["group"] = "who"
    if "time" in split:
        roles["time"] = "day"
    dropped = [name for name in ("who", "day") if name not in roles.values()]
    return Task({name: values for name, values in columns.items() if name not in dropped}, "y", **roles)


def main(arguments: list[str]) -> None:
    """Print, for each cell, the coverage of each score with its width, and the size of the comparison."""
    samples = int(arguments[0]) if arguments else 100
    chosen = arguments[1:] or [*map(str, range(len(CELLS)))]
    warnings.simplefilter("ignore")
    for number, (name, (made, how, n, effect, classes, split, model)) in enumerate(CELLS.items()):
        if str(number) not in chosen:
            continue
        scorings = ["roc_auc", "log_loss", "accuracy"] if classes else ["rmse", "r2", "mae"]
        found: dict[str, list[tuple[float, float, float]]] = {each: [] for each in scorings}
        different = 0
        for i in range(samples):
            rng = np.random.default_rng([number, i])
            task = _task(made(rng, how, n, effect, classes), split)
            result = resample(_model(classes, model), task, scoring=scorings, random_state=0, cv=5)
            for each in scorings:
                estimate = result.estimate(each)
                found[each].append((estimate.value, estimate.low, estimate.high))
            first, second = (_column(_model(classes, model), each) for each in "uv")
            verdict = compare({"u": first, "v": second}, task, scoring=scorings[0], random_state=0, cv=5)
            different += verdict.tests["u", "v"].decided
        texts = []
        for each, rows in found.items():
            values = np.array(rows)
            truth = values[:, 0].mean()
            held = ((values[:, 1] <= truth) & (truth <= values[:, 2])).mean()
            width = (values[:, 2] - values[:, 1]).mean() / (3.92 * values[:, 0].std(ddof=1))
            texts.append(f"{each} {100 * held:.1f} ({width:.2f})")
        print(f"| {name} | {' · '.join(texts)} | size {100 * different / samples:.1f} |", flush=True)


def _column(model: Any, name: str) -> Any:
    from sklearn.compose import ColumnTransformer

    return Pipeline([("only", ColumnTransformer([("only", "passthrough", [name])])), ("model", model)])


if __name__ == "__main__":
    main(sys.argv[1:])
