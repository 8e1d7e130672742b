"""Least squares on the best subset of the columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Model, checked_numbers
from probus.display import Cells, Notes, Result
from probus.errors import DataError
from probus.linear_model._linear_base import LinearRegressor, checked_rows, column_names
from probus.linear_model._linear_regression import LinearRegression, least_squares_scores
from probus.linear_model.datafits._moments import Moments, moments_of
from probus.linear_model.inference._coefficient_summary import CoefficientSummary, Inference, StandardErrors
from probus.linear_model.inference._sandwich import RowScores
from probus.linear_model.inference._standard_errors import ModelOfRows, TrainingRows
from probus.linear_model.solvers._subset_search import Subsets, branch_and_bound, exchange_search, rss_of_all
from probus.parameters import CV, FIT_INTERCEPT, parameter
from probus.state import Array, Flag, Number, Object, Spec

_EXACT_SIZES = 40  # columns up to which branch and bound looks for the best subset of every size
_EXACT = 60  # columns up to which it looks for the best subset by the criterion
_LARGEST = 50  # columns in a subset, unless max_features is given


class BestSubset(ModelOfRows, LinearRegressor):
    r"""Least squares on the subset of columns with the best criterion: a penalty on the number of columns (L0).

    A local search adds, drops and exchanges columns. Branch and bound then proves that none is better, or finds it: for
    up to 40 columns for every size, for up to 60 for the criterion, and with ``method="exact"`` for more.

    Weights count rows: n is their sum, also in ``summary``.

    Attributes
    ----------
    coef_, intercept_ : as of ``LinearRegression``, zero for columns that are not in the subset
    support_ : bool array, the columns of the subset
    n_features_ : int, their number
    optimal_ : bool
        The certificate: whether no subset has a better criterion, or a smaller RSS where ``n_features`` is given or
        ``criterion="cv"`` chose the size. Otherwise the subset is the best that the search found.
    subsets_ : bool array, the best subset found of each size from 0, sizes × columns
    r2_, scores_ : arrays, R² and the criterion of each size
    proven_ : bool array, whether the subset of each size is proven to have the largest R²
    n_visited_ : int, the number of subsets that branch and bound visited
    model_ : the ``LinearRegression`` on the subset

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 8))
    >>> model = BestSubset(2).fit(X, X[:, 2] - 2 * X[:, 5] + 0.1 * X[:, 0])
    >>> model.support_.nonzero()[0], model.optimal_
    (array([2, 5]), True)
    """

    n_features: int | None = parameter(
        "The number of columns; None chooses it by the criterion.", default=None, at_least=0, kw_only=False
    )
    criterion: str = parameter(
        '"aic" and "bic" are n log(RSS / n) + c k, with c 2 and log n and k the number of coefficients; "cp" is '
        'Mallows\' RSS / σ² − n + 2 k; "cv" is the mean squared error of the search in cross-validation.',
        default="bic",
        one_of=("bic", "aic", "cp", "cv"),
    )
    penalty: float | None = parameter(
        "λ of the criterion ½ RSS + λ k, which then takes the place of ``criterion``.", default=None, at_least=0
    )
    max_features: int | None = parameter(
        "The largest subset. None is all columns, at most half as many as rows and at most 50.",
        default=None,
        at_least=0,
    )
    method: str = parameter(
        "Whether branch and bound follows the local search.", default="auto", one_of=("auto", "exact", "local")
    )
    max_nodes: int = parameter(
        "The largest number of subsets that branch and bound visits, some millions a second.",
        default=5_000_000,
        at_least=1,
    )
    cv: Any = CV.but(doc='The folds of ``criterion="cv"``: a number, a splitter, or pairs of rows. None is five.')
    fit_intercept: bool = FIT_INTERCEPT

    accepts = Accepts(weights=True)
    fitted: ClassVar[dict[str, Spec]] = {
        **LinearRegressor.fitted,
        "support_": Array("?", "d"),
        "n_features_": Number(),
        "optimal_": Flag(),
        "subsets_": Array("?", "s d"),
        "r2_": Array("f8", "s"),
        "scores_": Array("f8", "s"),
        "proven_": Array("?", "s"),
        "n_visited_": Number(),
        "model_": Object(LinearRegression),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """The default."""
        return [cls()]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BestSubset:
        """Search for the subset, and compute its coefficients."""
        X, target, weights = checked_rows(self, X, y, sample_weight)
        problem = _Correlations(moments_of(X, target[:, None], weights, centred=self.fit_intercept))
        most = self._most(problem)
        cost = self._cost(problem)
        found = exchange_search(problem.G, problem.c, most)
        every, chosen, self.n_visited_ = self._proof(problem, found, cost)
        self.scores_ = self._fold_errors(X, target, weights, most) if cost is None else cost.values(found.rss)
        size = self.n_features if self.n_features is not None else int(self.scores_.argmin())
        self.n_features_, self.optimal_ = size, every or chosen
        self.proven_ = np.full(most + 1, every)
        self.proven_[[0, size]] = True, every or chosen
        self.r2_ = 1.0 - found.rss
        self.subsets_ = np.zeros((most + 1, X.shape[1]), dtype=bool)
        self.subsets_[:, problem.usable] = found.members
        self.support_ = self.subsets_[size].copy()
        self._fit_subset(X, target, weights)
        return self

    def _fit_subset(self, X: np.ndarray, y: np.ndarray, weights: np.ndarray | None) -> None:
        chosen = self.support_
        rows = X[:, chosen] if chosen.any() else np.zeros((len(X), 1))
        self.model_ = LinearRegression(fit_intercept=self.fit_intercept).fit(rows, y, weights)
        kept = self.model_.inference_
        if kept is not None:
            total = kept.n_rows if weights is None else float(weights.sum())
            self.model_.inference_ = _counting_weights(kept, total)
        coef = np.zeros(X.shape[1])
        coef[chosen] = self.model_.coef_[: int(chosen.sum())]
        self._keep(coef[None], np.atleast_1d(self.model_.intercept_), True, X)
        self._keep_rows(X, y, weights)

    def _most(self, problem: _Correlations) -> int:
        """The largest size."""
        n, p, usable = int(problem.n_rows), self.n_features_in_, len(problem.c)
        if self.n_features is not None and self.n_features > usable:
            raise DataError(
                f"n_features is {self.n_features}, and {usable} of {p} columns are not constant.",
                "at most that many columns",
            )
        most = min(usable, max((n - 1) // 2, 1), _LARGEST) if self.max_features is None else self.max_features
        return max(min(most, usable), self.n_features or 0)

    def _cost(self, problem: _Correlations) -> _Cost | None:
        """The criterion as a function of RSS and size; None for cross-validation."""
        n, k = problem.n_rows, int(self.fit_intercept)
        if self.penalty is not None:
            return _Cost(0.5 * problem.square, self.penalty, 0.0, False)
        if self.criterion == "cv":
            return None
        if self.criterion == "cp":
            p = len(problem.c)
            if n <= p + k:
                raise DataError(
                    f"criterion='cp' needs the residual variance of all {p} columns, and there are {n:g} rows.",
                    "more rows than columns",
                    "Use criterion='cv'.",
                )
            variance = rss_of_all(problem.G, problem.c) / (n - p - k)
            return _Cost(1.0 / max(variance, 1e-300), 2.0, 2.0 * k - n, False)
        each = 2.0 if self.criterion == "aic" else float(np.log(n))
        return _Cost(n, each, each * k + n * float(np.log(max(problem.square, 1e-300) / n)), True)

    def _proof(self, problem: _Correlations, found: Subsets, cost: _Cost | None) -> tuple[bool, bool, int]:
        """Whether all sizes are proven, whether the choice is, and the number of subsets visited."""
        p = len(problem.c)
        if self.method == "local" or (self.method == "auto" and p > _EXACT) or p == 0:
            return p == 0, p == 0, 0
        if p <= _EXACT_SIZES or (cost is None and self.n_features is None):
            every, visited = branch_and_bound(problem.G, problem.c, found, self.max_nodes)
            return every, every, visited
        if self.n_features is not None:
            k = self.n_features
            own = Subsets(found.rss[: k + 1], found.members[: k + 1])
            proven, visited = branch_and_bound(problem.G, problem.c, own, self.max_nodes, smallest=k)
        else:
            assert cost is not None
            penalty, rows = (cost.each, cost.factor) if cost.logarithm else (cost.each / cost.factor, 0.0)
            proven, visited = branch_and_bound(problem.G, problem.c, found, self.max_nodes, penalty=penalty, rows=rows)
        return False, proven, visited

    def _fold_errors(self, X: np.ndarray, y: np.ndarray, weights: np.ndarray | None, most: int) -> np.ndarray:
        """The mean squared error of each size in cross-validation, the search repeated in each fold."""
        errors, sizes = np.zeros(most + 1), 0.0
        for train, test in check_cv(self.cv).split(X, y):
            own = None if weights is None else weights[train]
            sums = moments_of(X[train], y[train][:, None], own, centred=self.fit_intercept)
            problem = _Correlations(sums)
            found = exchange_search(problem.G, problem.c, min(most, len(problem.c)))
            if self.method != "local" and len(problem.c) <= _EXACT_SIZES:
                branch_and_bound(problem.G, problem.c, found, self.max_nodes)
            share = np.ones(len(test)) if weights is None else weights[test]
            raw = np.stack([problem.predict(X[test], members) for members in found.members])
            raw = np.vstack([raw, np.repeat(raw[-1:], most + 1 - len(raw), axis=0)])
            errors += (share * (y[test] - raw) ** 2).sum(axis=1)
            sizes += float(share.sum())
        return errors / sizes

    def table(self) -> SubsetTable:
        """The best subset of each size, with R², the criterion, and whether it is proven."""
        check_is_fitted(self)
        names = np.array(column_names(self, len(self.support_)), dtype=object)
        columns = tuple(tuple(names[members]) for members in self.subsets_)
        criterion = "½ RSS + λ k" if self.penalty is not None else self.criterion
        return SubsetTable(
            columns, self.r2_, self.scores_, self.proven_, criterion, self.n_features_, self.optimal_,
            given=self.n_features is not None,
        )  # fmt: skip

    def _inference_of_rows(self) -> Inference | None:
        if not self.support_.any():
            raise DataError("BestSubset: the subset has no column.", "a column", "Try criterion='aic' or n_features.")
        return getattr(self.model_, "inference_", None)

    def _summary(self, level: float, kept: Inference | None, errors: StandardErrors | None) -> CoefficientSummary:
        names = np.array(column_names(self, len(self.support_)), dtype=object)[self.support_]
        note = (
            f"These {len(names)} of {len(self.support_)} columns were chosen with the same rows: "
            "intervals are too narrow and p-values too small."
        )
        whole = self.model_._summary(level, kept, errors)
        terms = (*(str(name) for name in names), *(["intercept"] * self.fit_intercept))
        title = whole.title.replace("LinearRegression", "BestSubset")
        return replace(whole, title=title, terms=terms, notes=(*whole.notes, note))

    def _checked_target(self, y: Any, n_rows: int) -> np.ndarray:
        return checked_numbers(y, n_rows)

    def _row_scores(self, rows: TrainingRows) -> list[RowScores]:
        chosen = replace(rows, X=rows.X[:, self.support_], y=rows.y[:, None])
        coef, intercept = np.atleast_2d(self.model_.coef_), np.atleast_1d(self.model_.intercept_)
        return least_squares_scores(chosen, coef, intercept, self.fit_intercept, counts=True)


def _counting_weights(kept: Inference, total: float) -> Inference | None:
    """What least squares kept for its summary, with weights that count rows; columns were chosen, so without tests."""
    freedom = total - len(kept.covariance)
    if freedom <= 0:
        return None
    variance = kept.variance * kept.freedom / freedom
    return replace(kept, variance=variance, n_rows=total, freedom=freedom, assumptions=None)


@dataclass(frozen=True)
class _Cost:
    """The criterion ``factor`` · RSS + ``each`` · size + ``constant``, or with log RSS, relative to no column."""

    factor: float
    each: float
    constant: float
    logarithm: bool

    def values(self, rss: np.ndarray) -> np.ndarray:
        """The criterion of each size."""
        left = np.log(np.maximum(rss, 1e-300)) if self.logarithm else rss
        return self.factor * left + self.each * np.arange(len(rss)) + self.constant


class _Correlations:
    """Products of columns and target at unit length, without columns that are constant."""

    def __init__(self, sums: Moments):
        self._sums, self.n_rows, squares = sums, sums.total, sums.gram.diagonal()
        spread = np.sqrt(np.maximum(squares, 0.0))
        self.usable = np.flatnonzero(spread > 1e-10 * np.sqrt(sums.total) * np.abs(sums.x_mean))
        length = spread[self.usable]
        self.square = float(sums.yy[0])
        self.G = sums.gram[np.ix_(self.usable, self.usable)] / np.outer(length, length)
        self.c = sums.xy[self.usable, 0] / (length * (np.sqrt(self.square) or 1.0))

    def predict(self, X: np.ndarray, members: np.ndarray) -> np.ndarray:
        """The predictions of least squares on these columns."""
        own = self.usable[members]
        beta = np.linalg.lstsq(self._sums.gram[np.ix_(own, own)], self._sums.xy[own, 0], rcond=None)[0]
        return (X[:, own] - self._sums.x_mean[own]) @ beta + self._sums.y_mean[0]


@dataclass(frozen=True, repr=False, eq=False)
class SubsetTable(Result):
    """The best subset of each size.

    Attributes
    ----------
    columns : the columns of the best subset of each size.
    r2, score : its R², and the criterion.
    proven : whether it is proven that no subset of that size is better.
    criterion : the name of the criterion.
    chosen : the size that was chosen.
    optimal : whether it is proven that no subset at all is better.
    given : whether the size was given.
    """

    columns: tuple[tuple[str, ...], ...]
    r2: np.ndarray
    score: np.ndarray
    proven: np.ndarray
    criterion: str
    chosen: int
    optimal: bool
    given: bool

    def _parts(self) -> Iterable[Any]:
        size = f"{self.chosen} column{'s' * (self.chosen != 1)}"
        yield f"BestSubset: {size}, as given by n_features" if self.given else f"BestSubset: {size} by {self.criterion}"
        head = ["", "columns", "R²", self.criterion, "columns in the subset", "proven"]
        marks = ["→" if k == self.chosen else "" for k in range(len(self.r2))]
        proven = ["yes" if sure else "no" for sure in self.proven]
        numbers = ([f"{r2:.4f}" for r2 in self.r2], [f"{score:.5g}" for score in self.score])
        sizes = [str(len(own)) for own in self.columns]
        rows = [list(row) for row in zip(marks, sizes, *numbers, map(_listing, self.columns), proven, strict=True)]
        yield Cells([head, *rows], right=(1, 2, 3))
        if not self.optimal:
            yield Notes(["The chosen subset is the best that the search found; that it is optimal is not proven."])

    def _rows(self) -> Any:
        names = {"r2": self.r2, "score": self.score, "proven": self.proven}
        return {"size": np.arange(len(self.r2)), **names, "columns": [", ".join(own) for own in self.columns]}

    def plot(self, ax: Any = None) -> Any:
        """The criterion of each size, the chosen one marked."""
        from probus.display.drawing import BLUE, ORANGE, new_axes, tidy

        ax = new_axes(ax)
        sizes = np.arange(len(self.score))
        ax.plot(sizes, self.score, color=BLUE, marker="o", markersize=4)
        ax.plot(self.chosen, self.score[self.chosen], "o", color=ORANGE, markersize=8)
        tidy(ax, "Best subset of each size", "number of columns", self.criterion)
        return ax


def _listing(names: tuple[str, ...]) -> str:
    return ", ".join(names[:8]) + (f", … ({len(names)})" if len(names) > 8 else "")
