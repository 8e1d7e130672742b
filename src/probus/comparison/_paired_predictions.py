"""Tests on the predictions of models for the same test rows: nothing is fitted anew."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from probus.comparison._significance import Pairing, TestResult, checked_names
from probus.display import counted, p_text
from probus.errors import DataError
from probus.metrics import Estimate, Outcome

_FEW = 25  # disagreements below which the χ² of McNemar's test is not trusted


def mcnemar(
    y: Any,
    a: Any,
    b: Any,
    *,
    exact: bool | Literal["auto"] = "auto",
    correction: bool = True,
    names: Sequence[str] = ("a", "b"),
    level: float = 0.95,
) -> TestResult:
    """McNemar's (1947) test on the rows that only one of two classifiers gets right.

    With b and c such rows, each is b's or c's with probability ½ if the models err equally often. The exact test takes
    p from that binomial, with min(b, c) as its statistic; otherwise χ² = (|b − c| − 1)²/(b + c) with one degree of
    freedom. It tests whether these two fitted models differ, not whether the learning algorithms do.

    The rows must be one test set that was predicted by one fitted model each. Predictions of several folds are made by
    several fitted models: if these vary with their training rows, the test rejects true hypotheses too often.

    Parameters
    ----------
    y : the true labels.
    a, b : the labels, or a column of probabilities for each class, that the models predict for the same rows.
    exact : "auto" is exact for fewer than 25 disagreements.
    correction : False leaves out the −1 of the χ², Edwards's (1948) correction for continuity.
    names : of the two models, for the sentence.
    level : of the interval of the difference of accuracies, Tango's (1998).

    Returns
    -------
    The statistic, the p-value and the difference of accuracies with its interval.

    >>> y = [0, 1] * 20
    >>> mcnemar(y, y, [0, 1] * 16 + [1, 0] * 4, names=("forest", "k-NN"))
    forest beats k-NN on 40 rows (difference 0.20 [0.09, 0.35], p = 0.008, exact McNemar test)
      min(b, c) = 0, p = 0.008
    """
    names = checked_names(names, 2)
    hits = _hits(y, (a, b), names)
    only_a, only_b = (int((hits[:, i] > hits[:, 1 - i]).sum()) for i in (0, 1))
    apart, n = only_a + only_b, len(hits)
    if exact not in (True, False, "auto"):
        raise DataError(f"exact={exact!r}.", "True, False or 'auto'")
    few = apart < _FEW if exact == "auto" else exact
    name = "exact McNemar test" if few else f"McNemar test{' with continuity correction' * correction}"
    statistic, pvalue = _binomial(only_a, only_b) if few else _mcnemar_chi2(only_a, only_b, correction)
    effect = paired_difference(only_a, only_b, n, level)
    pairing = Pairing(names, counted(n, "row"))
    sentence = pairing.conclusion(effect, pvalue, name) if apart else pairing.no_difference(name, "are right and wrong")
    details = {
        "both_right": int(hits.all(axis=1).sum()),
        "only_first_right": only_a,
        "only_second_right": only_b,
        "both_wrong": int((~hits.any(axis=1)).sum()),
    }
    df, symbol = (None, "min(b, c)") if few else (1, "χ²")
    return TestResult(name, statistic, df, pvalue, effect, n, sentence, symbol, names=names, details=details)


def cochran_q(y: Any, *predictions: Any, names: Sequence[str] | None = None, level: float = 0.95) -> TestResult:
    """Cochran's (1950) Q: whether k ≥ 2 classifiers are equally accurate on the same rows.

    With G_j the rows that model j gets right, L_i the models that get row i right and T the sum of either,
    Q = (k − 1)(k Σ G_j² − T²)/(kT − Σ L_i²) is χ² with k − 1 degrees of freedom. For two models it is McNemar's
    test without correction. The effect is the most accurate against the least, in an interval that holds for all pairs
    at once (Bonferroni). As for ``mcnemar``, the rows must be one test set, predicted by one fitted model each.

    Parameters
    ----------
    y : the true labels.
    predictions : what each model predicts for the same rows, as in ``mcnemar``.
    names : of the models; "model 1", "model 2", … unless given.
    level : the confidence level of intervals.

    Returns
    -------
    The statistic, the p-value and the effect with its interval.

    >>> y = [0, 1] * 20
    >>> cochran_q(y, y, [0, 1] * 16 + [1, 0] * 4, [0, 1] * 15 + [1, 0] * 5)
    the 3 models are not equally accurate on 40 rows: model 1 is best, model 3 worst
      (difference 0.25 [0.09, 0.44], p < 0.001, Cochran's Q test)
      Q = 16.8, df = 2, p < 0.001
    """
    from scipy.stats import chi2

    k = len(predictions)
    if k < 2:
        raise DataError(f"predictions of {counted(k, 'model')}.", "at least two")
    names = checked_names(names or [f"model {j + 1}" for j in range(k)], k)
    hits = _hits(y, predictions, names)
    n, right, by_row = len(hits), hits.sum(axis=0), hits.sum(axis=1)
    apart = k * by_row.sum() - (by_row**2).sum()
    statistic = float((k - 1) * (k * (right**2).sum() - right.sum() ** 2) / apart) if apart else 0.0
    pvalue = float(chi2.sf(statistic, k - 1))
    best, worst = (int(right.argmax()), int(right.argmin())) if np.ptp(right) else (0, 1)
    effect = _widest_difference(hits[:, best], hits[:, worst], k, level)
    evidence = f"(difference {effect}, {p_text(pvalue)}, Cochran's Q test)"
    if pvalue < 1 - level:
        extremes = f"{names[best]} is best, {names[worst]} worst"
        sentence = f"the {k} models are not equally accurate on {counted(n, 'row')}: {extremes} {evidence}"
    else:
        sentence = f"undecided on {counted(n, 'row')} whether the {k} models differ {evidence}"
    details = {"accuracies": dict(zip(names, (right / n).tolist(), strict=True))}
    return TestResult("Cochran's Q test", statistic, k - 1, pvalue, effect, n, sentence, "Q", "", names, details)


def _hits(y: Any, predictions: Sequence[Any], names: tuple[str, ...]) -> np.ndarray:
    """Whether each model is right on each row, bool[n, k]."""
    columns = []
    for predicted, name in zip(predictions, names, strict=True):
        outcome = Outcome.of(y, predicted, needs="labels", called=("y", f"predictions of {name}"))
        columns.append(outcome.actual == outcome.predicted)
    return np.column_stack(columns)


def _widest_difference(best: np.ndarray, worst: np.ndarray, k: int, level: float) -> Estimate:
    """The best of k models against the worst, chosen after the fact: an interval for all pairs at once."""
    n_pairs = k * (k - 1) // 2
    found = paired_difference(
        int((best > worst).sum()), int((worst > best).sum()), len(best), 1 - (1 - level) / n_pairs
    )
    method = found.method if k == 2 else f"{found.method}, Bonferroni over {n_pairs} pairs"
    return replace(found, level=level, method=method)


def _binomial(only_a: int, only_b: int) -> tuple[float, float]:
    from scipy.stats import binom

    fewer, apart = min(only_a, only_b), only_a + only_b
    return float(fewer), min(1.0, float(2 * binom.cdf(fewer, apart, 0.5)))


def _mcnemar_chi2(only_a: int, only_b: int, correction: bool) -> tuple[float, float]:
    from scipy.stats import chi2

    if only_a == only_b:
        return 0.0, 1.0
    statistic = (abs(only_a - only_b) - int(correction)) ** 2 / (only_a + only_b)
    return statistic, float(chi2.sf(statistic, 1))


# -- the interval for a difference of two proportions of the same rows ---------------------------------


METHOD = "score interval for paired proportions (Tango 1998)"


def paired_difference(only_a: int, only_b: int, n: int, level: float = 0.95) -> Estimate:
    """The difference (only_a − only_b)/n with Tango's (1998) score interval: every δ that the score test accepts.

    The test of δ is |only_a − only_b − nδ| ≤ z √(n(2q + δ(1 − δ))), where q is the likeliest share of rows that
    only b gets right if the difference is δ. For δ = 0 it is McNemar's without correction. Its coverage holds for
    few rows, and the interval has a length even where the models never disagree.

    >>> paired_difference(only_a=12, only_b=5, n=100)
    0.070 [-0.012, 0.157]
    """
    from scipy.optimize import brentq
    from scipy.stats import norm

    z = float(norm.ppf((1 + level) / 2))
    value = (only_a - only_b) / n

    def bound(end: float) -> float:
        def excess(delta: float) -> float:
            gap = only_a - only_b - n * delta
            return gap * gap - z * z * _variance(delta, only_a, only_b, n)

        if value == end or excess(end) <= 0:
            return end
        # models that never disagree have no variance at the value itself, but some beside it
        return float(brentq(excess, value + 1e-9 * (end - value), end, xtol=1e-14))

    return Estimate(value, bound(-1.0), bound(1.0), level, METHOD, n)


def _variance(delta: float, only_a: int, only_b: int, n: int) -> float:
    """Of only_a − only_b, if the difference is delta and the rest is as likely as can be."""
    linear = (2 * n - only_a + only_b) * delta - only_a - only_b
    constant = -only_b * delta * (1 - delta)
    q = (math.sqrt(max(linear * linear - 8 * n * constant, 0.0)) - linear) / (4 * n)
    return float(np.clip(n * (2 * q + delta * (1 - delta)), 0.0, None))
