"""What a search tried, as a result: a table, a summary, and plots."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from probus.display import Cells, Notes, Picture, Result, counted
from probus.errors import DataError
from probus.metrics import measure
from probus.tuning._archive_database import open_database
from probus.tuning._archive_run import stored_evaluations, stored_runs
from probus.tuning._evaluation import Evaluation
from probus.tuning._pareto import pareto_front

_SHOWN = 5


@dataclass(frozen=True, eq=False, repr=False)
class Archive(Result):
    """The evaluations of a search, in the order of their proposal.

    Attributes
    ----------
    evaluations : each with its configuration, scores, times and error.
    scoring : the names of the measures, the main one first.
    greater_is_better : whether more of the main one is better.
    header : what the evaluations depend on: data, model, space, tuner, splits, seed and version.
    note : why the search ended early, if it did.

    >>> from probus.naive_bayes import GaussianNB
    >>> from probus.tuning import Random, Real, Space, tune
    >>> from sklearn.datasets import load_iris
    >>> space = Space({"var_smoothing": Real(1e-9, 1.0, log=True)})
    >>> tuned = tune(GaussianNB(), *load_iris(return_X_y=True), space=space, evaluations=4, tuner=Random())
    >>> len(tuned.archive), tuned.archive.to_frame().columns[:3]
    (4, ['number', 'var_smoothing', 'log_loss'])
    """

    evaluations: tuple[Evaluation, ...]
    scoring: tuple[str, ...]
    greater_is_better: bool
    header: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""

    @classmethod
    def read(cls, where: str | os.PathLike[str], run: str | None = None) -> Archive:
        """The finished evaluations of a run in an archive, also while a search goes on.

        Parameters
        ----------
        where : the file, or the URL of the database.
        run : the name of the run; needed where the archive has several.
        """
        database = open_database(where, create=False)
        try:
            runs = stored_runs(database)
            name = next(iter(runs), None) if run is None and len(runs) == 1 else run
            if name not in runs:
                known = ", ".join(map(repr, runs)) or "none"
                raise DataError(f"archive {str(where)!r} has no run {name!r}.", f"one of its runs: {known}")
            header = runs[name]
            found = tuple(stored_evaluations(database, name).values())
        finally:
            database.close()
        scoring, more = header.get("scoring"), header.get("greater_is_better")
        if not scoring or not isinstance(scoring, list) or not isinstance(more, bool):
            raise DataError(
                f"archive {str(where)!r} is damaged: the header of run {name!r} has no measures.",
                "what a tuning stored",
                "Restore it from a copy.",
            )
        return cls(found, tuple(map(str, scoring)), more, header)

    def __len__(self) -> int:
        return len(self.evaluations)

    def __getitem__(self, place: int) -> Evaluation:
        return self.evaluations[place]

    def __iter__(self) -> Iterator[Evaluation]:
        return iter(self.evaluations)

    # -- scores ----------------------------------------------------------------------------------------

    @cached_property
    def main(self) -> np.ndarray:
        """The mean of the main measure of each evaluation, in its own units; NaN where it failed."""
        return np.array([each.mean(self.scoring[0]) for each in self.evaluations])

    @cached_property
    def turned(self) -> np.ndarray:
        """The mean of the main measure, turned so that higher is better."""
        return self.main if self.greater_is_better else -self.main

    @cached_property
    def full(self) -> np.ndarray:
        """Whether each evaluation was made with the largest effort that a successful one had."""
        effort = np.array([each.fidelity for each in self.evaluations])
        return effort == np.max(effort[~np.isnan(self.main)], initial=0.0)

    @property
    def objectives(self) -> dict[str, bool]:
        """The measures that were optimised, and whether more of each is better."""
        return self.header.get("objectives") or {self.scoring[0]: self.greater_is_better}

    @cached_property
    def front(self) -> tuple[Evaluation, ...]:
        """The full evaluations that no other beats in all objectives (the Pareto front), the best by the first first.

        Of one objective, the best evaluation and those that are equal to it.
        """
        places = np.flatnonzero(self._on_front)
        return tuple(self.evaluations[place] for place in places[np.argsort(-self.turned[places], kind="stable")])

    @cached_property
    def _on_front(self) -> np.ndarray:
        """Whether each evaluation is on the front."""
        if len(self.objectives) == 1:
            scores = np.where(self.full, self.turned, np.nan)
            return scores == np.nanmax(scores, initial=-np.inf)
        means = {name: np.array([each.mean(name) for each in self.evaluations]) for name in self.objectives}
        scores = np.column_stack([means[name] if more else -means[name] for name, more in self.objectives.items()])
        scores[~self.full] = np.nan
        found = np.zeros(len(self), dtype=bool)
        found[pareto_front(scores)] = True
        return found

    @property
    def best_index(self) -> int:
        """The place of the best full evaluation by the main measure, the first of equals; of the front, if it has one.

        Equal scores of the main measure may differ in another objective.
        """
        scores = np.where(self._on_front if self._on_front.any() else self.full, self.turned, np.nan)
        if np.isnan(scores).all():
            errors = [each.error for each in self.evaluations if each.error]
            found = f"every evaluation failed: {errors[0]}" if errors else "no evaluation is finished."
            raise DataError(found, "at least one configuration that can be fitted and scored")
        return int(np.nanargmax(scores))

    @property
    def best(self) -> Evaluation:
        """The best full evaluation."""
        return self.evaluations[self.best_index]

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters that some configuration has."""
        return tuple(dict.fromkeys(name for each in self.evaluations for name in each.config))

    # -- display ---------------------------------------------------------------------------------------

    def _parts(self) -> list[Any]:
        failed = sum(each.error is not None for each in self.evaluations)
        seconds = sum(each.seconds for each in self.evaluations)
        head = f"Archive of {counted(len(self), 'evaluation')} of {str(self.header.get('model', '')).split(' ')[0]}"
        notes = [f"{seconds:.3g} s in all" + f", {failed} failed" * bool(failed), *filter(None, [self.note])]
        if np.isnan(self.main).all():
            return [head, Notes(notes)]
        order = np.lexsort((-np.nan_to_num(self.turned, nan=-np.inf), ~self.full, ~self._on_front))
        rows = [["", *self.objectives, *self.parameters]]
        several = len(self.objectives) > 1
        for place in order[: min(_SHOWN, len(self.front)) if several else _SHOWN]:
            each = self.evaluations[place]
            values = [_short(each.config[name]) if name in each.config else "" for name in self.parameters]
            values[:1] = values[:1] if each.config else ["as given"]
            rows.append([str(each.number), *(_short(each.mean(name)) for name in self.objectives), *values])
        if several:
            beaten = "beaten by no other in all measures together (the Pareto front)"
            notes.insert(0, f"{counted(len(self.front), 'configuration')} {beaten}: archive.front")
        return [head, Cells(rows, right=[0]), Notes(notes), Picture(self.plot)]

    def _rows(self) -> list[dict[str, Any]]:
        efforts = {each.fidelity for each in self.evaluations} != {1.0}
        return [
            {
                "number": each.number,
                **{name: _cell(each.config.get(name)) for name in self.parameters},
                **({"fidelity": each.fidelity} if efforts else {}),
                **{name: each.mean(name) for name in self.scoring},
                "seconds": each.seconds,
                "error": each.error,
                "worker": each.worker,
                "started": each.started,
                "finished": each.finished,
            }
            for each in self.evaluations
        ]

    def to_frame(self) -> Any:
        """A polars frame: a row for each evaluation; values of different types in one parameter are strings."""
        import polars as pl

        rows = self._rows()
        for name in self.parameters:
            if len({type(row[name]) for row in rows if row[name] is not None}) > 1:
                mixed = any(isinstance(row[name], str | bool) for row in rows)
                for row in rows:
                    if row[name] is not None:
                        row[name] = str(row[name]) if mixed else float(row[name])
        return pl.DataFrame(rows, infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "scoring": list(self.scoring),
            "header": dict(self.header),
            "note": self.note,
            "evaluations": [each.to_dict() for each in self.evaluations],
        }

    # -- plots -----------------------------------------------------------------------------------------

    def plot(self, axes: Any = None) -> Any:
        """Every evaluation and the best so far, on matplotlib axes, which are returned.

        Of several objectives, the first two and the front.
        """
        from probus.tuning._archive_plots import draw_front, draw_history

        return draw_history(self, axes) if len(self.objectives) == 1 else draw_front(self, axes)

    def plot_effect(self, parameter: str, other: str | None = None, axes: Any = None) -> Any:
        """How the score depends on a parameter, or on two, by a forest fitted to the evaluations."""
        from probus.tuning._archive_plots import draw_effect, draw_effects

        for name in filter(None, [parameter, other]):
            if name not in self.parameters:
                raise DataError(f"no parameter {name!r}.", f"one of {', '.join(self.parameters)}")
        return draw_effect(self, parameter, axes) if other is None else draw_effects(self, parameter, other, axes)

    def plot_parallel(self, axes: Any = None) -> Any:
        """A line for each full evaluation across all parameters; the better, the darker."""
        from probus.tuning._archive_plots import draw_parallel

        return draw_parallel(self, axes)

    @property
    def label(self) -> str:
        """The main measure in words."""
        return label_of(self.scoring[0])


def label_of(name: str) -> str:
    """A measure in words."""
    try:
        return measure(name).label
    except DataError:
        return name.replace("_", " ")


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _cell(value: Any) -> Any:
    return str(value) if isinstance(value, (list, tuple)) else value
