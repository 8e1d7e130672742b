"""High bias, high variance or fine: the diagnosis of a model from its results, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from probus.data import Task
from probus.display import percent
from probus.errors import DataError, FailedModelError
from probus.metrics import Estimate, Measure, Scoring, measure
from probus.model_selection._diagnosis_result import Diagnosis
from probus.model_selection._expected_loss import BiasVariance
from probus.model_selection._learning_curves import LearningCurve, learning_curve
from probus.model_selection._model_input import rows_for
from probus.model_selection._remedies import (
    BIAS,
    BOTH,
    FINE,
    MORE_ROWS,
    REMEDIES,
    VARIANCE,
    WITHOUT_LOSS,
    WITHOUT_SIGNAL,
)
from probus.model_selection._resample_result import Resampled, failed_on
from probus.model_selection._split_intervals import corrected_interval
from probus.model_selection._split_scores import SplitScores, combined
from probus.model_selection._train_test_curve import Curve
from probus.model_selection._training_intervals import TrainingScores, training_interval
from probus.model_selection._validation_curves import ValidationCurve
from probus.model_selection.one_split import Labelled, constant_outcome, outcome_of

# shares of Zero-R's loss from which a part is called high. What is lost on training rows is bias and noise together, so
# it must weigh more before it is called bias; where noise is known apart, bias and variance are held to the same share
_HIGH, _HIGH_WITH_NOISE = 0.1, 0.5
_ROOTS = frozenset({"rmse", "rmsle"})  # compared by their squares, which add up
_NOTHING = 1e-9  # of Zero-R's loss


def diagnose(
    result: Any,
    X: Any = None,
    y: Any = None,
    *,
    scoring: Scoring | None = None,
    target: float | None = None,
    at: Any = None,
    cv: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> Diagnosis:
    """Distinguish high bias from high variance, with the evidence and the remedies.

    On training rows a model loses by bias and noise; the gap to the test rows is variance. Both are weighed against
    what Zero-R loses: a gap above a tenth of that is high variance, a training loss above half of it high bias. With a
    target the question is which of the two keeps the test score from it. Where the truth was known to
    ``bias_variance`` the noise is set aside, and bias above a tenth is high. RMSE is weighed by its square.

    Parameters
    ----------
    result : a LearningCurve (judged at its largest size), a ValidationCurve (at its best value), a BiasVariance, or a
        Resampled that kept its models; or a model, together with X and y, for which a learning curve is computed.
    X, y : a Task, or features and target.
    cv, groups, sample_weight, pos_label, n_jobs, random_state : as in ``resample``, with X and y only.
    scoring : the measure to judge by; by default the main one.
    target : the score that would be good enough, such as that of a person or of a repeated measurement.
    at : for curves, another size or value to judge at.

    Returns
    -------
    The diagnosis, with its evidence and remedies.

    >>> import probus
    >>> from probus.dummy import ZeroRClassifier
    >>> from probus.model_selection import learning_curve
    >>> iris = probus.Task(probus.datasets.load("iris"), target="species")
    >>> diagnose(learning_curve(ZeroRClassifier(), iris, train_sizes=[30, 120])).kind
    'high bias'
    """
    if X is not None:
        task = Task.of(X, y, model=result, groups=groups, sample_weight=sample_weight, pos_label=pos_label)
        result = learning_curve(result, task, scoring=scoring, cv=cv, n_jobs=n_jobs, random_state=random_state)
    else:
        _refuse("a model and data", y=y, cv=cv, groups=groups, sample_weight=sample_weight, pos_label=pos_label)
    if isinstance(result, BiasVariance):
        _refuse("scores along a curve or of splits", scoring=scoring, target=target, at=at)
        return _of_parts(result)
    if isinstance(result, Resampled):
        _refuse("scores along a curve or of splits", at=at)
        chosen = result.measures[0] if scoring is None else measure(scoring)
        return _of_scores(_resampled_scores(result, chosen), target)
    if isinstance(result, Curve):
        return _of_curve(result, scoring, target, at)
    raise DataError(
        f"found {type(result).__name__} to diagnose.", "a learning or validation curve, a bias_variance or a resample"
    )


def _refuse(where: str, **given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise DataError(f"{name}={value!r} for this result.", f"{name} only with {where}")


# -- training against test scores ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _DiagnosisScores:
    """A measure on the training rows, the test rows, and of Zero-R on the test rows.

    shown : the estimates of the three. failed : in words, on how many splits the model failed; empty where on none.
    """

    measure: Measure
    train: SplitScores
    test: SplitScores
    zero_r: SplitScores
    shown: tuple[Estimate, Estimate, Estimate]
    test_to_train: float
    failed: str = ""

    def combined(self, *terms: tuple[float, SplitScores], **how: Any) -> Estimate:
        return combined(terms, self.test_to_train, **how)

    @property
    def gap(self) -> Estimate:
        sign = self.measure.better(1)
        return self.combined((sign, self.train), (-sign, self.test), same_models=True)

    def missing(self, scores: SplitScores, target: float) -> Estimate:
        """What is missing to a target."""
        better = self.measure.better
        return self.combined((-better(1), scores), value=better(target) - better(scores.value))

    def shares(self) -> tuple[Estimate, Estimate]:
        """The training loss and the gap to the test loss, as shares of Zero-R's loss."""
        best = self.measure.high if self.measure.greater_is_better else self.measure.low
        power = 2 if self.measure.name in _ROOTS else 1
        train, test, scale = (abs(best - each.value) ** power for each in (self.train, self.test, self.zero_r))
        if not 0 < scale < np.inf:
            raise DataError(
                f"the best {self.measure.label} is {best:g}, and Zero-R is {scale:g} away from it.",
                "a measure with a best value that Zero-R misses",
                "Pass target=…, or another scoring.",
            )
        on_train, on_test = (
            (-self.measure.better(power) * abs(best - each.value) ** (power - 1) / scale, each)
            for each in (self.train, self.test)
        )
        gap = (test - train) / scale
        opened = self.combined(on_test, (-on_train[0], self.train), value=gap, same_models=True)
        return self.combined(on_train, value=train / scale), opened


def _of_scores(
    scores: _DiagnosisScores, target: float | None, doubling: Estimate | None = None, hints: tuple[str, ...] = ()
) -> Diagnosis:
    label = scores.measure.label
    train, test, zero_r = scores.shown
    evidence = {f"training {label}": train, f"test {label}": test, "gap": scores.gap, f"{label} of Zero-R": zero_r}
    text = f"{label} is {train} on training rows and {test} on test rows"
    if target is None:
        lost, opened = scores.shares()
        evidence |= {"training loss ÷ Zero-R's": lost, "gap ÷ Zero-R's loss": opened}
        kind, doubts = _kind(lost, opened, _HIGH_WITH_NOISE)
        text += ". Squared, that is" if scores.measure.name in _ROOTS else ". That is"
        text += f" {percent(lost.value)} of Zero-R's loss on training rows"
        text += f" and {percent(lost.value + opened.value)} on test rows"
        if kind in (BIAS, BOTH):
            text += ". Noise in the labels has the same effect"
    else:
        missed, missing = scores.missing(scores.train, target), scores.missing(scores.test, target)
        evidence["missing to the target"] = missing
        kind, doubts = _kind_by_target(missed, scores.gap, missing)
        text += f", with {target:g} as the target"
    if doubling is not None:
        evidence["gain per doubling of rows"] = doubling
    remedies = _advice(kind, doubling) + hints
    gained = scores.combined((1, scores.test), (-1, scores.zero_r))
    if 0 in gained or scores.measure.better(gained.value) < 0:
        text += ". On test rows it is not distinguishable from Zero-R, or worse"
        remedies = WITHOUT_SIGNAL if kind == BOTH else remedies
    if target is None and lost.value + opened.value < _NOTHING:
        remedies = WITHOUT_LOSS
    if scores.failed:
        text += f". The model {scores.failed}"
    return _diagnosis(kind, doubts, text, evidence, remedies)


def _kind(bias: Estimate, variance: Estimate, high_bias: float) -> tuple[str, tuple[str, ...]]:
    """The kind by the shares of the two, and which of them might be on the other side of its line."""
    kind = {
        (False, False): FINE,
        (True, False): BIAS,
        (False, True): VARIANCE,
        (True, True): BOTH,
    }[bias.value > high_bias, variance.value > _HIGH]
    doubts = [("bias", high_bias in bias), ("variance", _HIGH in variance)]
    return kind, tuple(name for name, doubtful in doubts if doubtful)


def _kind_by_target(missed: Estimate, gap: Estimate, missing: Estimate) -> tuple[str, tuple[str, ...]]:
    """Fine where the score is as good as it can be; else each part that makes up a third of the difference is high."""
    doubts: tuple[str, ...] = ("what is missing",) if 0 in missing else ()
    if missing.value <= 0:
        return FINE, doubts
    biased, varied = (part.value >= missing.value / 3 for part in (missed, gap))
    doubts += tuple(name for name, part in (("bias", missed), ("variance", gap)) if 0 in part)
    return BOTH if biased and varied else BIAS if biased else VARIANCE, doubts


def _advice(kind: str, doubling: Estimate | None) -> tuple[str, ...]:
    remedies = list(REMEDIES[kind])
    if doubling is None or VARIANCE not in kind:
        return tuple(remedies)
    place = remedies.index(MORE_ROWS)
    if doubling.low > 0:
        remedies[place] = f"Add training rows: at the end of the curve each doubling still brings {doubling}."
        return tuple(remedies)
    remedies.pop(place)
    return (*remedies, f"More training rows may bring little: a doubling brought {doubling} at the end of the curve.")


def _diagnosis(
    kind: str, doubts: tuple[str, ...], text: str, evidence: Mapping[str, Estimate], remedies: tuple[str, ...]
) -> Diagnosis:
    sentence = f"{'Neither bias nor variance is high' if kind == FINE else kind.capitalize()}: {text}."
    if doubts:
        sentence += f" This is uncertain: the interval of {' and of '.join(doubts)} includes the threshold."
    return Diagnosis(kind, doubts, evidence, remedies, sentence)


# -- each kind of result -------------------------------------------------------------------------------


def _of_curve(curve: Curve, scoring: Scoring | None, target: float | None, at: Any) -> Diagnosis:
    chosen = curve.measured(scoring)
    if at is None:
        at = curve.best_by(chosen) if isinstance(curve, ValidationCurve) else curve.settings[-1]
    place, failed = curve.place(at), curve.failed_at(at)
    train, test = curve.scores.on_train(chosen, place), curve.scores.on_test(chosen, place)
    if failed and np.isnan(test.value):
        raise FailedModelError(f"{curve.name} at {curve.axis} {at} {failed}", "a setting at which it can be fitted")
    zero_r = curve.scores.of_zero_r(chosen)
    shown = (curve.estimate(at, chosen, "train"), curve.estimate(at, chosen), curve.baseline(chosen))
    scores = _DiagnosisScores(chosen, train, test, zero_r, shown, curve.splits.test_to_train, failed)
    if isinstance(curve, LearningCurve):
        at_the_end = len(curve.sound) > 1 and place == len(curve.settings) - 1
        return _of_scores(scores, target, curve.per_doubling(chosen) if at_the_end else None)
    return _of_scores(scores, target, hints=tuple(_directions(curve, chosen, place)))


def _directions(curve: Curve, chosen: Measure, place: int) -> list[str]:
    """Along the parameter: where the gap is, where training suffers, and whether the best lies at an end."""
    first, last = curve.settings[0], curve.settings[-1]
    if len(curve.settings) < 2:
        return []
    wide, narrow = (first, last) if curve.gap(first, chosen) > curve.gap(last, chosen) else (last, first)
    hints = [
        f"{curve.axis}={wide!r} has the wider gap ({curve.gap(wide, chosen)}), {curve.axis}={narrow!r} the narrower "
        f"({curve.gap(narrow, chosen)}): towards {narrow!r} variance falls and bias grows."
    ]
    if place in (0, len(curve.settings) - 1):
        hints.append(
            f"{curve.axis}={curve.settings[place]!r} is at the end of the values tried: one beyond it may be better."
        )
    return hints


def _resampled_scores(result: Resampled, chosen: Measure) -> _DiagnosisScores:
    """Training scores of the kept models, which predict their training rows."""
    result.check_failures()
    if result.models is None or not all(model is None or hasattr(model, "predict") for model in result.models):
        raise DataError(
            "this result kept no models, so their training scores are unknown.",
            "the models",
            "Pass keep_models=True to resample, or use learning_curve.",
        )
    first = next(model for model in result.models if model is not None)
    data = Labelled.of(result.task, rows_for(first, result.task))
    outcomes, constants = [], []
    for model, (learnt, tested) in zip(result.models, result.splits.pairs, strict=True):
        outcomes.append(constant_outcome(data, learnt, learnt) if model is None else outcome_of(model, data, learnt))
        constants.append(constant_outcome(data, learnt, tested))
    zero_r = replace(result, outcomes=tuple(constants), failures=(), halves=None)
    each = np.array([chosen.compute(outcome) for outcome in outcomes])
    rows = TrainingScores.of(chosen, outcomes, [learnt for learnt, _ in result.splits.pairs], result.task)
    train, test_to_train = SplitScores.of_training_rows(each, rows), result.splits.test_to_train
    on_train = (
        corrected_interval(each, test_to_train, low=chosen.low, high=chosen.high)
        if rows is None
        else training_interval(chosen, each, rows, 0.95)
    )
    return _DiagnosisScores(
        measure=chosen,
        train=train,
        test=SplitScores.of_test_rows(result, chosen),
        zero_r=SplitScores.of_test_rows(zero_r, chosen),
        shown=(on_train, result.estimate(chosen), zero_r.estimate(chosen)),
        test_to_train=test_to_train,
        failed=failed_on(result.failures, len(result)) if result.failures else "",
    )


def _of_parts(parts: BiasVariance) -> Diagnosis:
    scale = parts.baseline.value
    if not scale > 0:
        raise DataError("Zero-R loses nothing on these rows.", "rows on which a constant prediction errs")

    def share(part: Estimate) -> Estimate:
        return Estimate(part.value / scale, part.low / scale, part.high / scale, part.level, part.method, part.n)

    bias, variance = share(parts.bias), share(parts.variance)
    known = parts.noise is not None
    kind, doubts = _kind(bias, variance, _HIGH if known else _HIGH_WITH_NOISE)
    named = "bias makes" if known else "bias and noise together make"
    text = f"of what Zero-R loses, {named} {percent(bias.value)} and variance {percent(variance.value)}"
    if parts.noise is not None:
        limited = kind == FINE and parts.noise.value > parts.total.value / 2
        text += f", noise {percent(share(parts.noise).value)}"
        text += "; noise is what limits it" if limited else ""
    if parts.failures:
        text += f". The model failed in {len(parts.failures)} of {parts.n_rounds} rounds, where Zero-R was used instead"
    evidence = {
        "expected loss": parts.total,
        **{parts.named(name): part for name, part in parts.parts.items()},
        "loss of Zero-R": parts.baseline,
        f"{parts.named('bias')} ÷ Zero-R's loss": bias,
        "variance ÷ Zero-R's loss": variance,
    }
    return _diagnosis(kind, doubts, text, evidence, _advice(kind, None))
