"""Standard errors of coefficients that maximise a likelihood, from the curvature at the maximum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import linalg

from probus.linear_model.datafits._smooth_problem import SmoothProblem
from probus.linear_model.inference._assumption_tests import AssumptionTests, assumption_tests
from probus.linear_model.inference._coefficient_summary import Inference, counted_rows
from probus.linear_model.inference._sandwich import RowScores
from probus.linear_model.solvers._newton import Minimum, has_hessian


def likelihood_inference(
    problem: SmoothProblem, found: Minimum, contrasts: np.ndarray | None = None
) -> Inference | None:
    """What a summary needs of the minimum of a mean loss; None where variables are many or the hessian is singular.

    Without a penalty the covariance is the inverse of the hessian H of the sum. With a penalty λ it is that of the
    penalised estimate, (H + λ)⁻¹ H (H + λ)⁻¹, which ignores its bias. ``contrasts`` are linear functions of the
    variable, whose covariance is wanted in its place.
    """
    if not has_hessian(problem):
        return None
    theta, value, curvature = found.theta, found.value, found.curvature
    if curvature is None:
        value, _, curvature = problem.evaluate(theta, hessian=True)
    inverse = linalg.pinvh(curvature, check_finite=False)
    covariance = inverse
    if problem.l2:
        p = problem.shape[0]
        penalty = np.full(problem.shape, problem.l2)
        penalty[p - problem.intercept :] = 0.0
        covariance = inverse - inverse @ (penalty.T.ravel()[:, None] * inverse)
    if contrasts is not None:
        covariance = contrasts @ covariance @ contrasts.T
    covariance = covariance / problem.total
    sizes = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
    if not (sizes > 0).all() or not np.isfinite(sizes).all():
        return None
    correlations = linalg.eigvalsh(covariance / np.outer(sizes, sizes), check_finite=False)
    if correlations[0] <= len(sizes) * np.finfo(np.float64).eps * correlations[-1]:
        return None
    left = value - 0.5 * problem.l2 * float((theta[: problem.X.shape[1]] ** 2).sum())
    null = _null_loss(problem)
    explained = 1.0 - left / null if null > 0.0 else 0.0  # of a constant target there is nothing to explain
    condition = float(np.sqrt(correlations[-1] / correlations[0]))
    n_rows = counted_rows(len(problem.y), problem.weights)
    return Inference(covariance, np.ones(1), np.array([explained]), n_rows, np.inf, condition, _tests(problem, theta))


def likelihood_scores(
    problem: SmoothProblem, theta: np.ndarray, expected: SmoothProblem, own: np.ndarray, counts: np.ndarray | None
) -> RowScores:
    """What rows add to the equations of the minimum.

    expected : the problem whose hessian is taken. own : the factor of the loss of each row. counts : how many it is.
    """
    k = problem.shape[1]
    first, second = _derivatives(problem, theta)
    if k > 1:
        shares = problem.loss.mean(problem.raw(theta))
        second = np.einsum("ia,ab->iab", shares, np.eye(k)) - shares[:, :, None] * shares[:, None, :]
    else:
        second = (second if expected is problem else _derivatives(expected, theta)[1])[:, :, None]
    ridge = problem.l2 * problem.total
    return RowScores(
        problem.X, problem.intercept, -first * own[:, None], second * own[:, None, None], theta.T, ridge, counts
    )


def _derivatives(problem: SmoothProblem, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    raw = problem.raw(theta)
    first, second = np.empty_like(raw), np.empty_like(raw)
    problem.loss.derivatives(problem.y, raw, first, second)
    return first.reshape(len(raw), -1), second.reshape(len(raw), -1)


def _tests(problem: SmoothProblem, theta: np.ndarray) -> AssumptionTests | None:
    """The test that successive rows are independent, of residuals over their standard deviation."""
    first, second = _derivatives(problem, theta)  # of several classes: p − y and p (1 − p)
    residual = np.divide(first, np.sqrt(second), out=np.zeros_like(first), where=second > 0)
    tests = assumption_tests(residual if problem.weights is None else residual[problem.weights > 0])
    if tests is None or len(tests.in_order) == 1:
        return tests
    return replace(tests, in_order=np.minimum(tests.in_order.min(keepdims=True) * len(tests.in_order), 1.0))


def _null_loss(problem: SmoothProblem) -> float:
    """The mean loss of the best constant."""
    y, weights, loss = problem.y, problem.weights, problem.loss
    if loss.for_classes:  # one value per class
        weights = np.bincount(y.astype(np.intp), weights)
        y = np.arange(len(weights), dtype=np.float64)
    constant = loss.constant(y, weights) if problem.intercept else np.zeros(loss.n_outputs)
    raw = np.repeat(constant[None], len(y), axis=0)
    values = loss.value(y, raw[:, 0] if loss.n_outputs == 1 else raw)
    return float(np.average(values, weights=weights))
