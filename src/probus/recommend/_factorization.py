"""Matrix factorisation: a rating is a global bias, one of the user, one of the item, and a product of factors."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from probus.base import Model
from probus.display import figure
from probus.errors import DataError
from probus.parameters import MAX_ITER, N_JOBS, RANDOM_STATE, TOL, attribute, parameter
from probus.recommend._alternating import (
    IMPLICIT_PENALTY,
    PENALTY,
    Problem,
    alternate,
    alternate_implicit,
    penalty_of,
    stochastic_descent,
)
from probus.recommend._ratings import Ratings
from probus.recommend._recommender import IMPLICIT, ITEM, RATING, SCALE, TIME, USER, Recommender
from probus.recommend._side_tables import SideTable
from probus.spaces import Integer, Real, Space
from probus.state import Array, Maybe, Number, Size, Spec

FACTORS = parameter(
    "The number of factors of a user and of an item; 0 leaves the biases.", default=20, at_least=0, kw_only=False
)
REGULARIZATION = parameter(
    f"λ, the penalty on squared factors; None is {PENALTY} for ratings and {IMPLICIT_PENALTY} for implicit feedback, "
    "which needs one above 0.",
    default=None,
    at_least=0.0,
)
BIAS_REGULARIZATION = parameter(
    "The penalty on squared biases of users and of items; None is a third of λ. Implicit feedback has no biases.",
    default=None,
    at_least=0.0,
)
PENALTY_BY_COUNT = parameter(
    "ν: the penalty of a user is λ times the ν-th power of the number of the user's ratings, and so for items. 0 is "
    "the same penalty for all, 1 one for each rating.",
    default=0.5,
    at_least=0.0,
    at_most=1.0,
)
BIASES = parameter("Whether ratings have biases.", default=True)
ALPHA = parameter(
    "Of implicit feedback: what a user has counts 1 + alpha · rating times, with the rating a number of visits or the "
    "like.",
    default=0.0,
    at_least=0.0,
)
UNOBSERVED = parameter(
    "Of implicit feedback: how much it counts that a user does not have an item, beside 1 for one that the user has.",
    default=0.2,
    above=0.0,
)
ITERATIONS = MAX_ITER.but(default=30)
TOLERANCE = TOL.but(doc="The fit stops once an iteration lowers the objective by a smaller share.")


class Vectors(NamedTuple):
    """The global bias, and the vectors of users and items, biases first."""

    mean: float
    users: np.ndarray
    items: np.ndarray


class FactorRecommender(Recommender):
    """Base class of what predicts by a bias and factors of each user and item."""

    user_bias_: np.ndarray = attribute()
    item_bias_: np.ndarray = attribute()
    user_factors_: np.ndarray = attribute()
    item_factors_: np.ndarray = attribute()

    fitted: ClassVar[dict[str, Spec]] = {
        **Recommender.fitted,
        "user_bias_": Array("f8", "U"),
        "item_bias_": Array("f8", "I"),
        "user_factors_": Array("f8", "U k"),
        "item_factors_": Array("f8", "I k"),
        "intercept_": Number(),
        "n_iter_": Size("n", most=10**9),
        "objective_": Maybe(Array("f8", "*")),
    }

    def _set(self, found: Vectors) -> None:
        self.intercept_ = float(found.mean)
        self.user_bias_, self.user_factors_ = found.users[:, 0].copy(), np.ascontiguousarray(found.users[:, 1:])
        self.item_bias_, self.item_factors_ = found.items[:, 0].copy(), np.ascontiguousarray(found.items[:, 1:])

    def _predict(self, user: np.ndarray, item: np.ndarray) -> np.ndarray:
        bias = _or_zero(self.user_bias_)[user] + _or_zero(self.item_bias_)[item]
        products = np.einsum("nk,nk->n", _or_zero(self.user_factors_)[user], _or_zero(self.item_factors_)[item])
        return np.asarray(self.intercept_ + bias + products)

    def _scores(self, user: np.ndarray) -> np.ndarray:
        bias = self.intercept_ + _or_zero(self.user_bias_)[user][:, None] + self.item_bias_
        return np.asarray(bias + _or_zero(self.user_factors_)[user] @ self.item_factors_.T)


class MatrixFactorization(FactorRecommender):
    """Matrix factorisation of ratings, or of implicit feedback.

    A rating is predicted as μ + b_u + c_i + z_u · w_i, with the global bias μ, the biases b and c of user and item, and
    their factors z and w. The fit minimises

        Σ (rating − prediction)² + λ Σ n_u^ν (|z_u|² + b_u²) + λ Σ n_i^ν (|w_i|² + c_i²).

    "als" solves for all users with the items fixed, then for all items with the users fixed: each step is a ridge
    regression for each user, and never raises the objective. "sgd" takes the ratings one by one, in random order
    (Koren, Bell and Volinsky 2009).

    With ``implicit=True`` there are no biases. The fit minimises Σ c (1 − z·w)² over what users have, plus
    ``unobserved`` · Σ (z·w)² over all pairs, plus the penalties (Hu, Koren and Volinsky 2008), with n_u + α I in place
    of n_u (I the number of items, α of ``unobserved``). Each iteration solves for a block of factors at a time:
    iALS++ (Rendle, Krichene, Zhang and Koren 2021, arXiv:2110.14044).

    Attributes
    ----------
    intercept_ : μ.
    user_bias_, item_bias_, user_factors_, item_factors_ : b, c, z and w, in the order of ``users_`` and ``items_``.
    objective_ : the objective after each iteration.
    n_iter_ : the number of iterations.

    >>> ratings = {"user": ["a", "a", "b", "b", "c"], "item": [1, 2, 1, 3, 2], "rating": [5, 1, 4, 2, 1]}
    >>> model = MatrixFactorization(2, regularization=0.1, random_state=0).fit(ratings)
    >>> model.predict({"user": ["c", "new"], "item": [1, 1]}).round(1)
    array([4.1, 4.2])
    >>> model.recommend("c", n=1)["c"]
    [1]
    """

    factors: int = FACTORS
    solver: str = parameter(
        "How the fit is computed; implicit feedback needs als.", default="als", one_of=["als", "sgd"]
    )
    implicit: bool = IMPLICIT
    regularization: float | None = REGULARIZATION
    bias_regularization: float | None = BIAS_REGULARIZATION
    penalty_by_count: float = PENALTY_BY_COUNT
    biases: bool = BIASES
    alpha: float = ALPHA
    unobserved: float = UNOBSERVED
    learning_rate: float = parameter(
        "Of sgd: the step of the first epoch; that of epoch t is divided by √t.", default=0.02, above=0.0
    )
    max_iter: int = ITERATIONS
    tol: float = TOLERANCE
    user: str | None = USER
    item: str | None = ITEM
    rating: str | None = RATING
    time: str | None = TIME
    scale: Any = SCALE
    n_jobs: int | None = N_JOBS
    random_state: Any = RANDOM_STATE

    fidelity: ClassVar[str] = "max_iter"

    @classmethod
    def examples(cls) -> list[Model]:
        """Ratings by both solvers, and implicit feedback."""
        small: dict[str, Any] = {"factors": 3, "random_state": 0, "max_iter": 5}
        return [cls(**small), cls(**small, solver="sgd", regularization=0.1), cls(**small, implicit=True)]

    def search_space(self) -> Space:
        """Factors and penalties, and for implicit feedback the weight of what users do not have."""
        if self.implicit:
            return Space(
                {
                    "factors": Integer(8, 128, log=True),
                    "regularization": Real(1e-3, 30.0, log=True),
                    "unobserved": Real(1e-3, 1.0, log=True),
                    "penalty_by_count": Real(0.0, 1.0),
                }
            )
        return Space(
            {
                "factors": Integer(5, 100, log=True),
                "regularization": Real(0.3, 10.0, log=True),
                "penalty_by_count": Real(0.25, 0.75),
            }
        )

    def _fit(self, data: Ratings, users: SideTable | None, items: SideTable | None) -> None:
        problem = Problem.of(self, data)
        if self.implicit:
            if self.solver != "als":
                raise DataError(
                    f"solver={self.solver!r} with implicit=True.", "solver='als', which counts all pairs at once"
                )
            found, objective = implicit_factors(problem, self)
        else:
            solve = alternate if self.solver == "als" else stochastic_descent
            found, objective = solve(problem, self)
        if not _is_finite(found):
            raise DataError(
                f"the descent diverged with learning_rate={figure(self.learning_rate)}.",
                "a step that is small beside the scale of the ratings",
                f"Pass learning_rate={figure(self.learning_rate / 10)}, or solver='als', which has no step.",
            )
        self._set(Vectors(*found))
        self.objective_, self.n_iter_ = np.array(objective), len(objective)


class Biases(FactorRecommender):
    """The baseline of ratings: the global mean, how users differ from it, and how items do, each shrunk to 0.

    A rating is predicted as μ + b_u + c_i; the biases minimise Σ (rating − prediction)² + λ_u Σ b_u² + λ_i Σ c_i².
    Without the biases of users and items it predicts the global mean. Whatever is as good as it has learnt nothing
    about the taste of a single user: all get the same items.

    >>> ratings = {"user": ["a", "a", "b"], "item": [1, 2, 1], "rating": [5, 3, 4]}
    >>> Biases(regularization=0).fit(ratings).predict({"user": ["b"], "item": [2]})
    array([3.])
    """

    of_users: bool = parameter("Whether users have a bias.", default=True)
    of_items: bool = parameter("Whether items have a bias.", default=True)
    regularization: float = parameter("λ, the penalty on squared biases.", default=5.0, at_least=0.0)
    user: str | None = USER
    item: str | None = ITEM
    rating: str | None = RATING
    time: str | None = TIME
    scale: Any = SCALE

    def _fit(self, data: Ratings, users: SideTable | None, items: SideTable | None) -> None:
        problem = Problem.of_biases(self, data)
        found, objective = alternate(problem, self)
        self._set(Vectors(*found))
        self.objective_, self.n_iter_ = np.array(objective), len(objective)

    factors, biases, max_iter, tol, n_jobs = 0, True, 100, 1e-10, 1


def implicit_factors(problem: Problem, model: Any) -> Any:
    """Factors of implicit feedback; a DataError where the penalty is too small to determine them."""
    found = alternate_implicit(problem, model) if penalty_of(model) > 0 else None
    if found is None or not _is_finite(found[0]):
        raise DataError(
            f"regularization={figure(penalty_of(model))} with implicit=True: the factors are not determined.",
            "a penalty above 0, in proportion to the weights",
            "Leave it out for the default.",
        )
    return found


def _is_finite(found: tuple[float, np.ndarray, np.ndarray]) -> bool:
    return bool(np.isfinite(found[1]).all() and np.isfinite(found[2]).all())


def _or_zero(values: np.ndarray) -> np.ndarray:
    """The values with zeros at the end, which the number −1 of new users and items finds."""
    return np.concatenate([values, np.zeros((1, *values.shape[1:]))])
