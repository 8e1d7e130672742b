"""``python -m research.noise_columns [fresh] [method …]``: do intervals of importance of columns of noise hold 0?

Samples are drawn from populations with two columns that decide the target and columns of noise. Printed is the share of
95 % intervals of each column of noise that hold 0: of one on its own, one that correlates by 0.8 with a column that
decides, and a nominal one of 40 levels. The correlated one is noise only given its neighbour, so that it is of interest
where columns are shuffled conditionally or dropped; shuffled alone, models that use it lose by it.

Rules were chosen on the populations without a mark. The fresh ones judged them only. At 300 replications a share is
known to about ±2.5 points. ``REPLICATIONS=100`` changes their number.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

import probus
from probus.data import Table, Task
from probus.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from probus.linear_model import LinearRegression, LogisticRegression

REPLICATIONS = int(os.environ.get("REPLICATIONS", "300"))
NOISE = ("alone", "beside", "levels")
Draw = Callable[[np.random.Generator, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Population:
    """A population: how the target is drawn from two columns, and models for it."""

    what: str
    target: Draw
    models: tuple[Any, ...]
    rows: int
    fresh: bool = False

    def sample(self, rng: np.random.Generator, n: int) -> Task:
        a, b = rng.normal(size=(2, n))
        table = {
            "a": a, "b": b, "alone": rng.normal(size=n), "beside": 0.8 * a + 0.6 * rng.normal(size=n),
            "levels": np.array([f"l{k}" for k in rng.integers(0, 40, n)]), "y": self.target(rng, a, b),
        }  # fmt: skip
        return Task(Table.of(table).with_kinds(levels="nominal"), "y")


def numbers(rng: np.random.Generator, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a + np.sin(2 * b) + rng.normal(size=len(a))


def two_classes(rng: np.random.Generator, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.where(a + b + rng.normal(size=len(a)) > 0, "yes", "no")


def three_classes(rng: np.random.Generator, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array(["low", "mid", "top"])[np.clip((a + b * a + rng.normal(size=len(a)) + 1.5).astype(int), 0, 2)]


def rare(rng: np.random.Generator, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.where(a + 0.5 * b + rng.normal(size=len(a)) > 1.6, "yes", "no")


def heavy(rng: np.random.Generator, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a * b + a + 0.7 * rng.standard_t(4, len(a))


FOREST = RandomForestClassifier(50, random_state=0, n_jobs=1)
NUMBERS = RandomForestRegressor(50, random_state=0, n_jobs=1)
BOOSTED = HistGradientBoostingClassifier(max_iter=30, early_stopping=False)
POPULATIONS = (
    Population("numbers", numbers, (NUMBERS, LinearRegression()), 300),
    Population("two classes", two_classes, (FOREST, LogisticRegression()), 300),
    Population("three classes", three_classes, (FOREST, BOOSTED), 400, True),
    Population("one in ten", rare, (BOOSTED, LogisticRegression()), 400, True),
    Population("heavy tails", heavy, (NUMBERS,), 250, True),
)


def given(model: Any, of: Population, rng: np.random.Generator, **how: Any) -> Any:
    """A model fitted on other rows."""
    train, test = of.sample(rng, of.rows), of.sample(rng, of.rows)
    return probus.importance(probus.tabular(model).fit(train.X, train.y), test, **how)


def splits(model: Any, of: Population, rng: np.random.Generator, **how: Any) -> Any:
    return probus.importance(model, of.sample(rng, of.rows), **how)


def out_of_bag(model: Any, of: Population, rng: np.random.Generator, **how: Any) -> Any:
    task = of.sample(rng, of.rows)
    return probus.importance(model.fit(task.X, task.y), task, out_of_bag=True, **how)


METHODS: dict[str, tuple[Any, dict[str, Any], tuple[str, ...]]] = {
    "permutation": (given, {}, ("alone", "levels")),
    "accuracy": (given, {"scoring": "accuracy"}, ("alone", "levels")),
    "conditional": (given, {"conditional": True}, NOISE),
    "out_of_bag": (out_of_bag, {}, ("alone", "levels")),
    "splits": (splits, {"cv": 5}, ("alone", "levels")),
    "repeated": (splits, {}, ("alone", "levels")),
    "drop": (splits, {"method": "drop", "cv": 5}, NOISE),
    "weight": (splits, {"method": "weight"}, ("alone", "beside")),
    "correlation": (splits, {"method": "correlation"}, ("alone", "levels")),
    "total_variation": (splits, {"method": "total_variation"}, ("alone", "levels")),
}


def suits(method: str, model: Any, of: Population) -> bool:
    """Whether a method is defined for a model and a population, and not the same for another model."""
    classes = of.target not in (numbers, heavy)
    linear, forest = hasattr(model, "fit_intercept"), hasattr(model, "bootstrap")
    return {
        "accuracy": classes, "out_of_bag": forest, "weight": linear, "correlation": model is of.models[0],
        "total_variation": classes and model is of.models[0],
    }.get(method, True)  # fmt: skip


def held(method: str, model: Any, of: Population) -> str:
    """Per cent of the intervals of each column of noise that hold 0."""
    measure, how, names = METHODS[method]
    rng, inside = np.random.default_rng([len(of.what), 7]), dict.fromkeys(names, 0)
    for _ in range(REPLICATIONS):
        found = measure(clone(model), of, rng, **how)
        for name in names:
            inside[name] += 0.0 in found[name]
    return " · ".join(f"{name} {100 * count / REPLICATIONS:.0f}" for name, count in inside.items())


def main(arguments: list[str]) -> None:
    warnings.simplefilter("ignore")
    chosen = [name for name in arguments if name in METHODS] or list(METHODS)
    print("| population | fresh | method | model | intervals that hold 0, per cent |")
    print("|---|---|---|---|---|")
    for of in POPULATIONS:
        if of.fresh != ("fresh" in arguments):
            continue
        for method in chosen:
            for model in of.models:
                if suits(method, model, of):
                    line = held(method, model, of)
                    cells = (of.what, "yes" if of.fresh else "", method, type(model).__name__, line)
                    print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
