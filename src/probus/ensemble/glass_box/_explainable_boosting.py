"""The estimators: additive models that are boosted in cycles, for classes and for numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import ArrayValue, InstanceOf, IntegerIn, NoneAllowed, OneOf
from probus.base import Accepts, Classifier, Model, Regressor
from probus.ensemble.boosting._rows import DesignRows, classification_rows, regression_rows
from probus.ensemble.glass_box._additive_terms import AdditiveTerms
from probus.ensemble.glass_box._glass_fit import fit_terms
from probus.ensemble.glass_box._glass_settings import glass_plan
from probus.ensemble.glass_box._readable_terms import ReadableTerms
from probus.errors import DataError, ModelFileError
from probus.losses import Loss, loss_named
from probus.parameters import CLASS_WEIGHT, RANDOM_STATE, attribute, parameter
from probus.state import Array, Labels, Object, Size, Spec
from probus.tree.preparation import CATEGORICAL_FEATURES, THREADS, design_of

_LIST = (InstanceOf(list), InstanceOf(tuple))


class GlassBox(ReadableTerms):
    """Parent of both: parameters, fit and sums."""

    interactions: Any = parameter(
        "The pairs of columns that get a table: at most this many of the strongest, or a list of pairs of names or "
        'positions; 0 or None for none. "auto" takes those that are stronger than noise, if tables lower the loss of '
        "rows left out.",
        default="auto",
        of=[OneOf("auto"), IntegerIn(at_least=0), *_LIST, NoneAllowed()],
    )
    exclude: Any = parameter(
        "Columns and pairs, as a list of names or positions and of pairs of these, that get no term.",
        default=None,
        of=[*_LIST, NoneAllowed()],
    )
    max_bins: int = parameter(
        "The most bins of a column; levels beyond count as missing.", default=255, at_least=2, at_most=255
    )
    max_interaction_bins: int = parameter("The most bins of a column in pairs.", default=32, at_least=2, at_most=64)
    outer_bags: int | None = parameter(
        "The number of models that are averaged. Each leaves out a fold of the rows, which decides about the number of "
        "rounds, of all bags together. None is 16, and 8 for more than two classes on 1,000 rows or more.",
        default=None,
        at_least=1,
    )
    learning_rate: float | None = parameter(
        "The factor of the values of each tree. None is 0.1.", default=None, above=0.0
    )
    max_rounds: int = parameter("The most rounds, in each of which every column adds a tree.", default=4000, at_least=1)
    early_stopping_rounds: int = parameter(
        "Boosting stops after this many rounds without a lower loss of the rows left out. 0 runs all rounds.",
        default=50,
        at_least=0,
    )
    smoothing_rounds: int | None = parameter(
        "The number of first rounds whose splits are drawn at random, which makes curves smooth; later ones take the "
        "best splits. None draws all, which predicts best on most tables. Pairs take the best splits.",
        default=None,
        at_least=0,
    )
    max_leaves: int = parameter("The most leaves of a tree of a column.", default=3, at_least=2, at_most=16)
    min_samples_leaf: int | None = parameter(
        "The fewest rows of a leaf. None is a fiftieth of the rows, from 2 to 10.", default=None, at_least=1
    )
    reg_lambda: float = parameter(
        "The L2 penalty on leaf values, in units of their hessian.", default=1.0, at_least=0.0
    )
    monotone_constraints: Any = parameter(
        "1, -1 or 0 for each column, or a dict of names: the curve only increases, or only decreases, or is free. Such "
        "columns are in no pair.",
        default=None,
        of=[ArrayValue(), InstanceOf(dict), NoneAllowed()],
    )
    categorical_features: Any = CATEGORICAL_FEATURES
    random_state: Any = RANDOM_STATE
    n_jobs: int | None = THREADS

    terms_: AdditiveTerms = attribute()
    intercept_: np.ndarray = attribute()
    n_rounds_: np.ndarray = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        "terms_": Object(AdditiveTerms),
        "intercept_": Array("f8", "k"),
        "n_rounds_": Array("i8", "2", low=0),
        "edited_": Array("?", "*"),
    }

    @property
    def accepts(self) -> Accepts:
        """Columns of any kind, with missing and infinite values."""
        return Accepts(nominal=True, missing=True, weights=True, infinite=True)

    def _fit_rows(self, rows: DesignRows, loss: Loss, init_score: Any) -> None:
        loss.check(rows.y)
        if not loss.newton:
            raise DataError(
                f"the loss {loss.name!r}, whose leaves need a line search.", "a loss with a hessian, as 'squared_error'"
            )
        n = len(rows) if rows.weight is None else int(rows.weight.sum())
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        if init_score is not None:
            offset = scores_before(init_score, rows.design.n_rows, loss.n_outputs)
            rows = replace(rows, offset=offset if rows.at is None else offset[rows.at])
        found = fit_terms(rows, loss, glass_plan(self, n, rows.design.n_levels, loss, seed), self.n_jobs)
        self.terms_, self.intercept_ = found.terms, found.intercept
        self.n_rounds_ = np.array(found.rounds, np.int64)
        self.edited_ = np.zeros(self.n_features_in_ + len(self.terms_.pairs), bool)

    def _codes(self, X: Any) -> np.ndarray:
        """New rows as codes of the columns."""
        check_is_fitted(self, "terms_")
        return self.terms_.columns.of_rows(design_of(self, X, reset=False).X, self.n_jobs)

    def _raw(self, X: Any, init_score: Any = None) -> np.ndarray:
        """The sum of the terms: float64[n, k]."""
        codes = self._codes(X)
        out = np.tile(self.intercept_, (codes.shape[1], 1))
        if init_score is not None:
            out += scores_before(init_score, len(out), out.shape[1])
        self.terms_.add_to(codes, out, self.n_jobs)
        return out

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless terms and intercept are consistent."""
        k = len(self.intercept_)
        if self.terms_.curves.shape[1] != k or self.terms_.tables.shape[1] != k:
            raise ModelFileError(f"curves of {self.terms_.curves.shape[1]} outputs.", f"{k}")
        if len(self.terms_.sizes) != self.n_features_in_:
            raise ModelFileError(f"curves of {len(self.terms_.sizes)} columns.", f"{self.n_features_in_}")
        if len(self.edited_) != self.n_features_in_ + len(self.terms_.pairs):
            raise ModelFileError(f"marks of {len(self.edited_)} terms.")


def scores_before(init_score: Any, n: int, k: int) -> np.ndarray:
    """Raw scores that the terms are added to, one for each row and output: float64[n, k]."""
    scores = np.asarray(init_score, dtype=np.float64)
    if scores.shape not in ((n,), (n, k)) or (scores.ndim == 1 and k > 1) or not np.isfinite(scores).all():
        raise DataError(
            f"init_score of shape {scores.shape}.", f"finite numbers of shape {(n,) if k == 1 else (n, k)}",
            "They are on the scale of the link, as log odds.",
        )  # fmt: skip
    return scores.reshape(n, k)


class ExplainableBoostingClassifier(Classifier, GlassBox):
    """An additive model of curves, one for each column and a table for chosen pairs, for classes.

    The log odds of a class are the sum of the values of the curves: what is drawn is what is predicted (Lou et al.
    2013; Nori et al. 2019).

    Examples
    --------
    >>> from probus.datasets import titanic
    >>> people = titanic()
    >>> X, y = people.select("Pclass", "Sex", "Age", "Fare", "Embarked"), people["Survived"]
    >>> ExplainableBoostingClassifier(random_state=0).fit(X, y).score(X, y) > 0.8
    True
    """

    class_weight: Any = CLASS_WEIGHT
    classes_: np.ndarray = attribute()
    n_classes_: int = attribute()
    fitted: ClassVar[dict[str, Spec]] = {**GlassBox.fitted, "classes_": Labels("K"), "n_classes_": Size("K")}

    @classmethod
    def examples(cls) -> list[Model]:
        """All rows in one bag: where rows are left out, weights do not equal repetition."""
        return [cls(outer_bags=1, early_stopping_rounds=0, max_rounds=30, min_samples_leaf=5)]

    def _loss(self) -> Loss:
        return loss_named("log_loss", n_classes=self.n_classes_)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, init_score: Any = None) -> Self:
        """Fit the model; ``init_score`` are scores, on the scale of the link, that the terms are added to."""
        rows = classification_rows(self, X, y, sample_weight)
        self._fit_rows(rows, self._loss(), init_score)
        return self

    def decision_function(self, X: Any, *, init_score: Any = None) -> np.ndarray:
        """The sums of the terms: log-odds of the second class, or one number per class."""
        raw = self._raw(X, init_score)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def predict_proba(self, X: Any, *, init_score: Any = None) -> np.ndarray:
        """The probability of each class."""
        raw = self._raw(X, init_score)
        if self.n_classes_ == 1:
            return np.ones((len(raw), 1))
        return self._loss().mean(raw[:, 0] if raw.shape[1] == 1 else raw)

    def predict_log_proba(self, X: Any, *, init_score: Any = None) -> np.ndarray:
        """The logarithms of ``predict_proba``."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X, init_score=init_score))

    def predict(self, X: Any, *, init_score: Any = None) -> np.ndarray:
        """The most probable class."""
        probabilities = self.predict_proba(X, init_score=init_score)
        return self.classes_[probabilities.argmax(axis=1)]


class ExplainableBoostingRegressor(Regressor, GlassBox):
    """An additive model of curves, one for each column and a table for chosen pairs, for numbers.

    The prediction is the sum of the values of the curves, through the link of the loss: what is drawn is what is
    predicted (Lou et al. 2013, "GA2M"; Nori et al. 2019).

    Examples
    --------
    >>> from probus.datasets import mtcars
    >>> cars = mtcars()
    >>> X, y = cars.drop("mpg", "name"), cars["mpg"]
    >>> ExplainableBoostingRegressor(random_state=0).fit(X, y).score(X, y) > 0.8
    True
    """

    fitted: ClassVar[dict[str, Spec]] = GlassBox.fitted

    objective: str | Loss = parameter(
        'The loss to minimise: a name, or a loss of ``probus.losses`` with a hessian. Of "poisson", "gamma" and '
        '"tweedie" curves add up on the scale of logarithms.',
        default="squared_error",
        of=[OneOf("squared_error", "poisson", "gamma", "tweedie"), InstanceOf(Loss)],
    )

    @classmethod
    def examples(cls) -> list[Model]:
        """All rows in one bag: where rows are left out, weights do not equal repetition."""
        return [cls(outer_bags=1, early_stopping_rounds=0, max_rounds=30, min_samples_leaf=5)]

    def _loss(self) -> Loss:
        return loss_named(self.objective)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, init_score: Any = None) -> Self:
        """Fit the model; ``init_score`` are scores, on the scale of the link, that the terms are added to."""
        rows = regression_rows(self, X, y, sample_weight)
        self._fit_rows(rows, self._loss(), init_score)
        return self

    def predict(self, X: Any, *, init_score: Any = None) -> np.ndarray:
        """The predicted number."""
        return self._loss().mean(self._raw(X, init_score)[:, 0])
