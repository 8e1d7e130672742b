"""Populations whose score is known, to sample test sets from: those on which intervals were chosen, and fresh ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from probus.metrics import Outcome, measure

PLENTY = 2_000_000  # rows that stand for a population

Sample = Callable[[np.random.Generator, int], Outcome]


@dataclass(frozen=True)
class Population:
    """Rows to sample from, the measure of interest, and how its resamples are to be drawn."""

    metric: str
    what: str
    sample: Sample
    stratify: bool = False
    group_size: int = 1
    fresh: bool = False  # named before it was measured, and no method of "auto" was chosen on it

    def truth(self) -> float:
        return measure(self.metric).compute(self.sample(np.random.default_rng(1), PLENTY))

    def groups(self, n: int) -> np.ndarray | None:
        return np.arange(n) // self.group_size if self.group_size > 1 else None


# -- classes -----------------------------------------------------------------------------------------------------


def labelled(share: float, recall: float, false_alarms: float) -> Sample:
    """Two classes, and predictions that are right that often."""

    def sample(rng: np.random.Generator, n: int) -> Outcome:
        actual = (rng.random(n) < share).astype(np.int64)
        predicted = (rng.random(n) < np.where(actual, recall, false_alarms)).astype(np.int64)
        return Outcome(actual, predicted, classes=("no", "yes"), positive=1)

    return sample


def tabled(counts: np.ndarray) -> Sample:
    """Rows of a confusion matrix in those proportions."""
    k, shares = len(counts), np.ravel(counts) / np.sum(counts)

    def sample(rng: np.random.Generator, n: int) -> Outcome:
        drawn = rng.choice(k * k, n, p=shares)
        return Outcome(drawn // k, drawn % k, classes=tuple(range(k)))

    return sample


def right_by_group(size: int) -> Sample:
    """Two even classes; how often a group's rows are right is Beta(4, 1), so that they correlate by 1/6."""

    def sample(rng: np.random.Generator, n: int) -> Outcome:
        actual = (rng.random(n) < 0.5).astype(np.int64)
        right = rng.random(n) < _of_groups(rng.beta(4, 1, -(-n // size)), size, n)
        return Outcome(actual, np.where(right, actual, 1 - actual), classes=("no", "yes"), positive=1)

    return sample


THREE = np.array([[40, 6, 4], [5, 20, 5], [4, 4, 12]])
FOUR = np.array([[30, 2, 1, 0], [6, 18, 3, 1], [2, 3, 20, 3], [0, 1, 4, 6]])
EIGHT = (2.0 * np.eye(8) + 0.1) * np.array([[20], [18], [16], [14], [12], [10], [6], [4]])
UNEVEN = np.array([[72, 5, 3], [4, 10, 1], [1, 1, 3]])  # 80, 15 and 5 %
EIGHT_EVEN = 5.0 * np.eye(8) + 0.3
GRADES = np.array([[14, 4, 1, 0, 0], [4, 16, 5, 1, 0], [1, 5, 15, 4, 1], [0, 1, 4, 12, 3], [0, 0, 1, 3, 5]])  # ordered


# -- scores and probabilities ------------------------------------------------------------------------------------


def scored(share: float, distance: float, sureness: float = 1.0) -> Sample:
    """Normal scores of two classes, that far apart, with the log odds that follow times ``sureness``."""

    def sample(rng: np.random.Generator, n: int) -> Outcome:
        actual = (rng.random(n) < share).astype(np.int64)
        score = rng.normal(size=n) + distance * actual
        odds = (share / (1 - share) * np.exp(distance * score - distance**2 / 2)) ** sureness
        return Outcome(actual, classes=("no", "yes"), positive=1).with_probabilities(odds / (1 + odds))

    return sample


def scored_as(share: float, draw: Callable[[np.random.Generator, np.ndarray], np.ndarray]) -> Sample:
    """Scores from 0 to 1 of two classes by any law; they rank, and are no probabilities."""

    def sample(rng: np.random.Generator, n: int) -> Outcome:
        actual = (rng.random(n) < share).astype(np.int64)
        return Outcome(actual, classes=("no", "yes"), positive=1).with_probabilities(draw(rng, actual))

    return sample


def log_normal_scores(rng: np.random.Generator, actual: np.ndarray) -> np.ndarray:
    """x/(1 + x), log x normal; the positives' is larger and spreads twice as wide."""
    x = np.exp(rng.normal(size=len(actual)) * (1 + actual) + 1.5 * actual)
    return x / (1 + x)


def tied_scores(rng: np.random.Generator, actual: np.ndarray) -> np.ndarray:
    """One of five values, as of a small tree."""
    return rng.binomial(4, np.where(actual, 0.6, 0.35)) / 4


def scored_by_group(size: int) -> Sample:
    """Normal scores two apart; half of the noise is shared by a group, and classes are even within it."""

    def sample(rng: np.random.Generator, n: int) -> Outcome:
        actual = (rng.random(n) < 0.5).astype(np.int64)
        shared = _of_groups(rng.normal(size=-(-n // size)), size, n)
        score = np.sqrt(0.5) * (rng.normal(size=n) + shared) + 1.5 * (actual - 0.5)
        return Outcome(actual, classes=("no", "yes"), positive=1).with_probabilities(1 / (1 + np.exp(-1.5 * score)))

    return sample


# -- numbers -----------------------------------------------------------------------------------------------------


def numbers(errors: str) -> Sample:
    """Predictions with a standard deviation of 1.5, and errors around them with one of 1."""

    def sample(rng: np.random.Generator, n: int) -> Outcome:
        predicted = 1.5 * rng.normal(size=n)
        return Outcome(predicted + ERRORS[errors](rng, n), predicted)

    return sample


def fanned(rng: np.random.Generator, n: int) -> Outcome:
    """Gamma predictions, and normal errors whose spread is half of the prediction."""
    predicted = rng.gamma(3, size=n)
    return Outcome(predicted * (1 + 0.5 * rng.normal(size=n)), predicted)


def graded(rng: np.random.Generator, n: int) -> Outcome:
    """Five grades as numbers, predicted to the grade."""
    grade = rng.binomial(4, 0.55, n)
    predicted = np.clip(grade + rng.choice([-2, -1, 0, 1], n, p=[0.03, 0.17, 0.65, 0.15]), 0, 4)
    return Outcome(grade.astype(np.float64), predicted.astype(np.float64))


def off_by_group(size: int) -> Sample:
    """Normal errors, half of whose variance is shared by a group."""

    def sample(rng: np.random.Generator, n: int) -> Outcome:
        predicted = 1.5 * rng.normal(size=n)
        shared = _of_groups(rng.normal(size=-(-n // size)), size, n)
        return Outcome(predicted + np.sqrt(0.5) * (rng.normal(size=n) + shared), predicted)

    return sample


def _of_groups(values: np.ndarray, size: int, n: int) -> np.ndarray:
    return np.repeat(values, size)[:n]


def _log_normal(rng: np.random.Generator, n: int) -> np.ndarray:
    e = np.exp(0.5 * rng.normal(size=n))
    return (e - np.exp(0.125)) / np.sqrt((np.exp(0.25) - 1) * np.exp(0.25))


def _with_outliers(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(size=n) * np.where(rng.random(n) < 0.05, 4.0, 1.0) / np.sqrt(0.95 + 0.05 * 16)


ERRORS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "Laplace": lambda rng, n: rng.laplace(size=n) / np.sqrt(2),
    "exponential": lambda rng, n: rng.exponential(size=n) - 1,
    "t5": lambda rng, n: rng.standard_t(5, n) / np.sqrt(5 / 3),
    "uniform": lambda rng, n: rng.uniform(-np.sqrt(3), np.sqrt(3), n),
    "gamma": lambda rng, n: (rng.gamma(2, size=n) - 2) / np.sqrt(2),
    "log-normal": _log_normal,
    "outliers": _with_outliers,
}


# -- all of them -------------------------------------------------------------------------------------------------

CHOSEN_ON = (
    Population("accuracy", "0.805", labelled(0.3, 0.7, 0.15)),
    Population("accuracy", "0.95", labelled(0.5, 0.95, 0.05)),
    Population("f1", "30 % positive", labelled(0.3, 0.7, 0.15)),
    Population("f1", "10 % positive", labelled(0.1, 0.8, 0.05)),
    Population("f1_macro", "three classes", tabled(THREE)),
    Population("f1_macro", "eight classes, the rarest 4 %", tabled(EIGHT)),
    Population("kappa", "10 % positive", labelled(0.1, 0.8, 0.05)),
    Population("kappa", "eight classes, the rarest 4 %", tabled(EIGHT)),
    Population("balanced_accuracy", "10 % positive", labelled(0.1, 0.8, 0.05)),
    Population("balanced_accuracy", "eight classes, the rarest 4 %", tabled(EIGHT)),
    Population("mcc", "30 % positive", labelled(0.3, 0.7, 0.15)),
    Population("roc_auc", "0.76, 30 % positive", scored(0.3, 1.0)),
    Population("roc_auc", "0.92, 30 % positive", scored(0.3, 2.0)),
    Population("roc_auc", "0.98, 30 % positive", scored(0.3, 3.0)),
    Population("average_precision", "30 % positive", scored(0.3, 2.0)),
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
)

FRESH = (
    Population("accuracy", "3 % positive", labelled(0.03, 0.7, 0.02), fresh=True),
    Population("accuracy", "20 % positive", labelled(0.2, 0.6, 0.04), fresh=True),
    Population("accuracy", "five ordered grades", tabled(GRADES), fresh=True),
    Population("accuracy", "groups of 5 rows", right_by_group(5), group_size=5, fresh=True),
    Population("f1", "3 % positive", labelled(0.03, 0.7, 0.02), fresh=True),
    Population("f1", "20 % positive", labelled(0.2, 0.6, 0.04), fresh=True),
    Population("f1", "45 % positive", labelled(0.45, 0.85, 0.2), fresh=True),
    Population("f1", "groups of 5 rows", right_by_group(5), group_size=5, fresh=True),
    Population("f1_macro", "three classes, 80, 15 and 5 %", tabled(UNEVEN), fresh=True),
    Population("f1_macro", "four classes", tabled(FOUR), fresh=True),
    Population("f1_macro", "eight even classes", tabled(EIGHT_EVEN), fresh=True),
    Population("kappa", "3 % positive", labelled(0.03, 0.7, 0.02), fresh=True),
    Population("kappa", "45 % positive", labelled(0.45, 0.85, 0.2), fresh=True),
    Population("kappa", "five ordered grades", tabled(GRADES), fresh=True),
    Population("balanced_accuracy", "three classes, 80, 15 and 5 %", tabled(UNEVEN), fresh=True),
    Population("balanced_accuracy", "four classes", tabled(FOUR), fresh=True),
    Population("mcc", "20 % positive", labelled(0.2, 0.6, 0.04), fresh=True),
    Population("roc_auc", "3 % positive", scored(0.03, 2.0), fresh=True),
    Population("roc_auc", "15 % positive", scored(0.15, 1.5), fresh=True),
    Population("roc_auc", "log-normal scores, 45 % positive", scored_as(0.45, log_normal_scores), fresh=True),
    Population("roc_auc", "five tied scores, 20 % positive", scored_as(0.2, tied_scores), fresh=True),
    Population("roc_auc", "groups of 5 rows", scored_by_group(5), group_size=5, fresh=True),
    Population("average_precision", "15 % positive", scored(0.15, 1.5), fresh=True),
    Population("log_loss", "45 % positive", scored(0.45, 1.5), fresh=True),
    Population("log_loss", "20 % positive, too sure of itself", scored(0.2, 1.5, 1.7), fresh=True),
    Population("brier", "15 % positive", scored(0.15, 1.5), fresh=True),
    Population("rmse", "uniform errors", numbers("uniform"), fresh=True),
    Population("rmse", "gamma errors", numbers("gamma"), fresh=True),
    Population("rmse", "log-normal errors", numbers("log-normal"), fresh=True),
    Population("rmse", "one error in 20 four times as wide", numbers("outliers"), fresh=True),
    Population("rmse", "errors in proportion", fanned, fresh=True),
    Population("rmse", "five grades", graded, fresh=True),
    Population("rmse", "groups of 5 rows", off_by_group(5), group_size=5, fresh=True),
    Population("mae", "t5 errors", numbers("t5"), fresh=True),
    Population("mae", "log-normal errors", numbers("log-normal"), fresh=True),
    Population("mae", "one error in 20 four times as wide", numbers("outliers"), fresh=True),
    Population("mae", "errors in proportion", fanned, fresh=True),
    Population("r2", "t5 errors", numbers("t5"), fresh=True),
    Population("r2", "gamma errors", numbers("gamma"), fresh=True),
    Population("r2", "log-normal errors", numbers("log-normal"), fresh=True),
    Population("r2", "errors in proportion", fanned, fresh=True),
    Population("r2", "groups of 5 rows", off_by_group(5), group_size=5, fresh=True),
)
