"""What the page shows and what it may do: one row after the other, and the score so far."""

from __future__ import annotations

import threading
import time
from typing import Any

from probus.active._label_curve import LabelCurve, Stopping
from probus.active._learner import QUERY, Learner, Question
from probus.data import Level
from probus.display import counted
from probus.errors import DataError
from probus.report import picture

_SLOW = 0.3  # seconds to choose a row, from which several are chosen at once
_AT_ONCE = 5
_EVERY = 5  # answers between two curves
_MORE, _TOLERANCE = 50, 0.005  # of the stopping rule
_LONGEST = 2000  # letters of a cell


class LabellingSession:
    """The questions of a learner, one at a time. Every answer is on disk before the next one is shown.

    The curve is computed beside, in a thread of its own, so that nobody waits for it.

    Parameters
    ----------
    learner : the learner, with an archive.
    name : of the pool.
    saved_in : where the answers are, for the page.
    """

    def __init__(self, learner: Learner, name: str, saved_in: str = ""):
        self.learner, self.name, self.saved_in = learner, name, saved_in
        self._lock = threading.RLock()
        self._queue: list[Question] = []
        self._seconds = 0.0
        self._classes = list(learner.classes)
        self._curve: tuple[LabelCurve | None, Stopping | None] = (None, None)
        self._thread: threading.Thread | None = None
        self._drawn = -_EVERY
        self._draw()

    def state(self) -> dict[str, Any]:
        """Everything that the page shows, as plain data."""
        with self._lock:
            question, learner = self._current(), self.learner
            labels = list(learner.labels.values())
            self._classes += [label for label in learner.classes if label not in self._classes]
            curve, stopping = self._curve
            return {
                "question": None if question is None else self._shown(question),
                "classes": [str(label) for label in self._classes],
                "counts": [labels.count(label) for label in self._classes],
                "open": learner.has_open_classes,
                "labelled": len(labels),
                "skipped": len(learner.skipped),
                "rows": len(learner.pool),
                "undo": learner.n_questions > 0,
                "contradictions": _contradictions(learner),
                "score": "" if curve is None else curve.sentence,
                "curve": "" if curve is None else str(picture(curve.plot, "Score by labels", width=340, height=200)),
                "stopping": "" if stopping is None else stopping.sentence,
                "drawing": self._thread is not None and self._thread.is_alive(),
            }

    def answer(self, row: int, label: str) -> None:
        """Label the row that is shown."""
        with self._lock:
            self._must_be_current(row)
            self.learner.tell({row: self._label_of(label)})
            self._queue.pop(0)
            self._draw()

    def skip(self, row: int) -> None:
        """Skip the row that is shown."""
        with self._lock:
            self._must_be_current(row)
            self.learner.skip(row)
            self._queue.pop(0)

    def undo(self) -> None:
        """Take the last answer back, and show its row again."""
        with self._lock:
            question = self.learner.undo()
            if question is not None:
                self._queue.insert(0, question)

    def close(self) -> None:
        """Wait for the curve, and close the archive."""
        if self._thread is not None:
            self._thread.join()
        with self._lock:
            self.learner.close()

    # -- inside ----------------------------------------------------------------------------------------

    def _current(self) -> Question | None:
        """The question that is shown; several are chosen at once where that takes long."""
        if not self._queue:
            began = time.perf_counter()
            self._queue = self.learner.ask(_AT_ONCE if self._seconds > _SLOW else 1)
            self._seconds = time.perf_counter() - began
        return self._queue[0] if self._queue else None

    def _must_be_current(self, row: int) -> None:
        question = self._current()
        if question is None or question.row != row:
            raise DataError(f"an answer for row {row}, which is not shown.", "an answer for the row on the page")

    def _label_of(self, text: str) -> Level:
        """The class that the page calls so, or a new one."""
        known = {str(label): label for label in self._classes}
        if text not in known and not text.strip():
            raise DataError("an empty label.", "a class")
        return known.get(text, text)

    def _shown(self, question: Question) -> dict[str, Any]:
        """The question, without what the model predicts, which would suggest an answer."""
        why = self.learner.query.why
        reason = f"{why[0].upper()}{why[1:]}." if question.asked == QUERY else question.why
        cells = [[str(name), _text(value)] for name, value in question.values.items()]
        return {"row": question.row, "cells": cells, "why": reason, "asked": question.asked}

    def _draw(self) -> None:
        """Compute the curve of the labels so far, if enough are new."""
        learner, n = self.learner, len(self.learner.labels)
        if n - self._drawn < _EVERY or (self._thread is not None and self._thread.is_alive()):
            return
        self._drawn = n
        state, estimator = learner.snapshot(), learner.estimator

        def compute() -> None:
            from probus.active._label_curve import label_curve, stopping_rule

            try:
                curve = label_curve(state, estimator, "accuracy", 0.95)
            except DataError:  # too few labels, or of one class
                return
            try:
                stopping = stopping_rule(state, estimator, _MORE, _TOLERANCE, 0.95)
            except DataError:
                stopping = None
            self._curve = (curve, stopping)

        self._thread = threading.Thread(target=compute, daemon=True)
        self._thread.start()


def _contradictions(learner: Learner) -> str:
    pairs = learner.contradictions
    if not pairs:
        return ""
    (first, second), labels = pairs[-1], learner.labels
    more = f"{counted(len(pairs), 'pair')} of equal rows have different labels. " if len(pairs) > 1 else ""
    return f"{more}Rows {first} and {second} are equal, and labelled {labels[first]!r} and {labels[second]!r}."


def _text(value: Any) -> str:
    if value is None or value != value:
        return "–"
    text = f"{value:.10g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
