"""``python -m research.pooled_folds``: McNemar's test and Cochran's Q on predictions of several folds.

Three models are of one kind, each on five columns of its own that are drawn alike, so that their expected accuracies
are equal. The share of samples is printed in which the tests reject that at 5 %, on pooled predictions of five folds.
"""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from probus.comparison import cochran_q, mcnemar

ROWS, REPLICATIONS = 300, 300
MODELS = {
    "logistic": LogisticRegression(),
    "tree of depth 2, XOR": DecisionTreeClassifier(max_depth=2),
    "tree of depth 3, XOR": DecisionTreeClassifier(max_depth=3),
}


def sample(rng: np.random.Generator, xor: bool) -> tuple[list[np.ndarray], np.ndarray]:
    """The columns of three models, and classes to which each of them is related in the same way."""
    y = rng.integers(0, 2, ROWS)
    columns = []
    for _ in range(3):
        X = rng.normal(size=(ROWS, 5))
        agrees = np.where(rng.random(ROWS) < 0.85, y, 1 - y)
        if xor:
            X[:, 1] = np.abs(X[:, 1]) * np.sign(X[:, 0]) * (2 * agrees - 1)
        else:
            X[:, 0] += agrees
        columns.append(X)
    return columns, y


def rejected(name: str) -> tuple[float, float]:
    """Per cent of samples in which McNemar's test of two models, and Cochran's Q of three, reject."""
    rng, found = np.random.default_rng(0), []
    for seed in range(REPLICATIONS):
        columns, y = sample(rng, "XOR" in name)
        predicted = np.empty((3, ROWS), dtype=np.int64)
        for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(columns[0], y):
            for m, X in enumerate(columns):
                predicted[m, test] = MODELS[name].fit(X[train], y[train]).predict(X[test])
        found.append((mcnemar(y, *predicted[:2]).significant(), cochran_q(y, *predicted).significant()))
    first, second = 100 * np.mean(found, axis=0)
    return float(first), float(second)


def main() -> None:
    print("| models | McNemar, per cent rejected | Cochran's Q |")
    print("|---|---|---|")
    for name in MODELS:
        mcnemars, cochrans = rejected(name)
        print(f"| {name} | {mcnemars:.1f} | {cochrans:.1f} |", flush=True)


if __name__ == "__main__":
    main()
