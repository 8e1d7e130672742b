"""Why a model errs: the expected loss as noise, bias and variance."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from probus.arguments import verb
from probus.data import Task
from probus.datasets.source import task_of
from probus.display import Cells, Result
from probus.errors import DataError
from probus.metrics import Estimate
from probus.model_selection._loss_parts import LossPart, mean_part, squared_parts, zero_one_parts
from probus.model_selection._resample_result import FailedSplitWarning
from probus.model_selection._training_sets import RoundPredictions, rounds_of_generator, rounds_of_task

_LOSSES = {"squared": "squared error", "zero_one": "error rate"}


@dataclass(frozen=True, eq=False, repr=False)
class BiasVariance(Result):
    """An expected loss and its parts.

    Attributes
    ----------
    loss : "squared" or "zero_one".
    total : the expected loss.
    parts : "noise" (where it can be separated), "bias" (squared, for squared loss), "variance"; they sum to the total.
    details : for 0-1 loss, "variance_unbiased" (straying from a right main prediction) less "variance_biased" (straying
        from a wrong one to the right class) is the variance; "noise_rate" is how often the label is not the best class.
    baseline : the expected loss of Zero-R, trained on the same rows.
    n_rounds : the number of training sets.
    n_test : the number of test rows.
    how : where training and test rows came from.
    failures : rounds in which the model failed and Zero-R was used instead.
    """

    loss: str
    total: Estimate
    parts: Mapping[str, Estimate]
    details: Mapping[str, Estimate]
    baseline: Estimate
    n_rounds: int
    n_test: int
    how: str
    failures: tuple[str, ...] = ()

    @property
    def bias(self) -> Estimate:
        """The squared bias, or the share of rows whose main prediction is wrong; noise included where unknown."""
        return self.parts["bias"]

    @property
    def variance(self) -> Estimate:
        """What the scatter of models between training sets adds to the loss."""
        return self.parts["variance"]

    @property
    def noise(self) -> Estimate | None:
        """The expected loss of the truth itself; None where it cannot be separated from bias."""
        return self.parts.get("noise")

    @property
    def loss_in_words(self) -> str:
        """Squared error, or error rate."""
        return _LOSSES[self.loss]

    @property
    def sentence(self) -> str:
        """The result in words."""
        decimals = self.total.decimals
        # rounded first, lest a bias of nothing be printed as minus nothing
        rounded = {name: round(part.value, decimals) + 0.0 for name, part in self.parts.items()}
        shares = ", ".join(f"{self.named(name)} {value:.{decimals}f}" for name, value in rounded.items())
        text = f"Of an expected {self.loss_in_words} of {self.total}: {shares} ({self.n_rounds} rounds, {self.how})."
        if self.noise is None:
            text += " Noise cannot be separated from bias here: that requires the truth, or repeated measurements."
        if self.failures:
            text += f" The model FAILED in {len(self.failures)} rounds and Zero-R was used instead: {self.failures[0]}."
        return text

    def diagnose(self, **how: Any) -> Any:
        """What is wrong and what to do: see ``diagnose``."""
        from probus.model_selection._diagnosis import diagnose

        return diagnose(self, **how)

    def named(self, name: str) -> str:
        """What to call a part in print."""
        if name == "bias":
            squared = "squared bias" if self.loss == "squared" else "bias"
            return squared if self.noise is not None else f"{squared} and noise"
        return name

    def _parts(self) -> list[Cells | str]:
        lines = [(self.named(name), str(part)) for name, part in self.parts.items()]
        lines += [("total", str(self.total)), ("Zero-R", str(self.baseline))]
        return [self.sentence, Cells(lines, margin=2, header=False)]

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each part, the total and Zero-R."""
        everything = {**self.parts, **self.details, "total": self.total, "zero_r": self.baseline}
        return [{"part": n, "value": e.value, "low": e.low, "high": e.high} for n, e in everything.items()]

    def plot(self, axes: Any = None) -> Any:
        """The parts stacked to the total, next to what Zero-R loses, on matplotlib axes, which are returned."""
        from probus.model_selection._plots import draw_parts

        return draw_parts(self, axes)


@verb
def bias_variance(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    truth: Callable[[Any], Any] | None = None,
    loss: str = "auto",
    n_rounds: int = 100,
    test_size: float | int | None = None,
    noise: float | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> BiasVariance:
    """Train on many training sets, predict the same test rows, and decompose the expected loss.

    Squared loss: E(y − p)² = σ² + (f − E p)² + E(p − E p)², noise, squared bias and variance. 0-1 loss, after Domingos
    (2000): bias where the main prediction, the most frequent one, is not the best class; variance by which predictions
    differ from it, which increases the loss where it is right and decreases it where it is wrong.

    Parameters
    ----------
    model : an estimator; wrapped by ``tabular`` where it cannot take the table of a task.
    X, y, target : a Task, features and target, a table and the name of its ``target``, or, as X alone, a function of a
        NumPy random Generator that draws a training set ``(X, y)``. Of a Task some rows are held out for testing and
        the others are drawn with replacement; groups stay together.
    truth : with a function as data, from X to the target without noise (for 0-1 loss: to the best class). Without it
        the noise is part of the bias.
    loss : "squared", "zero_one", or "auto": by what the model predicts.
    n_rounds : the number of training sets, at least 3.
    test_size : rows to test on, as a number or, of a task, as a share; 0.25 of a task, else about 1000.
    noise : the expected loss of the truth itself, where it is known: the variance of the noise, or the rate of labels
        that are not the best class.
    groups, sample_weight, pos_label : as in ``resample``, with X and y.
    random_state : the seed of what is drawn at random.
    n_jobs : the number of jobs that run in parallel; the result does not depend on it.

    Returns
    -------
    The expected loss and its parts, with intervals.

    >>> from sklearn.linear_model import LinearRegression
    >>> def sine(rng):
    ...     X = rng.uniform(0, 6, (50, 1))
    ...     return X, np.sin(X[:, 0]) + rng.normal(0, 0.3, 50)
    >>> parts = bias_variance(LinearRegression(), sine, truth=lambda X: np.sin(X[:, 0]), random_state=0)
    >>> f"{parts.noise.value:.2f} + {parts.bias.value:.2f} + {parts.variance.value:.2f} = {parts.total.value:.2f}"
    '0.09 + 0.17 + 0.01 = 0.27'
    """
    roles = {"groups": groups, "sample_weight": sample_weight, "pos_label": pos_label}
    data = X if callable(X) and y is None else task_of(X, y, target=target, model=model, **roles)
    loss = _checked_loss(loss, model, data)
    _check_numbers(n_rounds, noise)
    if isinstance(data, Task):
        if truth is not None:
            raise DataError("a truth, but the data are a Task.", "a function that draws data together with truth")
        share = 0.25 if test_size is None else test_size
        rounds = rounds_of_task(model, data, n_rounds, share, random_state, n_jobs)
    else:
        rows = 1000 if test_size is None else test_size
        rounds = rounds_of_generator(model, data, truth, loss, n_rounds, rows, random_state, n_jobs)
    if rounds.failures:
        text = f"the model FAILED in {len(rounds.failures)} of {n_rounds} rounds and Zero-R was used instead"
        warnings.warn(f"{text}: {rounds.failures[0]}", FailedSplitWarning, stacklevel=2)
    return _squares(rounds, noise) if loss == "squared" else _zero_one(rounds, noise)


# -- taking apart --------------------------------------------------------------------------------------


def _squares(rounds: RoundPredictions, noise: float | None) -> BiasVariance:
    target = rounds.actual if rounds.truth is None else rounds.truth
    parts = squared_parts(rounds.predictions, target, rounds.weights)
    zero_r = mean_part((target - rounds.constants[:, None]) ** 2, rounds.weights)
    if rounds.truth is None and noise is None:
        return _result(rounds, "squared", parts, {}, zero_r)
    rows = np.full(len(target), noise) if noise is not None else (rounds.actual - target) ** 2
    of_noise = LossPart(rows, np.full(len(rounds.predictions), rounds.weights @ rows))
    if rounds.truth is None:
        parts["bias"] = parts["bias"] - of_noise
    else:
        zero_r = zero_r + of_noise
    return _result(rounds, "squared", {"noise": of_noise, **parts}, {}, zero_r)


def _zero_one(rounds: RoundPredictions, noise: float | None) -> BiasVariance:
    if rounds.truth is None and noise is not None:
        raise DataError(
            f"noise={noise:g} for 0-1 loss without the truth.",
            "truth=…, since which rows the noise has hit decides what is bias",
        )
    best = rounds.actual if rounds.truth is None else rounds.truth
    details = zero_one_parts(rounds.predictions, best, rounds.n_classes, rounds.weights)
    variance = details["variance_unbiased"] - details["variance_biased"]
    parts = {"bias": details.pop("bias"), "variance": variance}
    constants = np.broadcast_to(rounds.constants[:, None], rounds.predictions.shape)
    zero_r = mean_part((constants != rounds.actual).astype(np.float64), rounds.weights)
    if rounds.truth is not None:
        rate, effect = _label_noise(rounds, best, noise)
        parts, details = {"noise": effect, **parts}, {**details, "noise_rate": rate}
    return _result(rounds, "zero_one", parts, details, zero_r)


def _label_noise(rounds: RoundPredictions, best: np.ndarray, noise: float | None) -> tuple[LossPart, LossPart]:
    """How often a label is not the best class, and what that adds to the loss, which is less: it rights misses too.

    A known rate is spread over all rows and all other classes alike.
    """
    P, weights = rounds.predictions, rounds.weights
    right = (best == P).astype(np.float64)
    if noise is None:
        flipped = (rounds.actual != best).astype(np.float64)
        effect = flipped * (right - (rounds.actual == P))
    else:
        flipped = np.full(len(best), noise)
        effect = flipped * (right - (1 - right) / max(rounds.n_classes - 1, 1))
    return LossPart(flipped, np.full(len(P), weights @ flipped)), mean_part(effect, weights)


def _result(
    rounds: RoundPredictions, loss: str, parts: dict[str, LossPart], details: dict[str, LossPart], zero_r: LossPart
) -> BiasVariance:
    n_rounds, n_failed = len(rounds.predictions), len(rounds.failures)
    mark = f"; the model failed in {n_failed} of {n_rounds} rounds, where Zero-R was used instead" if n_failed else ""

    def estimate(part: LossPart, name: str = "total") -> Estimate:
        found = _possible(part.estimate(rounds.weights, rounds.units), loss, name)
        return replace(found, method=found.method + mark)

    def estimates(of: dict[str, LossPart]) -> dict[str, Estimate]:
        return {name: estimate(part, name) for name, part in of.items()}

    return BiasVariance(
        loss=loss,
        total=estimate(reduce(add, parts.values())),
        parts=estimates(parts),
        details=estimates(details),
        baseline=_possible(zero_r.estimate(rounds.weights, rounds.units), loss),
        n_rounds=n_rounds,
        n_test=len(rounds.actual),
        how=rounds.how,
        failures=rounds.failures,
    )


def _possible(estimate: Estimate, loss: str, name: str = "total") -> Estimate:
    """The interval within what is possible: losses are not negative, and 0-1 losses at most 1.

    Of 0-1 losses, variance and noise also correct errors, and may decrease the loss. An estimate of a squared bias may
    be a hair below 0, and is then the lower end.
    """
    most = 1.0 if loss == "zero_one" else np.inf
    least = -1.0 if loss == "zero_one" and name in ("variance", "noise") else 0.0
    low, high = max(estimate.low, least), min(estimate.high, most)
    return replace(estimate, low=min(low, estimate.value), high=max(high, estimate.value))


# -- input validation ---------------------------------------------------------------------------------------


def _checked_loss(loss: str, model: Any, data: Any) -> str:
    if loss not in ("auto", *_LOSSES):
        raise DataError(f"loss={loss!r}.", "'squared', 'zero_one' or 'auto'")
    if isinstance(data, Task):
        fitting = "zero_one" if data.kind == "classification" else "squared"
        if loss not in ("auto", fitting):
            raise DataError(f"loss={loss!r} for a {data.kind}.", repr(fitting))
        return fitting
    return loss if loss != "auto" else "zero_one" if is_classifier(model) else "squared"


def _check_numbers(n_rounds: int, noise: float | None) -> None:
    if n_rounds < 3:
        raise DataError(f"n_rounds={n_rounds}.", "at least 3, for the uncertainty of the variance; better 100")
    if noise is not None and not 0 <= noise < np.inf:
        raise DataError(f"noise={noise:g}.", "the expected loss of the truth: a number, not negative")
