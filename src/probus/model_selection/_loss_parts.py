"""An expected loss taken apart, row by row, from what many models of the same kind predicted for the same rows.

Predictions are ``P``, one row per round of training and one column per test row. Every quantity here is a mean over
test rows, and comes with the same quantity for each round left out: the jackknife, which estimates the effect
of the finite number of rounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probus.metrics import Estimate

METHOD = "jackknife over rounds and test rows"


@dataclass(frozen=True, eq=False)
class LossPart:
    """One part of the expected loss: its value in each test row, and its mean with each round left out."""

    rows: np.ndarray
    without: np.ndarray

    def __add__(self, other: LossPart) -> LossPart:
        return LossPart(self.rows + other.rows, self.without + other.without)

    def __sub__(self, other: LossPart) -> LossPart:
        return LossPart(self.rows - other.rows, self.without - other.without)

    def estimate(self, weights: np.ndarray, units: np.ndarray, level: float = 0.95) -> Estimate:
        """The mean over test rows, with the variances due to rounds and due to test rows added up; t of n units.

        weights : float64[n], summing to one; units : int[n], rows of one unit (a group) scatter together.
        """
        from scipy.stats import t

        value = float(weights @ self.rows)
        rounds = len(self.without)
        of_rounds = (rounds - 1) / rounds * ((self.without - self.without.mean()) ** 2).sum()
        scatter = np.bincount(units, weights * (self.rows - value))
        n = len(scatter)
        of_rows = n / (n - 1) * (scatter**2).sum() if n > 1 else np.inf
        half = float(t.ppf((1 + level) / 2, max(n - 1, 1)) * np.sqrt(of_rounds + of_rows))
        return Estimate(value, value - half, value + half, level, METHOD, rounds)


def squared_parts(P: np.ndarray, f: np.ndarray, weights: np.ndarray) -> dict[str, LossPart]:
    """Squared bias (f − p̄)² and variance s² of predictions, both free of the bias of a finite number of rounds.

    The plain (f − p̄)² exceeds the squared bias by s²/R on average, and the plain variance falls short by as much, so
    the two still sum to the mean of (f − p)². A squared bias that is zero may come out a hair below it.
    """
    rounds = len(P)
    mean = P.mean(axis=0)
    away = P - mean
    squares = (away**2).sum(axis=0)
    variance = squares / (rounds - 1)
    bias = (f - mean) ** 2 - variance / rounds
    # the same with round r left out, without computing anything anew
    mean_without = mean - away / (rounds - 1)
    variance_without = (squares - away**2 * rounds / (rounds - 1)) / (rounds - 2)
    bias_without = (f - mean_without) ** 2 - variance_without / (rounds - 1)
    return {"bias": LossPart(bias, bias_without @ weights), "variance": LossPart(variance, variance_without @ weights)}


def zero_one_parts(P: np.ndarray, best: np.ndarray, n_classes: int, weights: np.ndarray) -> dict[str, LossPart]:
    """Domingos' parts of the 0-1 loss against the best class of each row (codes).

    The main prediction is the one made most often. Bias: it is not the best class. Variance where it is: how often a
    model strays from it, which increases the loss. Variance where it is not: how often a model strays to the best
    class, which decreases it.
    Loss = bias + variance on unbiased rows − variance on biased rows.
    """
    rounds, n = P.shape
    column = np.arange(n)
    counts = np.zeros((n, n_classes))
    for predicted in P:
        counts[column, predicted] += 1
    names = ("bias", "variance_unbiased", "variance_biased")
    rows = dict(zip(names, _domingos(counts / rounds, best), strict=True))
    without = {name: np.empty(rounds) for name in names}
    for r, predicted in enumerate(P):
        counts[column, predicted] -= 1
        for name, values in zip(names, _domingos(counts / (rounds - 1), best), strict=True):
            without[name][r] = weights @ values
        counts[column, predicted] += 1
    return {name: LossPart(rows[name], without[name]) for name in names}


def mean_part(values: np.ndarray, weights: np.ndarray) -> LossPart:
    """The mean over rounds and rows of ``values``, one row per round: a part that needs no main prediction."""
    of_round = values @ weights
    return LossPart(values.mean(axis=0), (of_round.sum() - of_round) / (len(values) - 1))


def _domingos(shares: np.ndarray, best: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bias and the two variances of each row from the shares of the classes among its predictions."""
    right = shares[np.arange(len(best)), best]
    biased = shares.argmax(axis=1) != best
    return biased.astype(np.float64), np.where(biased, 0.0, 1 - right), np.where(biased, right, 0.0)
