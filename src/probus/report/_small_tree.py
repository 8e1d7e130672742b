"""A tree small enough to read, as a first explanation of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from probus.data import Kind, Task, holds_phrases
from probus.display import Result
from probus.errors import DataError
from probus.lifecycle import as_saved
from probus.metrics import Estimate, Measure
from probus.model_selection import resample
from probus.pipeline import tabular
from probus.report._inline_svg import any_glyph
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text, plot_tree
from probus.wrapping import fit_weighted

_DEPTH = 3
_LETTERS, _MARGIN = 11.0, 6.0  # of its picture, in points
_MOST_LEVELS = 30  # of a nominal column: of more, a split is long to read, and fits the training rows by chance


@dataclass(frozen=True, eq=False, repr=False)
class SmallTree(Result):
    """A tree of at most eight leaves, fitted on all rows, with its cross-validated score.

    model : the fitted tree. measure, score : of a tree grown in the same way on other rows, with probabilities that
    are calibrated as those of the models of the leaderboard are.
    """

    model: Any
    measure: Measure
    score: Estimate

    @classmethod
    def of(cls, task: Task, measure: Measure, random_state: int = 0) -> SmallTree:
        """The tree of a task, on the columns of a study that can be read: no texts, and not many nominal levels."""
        task = _legible(task)
        kind = DecisionTreeClassifier if task.classes else DecisionTreeRegressor
        tree = tabular(kind(max_depth=_DEPTH, min_samples_leaf=max(5, len(task) // 100)))
        found = resample(tree, task, cv=min(5, len(task)), scoring=measure, random_state=random_state, progress=None)
        fitted = fit_weighted(tree, task.X, task.y, task.sample_weight)
        return cls(fitted, measure, as_saved(found, None)[0].estimate())

    @property
    def text(self) -> str:
        """The tree as text."""
        return export_text(self.model.named_steps["model"])

    def _rows(self) -> dict[str, Any]:
        """One row: the text and the score."""
        return {"tree": [self.text], "score": [self.score.value], "low": [self.score.low], "high": [self.score.high]}

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {"text": self.text, "scoring": self.measure.name, "score": self.score.to_dict()}

    def _parts(self) -> list[Any]:
        return [f"A tree of depth {_DEPTH}: {self.measure.label} {self.score}", self.text]

    def plot(self, ax: Any = None) -> Any:
        """The tree as a picture."""
        return plot_tree(self.model.named_steps["model"], ax=ax)

    def drawn(self) -> tuple[Any, float, float]:
        """A figure of the tree on white, as large as letters of 11 points need, with its width and height in points."""
        from matplotlib.figure import Figure

        figure = Figure(facecolor="white")
        ax = figure.add_axes((0, 0, 1, 1))
        with any_glyph():
            plot_tree(self.model.named_steps["model"], ax=ax, fontsize=_LETTERS)
        # the axes are centred on the tree, whose lower left corner is their origin
        width, height = (low + high for low, high in (ax.get_xlim(), ax.get_ylim()))
        ax.set_xlim(-_MARGIN, width + _MARGIN)
        ax.set_ylim(-_MARGIN, height + _MARGIN)
        width, height = width + 2 * _MARGIN, height + 2 * _MARGIN
        figure.set_size_inches(width / 72, height / 72)
        return figure, width, height


def _legible(task: Task) -> Task:
    """The task without texts, whose scores and topics nobody can read, and without features of many levels."""
    texts = {column.name for column in task.X if column.kind is Kind.TEXT or holds_phrases(column)}
    if len(texts) == len(task.features):
        raise DataError("no column but texts.", "numbers, dates or levels, which can be read in a tree")
    many = {column.name for column in task.X if column.kind is Kind.NOMINAL and len(column.levels) > _MOST_LEVELS}
    left_out = texts if len(texts | many) == len(task.features) else texts | many
    if not left_out:
        return task
    return Task(
        task.table.drop(*left_out), task.target, group=task.group, weight=task.weight, time=task.time,
        kind=task.kind, pos_label=task.pos_label,
    )  # fmt: skip
