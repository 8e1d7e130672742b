"""Logistic regression with the penalty chosen by cross-validation."""

from __future__ import annotations

import inspect
import warnings
from copy import copy
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import get_scorer
from sklearn.utils.metadata_routing import MetadataRouter

from probus.allowed_values import ArrayValue, IntegerIn, NoneAllowed, OneOf, TrueOrFalse
from probus.base import Model, checked_weights, matrix_input
from probus.distances.magnitudes import check_squares
from probus.errors import DataError
from probus.linear_model._fold_splits import fold_router, fold_splits
from probus.linear_model._linear_parameters import FOLDS_IN_PARALLEL, SCORING
from probus.linear_model._logistic_base import LogisticClassifier
from probus.linear_model._logistic_fit import LogisticFit, LogisticSettings, fit_logistic
from probus.linear_model._logistic_regression import LogisticRegression
from probus.parameters import CV, attribute, parameter
from probus.sklearn_seam import original
from probus.state import Array, Either, Number, Object, Spec
from probus.wrapping import refuse_params


class LogisticRegressionCV(LogisticClassifier):
    """Logistic regression with the best of several penalties, by cross-validation along their path.

    Attributes
    ----------
    classes_, coef_, intercept_, optimality_, inference_ : as of ``LogisticRegression``, of the last fit
    C_, l1_ratio_ : the chosen penalty; arrays of classes with legacy attributes
    Cs_, l1_ratios_ : those that were tried
    scores_, coefs_paths_, n_iter_ : arrays of folds × l1_ratios × Cs; with legacy attributes dicts by class, folds × Cs

    Examples
    --------
    >>> X, y = np.arange(40.0).reshape(20, 2) % 7, np.arange(20) % 2
    >>> model = LogisticRegressionCV(Cs=3, l1_ratios=(0,), scoring="accuracy", use_legacy_attributes=False).fit(X, y)
    >>> model.scores_.shape
    (5, 1, 3)
    """

    Cs: Any = parameter(
        "The weights of the data against the penalty; a number for so many between 1e-4 and 1e4.",
        default=10,
        of=[IntegerIn(at_least=1), ArrayValue()],
    )
    l1_ratios: Any = parameter(
        "The shares of absolute values in the penalty, of which the best is chosen; 0 where None.",
        default="warn",
        of=[ArrayValue(), NoneAllowed(), OneOf("warn")],
    )
    cv: Any = CV
    penalty: Any = parameter(
        "Deprecated: use ``l1_ratios``.",
        default="deprecated",
        of=[OneOf("l1", "l2", "elasticnet", "deprecated"), NoneAllowed()],
    )
    scoring: Any = SCORING.but(
        doc="The measure that chooses, by its name or as a function; larger values are better. None is accuracy.",
        default="warn",
    )
    n_jobs: int | None = FOLDS_IN_PARALLEL
    refit: bool = parameter(
        "Whether the chosen penalty is fitted to all rows; otherwise the coefficients that are best in each fold are "
        "averaged.",
        default=True,
    )
    use_legacy_attributes: Any = parameter(
        "Whether attributes are repeated for every class, as in older versions of scikit-learn. Without a value it is "
        "True, with a warning.",
        default="warn",
        of=[TrueOrFalse(), OneOf("warn")],
    )

    multi_class = "multinomial"
    C_: Any = attribute()
    l1_ratio_: Any = attribute()
    scores_: Any = attribute()
    coefs_paths_: Any = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        **LogisticClassifier.fitted,
        "Cs_": Array("f8", "c"),
        "l1_ratios_": Array("f8", "r"),
        "C_": Either(Number(), Array("f8", "m")),
        "l1_ratio_": Either(Number(), Array("f8", "m")),
        "scores_": Either(Array("f8", "f r c"), Object(dict)),
        "coefs_paths_": Either(Array("f8", "f r c m *"), Object(dict)),
        "n_iter_": Either(Array("i4", "f r c"), Array("i4", "1 f c"), Array("i4", "1 f c r")),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Few penalties and folds."""
        own: dict[str, Any] = {"l1_ratios": (0.0,), "scoring": "accuracy", "use_legacy_attributes": False}
        return [cls(Cs=3, cv=3, tol=1e-6, **own)]

    def get_metadata_routing(self) -> MetadataRouter:
        """As in scikit-learn."""
        return fold_router(self, classifier=True)

    def _is_penalised(self) -> bool:
        return True

    def _settings(self) -> LogisticSettings:
        C, ratio = float(np.ravel(self.C_)[0]), float(np.ravel(self.l1_ratio_)[0])
        return LogisticSettings(1.0 / C, ratio, self.fit_intercept, self.tol, self.max_iter)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> LogisticRegressionCV:
        """Choose the penalty, and fit the model to all rows with it; ``params`` go to the splitter, if routed."""
        if self.solver == "liblinear":
            return self._fit_liblinear(X, y, sample_weight, params)
        ratios, legacy = self._ratios(), self._legacy()
        X = matrix_input(self, X, reset=True)
        check_squares(X)
        codes = self._encode(y, X.shape[0])
        own = checked_weights(sample_weight, X)
        weights = self._weights(codes, own)
        self.Cs_ = np.logspace(-4, 4, self.Cs) if isinstance(self.Cs, Integral) else np.asarray(self.Cs, dtype=float)
        folds = fold_splits(self, X, codes, params, classifier=True, sample_weight=sample_weight)
        run = Parallel(n_jobs=self.n_jobs, prefer="threads")
        jobs = [(train, test, float(ratio)) for train, test in folds for ratio in ratios]
        paths = run(delayed(self._path)(X, codes, weights, own, *job) for job in jobs)
        fits = np.empty((len(folds), len(ratios), len(self.Cs_)), dtype=object)
        scores = np.empty(fits.shape)
        for place, (path, reached) in zip(np.ndindex(fits.shape[:2]), paths, strict=True):
            fits[place], scores[place] = path, reached
        found, self.C_, self.l1_ratio_ = self._best(X, codes, weights, fits, scores, ratios)
        self.coef_, self.intercept_ = found.coef, found.intercept
        self.optimality_, self.inference_ = found.optimality, found.inference
        self._keep_rows(X, codes, own)
        self._store_paths(fits, scores, ratios, legacy)
        if not all(fit.converged for fit in fits.ravel()):
            warnings.warn(
                f"{sum(not fit.converged for fit in fits.ravel())} of {fits.size} fits failed to converge after "
                f"{self.max_iter} iterations. Increase the number of iterations (max_iter) or scale the columns.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _fit_liblinear(self, X: Any, y: Any, sample_weight: Any, params: dict[str, Any]) -> LogisticRegressionCV:
        """The choice of scikit-learn, whose liblinear penalises intercepts."""
        X = matrix_input(self, X, reset=True)
        check_squares(X)
        codes = self._encode(y, X.shape[0])
        model = original("sklearn.linear_model", "LogisticRegressionCV")(**self.get_params(deep=False))
        model.fit(X, self.classes_[codes], sample_weight, **params)
        for name in ("coef_", "intercept_", "C_", "Cs_", "l1_ratio_", "scores_", "coefs_paths_"):
            setattr(self, name, getattr(model, name))
        self.l1_ratios_ = np.array([float(ratio or 0.0) for ratio in model.l1_ratios_])
        self.n_iter_, self.optimality_, self.inference_ = model.n_iter_.astype(np.int32), float("nan"), None
        return self

    def _path(
        self, X: Any, codes: np.ndarray, weights: Any, own: Any, train: Any, test: Any, ratio: float
    ) -> tuple[list[LogisticFit], list[float]]:
        """The fits of one fold along the path, and their scores for the rows left out."""
        fits: list[LogisticFit] = []
        scores, scorer = [], self._scorer()
        model = LogisticRegression()
        model.classes_, model.n_features_in_ = self.classes_, X.shape[1]
        few = None if weights is None else weights[train]
        extra = {} if own is None else {"sample_weight": own[test]}
        for C in self.Cs_:
            settings = LogisticSettings(1.0 / C, ratio, self.fit_intercept, self.tol, self.max_iter)
            start = fits[-1] if fits else None
            fits.append(fit_logistic(X[train], codes[train], few, len(self.classes_), settings, start, inference=False))
            model.coef_, model.intercept_ = fits[-1].coef, fits[-1].intercept
            model.n_iter_, model.optimality_, model.inference_ = fits[-1].n_iter, fits[-1].optimality, None
            scores.append(float(scorer(model, X[test], self.classes_[codes[test]], **extra)))
        return fits, scores

    def _best(
        self, X: Any, codes: np.ndarray, weights: Any, fits: np.ndarray, scores: np.ndarray, ratios: np.ndarray
    ) -> tuple[LogisticFit, float, float]:
        if self.refit:
            r, c = np.unravel_index(scores.sum(axis=0).T.argmax(), scores.shape[:0:-1])[::-1]
            C, ratio = float(self.Cs_[c]), float(ratios[r])
            settings = LogisticSettings(1.0 / C, ratio, self.fit_intercept, self.tol, self.max_iter)
            return fit_logistic(X, codes, weights, len(self.classes_), settings), C, ratio
        best = [np.unravel_index(fold.T.argmax(), fold.T.shape)[::-1] for fold in scores]
        chosen = [fits[fold, *place] for fold, place in enumerate(best)]
        mean = LogisticFit(
            np.mean([fit.coef for fit in chosen], axis=0), np.mean([fit.intercept for fit in chosen], axis=0),
            np.array([1], dtype=np.int32), max(fit.optimality for fit in chosen), True, False, None,
        )  # fmt: skip
        return mean, float(np.mean([self.Cs_[c] for _, c in best])), float(np.mean([ratios[r] for r, _ in best]))

    def _store_paths(self, fits: np.ndarray, scores: np.ndarray, ratios: np.ndarray, legacy: bool) -> None:
        """The results of every fold in scikit-learn's shapes."""
        coefs = np.array([np.column_stack([f.coef, f.intercept][: 1 + self.fit_intercept]) for f in fits.ravel()])
        coefs = coefs.reshape(*fits.shape, *coefs.shape[1:])
        n_iter = np.array([fit.n_iter.max() for fit in fits.ravel()], dtype=np.int32).reshape(fits.shape)
        self.l1_ratios_ = ratios
        self.scores_, self.coefs_paths_, self.n_iter_ = scores, coefs, n_iter
        if not legacy:
            return
        single = self.l1_ratios is None or isinstance(self.l1_ratios, str)
        labels = self.classes_[1:] if len(self.coef_) == 1 else self.classes_
        scores, coefs, n_iter = scores.swapaxes(1, 2), coefs.swapaxes(1, 2), n_iter.swapaxes(1, 2)
        if single:
            scores, coefs, n_iter = scores[:, :, 0], coefs[:, :, 0], n_iter[:, :, 0]
        keys = labels.tolist()
        self.scores_ = {key: scores.copy() for key in keys}
        self.coefs_paths_ = {key: coefs[..., k, :].copy() for k, key in enumerate(keys)}
        self.n_iter_ = n_iter[None]
        self.C_, self.l1_ratio_ = np.full(len(keys), self.C_), np.full(len(keys), self.l1_ratio_)

    def score(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> float:
        """The measure of ``scoring``."""
        refuse_params(params, self, "score")
        extra = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self._scorer()(self, X, y, **extra))

    def _scorer(self) -> Any:
        """The measure; it is given the classes, as rows left out may lack some."""
        plain = self.scoring is None or (isinstance(self.scoring, str) and self.scoring == "warn")
        scorer = get_scorer("accuracy" if plain else self.scoring)
        measure = getattr(scorer, "_score_func", None)
        known = inspect.signature(measure).parameters if measure is not None else {}
        extra = {"labels": self.classes_}
        if len(self.classes_) == 2:
            extra["pos_label"] = self.classes_[-1]
        extra = {name: value for name, value in extra.items() if name in known}
        if extra:
            scorer = copy(scorer)
            scorer._kwargs = {**extra, **scorer._kwargs}
        return scorer

    def _ratios(self) -> np.ndarray:
        """The shares of absolute values, with scikit-learn's warnings about defaults."""
        if self.penalty != "deprecated":
            text = "'penalty' was deprecated in scikit-learn 1.8: use l1_ratios=(0,) for 'l2', l1_ratios=(1,) for 'l1'."
            warnings.warn(text, FutureWarning, stacklevel=4)
        if isinstance(self.scoring, str) and self.scoring == "warn":
            text = "The default value of the parameter 'scoring' will change from None to 'neg_log_loss'. Set it."
            warnings.warn(text, FutureWarning, stacklevel=4)
        given = self.l1_ratios
        if isinstance(given, str):
            text = "The default value for l1_ratios will change from None to (0.0,): set it."
            warnings.warn(text, FutureWarning, stacklevel=4)
            given = None
        elif given is None and self.penalty == "deprecated":
            warnings.warn("'l1_ratios=None' was deprecated: use l1_ratios=(0,).", FutureWarning, stacklevel=4)
        if given is None and self.penalty != "elasticnet":
            given = (1.0,) if self.penalty == "l1" else (0.0,)
        usable = given is not None and len(given) and all(isinstance(r, Real) and 0.0 <= float(r) <= 1.0 for r in given)
        if not usable:
            raise DataError(
                f"l1_ratios must be an array-like of numbers between 0 and 1; got (l1_ratios={given!r}).",
                "such numbers",
            )
        return np.asarray(given, dtype=np.float64)

    def _legacy(self) -> bool:
        if isinstance(self.use_legacy_attributes, str):
            warnings.warn(
                "The fitted attributes of LogisticRegressionCV will be simplified in scikit-learn 1.10 to remove "
                "redundancy. Set`use_legacy_attributes=False` for the new ones, or True for those of before.",
                FutureWarning,
                stacklevel=4,
            )
            return True
        return self.use_legacy_attributes
