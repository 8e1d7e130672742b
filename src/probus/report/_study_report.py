"""Everything a report of a study shows, computed once: the page, ``report.json`` and the model card are made of it."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from probus import __version__
from probus.calibration import ConformalClassifier, cheapest
from probus.data import Table
from probus.display import Result, counted, plain
from probus.lifecycle import Study
from probus.metrics import CalibrationCurve, ConfusionMatrix, Outcome, PrecisionRecallCurve, RocCurve
from probus.report._explanations import StudyExplanations
from probus.report._residuals import Residuals
from probus.report._summary import Classes, ColumnSummary, summarise
from probus.report._worst_rows import WorstRows, cell_text

_SHORTEST, _LONGEST = 2.0, 60.0  # seconds
_SAMPLE_ROWS = 5
_CURVE_CLASSES = 6  # more classes than this have no curve each
_CROWDED = 0.9  # of the rows in one of ten bins of predicted probabilities
_ROWS_FOR_BANDS = 20_000  # with more, the bands are thinner than the line


def usual_time(study: Study) -> float:
    """The seconds that further fits have by default: a quarter of the study's time, at least 2 and at most 60."""
    return min(max(study.seconds / 4, _SHORTEST), _LONGEST)


@dataclass(frozen=True, eq=False, repr=False)
class StudyReport(Result):
    """A study and what its report adds: curves, errors, and the columns of the table.

    Attributes
    ----------
    study : the study.
    outcome : each row once, predicted as the saved model does, by one that was not trained on it. roc.
    roc, precision_recall, calibration : one curve for the positive class, or one for each of several.
    confusion, costs : of classes; None for numbers.
    residuals : of numbers; None for classes.
    worst : the rows with the largest errors.
    explanations : what was found by fitting again.
    classes : the classes of the target.
    columns, sample : of the table.
    """

    study: Study
    outcome: Outcome
    roc: tuple[RocCurve, ...]
    precision_recall: tuple[PrecisionRecallCurve, ...]
    calibration: tuple[CalibrationCurve, ...]
    confusion: ConfusionMatrix | None
    costs: DecisionCosts | None
    residuals: Residuals | None
    worst: WorstRows
    explanations: StudyExplanations
    classes: tuple[str, ...]
    columns: tuple[ColumnSummary, ...]
    sample: tuple[dict[str, str], ...]

    @classmethod
    def of(cls, study: Study, *, time: float | None = None) -> StudyReport:
        """Compute what the report shows.

        ``time`` limits what needs further fits (importance, Shapley values, the learning curve) to so many seconds; 0
        leaves them out. The default is a quarter of the study's time, at least 2 and at most 60.
        """
        task = study.task
        copies = {f"{study.settings['order']} (order)"} & {task.time}  # the study orders rows by a copy of the column
        table = study.task.table.drop(*copies)
        classes = Classes.of(table[task.target], table.n_rows)
        outcome = study.results[study.best].pooled()
        roc, precision_recall, calibration = _curves(outcome)
        explanations = StudyExplanations.of(
            study,
            WorstRows.of(study, outcome),
            usual_time(study) if time is None else time,
        )
        important = explanations.importance.names if explanations.importance else None
        return cls(
            study=study,
            outcome=outcome,
            roc=roc,
            precision_recall=precision_recall,
            calibration=calibration,
            confusion=ConfusionMatrix.of(outcome) if task.classes else None,
            costs=DecisionCosts.of(outcome, saved_costs(study)) if task.classes else None,
            residuals=None if task.classes else Residuals.of(outcome.actual, outcome.need("predicted")),
            worst=WorstRows.of(study, outcome, important),
            explanations=explanations,
            classes=classes.names if len(classes.names) > 1 else (),
            columns=tuple(summarise(column, classes) for column in table),
            sample=_sample(table),
        )

    @property
    def versions(self) -> dict[str, str]:
        """Of Probus, Python and the libraries that compute."""
        libraries = {name: version(name) for name in ("numpy", "scikit-learn", "numba")}
        return {"probus": __version__, "python": platform.python_version(), **libraries}

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON: what the page shows."""
        from probus.report.sections import SECTIONS  # they show this report

        study = self.study
        return plain(
            {
                "schema": "probus.report/1",
                "study": study,
                "headline": study.headline(),
                "best": study.best,
                "baseline": study.baseline,
                **{name: value for section in SECTIONS for name, value in section.data(self).items()},
            }
        )

    def _rows(self) -> list[dict[str, Any]]:
        """Those of the leaderboard."""
        return self.study._rows()

    def _parts(self) -> list[Any]:
        return [f"Report of a study: {counted(len(self.columns), 'column')}", self.study]


def _curves(outcome: Outcome) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]:
    """ROC, precision–recall and calibration for the positive class, or for each of a few."""
    if outcome.probabilities is None or not 2 <= len(outcome.classes) <= _CURVE_CLASSES:
        return (), (), ()
    two = len(outcome.classes) == 2
    labels = [None] if two else [c for i, c in enumerate(outcome.classes) if (outcome.actual == i).any()]
    how: dict[str, Any] = {"band": len(outcome) <= _ROWS_FOR_BANDS, "random_state": 0}
    return (
        tuple(RocCurve.of(outcome, pos_label=label, **how) for label in labels),
        tuple(PrecisionRecallCurve.of(outcome, pos_label=label, **how) for label in labels),
        tuple(_calibration(outcome, label) for label in labels),
    )


def _calibration(outcome: Outcome, label: Any) -> CalibrationCurve:
    """The calibration in bins of equal width; where most rows are in one of them, in bins of equally many rows."""
    how: dict[str, Any] = {"pos_label": label, "random_state": 0, "n_resamples": 200}
    curve = CalibrationCurve.of(outcome, **how)
    return curve if curve.weight.max() < _CROWDED else CalibrationCurve.of(outcome, strategy="quantile", **how)


def _sample(table: Table) -> tuple[dict[str, str], ...]:
    """The first rows."""
    rows = range(min(_SAMPLE_ROWS, table.n_rows))
    return tuple({column.name: cell_text(column, row) for column in table} for row in rows)


# -- what would be decided if one class were costlier to miss: the numbers behind the slider of the report


_COSTS = (0.01, 0.02, 0.05, 0.1, 0.2, 1 / 3, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0)
_MOST_CLASSES = 8
_SAME = 0.02  # two costs that differ by less, as a share, are one place of the slider


@dataclass(frozen=True, eq=False)
class DecisionCosts:
    """Confusion matrices of the decisions that cost least, for several costs of missing one class.

    classes : the names of the classes that may be costlier: the positive one of two, or each of several.
    costs : what missing that class costs, in errors of the other of two classes; of several classes, as a multiple of
        what the saved model takes it to cost. saved : the place of the saved model among them.
    base : float64[K, K], the costs that those of one class are multiplied by.
    matrices : int64[classes, costs, K, K], actual × predicted.

    >>> truth, p = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.3, 0.9])
    >>> outcome = Outcome(truth, classes=("no", "yes"), positive=1).with_probabilities(p)
    >>> costs = DecisionCosts.of(outcome, 1 - np.eye(2))
    >>> costs.matrices[0, costs.costs.index(5.0)].tolist()
    [[1, 1], [0, 2]]
    """

    classes: tuple[str, ...]
    costs: tuple[float, ...]
    saved: int
    base: np.ndarray
    matrices: np.ndarray

    @classmethod
    def of(cls, outcome: Outcome, costs: np.ndarray) -> DecisionCosts | None:
        """The decisions from probabilities; None without them, or where the classes are too many to show."""
        k = len(outcome.classes)
        if outcome.probabilities is None or not 2 <= k <= _MOST_CLASSES:
            return None
        net = costs - costs.diagonal()[:, None]  # a right prediction that costs something changes no decision
        missed = list(range(k))
        own = 1.0
        if k == 2 and outcome.positive is not None and (net.sum(axis=1) > 0).all():
            missed = [outcome.positive]
            own = float(net[missed[0]].sum() / net[1 - missed[0]].sum())
            net = 1.0 - np.eye(2)
        tried = (*(cost for cost in _COSTS if abs(np.log(cost / own)) > _SAME), own)
        tried = tuple(sorted(tried))
        matrices = np.empty((len(missed), len(tried), k, k), dtype=np.int64)
        for i, code in enumerate(missed):
            for j, cost in enumerate(tried):
                weight = np.ones((k, 1))
                weight[code] = cost
                decided = cheapest(outcome.probabilities, net * weight)
                matrices[i, j] = np.bincount(outcome.actual * k + decided, minlength=k * k).reshape(k, k)
        names = tuple(str(outcome.classes[code]) for code in missed)
        return cls(names, tried, tried.index(own), net, matrices)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return plain(vars(self))


# -- the costs by which the saved model of a study decides ---------------------------------------------


def saved_costs(study: Study) -> np.ndarray:
    """The cost of each mistake by which the saved model decides, the true class × the predicted one."""
    model, k = study.model, len(study.task.classes)
    if not isinstance(model, ConformalClassifier):
        return 1.0 - np.eye(k)
    order = _columns(study, model)
    return model.costs_[np.ix_(order, order)]


def _columns(study: Study, model: ConformalClassifier) -> list[int]:
    """Where the model has each class of the task."""
    known = model.classes_.tolist()
    return [known.index(label) for label in study.task.classes]
