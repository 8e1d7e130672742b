"""``python -m research.glass_box_bands [--only choosing|judging] [--draws 30]``: do bands hold the true curves?

Additive functions of uniform columns are drawn many times; for each curve the share of the rows at which the band of
95 % holds the true function, centred as the curve is. The populations of ``CHOOSING`` chose the prior (one random walk,
or one and an integrated one), those of ``JUDGING`` only judged it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import norm

SHAPES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "sine": lambda x: np.sin(3 * x),
    "jump": lambda x: 1.0 * (x > 0.3),
    "line": lambda x: 0.7 * x,
    "square": lambda x: x**2,
    "nothing": lambda x: 0.0 * x,
    "kink": np.abs,
    "exponential": lambda x: np.exp(1.5 * x) / 3,
    "waves": lambda x: 0.5 * np.sin(12 * x),
    "levels": lambda x: np.array([0.0, 0.6, -0.4, 0.2, 0.0, 0.9])[np.clip(((x + 1) * 3).astype(int), 0, 5)],
}


class Population(NamedTuple):
    """Columns of these shapes; ``shared`` is the correlation of normal scores, ``kind`` what is drawn of the sum."""

    shapes: tuple[str, ...]
    n: int
    kind: str
    shared: float = 0.0
    noise: float = 0.5


FIRST = ("sine", "jump", "line", "nothing", "square")
OTHER = ("kink", "exponential", "waves", "nothing", "levels", "line")
CHOOSING = (
    Population(FIRST, 500, "numbers"),
    Population(FIRST, 2_000, "numbers"),
    Population(FIRST, 1_000, "classes"),
    Population(FIRST, 500, "numbers", 0.6),
)
JUDGING = (
    Population(OTHER, 400, "numbers", noise=1.0),
    Population(OTHER, 1_500, "numbers", 0.4),
    Population(OTHER, 1_500, "classes"),
    Population(OTHER, 1_500, "counts", 0.3),
    Population(("kink", "exponential", "nothing"), 3_000, "numbers", 0.8, 0.3),
)


def main(arguments: list[str]) -> None:
    draws = int(arguments[arguments.index("--draws") + 1]) if "--draws" in arguments else 30
    halves = {"choosing": CHOOSING, "judging": JUDGING}
    chosen = [arguments[arguments.index("--only") + 1]] if "--only" in arguments else list(halves)
    for name in chosen:
        every = []
        for population in halves[name]:
            held = np.array([covered(population, seed) for seed in range(draws)]).mean(axis=0)
            every.append(held.mean())
            texts = ", ".join(
                f"{shape} {100 * share:.0f}" for shape, share in zip(population.shapes, held, strict=True)
            )
            about = f"{population.kind}, {population.n} rows, correlation {population.shared}, noise {population.noise}"
            print(f"{name}: {about}: {100 * held.mean():.1f} % ({texts})", flush=True)
        print(f"{name}: {100 * np.mean(every):.1f} % in the mean", flush=True)


def covered(population: Population, seed: int) -> list[float]:
    """For each column the share of the rows at which its band holds the true function."""
    from probus.ensemble import ExplainableBoostingClassifier, ExplainableBoostingRegressor

    X, y, truth = drawn(population, np.random.default_rng(seed))
    how: dict[str, Any] = {"interactions": 0, "random_state": seed, "n_jobs": 1}
    names = [f"x{j}" for j in range(X.shape[1])]
    columns: dict[str, Any] = dict(zip(names, X.T, strict=True))
    for name, shape in zip(names, population.shapes, strict=True):
        if shape == "levels":
            columns[name] = np.array(list("abcdef"))[np.clip(((columns[name] + 1) * 3).astype(int), 0, 5)]
    if population.kind == "classes":
        model: Any = ExplainableBoostingClassifier(**how)
    else:
        loss = "poisson" if population.kind == "counts" else "squared_error"
        model = ExplainableBoostingRegressor(objective=loss, **how)
    model.fit(columns, y)
    values = model.explain_local(columns).values[:, :, 0]
    codes = model._codes(columns)
    errors = [model.curve(j).errors[codes[j]] for j in range(len(names))]
    return [float(np.mean(np.abs(values[:, j] - truth[:, j]) <= 1.96 * errors[j])) for j in range(len(names))]


def drawn(population: Population, rows: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, target, and what each column adds on the scale of the link, centred."""
    d, shared = len(population.shapes), population.shared
    scores = np.sqrt(1 - shared) * rows.normal(size=(population.n, d))
    X = 2 * norm.cdf(scores + np.sqrt(shared) * rows.normal(size=(population.n, 1))) - 1
    truth = np.stack([SHAPES[shape](X[:, j]) for j, shape in enumerate(population.shapes)], axis=1)
    truth -= truth.mean(axis=0)
    if population.kind == "classes":
        truth *= 2
        return X, rows.random(population.n) < 1 / (1 + np.exp(-truth.sum(axis=1))), truth
    if population.kind == "counts":
        return X, rows.poisson(np.exp(0.5 + truth.sum(axis=1))), truth
    return X, truth.sum(axis=1) + population.noise * rows.normal(size=population.n), truth


if __name__ == "__main__":
    main(sys.argv[1:])
