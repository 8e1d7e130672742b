"""The verb ``audit``, and its result: how a model treats groups of people, and whether that can be shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from probus.comparison import notes_on_training_rows, outcomes_of_fitted
from probus.data import Table, Task
from probus.datasets.source import task_of
from probus.display import Cells, Notes, Result, counted, drawing, listed, plain, rounded, sentence
from probus.errors import DataError
from probus.fairness._alike import AlikeRows, alike_rows
from probus.fairness._criteria import CRITERIA, FEWEST, Criterion, Verdict, verdict_on
from probus.fairness._groups import Groups, groups_of
from probus.fairness._incompatible import incompatibility
from probus.fairness._measured import LABELS, Measured, measure_groups
from probus.fairness._rates import cluster_codes
from probus.metrics import Estimate, Measure, Outcome, Scoring, measure
from probus.model_selection import Resampled

_SHOWN = ("base_rate", "selection_rate", "true_positive_rate", "false_positive_rate", "positive_predictive_value")
_MARGIN = 0.05
_NEEDED = {"calibration": "It needs probabilities: pass those, or a model that has predict_proba."}
_MOST_GROUPS = 40  # of an intersection


@dataclass(frozen=True, eq=False, repr=False)
class GroupTable(Result):
    """What was measured of the groups of one column, or of a combination of columns.

    Attributes
    ----------
    groups : which rows belong to which.
    values : for each name an estimate of every group; NaN of groups without enough rows.
    verdicts : on each criterion.
    alike : how often rows that are alike are treated differently; None for combinations.
    """

    groups: Groups
    values: dict[str, tuple[Estimate, ...]]
    verdicts: tuple[Verdict, ...]
    alike: AlikeRows | None = None

    @property
    def column(self) -> str:
        """The column, or columns."""
        return self.groups.name

    @property
    def shown(self) -> list[str]:
        """What the table displays."""
        return [name for name in self.values if name in _SHOWN or name not in LABELS or name not in _RATES_ONLY]

    def lines(self) -> list[list[str]]:
        """The table as text: a header, then a line for each group.

        Returns
        -------
        Rows of cells.
        """
        header = [self.column, "rows", *(LABELS.get(name, name.replace("_", " ")) for name in self.shown)]
        groups = zip(self.groups.labels, self.groups.counts.tolist(), strict=True)
        return [header] + [
            [label, f"{n:,}", *(_printed(self.values[name][code]) for name in self.shown)]
            for code, (label, n) in enumerate(groups)
        ]

    def _parts(self) -> list[Any]:
        verdicts = [sentence(each.sentence) for each in self.verdicts]
        alike = [self.alike.sentence] if self.alike else []
        return [Cells(self.lines(), right=[1]), Notes([*verdicts, *alike], mark="– ", margin=0, width=118)]

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each group: its number of rows, and each value with its interval."""
        return [
            {"column": self.column, "group": label, "rows": int(n)}
            | {
                name + end: getattr(found[code], part)
                for name, found in self.values.items()
                for end, part in (("", "value"), ("_low", "low"), ("_high", "high"))
            }
            for code, (label, n) in enumerate(zip(self.groups.labels, self.groups.counts, strict=True))
        ]


_RATES_ONLY = set(LABELS) - {"accuracy", "calibration", "mean_residual", "mean_absolute_error"}


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Result):
    """How predictions treat the groups of sensitive columns.

    Attributes
    ----------
    tables : one for each sensitive column, then their combination.
    positive : the label that selects; None for numbers, or more than two classes.
    level : the confidence level.
    margin : the largest difference that counts as none.
    rows : the number of rows.
    on : which rows these are, in words.
    notes : remarks.
    """

    tables: tuple[GroupTable, ...]
    positive: Any
    level: float
    margin: float
    rows: int
    on: str
    notes: tuple[str, ...] = field(default=())

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Those of all tables."""
        return tuple(verdict for table in self.tables for verdict in table.verdicts)

    def verdict(self, criterion: str, column: str | None = None) -> Verdict:
        """The verdict on a criterion, by the name of a column; by default the first."""
        found = [v for v in self.verdicts if v.criterion.name == criterion and column in (None, v.column)]
        if not found:
            names = dict.fromkeys(v.criterion.name for v in self.verdicts)
            raise DataError(
                f"no verdict on {criterion!r}" + (f" by {column!r}." if column else "."),
                f"one of {', '.join(names)}, by {', '.join(table.column for table in self.tables)}",
                _NEEDED.get(criterion, ""),
            )
        return found[0]

    def __getitem__(self, column: str) -> GroupTable:
        """The table of a column."""
        for table in self.tables:
            if table.column == column:
                return table
        raise KeyError(column)

    @property
    def sentence(self) -> str:
        """How many criteria are violated, undecided, or hold, and by which columns."""
        if not self.verdicts:
            return "No criterion can be judged."
        states = [verdict.state for verdict in self.verdicts]
        violated = states.count("violated")
        by = [
            f"{count} of {len(table.verdicts)} by {table.column}"
            for table in self.tables
            if (count := [each.state for each in table.verdicts].count("violated"))
        ]
        where = f" ({', '.join(by)})" if by and len(self.tables) > 1 else ""
        holds, undecided = states.count("holds"), states.count("undecided")
        more = f"{holds or 'none'} {'hold' if holds > 1 else 'holds'}, {undecided or 'none'} undecided"
        return f"{violated} of {counted(len(states), 'criterion', 'criteria')} violated{where}, {more}."

    @property
    def described(self) -> str:
        """The rows, what is selected, the margin, and what intervals hold for."""
        decided = "" if self.positive is None else f"; selected means {self.positive}"
        what = f"{counted(self.rows, 'row')}, {self.on}{decided}; margin {rounded(self.margin, 3)}"
        return f"{what}; {100 * self.level:g} % intervals: of groups each, of differences for all pairs together"

    def _parts(self) -> list[Any]:
        return [self.sentence, self.described, *self.tables, Notes(list(self.notes), margin=0, width=118)]

    def _rows(self) -> list[dict[str, Any]]:
        """The rows of all tables."""
        return [row for table in self.tables for row in table._rows()]

    def to_dict(self) -> Any:
        """Plain data for JSON; numbers that are not finite become None."""
        return plain(
            {
                "rows": self.rows, "on": self.on, "positive": self.positive, "margin": self.margin, "level": self.level,
                "groups": self._rows(), "verdicts": [_verdict_row(each) for each in self.verdicts], "notes": self.notes,
            }
        )  # fmt: skip

    def save(self, path: Any) -> Any:
        """Write the audit as a page (.html), as data (.json, .csv, .parquet), as text, or the plot; return the path.

        Parameters
        ----------
        path : the file, whose ending says the format.

        Returns
        -------
        The path.
        """
        if str(path).lower().endswith(".html"):
            return import_module("probus.report").write(self, path)  # a higher layer
        return super().save(path)

    def verdicts_frame(self) -> Any:
        """A polars frame: a row for each verdict.

        Returns
        -------
        The frame.
        """
        import polars as pl

        return pl.DataFrame([_verdict_row(each) for each in self.verdicts], infer_schema_length=None)

    def plot(self, ax: Any = None) -> Any:
        """The differences of all criteria with their intervals, and the margin.

        Parameters
        ----------
        ax : axes to draw on; None makes a figure.

        Returns
        -------
        The axes.
        """
        drawn = [each for each in self.verdicts if each.state != "not defined"]
        ax = drawing.new_axes(ax, 7.0, 0.9 + 0.32 * len(drawn))
        colours = {"holds": drawing.COLOURS[2], "violated": drawing.ORANGE, "undecided": drawing.MUTED}
        for place, each in enumerate(reversed(drawn)):
            gap, colour = each.difference, colours[each.state]
            ax.plot([gap.low, gap.high], [place, place], color=colour, linewidth=2, solid_capstyle="butt")
            ax.plot(gap.value, place, "o", color=colour, markersize=5)
            ax.annotate(
                each.state, (gap.high, place), xytext=(6, 0), textcoords="offset points", va="center", fontsize=8,
                color=colour,
            )  # fmt: skip
        ax.axvspan(0, self.margin, color=drawing.COLOURS[2], alpha=0.08, linewidth=0)
        ax.set_yticks(range(len(drawn)), [f"{v.criterion.label} · {v.column}" for v in reversed(drawn)])
        drawing.tidy(
            ax, "Largest difference between groups", f"difference; shaded: up to the margin of {self.margin:g}", ""
        )
        ax.set_xlim(0, 1.2 * max([self.margin, *(each.difference.high for each in drawn)]))
        return ax


def audit(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    target: str | None = None,
    sensitive: Any = None,
    scoring: Scoring | Iterable[Scoring] = (),
    margin: float | None = None,
    level: float = 0.95,
    combined: bool = True,
    pos_label: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
) -> Audit:
    """How a model treats the groups of sensitive columns: rates, differences, and a verdict on each criterion.

    Decisions of two classes are audited by demographic parity, equal opportunity, equalised odds, predictive parity,
    accuracy equality and calibration, numbers by mean residuals and errors. Intervals of differences hold for all pairs
    of groups together. They are for this model on new rows: pass rows that it was not fitted on, or a result of
    ``resample`` or ``study``, whose predictions are of rows held out.

    Parameters
    ----------
    model : a fitted model, a result of ``resample`` or ``study``, or predictions: labels, or probabilities.
    X, y, target : a Task, features and target, or a table and the name of its ``target``.
    sensitive : names of columns, or values of one as a list, or of several as a frame or a dict; by default those of
        the task.
    scoring : further measures of each group.
    margin : up to which a difference counts as none; by default 0.05, for numbers a tenth of the target's standard
        deviation.
    level : the confidence level.
    combined : also audit the combinations of several sensitive columns.
    pos_label : the label that selects; by default that of the task, or the last of two.
    sample_weight : the weight of each row, or the name of a column.
    groups : what each row belongs to, or the name of a column, such as a person with several rows: intervals allow for
        rows of one that are alike. By default the group of the task.

    Returns
    -------
    The tables and verdicts.

    >>> from probus import datasets
    >>> from probus.naive_bayes import NaiveBayes
    >>> people = datasets.titanic()[["Survived", "Sex", "Age", "Pclass"]]
    >>> train, test = people.take(slice(0, None, 2)), people.take(slice(1, None, 2))
    >>> model = NaiveBayes().fit(train.drop("Survived"), train["Survived"])
    >>> found = audit(model, test, target="Survived", sensitive="Sex")
    >>> verdict = found.verdict("demographic_parity")
    >>> verdict.state, verdict.groups, verdict.difference
    ('violated', ('male', 'female'), 0.994 [0.962, 0.999])
    """
    case = _Case.of(model, X, y, target, sensitive, pos_label, sample_weight, groups)
    outcome = case.outcome
    wanted = [scoring] if isinstance(scoring, str | Measure) or callable(scoring) else list(scoring)
    measures = tuple(measure(each) for each in wanted)
    limit = _margin_for(outcome) if margin is None else _checked_margin(margin)
    parts = [groups_of(column) for column in case.sensitive]
    for each in parts:
        each.check_several()
    tables = [_table_of(case, each, measures, limit, level) for each in parts]
    notes = [*case.notes, *(note for each in parts for note in each.notes)]
    if case.clusters is not None:
        notes.append(f"rows come in {case.clusters.max() + 1:,} clusters, for which intervals allow")
    if combined and len(parts) > 1:
        both = groups_of(*case.sensitive)
        if len(both) > _MOST_GROUPS:
            notes.append(f"{len(both)} combinations of {both.name} were not audited: more than {_MOST_GROUPS}")
        else:
            tables.append(_table_of(case, both, measures, limit, level, alike=False))
    if outcome.positive is not None:
        notes += [note for each in parts if (note := incompatibility(outcome, each, level))]
    notes += _notes_on_small(tables)
    positive = None if outcome.positive is None else outcome.classes[outcome.positive]
    return Audit(tuple(tables), positive, level, limit, len(outcome), case.on, tuple(map(sentence, notes)))


def _must_be_fitted(model: Any) -> None:
    try:
        check_is_fitted(model)
    except NotFittedError as error:
        raise DataError(
            f"a {type(model).__name__} that is not fitted.",
            "a fitted model, predictions, or a result of resample",
            "resample(model, task) predicts each row by models that were not fitted on it: audit its result.",
        ) from error


@dataclass(frozen=True, eq=False)
class _Case:
    """Predictions of some rows, with the sensitive columns and the other columns of these rows."""

    outcome: Outcome
    sensitive: Table
    X: Table | None
    on: str
    clusters: np.ndarray | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, model: Any, X: Any, y: Any, target: str | None, sensitive: Any, pos_label: Any, sample_weight: Any,
        groups: Any,
    ) -> _Case:  # fmt: skip
        """From what users pass."""
        study = hasattr(model, "leaderboard") and hasattr(model, "task")
        result = model.results[model.best] if study else model
        if isinstance(result, Resampled):
            if X is not None:
                raise DataError("a result together with X.", "the result alone, or a fitted model with rows")
            rows = np.unique(np.concatenate(result.rows))
            task = (model if study else result).task.take(rows)  # a study does not let models read sensitive columns
            on = "each predicted by a model that was not fitted on it"
            if groups is not None:
                raise DataError(
                    "groups with a result of resample.", "the groups of its task", "resample(…, groups=…) has them."
                )
            clusters = cluster_codes(task.groups, len(task))
            return cls(result.pooled(), _sensitive_columns(task, sensitive, rows), task.X, on, clusters)
        task = task_of(
            X, y, target=target, model=model if hasattr(model, "predict") else None, pos_label=pos_label,
            sample_weight=sample_weight, groups=groups,
        )  # fmt: skip
        clusters = cluster_codes(task.groups, len(task))
        columns = _sensitive_columns(task, sensitive, None)
        if hasattr(model, "predict"):
            _must_be_fitted(model)
            outcome = outcomes_of_fitted({"model": model}, task)["model"].weighted(task.sample_weight)
            notes = tuple(note.replace("training rows of model", "training rows") for note in
                          notes_on_training_rows({"model": model}, task))  # fmt: skip
            return cls(outcome, columns, task.X, "predicted by the model", clusters, notes)
        return cls(_predicted(model, task), columns, task.X, "with the predictions given", clusters)


def _predicted(predictions: Any, task: Task) -> Outcome:
    """The outcome of predictions as users pass them: labels, numbers, or probabilities."""
    values = np.asarray(predictions)
    numbers = not task.classes
    shares = values.dtype.kind == "f" and not numbers and (values.ndim == 2 or not np.isin(values, (0, 1)).all())
    needs = "values" if numbers else "probabilities" if shares else "labels"
    classes, positive = (None, None) if numbers else (task.classes, task.pos_label)
    return Outcome.of(
        task.y, predictions, needs=needs, classes=classes, pos_label=positive, sample_weight=task.sample_weight
    )


def _sensitive_columns(task: Task, sensitive: Any, rows: np.ndarray | None) -> Table:
    """The sensitive columns of the rows: those named, those given, or those of the task."""
    if sensitive is None or (isinstance(sensitive, list | tuple) and not len(sensitive)):
        if sensitive is not None or not task.sensitive:
            raise DataError(
                "no sensitive column.",
                "names of columns, or their values",
                "Pass sensitive='sex', or sensitive=values.",
            )
        sensitive = list(task.sensitive)
    if isinstance(sensitive, str):
        sensitive = [sensitive]
    if isinstance(sensitive, list | tuple) and all(isinstance(each, str) and each in task.table for each in sensitive):
        names = list(sensitive)
        if task.target in names:
            raise DataError(
                f"the target {task.target!r} as a sensitive column.", "a column other than the target",
                "Groups by the label are what true and false positive rates are.",
            )  # fmt: skip
        return task.table.select(*names)
    given = sensitive if isinstance(sensitive, Table | dict) or np.ndim(sensitive) == 2 else {"group": sensitive}
    if given is not sensitive and (name := getattr(sensitive, "name", None)):
        given = {str(name): sensitive}
    table = Table.of(given, infer=False)
    table = table if rows is None or len(table) == len(rows) else table.take(rows)
    if len(table) != len(task):
        raise DataError(
            f"{counted(len(table), 'sensitive value')} for {counted(len(task), 'row')}.",
            "names of columns, or a value per row",
        )
    return table


def _table_of(
    case: _Case, groups: Groups, measures: tuple[Measure, ...], margin: float, level: float, alike: bool = True
) -> GroupTable:
    measured = measure_groups(case.outcome, groups, measures, case.clusters)
    values = {name: tuple(_estimates(measured, name, level)) for name in measured.values}
    verdicts = tuple(
        verdict_on(each, groups, measured.values, measured.rows, margin, level) for each in _possible(measured)
    )
    found = None
    if alike and case.X is not None and set(case.X.names) - set(case.sensitive.names):
        predicted = case.outcome.need("predicted")
        found = alike_rows(case.X, predicted, groups, sensitive=case.sensitive.names, level=level)
        found = found if found.rows else None
    return GroupTable(groups, values, verdicts, found)


def _estimates(measured: Measured, name: str, level: float) -> Iterator[Estimate]:
    """The value of each group with its own interval; NaN of fewer than ten rows."""
    found, rows = measured.values[name], measured.rows[name]
    low, high = found.interval(level)
    for value, bottom, top, n in zip(found.values, low, high, rows.tolist(), strict=True):
        if n < FEWEST or np.isnan(value):
            yield Estimate(np.nan, np.nan, np.nan, level, "too few rows", int(n))
        else:
            yield Estimate(float(value), float(bottom), float(top), level, "", int(n))


def _possible(measured: Measured) -> list[Criterion]:
    return [each for each in CRITERIA.values() if all(name in measured.values for name in each.values)]


def _margin_for(outcome: Outcome) -> float:
    return _MARGIN if outcome.classes else 0.1 * float(outcome.actual.std())


def _checked_margin(margin: float) -> float:
    if not margin > 0:
        raise DataError(f"margin={margin!r}.", "a positive number: the largest difference that counts as none")
    return float(margin)


def _notes_on_small(tables: list[GroupTable]) -> list[str]:
    found = []
    for table in tables:
        few = [
            f"{label} ({n})"
            for label, n in zip(table.groups.labels, table.groups.counts.tolist(), strict=True)
            if n < FEWEST
        ]
        if few:
            found.append(f"groups of {table.column} with fewer than {FEWEST} rows are not compared: {listed(few)}")
        rates = {each.criterion.label: each.left_out for each in table.verdicts if set(each.left_out) - _labels_of(few)}
        for labels in dict.fromkeys(rates.values()):
            names = listed([label for label, left in rates.items() if left == labels])
            found.append(f"too few rows by {table.column} for {names}: {listed(list(labels))}")
    return found


def _labels_of(few: list[str]) -> set[str]:
    return {each.rpartition(" (")[0] for each in few}


def _verdict_row(each: Verdict) -> dict[str, Any]:
    ratio = each.ratio
    return {
        "criterion": each.criterion.name, "column": each.column, "state": each.state, "margin": each.margin,
        "difference": each.difference.value, "low": each.difference.low, "high": each.difference.high,
        "ratio": None if ratio is None else ratio.value, "ratio_low": None if ratio is None else ratio.low,
        "ratio_high": None if ratio is None else ratio.high, "rows_that_decide": each.rows,
    }  # fmt: skip


def _printed(score: Estimate) -> str:
    return "–" if np.isnan(score.value) else str(score)
