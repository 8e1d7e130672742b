"""The .632 and .632+ estimates: out-of-bag scores, which are pessimistic, weighed with those on the training rows.

Efron and Tibshirani 1997, Improvements on cross-validation: the .632+ bootstrap method, JASA 92.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from probus.errors import DataError
from probus.metrics import Estimate, Measure, Outcome
from probus.metrics.resample_forms import Form, Sums, mean
from probus.model_selection._split_intervals import corrected_interval
from probus.model_selection._splits import Splits

_SHIFTS = 200


def point632(
    measure: Measure,
    splits: Splits,
    outcomes: Sequence[Outcome],
    apparent: Outcome | None,
    *,
    plus: bool,
    level: float = 0.95,
) -> Estimate:
    """The .632 or .632+ estimate; its interval has the width of that of the out-of-bag scores.

    A model that overfits, such as one nearest neighbour, has perfect apparent scores, and .632 is too optimistic by up
    to 0.368 of what it overfits: on random labels its nominal 95 % interval covers 21 %, that of .632+ 93 %. The method
    of the estimate states where the two differ by more than half the half-width.
    """
    if splits.scheme != "out-of-bag" or apparent is None:
        raise DataError(f"{splits.how}.", "the out-of-bag bootstrap", "Resample with cv=OutOfBagBootstrap(200).")
    outside = out_of_bag(measure, [test for _, test in splits.pairs], outcomes)
    inside, chance = float(measure.compute(apparent)), no_information(measure, apparent)
    plain, adjusted = weighed(measure, inside, outside), weighed(measure, inside, outside, chance)
    value = adjusted if plus else plain
    scores = np.array([measure.compute(outcome) for outcome in outcomes])
    spread = corrected_interval(scores, splits.test_to_train, level=level).half_width
    method = f".632{'+' * plus} bootstrap (Efron and Tibshirani 1997), as wide as the out-of-bag interval"
    if not plus and measure.better(plain - adjusted) > spread / 2:
        method += "; too optimistic, since the model overfits: use how='.632+'"
    low, high = max(value - spread, measure.low), min(value + spread, measure.high)
    return Estimate(value, low, high, level, method, len(outcomes))


def weighed(measure: Measure, apparent: float, outside: float, chance: float | None = None) -> float:
    """0.368 · apparent + 0.632 · outside; with a chance level, the .632+ estimate.

    There the weight of the outside score grows from .632 to 1 with the relative overfitting rate
    R = (outside − apparent) / (chance − apparent): w = .632 / (1 − .368 R).

    >>> from probus.metrics import measure
    >>> error = measure("mae")
    >>> weighed(error, 0.0, 0.5), weighed(error, 0.0, 0.5, chance=0.5)
    (0.316, 0.5)
    """
    if chance is None:
        return 0.368 * apparent + 0.632 * outside
    # in losses, so that worse is more: a score worse than chance counts as chance
    inside, outside, chance = (-measure.better(value) for value in (apparent, outside, chance))
    outside = min(outside, chance)
    overfitting = (outside - inside) / (chance - inside) if chance > inside and outside > inside else 0.0
    weight = 0.632 / (1 - 0.368 * overfitting)
    return float(-measure.better((1 - weight) * inside + weight * outside))


def out_of_bag(measure: Measure, rows: Sequence[np.ndarray], outcomes: Sequence[Outcome]) -> float:
    """The leave-one-out bootstrap: the mean over rows of each row's mean over the samples that left it out.

    A function of means over rows, such as the RMSE, is taken of those means; any other measure is averaged over the
    samples.
    """
    forms = [_sums(measure, outcome) for outcome in outcomes]
    if not all(isinstance(form, Sums) for form in forms):
        return float(np.nanmean([measure.compute(outcome) for outcome in outcomes]))
    places = np.concatenate(rows)
    times = np.bincount(places)
    tested = times > 0

    def by_row(values: Sequence[np.ndarray]) -> np.ndarray:
        return np.bincount(places, np.concatenate(values))[tested] / times[tested]

    w = [np.ones(len(outcome)) if outcome.weights is None else outcome.weights for outcome in outcomes]
    terms = [by_row(each) for each in zip(*(form.terms for form in forms if isinstance(form, Sums)), strict=True)]
    weights = by_row(w)
    sums = [np.multiply(weights, term, out=np.zeros(len(term)), where=weights > 0).sum() for term in terms]
    assert isinstance(forms[0], Sums)
    return float(forms[0].value(np.array([*sums, weights.sum()])))


def _sums(measure: Measure, outcome: Outcome) -> Form:
    return measure.form_of(outcome) if measure.rows is None else Sums((measure.rows(outcome),), mean)


def no_information(measure: Measure, outcome: Outcome) -> float:
    """The measure where predictions have nothing to do with the truth: each truth with every prediction.

    Predictions are shifted against the rows by every step; of more than 200 steps, by 200 of them.
    """
    n = len(outcome)
    order = np.random.default_rng(0).permutation(n)  # shifts of sorted rows would stay related
    steps = np.unique(np.linspace(0, n, min(n, _SHIFTS), endpoint=False).astype(int))
    shuffled = outcome.take(order)
    values = []
    for step in steps:
        there = np.roll(np.arange(n), step)
        values.append(measure.compute(replace(shuffled.take(there), actual=outcome.actual, weights=outcome.weights)))
    return float(np.nanmean(values))
