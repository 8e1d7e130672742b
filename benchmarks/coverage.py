"""``python -m benchmarks.coverage [measure … | fresh] [--replications N]``: do 95 % intervals hold 95 times in 100?

Samples are drawn from populations whose score is known, one estimate is made of each, and the share of intervals that
hold the population's score is printed for three methods. The share itself is known to about ±1.4 points at 1,000
replications.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from probus.metrics import Outcome, measure
from probus.metrics.bootstrap import estimate_outcome

SIZES = (50, 200, 1000)
METHODS = ("auto", "bca", "percentile")
PLENTY = 2_000_000  # rows that stand for a population


@dataclass(frozen=True)
class Population:
    """Rows to sample from, the measure of interest, and whether class counts are kept in resamples."""

    metric: str
    what: str
    sample: Callable[[np.random.Generator, int], Outcome]
    stratify: bool = False
    fresh: bool = False  # not among those on which the methods of "auto" were chosen

    def truth(self) -> float:
        return measure(self.metric).compute(self.sample(np.random.default_rng(1), PLENTY))

    def coverage(self, truth: float, n: int, method: str, replications: int) -> tuple[float, float]:
        """The share of intervals that hold the truth, and their median half-width."""
        of, rng = measure(self.metric), np.random.default_rng(n)
        held, widths = [], []
        while len(held) < replications:
            outcome = self.sample(rng, n)
            found = estimate_outcome(of, outcome, method=method, stratify=self.stratify, random_state=len(held))
            if np.isnan(found.value):
                continue
            held.append(truth in found)
            widths.append(found.half_width)
        return float(np.mean(held)), float(np.median(widths))


def labelled(share: float, recall: float, false_alarms: float) -> Callable[[np.random.Generator, int], Outcome]:
    """Two classes, and predictions that are right that often."""

    def sample(rng: np.random.Generator, n: int) -> Outcome:
        actual = (rng.random(n) < share).astype(np.int64)
        predicted = (rng.random(n) < np.where(actual, recall, false_alarms)).astype(np.int64)
        return Outcome(actual, predicted, classes=("no", "yes"), positive=1)

    return sample


def tabled(counts: np.ndarray) -> Callable[[np.random.Generator, int], Outcome]:
    """Rows of a confusion matrix in those proportions."""
    k, shares = len(counts), np.ravel(counts) / np.sum(counts)

    def sample(rng: np.random.Generator, n: int) -> Outcome:
        drawn = rng.choice(k * k, n, p=shares)
        return Outcome(drawn // k, drawn % k, classes=tuple(range(k)))

    return sample


THREE = np.array([[40, 6, 4], [5, 20, 5], [4, 4, 12]])
FOUR = np.array([[30, 2, 1, 0], [6, 18, 3, 1], [2, 3, 20, 3], [0, 1, 4, 6]])
EIGHT = (2.0 * np.eye(8) + 0.1) * np.array([[20], [18], [16], [14], [12], [10], [6], [4]])


def scored(share: float, distance: float) -> Callable[[np.random.Generator, int], Outcome]:
    """Normal scores of two classes, that far apart, with the probabilities that follow."""

    def sample(rng: np.random.Generator, n: int) -> Outcome:
        actual = (rng.random(n) < share).astype(np.int64)
        score = rng.normal(size=n) + distance * actual
        odds = share / (1 - share) * np.exp(distance * score - distance**2 / 2)
        return Outcome(actual, classes=("no", "yes"), positive=1).with_chances(odds / (1 + odds))

    return sample


def numbers(errors: str) -> Callable[[np.random.Generator, int], Outcome]:
    """Predictions with a standard deviation of 1.5, and errors around them with one of 1."""

    def sample(rng: np.random.Generator, n: int) -> Outcome:
        predicted = 1.5 * rng.normal(size=n)
        return Outcome(predicted + ERRORS[errors](rng, n), predicted)

    return sample


ERRORS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "Laplace": lambda rng, n: rng.laplace(size=n) / np.sqrt(2),
    "exponential": lambda rng, n: rng.exponential(size=n) - 1,
    "t5": lambda rng, n: rng.standard_t(5, n) / np.sqrt(5 / 3),
    "uniform": lambda rng, n: rng.uniform(-np.sqrt(3), np.sqrt(3), n),
    "gamma": lambda rng, n: (rng.gamma(2, size=n) - 2) / np.sqrt(2),
}

POPULATIONS = (
    Population("accuracy", "0.805", labelled(0.3, 0.7, 0.15)),
    Population("accuracy", "0.95", labelled(0.5, 0.95, 0.05)),
    Population("f1", "0.68, 30 % positive", labelled(0.3, 0.7, 0.15)),
    Population("f1", "0.71, 10 % positive", labelled(0.1, 0.8, 0.05)),
    Population("f1_macro", "0.69, three classes", tabled(THREE)),
    Population("f1_macro", "eight classes, the rarest 4 %", tabled(EIGHT)),
    Population("kappa", "0.68, 10 % positive", labelled(0.1, 0.8, 0.05)),
    Population("balanced_accuracy", "0.875, 10 % positive", labelled(0.1, 0.8, 0.05)),
    Population("mcc", "0.54, 30 % positive", labelled(0.3, 0.7, 0.15)),
    Population("roc_auc", "0.76, 30 % positive", scored(0.3, 1.0)),
    Population("roc_auc", "0.92, 30 % positive", scored(0.3, 2.0)),
    Population("roc_auc", "0.98, 30 % positive", scored(0.3, 3.0)),
    Population("average_precision", "0.86, 30 % positive", scored(0.3, 2.0)),
    Population("log_loss", "30 % positive", scored(0.3, 2.0)),
    Population("log_loss", "10 % positive", scored(0.1, 2.0)),
    Population("log_loss", "10 % positive, stratify=True", scored(0.1, 2.0), stratify=True),
    Population("rmse", "normal errors", numbers("normal")),
    Population("rmse", "Laplace errors", numbers("Laplace")),
    Population("rmse", "exponential errors", numbers("exponential")),
    Population("rmse", "t5 errors", numbers("t5")),
    Population("mae", "exponential errors", numbers("exponential")),
    Population("r2", "normal errors", numbers("normal")),
    Population("r2", "Laplace errors", numbers("Laplace")),
    Population("r2", "exponential errors", numbers("exponential")),
    Population("accuracy", "20 % positive", labelled(0.2, 0.6, 0.04), fresh=True),
    Population("f1", "20 % positive", labelled(0.2, 0.6, 0.04), fresh=True),
    Population("balanced_accuracy", "four classes", tabled(FOUR), fresh=True),
    Population("f1_macro", "four classes", tabled(FOUR), fresh=True),
    Population("roc_auc", "15 % positive", scored(0.15, 1.5), fresh=True),
    Population("average_precision", "15 % positive", scored(0.15, 1.5), fresh=True),
    Population("brier", "15 % positive", scored(0.15, 1.5), fresh=True),
    Population("rmse", "uniform errors", numbers("uniform"), fresh=True),
    Population("rmse", "gamma errors", numbers("gamma"), fresh=True),
    Population("mae", "t5 errors", numbers("t5"), fresh=True),
    Population("r2", "gamma errors", numbers("gamma"), fresh=True),
)


def lines(populations: tuple[Population, ...], replications: int) -> Iterator[str]:
    yield "| measure | population | n | auto | BCa | percentile | half-width of auto |"
    yield "|---|---|---|---|---|---|---|"
    for population in populations:
        truth = population.truth()
        for n in SIZES:
            found = [population.coverage(truth, n, method, replications) for method in METHODS]
            shares = " | ".join(f"{100 * share:.1f}" for share, _ in found)
            yield f"| {population.metric} | {population.what} | {n} | {shares} | {found[0][1]:.3f} |"


def main(arguments: list[str]) -> None:
    replications = 1000
    if "--replications" in arguments:
        at = arguments.index("--replications")
        replications = int(arguments[at + 1])
        del arguments[at : at + 2]
    if arguments == ["fresh"]:
        chosen = tuple(each for each in POPULATIONS if each.fresh)
    else:
        chosen = tuple(each for each in POPULATIONS if not arguments or each.metric in arguments)
    for line in lines(chosen, replications):
        print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
