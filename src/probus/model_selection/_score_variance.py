"""The variance of a cross-validated score over samples of rows: of those tested and of those trained on.

Three things vary from sample to sample. The rows that are tested: their variance is that of their mean contributions,
over all rows and not within classes, since stratified folds hold the class counts fixed and the next sample does not.
The models: how much the loss of one row changes with the training set (w), and how much the losses of all rows tested
on one fitted model change together (τ²). And both at once: a row that is hard to predict may also mislead the models
that are trained on it (c). All but the first can be estimated where rows are tested more than once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probus.metrics import Outcome, measure
from probus.model_selection._splits import Splits
from probus.model_selection._tested_rows import TestedRows, tested_rows

# chosen on the populations of research/cross_validation.py that are named so
_SHARE = 0.75  # of τ²
_USUAL, _BENT = 6.0, 4.0  # times w, what training sets add to a score unless more is found: less where w is large
_NOISE = 0.7  # of the standard error of c, by which it is shrunk
_ONCE, _RANKED_ONCE = 1.15, 1.3  # for rows tested once, in place of w: what their variance is multiplied by
_UNSTABLE, _RANKED_UNSTABLE = 1.6, 1.2  # … and what is added for each unit of the share of unstable predictions
_ONCE_UNKNOWN = 1.25  # … where that share is not known
_HALVED, _OWN, _LEAST = 0.8, 0.2, 0.9  # of ½σ² + c, to which so much of w is added, and of w at least
# of a difference, of w: what training sets add to it unless more is found, of models without and with halves; chosen on
# the populations of research/scores_and_differences.py that are named so
_APART, _APART_HALVED = 0.3, 0.8
_SURE = 2.0  # standard errors that what is found must exceed it by
_VARYING = 0.4  # of the variance of rows: where w is more, models of halves are worth their fits
_ALARM = 0.01  # the level at which scores of folds differ by more than their rows explain
_MANY = 1e4  # degrees of freedom, as good as infinitely many


@dataclass(frozen=True)
class ScoreVariance:
    """The variance of a score over samples.

    total : the variance. single : that of one repeat with independent rows, tested by models that do not vary.
    df : the degrees of freedom of the estimate.
    """

    total: float
    single: float
    df: float

    @property
    def inflation(self) -> float:
        """By how much it exceeds that of independent rows; 1 where it does not."""
        return max(self.total / self.single, 1.0) if self.single > 0 else 1.0


def score_variance(tested: TestedRows) -> ScoreVariance:
    """V = Var(row means)/n + u + what is found beyond, with u = max(w, 6w/(1 + 4w/Var(row means))).

    ψ is the contribution of a row in a split. w is the variance of ψ within rows, over n, and τ² that of the effects of
    splits on ψ less its row's mean, by a one-way analysis of variance. If the effect of a training set is a sum over
    its rows, the required variance is a multiple of τ²; if it is chaotic, it is less than τ². The factor is a
    compromise. c is twice the covariance of what rows add as test rows and as training rows.

    The standard errors of τ² and c, from few splits, are as large as the variance of rows, so that an interval from
    them alone is now half and now twice as wide as needed. w is known well, and u is what it usually goes with. Of c +
    ¾τ² counts what is beyond u by two standard errors, the less so the nearer it is (James and Stein 1961).

    Ranks among the rows of a split differ by these rows too, which adds to w what it takes from τ²: there c is added to
    ¾(w + τ²). Of a loss without bound, such as the logarithm of a probability, a few rows have almost all of w, and no
    other row varies with them: w and τ² count by the share of w that all rows have alike.

    Where every row is tested once, these cannot be estimated: see ``_tested_once``. Where models of halves were fitted,
    they show more: see ``_with_halves``.
    """
    n_units, total = tested.n_units, len(tested.moves)
    if n_units < 2:
        return ScoreVariance(np.inf, np.inf, 1.0)
    rows = tested.variance_of_rows
    single = float(np.sum(tested.as_tested**2)) / (total * (n_units - 1))
    if total == n_units:
        return ScoreVariance(_tested_once(tested, rows), single, _MANY)
    effects = _Effects.of(tested)
    if tested.unstable is None:
        return _of_difference(tested, effects, rows, single)
    if tested.halves is not None:
        return _with_halves(rows, single, effects.within, tested.halves)
    common = _common(tested.overlap, len(effects.size)) * (effects.evenness if tested.unbounded else 1.0)
    w, tau2 = common * effects.within, common * effects.variance
    usual = max(w, _USUAL * w * rows / (rows + _BENT * w)) if w > 0 else 0.0
    found = effects.covariance(rows, noise=_SURE * effects.unrest) + _SHARE * (tau2 + w if tested.ranked else tau2)
    beyond = _shrunk(found - usual, _SURE * _SHARE * common * effects.noise)
    return _estimate(rows + usual + beyond, single, _few(usual, beyond), effects.df)


def is_unstable(outcomes: Sequence[Outcome], splits: Splits, groups: np.ndarray | None) -> bool:
    """Whether predictions depend so much on the training rows that models of halves show more of it.

    By the squared errors of probabilities, the errors of labels, or the absolute errors of numbers: w is more than 0.4
    of the variance of rows.
    """
    first = outcomes[0]
    name = "mae" if not first.classes else "accuracy" if first.probabilities is None else "brier"
    tested = tested_rows(measure(name), outcomes, splits, groups)
    return tested is not None and _Effects.of(tested).within > _VARYING * tested.variance_of_rows


def _with_halves(rows: float, single: float, w: float, halves: TestedRows) -> ScoreVariance:
    """V = Var(row means)/n + max(0.8 (½σ² + c) + 0.2 w, 0.9 w)."""
    effects = _Effects.of(halves)
    trained, least = _of_halves(effects, halves.variance_of_rows, w), _LEAST * w
    return _estimate(rows + max(trained, least), single, trained - least, effects.df)


def _of_halves(effects: _Effects, rows: float, w: float) -> float:
    """0.8 (½σ² + c) + 0.2 w.

    Two halves of the rows are disjoint training sets, so that the variance σ² of the effects of halves is that of one
    model over independent training sets of n/2 rows, which folds cannot show: their training sets share most rows. If
    the effect of a training set is the sum of the effects of its rows, the mean over folds varies by half of it. If it
    is chaotic, it varies by more or less than that, but not by a multiple, as with τ². c is that of halves.
    """
    return _HALVED * (max(effects.variance, 0.0) / 2 + effects.covariance(rows)) + _OWN * w


def _of_difference(tested: TestedRows, effects: _Effects, rows: float, single: float) -> ScoreVariance:
    """V = Var(row means)/n + 0.3 w, or 0.8 w of models with halves, and what is found beyond that.

    w is most of the variance of two good models, whose predictions differ near their borders only. The row means of
    all splits hold it already: training sets move one row towards one model and another row towards the other. Found
    is ¾τ² + c, or what halves show; their standard errors are larger than w, so that only what is more than two of
    them beyond counts, and the less so the nearer it is (James and Stein 1961).
    """
    common = _common(tested.overlap, len(effects.size))
    w = common * effects.within
    if tested.halves is None:
        usual, shown = _APART * w, effects
        found = _SHARE * common * effects.variance + effects.covariance(rows, noise=1.0)
        noise = _SHARE * common * effects.noise
    else:
        usual, shown = _APART_HALVED * w, _Effects.of(tested.halves)
        of_halves = tested.halves.variance_of_rows
        found = _of_halves(shown, of_halves, w)
        noise = _HALVED * float(np.hypot(shown.noise / 2, shown.noise_of_covariance(of_halves)))
    beyond = _shrunk(found - usual, _SURE * noise)
    return _estimate(rows + usual + beyond, single, _few(usual, beyond), shown.df)


def _few(usual: float, beyond: float) -> float:
    """What few splits estimate: what is usual is known as well as from twice as many."""
    return float(np.hypot(usual / np.sqrt(2), beyond))


def _shrunk(found: float, noise: float) -> float:
    """What is left of it after shrinking by its noise; never negative."""
    return found * (1 - (noise / found) ** 2) if found > noise else 0.0


def _estimate(variance: float, single: float, few: float, df: float) -> ScoreVariance:
    """A variance of which a part is estimated from few splits: their degrees of freedom count (Satterthwaite 1946)."""
    part = min(max(few, 0.0) / variance, 1.0) if variance > 0 else 0.0
    return ScoreVariance(variance, single, 1 / (part**2 / df + 1 / _MANY))


def _common(overlap: float, n_splits: int) -> float:
    """How much of w and τ² counts: less than all where training sets share few rows, as small ones of a learning curve.

    If the effect of a training set is the sum of the effects of its rows, the mean over splits has the variance of
    r/(1 − r) + 1/J of the variance between them, with r the share of rows that two of them have in common.
    """
    return min(1.0, overlap / (1 - overlap) + 1 / n_splits) if overlap < 1 else 1.0


@dataclass(frozen=True, eq=False)
class _Effects:
    """How contributions vary around the mean of their row.

    within : their variance, over the number of rows. evenness : the squared mean of the standard deviations of rows
    over the mean of their variances, 1 where all rows vary alike. off : float64[S], the mean in each split; hard :
    float64[S], the sum over each split of the mean contributions of its rows. size : the rows of a split, on average.
    """

    within: float
    evenness: float
    off: np.ndarray
    hard: np.ndarray
    size: np.ndarray
    folds: int
    repeats: float
    n_units: int

    @classmethod
    def of(cls, tested: TestedRows) -> _Effects:
        n_units, total = tested.n_units, len(tested.moves)
        _, split = np.unique(tested.split, return_inverse=True)
        times = np.bincount(tested.unit, minlength=n_units)
        means = np.bincount(tested.unit, tested.moves, minlength=n_units) / times
        off = tested.moves - means[tested.unit]
        if tested.folds > 1:
            repeat = tested.split // tested.folds
            off = off - (np.bincount(repeat, off) / np.maximum(np.bincount(repeat), 1))[repeat]
        size = np.bincount(split)
        squares = np.bincount(tested.unit, off**2, minlength=n_units) / np.maximum(times - 1, 1)
        return cls(
            within=float(off @ off) / max(total - n_units, 1) / n_units,
            evenness=float(np.sqrt(squares).mean() ** 2 / squares.mean()) if squares.any() else 1.0,
            off=np.bincount(split, off) / size,
            hard=np.bincount(split, means[tested.unit]),
            size=size,
            folds=tested.folds,
            repeats=total / n_units,
            n_units=n_units,
        )

    @property
    def df(self) -> float:
        """The degrees of freedom of τ², half of those of independent splits."""
        n_splits = len(self.size)
        return max((n_splits - n_splits / self.folds) / 2, 1.0)

    @property
    def variance(self) -> float:
        """τ², without bias; negative where splits differ less than by chance."""
        n_repeats = len(self.size) / self.folds if self.folds > 1 else 0.0
        between = float(self.size @ self.off**2) / max(len(self.size) - n_repeats, 1.0)
        left, spread = 1 - 1 / self.repeats, self._spread
        return (between - left * self.within * self.n_units) / spread if spread > 0 else 0.0

    @property
    def unrest(self) -> float:
        """The standard deviation of the effects of splits over that which w alone would cause."""
        own = self.folds * self.within
        return float(np.sqrt(1 + max(self.variance, 0.0) / own)) if own > 0 else 1.0

    @property
    def _spread(self) -> float:
        """How much τ² adds to the mean square between splits.

        A row's own mean takes part of the effects with it: ``seen`` of them is left.
        """
        left = 1 - 1 / self.repeats
        seen = left**2 + left / self.repeats / max(self.folds, 2)
        return float(self.size.mean()) * seen - left

    @property
    def noise(self) -> float:
        """The standard error of τ² where splits differ by chance only."""
        left = 1 - 1 / self.repeats
        spread = self._spread
        return left * self.within * self.n_units / np.sqrt(self.df) / spread if spread > 0 else 0.0

    def covariance(self, rows: float, noise: float = _NOISE) -> float:
        """c: what is left of it after shrinking by so much of its noise (James and Stein 1961); never negative.

        A split tests what it does not train on. If hard rows mislead, the splits that test them do better on the rest.
        """
        if self.folds < 2:
            return 0.0
        found = -2 * self.folds / self.n_units * float(np.mean(self.hard * self.off)) / (1 - 1 / self.repeats)
        return _shrunk(found, noise * self.noise_of_covariance(rows))

    def noise_of_covariance(self, rows: float) -> float:
        """The standard error of c where there is none."""
        return 2 * float(np.sqrt(self.folds / self.repeats * self.within * rows))


def _tested_once(tested: TestedRows, rows: float) -> float:
    """The variance where no row is tested twice, so that the variance of models cannot be estimated directly.

    A share u of the squared error is due to the training rows: V is (1.15 + 1.6 u) times the variance of rows, or
    (1.3 + 1.2 u) times for ranks. Where the scores of splits differ by more than their rows explain, the variance of
    Nadeau and Bengio (2003), which is that of the spread between splits, is a lower bound. For a difference, whose u is
    not known, V is the larger of the latter and 5/4 of the variance of rows.
    """
    from scipy.stats import f

    _, split = np.unique(tested.split, return_inverse=True)
    size = np.bincount(split)
    folds, left = len(size), len(split) - len(size)
    between, alarming = 0.0, tested.unstable is None
    if folds > 1 and size.max() > 1:
        scores = np.bincount(split, tested.as_tested) / size
        within = float(np.sum((tested.as_tested - scores[split]) ** 2)) / left
        mean_square = float(size @ (scores - tested.as_tested.mean()) ** 2) / (folds - 1)
        between = float(scores.var(ddof=1)) * (1 / folds + 1 / (folds - 1))
        alarming = alarming or mean_square > f.isf(_ALARM, folds - 1, left) * within
    if tested.unstable is None:
        factor = _ONCE_UNKNOWN
    elif tested.ranked:
        factor = _RANKED_ONCE + _RANKED_UNSTABLE * tested.unstable
    else:
        factor = _ONCE + _UNSTABLE * tested.unstable
    return max(factor * rows, between if alarming else 0.0)
