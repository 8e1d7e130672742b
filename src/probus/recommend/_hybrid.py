"""Factors that are predicted from columns: for new users and new items, and where ratings are few."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from probus.base import Model
from probus.parameters import N_JOBS, RANDOM_STATE, parameter
from probus.recommend._alternating import Problem, alternate
from probus.recommend._factorization import (
    ALPHA,
    BIAS_REGULARIZATION,
    BIASES,
    FACTORS,
    ITERATIONS,
    PENALTY_BY_COUNT,
    REGULARIZATION,
    TOLERANCE,
    UNOBSERVED,
    FactorRecommender,
    Vectors,
    implicit_factors,
)
from probus.recommend._features import Features
from probus.recommend._ratings import Ratings
from probus.recommend._recommender import IMPLICIT, ITEM, RATING, SCALE, TIME, USER
from probus.recommend._side_tables import SideTable
from probus.recommend._sided import SidedRecommender, shrunk_regression
from probus.spaces import Integer, Real, Space
from probus.state import Array, Spec


class Hybrid(SidedRecommender, FactorRecommender):
    """Matrix factorisation whose biases and factors are shrunk to what the columns of user and item predict.

    A rating is predicted as in ``MatrixFactorization``, μ + b_u + c_i + z_u · w_i, where (b_u, z_u) = A x_u + δ_u with
    the columns x_u of the user, and likewise for items with B. The fit minimises Σ (rating − prediction)² +
    λ Σ n_u^ν |δ_u|² + λ Σ n_i^ν |δ_i|² plus penalties on A and B. With few ratings a user has what the columns predict,
    with many what the ratings say (Agarwal and Chen 2009). A new user or item that is in its table has the former.

    Columns of any kind, with missing values, are prepared by ``tabular``. Without tables it is a
    ``MatrixFactorization``.

    Attributes
    ----------
    user_coefficients_, item_coefficients_ : A and B, for the bias and the factors.
    objective_ : the objective after each iteration, without κ.

    >>> ratings = {"user": ["a", "a", "b", "b"], "item": [1, 2, 1, 2], "rating": [5, 1, 5, 2]}
    >>> films = {"item": [1, 2, 3, 4], "genre": ["comedy", "war", "comedy", "war"]}
    >>> model = Hybrid(1, regularization=0.1, random_state=0).fit(ratings, items=films)
    >>> model.recommend("a", n=1)["a"]
    [3]
    """

    factors: int = FACTORS
    implicit: bool = IMPLICIT
    regularization: float | None = REGULARIZATION
    bias_regularization: float | None = BIAS_REGULARIZATION
    penalty_by_count: float = PENALTY_BY_COUNT
    column_regularization: float = parameter(
        "κ: the coefficients of columns, which are standardised, are shrunk; those of a single column to 1 / (1 + κ).",
        default=1.0,
        above=0.0,
    )
    biases: bool = BIASES
    alpha: float = ALPHA
    unobserved: float = UNOBSERVED
    max_iter: int = ITERATIONS
    tol: float = TOLERANCE
    user: str | None = USER
    item: str | None = ITEM
    rating: str | None = RATING
    time: str | None = TIME
    scale: Any = SCALE
    n_jobs: int | None = N_JOBS
    random_state: Any = RANDOM_STATE

    fitted: ClassVar[dict[str, Spec]] = {
        **FactorRecommender.fitted,
        "user_coefficients_": Array("f8", "p v"),
        "item_coefficients_": Array("f8", "q v"),
    }
    fidelity: ClassVar[str] = "max_iter"
    _does_without: ClassVar[bool] = True

    @classmethod
    def examples(cls) -> list[Model]:
        """Ratings, and implicit feedback."""
        small: dict[str, Any] = {"factors": 3, "random_state": 0, "max_iter": 5}
        return [cls(**small), cls(**small, implicit=True)]

    def search_space(self) -> Space:
        """Factors and penalties."""
        implicit = {"unobserved": Real(1e-3, 1.0, log=True)} if self.implicit else {}
        return Space(
            {
                "factors": Integer(5, 100, log=True),
                "regularization": Real(1e-3 if self.implicit else 0.5, 50.0, log=True),
                "penalty_by_count": Real(0.0, 1.0),
                "column_regularization": Real(0.1, 10.0, log=True),
                **implicit,
            }
        )

    def _fit(self, data: Ratings, users: SideTable | None, items: SideTable | None) -> None:
        problem = Problem.of(self, data)
        of_users, of_items = self._features(data, users, items)
        v = self.factors + 1
        self.user_coefficients_, self.item_coefficients_ = (
            np.zeros((each.matrix.shape[1], v)) for each in (of_users, of_items)
        )
        problem.after_users = self._regression(of_users, problem.penalty.users, "user_coefficients_")
        problem.after_items = self._regression(of_items, problem.penalty.items, "item_coefficients_")
        found, objective = (implicit_factors if self.implicit else alternate)(problem, self)
        self._set(Vectors(*_with_priors(found, problem, data)))
        self.objective_, self.n_iter_ = np.array(objective), len(objective)

    def _regression(self, features: Features, weights: np.ndarray, name: str) -> Any:
        """What predicts vectors from columns, and keeps the coefficients; None without columns."""
        if not features.matrix.shape[1]:
            return None

        def predicted(vectors: np.ndarray) -> np.ndarray:
            found = shrunk_regression(features.matrix, vectors, weights, self.column_regularization)
            setattr(self, name, found)
            return features.matrix @ found

        return predicted


def _with_priors(found: Any, problem: Problem, data: Ratings) -> tuple[float, np.ndarray, np.ndarray]:
    """The vectors, where those without ratings are what their columns predict in the end."""
    mean, users, items = found
    for vectors, prior, rows in (
        (users, problem.user_prior, data.by_user),
        (items, problem.item_prior, data.by_item),
    ):
        none = np.diff(rows.indptr) == 0
        vectors[none] = prior[none]
    return mean, users, items
