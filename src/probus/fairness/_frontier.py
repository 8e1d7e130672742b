"""The trade-off between a score and a violation of a criterion, over models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.datasets.source import task_of
from probus.display import Cells, Result, drawing, listed
from probus.errors import DataError
from probus.fairness._audit import audit
from probus.fairness._criteria import CRITERIA
from probus.metrics import Estimate, Measure, Scoring
from probus.model_selection import resample
from probus.wrapping import named_models


@dataclass(frozen=True)
class FrontierPoint:
    """A model with its score and its violation.

    Attributes
    ----------
    name : of the model.
    score : on rows held out.
    violation : the largest difference between groups, on the same rows.
    dominated : whether another model has a score and a violation that are at least as good, and one that is better.
    """

    name: str
    score: Estimate
    violation: Estimate
    dominated: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Frontier(Result):
    """Models by score and violation.

    Attributes
    ----------
    points : the models, from the smallest violation on.
    measure : of the score.
    criterion : that is violated, by its name.
    column : the sensitive column, or columns.
    """

    points: tuple[FrontierPoint, ...]
    measure: Measure
    criterion: str
    column: str

    @property
    def best(self) -> list[str]:
        """The models that no other dominates."""
        return [each.name for each in self.points if not each.dominated]

    @property
    def sentence(self) -> str:
        """Which models are on the frontier."""
        label = CRITERIA[self.criterion].label
        return f"No other model is better in {self.measure.label} and {label} by {self.column}: {listed(self.best)}."

    def _parts(self) -> list[Any]:
        header = ["model", self.measure.label, f"{CRITERIA[self.criterion].label}, largest difference", ""]
        lines = [[p.name, str(p.score), str(p.violation), "dominated" if p.dominated else ""] for p in self.points]
        return [self.sentence, Cells([header, *lines])]

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each model."""
        return [
            {
                "model": p.name, "score": p.score.value, "score_low": p.score.low, "score_high": p.score.high,
                "violation": p.violation.value, "violation_low": p.violation.low, "violation_high": p.violation.high,
                "dominated": p.dominated,
            }
            for p in self.points
        ]  # fmt: skip

    def plot(self, ax: Any = None) -> Any:
        """Scores over violations with their intervals; models that are dominated are grey.

        Parameters
        ----------
        ax : axes to draw on; None makes a figure.

        Returns
        -------
        The axes.
        """
        ax = drawing.new_axes(ax, 6.0, 4.4)
        for point in self.points:
            colour = drawing.SPINE if point.dominated else drawing.BLUE
            x, y = point.violation, point.score
            ax.plot([x.low, x.high], [y.value, y.value], color=colour, linewidth=1.5)
            ax.plot([x.value, x.value], [y.low, y.high], color=colour, linewidth=1.5)
            ax.plot(x.value, y.value, "o", color=colour, markersize=6)
        front = [p for p in self.points if not p.dominated]
        ax.plot([p.violation.value for p in front], [p.score.value for p in front], ":", color=drawing.BLUE, zorder=1)
        label = CRITERIA[self.criterion].label
        drawing.tidy(
            ax, f"{self.measure.label} against {label}", f"largest difference by {self.column}", self.measure.label
        )
        ax.set_xlim(left=0)
        _name_points(ax, self.points)
        return ax


def _name_points(ax: Any, points: tuple[FrontierPoint, ...]) -> None:
    """Write the name of each point beside it, where no other name or point is; those on the frontier first."""
    at = ax.transData.transform([(p.violation.value, p.score.value) for p in points]) * 72 / ax.figure.dpi
    taken = [(x - 4, y - 4, x + 4, y + 4) for x, y in at]
    for k in sorted(range(len(points)), key=lambda k: points[k].dominated):
        width, (x, y) = 5.2 * len(points[k].name), at[k]
        boxes = [
            (x + dx, y + dy, x + dx + width, y + dy + 9)
            for reach in range(5, 80, 10)
            for dx in (6, -width - 6)
            for dy in (reach - 2, -reach - 8)
        ]
        free = [box for box in boxes if not any(_overlap(box, other) for other in taken)]
        box = (free or boxes)[0]
        taken.append(box)
        ink = drawing.MUTED if points[k].dominated else drawing.INK
        ax.annotate(
            points[k].name, (points[k].violation.value, points[k].score.value), xytext=(box[0] - x, box[1] - y),
            textcoords="offset points", fontsize=9, color=ink,
        )  # fmt: skip


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def frontier(
    models: Any,
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    sensitive: Any = None,
    criterion: str = "demographic_parity",
    scoring: Scoring | None = None,
    cv: Any = 5,
    level: float = 0.95,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Frontier:
    """How much score it costs to violate a criterion less, by models of which each predicts rows held out.

    Parameters
    ----------
    models : estimators in a list, or by name in a dict, such as one model with several bounds.
    X, y, target : a Task, features and target, or a table and the name of its ``target``.
    sensitive : names of columns of the table; by default those of the task. Several are combined.
    criterion : whose violation counts, a name in ``CRITERIA``.
    scoring : the score; by default accuracy, or RMSE of numbers.
    cv : the splits, as of ``resample``.
    level : the confidence level of the intervals.
    random_state : the seed of the splits.
    n_jobs : the number of splits that run in parallel.

    Returns
    -------
    The models with both, and which ones no other dominates.

    >>> from probus import datasets
    >>> from probus.fairness import GroupThresholds
    >>> from probus.naive_bayes import NaiveBayes
    >>> people = datasets.titanic()[["Survived", "Sex", "Age", "Pclass"]]
    >>> models = {"plain": NaiveBayes(), "thresholds": GroupThresholds(NaiveBayes(), cv=3)}
    >>> frontier(models, people, target="Survived", sensitive="Sex", cv=3).best
    ['thresholds', 'plain']
    """
    if criterion not in CRITERIA:
        raise DataError(f"criterion={criterion!r}.", "one of " + ", ".join(map(repr, CRITERIA)))
    named: Mapping[str, Any] = named_models(models)
    if not named:
        raise DataError("no models.", "at least one")
    task = task_of(X, y, target=target, model=next(iter(named.values())))
    if sensitive is not None:
        names = [sensitive] if isinstance(sensitive, str) else list(sensitive)
        task = _with_sensitive(task, names)
    measure = scoring if scoring is not None else "accuracy" if task.classes else "rmse"
    points = []
    for name, model in named.items():
        found = resample(model, task, cv=cv, scoring=measure, random_state=random_state, n_jobs=n_jobs, progress=False)
        audited = audit(found, level=level)
        verdict = audited.verdict(criterion, audited.tables[-1].column)
        points.append(FrontierPoint(name, found.estimate(level=level), verdict.difference))
    main, column = found.measures[0], audited.tables[-1].column
    return Frontier(_marked(points, main), main, criterion, column)


def _with_sensitive(task: Any, names: list[str]) -> Any:
    """The task with other sensitive columns."""
    return type(task)(
        task.table, task.target, weight=task.weight, group=task.group, sensitive=names, time=task.time,
        pos_label=task.pos_label, kind=task.kind,
    )  # fmt: skip


def _marked(points: list[FrontierPoint], measure: Measure) -> tuple[FrontierPoint, ...]:
    """The points in order of their violation, with what dominates what."""
    score = np.array([measure.better(p.score.value) for p in points])
    violation = np.array([p.violation.value for p in points])
    marked = []
    for k, point in enumerate(points):
        as_good = (score >= score[k]) & (violation <= violation[k])
        better = (score > score[k]) | (violation < violation[k])
        marked.append(FrontierPoint(point.name, point.score, point.violation, bool((as_good & better).any())))
    return tuple(marked[k] for k in np.argsort(violation, kind="stable"))
