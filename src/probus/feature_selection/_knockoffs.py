"""Selection at a stated false discovery rate, by knockoffs."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import check_random_state

from probus.base import Accepts, Model, RequiredTargetMixin, clone, matrix_input, table_input
from probus.data import Column, Table, has_names
from probus.errors import DataError
from probus.feature_selection._column_importance import own_importance
from probus.feature_selection._column_selector import ColumnSelector
from probus.feature_selection._gaussian_knockoffs import gaussian_knockoffs, knockoff_threshold
from probus.feature_selection._path_entry import sides_of
from probus.feature_selection._subset_scores import on_columns
from probus.feature_selection._subset_search import labels_for
from probus.linear_model import LassoCV
from probus.parameters import RANDOM_STATE, attribute, parameter
from probus.preprocessing import ScreeningTarget
from probus.state import Array, Number, Spec
from probus.wrapping import set_random_states

_CONSTANT = 1e-10


class Knockoffs(RequiredTargetMixin, ColumnSelector):
    """Keep columns of which at most a share ``fdr``, on average, adds nothing to the others (model-X knockoffs).

    Each column gets a knockoff: random numbers that relate to all columns as the column itself does, but not to the
    target, given the columns. A model is fitted on both. Columns are kept whose importance exceeds that of their
    knockoffs enough; knockoffs that exceed their columns count the errors (Candès et al. 2018).

    The rate holds for any model and any relation with the target, if the columns are jointly normal with a known
    covariance. Here it is estimated (by that of Ledoit and Wolf). Columns that are not normal have knockoffs with the
    same first two moments only. So the rate holds approximately. Nothing is kept unless at least 1 / ``fdr`` columns
    stand out: with 0.1, ten. Columns must be numbers without missing values.

    Attributes
    ----------
    statistics_ : by how much the importance of each column exceeds that of its knockoff.
    threshold_ : the statistic from which columns are kept; infinite if there is none.
    support_ : which columns are kept.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 40))
    >>> y = X[:, :10].sum(axis=1) + rng.normal(size=300)
    >>> Knockoffs(fdr=0.1, random_state=0).fit(X, y).get_support(indices=True)
    array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    """

    model: Any = parameter(
        "The model whose importance is compared: linear, or of trees. None is the lasso with the penalty of "
        "cross-validation; of classes, on their indicators.",
        default=None,
        kw_only=False,
    )
    fdr: float = parameter("The false discovery rate.", default=0.1, above=0.0, below=1.0)
    offset: int = parameter(
        "1 bounds the rate; 0 keeps more, and bounds a rate that counts 1 / ``fdr`` more columns as kept.",
        default=1,
        at_least=0,
        at_most=1,
    )
    random_state: Any = RANDOM_STATE

    statistics_: np.ndarray = attribute()
    accepts: ClassVar[Any] = Accepts()
    fitted: ClassVar[dict[str, Spec]] = {
        **ColumnSelector.fitted,
        "statistics_": Array("f8", "d"),
        "threshold_": Number(),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """A rate that few columns can meet."""
        return [cls(fdr=0.9, offset=0)]

    def fit(self, X: Any, y: Any = None) -> Knockoffs:
        """Draw knockoffs, compare, and select."""
        if has_names(X):
            matrix = table_input(self, X, reset=True).numbers()
        else:
            matrix = matrix_input(self, X, reset=True)
            self.schema_ = Table.of(matrix, infer=False).schema
        target = ScreeningTarget.of(y, len(matrix))
        if target.n_classes == 1:
            raise DataError("the target has one class only.", "at least two classes, or numbers")
        if len(matrix) < 3:
            raise DataError(f"n_samples = {len(matrix)}.", "at least three rows")
        rng = check_random_state(self.random_state)
        spread = matrix.std(axis=0) > _CONSTANT * np.maximum(np.abs(matrix).max(axis=0), 1e-300)
        self.statistics_ = np.zeros(matrix.shape[1])
        if spread.any():
            self.statistics_[spread] = self._compare(matrix[:, spread], y, target, rng)
        self.threshold_ = knockoff_threshold(self.statistics_, self.fdr, self.offset)
        self.support_ = self.statistics_ >= self.threshold_
        return self

    def _support(self, table: Table, y: Any) -> np.ndarray:
        raise NotImplementedError  # fit selects

    def _compare(self, X: np.ndarray, y: Any, target: ScreeningTarget, rng: np.random.RandomState) -> np.ndarray:
        """The importance of each column less that of its knockoff."""
        from sklearn.covariance import ledoit_wolf

        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        copies = gaussian_knockoffs(Z, ledoit_wolf(Z)[0], rng)
        swapped = rng.random_sample(X.shape[1]) < 0.5  # so that the order of columns favours neither
        pair = np.hstack([np.where(swapped, copies, Z), np.where(swapped, Z, copies)])
        importance = self._importance(pair, y, target, rng)
        first, second = np.split(importance, 2)
        return np.where(swapped, second - first, first - second)

    def _importance(self, pair: np.ndarray, y: Any, target: ScreeningTarget, rng: np.random.RandomState) -> np.ndarray:
        if self.model is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                lassos = [LassoCV(cv=5).fit(pair, side) for side in sides_of(target).T if side.any()]
            return np.sum([np.abs(lasso.coef_) for lasso in lassos], axis=0)
        table = Table(Column.numbers(f"x{j}", column) for j, column in enumerate(pair.T))
        fitted = on_columns(clone(self.model), table.names)
        set_random_states(fitted, int(rng.randint(2**31 - 1)))
        labels = labels_for(self.model, y, len(table)) if is_classifier(self.model) else target.values
        found = own_importance(fitted.fit(table, labels), table)
        if found is None:
            raise DataError(
                f"{type(self.model).__name__} has neither coefficients nor importances.",
                "a linear model, or one of trees",
            )
        return found
