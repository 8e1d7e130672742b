"""What a study found."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from probus.comparison import Comparison, Leaderboard
from probus.data import Task
from probus.data.findings import Finding, Findings
from probus.display import Notes, Result, counted, listed, plain, sentence
from probus.errors import DataError
from probus.fairness import Audit, audit, groups_of
from probus.lifecycle._group_scores import GroupScores
from probus.lifecycle._new_test_set import score_of_new_test_set
from probus.lifecycle._ranking import gains, simplest_equivalent
from probus.lifecycle._split_scores import SplitChoice
from probus.metrics import Estimate, Measure
from probus.model_selection import Resampled, Splits, says_nothing

_NAMED = 12  # columns that are left out for the same reason


@dataclass(frozen=True, eq=False, repr=False)
class Study(Result):
    """The result of a study: every model's scores, what was left out and why, and the best model fitted on all rows.

    Attributes
    ----------
    name : the name of the data.
    source : the path or name of the data; None for data in memory.
    task : the rows with their roles.
    features : the columns that the model reads.
    left_out : the columns that it does not read, with reasons.
    findings : what ``examine`` found.
    comparison : the leaderboard, tests and results.
    model : the best model, fitted on all rows; it takes a table with the columns of ``features``.
    best : the name of its family.
    settings : the arguments that repeat the study.
    seconds : the time that it took.
    warnings : the findings that change how the score is read, the most important first.
    inner_scores : for each tuned model the score that its tuning saw, which is optimistic.
    tried : A row for each evaluation: model, configuration, score, seconds, error.
    notes : remarks on how to read the result.
    stopped : why it ended early, or empty.
    sampled_rows : the number of rows that the model was fitted on where the time did not suffice for all.
    limit : the seconds that it was given; None for no limit.
    split : how the rows are split, what fits the data, and the score by both.
    """

    name: str
    source: str | None
    task: Task
    features: tuple[str, ...]
    left_out: dict[str, str]
    findings: Findings
    comparison: Comparison
    model: Any
    best: str
    settings: dict[str, Any]
    seconds: float
    warnings: tuple[Finding, ...] = ()
    inner_scores: Mapping[str, float] = field(default_factory=dict)
    tried: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    stopped: str = ""
    sampled_rows: int | None = None
    limit: float | None = None
    split: SplitChoice = field(default_factory=SplitChoice)

    @property
    def subject(self) -> str:
        """The target and the data it is of, each named once: a file has often the name of its target."""
        target = self.task.target
        return target if self.name.casefold() == target.casefold() else f"{target} of {self.name}"

    @property
    def fitted_on(self) -> str:
        """The rows that the saved model was fitted on, in words."""
        rows = counted(len(self.task), "row")
        return f"all {rows}" if self.sampled_rows is None else f"{self.sampled_rows:,} of {rows}, for want of time"

    @property
    def leaderboard(self) -> Leaderboard:
        """The models in order of the main measure."""
        assert isinstance(self.comparison.leaderboard, Leaderboard)
        return self.comparison.leaderboard

    @property
    def results(self) -> dict[str, Resampled]:
        """The predictions of every finished model on test rows, the simplest model first."""
        return self.leaderboard.results

    @property
    def splits(self) -> Splits:
        """The splits on which every model was evaluated."""
        return next(iter(self.results.values())).splits

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What the models are scored by, the main measure first."""
        return self.leaderboard.measures

    @property
    def main(self) -> Measure:
        """The measure that orders the leaderboard."""
        return self.measures[0]

    @property
    def score(self) -> Estimate:
        """The main score of the saved model's family, on rows that neither fitting nor tuning used."""
        return self.leaderboard[self.best].scores[self.main.name]

    def score_on_new_rows(self, n: int | None = None) -> Estimate:
        """The main score, with the interval in which that of one new test set of ``n`` rows is in 95 % of cases.

        The interval of ``score`` is for the expected score, which new rows have on average. To compare the study with
        the score of one test set of your own, use this one: it is wider, since that set is a sample too.

        Parameters
        ----------
        n : the rows of the test set, drawn as those of the study were; by default as many as the study has.
        """
        new = len(self.task) if n is None else n
        if new < 1:
            raise DataError(f"n={n!r}.", "a number of rows, 1 or more")
        tested = len(np.unique(np.concatenate([test for _, test in self.splits.pairs])))
        return score_of_new_test_set(self.score, self.main, tested, new)

    @property
    def on_new_rows(self) -> str:
        """The score that one new test set is likely to have, in a sentence; empty where it is not known."""
        score = self.score_on_new_rows()
        floor = self.leaderboard[self.baseline].scores[self.main.name].value
        if not np.isfinite(score.half_width) or says_nothing(score, self.main, floor):
            return ""
        if self.leaderboard.without_interval(self.best, self.main.name):
            return ""
        ends = " to ".join(score.texts(self.score.decimals)[1:])
        rows = counted(len(self.task), "new row") + (" of new groups" if self.task.group else "")
        return f"{self.main.label} of one test set of {rows} drawn alike: {ends} in 95 % of cases"

    @property
    def recommended(self) -> str:
        """The simplest model that is equivalent to the best; the best itself where there is none."""
        return simplest_equivalent(self.leaderboard, self.best, self.baseline)

    @property
    def baseline(self) -> str:
        """The name of the model that uses no feature."""
        return next(iter(self.results))

    @cached_property
    def group_scores(self) -> GroupScores | None:
        """The scores of the best model by group of each sensitive column; None where there is no such column."""
        if not self.task.sensitive:
            return None
        return GroupScores.of(self.results[self.best], self.task, self.main, self.measures[1:])

    @cached_property
    def audit(self) -> Audit | None:
        """How the best model treats the groups of each sensitive column, out of fold; None without such a column."""
        several = [name for name in self.task.sensitive if len(groups_of(self.task.table[name])) > 1]
        return audit(self, sensitive=several) if several else None

    def confusion(self) -> np.ndarray:
        """Actual × predicted counts of the best model: each row predicted once, by a model not trained on it."""
        k, pooled = len(self.task.classes), self.results[self.best].pooled()
        return np.bincount(pooled.actual * k + pooled.need("predicted"), minlength=k * k).reshape(k, k)

    def headline(self) -> str:
        """The best model with its score, the models that are undecided against it, and the baseline."""
        return " ".join(filter(None, [self.comparison.headline(self.baseline), self.about_saved]))

    @property
    def about_saved(self) -> str:
        """Why the saved model is not the best one, or which simpler one is as good; empty where neither applies."""
        board, best = self.leaderboard, self.best
        if best == self.baseline:
            return f"The baseline {best} is saved, which ignores the features: no model is better."
        if board.best.name == self.baseline:
            return f"{best} is saved: its probabilities are better than those of {self.baseline}."
        if not gains(board, self.baseline):
            return (
                f"{best} is saved, the simplest model ahead of {self.baseline}: no gain over {self.baseline} is clear."
            )
        if self.recommended != best:
            return f"Recommended: {self.recommended}, the simplest that is equivalent to the best."
        return ""

    def alerts(self) -> list[str]:
        """What must be read before the score: warnings with advice, the role of dates, columns that are left out."""
        lines = [
            (f"{each.column}: {each.evidence}" if each.column else sentence(each.evidence))
            + (f" → {each.suggestion}" if each.suggestion else "")
            for each in self.warnings
        ]
        return [*lines, *self.remarks]

    @property
    def remarks(self) -> list[str]:
        """What must be read before the score besides the warnings: how rows are split, and columns left out."""
        return [each for each in (self.split_alert, self.dated, self.unused) if each]

    @property
    def split_alert(self) -> str:
        """That folds are not random, or that others fit the data, with the score by both; else empty."""
        return "" if self.dated and self._dates_are_proposed else self.split.alert(self.task.target)

    @property
    def unused(self) -> str:
        """The columns that are left out, by reason; empty where there is none."""
        reasons: dict[str, list[str]] = {}
        for name, reason in self.left_out.items():
            reasons.setdefault(reason, []).append(name)
        agreed = ((why if len(names) == 1 else why.replace("identifies", "identify"), names)
                  for why, names in reasons.items())  # fmt: skip
        text = "; ".join(f"{listed(names, most=_NAMED)} ({why})" for why, names in agreed)
        return f"Left out: {text}." if text else ""

    @property
    def dated(self) -> str:
        """That rows of later dates may be predicted worse, where features are dates; else empty."""
        dates = [name for name in self.features if self.task.table[name].dates]
        if not dates or self.task.time or self.splits.forward:
            return ""
        return (
            f"Rows with dates ({listed(dates)}) were split at random: the scores are for rows of the same period, not "
            f"for later ones. --order {dates[0]} (order={dates[0]!r}) tests models on later rows."
            + (f" {self.split.claims}." if self.split.claims and self._dates_are_proposed else "")
        )

    @property
    def _dates_are_proposed(self) -> bool:
        """Whether the split that fits the data is by a date that is a feature, which ``dated`` reports."""
        words = self.split.proposal
        return words is not None and not words.group and bool(words.time) and self.task.table[words.time].dates

    def _parts(self) -> list[Any]:
        verb = "classify" if self.task.classes else "predict"
        rows, features = counted(len(self.task), "row"), counted(len(self.features), "feature")
        head = f"Study: {verb} {self.subject}, {rows}, {features}"
        notes = [
            *self.how_scored,
            *(f"note: {note}" for note in self.all_notes),
            *(f"{self.best}: {note}" for note in self.preparation),
        ]
        alerts = [Notes(self.alerts(), mark="! ")] if self.alerts() else []
        groups = [] if self.group_scores is None else [self.group_scores, ""]
        return [head, *alerts, Notes([self.headline()]), "", self.leaderboard, "", *groups, Notes(notes)]

    @property
    def how_scored(self) -> list[str]:
        """What the splits and intervals of the leaderboard are, and what one new test set is likely to score."""
        claims = self.split.claims if self.split.words.by_roles and not self.split.automatic else ""
        return [f"{self.splits.how}; 95 % intervals: {self.score.method}", *filter(None, [claims, self.on_new_rows])]

    @property
    def preparation(self) -> tuple[str, ...]:
        """What the final model's pipeline made of the columns: features of dates and text, levels grouped."""
        return getattr(getattr(self.model, "estimator_", self.model), "notes_", ())

    @property
    def all_notes(self) -> tuple[str, ...]:
        """What a reader must know to read the numbers right."""
        return (*([self.stopped] if self.stopped else []), *self.notes)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON: everything but the table and the model."""
        return {
            "name": self.name,
            "target": self.task.target,
            "kind": self.task.kind,
            "classes": list(self.task.classes),
            "pos_label": self.task.pos_label,
            "rows": len(self.task),
            "features": list(self.features),
            "left_out": dict(self.left_out),
            "warnings": [each.to_dict() for each in self.warnings],
            "findings": self.findings.to_dict()["findings"],
            "splits": self.splits.how,
            "split": self.split.to_dict(),
            "best": self.best,
            "recommended": self.recommended,
            "scoring": self.main.name,
            "score": self.score.to_dict(),
            "score_on_new_rows": self.score_on_new_rows().to_dict(),
            "inner_scores": dict(self.inner_scores),
            "leaderboard": self.leaderboard.to_dict(),
            "group_scores": None if self.group_scores is None else self.group_scores.to_dict(),
            "audit": None if self.audit is None else self.audit.to_dict(),
            "tried": [dict(row) for row in self.tried],
            "settings": dict(self.settings),
            "notes": list(self.all_notes),
            "preparation": list(self.preparation),
            "sampled_rows": self.sampled_rows,
            "seconds": self.seconds,
        }

    def _rows(self) -> list[dict[str, Any]]:
        """Those of the leaderboard."""
        return self.leaderboard._rows()

    def confusion_matrix(self, **options: Any) -> Any:
        """The confusion matrix of the best model, with intervals and a plot; each row predicted by held-out models."""
        return self.results[self.best].confusion(**options)

    def plot_roc(self, axes: Any = None, **options: Any) -> Any:
        """Draw the ROC curves of the best six models, on matplotlib axes, which are returned."""
        return self.comparison.plot_roc(axes, **options)

    def predict(self, X: Any) -> np.ndarray:
        """What the saved model predicts for new rows: ``model`` has its other methods, as ``predict_interval``."""
        return self.model.predict(X)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities that the saved model gives to the classes."""
        return self.model.predict_proba(X)

    def save(self, path: Any = "model.probus") -> Any:
        """Write the model to a ``.probus`` file with what it was made of and its score, and return the path.

        A path that ends in .html, .json or .md is for the report.
        """
        from probus.persistence import save

        if os.fspath(path).lower().endswith((".html", ".json", ".md")):
            return self.report(path)
        metadata = {
            "target": self.task.target, "model": self.best, "data": self.name, "scoring": self.main.name,
            "pos_label": plain(self.task.pos_label), "estimate": plain(self.score),
        }  # fmt: skip
        return save(self.model, path, metadata=metadata)

    def report(self, path: Any = "report.html") -> Any:
        """Write the report, one HTML page, and return the path; .json and .md give its data and the model card."""
        from importlib import import_module

        return import_module("probus.report").write(self, path)  # a higher layer

    def plot(self, axes: Any = None) -> Any:
        """The leaderboard as a picture."""
        return self.leaderboard.plot(axes)
