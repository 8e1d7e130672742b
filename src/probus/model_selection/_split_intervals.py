"""Intervals for scores of splits, which share training rows and so are not independent, and of pooled predictions."""

from __future__ import annotations

import numpy as np

from probus.metrics import Estimate, Measure, Outcome
from probus.metrics.bootstrap import Draws, Resamples, bootstrap_t, seeds_of, share_like
from probus.metrics.curves import quantile, wilson
from probus.metrics.resample_forms import ConfusionCells, Ranks, Sums, mean
from probus.model_selection._degrees_of_freedom import degrees_of_freedom, equal_groups
from probus.model_selection._score_variance import ScoreVariance, score_variance
from probus.model_selection._tested_rows import TestedRows

METHOD = "corrected resampled t (Nadeau and Bengio 2003)"
OF_ROWS = "variance of rows and of training sets"
OF_HALVES = f"{OF_ROWS}, these by halves of the rows"

_RESAMPLES = 2000
_FEW = 5  # units, of which resamples without spread are common
_MANY, _SKEWED = 10_000, 0.1  # rows, and skewness over √n: the limits of the expansion in place of resamples
_UNEVEN = 1_000  # groups, up to which their unequal sizes are drawn too
_ROUNDING = 1e-20
_RANKED_GROUPS = 1.15  # times the variance: what groups do to ranks as training rows is not known; chosen as those of
# ``score_variance``


def corrected_interval(
    scores: np.ndarray,
    test_to_train: float,
    *,
    level: float = 0.95,
    low: float = -np.inf,
    high: float = np.inf,
) -> Estimate:
    """The mean over J splits with mean ± t · s · √(1/J + n_test/n_train), t with J − 1 degrees of freedom.

    The second term accounts for the overlap of the training sets, without which the interval would be far too short.
    Scores that are undefined (NaN) are left out and J counts the others; ``low`` and ``high`` are the bounds
    of the score itself, which no interval should cross.

    Parameters
    ----------
    scores : the score of each split.
    test_to_train : rows tested over rows trained on, n_test/n_train.
    level : the confidence level of intervals.
    low, high : the bounds of the score, as of a share 0 and 1.

    Returns
    -------
    The mean with its interval.

    >>> corrected_interval(np.array([0.80, 0.84, 0.82, 0.78, 0.81]), test_to_train=1 / 4)
    0.810 [0.768, 0.852]
    """
    from scipy.stats import t

    scores = scores[~np.isnan(scores)]
    splits = len(scores)
    if splits < 2:
        value = float(scores.mean()) if splits else np.nan
        return Estimate(value, -np.inf, np.inf, level, METHOD, splits)
    value = float(scores.mean())
    spread = float(scores.std(ddof=1)) * np.sqrt(1 / splits + test_to_train)
    half_width = float(t.ppf((1 + level) / 2, splits - 1)) * spread
    return Estimate(value, max(value - half_width, low), min(value + half_width, high), level, METHOD, splits)


def pooled_interval(
    measure: Measure, outcome: Outcome, *, level: float = 0.95, groups: np.ndarray | None = None
) -> Estimate:
    """The measure of one outcome, with the interval of ``probus.metrics.estimate`` over its rows or groups of them."""
    from probus.metrics.bootstrap import estimate_outcome

    # one seed: the same result prints the same numbers
    return estimate_outcome(measure, outcome, level=level, groups=groups, random_state=0)


def score_interval(
    measure: Measure, tested: TestedRows, outcome: Outcome, *, level: float = 0.95, groups: np.ndarray | None = None
) -> Estimate:
    """A cross-validated score with the interval of its variance over samples, of ``score_variance``.

    It covers the expected score of a model that is trained on as many rows as each split trains on. The form of the
    interval is that of ``probus.metrics.estimate``: Wilson's for what is made of counts and ranks, the bootstrap-t
    for means of losses. ``outcome`` holds each row once, and ``groups`` its groups.
    """
    variance = score_variance(tested)
    draws = Draws.of(outcome, False, groups)
    form = measure.form_of(outcome)
    if tested.certain:
        low = high = tested.value
    elif isinstance(form, ConfusionCells | Ranks):
        low, high = _as_share(measure, form, tested.value, variance, outcome, draws, level, groups)
    else:
        low, high = _as_mean(measure, tested, variance, level, groups)
    value, least = tested.value, float(measure.low)
    if np.isfinite(least) and not np.isfinite(measure.high):
        low = _above_bound(value - least, low - least) + least
    low, high = max(low, least), min(high, float(measure.high))
    method = OF_ROWS if tested.halves is None else OF_HALVES
    return Estimate(value, min(low, value), max(high, value), level, method, tested.n_units)


def difference_interval(
    a: TestedRows, b: TestedRows, *, level: float = 0.95, times: float = 1.0, groups: np.ndarray | None = None
) -> Estimate:
    """The difference of two scores on the same splits, paired by row, multiplied by ``times``."""
    apart = a.minus(b)
    variance = score_variance(apart)
    value = times * apart.value
    df = degrees_of_freedom(variance, apart.n_units, groups)
    half = quantile(level, df) * abs(times) * float(np.sqrt(variance.total))
    return Estimate(value, value - half, value + half, level, OF_ROWS, apart.n_units)


def _above_bound(value: float, low: float) -> float:
    """The lower end of a score that is never below 0: below half of the value it continues on the scale of logarithms.

    A loss of 1.5 whose variance is large, since some fits have a few very large losses, is not known to be possibly 0.

    >>> _above_bound(1.5, 1.0), round(_above_bound(1.5, -0.5), 3)
    (1.0, 0.142)
    """
    half = value / 2
    return low if low >= half or half <= 0 else half * float(np.exp(low / half - 1))


def _as_share(
    measure: Measure,
    form: ConfusionCells | Ranks,
    value: float,
    variance: ScoreVariance,
    outcome: Outcome,
    draws: Draws,
    level: float,
    groups: np.ndarray | None,
) -> tuple[float, float]:
    """Wilson's interval of a share with that variance, or of the few rows whose variance cannot be estimated."""
    low, high = float(measure.low), float(measure.high)
    like = share_like(form, value, (low, high), outcome, draws)
    rows = like.rows / variance.inflation
    df = variance.df if groups is None else degrees_of_freedom(variance, len(groups), groups)
    if isinstance(form, Ranks):
        df = min(df, like.df or df)
        if variance.total > _ROUNDING and low < value < high:
            more = 1.0 if groups is None else _RANKED_GROUPS
            rows = (value - low) * (high - value) / (more * variance.total)
    either = np.clip([value, value - like.bias], low, high)  # the bias is only estimated
    bottom, top = wilson((either - low) / (high - low), rows, level, df)
    return low + (high - low) * float(bottom.min()), low + (high - low) * float(top.max())


def _as_mean(
    measure: Measure, tested: TestedRows, variance: ScoreVariance, level: float, groups: np.ndarray | None
) -> tuple[float, float]:
    """The bootstrap-t over rows, or over groups, scaled to the variance, and to the sizes of the groups."""
    units = tested.by_unit
    if variance.total <= _ROUNDING * max(tested.value**2, 1e-200):
        return _without_spread(measure, tested.value, len(units), level)
    value = tested.value
    sizes = None if groups is None else _unequal_sizes(groups, tested.names)
    low, high = _studentise(units, level) if sizes is None else _studentise_uneven(units, sizes, level)
    scale = np.sqrt(variance.total) * quantile(level, variance.df) / quantile(level)
    if groups is not None:
        scale *= quantile(level, max(equal_groups(groups) - 1, 1.0)) / quantile(level, max(len(units) - 1, 1))
    return value + float(scale) * low, value + float(scale) * high


def _without_spread(measure: Measure, value: float, n: int, level: float) -> tuple[float, float]:
    """Every row has the same loss: one more may differ by as much, or where there is none, by the whole range."""
    low, width = float(measure.low), float(measure.high) - float(measure.low)
    if value:
        half = quantile(level) * abs(value) / n
        return value - half, value + half
    if not np.isfinite(width):
        return -np.inf, np.inf
    bottom, top = wilson((value - low) / width, n, level)
    return low + width * float(bottom), low + width * float(top)


def _unequal_sizes(groups: np.ndarray, names: np.ndarray) -> np.ndarray | None:
    """The rows of each group; None where all have as many, or there are too few or too many groups to draw them."""
    known, counts = np.unique(groups, return_counts=True)
    if not _FEW <= len(names) <= _UNEVEN or len(known) != len(names) or counts.min() == counts.max():
        return None
    return counts.astype(np.float64)


def _studentise_uneven(units: np.ndarray, sizes: np.ndarray, level: float) -> tuple[float, float]:
    """The same of a mean over the rows of groups of unequal sizes, which is a ratio of two sums.

    Groups are drawn whole. The residual of a group is divided by 1 less its share of the rows (CR3), since a large one
    pulls the mean towards itself.
    """
    n, total, own = len(units), sizes.sum(), units * len(units)
    drawn = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=_RESAMPLES).astype(np.float64)
    rows = drawn @ sizes
    value = (drawn @ own) / rows
    squares = drawn @ own**2 - 2 * value * (drawn @ (own * sizes)) + value**2 * (drawn @ sizes**2)
    error = np.sqrt(np.maximum(squares * n / (n - 1), 0.0)) / rows
    known = error > _ROUNDING * error.max()
    least, most = np.quantile(value[known] / error[known], [(1 - level) / 2, (1 + level) / 2])
    alone = 1 - sizes / total
    larger = np.sqrt(((own / alone) ** 2).sum() / (own**2).sum()) * (n - 1) / n
    return -float(most * larger), -float(least * larger)


def _studentise(units: np.ndarray, level: float) -> tuple[float, float]:
    """The ends of the bootstrap-t interval of a mean of 0, in standard errors.

    For many rows its quantiles are those of the normal distribution, less skewness · (2z² + 1)/(6√n) (Hall 1988), and
    no resample is drawn. For a few groups they are Student's.
    """
    if len(units) < _FEW:
        half = quantile(level, len(units) - 1)
        return -half, half
    skewness = float(np.mean(units**3) / np.mean(units**2) ** 1.5) / np.sqrt(len(units))
    if len(units) > _MANY and abs(skewness) < _SKEWED:
        z = quantile(level)
        shift = skewness * (2 * z**2 + 1) / 6
        return shift - z, shift + z
    form, rows = Sums((units,), mean), Outcome(units)
    drawn = Resamples.draw([form], rows, Draws.of(rows, False, None), seeds_of(0, _RESAMPLES), 1, [True])
    assert drawn.errors[0] is not None
    return bootstrap_t(0.0, 1.0, drawn.values[0], drawn.errors[0], level)
