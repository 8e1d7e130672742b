"""What makes an evaluation cheaper: fewer trees, fewer epochs, fewer rows, or fewer splits."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

import numpy as np

from probus.data import Task
from probus.errors import DataError

_LEAST_ROWS = 20
_TREES = ("n_estimators", "iterations")  # of forests and boosting, and of CatBoost
# whose max_iter is their cost
_EPOCHS = ("HistGradientBoosting", "SGD", "MLP", "TabularNet", "Perceptron", "PassiveAggressive")
_POWERS = {"SVC": 2, "SVR": 2, "NuSVC": 2, "NuSVR": 2, "OneClassSVM": 2, "KernelRidge": 3, "GaussianProcess": 3}


@dataclass(frozen=True)
class Fidelity:
    """The effort that a share of an evaluation reduces.

    name : "rows", "splits", or the parameter of the model that counts trees or epochs.
    power : of the number of rows, to which the time of a fit is proportional; 2 for kernel machines.
    splits_first : whether fewer splits are evaluated, before the effort of the last one is reduced.
    """

    name: str
    power: int = 1
    splits_first: bool = False

    def plan(self, n: int, share: float) -> tuple[int, float]:
        """How many of n splits are evaluated for that share of an evaluation, and the share of the effort of each.

        What a fit costs however few its trees are, such as preparation and prediction, then is a part of one split and
        not of all, and the one has so much more of the trees.
        """
        if self.name == "splits":
            return max(1, _rounded_up(share * n)), 1.0
        if not self.splits_first:
            return n, share
        return (1, share * n) if share * n < 1 else (round(share * n), 1.0)

    def reduced(self, model: Any, share: float) -> Any:
        """The model with that share of its trees or epochs.

        The learning rate of boosting is divided by the square root of the share, up to 1: with its own rate a tenth of
        the trees is far from a minimum, and the configurations of the largest rates would look best.
        """
        if self.name in ("rows", "splits") or share >= 1.0:
            return model
        values = model.get_params()
        less: dict[str, float] = {self.name: max(1, _rounded_up(share * values[self.name]))}
        step = self.name.removesuffix(self.name.rpartition("__")[2]) + "learning_rate"
        rate = values.get(step)
        if isinstance(rate, float):  # a word is a schedule of stochastic descent
            less[step] = max(rate, min(1.0, rate / sqrt(share)))
        return model.set_params(**less)

    def rows(self, train: np.ndarray, task: Task, share: float, seed: int) -> np.ndarray:
        """As many of the training rows as take that share of the time, the last ones where rows have a time.

        Every class has the same share of its rows, and one at least where there are as many rows as classes. Those of
        a smaller share are a subset of those of a larger one.
        """
        size = max(_rounded_up(share ** (1.0 / self.power) * len(train)), min(_LEAST_ROWS, len(train)))
        if self.name != "rows" or size >= len(train):
            return train
        if task.times is not None:
            return np.sort(train[np.argsort(task.times[train], kind="stable")[-size:]])
        order = np.random.default_rng(seed).permutation(len(train))
        if task.classes:
            order = order[np.argsort(_ranks(task.table[task.target].values[train[order]]), kind="stable")]
        return np.sort(train[order[:size]])


def fidelity_of(model: Any, name: str = "auto") -> Fidelity:
    """The fidelity of a model: fewer splits, then the trees of forests and boosting, the epochs of descent, or rows.

    Parameters
    ----------
    model : an estimator, perhaps in a pipeline; a class declares its own with an attribute ``fidelity``, the name of a
        parameter.
    name : "auto", "rows", "splits", or the name of a parameter that counts; all but "auto" reduce nothing else.

    Returns
    -------
    The fidelity.

    >>> from probus.ensemble import RandomForestClassifier
    >>> from probus.naive_bayes import GaussianNB
    >>> fidelity_of(RandomForestClassifier()).name, fidelity_of(GaussianNB()).name
    ('n_estimators', 'rows')
    """
    if name != "auto":
        if name not in ("rows", "splits") and not isinstance(model.get_params().get(name), int):
            raise DataError(f"fidelity={name!r}.", "'auto', 'rows', 'splits' or a parameter of the model that counts")
        return Fidelity(name, _power(_last(model)[1]))
    prefix, last = _last(model)
    counted = _count(last)
    if counted:
        return Fidelity(prefix + counted, splits_first=True)
    return Fidelity("rows", _power(last), splits_first=True)


def _last(model: Any) -> tuple[str, Any]:
    """The model at the end of pipelines, and the prefix of its parameters."""
    prefix = ""
    while getattr(model, "steps", None):
        step, model = model.steps[-1]
        prefix += f"{step}__"
    return prefix, model


def _power(model: Any) -> int:
    name = type(model).__name__
    return next((power for start, power in _POWERS.items() if name.startswith(start)), 1)


def _count(model: Any) -> str | None:
    declared = getattr(model, "fidelity", None)
    if isinstance(declared, str):
        return declared
    params = model.get_params(deep=False)
    names = [*_TREES, *(["max_iter"] if type(model).__name__.startswith(_EPOCHS) else [])]
    return next((name for name in names if isinstance(params.get(name), int)), None)


def _rounded_up(number: float) -> int:
    return ceil(number - 1e-9)


def _ranks(codes: np.ndarray) -> np.ndarray:
    """The place of each row within its class, as a share: every prefix of their order has the classes' shares."""
    shares = np.empty(len(codes))
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        shares[rows] = (np.arange(len(rows)) + 0.5) / len(rows)
        shares[rows[0]] = 0.0  # a row of each class is in every prefix that is long enough
    return shares
