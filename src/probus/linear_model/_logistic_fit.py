"""Fitting log-odds that are linear in the columns: of two classes, of several at once, or of each against the rest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from probus.linear_model._composition import Composition
from probus.linear_model.datafits._offsets import minimise_near_zero
from probus.linear_model.datafits._smooth_problem import SmoothProblem
from probus.linear_model.datafits._softmax_reference import SoftmaxAgainst
from probus.linear_model.inference._coefficient_summary import Inference
from probus.linear_model.inference._likelihood_inference import likelihood_inference, likelihood_scores
from probus.linear_model.inference._sandwich import RowScores
from probus.linear_model.inference._standard_errors import TrainingRows
from probus.linear_model.penalties import L1L2
from probus.linear_model.solvers import BySize
from probus.linear_model.solvers._newton import Minimum
from probus.losses import LogLoss

_SEPARATED = 1e-4  # the mean loss of the training rows


@dataclass(frozen=True)
class LogisticSettings:
    """How a logistic regression is fitted.

    strength, l1_ratio : the weight of the penalty on the sum of losses, and its share of absolute values.
    reference : the code of the class whose coefficients are zero; None for coefficients of every class.
    one_vs_rest : whether each of more than two classes has a model of its own.
    """

    strength: float
    l1_ratio: float
    intercept: bool
    tol: float
    max_iter: int
    reference: int | None = None
    one_vs_rest: bool = False


@dataclass(frozen=True)
class LogisticFit:
    """Coefficients float64[m, p] and intercepts float64[m], one for two classes, and how the fit ended."""

    coef: np.ndarray
    intercept: np.ndarray
    n_iter: np.ndarray
    optimality: float
    converged: bool
    separated: bool
    inference: Inference | None


def fit_logistic(
    X: Any,
    codes: np.ndarray,
    weights: np.ndarray | None,
    n_classes: int,
    settings: LogisticSettings,
    start: LogisticFit | None = None,
    *,
    inference: bool = True,
) -> LogisticFit:
    """The coefficients for codes of classes; ``start`` is a fit to begin at."""
    if n_classes > 2 and settings.one_vs_rest:
        own = replace(settings, one_vs_rest=False)
        starts = [None] * n_classes if start is None else _rows_of(start)
        parts = [
            fit_logistic(X, (codes == k).astype(np.int64), weights, 2, own, starts[k], inference=False)
            for k in range(n_classes)
        ]
        return LogisticFit(
            np.concatenate([part.coef for part in parts]), np.concatenate([part.intercept for part in parts]),
            np.concatenate([part.n_iter for part in parts]), max(part.optimality for part in parts),
            all(part.converged for part in parts), any(part.separated for part in parts), None,
        )  # fmt: skip
    composition, problem = logistic_problem(X, codes, weights, n_classes, settings)
    against, theta = settings.reference, _theta(start, problem, settings.reference)
    start_at = np.zeros(problem.shape) if settings.max_iter == 0 else theta
    found = minimise_near_zero(problem, start_at, composition.minimise)
    wanted = inference and settings.strength * settings.l1_ratio == 0.0
    with problem.on_one_thread():
        kept = likelihood_inference(problem, found, contrasts(problem.shape, against)) if wanted else None
    coef, intercept = _coefficients(found, problem, settings, n_classes)
    separated = settings.strength == 0.0 and problem.value(found.theta) < _SEPARATED
    return LogisticFit(
        coef, intercept, np.array([found.n_iter], dtype=np.int32), found.optimality, found.converged, separated, kept
    )


def logistic_problem(
    X: Any, codes: np.ndarray, weights: np.ndarray | None, n_classes: int, settings: LogisticSettings
) -> tuple[Composition, SmoothProblem]:
    """The loss, the penalty of the mean loss and the solver, and the smooth part of the objective."""
    total = len(codes) if weights is None else weights.sum()
    loss = LogLoss.of_classes(n_classes)
    if settings.reference is not None and n_classes > 2:
        loss = SoftmaxAgainst(n_classes, settings.reference)
    penalty = L1L2(settings.strength / total, settings.l1_ratio)
    own = Composition(loss, penalty, BySize(settings.tol, settings.max_iter))
    return own, own.problem(X, codes.astype(np.float64), weights, intercept=settings.intercept)


def logistic_scores(
    rows: TrainingRows, own: np.ndarray | None, fit: LogisticFit, n_classes: int, settings: LogisticSettings
) -> RowScores:
    """What rows add to the equations of a fit; their weights count rows, and ``own`` are factors of their loss."""
    factors = np.ones(len(rows.y)) if own is None else own
    whole = own if rows.weights is None else factors * rows.weights
    _, problem = logistic_problem(rows.X, rows.y, whole, n_classes, settings)
    theta = _theta(fit, problem, settings.reference)
    assert theta is not None
    return likelihood_scores(problem, theta, problem, factors, rows.weights)


def _rows_of(fit: LogisticFit) -> list[LogisticFit]:
    return [
        replace(fit, coef=fit.coef[k : k + 1], intercept=fit.intercept[k : k + 1]) for k in range(len(fit.intercept))
    ]


def _theta(start: LogisticFit | None, problem: SmoothProblem, against: int | None) -> np.ndarray | None:
    """The variable at a fit, None where its shape is another."""
    if start is None:
        return None
    theta = np.column_stack([start.coef, start.intercept]) if problem.intercept else start.coef
    if against is not None and len(theta) > 1:
        theta = np.delete(theta, against, axis=0)
    return np.array(theta.T) if theta.T.shape == problem.shape else None


def _coefficients(
    found: Minimum, problem: SmoothProblem, settings: LogisticSettings, n_classes: int
) -> tuple[np.ndarray, np.ndarray]:
    theta = found.theta.T
    coef, intercept = (theta[:, :-1], theta[:, -1]) if problem.intercept else (theta, np.zeros(len(theta)))
    if len(theta) == n_classes:  # a common shift changes no probability: the coefficients of all classes add up to 0
        intercept = intercept - intercept.mean() if problem.intercept else intercept
        coef = coef - coef.mean(axis=0) if settings.strength == 0.0 else coef
    elif n_classes > 2:
        against = int(settings.reference or 0)
        coef, intercept = np.insert(coef, against, 0.0, axis=0), np.insert(intercept, against, 0.0)
    return np.ascontiguousarray(coef), np.array(intercept)


def contrasts(shape: tuple[int, int], against: int | None) -> np.ndarray | None:
    """Differences to the first class, where all have coefficients: those alone are not determined."""
    p, k = shape
    if k == 1 or against is not None:
        return None
    return np.kron(np.column_stack([-np.ones(k - 1), np.eye(k - 1)]), np.eye(p))
