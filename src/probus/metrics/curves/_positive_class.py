"""One class against the others: what every curve of scores reads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probus.data import Level, quote_some
from probus.errors import DataError
from probus.metrics._labels import positive_code
from probus.metrics._outcome import Outcome


@dataclass(frozen=True, eq=False)
class OneVsRest:
    """Rows that carry weight: whether each is of the class, its score for that class, its weight.

    label : the class of interest.
    """

    positive: np.ndarray
    scores: np.ndarray
    weights: np.ndarray
    label: Level

    @classmethod
    def of(cls, outcome: Outcome, pos_label: Level | None = None) -> OneVsRest:
        """The outcome of one class against the rest, by default the positive one."""
        code = _code(outcome, pos_label)
        weights = np.ones(len(outcome)) if outcome.weights is None else outcome.weights
        counts = weights > 0
        _check_both_present(outcome.actual[counts], outcome.classes, code)
        scores = _scores(outcome, code)
        return cls((outcome.actual == code)[counts], scores[counts], weights[counts], outcome.classes[code])


def _code(outcome: Outcome, pos_label: Level | None) -> int:
    if not outcome.classes:
        raise DataError("numbers as the target.", "classes", "A curve of scores needs a class to find.")
    code = outcome.positive if pos_label is None else positive_code(outcome.classes, pos_label)
    if code is not None:
        return code
    if len(outcome.classes) == 1:
        return 0
    raise DataError(
        f"{len(outcome.classes)} classes and none named as the one of interest.",
        f"one of {quote_some(outcome.classes, 12)}",
        f"Pass pos_label={outcome.classes[0]!r}: it is then compared with the rest.",
    )


def _check_both_present(actual: np.ndarray, classes: tuple[Level, ...], code: int) -> None:
    present = np.unique(actual)
    if len(present) == 1:
        only = classes[present[0]]
        raise DataError(f"every row that counts is of class {only!r}.", "rows of two classes or more")
    if code not in present:
        raise DataError(f"no row that counts is of class {classes[code]!r}.", "rows of it and of others")


def _scores(outcome: Outcome, code: int) -> np.ndarray:
    if outcome.probabilities is not None:
        return outcome.probabilities[:, code]
    if outcome.scores is None or code != outcome.positive:
        raise DataError(
            f"no scores for class {outcome.classes[code]!r}.",
            "a score for every row, larger where the class is more likely",
            "Use a model with predict_proba or decision_function.",
        )
    return outcome.scores
