"""Selection by the score of each column alone: scikit-learn's filters, on columns of any kind."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csc_array, issparse
from sklearn.utils.validation import check_array, check_consistent_length

from probus.allowed_values import CallableValue, IntegerIn, OneOf, RealIn
from probus.base import Accepts, Model, RequiredTargetMixin, checked_weights, table_input
from probus.data import Column, Field, Kind, Schema, Table, has_names
from probus.errors import DataError
from probus.feature_selection._column_scores import SCORES, check_classes, scores_of
from probus.feature_selection._column_selector import ColumnSelector, are_numbers, numbers_input
from probus.parameters import attribute, parameter
from probus.preprocessing import ScreeningTarget
from probus.sklearn_seam import num_samples
from probus.state import Array, Maybe, Spec

_MODERATE = 1e100  # numbers whose squares do not overflow

SCORE_FUNC = parameter(
    'The score of a column. "auto" is F, as of ``f_classif`` and ``f_regression``, where all columns are numeric, else '
    '"association": -log10 of the p-value of F or χ². Others are "anova", "chi2", "correlation", "mutual_information", '
    '"signal_to_noise", or a function of a matrix and y, which returns scores, or scores and p-values.',
    default="auto",
    of=[OneOf("auto", *SCORES), CallableValue()],
    kw_only=False,
)
ALPHA = parameter("The level that p-values, or their rate, must not exceed.", default=0.05, at_least=0.0, at_most=1.0)


class UnivariateFilter(RequiredTargetMixin, ColumnSelector):
    """Base class: scores each column alone; a subclass decides which scores are enough.

    Columns with missing values are scored on the rows where they have one. Weights count rows. A target of labels, or
    of whole numbers with at most 20 different values, is one of classes.
    """

    score_func: Any = SCORE_FUNC

    scores_: np.ndarray = attribute()
    pvalues_: np.ndarray | None = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        **ColumnSelector.fitted,
        "scores_": Array("f8", "d"),
        "pvalues_": Maybe(Array("f8", "d")),
    }

    @property
    def accepts(self) -> Accepts:  # type: ignore[override]
        """Columns of any kind but text for scores by name; a matrix for functions, and sparse for some."""
        named = isinstance(self.score_func, str)
        return Accepts(
            nominal=named,
            missing=named,
            sparse=True,
            weights=named and self.score_func != "mutual_information",
        )

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> UnivariateFilter:
        """Score the columns, and select."""
        if not isinstance(self.score_func, str):
            if sample_weight is not None:
                raise DataError("sample_weight for a function of a matrix.", "a score by name, such as 'association'")
            scores, p_values = self._of_matrix(X, y)
        elif sample_weight is None and self.score_func in ("auto", "anova") and _is_simple(X):
            scores, p_values = self._of_numbers(X, y)
        else:
            columns: Iterable[Column] = _columns_of(self, X) if issparse(X) else table_input(self, X, reset=True)
            n_rows = num_samples(X)
            target = ScreeningTarget.of(y, n_rows)
            weights = checked_weights(sample_weight, np.empty((n_rows, 0)))
            if weights is not None and not self.accepts.weights:
                raise DataError(
                    f"sample_weight for {self.score_func}, which is defined by neighbours.",
                    "a score that weighs rows, such as 'association' or 'correlation'",
                )
            numeric = issparse(X) or not any(column.kind.has_levels for column in columns)
            name = ("anova" if numeric else "association") if self.score_func == "auto" else self.score_func
            scores, p_values = scores_of(name, columns, target, weights)
        self.scores_, self.pvalues_ = scores, p_values
        self._check(len(scores))
        self.support_ = self._mask_of(scores, p_values)
        return self

    def _support(self, table: Table, y: Any) -> np.ndarray:
        raise NotImplementedError  # fit selects

    def _of_numbers(self, X: np.ndarray, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """F of all columns of an array at once, which is faster; 0 where a column does not vary."""
        from sklearn.feature_selection import f_classif, f_regression

        matrix = numbers_input(self, X, reset=True, dtype=np.float64)
        self.schema_ = Schema(Field(f"x{j}", Kind.NUMERIC) for j in range(matrix.shape[1]))
        target = ScreeningTarget.of(y, len(matrix))
        check_classes(target)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # of columns that do not vary
            found, p_values = (f_classif if target.n_classes else f_regression)(matrix, target.values)
        varies = (matrix != matrix[0]).any(axis=0) & ~np.isnan(found)
        return np.where(varies, found, 0.0), np.where(varies, p_values, 1.0)

    def _of_matrix(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray | None]:
        """What the function returns, given the same as scikit-learn would give it."""
        if has_names(X):
            table = table_input(self, X, reset=True, any_kind=True)
            _check_numeric(table, self.score_func)
            matrix = check_array(table.numbers(), estimator=self, input_name="X")
        else:
            matrix = numbers_input(self, X, reset=True)
        y = y.decoded() if isinstance(y, Column) else y
        if y is not None:
            check_consistent_length(matrix, y)
            y = np.asarray(y)
        found = self.score_func(matrix, y)
        scores, p_values = found if isinstance(found, (list, tuple)) else (found, None)
        scores = np.asarray(scores, dtype=np.float64)
        return scores, None if p_values is None else np.asarray(p_values, dtype=np.float64)

    def _check(self, n_features: int) -> None:
        """Warn of, or refuse, parameters that do not suit the number of columns."""
        return

    @abstractmethod
    def _mask_of(self, scores: np.ndarray, p_values: np.ndarray | None) -> np.ndarray:
        """Which columns are selected."""


def _check_numeric(table: Table, function: Callable[..., Any]) -> None:
    others = [column for column in table if not column.is_number_like]
    if others:
        name = getattr(function, "__name__", str(function))
        raise DataError(
            f"{name} scores numbers; column {others[0].name!r} is {others[0].kind}.",
            "numeric columns",
            'Pass score_func="association" or "mutual_information", which score whole nominal columns too.',
        )


def _is_simple(X: Any) -> bool:
    """Whether X is an array of moderate numbers, none missing, of enough rows for a test."""
    if not are_numbers(X) or len(X) < 3 or X.shape[1] == 0:
        return False
    with np.errstate(all="ignore"):
        largest = np.abs(X).max()
    return bool(largest < _MODERATE)


def _columns_of(model: Model, X: Any) -> Iterator[Column]:
    """The columns of a sparse matrix, one at a time."""
    X = csc_array(numbers_input(model, X, reset=True))
    return (Column.numbers(f"x{j}", X[:, [j]].toarray().ravel()) for j in range(X.shape[1]))


# -- the filters ---------------------------------------------------------------------------------------


class SelectKBest(UnivariateFilter):
    """Keep the k columns with the highest scores.

    Attributes
    ----------
    scores_, pvalues_ : the score of each column and its p-value; no p-values where the score has no test.
    support_ : which columns are kept.

    >>> import probus
    >>> table = probus.datasets.titanic().drop("Name", "Ticket", "Cabin", "PassengerId")
    >>> selector = SelectKBest("mutual_information", k=2).fit(table.drop("Survived"), table["Survived"])
    >>> selector.get_feature_names_out().tolist()
    ['Sex', 'Fare']
    """

    k: Any = parameter(
        'The number of columns; "all" keeps every one.', default=10, of=[OneOf("all"), IntegerIn(at_least=0)]
    )

    @classmethod
    def examples(cls) -> list[Model]:
        """Tests, and the strength of relations."""
        return [cls(k=2), cls("correlation", k=2)]

    def _check(self, n_features: int) -> None:
        check_size(self.k, n_features)

    def _mask_of(self, scores: np.ndarray, p_values: np.ndarray | None) -> np.ndarray:
        return best_of(scores, len(scores) if self.k == "all" else self.k)


class SelectPercentile(UnivariateFilter):
    """Keep a percentage of the columns, those with the highest scores.

    Attributes
    ----------
    scores_, pvalues_ : the score of each column and its p-value; no p-values where the score has no test.
    support_ : which columns are kept.

    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> SelectPercentile(percentile=25).fit(X, X[:, 2] > 0).get_support()
    array([False, False,  True, False])
    """

    percentile: float = parameter("The percentage of columns that is kept.", default=10, at_least=0, at_most=100)

    @classmethod
    def examples(cls) -> list[Model]:
        """A half."""
        return [cls(percentile=50)]

    def _mask_of(self, scores: np.ndarray, p_values: np.ndarray | None) -> np.ndarray:
        return above_percentile(scores, self.percentile)


class _ByTest(UnivariateFilter):
    """Base class of filters by p-values."""

    alpha: float = ALPHA

    @classmethod
    def examples(cls) -> list[Model]:
        """A level that some columns without any relation meet."""
        return [cls(alpha=1.0)]

    def _check(self, n_features: int) -> None:
        if self.pvalues_ is None:
            raise DataError(f"{self.score_func} has no p-values.", "a score with a test, such as 'association'")

    def _mask_of(self, scores: np.ndarray, p_values: np.ndarray | None) -> np.ndarray:
        assert p_values is not None
        return self._significant(p_values)

    @abstractmethod
    def _significant(self, p_values: np.ndarray) -> np.ndarray:
        """Which p-values are significant."""


class SelectFpr(_ByTest):
    """Keep the columns whose p-value is below ``alpha``: that share of unrelated columns is kept too.

    Attributes
    ----------
    scores_, pvalues_ : the score of each column and its p-value.
    support_ : which columns are kept.
    """

    def _significant(self, p_values: np.ndarray) -> np.ndarray:
        return p_values < self.alpha


class SelectFdr(_ByTest):
    """Keep columns such that at most a share ``alpha`` of them is expected to be unrelated (Benjamini and Hochberg).

    The columns' p-values should be independent, or depend on each other positively.

    Attributes
    ----------
    scores_, pvalues_ : the score of each column and its p-value.
    support_ : which columns are kept.
    """

    def _significant(self, p_values: np.ndarray) -> np.ndarray:
        return false_discoveries(p_values, self.alpha)


class SelectFwe(_ByTest):
    """Keep columns such that the probability of any unrelated one is at most ``alpha`` (Bonferroni).

    Attributes
    ----------
    scores_, pvalues_ : the score of each column and its p-value.
    support_ : which columns are kept.
    """

    def _significant(self, p_values: np.ndarray) -> np.ndarray:
        return p_values < self.alpha / len(p_values)


class GenericUnivariateSelect(UnivariateFilter):
    """The other filters by name, so that the way of selection can be tuned.

    Attributes
    ----------
    scores_, pvalues_ : the score of each column and its p-value; no p-values where the score has no test.
    support_ : which columns are kept.
    """

    mode: str = parameter(
        "The way of selection.", default="percentile", one_of=("percentile", "k_best", "fpr", "fdr", "fwe")
    )
    param: Any = parameter(
        'The parameter of that way: a percentage, a number of columns or "all", or a level.',
        default=1e-5,
        of=[OneOf("all"), RealIn(at_least=0), IntegerIn(at_least=0)],
    )

    @classmethod
    def examples(cls) -> list[Model]:
        """A half."""
        return [cls(mode="percentile", param=50)]

    def _check(self, n_features: int) -> None:
        if self.mode == "k_best":
            check_size(self.param, n_features)
        if self.mode in _TESTED and self.pvalues_ is None:
            raise DataError(f"{self.score_func} has no p-values.", "a score with a test, such as 'association'")

    def _mask_of(self, scores: np.ndarray, p_values: np.ndarray | None) -> np.ndarray:
        if self.mode == "k_best":
            return SelectKBest(k=self.param)._mask_of(scores, p_values)
        if self.mode == "percentile":
            return above_percentile(scores, self.param)
        return _TESTED[self.mode](alpha=self.param)._mask_of(scores, p_values)


_TESTED = {"fpr": SelectFpr, "fdr": SelectFdr, "fwe": SelectFwe}


# -- rules ---------------------------------------------------------------------------------------------


def check_size(k: Any, n_features: int) -> None:
    """Warn where k is more than the number of columns."""
    if k != "all" and k > n_features:
        text = f"k={k} is greater than n_features={n_features}. All the features will be returned."
        warnings.warn(text, UserWarning, stacklevel=4)


def best_of(scores: np.ndarray, k: int) -> np.ndarray:
    """Which are the k largest scores; of equals the last, as in scikit-learn; a NaN is the smallest.

    >>> best_of(np.array([0.2, np.nan, 0.9, 0.5]), 2)
    array([False, False,  True,  True])
    """
    kept = np.zeros(len(scores), dtype=bool)
    if k:
        kept[np.argsort(_comparable(scores), kind="mergesort")[-min(k, len(scores)) :]] = True
    return kept


def above_percentile(scores: np.ndarray, percentile: float) -> np.ndarray:
    """Which scores are among that percentage of the largest; of those equal to the limit, the first."""
    if percentile in (0, 100):
        return np.full(len(scores), percentile == 100)
    scores = _comparable(scores)
    limit = np.percentile(scores, 100 - percentile)
    kept = scores > limit
    ties = np.flatnonzero(scores == limit)
    most = int(len(scores) * percentile / 100)
    kept[ties[: max(most - int(kept.sum()), 0)]] = True
    return kept


def false_discoveries(p_values: np.ndarray, alpha: float) -> np.ndarray:
    """Which p-values the procedure of Benjamini and Hochberg rejects at that rate.

    >>> false_discoveries(np.array([0.001, 0.02, 0.03, 0.9]), 0.05)
    array([ True,  True,  True, False])
    """
    n = len(p_values)
    ordered = np.sort(p_values)
    passed = ordered[ordered <= alpha / n * np.arange(1, n + 1)]
    return p_values <= passed[-1] if len(passed) else np.zeros(n, dtype=bool)


def _comparable(scores: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(scores), np.finfo(np.float64).min, scores)
