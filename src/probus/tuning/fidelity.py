"""What makes an evaluation cheaper: fewer trees, fewer epochs, or fewer rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from probus.data import Task

__all__ = ["Fidelity", "fidelity_of"]

_LEAST_ROWS, _LEAST_STEPS = 20, 1
_TREES = ("n_estimators", "iterations")  # of forests and boosting, and of CatBoost
_EPOCHS = ("HistGradientBoosting", "SGD", "MLP", "Perceptron", "PassiveAggressive")  # whose max_iter is their cost


@dataclass(frozen=True)
class Fidelity:
    """The effort that a share of an evaluation reduces.

    parameter : the parameter of the model that counts trees or epochs; None where rows are left out.
    """

    parameter: str | None = None

    @property
    def name(self) -> str:
        """The parameter, or "rows"."""
        return self.parameter or "rows"

    def reduced(self, model: Any, share: float) -> Any:
        """The model with that share of its trees or epochs."""
        if self.parameter is None or share >= 1.0:
            return model
        full = model.get_params()[self.parameter]
        return model.set_params(**{self.parameter: max(_LEAST_STEPS, ceil(share * full))})

    def rows(self, train: np.ndarray, task: Task, share: float, seed: int) -> np.ndarray:
        """That share of the training rows: the same share of every class, the last ones where rows have a time.

        A smaller share is a subset of a larger one.
        """
        size = max(ceil(share * len(train)), min(_LEAST_ROWS, len(train)))
        if self.parameter is not None or size >= len(train):
            return train
        if task.times is not None:
            return np.sort(train[np.argsort(task.times[train], kind="stable")[-size:]])
        order = np.random.default_rng(seed).permutation(len(train))
        if task.classes:
            order = order[np.argsort(_ranks(task.table[task.target].values[train[order]]), kind="stable")]
        return np.sort(train[order[:size]])


def fidelity_of(model: Any, name: str = "auto") -> Fidelity:
    """The fidelity of a model: the trees of forests and boosting, the epochs of stochastic descent, else rows.

    Parameters
    ----------
    model : an estimator, perhaps in a pipeline; a class declares its own with an attribute ``fidelity``, the name of a
        parameter.
    name : "auto", "rows", or the name of a parameter that counts.

    >>> from probus.ensemble import RandomForestClassifier
    >>> from probus.naive_bayes import GaussianNB
    >>> fidelity_of(RandomForestClassifier()).name, fidelity_of(GaussianNB()).name
    ('n_estimators', 'rows')
    """
    if name == "rows":
        return Fidelity()
    if name != "auto":
        return Fidelity(name)
    prefix = ""
    while getattr(model, "steps", None):
        step, model = model.steps[-1]
        prefix += f"{step}__"
    counted = _counted(model)
    return Fidelity(prefix + counted if counted else None)


def _counted(model: Any) -> str | None:
    declared = getattr(model, "fidelity", None)
    if isinstance(declared, str):
        return declared
    params = model.get_params(deep=False)
    names = [*_TREES, *(["max_iter"] if type(model).__name__.startswith(_EPOCHS) else [])]
    return next((name for name in names if isinstance(params.get(name), int)), None)


def _ranks(codes: np.ndarray) -> np.ndarray:
    """The place of each row within its class, as a share: every prefix of their order has the classes' shares."""
    shares = np.empty(len(codes))
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        shares[rows] = (np.arange(len(rows)) + 0.5) / len(rows)
    return shares
