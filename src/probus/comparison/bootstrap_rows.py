"""The difference of two models by any measure, from test rows drawn again and again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from probus.comparison.paired_scores import without_noise
from probus.comparison.significance import Pairing, TestResult, checked_names
from probus.data.column import Level
from probus.display import counted
from probus.errors import DataError
from probus.metrics import Estimate, Measure, Outcome, Scoring, measure
from probus.metrics.bootstrap import resampled_values
from probus.model_selection.splits import seeds

__all__ = ["bootstrap_difference"]


def bootstrap_difference(
    scoring: Scoring,
    y: Any,
    a: Any,
    b: Any,
    *,
    level: float = 0.95,
    n_resamples: int = 2000,
    stratify: bool = True,
    groups: Any = None,
    random_state: Any = None,
    names: Sequence[str] = ("a", "b"),
    classes: Sequence[Level] | None = None,
    pos_label: Level | None = None,
    sample_weight: Any = None,
) -> TestResult:
    """How far two models' scores on the same test rows differ, by drawing the rows with replacement.

    Both models are scored on the same draws, so what makes rows hard for both cancels. The interval holds the middle of
    the drawn differences (percentile); p is twice the share of them on the far side of zero, counting one more than
    there are, so that it is small where the interval leaves zero out and never zero. As with ``mcnemar``, it is these
    fitted models that are compared.

    Parameters
    ----------
    scoring : the name of a measure, or a function of (y_true, y_pred).
    y : the truth.
    a, b : what the models predict, in the form that the measure needs: labels, scores, probabilities or values.
    n_resamples : the number of draws.
    stratify : whether each draw keeps the number of rows of each class; of no effect on numbers and on groups.
    groups : the group of each row; whole groups are drawn.
    names : of the two models, for the sentence.
    classes, pos_label, sample_weight : as in ``probus.metrics.Outcome.of``.

    >>> y = [0, 1] * 20
    >>> bootstrap_difference("f1", y, y, [0, 1] * 16 + [1, 0] * 4, random_state=0)
    a beats b on 40 rows (difference 0.20 [0.08, 0.33], p < 0.001, paired bootstrap)
      difference = 0.2, p < 0.001
    """
    chosen = measure(scoring)
    how = {"needs": chosen.needs, "classes": classes, "pos_label": pos_label, "sample_weight": sample_weight}
    outcomes = [Outcome.of(y, each, called=("y", name), **how) for each, name in ((a, "a"), (b, "b"))]
    return outcome_difference(
        chosen,
        *outcomes,
        level=level,
        n_resamples=n_resamples,
        stratify=stratify,
        groups=groups,
        random_state=random_state,
        names=names,
    )


def outcome_difference(
    chosen: Measure,
    a: Outcome,
    b: Outcome,
    *,
    level: float = 0.95,
    n_resamples: int = 2000,
    stratify: bool = True,
    groups: Any = None,
    random_state: Any = None,
    names: Sequence[str] = ("a", "b"),
) -> TestResult:
    """``bootstrap_difference`` of two outcomes on the same rows."""
    name, names = "paired bootstrap", checked_names(names, 2)
    scores = dict(zip(names, (float(chosen.compute(each)) for each in (a, b)), strict=True))
    undefined = [each for each, score in scores.items() if not np.isfinite(score)]
    if undefined:
        raise DataError(f"{chosen.label} of {' and '.join(undefined)} is undefined on these rows.", "a score of both")
    if n_resamples < 2:
        raise DataError(f"n_resamples={n_resamples}.", "at least 2, better 2000")
    if len(a) < 2:
        raise DataError("one test row.", "at least two: a single row has no spread")
    how = {"stratify": stratify, "groups": groups, "random_state": seeds(random_state, 1)[0]}
    first, second = (resampled_values([chosen], each, n_resamples, **how)[0] for each in (a, b))
    drawn, note = _without_undefined(without_noise(first - second, max(map(abs, scores.values()))), chosen)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    beyond = min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
    pvalue = min(1.0, 2 * (1 + beyond) / (1 + len(drawn)))
    value = scores[names[0]] - scores[names[1]]
    effect = Estimate(value, float(low), float(high), level, f"percentile bootstrap, {n_resamples:,} draws", len(a))
    pairing = Pairing(names, counted(len(a), "row"), chosen.greater_is_better)
    sentence = pairing.conclusion(effect, pvalue, name) if drawn.any() else pairing.no_difference(name)
    details = {"scores": scores, "standard_error": float(drawn.std(ddof=1))}
    return TestResult(name, value, None, pvalue, effect, len(a), sentence, "difference", note, names, details)


def _without_undefined(drawn: np.ndarray, chosen: Measure) -> tuple[np.ndarray, str]:
    """The differences that are defined, and a note on the others."""
    kept = drawn[np.isfinite(drawn)]
    lost = len(drawn) - len(kept)
    if not lost:
        return kept, ""
    undefined = f"{chosen.label} is undefined on {lost:,} of {len(drawn):,} draws"
    if lost > len(drawn) / 2:
        raise DataError(f"{undefined}.", "a score on most of them", "Test on more rows of each class.")
    return kept, f"{undefined}, which are left out."
