"""Covariances of the rows of one class: the empirical one, shrunk, or by an estimator such as scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from probus.base import Accepts
from probus.errors import DataError


class ChosenCovariance:
    """Mixin of models whose ``solver``, ``shrinkage`` and ``covariance_estimator`` choose the covariance."""

    solver: str
    shrinkage: Any
    covariance_estimator: Any

    @property
    def accepts(self) -> Accepts:
        """Weights, unless another estimator computes the covariance."""
        return Accepts(weights=self.shrinkage != "auto" and self.covariance_estimator is None)

    def _check_covariance(self, weights: np.ndarray | None) -> None:
        """Raise an error where these parameters, or weights, do not go together."""
        if self.solver == "svd" and self.shrinkage is not None:
            raise NotImplementedError("shrinkage not supported with 'svd' solver.")
        if weights is not None and not self.accepts.weights:
            raise DataError("sample_weight with shrinkage='auto' or a covariance_estimator.", "rows of equal weight")
        if self.shrinkage is not None and self.shrinkage != 0 and self.covariance_estimator is not None:
            raise DataError(
                "covariance_estimator and shrinkage parameters are not None. Only one of the two can be set.",
                "one way to compute the covariance",
            )


def refuse_no_weight(classes: np.ndarray, codes: np.ndarray, weights: np.ndarray | None) -> None:
    """Raise an error where all rows of a class have weight 0."""
    lacking = classes[np.bincount(codes, weights, minlength=len(classes)) == 0.0]
    if len(lacking):
        raise DataError(f"class {lacking.tolist()[0]!r} has no row of positive weight.", "some weight in every class")


def shrunk(covariance: np.ndarray, share: float) -> np.ndarray:
    """The covariance, shrunk towards a sphere of the same mean variance.

    >>> shrunk(np.diag([1.0, 3.0]), 0.5)
    array([[1.5, 0. ],
           [0. , 2.5]])
    """
    found = (1.0 - share) * covariance
    found.flat[:: len(found) + 1] += share * covariance.trace() / len(found)
    return found


def covariance_of(rows: np.ndarray, shrinkage: Any, estimator: Any) -> np.ndarray:
    """The covariance of rows by Ledoit and Wolf's shrinkage (of standardised columns), or by an estimator."""
    if estimator is not None:
        found = clone(estimator, safe=False)
        found.fit(rows)
        if not hasattr(found, "covariance_"):
            raise ValueError(f"{type(found).__name__} does not have a covariance_ attribute")
        return found.covariance_
    from sklearn.covariance import ledoit_wolf

    scale = rows.std(axis=0)
    scale[scale == 0.0] = 1.0
    return ledoit_wolf((rows - rows.mean(axis=0)) / scale)[0] * np.outer(scale, scale)


def checked_class_priors(priors: Any, total: np.ndarray) -> np.ndarray:
    """The given probabilities of the classes, or the shares of the weights."""
    if priors is None:
        return total / total.sum()
    given = np.array(priors, dtype=np.float64)
    if given.shape != total.shape:
        raise DataError(f"priors has shape {given.shape}.", f"one number for each of {len(total)} classes")
    if (given < 0.0).any() or not given.sum() > 0.0:
        raise DataError(f"priors={given.tolist()}; priors must be non-negative.", "probabilities of the classes")
    return given
