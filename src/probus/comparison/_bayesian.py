"""How probable it is that one model is better, worse, or near enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.comparison._paired_scores import checked_ratio, differences, place, spread
from probus.comparison._significance import checked_names
from probus.display import Result, drawing
from probus.errors import DataError
from probus.metrics import Estimate


def bayesian_correlated_ttest(
    scores_a: Any,
    scores_b: Any,
    test_to_train: float,
    rope: float = 0.01,
    *,
    level: float = 0.95,
    names: Sequence[str] = ("a", "b"),
    greater_is_better: bool = True,
    n_rows: int | None = None,
) -> Posterior:
    """The Bayesian correlated t-test of Corani and Benavoli (2015), with a region of practical equivalence.

    Given the differences on k splits, the difference of the models is a Student t with k − 1 degrees of freedom around
    their mean, with scale s √(1/k + n_test/n_train). A matching prior makes the posterior agree with Nadeau and
    Bengio's test. It answers what a p-value cannot: how probable it is that the models are practically the same.

    Parameters
    ----------
    scores_a, scores_b : one score of each model per split, in the same order.
    test_to_train : rows tested over rows trained on, n_test/n_train: 1/9 for ten folds.
    rope : differences up to this size do not matter in practice; 0 for none.
    level, names, greater_is_better, n_rows : as in ``resampled_ttest``.

    Returns
    -------
    The posterior of the difference, with the probabilities of better, equivalent and worse.

    >>> bayesian_correlated_ttest([0.82, 0.85, 0.80, 0.84, 0.83], [0.80, 0.81, 0.79, 0.82, 0.79], 1 / 4)
    a is better than b with probability 0.92, worse 0.01, practically the same (within 0.01) 0.07
      on 5 splits (difference 0.026 [0.001, 0.051], Bayesian correlated t-test)
    """
    names = checked_names(names, 2)
    ratio = checked_ratio(test_to_train)
    if not 0 <= rope < np.inf:
        raise DataError(f"rope={rope}.", "a difference too small to matter, from 0")
    d = differences(scores_a, scores_b, names)
    return Posterior(
        names=names,
        df=len(d) - 1,
        location=float(d.mean()),
        scale=float(spread(d) * np.sqrt(1 / len(d) + ratio)),
        rope_width=float(rope),
        level=level,
        n=len(d),
        where=place(d, n_rows),
        greater_is_better=greater_is_better,
    )


@dataclass(frozen=True, repr=False)
class Posterior(Result):
    """The difference of two models, a minus b, as a Student t; the probabilities of its three regions.

    A scale of zero, from differences that are all the same, puts all probability on the one value.

    Attributes
    ----------
    names : the names of the two models.
    df, location, scale : the degrees of freedom, the centre and the scale of the Student t.
    rope_width : differences up to this size do not matter.
    level : the probability of the credible interval.
    n : the number of splits.
    where : what the models were compared on, in words.
    greater_is_better : whether a larger score is better.
    """

    names: tuple[str, ...]
    df: int
    location: float
    scale: float
    rope_width: float
    level: float
    n: int
    where: str
    greater_is_better: bool = True
    name = "Bayesian correlated t-test"

    @property
    def left(self) -> float:
        """The probability that the difference is below the region of practical equivalence."""
        return self._below(-self.rope_width, strictly=True)

    @property
    def rope(self) -> float:
        """The probability that the difference is too small to matter."""
        return max(1.0 - self.left - self.right, 0.0)

    @property
    def right(self) -> float:
        """The probability that the difference is above the region of practical equivalence."""
        return 1.0 - self._below(self.rope_width, strictly=False)

    @property
    def effect(self) -> Estimate:
        """The mean of the posterior with its credible interval."""
        from scipy.stats import t

        half_width = float(t.ppf((1 + self.level) / 2, self.df)) * self.scale
        low, high = self.location - half_width, self.location + half_width
        return Estimate(self.location, low, high, self.level, f"{self.name}, credible", self.n)

    @property
    def sentence(self) -> str:
        """What may be concluded."""
        a, b = self.names
        better, worse = (self.right, self.left) if self.greater_is_better else (self.left, self.right)
        same = f", practically the same (within {self.rope_width:g}) {self.rope:.2f}" if self.rope_width else ""
        return (
            f"{a} is better than {b} with probability {better:.2f}, worse {worse:.2f}{same} "
            f"on {self.where} (difference {self.effect}, {self.name})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        found = {"name": self.name, "left": self.left, "rope": self.rope, "right": self.right}
        return {**super().to_dict(), **found, "effect": self.effect.to_dict(), "sentence": self.sentence}

    def _rows(self) -> list[dict[str, Any]]:
        row = {name: value for name, value in self.to_dict().items() if name not in ("effect", "names")}
        ends = {"difference": self.effect.value, "low": self.effect.low, "high": self.effect.high}
        return [{"models": list(self.names), **row, **ends}]

    def plot(self, axes: Any = None) -> Any:
        """The density of the difference, the region of practical equivalence shaded."""
        from scipy.stats import t

        axes = drawing.new_axes(axes, 6, 3)
        if self.scale:
            x = self.location + self.scale * np.linspace(-5, 5, 401)
            axes.plot(x, t.pdf(x, self.df, self.location, self.scale), color=drawing.BLUE)
        else:
            axes.axvline(self.location, color=drawing.BLUE)
        axes.axvspan(-self.rope_width, self.rope_width, color=drawing.BLUE, alpha=0.16, linewidth=0)
        drawing.tidy(axes, "Posterior of the difference", f"{self.names[0]} − {self.names[1]}", "")
        axes.set(yticks=[], ylim=(0, None))
        return axes

    def _parts(self) -> list[str]:
        return [self.sentence]

    def _below(self, bound: float, strictly: bool) -> float:
        from scipy.stats import t

        if self.scale:
            return float(t.cdf(bound, self.df, self.location, self.scale))
        return float(self.location < bound if strictly else self.location <= bound)
