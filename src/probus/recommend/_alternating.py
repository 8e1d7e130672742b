"""How vectors of users and items are found: alternating least squares, and stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.utils import check_random_state

from probus.parallel import blas_on_one_thread, chunked, thread_count
from probus.recommend._kernels import BLOCK, block_steps, descend, residuals, ridge_steps
from probus.recommend._ratings import Ratings

_ROWS = 128  # users of a chunk; fixed, so that the result does not depend on the number of threads
PENALTY, IMPLICIT_PENALTY = 1.5, 0.4  # λ by default; research.implicit_defaults chose the second
_RATIO = 1 / 3  # of the penalty of biases to that of factors
_START = 0.1  # the standard deviation of the products of factors at the start

Found = tuple[tuple[float, np.ndarray, np.ndarray], list[float]]


@dataclass(frozen=True, eq=False)
class Penalty:
    """λ of each user and of each item; ``ratio`` is that of biases to it."""

    users: np.ndarray
    items: np.ndarray
    ratio: float = 1.0


@dataclass(eq=False)
class Problem:
    """What is factorised: the ratings by user and by item, the penalties, and what vectors are shrunk to.

    user_prior, item_prior : float64[·, k + 1], biases first; zeros but for models that predict vectors from columns.
    """

    by_user: csr_matrix
    by_item: csr_matrix
    penalty: Penalty
    user_prior: np.ndarray
    item_prior: np.ndarray
    biases: bool = True
    after_users: Callable[[np.ndarray], np.ndarray] | None = None
    after_items: Callable[[np.ndarray], np.ndarray] | None = None

    @classmethod
    def of(cls, model: Any, data: Ratings) -> Problem:
        """The problem of a model with λ, ν and, for implicit feedback, the weight of all pairs."""
        counts = [np.diff(side.indptr).astype(np.float64) for side in (data.by_user, data.by_item)]
        if model.implicit:  # all pairs count as ratings, with their weight
            counts = [counts[0] + model.unobserved * len(counts[1]), counts[1] + model.unobserved * len(counts[0])]
        penalty, own = penalty_of(model), model.bias_regularization
        if own:
            penalty = max(penalty, 1e-9 * own)  # the penalty of biases is a multiple of it
        users, items = (penalty * np.maximum(each, 1.0) ** model.penalty_by_count for each in counts)
        ratio = _RATIO if own is None or not penalty else own / penalty
        k = model.factors + 1
        priors = np.zeros((len(users), k)), np.zeros((len(items), k))
        return cls(data.by_user, data.by_item, Penalty(users, items, ratio), *priors, biases=model.biases)

    @classmethod
    def of_biases(cls, model: Any, data: Ratings) -> Problem:
        """The problem of biases alone; what has none is shrunk so much that it is 0."""
        users, items = len(data.users), len(data.items)
        of_users = np.full(users, model.regularization if model.of_users else np.inf)
        of_items = np.full(items, model.regularization if model.of_items else np.inf)
        most = 1e12 * len(data)
        penalty = Penalty(np.minimum(of_users, most), np.minimum(of_items, most))
        return cls(data.by_user, data.by_item, penalty, np.zeros((users, 1)), np.zeros((items, 1)))

    def start(self, random_state: Any) -> tuple[np.ndarray, np.ndarray]:
        """Vectors at the priors, with small random factors."""
        random = check_random_state(random_state)
        found = []
        for prior in (self.user_prior, self.item_prior):
            vectors = prior.copy()
            k = vectors.shape[1] - 1
            if k:
                vectors[:, 1:] += random.normal(scale=np.sqrt(_START / np.sqrt(k)), size=(len(vectors), k))
            found.append(vectors)
        return found[0], found[1]

    def penalties(self, users: np.ndarray, items: np.ndarray) -> float:
        """The penalties of vectors."""
        total = 0.0
        for vectors, prior, weight in (
            (users, self.user_prior, self.penalty.users),
            (items, self.item_prior, self.penalty.items),
        ):
            squares = (vectors - prior) ** 2
            total += float(weight @ (squares[:, 1:].sum(axis=1) + self.penalty.ratio * squares[:, 0]))
        return total


def penalty_of(model: Any) -> float:
    """λ of a model, by default that of ratings or of implicit feedback."""
    own = model.regularization
    return float((IMPLICIT_PENALTY if model.implicit else PENALTY) if own is None else own)


# -- ratings -------------------------------------------------------------------------------------------


def alternate(problem: Problem, model: Any) -> Found:
    """Alternating least squares: ridge regressions for all users, then for all items, and the mean of what is left."""
    users, items = problem.start(getattr(model, "random_state", None))
    rows, columns, k = problem.by_user, problem.by_item, users.shape[1]
    threads = thread_count(model.n_jobs, rows.nnz * (k * k / 2.0 + 10 * k) + (len(users) + len(items)) * k**3 / 3.0)
    mean = float(rows.data.mean())
    errors = np.empty(rows.nnz)
    objective: list[float] = []
    while len(objective) < model.max_iter:
        _steps(rows, items, mean, problem.penalty.users, problem.user_prior, problem, users, threads)
        if problem.after_users is not None:
            problem.user_prior = problem.after_users(users)
        _steps(columns, users, mean, problem.penalty.items, problem.item_prior, problem, items, threads)
        if problem.after_items is not None:
            problem.item_prior = problem.after_items(items)
        _errors(rows, users, items, mean, errors, threads)
        if problem.biases:
            more = float(errors.mean())
            mean += more
            errors -= more
        objective.append(float(errors @ errors) + problem.penalties(users, items))
        if _has_converged(objective, model.tol):
            break
    return (mean, users, items), objective


def _steps(
    rows: csr_matrix,
    others: np.ndarray,
    mean: float,
    penalty: np.ndarray,
    prior: np.ndarray,
    problem: Problem,
    out: np.ndarray,
    threads: int,
) -> None:
    indptr, ratio = rows.indptr.astype(np.int64), problem.penalty.ratio

    def some(start: int, stop: int) -> None:
        ridge_steps(
            start, stop, indptr, rows.indices, rows.data, others, mean, penalty, ratio, prior, problem.biases, out
        )

    chunked(some, len(out), threads, chunk=_ROWS)


def _errors(rows: csr_matrix, users: np.ndarray, items: np.ndarray, mean: float, out: np.ndarray, threads: int) -> None:
    indptr = rows.indptr.astype(np.int64)

    def some(start: int, stop: int) -> None:
        residuals(start, stop, indptr, rows.indices, rows.data, users, items, mean, out)

    chunked(some, len(users), threads, chunk=_ROWS)


def stochastic_descent(problem: Problem, model: Any) -> Found:
    """Stochastic gradient descent, a rating at a time; the step of epoch t is the first one over √t."""
    users, items = problem.start(model.random_state)
    random = check_random_state(model.random_state)
    rows = problem.by_user
    counts = np.diff(rows.indptr), np.diff(problem.by_item.indptr)
    per_rating = [
        penalty / np.maximum(count, 1)
        for penalty, count in zip((problem.penalty.users, problem.penalty.items), counts, strict=True)
    ]
    user = np.repeat(np.arange(len(users), dtype=np.int32), counts[0])
    mean, errors, objective = float(rows.data.mean()), np.empty(rows.nnz), list[float]()
    while len(objective) < model.max_iter:
        rate = model.learning_rate / np.sqrt(len(objective) + 1)
        order = random.permutation(rows.nnz)
        mean = descend(
            order, user, rows.indices, rows.data, mean, users, items, *per_rating, problem.penalty.ratio,
            problem.biases, rate,
        )  # fmt: skip
        if not np.isfinite(mean + users.sum() + items.sum()):
            break
        _errors(rows, users, items, mean, errors, 1)
        objective.append(float(errors @ errors) + problem.penalties(users, items))
        if len(objective) > 1 and abs(objective[-2] - objective[-1]) < model.tol * abs(objective[-1]):
            break  # it also rises by chance
    return (mean, users, items), objective


# -- implicit feedback ---------------------------------------------------------------------------------


def alternate_implicit(problem: Problem, model: Any) -> Found:
    """iALS++: sweeps over blocks of factors, for all users, then for all items.

    Factors are computed with single precision, in a number that is a multiple of the block; those beyond are 0.
    """
    start = problem.start(model.random_state)
    users, items = (_padded(each) for each in start)
    priors = [_padded(each) for each in (problem.user_prior, problem.item_prior)]
    penalties = [each.astype(np.float32) for each in (problem.penalty.users, problem.penalty.items)]
    sides = [_weighted(each, model.alpha) for each in (problem.by_user, problem.by_item)]
    unobserved, d = np.float32(model.unobserved), users.shape[1]
    threads = thread_count(
        model.n_jobs, sides[0].nnz * d * (BLOCK / 4.0 + 4) + (len(users) + len(items)) * d * (2.0 * d + BLOCK**2)
    )
    objective: list[float] = []
    with blas_on_one_thread(True):
        while len(objective) < model.max_iter:
            _sweep(sides[0], items, unobserved, penalties[0], priors[0], users, threads)
            if problem.after_users is not None:
                problem.user_prior = problem.after_users(_unpadded(users, problem))
                priors[0] = _padded(problem.user_prior)
            _sweep(sides[1], users, unobserved, penalties[1], priors[1], items, threads)
            if problem.after_items is not None:
                problem.item_prior = problem.after_items(_unpadded(items, problem))
                priors[1] = _padded(problem.item_prior)
            if model.tol > 0 or len(objective) == model.max_iter - 1:
                objective.append(_implicit_objective(sides[0], users, items, model, problem))
            else:
                objective.append(np.nan)
            if model.tol > 0 and _has_converged(objective, model.tol):
                break
    return (0.0, _unpadded(users, problem), _unpadded(items, problem)), objective


def _sweep(
    rows: csr_matrix,
    others: np.ndarray,
    unobserved: np.float32,
    penalty: np.ndarray,
    prior: np.ndarray,
    out: np.ndarray,
    threads: int,
) -> None:
    gram = others.T @ others
    indptr = rows.indptr.astype(np.int64)

    def some(start: int, stop: int) -> None:
        block_steps(start, stop, indptr, rows.indices, rows.data, others, gram, unobserved, penalty, prior, out)

    chunked(some, len(out), threads, chunk=_ROWS)


def _implicit_objective(rows: csr_matrix, users: np.ndarray, items: np.ndarray, model: Any, problem: Problem) -> float:
    errors = np.empty(rows.nnz, dtype=np.float32)
    padded = [np.hstack([np.zeros((len(each), 1), np.float32), each]) for each in (users, items)]
    residuals(
        0, len(users), rows.indptr.astype(np.int64), rows.indices, np.ones(rows.nnz, np.float32), *padded, 0.0, errors
    )
    grams = [each.astype(np.float64) for each in (users.T @ users, items.T @ items)]
    penalties = problem.penalties(_unpadded(users, problem), _unpadded(items, problem))
    return float(rows.data @ errors**2) + model.unobserved * float(np.sum(grams[0] * grams[1])) + penalties


def _weighted(rows: csr_matrix, alpha: float) -> csr_matrix:
    return csr_matrix(((1.0 + alpha * rows.data).astype(np.float32), rows.indices, rows.indptr), shape=rows.shape)


def _padded(vectors: np.ndarray) -> np.ndarray:
    """The factors with single precision, and zeros up to a multiple of the block."""
    k = vectors.shape[1] - 1
    padded = np.zeros((len(vectors), -(-max(k, 1) // BLOCK) * BLOCK), dtype=np.float32)
    padded[:, :k] = vectors[:, 1:]
    return padded


def _unpadded(factors: np.ndarray, problem: Problem) -> np.ndarray:
    k = problem.user_prior.shape[1] - 1
    return np.hstack([np.zeros((len(factors), 1)), factors[:, :k].astype(np.float64)])


def _has_converged(objective: list[float], tol: float) -> bool:
    if len(objective) < 2:
        return False
    before, after = objective[-2:]
    return before - after <= tol * abs(before)
