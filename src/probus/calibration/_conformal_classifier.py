"""Calibrated probabilities, decisions by cost and sets of classes for any classifier."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtri, softmax
from sklearn.base import clone, is_regressor
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from probus.base import Classifier, Model, checked_weights, encoded_classes
from probus.calibration._class_scores import SCORES, class_scores
from probus.calibration._conformal_base import ConformalModel
from probus.calibration._conformity import checked_level
from probus.calibration._decision_cost import FEW_ROWS, cheapest, cost_matrix, mean_cost
from probus.calibration._out_of_fold import FitRows, OutOfFold, of_all_runs
from probus.calibration._prediction_sets import PredictionSets
from probus.calibration._probability_maps import MAPS, ProbabilityMap, chosen_map
from probus.data import Level
from probus.display import counted
from probus.ensemble import aligned, aligned_predictions, validated_any_shape
from probus.errors import DataError, ModelFileError
from probus.metrics import Estimate, Outcome, codes_of
from probus.model_selection import Resampled, rows_for
from probus.naive_bayes import NaiveBayes
from probus.parameters import inherited, parameter
from probus.state import Array, Labels, Object, Spec
from probus.wrapping import must_have_tags

_USUAL = 0.9  # the level that descriptions are of
_BY_CHANCE = 1 / 3  # the probability that sets of some class are judged too small though they are not


class ConformalClassifier(Classifier, ConformalModel):
    """A classifier with calibrated probabilities, decisions by cost, and sets of classes that hold the true one.

    The model is fitted without each fold of the rows in turn. From these out-of-fold predictions follow a map to
    calibrated probabilities, the cost of decisions, and how probable the true class of a row usually is: a set has all
    classes that are not much less probable than that. Sets need no assumption but that new rows are drawn as the
    training rows were, independently or in groups.

    Attributes
    ----------
    estimator_ : the model of all rows, and ``models_`` those of the folds; none for "cv".
    calibration_ : the map from its probabilities to calibrated ones; ``calibration_.method`` is the one chosen.
    probabilities_ : the calibrated probabilities of the rows predicted out of fold, by maps that were not fitted on
        them, and ``probability_rows_`` which rows these are.
    costs_ : the matrix of costs. expected_cost : the mean cost of decisions out of fold, with its interval.

    Examples
    --------
    >>> from probus.datasets import iris
    >>> table = iris()
    >>> model = ConformalClassifier(NaiveBayes()).fit(table.drop("species"), table["species"])
    >>> model.calibration_.method, model.expected_cost
    ('temperature', 0.040 [0.015, 0.086])
    >>> model.predict_set(table.take([0, 70]), level=0.95).labels
    [('setosa',), ('virginica',)]
    """

    fitted: ClassVar[dict[str, Spec]] = {
        **ConformalModel.fitted,
        "classes_": Labels("K"),
        "calibration_": Object(ProbabilityMap),
        "probabilities_": Array("f8", "n K"),
        "probability_rows_": Array("i8", "n", low=0),
        "costs_": Array("f8", "K K"),
        "cost_interval_": Array("f8", "three"),
    }

    estimator: Any = inherited(doc="A classifier with ``predict_proba`` or ``decision_function``.", kw_only=False)
    method: str = inherited(
        doc='"cv" sets the scores of rows predicted out of fold beside the model of all rows. "cv+" keeps the models '
        "of all folds and counts by these (Romano, Sesia and Candès 2020), for six times the memory and time. "
        '"jackknife+" leaves each row out in turn. "split" fits the model once, on three quarters of the rows, and '
        "predicts the others.",
        default="cv",
    )
    calibration: str = parameter(
        'The map to calibrated probabilities: "sigmoid" is Platt\'s, and "beta" is for two classes. "auto" is the '
        "simplest whose cross-validated log loss no other is surely better than.",
        default="auto",
        one_of=("auto", *MAPS),
    )
    cost: Any = parameter(
        'The cost of mistakes. None predicts the most probable class; "balanced" counts mistakes of rare classes by as '
        "much more as they are rarer; a number, for two classes, is the cost of missing a positive in false alarms; "
        "else a matrix, the true class × the predicted one. The class of least expected cost is predicted.",
        default=None,
    )
    pos_label: Any = parameter("The positive class of a number as ``cost``. None is the last class.", default=None)
    set_score: str = parameter(
        'The score of sets: "lac" (the smallest sets), "aps" (larger ones for rows that are hard) or "raps".',
        default="lac",
        one_of=SCORES,
    )
    by_class: bool | str = parameter(
        "Whether sets hold the true class as often as the level for each class, also a rare one; sets are larger. "
        '"auto": for levels at which sets of all rows together would hold the rows of some class less often than the '
        "level by more than chance explains, out of fold. A rare class may be missing from all of its sets otherwise.",
        default="auto",
        one_of=("auto",),
    )

    @classmethod
    def examples(cls) -> list[Model]:
        """Naive Bayes for tables of any kind."""
        return [cls(NaiveBayes(), cv=2)]

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless the models are of as many folds, and the labels and maps of these classes."""
        super().check_fitted_state()
        k, steps = len(self.classes_), self.calibration_.ends
        if self.conformity_.label.max() >= k or (self.calibration_.method == "isotonic" and len(steps) != k):
            raise ModelFileError("labels or maps of other classes.", f"those of {k} classes")

    # -- fitting ---------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> ConformalClassifier:
        """Fit the model on all rows and without each fold; groups are not split between folds."""
        must_have_tags(self.estimator)
        if is_regressor(self.estimator):
            raise DataError(
                f"{type(self.estimator).__name__} is a regressor.", "a classifier", "See ConformalRegressor."
            )
        X = validated_any_shape(self, X, reset=True)
        self.classes_, codes = encoded_classes(y, X.shape[0])
        weights = checked_weights(sample_weight, codes)
        data = FitRows(X, self.classes_[codes], weights, None if groups is None else np.asarray(groups), codes)
        return self._learn(data, self._fit_models(data, self._raw))

    @classmethod
    def from_resampled(cls, model: Any, resampled: Resampled, **parameters: Any) -> ConformalClassifier:
        """The same from what ``resample`` kept of the model, without fitting it again.

        model : the model, fitted on all rows of the task. resampled : with ``keep_models=True`` sets are those of
        "cv+", else of "cv"; of repeated splits all runs are used. parameters : ``calibration``, ``cost``,
        ``set_score``, ``by_class``.
        """
        check_is_fitted(model)
        resampled.check_failures()
        task, actual = resampled.task, resampled.task.table[resampled.task.target].values
        labels, columns = _labels_of(model, task.classes, actual)
        found = of_all_runs(resampled, [_of_outcome(outcome)[:, columns] for outcome in resampled.outcomes])
        parameters = {"pos_label": task.pos_label, **parameters}
        method = "cv" if found.models is None else "cv+"
        self = cls(clone(model), cv=resampled.splits.folds, method=method, **parameters)
        self._validate_params()
        X = validated_any_shape(self, rows_for(model, task), reset=True)
        self.classes_, self.estimator_ = labels, model
        place = np.argsort(columns)
        codes = place[np.searchsorted(columns[place], actual)]
        return self._learn(FitRows(X, labels[codes], task.sample_weight, task.groups, codes), found)

    def _learn(self, data: FitRows, found: OutOfFold) -> ConformalClassifier:
        """Calibrate, price decisions and keep the scores of the true classes."""
        assert data.strata is not None
        rows, actual = found.rows, data.strata[found.rows]
        weights, groups = data.of_rows(rows)
        if found.repeated:  # the predictions of a row share its weight, and vary together
            weights = (1.0 if weights is None else weights) / np.bincount(rows)[rows]
        again = rows if found.repeated else None
        fold = None if found.repeated else found.fold
        self.calibration_, p = chosen_map(self.calibration, found.predicted, actual, weights, groups, again, fold)
        self.costs_ = cost_matrix(self.cost, actual, weights, self.classes_, self._positive())
        truth = Outcome(actual, cheapest(p, self.costs_), classes=tuple(self.classes_.tolist()), weights=weights)
        price = mean_cost(truth, self.costs_, self.cost, again if groups is None else groups)
        self.cost_interval_ = np.array([price.value, price.low, price.high])
        score = class_scores(p, self.set_score)[np.arange(len(p)), actual]
        self._keep(data, found, score, actual, truth.need("predicted") == actual)
        self.probabilities_, self.probability_rows_ = p, rows.astype(np.int64)
        return self

    def _positive(self) -> int:
        if self.pos_label is None:
            return len(self.classes_) - 1
        return int(codes_of(np.array([self.pos_label]), tuple(self.classes_.tolist()), "pos_label")[0])

    # -- predicting ------------------------------------------------------------------------------------

    @property
    def uncertainty(self) -> str:
        """How probabilities are calibrated and prediction sets made, in words."""
        check_is_fitted(self)
        found = self.calibration_.method
        maps = "uncalibrated probabilities" if found == "none" else f"calibrated probabilities ({found})"
        by = " by the models of the folds" if self.models_ and self.method != "split" else ""
        of = " for each class separately" if self.sets_by_class(_USUAL) else ""
        return f"{maps}, and prediction sets{of}{by} from rows that the models were not fitted on"

    def predict(self, X: Any) -> np.ndarray:
        """The class of least expected cost; the most probable one by default."""
        probabilities = self.predict_proba(X)
        return self.classes_[cheapest(probabilities, self.costs_)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The calibrated probability of each class."""
        check_is_fitted(self)
        return self.calibration_(self._raw(self.estimator_, validated_any_shape(self, X, reset=False)))

    def predict_set(
        self, X: Any, level: float = 0.9, *, empty: bool = False, randomised: bool = False, random_state: Any = None
    ) -> PredictionSets:
        """The classes that cannot be excluded: sets that hold the true class with a probability of ``level``.

        empty : whether sets may be empty, for rows all of whose classes are less probable than the true class of most
            rows is. Otherwise the class that ``predict`` returns is always in the set, and the sets of a model that is
            right more often than the level hold the true class more often than the level too.
        randomised : whether probabilities that are equal are ranked at random. Then ties are no reason for sets that
            may be empty to hold the true class more often than the level says. But two rows that are equal may have
            different sets, and another ``random_state`` gives others.
        """
        level = checked_level(level)
        check_is_fitted(self)
        X = validated_any_shape(self, X, reset=False)
        p, conformity = self.calibration_(self._raw(self.estimator_, X)), self.conformity_
        if self.models_:
            each = [self.calibration_(self._raw(model, X)) for model in self.models_]
        else:
            each, conformity = [p], conformity.together()
        scores = np.array([class_scores(mine, self.set_score) for mine in each])
        ties = check_random_state(random_state).random_sample((len(p), 1)) if randomised else np.ones((len(p), 1))
        by_class = self.sets_by_class(level)
        if by_class:
            tiny = self._tiny()
            codes = range(len(self.classes_))
            each_class = [conformity if tiny[code] else conformity.of_class(code) for code in codes]
            shares = [one.share_above(scores[:, :, code], ties[:, 0]) for code, one in enumerate(each_class)]
            p_values = np.column_stack(shares)
        else:
            p_values = conformity.share_above(scores, ties)
        members = p_values > (1 - level) * (1 + 1e-12)
        if not empty:
            members[np.arange(len(members)), cheapest(p, self.costs_)] = True
        classes = tuple(self.classes_.tolist())
        return PredictionSets(members, p_values, classes, level, by_class, self._promises(level, by_class))

    def sets_by_class(self, level: float = 0.9) -> bool:
        """Whether sets of this level hold the true class as often as the level for each class, and not on average."""
        check_is_fitted(self)
        return bool(self._too_seldom(level).any()) if self.by_class == "auto" else bool(self.by_class)

    def _too_seldom(self, level: float) -> np.ndarray:
        """The classes that sets of all rows together hold less often than the level, by more than chance explains.

        That is a standard error for rare classes, those of less than half of the even share; as many more for others as
        keep the probability that any is below by chance at a third.
        """
        n = len(self.classes_)
        if n < 2:
            return np.zeros(n, bool)
        held, rows = self.conformity_.cover_of_classes(checked_level(level), n)
        errors = np.where(rows < rows.sum() / n / 2, 1.0, ndtri(1 - _BY_CHANCE / n))
        with np.errstate(divide="ignore"):
            return (held < level - errors * np.sqrt(level * (1 - level) / rows)) & ~self._tiny()

    def _tiny(self) -> np.ndarray:
        """The classes of so few rows, beside two that have more, that no set follows from them; never if by_class."""
        rows = self.conformity_.cover_of_classes(_USUAL, len(self.classes_))[1]
        few = rows < FEW_ROWS
        return few & (self.by_class == "auto") & (np.count_nonzero(~few) >= 2)

    def _promises(self, level: float, by_class: bool) -> tuple[str, ...]:
        """What sets promise for which classes, where it is not the same for all."""
        held, rows = self.conformity_.cover_of_classes(level, len(self.classes_))
        tiny, notes, share = self._tiny(), [], f"{100 * level:g} %"
        if by_class and self.by_class == "auto":
            worst = int(np.where(self._too_seldom(level), held, np.inf).argmin())
            notes.append(
                f"Sets are by class: those of all rows together would contain {self.classes_[worst]} in "
                f"{100 * held[worst]:.0f} % of its rows."
            )
        if by_class:
            never = ~tiny & ((1 - level) * (1 + 1e-12) * (rows + 1) < 1)
            least = int(np.ceil(level / (1 - level) * (1 - 1e-9)))
            notes += [f"No set excludes {label}: it has {counted(round(n), 'row')}, and {share} needs {least}."
                      for label, n in zip(self.classes_[never], rows[never], strict=True)]  # fmt: skip
        if tiny.any():
            labels = ", ".join(map(str, self.classes_[tiny].tolist()))
            notes.append(f"Nothing is promised for {labels}, with fewer than {FEW_ROWS} rows.")
        return tuple(notes)

    @property
    def threshold(self) -> float | None:
        """For two classes, the probability of the positive class from which on it is predicted; else None."""
        check_is_fitted(self)
        if len(self.classes_) != 2:
            return None
        positive = self._positive()
        missed, alarm = (self.costs_[a, 1 - a] - self.costs_[a, a] for a in (positive, 1 - positive))
        return float(alarm / (alarm + missed))

    @property
    def expected_cost(self) -> Estimate:
        """The mean cost of decisions, out of fold: the share of errors by default, of each class for "balanced"."""
        check_is_fitted(self)
        value, low, high = self.cost_interval_.tolist()
        return Estimate(value, low, high, method="rows predicted out of fold", n=len(self.probabilities_))

    def _raw(self, model: Any, X: Any) -> np.ndarray:
        """The probabilities of a model; its decision function as log odds where it has none."""
        if hasattr(model, "predict_proba"):
            return aligned_predictions(model, "predict_proba", X, self.classes_)
        if hasattr(model, "decision_function"):
            known = np.asarray(getattr(model, "classes_", self.classes_))
            given = _as_probabilities(np.asarray(model.decision_function(X)))
            return aligned(given, known, self.classes_)
        raise DataError(
            f"{type(model).__name__} has neither predict_proba nor decision_function.", "a classifier that has one"
        )


def _labels_of(model: Any, classes: tuple[Level, ...], actual: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The labels of a fitted model, with those of rows that it was not fitted on, and their places among the classes.

    A class that the rows of the fit lacked remains a class of the target, with a probability of zero before it is
    calibrated.
    """
    labels = np.asarray(model.classes_)
    columns = codes_of(labels, classes, "the model's classes_")
    absent = [classes[code] for code in np.setdiff1d(actual, columns)]
    if not absent:
        return labels, columns
    labels = np.unique(np.concatenate([labels, np.array(absent, labels.dtype if labels.dtype.kind == "O" else None)]))
    return labels, codes_of(labels, classes, "the classes of the target")


def _as_probabilities(decision: np.ndarray) -> np.ndarray:
    if decision.ndim == 1:
        decision = np.column_stack([np.zeros(len(decision)), decision])
    return softmax(decision, axis=1)


def _of_outcome(outcome: Outcome) -> np.ndarray:
    if outcome.probabilities is not None:
        return outcome.probabilities
    decision = outcome.need("scores")
    return _as_probabilities(decision if outcome.positive == 1 else -decision)
