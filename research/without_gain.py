"""What a study should save where no gain over the baseline is clear.

The baseline, the simplest model that ranks before it, or the best.

``python -m research.without_gain [tables]`` draws tables of nine populations and prints, for those without a clear
gain, the held-out loss (log loss, RMSE) less that of the baseline. The rule was chosen on A to C; D to F, written down
with them, and G to I, with few rows and a stronger signal, written down afterwards, judge it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

import probus
from probus.lifecycle import _conclusion as conclusion
from probus.lifecycle._ranking import chosen_model, gains

__all__ = ["main"]

Draw = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]
_NEW = 4_000


def _nothing(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Four classes, one with 80 %, no signal."""
    return rng.normal(size=(n, 8)), np.array(list("abcd"))[rng.choice(4, n, p=[0.8, 0.08, 0.07, 0.05])]


def _weak_classes(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes, 12 % positives, a weak linear signal."""
    X = rng.normal(size=(n, 6))
    return X, np.where(rng.random(n) < 1 / (1 + np.exp(2.2 - 0.5 * X[:, 0])), "yes", "no")


def _weak_numbers(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers, R² 0.04."""
    X = rng.normal(size=(n, 6))
    return X, 0.2 * X[:, 0] + rng.normal(size=n)


def _interaction(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Three classes, 70, 20 and 10 %, an interaction."""
    X = rng.normal(size=(n, 5))
    z, u = 0.8 * (X[:, 0] * X[:, 1] > 0), rng.random(n)
    return X, np.where(u < 0.7 - 0.15 * z, "a", np.where(u < 0.9 - 0.1 * z, "b", "c"))


def _one_level(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes, 8 % positives, four times as many on one level."""
    X, level = rng.normal(size=(n, 5)), rng.random(n) < 0.2
    X[:, 0] = level
    return X, np.where(rng.random(n) < np.where(level, 0.2, 0.05), "yes", "no")


def _step(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers with heavy tails, a step of one column."""
    X = rng.normal(size=(n, 5))
    return X, 0.6 * (X[:, 1] > 1) + rng.standard_t(3, size=n)


def _few_numbers(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Few numbers, R² 0.4."""
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + 1.2 * rng.normal(size=n)


def _few_of_three(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Few rows of three classes."""
    X = rng.normal(size=(n, 3))
    scores = np.stack([0.7 * X[:, 0], 0.7 * X[:, 1], np.full(n, 0.3)]) + rng.gumbel(size=(3, n))
    return X, np.array(list("abc"))[scores.argmax(axis=0)]


def _few_of_two(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Few rows of two classes, ROC AUC 0.72."""
    X = rng.normal(size=(n, 3))
    return X, np.where(rng.random(n) < 1 / (1 + np.exp(1 - 0.9 * X[:, 0])), "yes", "no")


POPULATIONS: dict[str, tuple[Draw, int]] = {
    "A": (_nothing, 237), "B": (_weak_classes, 120), "C": (_weak_numbers, 80), "D": (_interaction, 150),
    "E": (_one_level, 200), "F": (_step, 90), "G": (_few_numbers, 18), "H": (_few_of_three, 40),
    "I": (_few_of_two, 45),
}  # fmt: skip


def _losses(draw: Draw, n: int, rng: np.random.Generator) -> dict[str, float] | None:
    """The held-out loss of each choice; None where the gain is clear, or the baseline is the best."""
    X, y = draw(rng, n)
    new, truth = draw(rng, _NEW)
    table = {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": y}
    held_out = probus.Table.of({f"x{j}": new[:, j] for j in range(X.shape[1])})
    found: dict[str, float] = {}
    for name in ("baseline", "simplest", "best"):
        clear = []

        def choose(board, baseline, name=name, clear=clear):
            clear.append(gains(board, baseline) or board.best.name == baseline)
            if name == "simplest":
                return chosen_model(board, baseline)
            return baseline if name == "baseline" else board.best.name

        conclusion.chosen_model = choose
        families = ["linear", "tree"] + ["bayes"] * (y.dtype.kind == "U")
        model = probus.study(table, target="y", models=families, evaluations=0, cv=5, progress=None).model
        if clear[0]:
            return None
        found[name] = _loss(model, held_out, truth)
    return found


def _loss(model, rows, truth: np.ndarray) -> float:
    if truth.dtype.kind != "U":
        return float(np.sqrt(np.mean((model.predict(rows) - truth) ** 2)))
    codes = np.searchsorted(model.classes_, truth)
    return float(-np.log(np.maximum(model.predict_proba(rows)[np.arange(len(codes)), codes], 1e-12)).mean())


def main(tables: int = 24) -> None:
    """Print the mean loss of each choice, less that of the baseline."""
    for name, (draw, n) in POPULATIONS.items():
        seeds = (np.random.default_rng([ord(name), k]) for k in range(tables))
        found = [each for each in (_losses(draw, n, rng) for rng in seeds) if each]
        for choice in ("simplest", "best"):
            more = np.array([each[choice] - each["baseline"] for each in found])
            print(f"{name} {n} rows, {len(found)} of {tables} tables, {choice}: {more.mean():+.3f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
