"""Pairs of different models with equal scores in the population: true hypotheses, of which a test should reject 5 %."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import norm

from probus.metrics import Outcome

PLENTY = 1_000_000  # rows on which scores without a formula are made equal
CLASSES = ("no", "yes")

Sample = Callable[[np.random.Generator, int], tuple[Outcome, Outcome]]
Errors = Callable[[np.random.Generator, int], np.ndarray]


@dataclass(frozen=True)
class EqualPair:
    """Two models on the same rows, and the measure by which they are equal."""

    metric: str
    what: str
    sample: Sample


# -- labels --------------------------------------------------------------------------------------------------------


def labelled(share: float, a: tuple[float, float], b: tuple[float, float], shared: float = 0.5) -> Sample:
    """Two models by recall and rate of false alarms, whose errors share a part of what makes rows hard."""

    def sample(rng: np.random.Generator, n: int) -> tuple[Outcome, Outcome]:
        actual = (rng.random(n) < share).astype(np.int64)
        hard = rng.normal(size=n)

        def model(recall: float, alarms: float) -> Outcome:
            u = norm.cdf(np.sqrt(shared) * hard + np.sqrt(1 - shared) * rng.normal(size=n))
            predicted = (u < np.where(actual, recall, alarms)).astype(np.int64)
            return Outcome(actual, predicted, classes=CLASSES, positive=1)

        return model(*a), model(*b)

    return sample


def equal_accuracy(share: float, a: tuple[float, float], recall: float, shared: float = 0.5) -> Sample:
    alarms = a[1] + share * (recall - a[0]) / (1 - share)
    return labelled(share, a, (recall, alarms), shared)


def equal_f1(share: float, a: tuple[float, float], recall: float, shared: float = 0.5) -> Sample:
    def f1(recall: float, alarms: float) -> float:
        return 2 * share * recall / (share + share * recall + (1 - share) * alarms)

    alarms = float(brentq(lambda rate: f1(recall, rate) - f1(*a), 0.0, 1.0))
    return labelled(share, a, (recall, alarms), shared)


def equal_macro_f1(k: int, rarest: float) -> Sample:
    """The same confusions of k classes, of falling frequency, by two models whose errors are independent."""
    shares = np.linspace(1.0, rarest * k / 2, k)
    shares /= shares.sum()

    def sample(rng: np.random.Generator, n: int) -> tuple[Outcome, Outcome]:
        actual = rng.choice(k, n, p=shares)

        def model() -> Outcome:
            predicted = np.where(rng.random(n) < 0.7, actual, rng.choice(k, n, p=shares))
            return Outcome(actual, predicted, classes=tuple(range(k)))

        return model(), model()

    return sample


# -- scores and probabilities --------------------------------------------------------------------------------------


def equal_area(share: float, distance: float, spread: float, shared: float = 0.6) -> Sample:
    """Normal scores; the positives of the second model spread more or less, at the same area under the curve."""
    farther = distance * np.sqrt((1 + spread**2) / 2)

    def sample(rng: np.random.Generator, n: int) -> tuple[Outcome, Outcome]:
        actual = (rng.random(n) < share).astype(np.int64)
        hard = rng.normal(size=n)

        def model(distance: float, spread: float) -> Outcome:
            x = np.sqrt(shared) * hard + np.sqrt(1 - shared) * rng.normal(size=n)
            return _with(actual, norm.cdf(np.where(actual, distance + spread * x, x) / 3))

        return model(distance, 1.0), model(farther, spread)

    return sample


def equal_area_of_laws(share: float, area: float) -> Sample:
    """Exponential scores of one model, normal ones of the other, independent, with the same area under the curve."""
    mean, distance = area / (1 - area), float(norm.ppf(area) * np.sqrt(2))

    def sample(rng: np.random.Generator, n: int) -> tuple[Outcome, Outcome]:
        actual = (rng.random(n) < share).astype(np.int64)
        waiting = rng.exponential(size=n) * np.where(actual, mean, 1.0)
        return _with(actual, waiting / (1 + waiting)), _with(
            actual, norm.cdf((rng.normal(size=n) + distance * actual) / 3)
        )

    return sample


def equal_log_loss(share: float, distances: tuple[float, float], shared: float = 0.7) -> Sample:
    """Normal scores; the second model ranks better and is too sure of itself, by as much as makes the losses equal."""

    def draw(rng: np.random.Generator, n: int, sureness: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        actual = (rng.random(n) < share).astype(np.int64)
        hard = rng.normal(size=n)

        def model(distance: float, sureness: float) -> np.ndarray:
            x = np.sqrt(shared) * hard + np.sqrt(1 - shared) * rng.normal(size=n) + distance * actual
            return expit(sureness * (logit(share) + distance * x - distance**2 / 2))

        return actual, model(distances[0], 1.0), model(distances[1], sureness)

    return _too_sure(draw, 1.0, 6.0)


def equal_log_loss_of_columns(share: float, weights: tuple[float, float]) -> Sample:
    """One model knows one of two uniform columns; the other both, and shrinks or stretches its log odds."""
    grid = np.random.default_rng(2).uniform(-1, 1, (2, 20_000))

    def offset(*known: float) -> float:
        return float(brentq(lambda c: expit(c + np.dot(known, grid[: len(known)])).mean() - share, -30, 30))

    both, one = offset(*weights), offset(weights[0])

    def draw(rng: np.random.Generator, n: int, stretch: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        x = rng.uniform(-1, 1, (2, n))
        odds = both + weights[0] * x[0] + weights[1] * x[1]
        actual = (rng.random(n) < expit(odds)).astype(np.int64)
        return actual, expit(one + weights[0] * x[0]), expit(logit(share) + stretch * (odds - logit(share)))

    return _too_sure(draw, 1.0, 12.0)


def _too_sure(
    draw: Callable[[np.random.Generator, int, float], tuple[np.ndarray, np.ndarray, np.ndarray]],
    low: float,
    high: float,
) -> Sample:
    def apart(stretch: float) -> float:
        actual, a, b = draw(np.random.default_rng(1), PLENTY, stretch)
        lost_a, lost_b = (-np.log(np.maximum(np.where(actual, p, 1 - p), 1e-15)).mean() for p in (a, b))
        return float(lost_b - lost_a)

    stretch = float(brentq(apart, low, high, xtol=1e-3))

    def sample(rng: np.random.Generator, n: int) -> tuple[Outcome, Outcome]:
        actual, a, b = draw(rng, n, stretch)
        return _with(actual, a), _with(actual, b)

    return sample


def _with(actual: np.ndarray, probability: np.ndarray) -> Outcome:
    return Outcome(actual, classes=CLASSES, positive=1).with_probabilities(probability)


# -- numbers -------------------------------------------------------------------------------------------------------


def equal_rmse(a: Errors, b: Errors, shared: float = 0.5) -> Sample:
    """Errors of the same mean square by different laws, with a normal part that both models share."""

    def sample(rng: np.random.Generator, n: int) -> tuple[Outcome, Outcome]:
        truth, common = rng.normal(size=(2, n))

        def model(errors: Errors) -> Outcome:
            return Outcome(truth, truth + np.sqrt(shared) * common + np.sqrt(1 - shared) * errors(rng, n))

        return model(a), model(b)

    return sample


def normal(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(size=n)


def laplace(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.laplace(size=n) / np.sqrt(2)


def t5(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.standard_t(5, n) / np.sqrt(5 / 3)


def biased(rng: np.random.Generator, n: int) -> np.ndarray:
    return (rng.normal(size=n) + 1) / np.sqrt(2)


def gamma(rng: np.random.Generator, n: int) -> np.ndarray:
    return (rng.gamma(2, size=n) - 2) / np.sqrt(2)


def uneven(rng: np.random.Generator, n: int) -> np.ndarray:
    """Normal errors whose spread is 0.5 for half of the rows."""
    return rng.normal(size=n) * np.where(rng.random(n) < 0.5, 0.5, np.sqrt(1.75))


def outliers(rng: np.random.Generator, n: int) -> np.ndarray:
    """One error in 20 is four times as wide."""
    return rng.normal(size=n) * np.where(rng.random(n) < 0.05, 4.0, 1.0) / np.sqrt(0.95 + 0.05 * 16)


# -- all of them ---------------------------------------------------------------------------------------------------


def chosen_on() -> list[EqualPair]:
    """Those on which the parts of ``bootstrap_difference`` were chosen."""
    return [
        EqualPair("accuracy", "5 % positive", equal_accuracy(0.05, (0.5, 0.03), 0.1)),
        EqualPair("accuracy", "20 % positive", equal_accuracy(0.2, (0.7, 0.1), 0.4)),
        EqualPair("accuracy", "50 % positive", equal_accuracy(0.5, (0.8, 0.2), 0.6)),
        EqualPair("f1", "5 % positive", equal_f1(0.05, (0.8, 0.03), 0.6)),
        EqualPair("f1", "20 % positive", equal_f1(0.2, (0.8, 0.15), 0.6)),
        EqualPair("f1", "50 % positive", equal_f1(0.5, (0.8, 0.3), 0.65)),
        EqualPair("roc_auc", "5 % positive", equal_area(0.05, 1.5, 2.0)),
        EqualPair("roc_auc", "20 % positive", equal_area(0.2, 1.0, 0.5)),
        EqualPair("roc_auc", "50 % positive", equal_area(0.5, 1.5, 2.0)),
        EqualPair("log_loss", "5 % positive", equal_log_loss(0.05, (1.0, 1.5))),
        EqualPair("log_loss", "20 % positive", equal_log_loss(0.2, (1.5, 2.0))),
        EqualPair("log_loss", "50 % positive, one far too sure", equal_log_loss(0.5, (1.5, 2.5))),
        EqualPair("rmse", "normal and Laplace errors", equal_rmse(normal, laplace)),
        EqualPair("rmse", "normal errors and a bias", equal_rmse(normal, biased)),
        EqualPair("rmse", "normal and t5 errors", equal_rmse(normal, t5, 0.2)),
    ]


def fresh() -> list[EqualPair]:
    """Those on which nothing was chosen: named before they were measured."""
    return [
        EqualPair("accuracy", "7 % positive", equal_accuracy(0.07, (0.6, 0.05), 0.2, 0.8)),
        EqualPair("accuracy", "35 % positive", equal_accuracy(0.35, (0.75, 0.2), 0.5, 0.2)),
        EqualPair("f1", "10 % positive", equal_f1(0.1, (0.75, 0.05), 0.6, 0.8)),
        EqualPair("f1", "40 % positive", equal_f1(0.4, (0.85, 0.3), 0.7, 0.2)),
        EqualPair("f1_macro", "six classes, the rarest 2 %", equal_macro_f1(6, 0.04)),
        EqualPair("roc_auc", "5 % positive, two laws", equal_area_of_laws(0.05, 0.8)),
        EqualPair("roc_auc", "10 % positive, narrow", equal_area(0.1, 2.0, 0.6, 0.3)),
        EqualPair("roc_auc", "40 % positive, two laws", equal_area_of_laws(0.4, 0.7)),
        EqualPair("log_loss", "5 % positive, columns", equal_log_loss_of_columns(0.05, (2.0, 2.0))),
        EqualPair("log_loss", "12 % positive, columns", equal_log_loss_of_columns(0.12, (3.0, 2.0))),
        EqualPair("log_loss", "40 % positive, columns", equal_log_loss_of_columns(0.4, (1.5, 3.0))),
        EqualPair("rmse", "normal and gamma errors", equal_rmse(normal, gamma, 0.3)),
        EqualPair("rmse", "normal errors of even and uneven spread", equal_rmse(normal, uneven)),
        EqualPair("rmse", "Laplace errors and outliers", equal_rmse(laplace, outliers, 0.3)),
    ]
