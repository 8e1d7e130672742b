"""Blending: a final model fitted on the predictions of other models for held-out rows."""

from __future__ import annotations

from typing import Any, ClassVar
from warnings import warn

import numpy as np
from sklearn.utils import check_random_state

from probus.allowed_values import RealIn
from probus.base import Model, checked_numbers, checked_weights, encoded_classes
from probus.data import content_of
from probus.data.row_selection import take_rows
from probus.display import counted
from probus.dummy import ZeroRRegressor
from probus.ensemble.forest._bags import order_by_content
from probus.ensemble.stacking._stacking_base import Stacked, StackedClassifier, StackedRegressor
from probus.errors import DataError
from probus.naive_bayes import NaiveBayes
from probus.parameters import RANDOM_STATE, parameter
from probus.sklearn_seam import check_method_params
from probus.state import Array, Spec
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor
from probus.wrapping import refuse_params


class _Blending(Stacked):
    """What blending has in common for classification and regression."""

    validation_fraction: float = parameter(
        "The share of the rows to hold out, by weight; of each class for classes.",
        default=0.2,
        of=[RealIn(above=0, below=1, besides_int=True)],
    )
    refit: bool = parameter(
        "Whether members are fitted again on all rows. Their predictions change slightly with it: for a final model "
        "with sharp thresholds, such as a tree, False is safer.",
        default=True,
    )
    random_state: Any = RANDOM_STATE

    fitted: ClassVar[dict[str, Spec]] = {"held_out_": Array("bool", "*")}

    def _blend(
        self,
        X: Any,
        y: np.ndarray,
        sample_weight: Any,
        validation: dict[str, Any],
        others: dict[str, Any],
        classes: np.ndarray | None,
    ) -> None:
        """Fit members on some rows, the final model on their predictions for the others, and members on all rows."""
        weights = checked_weights(sample_weight, y)
        self._check_final()
        self.stack_method_ = self._methods()
        given, given_to_final = self._pass_to_members(weights, **others), self._pass_to_final(weights, others)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        self.held_out_ = held_out(X, y, self.validation_fraction, weights, seed, classes)
        train, held = np.flatnonzero(~self.held_out_), np.flatnonzero(self.held_out_)
        given_now = {name: check_method_params(X, mine, train) for name, mine in given.items()}
        self.estimators_ = self._fit_members_on(take_rows(X, train), y[train], given_now, validation)
        rows = take_rows(X, held)
        predictions = self._member_predictions(self.stack_method_, rows)
        self._fit_final(rows, y[held], check_method_params(X, given_to_final, held), predictions)
        if self.refit:
            self.estimators_ = self._fit_members_on(X, y, given, validation)


class BlendingClassifier(StackedClassifier, _Blending):
    """A final classifier fitted on the predictions of other models for held-out rows.

    Members are fitted twice, without the held-out rows and on all rows, where stacking fits them once per fold: for
    models that are slow to fit. Equal rows are held out together.

    Attributes
    ----------
    held_out_ : which of the rows were held out.

    Examples
    --------
    >>> from probus.datasets import penguins
    >>> table = penguins()
    >>> members = [("tree", DecisionTreeClassifier(max_depth=3)), ("bayes", NaiveBayes())]
    >>> model = BlendingClassifier(members, random_state=0).fit(table.drop("species"), table["species"])
    >>> len(table), int(model.held_out_.sum()), model.final_estimator_.n_features_in_
    (344, 69, 6)
    """

    fitted: ClassVar[dict[str, Spec]] = {**StackedClassifier.fitted, **_Blending.fitted}

    @classmethod
    def examples(cls) -> list[Model]:
        """For tables of any kind, with the columns passed through, and without refitting."""
        tree = DecisionTreeClassifier(max_depth=2)
        return [
            cls([("tree", tree), ("bayes", NaiveBayes())], validation_fraction=0.4),
            cls([("tree", tree)], validation_fraction=0.4, passthrough=True),
            cls([("bayes", NaiveBayes())], validation_fraction=0.4, refit=False),
        ]

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None,
        sample_weight_val: Any = None, **params: Any,
    ) -> BlendingClassifier:  # fmt: skip
        """Fit members and final model; other parameters are passed by metadata routing.

        ``X_val``, ``y_val`` and ``sample_weight_val`` are passed to the members that stop early.
        """
        refuse_params(params, self, "fit")
        self._check_members(same_kind=False)
        X = self._validate(X, reset=True)
        self.classes_, codes = encoded_classes(y, X.shape[0])
        validation = self._validation(X_val, y_val, sample_weight_val, self.classes_)
        self._blend(X, codes, sample_weight, validation, params, self.classes_)
        return self

    def _labels(self) -> np.ndarray:
        return np.arange(len(self.classes_))


class BlendingRegressor(StackedRegressor, _Blending):
    """A final regressor fitted on the predictions of other models for held-out rows.

    Rows are held out, and members fitted, as in ``BlendingClassifier``.

    Examples
    --------
    >>> from probus.datasets import mtcars
    >>> cars = mtcars()
    >>> members = [("tree", DecisionTreeRegressor(max_depth=2)), ("mean", ZeroRRegressor())]
    >>> BlendingRegressor(members, random_state=0).fit(cars[["wt", "hp"]], cars["mpg"]).predict({"wt": [2], "hp": [90]})
    array([24.2266642])
    """

    fitted: ClassVar[dict[str, Spec]] = {**StackedRegressor.fitted, **_Blending.fitted}

    @classmethod
    def examples(cls) -> list[Model]:
        """A final tree; for RidgeCV, weights do not equal repetition."""
        tree = DecisionTreeRegressor(min_weight_fraction_leaf=0.15)
        return [cls([("tree", tree), ("mean", ZeroRRegressor())], tree, validation_fraction=0.4)]

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None,
        sample_weight_val: Any = None, **params: Any,
    ) -> BlendingRegressor:  # fmt: skip
        """Fit members and final model; other parameters are passed by metadata routing.

        ``X_val``, ``y_val`` and ``sample_weight_val`` are passed to the members that stop early.
        """
        refuse_params(params, self, "fit")
        self._check_members()
        X = self._validate(X, reset=True)
        validation = self._validation(X_val, y_val, sample_weight_val)
        self._blend(X, checked_numbers(y, X.shape[0]), sample_weight, validation, params, None)
        return self


# -- which rows blending holds out ---------------------------------------------------------------------


def held_out(
    X: Any, y: np.ndarray, share: float, weights: np.ndarray | None, seed: int, labels: np.ndarray | None
) -> np.ndarray:
    """Which rows, as a mask, are held out: about that share of the weight, of each class where there are classes.

    Equal rows, label included, are on the same side: otherwise a member might have been fitted on the label of a
    held-out row. The draw depends on the content of the rows, not on their order, and a row of weight 2 counts as two
    rows. Of a class whose rows are all equal, none is held out.

    >>> held_out(np.array([[1.0], [1.0], [2.0], [3.0]]), np.zeros(4), 0.3, None, 0, None)
    array([False, False, False,  True])
    """
    w = np.ones(len(y)) if weights is None else weights
    strata = np.zeros(len(y), np.int64) if labels is None else y
    out = _draw(_alike(X, y), strata, share, w, seed)
    if not out.any():  # the rows of each class are all equal: they have to be separated
        out = _draw(np.arange(len(y)), strata, share, w, seed)
    if not out.any():
        raise DataError(
            f"n_samples={counted(len(y), 'row')}, too few to hold any out.",
            "at least 2 rows" + " of one class" * (labels is not None),
            "Give it more rows.",
        )
    for label in [] if labels is None else labels[np.setdiff1d(y[w > 0], y[out])]:
        only = f"class {label} has one row, or only equal rows"
        warn(f"{only}, which the members need: the final model gives it probability zero", stacklevel=5)
    return out


def _draw(kinds: np.ndarray, strata: np.ndarray, share: float, w: np.ndarray, seed: int) -> np.ndarray:
    """That share of the weight of each stratum, at least one of its distinct rows and never all."""
    out, rng = np.zeros(len(kinds), bool), np.random.RandomState(seed)
    for stratum in np.unique(strata[w > 0]):
        rows = np.flatnonzero((strata == stratum) & (w > 0))
        kind = np.unique(kinds[rows], return_inverse=True)[1]
        weight = np.bincount(kind, w[rows])
        mixed = rng.permutation(len(weight))
        middle = np.cumsum(weight[mixed]) - weight[mixed] / 2
        n_chosen = min(max(1, int((middle <= share * weight.sum()).sum())), len(mixed) - 1)
        out[rows] = np.isin(kind, mixed[:n_chosen])
    return out


def _alike(X: Any, y: np.ndarray) -> np.ndarray:
    """A number for each row, the same for equal rows, in the order of their content."""
    content = content_of(X)
    order = order_by_content(content, y)
    new = (np.diff(content[order, 0], prepend=np.nan) != 0) | (np.diff(y[order], prepend=np.nan) != 0)
    kinds = np.empty(len(y), np.int64)
    kinds[order] = np.cumsum(new) - 1
    return kinds
