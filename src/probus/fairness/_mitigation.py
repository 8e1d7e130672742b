"""What models that treat groups more alike have in common: which column is sensitive, and the rows without it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_regressor
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Classifier, Model, checked_weights, encoded_classes, table_input
from probus.data import Level, Table
from probus.errors import DataError
from probus.fairness._groups import GroupCoder, Groups, GroupWarning, sensitive_table
from probus.metrics import codes_of
from probus.parameters import attribute, parameter
from probus.pipeline import TabularPipeline, tabular
from probus.state import Labels, Object, Spec
from probus.wrapping import must_have_tags, takes_weights


class _FitRows(NamedTuple):
    """Rows as a model reads them, with the codes of labels, groups and weights."""

    X: Table
    codes: np.ndarray
    groups: Groups
    weights: np.ndarray | None


NAMED_SENSITIVE = parameter(
    "The sensitive column of X, by name or position, or a list of them. None takes ``sensitive_features`` of fit, "
    "or the sensitive columns of the task.",
    default=None,
)


class FairModel(MetaEstimatorMixin, Model):
    """Parent of models around another one that know the group of each row.

    The sensitive columns are columns of X, by ``sensitive``, or values given to ``fit``. ``resample``, ``tune`` and
    ``study`` pass those of their task.
    """

    estimator: Any = parameter("The model, which is prepared by ``tabular`` where that is needed.", kw_only=False)
    names_sensitive: ClassVar[bool] = True  # by which ``resample`` and the like know to set it

    sensitive: str | int | list | None = NAMED_SENSITIVE
    keep_sensitive: bool = parameter("Whether the model reads the sensitive columns too.", default=False)

    estimator_: Any = attribute()
    groups_: GroupCoder = attribute()
    fitted: ClassVar[dict[str, Spec]] = {"estimator_": Object(BaseEstimator), "groups_": Object(GroupCoder)}

    @property
    def accepts(self) -> Accepts:
        """Columns of any kind; weights if the model does."""
        return Accepts(nominal=True, missing=True, weights=takes_weights(self.estimator))

    def _rows_of_fit(self, X: Any, sensitive_features: Any) -> tuple[Table, Table]:
        """The table of all columns, and that of the sensitive ones."""
        must_have_tags(self.estimator)
        table = table_input(self, X, reset=True, passed_on=True)
        if self.sensitive is None:
            if sensitive_features is None:
                raise DataError(
                    f"{type(self).__name__} without a sensitive column.",
                    "sensitive='column', or sensitive_features in fit",
                    "resample, tune and study pass those of Task(…, sensitive='column').",
                )
            return table, sensitive_table(sensitive_features, len(table))
        return table, named_columns(table, self.sensitive)

    def _read(self, X: Any, sensitive_features: Any) -> tuple[Table, np.ndarray]:
        """The rows of a prediction as the model reads them, and the group of each; -1 of unknown ones."""
        check_is_fitted(self)
        table = table_input(self, X, reset=False, passed_on=True)
        names = self.groups_.names
        if sensitive_features is not None:
            given = sensitive_table(sensitive_features, len(table))
            given = Table(column.renamed(name) for column, name in zip(given, names, strict=True))
        elif set(names) <= set(table.names):
            given = table.select(*names)
        else:
            raise DataError(
                f"rows without {', '.join(names)}.", "the sensitive column in X, or sensitive_features=…",
                "This model decides by group, so that it needs the group of each row.",
            )  # fmt: skip
        return self._without_sensitive(table), self.groups_.codes(given)

    def _read_columns(self, X: Any) -> Table:
        """The rows of a prediction that does not need the groups."""
        check_is_fitted(self)
        return self._without_sensitive(table_input(self, X, reset=False, passed_on=True))

    def _answer(self, method: str, X: Any) -> Any:
        """What a method of the model returns."""
        rows = self._read_columns(X)
        return getattr(self.estimator_, method)(rows)

    def _warn_of_one_group(self) -> None:
        if len(self.groups_) < 2:
            text = f"{type(self).__name__}: all rows have {self.groups_.name} = {self.groups_.labels[0]}."
            warnings.warn(text, GroupWarning, stacklevel=4)

    def _without_sensitive(self, table: Table) -> Table:
        """The columns that the model reads."""
        names = [name for name in table.names if self.keep_sensitive or name not in self.groups_.names]
        if not names:
            raise DataError("no column besides the sensitive ones.", "columns to predict from, or keep_sensitive=True")
        return table.select(*names)

    def _inner(self) -> Any:
        """A clone of the model, prepared for any column."""
        inner = clone(self.estimator)
        return inner if isinstance(inner, TabularPipeline) else tabular(inner)


class FairClassifier(Classifier, FairModel):
    """Parent of classifiers of two classes."""

    _many_classes: ClassVar[bool] = False

    pos_label: Any = parameter("The label that selects; by default the last of two.", default=None)

    classes_: np.ndarray = attribute()
    fitted: ClassVar[dict[str, Spec]] = {**FairModel.fitted, "classes_": Labels("K")}

    def _learn_rows(self, X: Any, y: Any, sensitive_features: Any, sample_weight: Any) -> _FitRows:
        """The rows with a weight, as the model reads them."""
        if is_regressor(self.estimator):
            raise DataError(f"{type(self.estimator).__name__} is a regressor.", "a classifier")
        table, sensitive = self._rows_of_fit(X, sensitive_features)
        self.classes_, codes = encoded_classes(y, len(table))
        if len(self.classes_) > 2 and not self._many_classes:
            raise DataError(
                f"Only binary classification is supported. The type of the target is multiclass: "
                f"{len(self.classes_)} classes.",
                "two classes: the one that selects, and the other",
            )
        if len(self.classes_) == 1:
            raise DataError(f"one class, {self.classes_.tolist()[0]!r}.", "rows of two classes")
        weights = checked_weights(sample_weight, codes)
        kept = np.arange(len(table)) if weights is None else np.flatnonzero(weights)
        self.groups_ = GroupCoder.of(sensitive.take(kept), None if weights is None else weights[kept])
        coded = np.maximum(self.groups_.codes(sensitive), 0)  # a group whose rows have no weight does not count
        groups = Groups(self.groups_.name, self.groups_.labels, coded, self.groups_.notes)
        self._warn_of_one_group()
        return _FitRows(self._without_sensitive(table), codes, groups, weights)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # for groups that are alike
        tags.classifier_tags.multi_class = self._many_classes
        return tags

    @property
    def _positive(self) -> int:
        """The code of the label that selects."""
        if self.pos_label is None:
            return len(self.classes_) - 1
        labels: tuple[Level, ...] = tuple(self.classes_.tolist())
        return int(codes_of(np.array([self.pos_label]), labels, "pos_label")[0])


def named_columns(table: Table, wanted: Any) -> Table:
    """The sensitive columns by names or positions."""
    listed = wanted if isinstance(wanted, list | tuple) else [wanted]
    if not listed:
        raise DataError("sensitive=[].", "at least one column")
    beyond = [each for each in listed if isinstance(each, int) and not -len(table.names) <= each < len(table.names)]
    if beyond:
        raise DataError(f"sensitive={beyond[0]}.", f"the position of one of {len(table.names)} columns")
    return table.select(*(table.names[each] if isinstance(each, int) else each for each in listed))


def has_method(name: str) -> Callable[[Any], bool]:
    """A check for ``available_if``: whether the model, fitted or not, has the method."""
    return lambda self: hasattr(getattr(self, "estimator_", self.estimator), name)
