"""``python -m research.paired_gaps [chosen | judged] [--samples N]``: do 95 % intervals of the gap hold?

The gap is the mean squared error on the test rows of the default splits, less that on the training rows. Printed is the
share of intervals that hold the expected gap, and their mean half-width over the needed one, for least squares in
closed form, nearest neighbours and trees. How much of the variance of models counts was chosen on the first
populations, and judged on the others. ``research.curve_bands`` has other measures, and takes longer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

from probus.data import Task
from probus.metrics import Estimate, Outcome, measure
from probus.model_selection import Resampled, splits_of
from probus.model_selection._split_scores import SplitScores, combined
from probus.model_selection._training_intervals import TrainingScores
from research.curve_bands import Sample, fanned, waved

MSE = measure("mse")


@dataclass
class LeastSquares:
    """A linear model with this penalty on squared coefficients."""

    penalty: float = 0.0

    def fit(self, X: np.ndarray, y: np.ndarray) -> LeastSquares:
        self.centre, self.mean = X.mean(axis=0), y.mean()
        Z = X - self.centre
        self.w = np.linalg.solve(Z.T @ Z + self.penalty * np.eye(X.shape[1]), Z.T @ (y - self.mean))
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.asarray((X - self.centre) @ self.w + self.mean)


def lined(columns: int) -> Sample:
    """A linear target with normal errors."""

    def sample(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        X = rng.normal(size=(n, columns))
        return X, X[:, 0] - X[:, 1] / 2 + rng.normal(size=n)

    return sample


def _tree(**parameters: Any) -> Callable[[], Any]:
    return lambda: DecisionTreeRegressor(random_state=0, **parameters)


CELLS: dict[str, list[tuple[str, Sample, Callable[[], Any], int]]] = {
    "chosen": [
        ("t₆ errors, linear", waved(6), LeastSquares, 100),
        ("12 columns, linear", lined(12), LeastSquares, 200),
        ("t₆ errors, tree of depth 4", waved(6), _tree(max_depth=4), 200),
        ("4 columns, full tree", lined(4), _tree(), 150),
    ],
    "judged": [
        ("growing errors, ridge", fanned, lambda: LeastSquares(1.0), 200),
        ("25 columns, linear", lined(25), LeastSquares, 400),
        ("growing errors, 7-NN", fanned, lambda: KNeighborsRegressor(7), 200),
        ("t₈ errors, tree of 10 leaves", waved(8), _tree(max_leaf_nodes=10), 400),
        ("growing errors, leaves of 3", fanned, _tree(min_samples_leaf=3), 300),
    ],
}


def gap(sample: Sample, model: Callable[[], Any], n: int, rng: np.random.Generator, seed: int) -> Estimate:
    """The gap on one sample, with its interval."""
    X, y = sample(rng, n)
    task = Task({"y": y, "x": X[:, 0]}, target="y")
    splits = splits_of(None, task, random_state=seed)
    on_train, on_test = [], []
    for train, test in splits.pairs:
        fitted = model().fit(X[train], y[train])
        on_train.append(Outcome(y[train], fitted.predict(X[train])))
        on_test.append(Outcome(y[test], fitted.predict(X[test])))
    trained = TrainingScores.of(MSE, on_train, [train for train, _ in splits.pairs], task)
    scores = np.array([MSE.compute(each) for each in on_train])
    tested = SplitScores.of_test_rows(Resampled("model", task, splits, tuple(on_test), (MSE,)), MSE)
    terms = [(1.0, tested), (-1.0, SplitScores.of_training_rows(scores, trained))]
    return combined(terms, splits.test_to_train, same_models=True)


def expected(sample: Sample, model: Callable[[], Any], n: int, times: int) -> float:
    """The mean gap over training sets of four fifths of the rows."""
    rng, found = np.random.default_rng(7), []
    for _ in range(times):
        X, y = sample(rng, n + 1000)
        fitted = model().fit(X[: 4 * n // 5], y[: 4 * n // 5])
        error = (fitted.predict(X) - y) ** 2
        found.append(error[n:].mean() - error[: 4 * n // 5].mean())
    return float(np.mean(found))


def main(given: list[str]) -> None:
    samples = int(given[given.index("--samples") + 1]) if "--samples" in given else 200
    print("| | population and model | rows | gap | cover | half-width / needed |\n|---|---|---|---|---|---|")
    for name in [word for word in given if word in CELLS] or CELLS:
        for what, sample, model, n in CELLS[name]:
            truth, rng = expected(sample, model, n, 4 * samples), np.random.default_rng(8)
            found = [gap(sample, model, n, rng, seed) for seed in range(samples)]
            held = 100 * np.mean([truth in each for each in found])
            needed = 1.96 * np.std([each.value for each in found], ddof=1)
            width = np.mean([each.high - each.low for each in found]) / 2 / needed
            print(f"| {name} | {what} | {n} | {truth:.3f} | {held:.0f} | {width:.2f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
