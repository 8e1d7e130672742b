"""A label among several."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from probus.data import Column
from probus.display import Cells, Displayed
from probus.distributions._continuous import Beta
from probus.distributions._values import check_complete, checked_weights
from probus.errors import DataError
from probus.metrics import Estimate
from probus.metrics.curves import wilson


class Categorical(Displayed):
    """One of several labels, each with its probability.

    Examples
    --------
    >>> faces = Categorical().fit(["red", "red", "blue", "gold"])
    >>> faces.shares_
    {'blue': 0.25, 'gold': 0.25, 'red': 0.5}
    >>> faces.map(prior=2)["red"]
    0.42857142857142855
    """

    def fit(self, x: Any, sample_weight: Any = None) -> Self:
        """Count the labels.

        Parameters
        ----------
        x : the labels: a sequence, or a column.
        sample_weight : how often each was observed; None is once.

        Returns
        -------
        The distribution itself.
        """
        cells = list(x.decoded() if isinstance(x, Column) else x)
        odd = next((each for each in cells if not isinstance(each, Hashable)), None)
        if odd is not None:
            raise DataError(f"{odd!r} among the labels.", "one variable: a sequence of labels")
        hint = "Leave them out, or give them a label."
        check_complete(np.array([_is_missing(each) for each in cells], dtype=bool), len(cells), hint)
        weights = checked_weights(sample_weight, len(cells))
        self.counts_: dict[Any, float] = {}
        for label, weight in zip(cells, weights, strict=True):
            self.counts_[label] = self.counts_.get(label, 0.0) + float(weight)
        try:
            self.counts_ = dict(sorted(self.counts_.items()))
        except TypeError:
            self.counts_ = dict(sorted(self.counts_.items(), key=lambda item: str(item[0])))
        self.n_ = sum(self.counts_.values())
        self.shares_ = {label: count / self.n_ for label, count in self.counts_.items()}
        return self

    def likelihood(self, shares: Mapping[Any, float] | None = None) -> float:
        """The probability of the labels in their order, Π pₖ^nₖ, at the shares or at others by label."""
        self._check_fitted()
        given = self._checked(shares) if shares is not None else self.shares_
        return float(np.prod([given[label] ** count for label, count in self.counts_.items()]))

    def _checked(self, shares: Mapping[Any, float]) -> Mapping[Any, float]:
        missing = [label for label in self.counts_ if label not in shares]
        if missing:
            raise DataError(f"no share of {missing[0]!r}.", "a share of each label")
        if not np.isclose(sum(shares.values()), 1.0) or min(shares.values()) < 0:
            raise DataError(f"shares with the sum {sum(shares.values()):g}.", "shares of 0 or more with the sum 1")
        return shares

    def estimates(self, level: float = 0.95) -> dict[Any, Estimate]:
        """The share of each label with Wilson's interval."""
        self._check_fitted()
        shares = np.array(list(self.shares_.values()))
        low, high = wilson(shares, np.full(len(shares), self.n_), level)
        return {
            label: Estimate(float(share), float(a), float(b), level, "Wilson", round(self.n_))
            for label, share, a, b in zip(self.shares_, shares, low, high, strict=True)
        }

    def posterior(self, prior: float | Mapping[Any, float] = 1.0) -> Dirichlet:
        """The distribution of the shares after the labels.

        Parameters
        ----------
        prior : the parameter of the Dirichlet distribution before them: one number for all labels, or one for each.

        Returns
        -------
        The Dirichlet distribution after them.
        """
        self._check_fitted()
        before = prior if isinstance(prior, Mapping) else dict.fromkeys(self.counts_, float(prior))
        labels = list(dict.fromkeys([*self.counts_, *before]))
        return Dirichlet({label: before.get(label, 0.0) + self.counts_.get(label, 0.0) for label in labels})

    def map(self, prior: float | Mapping[Any, float] = 1.0) -> dict[Any, float]:
        """The shares of the highest posterior density."""
        return self.posterior(prior).mode

    def _check_fitted(self) -> None:
        if not hasattr(self, "counts_"):
            raise DataError("a Categorical that was not fitted.", "one with labels", "Call fit(x) first.")

    def _parts(self) -> Iterable[Any]:
        if not hasattr(self, "counts_"):
            yield "Categorical distribution, not fitted"
            return
        yield f"Categorical distribution of {len(self.counts_)} labels"
        rows = [[str(label), str(estimate), estimate.method] for label, estimate in self.estimates().items()]
        yield Cells([["label", "share, 95 % interval", "method"], *rows], margin=2, most=20)


def _is_missing(label: Any) -> bool:
    """Whether it is None, NaN, or pandas' NA, whose comparisons have no truth value."""
    try:
        return label is None or bool(label != label)
    except TypeError:
        return True


@dataclass(frozen=True, repr=False)
class Dirichlet(Displayed):
    """The distribution of shares whose sum is 1, Π pₖ^(αₖ − 1) / B(α).

    Parameters
    ----------
    alpha : the parameter of each label.

    Examples
    --------
    >>> Dirichlet({"a": 3.0, "b": 1.0}).average
    {'a': 0.75, 'b': 0.25}
    """

    alpha: Mapping[Any, float]

    def __post_init__(self) -> None:
        if len(self.alpha) < 1 or not all(np.isfinite(each) and each > 0 for each in self.alpha.values()):
            raise DataError(f"alpha={dict(self.alpha)!r}.", "a number above 0 for each label")

    @property
    def average(self) -> dict[Any, float]:
        """The expected shares."""
        total = sum(self.alpha.values())
        return {label: each / total for label, each in self.alpha.items()}

    @property
    def mode(self) -> dict[Any, float]:
        """The shares of the highest density, (αₖ − 1)/(Σα − K); NaN where an α is below 1, or all are 1."""
        total = sum(self.alpha.values()) - len(self.alpha)
        proper = min(self.alpha.values()) >= 1 and total > 0
        return {label: (each - 1) / total if proper else float("nan") for label, each in self.alpha.items()}

    def marginal(self, label: Any) -> Beta:
        """The beta distribution of the share of one label."""
        if label not in self.alpha:
            raise DataError(f"the label {label!r}.", f"one of {', '.join(map(repr, self.alpha))}")
        return Beta(self.alpha[label], sum(self.alpha.values()) - self.alpha[label])

    def _parts(self) -> Iterable[Any]:
        yield f"Dirichlet distribution of {len(self.alpha)} labels"
        rows = [[str(label), f"{each:.4g}"] for label, each in self.alpha.items()]
        yield Cells([["label", "α"], *rows], right=[1], margin=2, most=20)
