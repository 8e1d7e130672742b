"""How good the model is by the number of labels, and what more labels would gain."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import clone

from probus.active.queries import Pool
from probus.display import Cells, Notes, Result, counted, drawing, percent
from probus.ensemble import aligned_predictions, fit_member
from probus.errors import DataError
from probus.metrics import Estimate, Measure, Outcome, Scoring, estimate, measure
from probus.metrics.curves import quantile, wilson

_FOLDS = 5
_SIZES = 6
_LEAST = 10  # rows drawn at random, below which a score says nothing
_MOST = 20_000  # rows of the pool on which predictions are compared


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """The rows with labels, in the order of the answers.

    rows, codes : their numbers and classes. classes : the labels. sample : bool, which of them are a random sample.
    """

    pool: Pool
    rows: np.ndarray
    codes: np.ndarray
    classes: np.ndarray
    sample: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)

    def fit(self, estimator: Any, places: np.ndarray) -> Any:
        """A model fitted to some of them."""
        return fit_member(clone(estimator), self.pool.rows.take(self.rows[places]), self.classes[self.codes[places]])


@dataclass(frozen=True, eq=False, repr=False)
class LabelCurve(Result):
    """The score of a learner by the number of labels.

    Only rows that were drawn at random are tested, each by models that were not fitted on it: the first so many labels
    in the order of the answers, without a fifth of the tested rows.

    Attributes
    ----------
    measure : the name of the score.
    sizes : numbers of labels.
    scores : the score at each, with its interval over the tested rows.
    n_tested : the number of rows that were drawn at random.
    """

    measure: str
    sizes: tuple[int, ...]
    scores: tuple[Estimate, ...]
    n_tested: int

    @property
    def sentence(self) -> str:
        """The last score."""
        last = self.scores[-1]
        return (
            f"{self.measure} {last} with {counted(self.sizes[-1], 'label')}, on {self.n_tested} rows drawn at random."
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the curve with its band."""
        ax = drawing.new_axes(ax, 4.8, 3.2)
        drawing.tidy(ax, "", "labels", self.measure)
        ends = np.array([[each.low, each.high] for each in self.scores])
        ax.fill_between(self.sizes, ends[:, 0], ends[:, 1], color=drawing.BLUE, alpha=0.16, linewidth=0, zorder=2)
        if len(ends) == 1:
            ax.vlines(self.sizes, ends[:, 0], ends[:, 1], color=drawing.BLUE, alpha=0.4, linewidth=4, zorder=2)
        ax.xaxis.get_major_locator().set_params(integer=True)
        values = [each.value for each in self.scores]
        ax.plot(self.sizes, values, "o-", color=drawing.BLUE, linewidth=1.8, ms=4, zorder=3)
        return ax

    def _parts(self) -> list[Any]:
        rows = [
            ["labels", self.measure],
            *([f"{n:,}", f"{score}"] for n, score in zip(self.sizes, self.scores, strict=True)),
        ]
        return [self.sentence, Cells(rows, right=[0])]

    def _rows(self) -> list[dict[str, Any]]:
        pairs = zip(self.sizes, self.scores, strict=True)
        return [{"labels": n, "score": s.value, "low": s.low, "high": s.high} for n, s in pairs]


def label_curve(state: LabelledRows, estimator: Any, scoring: Scoring, level: float) -> LabelCurve:
    """The curve of labels so far; see ``LabelCurve``."""
    tested = np.flatnonzero(state.sample)
    if len(tested) < _LEAST:
        raise DataError(
            f"{counted(len(tested), 'label')} of rows drawn at random.",
            f"at least {_LEAST}",
            "Answer more questions: the first ones, and one in so many later, are drawn at random.",
        )
    chosen = measure(scoring)
    first = _first_of_two_classes(state)
    steps = np.geomspace(max(first, _LEAST), len(state), _SIZES) if len(state) > max(first, _LEAST) else [len(state)]
    sizes = sorted({round(step) for step in steps})
    outcomes = [_outcome(state, estimator, chosen, size, tested) for size in sizes]
    scores = [estimate(chosen, outcome, level=level, random_state=0) for outcome in outcomes]
    return LabelCurve(chosen.label, tuple(sizes), tuple(scores), len(tested))


def _first_of_two_classes(state: LabelledRows) -> int:
    """The smallest number of labels with two classes, and so many more that leaving a fold out keeps them."""
    return int(np.argmax(state.codes != state.codes[0])) + 2


def _outcome(state: LabelledRows, estimator: Any, chosen: Measure, size: int, tested: np.ndarray) -> Outcome:
    """The predictions of the tested rows by models of the first labels, without the rows of a fold."""
    shares = np.full((len(tested), len(state.classes)), np.nan)
    fold = np.arange(len(tested)) % min(_FOLDS, len(tested))
    for number in np.unique(fold):
        held = tested[fold == number]
        train = np.setdiff1d(np.arange(size), held)
        shares[fold == number] = _shares(state, estimator, train, state.rows[held])
    return Outcome.of(
        state.classes[state.codes[tested]],
        shares if chosen.needs in ("probabilities", "scores") else state.classes[shares.argmax(axis=1)],
        needs=chosen.needs,
        classes=state.classes.tolist(),
    )


def _shares(state: LabelledRows, estimator: Any, train: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The probabilities of the classes by a model of some labels; those of a single class are certain."""
    codes = state.codes[train]
    if len(np.unique(codes)) < 2:
        return np.tile(np.bincount(codes, minlength=len(state.classes)) / max(len(codes), 1), (len(rows), 1))
    model, some = state.fit(estimator, train), state.pool.rows.take(rows)
    if hasattr(model, "predict_proba"):
        return aligned_predictions(model, "predict_proba", some, state.classes)
    return np.eye(len(state.classes))[np.searchsorted(state.classes, model.predict(some))]


# -- a stopping rule -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Stopping(Result):
    """How much accuracy further labels are expected to gain.

    The gain of the last labels is found in two ways: on all predictions of the pool that changed, by the probabilities
    of the new model, and on the rows drawn at random. Both count by their precision, and the share of changed
    predictions is a bound. It is assumed that the next labels gain no more than the last ones, and that the
    probabilities are about right.

    Attributes
    ----------
    labels : the number of further labels.
    gain : the expected gain of accuracy, with its interval.
    changed : the share of predictions that changed with the last labels.
    believed : what the last labels gained, by the probabilities of the model.
    measured : the gain of the last labels on rows drawn at random; None where there are too few.
    tolerance : the gain below which it is not worth it.
    """

    labels: int
    gain: Estimate
    changed: Estimate
    believed: Estimate
    measured: Estimate | None
    tolerance: float

    @property
    def stop(self) -> bool:
        """Whether the whole interval of the gain is below the tolerance."""
        return self.gain.high < self.tolerance

    @property
    def sentence(self) -> str:
        """The conclusion."""
        gain = f"{self.gain.value:.3f} [{self.gain.low:.3f}, {self.gain.high:.3f}]"
        if self.stop:
            return f"Another {self.labels} labels gain less than {self.tolerance:g} accuracy: {gain}."
        return f"Another {self.labels} labels may gain more than {self.tolerance:g} accuracy: {gain}."

    def _parts(self) -> list[Any]:
        changed, gained = percent(self.changed.value), self.believed
        notes = [f"the last {self.labels} labels changed {changed} of the predictions: {gained} by their probabilities"]
        if self.measured is not None:
            notes.append(f"on {self.measured.n} rows drawn at random they gained {self.measured} accuracy")
        return [self.sentence, Notes(notes)]

    def _rows(self) -> list[dict[str, Any]]:
        gain = {"gain": self.gain.value, "low": self.gain.low, "high": self.gain.high}
        return [{"labels": self.labels, **gain, "changed": self.changed.value, "stop": self.stop}]


def stopping_rule(state: LabelledRows, estimator: Any, labels: int, tolerance: float, level: float) -> Stopping:
    """What so many further labels would gain; see ``Stopping``."""
    if labels < 1 or tolerance <= 0:
        raise DataError(f"labels={labels}, tolerance={tolerance}.", "both above zero")
    n = len(state)
    if n < 2 * labels or len(np.unique(state.codes[: n - labels])) < 2:
        raise DataError(
            f"{counted(n, 'label')}, to judge what {labels} more would gain.",
            f"at least {2 * labels}, of two classes",
            f"Pass a smaller number than labels={labels}, or label more rows.",
        )
    changed, believed = _moves(state, estimator, labels, level)
    measured = _measured(state, estimator, labels, level)
    value, half = believed.value, believed.half_width
    if measured is not None:  # both, by their precision
        first, second = half**-2, measured.half_width**-2
        value, half = (first * value + second * measured.value) / (first + second), (first + second) ** -0.5
    low, high = max(value - half, -changed.high), min(value + half, changed.high)
    gain = Estimate(value, min(low, value), max(high, value), level, "changed predictions and tested rows", n)
    return Stopping(labels, gain, changed, believed, measured, tolerance)


def _moves(state: LabelledRows, estimator: Any, labels: int, level: float) -> tuple[Estimate, Estimate]:
    """The share of predictions that changed with the last labels, and the gain by the probabilities of the new model.

    The larger of the last two steps counts. Of all rows, those with labels too: without them, a strategy would leave
    the rows whose predictions do not change.
    """
    n, rows = len(state), np.arange(len(state.pool))
    if len(rows) > _MOST:
        rows = np.sort(np.random.RandomState(0).permutation(rows)[:_MOST])
    sizes = [size for size in (n - 2 * labels, n - labels, n) if size >= labels]
    found = [_shares(state, estimator, np.arange(size), rows) for size in sizes]
    places, m = np.arange(len(rows)), len(rows)
    changes, gains = [], []
    for old, new in pairwise(found):
        before, after = old.argmax(axis=1), new.argmax(axis=1)
        changes.append(float((before != after).mean()))
        gains.append(new[places, after] - new[places, before])
    low, high = wilson(max(changes), m, level)
    changed = Estimate(max(changes), float(low), float(high), level, "Wilson", m)
    gain = max(gains, key=lambda each: float(each.mean()))
    # one more row may change, and be right
    half = quantile(level) * float(np.append(gain, 1.0).std(ddof=1)) / np.sqrt(m)
    value = float(gain.mean())
    return changed, Estimate(value, value - half, value + half, level, "probabilities of the model", m)


def _measured(state: LabelledRows, estimator: Any, labels: int, level: float) -> Estimate | None:
    """The gain of the last labels on the rows drawn at random: a t interval of the differences, with one more row."""
    from scipy.stats import t

    tested, n, right = np.flatnonzero(state.sample), len(state), []
    if len(tested) < 2 * _LEAST:
        return None
    accuracy = measure("accuracy")
    for size in (n - labels, n):
        outcome = _outcome(state, estimator, accuracy, size, tested)
        right.append((outcome.need("predicted") == outcome.actual).astype(np.float64))
    moves = right[1] - right[0]
    m, value = len(moves), float(moves.mean())
    # two rows are added, which differ by one each way: where no tested row changed, a new one still may
    error = float(np.append(moves, [1.0, -1.0]).std(ddof=1)) / np.sqrt(m)
    half = float(t.ppf((1 + level) / 2, m - 1)) * error
    return Estimate(value, max(value - half, -1.0), min(value + half, 1.0), level, "t of differences", m)
