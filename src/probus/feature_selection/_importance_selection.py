"""Selection by the importance that a model gives to columns: trees, and linear models."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import is_classifier

from probus.allowed_values import OneOf, RealIn
from probus.base import Accepts, Model, RequiredTargetMixin, checked_weights, clone, table_input
from probus.data import Table
from probus.errors import DataError
from probus.feature_selection._column_importance import own_importance
from probus.feature_selection._column_selector import ColumnSelector, check_number
from probus.feature_selection._subset_scores import on_columns
from probus.feature_selection._subset_search import labels_for
from probus.parameters import attribute, parameter
from probus.pipeline import tabular
from probus.state import Array, Number, Spec
from probus.wrapping import fit_weighted, takes_weights


class ImportanceSelection(RequiredTargetMixin, ColumnSelector):
    """Keep the columns to which a fitted model gives the most importance: an embedded method.

    The importance of a column is the sum over what it was prepared to, so that nominal columns are kept whole. It is
    that of the model's trees; of linear models it is the standard deviation of the column's part of the prediction. A
    column whose coefficients the lasso has set to zero has none.

    Attributes
    ----------
    importances_ : the importance of each column.
    threshold_ : the importance from which columns are kept.
    support_ : which columns are kept.

    >>> import probus
    >>> from probus.ensemble import RandomForestClassifier
    >>> people = probus.datasets.titanic().drop("Name", "Ticket", "Cabin", "PassengerId")
    >>> selector = ImportanceSelection(RandomForestClassifier(random_state=0), k=3)
    >>> selector.fit(people.drop("Survived"), people["Survived"]).get_feature_names_out().tolist()
    ['Sex', 'Age', 'Fare']
    """

    model: Any = parameter("A linear model, or one of trees; ``tabular`` prepares the columns.", kw_only=False)
    k: int | None = parameter("The number of columns; None goes by the threshold.", default=None, at_least=1)
    threshold: Any = parameter(
        'The importance above which columns are kept, without ``k``: "mean", "median", or a number.',
        default="mean",
        of=[OneOf("mean", "median"), RealIn(at_least=0.0)],
    )

    importances_: np.ndarray = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        **ColumnSelector.fitted,
        "importances_": Array("f8", "d"),
        "threshold_": Number(),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """A small tree."""
        from probus.tree import DecisionTreeRegressor

        return [cls(DecisionTreeRegressor(max_depth=2), k=1)]

    @property
    def accepts(self) -> Accepts:  # type: ignore[override]
        """Tables of any kind, since the model is prepared; weights where the model takes them."""
        return Accepts(nominal=True, text=True, missing=True, weights=takes_weights(self.model), own_levels=True)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> ImportanceSelection:
        """Fit the model, and select."""
        tabular(self.model)  # an error where it is no estimator
        table = table_input(self, X, reset=True, passed_on=True)
        labels = labels_for(self.model, y, len(table))
        if is_classifier(self.model) and len(np.unique(labels)) == 1:
            raise DataError("the target has one class only.", "at least two classes, or numbers")
        weights = checked_weights(sample_weight, labels)
        fitted = fit_weighted(on_columns(clone(self.model), table.names), table, labels, weights)
        found = own_importance(fitted, table)
        if found is None:
            raise DataError(
                f"{type(self.model).__name__} has neither coefficients nor importances.",
                "a linear model, or one of trees",
                'Use RecursiveElimination(model, importance="permutation"), or ForwardSelection(model).',
            )
        self.importances_ = found
        self._select(found)
        return self

    def _select(self, found: np.ndarray) -> None:
        if self.k is None:
            named = {"mean": found.mean(), "median": np.median(found)}
            self.threshold_ = float(named[self.threshold] if isinstance(self.threshold, str) else self.threshold)
            self.support_ = (found >= self.threshold_) & (found > 0)
            return
        check_number(self.k, len(found))
        order = np.argsort(-found, kind="stable")[: self.k]
        self.support_ = np.zeros(len(found), dtype=bool)
        self.support_[order] = True
        self.threshold_ = float(found[order[-1]])

    def _support(self, table: Table, y: Any) -> np.ndarray:
        raise NotImplementedError  # fit selects
