"""What averaging and voting can do in theory: many voters who err apart, many predictors that scatter apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from probus.display import counted
from probus.errors import DataError


def majority_vote_error(n: Any, error: Any, correlation: Any = 0.0, *, ties: str = "coin") -> Any:
    """How often the majority of n voters is wrong, when each is wrong with probability ``error``.

    Independent voters follow the binomial distribution, P = Σ_{k > n/2} C(n, k) εᵏ (1 − ε)ⁿ⁻ᵏ. Correlated ones follow
    the beta-binomial: how hard a case is varies, Beta(ε(1 − ρ)/ρ, (1 − ε)(1 − ρ)/ρ), and given the case voters err
    independently, so that any two of them have correlation ρ. With ρ = 1 all vote alike and nothing is gained.

    Parameters
    ----------
    n : the number of voters, or an array of numbers; arguments broadcast.
    error : the probability that one voter is wrong.
    correlation : between the errors of any two voters, from 0 to 1.
    ties : half the votes wrong, for even n: "coin" tosses a fair one, "wrong" counts it against the ensemble.

    Returns
    -------
    The probability that the majority is wrong.

    >>> round(majority_vote_error(25, 0.35), 3)
    0.06
    >>> round(majority_vote_error(25, 0.35, correlation=0.3), 3)
    0.295
    """
    if ties not in ("coin", "wrong"):
        raise DataError(f"ties={ties!r}.", "'coin' or 'wrong'")
    n, error, rho = np.broadcast_arrays(*(np.asarray(given, dtype=np.float64) for given in (n, error, correlation)))
    _check_members(n, "voters")
    _check_between(error, "error", 0, 1, "a probability: between 0 and 1")
    _check_between(rho, "correlation", 0, 1, "a number between 0 and 1: many voters cannot all be opposed")

    tie = 0.5 if ties == "coin" else 1.0
    wrong = np.vectorize(_vote_error, otypes=[np.float64])(n, error, rho, tie)
    return float(wrong) if wrong.ndim == 0 else wrong


def _vote_error(n: float, error: float, rho: float, tie: float) -> float:
    """The beta-binomial tail beyond n/2, the middle counted by ``tie``.

    With θ = ρ/(1 − ρ), k votes are wrong with probability
    C(n, k) Π_{i<k}(ε + iθ) Π_{i<n−k}(1 − ε + iθ) / Π_{i<n}(1 + iθ).
    Independence, θ = 0, is no special case of it; the usual form by beta functions loses all digits there.
    """
    from scipy.special import gammaln

    if rho == 1:
        return error
    i = np.arange(n) * (rho / (1 - rho))
    with np.errstate(divide="ignore"):  # an error of 0 or 1 makes a factor of zero
        up_to_k_wrong, up_to_k_right, all_votes = (
            np.concatenate([[0.0], np.cumsum(np.log(p + i))]) for p in (error, 1 - error, 1.0)
        )
    k = np.arange(np.ceil(n / 2), n + 1)
    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    probabilities = np.exp(ways + up_to_k_wrong[k.astype(int)] + up_to_k_right[(n - k).astype(int)] - all_votes[-1])
    probabilities[2 * k == n] *= tie
    return float(probabilities.sum())


def ensemble_variance(n: Any, variance: Any = 1.0, correlation: Any = 0.0) -> Any:
    """The variance of the mean of n predictors: (1 − ρ) σ²/n + ρ σ².

    Each predictor has variance σ² and any two have correlation ρ. The first part shrinks with n; the second is a floor
    that only less correlated members lower, which is why a forest draws features at random.

    Parameters
    ----------
    n : the number of predictors; arguments broadcast.
    variance : σ², the variance of each.
    correlation : ρ, the correlation of any two.

    Returns
    -------
    The variance of their mean.

    >>> ensemble_variance(100, variance=4.0, correlation=0.25)
    1.03
    """
    n, variance, rho = np.broadcast_arrays(*(np.asarray(g, dtype=np.float64) for g in (n, variance, correlation)))
    _check_members(n, "predictors")
    _check_between(variance, "variance", 0, np.finfo(np.float64).max, "a finite number, not negative")
    lowest = -1 / np.maximum(n - 1, 1)
    _check_between(rho, "correlation", lowest, 1, "a number from −1/(n − 1), where all are opposed, to 1")
    mean = (1 - rho) * variance / n + rho * variance
    return float(mean) if mean.ndim == 0 else mean


def plot_majority_vote(
    n: Sequence[int] = (1, 5, 25, 101), correlation: float = 0.0, *, error: float = 0.35, axes: Any = None
) -> Any:
    """The error of the vote against the error of one voter, a line for each number of voters; returns the axes.

    Below one half more voters help, above it they harm. The vote at the given ``error`` is written next to each line.

    Parameters
    ----------
    n : the numbers of voters, a line each.
    correlation : the correlation between the errors of any two voters.
    error : the error at which the vote is written next to each line.
    axes : matplotlib axes to draw on; None makes new ones.

    Returns
    -------
    The matplotlib axes.
    """
    axes = axes if axes is not None else _new_axes()
    grid = np.linspace(0, 1, 201)
    for line, (colour, voters) in enumerate(zip(_colours(len(n)), n, strict=True)):
        axes.plot(grid, majority_vote_error(voters, grid, correlation), color=colour, linewidth=1.8)
        vote = majority_vote_error(voters, error, correlation)
        axes.plot(error, vote, "o", color=colour, markersize=4)
        # above the diagonal and left of one half no line can pass
        text = f"{counted(voters, 'voter')}: {vote:.2g}"
        axes.annotate(text, (0.03, 0.9), (0, -14 * line), textcoords="offset points", color=colour)
    axes.text(0.03, 0.97, f"at an error of {error:g}", color="0.35")
    axes.axhline(0.5, color="0.85", linewidth=0.8, zorder=0)
    axes.axvline(0.5, color="0.85", linewidth=0.8, zorder=0)
    axes.set(xlabel="error of one voter", ylabel="error of the majority", xlim=(0, 1), ylim=(0, 1.07))
    axes.set_title(_independent_or(correlation), loc="left", fontsize="medium")
    return axes


def plot_ensemble_variance(
    correlations: Sequence[float] = (0.0, 0.1, 0.3, 0.6, 1.0),
    variance: float = 1.0,
    *,
    up_to: int = 100,
    axes: Any = None,
) -> Any:
    """The variance of the mean against the number of predictors, a line for each ρ; returns the axes.

    The dashed floor of a line is ρσ².

    Parameters
    ----------
    correlations : the values of ρ, a line each.
    variance : σ², the variance of one predictor.
    up_to : the largest number of predictors.
    axes : matplotlib axes to draw on; None makes new ones.

    Returns
    -------
    The matplotlib axes.
    """
    axes = axes if axes is not None else _new_axes()
    sizes = np.arange(1, up_to + 1)
    for colour, rho in zip(_colours(len(correlations)), correlations, strict=True):
        line = ensemble_variance(sizes, variance, rho)
        axes.plot(sizes, line, color=colour, linewidth=1.8)
        if 0 < rho < 1:
            axes.axhline(rho * variance, color=colour, linewidth=0.8, linestyle=(0, (4, 3)))
        axes.annotate(f"ρ = {rho:g}", (up_to, line[-1]), (6, 0), textcoords="offset points", color=colour, va="center")
    axes.set_xscale("log")
    axes.set_xticks([m for m in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if m <= up_to])
    axes.xaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.set(xlabel="predictors averaged", ylabel="variance of their mean", xlim=(1, up_to), ylim=(0, 1.05 * variance))
    return axes


def _colours(count: int) -> list[Any]:
    """Shades from light to dark, since the lines have an order."""
    from matplotlib import colormaps

    return [colormaps["viridis_r"](place) for place in np.linspace(0.3, 0.95, count)]


def _independent_or(correlation: float) -> str:
    return "independent voters" if correlation == 0 else f"correlation {correlation:g} between the errors of two voters"


def _new_axes() -> Any:
    from matplotlib import pyplot

    _, axes = pyplot.subplots(figsize=(6, 4.2), layout="constrained")
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _check_members(n: np.ndarray, who: str) -> None:
    wrong = ~((n >= 1) & (n == np.floor(n)) & np.isfinite(n))
    if wrong.any():
        raise DataError(f"n={n[wrong].flat[0]:g} {who}.", "a whole number, at least 1")


def _check_between(values: np.ndarray, name: str, low: np.ndarray | float, high: float, meaning: str) -> None:
    outside = ~((values >= low) & (values <= high))
    if outside.any():
        raise DataError(f"{name}={values[outside].flat[0]:g}.", meaning)
