"""Differences and ratios of rates between groups, under fairlearn's names, each with its interval."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from probus.data import Level
from probus.display import listed
from probus.errors import DataError
from probus.fairness._groups import Groups, GroupWarning, sensitive_groups
from probus.fairness._intervals import largest_difference, smallest_ratio
from probus.fairness._rates import RATES, Decisions, Rate, rates_of, values_of
from probus.fairness._to_overall import largest_from_all, smallest_to_all
from probus.metrics import Estimate

Method = Literal["between_groups", "to_overall"]
Agg = Literal["worst_case", "mean"]


class Gap(Estimate, float):
    """An estimate that is a float too: it can be used in calculations, without its interval.

    >>> gap = Gap(0.12, 0.03, 0.2)
    >>> gap, gap < 0.2, round(gap + 0.1, 2), isinstance(gap, float)
    (0.120 [0.030, 0.200], True, 0.22, True)
    """

    def __new__(
        cls, value: float, low: float, high: float, level: float = 0.95, method: str = "", n: int | None = None
    ) -> Gap:
        """A float with that value."""
        return float.__new__(cls, value)

    __hash__ = float.__hash__

    def __eq__(self, other: object) -> bool:
        return float.__eq__(self, float(other)) if isinstance(other, Estimate) else float.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __reduce__(self) -> Any:
        return Gap, (self.value, self.low, self.high, self.level, self.method, self.n)

    @classmethod
    def of(cls, found: Estimate) -> Gap:
        """The same estimate as a float."""
        return cls(found.value, found.low, found.high, found.level, found.method, found.n)


# -- rates of all rows -----------------------------------------------------------------------------------


def count(y_true: Any, y_pred: Any) -> int:
    """The number of rows, as a measure for groups.

    Parameters
    ----------
    y_true : the true labels or numbers.
    y_pred : the predictions, which are not used.

    Returns
    -------
    The number.

    >>> count([1, 0, 1], [1, 1, 1])
    3
    """
    return len(y_true)


def mean_prediction(y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
    """The weighted mean of the predictions.

    Parameters
    ----------
    y_true : the truth, which is not used.
    y_pred : the predicted numbers.
    sample_weight : the weight of each row; None is 1.

    Returns
    -------
    The mean.

    >>> mean_prediction([1, 0, 1], [0.5, 1.0, 0.0])
    0.5
    """
    return float(np.average(np.asarray(y_pred, dtype=np.float64), weights=sample_weight))


def selection_rate(y_true: Any, y_pred: Any, *, pos_label: Level | None = None, sample_weight: Any = None) -> float:
    """The share of rows that are predicted positive.

    Parameters
    ----------
    y_true : the true labels, by which the classes are known.
    y_pred : the predicted labels.
    pos_label : the label that selects; by default the last of two.
    sample_weight : the weight of each row; None is 1.

    Returns
    -------
    The share.

    >>> selection_rate([0, 1, 1, 0], [1, 1, 1, 0])
    0.75
    """
    return _overall("selection_rate", y_true, y_pred, pos_label, sample_weight)


def true_positive_rate(y_true: Any, y_pred: Any, sample_weight: Any = None, pos_label: Level | None = None) -> float:
    """The share of rows with the positive label that are predicted positive; NaN without such rows.

    Parameters
    ----------
    y_true : the true labels.
    y_pred : the predicted labels.
    sample_weight : the weight of each row; None is 1.
    pos_label : the positive label; by default the last of two.

    Returns
    -------
    The share.

    >>> true_positive_rate([0, 1, 1, 0], [1, 1, 0, 0])
    0.5
    """
    return _overall("true_positive_rate", y_true, y_pred, pos_label, sample_weight)


def true_negative_rate(y_true: Any, y_pred: Any, sample_weight: Any = None, pos_label: Level | None = None) -> float:
    """The share of rows with the negative label that are predicted negative; NaN without such rows.

    Parameters
    ----------
    y_true : the true labels.
    y_pred : the predicted labels.
    sample_weight : the weight of each row; None is 1.
    pos_label : the positive label; by default the last of two.

    Returns
    -------
    The share.

    >>> true_negative_rate([0, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0])
    0.75
    """
    return _overall("true_negative_rate", y_true, y_pred, pos_label, sample_weight)


def false_positive_rate(y_true: Any, y_pred: Any, sample_weight: Any = None, pos_label: Level | None = None) -> float:
    """The share of rows with the negative label that are predicted positive; NaN without such rows.

    Parameters
    ----------
    y_true : the true labels.
    y_pred : the predicted labels.
    sample_weight : the weight of each row; None is 1.
    pos_label : the positive label; by default the last of two.

    Returns
    -------
    The share.

    >>> false_positive_rate([0, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0])
    0.25
    """
    return _overall("false_positive_rate", y_true, y_pred, pos_label, sample_weight)


def false_negative_rate(y_true: Any, y_pred: Any, sample_weight: Any = None, pos_label: Level | None = None) -> float:
    """The share of rows with the positive label that are predicted negative; NaN without such rows.

    Parameters
    ----------
    y_true : the true labels.
    y_pred : the predicted labels.
    sample_weight : the weight of each row; None is 1.
    pos_label : the positive label; by default the last of two.

    Returns
    -------
    The share.

    >>> false_negative_rate([0, 1, 1, 0], [1, 1, 0, 0])
    0.5
    """
    return _overall("false_negative_rate", y_true, y_pred, pos_label, sample_weight)


def _overall(name: str, y_true: Any, y_pred: Any, pos_label: Level | None, sample_weight: Any) -> float:
    decisions = Decisions.of(y_true, y_pred, pos_label, sample_weight)
    everybody = Groups("rows", ("all",), np.zeros(len(decisions.actual), np.int64))
    return float(rates_of(RATES[name], decisions, everybody)[0][0])


# -- between groups ------------------------------------------------------------------------------------------


_ARGUMENTS = """
    The interval is simultaneous: it allows for every pair of groups that could have been the one that differs most. It
    is for these predictions on new rows. Groups without a row to judge by are left out with a warning.

    Parameters
    ----------
    y_true : the true labels.
    y_pred : the predicted labels.
    sensitive_features : the group of each row, as a list, an array, a series or a column. Several columns, as a frame
        or a dict, are combined. A missing value is a group.
    method : "between_groups" compares each group with each other, "to_overall" with all rows.
    sample_weight : the weight of each row; None is 1.
    pos_label : the positive label; by default the last of two.
    level : the confidence level of the interval.{more}

    Returns
    -------
    The value, which is a float, with its interval.

    >>> y = [1, 1, 0, 0, 1, 1, 0, 0] * 20
    >>> selected = [1, 1, 1, 0, 1, 0, 0, 0] * 20
    >>> sex = ["m", "m", "m", "m", "f", "f", "f", "f"] * 20
    >>> {name}(y, selected, sensitive_features=sex)
    {result}
    """
_AGG = """
    agg : "worst_case" is the worse of true and false positive rates, "mean" the mean of both."""


def _documented(result: str, more: str = "") -> Callable[[Any], Any]:
    """Complete the docstring of a comparison by its arguments and an example with that result."""

    def document(function: Any) -> Any:
        function.__doc__ += "\n" + _ARGUMENTS.format(name=function.__name__, result=result, more=more)
        return function

    return document


@_documented("0.50 [0.35, 0.62]")
def demographic_parity_difference(
    y_true: Any, y_pred: Any, *, sensitive_features: Any, method: Method = "between_groups", sample_weight: Any = None,
    pos_label: Level | None = None, level: float = 0.95,
) -> Gap:  # fmt: skip
    """The largest difference of selection rates between groups."""
    case = _Case.of(y_true, y_pred, sensitive_features, pos_label, sample_weight)
    return case.difference(("selection_rate",), method, level)


@_documented("0.33 [0.22, 0.49]")
def demographic_parity_ratio(
    y_true: Any, y_pred: Any, *, sensitive_features: Any, method: Method = "between_groups", sample_weight: Any = None,
    pos_label: Level | None = None, level: float = 0.95,
) -> Gap:  # fmt: skip
    """The smallest ratio of selection rates of two groups."""
    case = _Case.of(y_true, y_pred, sensitive_features, pos_label, sample_weight)
    return case.ratio(("selection_rate",), method, level)


@_documented("0.50 [0.33, 0.65]")
def equal_opportunity_difference(
    y_true: Any, y_pred: Any, *, sensitive_features: Any, method: Method = "between_groups", sample_weight: Any = None,
    pos_label: Level | None = None, level: float = 0.95,
) -> Gap:  # fmt: skip
    """The largest difference of true positive rates between groups."""
    case = _Case.of(y_true, y_pred, sensitive_features, pos_label, sample_weight)
    return case.difference(("true_positive_rate",), method, level)


@_documented("0.50 [0.35, 0.66]")
def equal_opportunity_ratio(
    y_true: Any, y_pred: Any, *, sensitive_features: Any, method: Method = "between_groups", sample_weight: Any = None,
    pos_label: Level | None = None, level: float = 0.95,
) -> Gap:  # fmt: skip
    """The smallest ratio of true positive rates of two groups."""
    case = _Case.of(y_true, y_pred, sensitive_features, pos_label, sample_weight)
    return case.ratio(("true_positive_rate",), method, level)


@_documented("0.50 [0.30, 0.67]", _AGG)
def equalized_odds_difference(
    y_true: Any, y_pred: Any, *, sensitive_features: Any, method: Method = "between_groups", sample_weight: Any = None,
    agg: Agg = "worst_case", pos_label: Level | None = None, level: float = 0.95,
) -> Gap:  # fmt: skip
    """The largest difference of true and false positive rates between groups."""
    case = _Case.of(y_true, y_pred, sensitive_features, pos_label, sample_weight)
    return case.difference(
        (
            "true_positive_rate",
            "false_positive_rate",
        ),
        method,
        level,
        agg,
    )


@_documented("0.00 [0.00, 0.33]", _AGG)
def equalized_odds_ratio(
    y_true: Any, y_pred: Any, *, sensitive_features: Any, method: Method = "between_groups", sample_weight: Any = None,
    agg: Agg = "worst_case", pos_label: Level | None = None, level: float = 0.95,
) -> Gap:  # fmt: skip
    """The smallest ratio of true and false positive rates of two groups."""
    case = _Case.of(y_true, y_pred, sensitive_features, pos_label, sample_weight)
    return case.ratio(
        (
            "true_positive_rate",
            "false_positive_rate",
        ),
        method,
        level,
        agg,
    )


@_documented("0.33 [0.14, 0.46]")
def predictive_parity_difference(
    y_true: Any, y_pred: Any, *, sensitive_features: Any, method: Method = "between_groups", sample_weight: Any = None,
    pos_label: Level | None = None, level: float = 0.95,
) -> Gap:  # fmt: skip
    """The largest difference of predictive values (shares of positives among selected rows) between groups."""
    case = _Case.of(y_true, y_pred, sensitive_features, pos_label, sample_weight)
    return case.difference(("positive_predictive_value",), method, level)


@_documented("0.67 [0.54, 0.84]")
def predictive_parity_ratio(
    y_true: Any, y_pred: Any, *, sensitive_features: Any, method: Method = "between_groups", sample_weight: Any = None,
    pos_label: Level | None = None, level: float = 0.95,
) -> Gap:  # fmt: skip
    """The smallest ratio of predictive values, the shares of positive labels among selected rows, of two groups."""
    case = _Case.of(y_true, y_pred, sensitive_features, pos_label, sample_weight)
    return case.ratio(("positive_predictive_value",), method, level)


@_documented("0.000 [0.000, 0.133]")
def accuracy_equality_difference(
    y_true: Any, y_pred: Any, *, sensitive_features: Any, method: Method = "between_groups", sample_weight: Any = None,
    pos_label: Level | None = None, level: float = 0.95,
) -> Gap:  # fmt: skip
    """The largest difference of accuracies between groups."""
    case = _Case.of(y_true, y_pred, sensitive_features, pos_label, sample_weight)
    return case.difference(("accuracy",), method, level)


@_documented("1.000 [0.833, 1.000]")
def accuracy_equality_ratio(
    y_true: Any, y_pred: Any, *, sensitive_features: Any, method: Method = "between_groups", sample_weight: Any = None,
    pos_label: Level | None = None, level: float = 0.95,
) -> Gap:  # fmt: skip
    """The smallest ratio of accuracies of two groups."""
    case = _Case.of(y_true, y_pred, sensitive_features, pos_label, sample_weight)
    return case.ratio(("accuracy",), method, level)


@dataclass(frozen=True, eq=False)
class _Case:
    """Decisions and groups of the same rows."""

    decisions: Decisions
    groups: Groups

    @classmethod
    def of(
        cls, y_true: Any, y_pred: Any, sensitive_features: Any, pos_label: Level | None, sample_weight: Any
    ) -> _Case:
        decisions = Decisions.of(y_true, y_pred, pos_label, sample_weight)
        groups = sensitive_groups(sensitive_features, len(decisions.actual))
        groups.check_several()
        return cls(decisions, groups)

    def difference(self, rates: tuple[str, ...], method: str, level: float, agg: str = "worst_case") -> Gap:
        """Of one rate, or of several with the worst case or the mean of them."""
        between = method == "between_groups"
        found = []
        for rate in self._checked(rates, method, agg):
            if between:
                found.append(largest_difference(values_of(rate, self.decisions, self.groups), level, len(rates)))
            else:
                found.append(largest_from_all(rate, self.decisions, self.groups, level, len(rates)))
        return self._joined(found, np.max if agg == "worst_case" else np.mean)

    def ratio(self, rates: tuple[str, ...], method: str, level: float, agg: str = "worst_case") -> Gap:
        """Of one rate, or of several with the worst case or the mean of them."""
        between = method == "between_groups"
        found = []
        for rate in self._checked(rates, method, agg):
            if between:
                found.append(smallest_ratio(values_of(rate, self.decisions, self.groups), level, len(rates)))
            else:
                found.append(smallest_to_all(rate, self.decisions, self.groups, level, len(rates)))
        return self._joined(found, np.min if agg == "worst_case" else np.mean)

    def _checked(self, rates: tuple[str, ...], method: str, agg: str) -> list[Rate]:
        """The rates, if two groups or more have each of them."""
        for name, value, allowed in (("method", method, get_args(Method)), ("agg", agg, get_args(Agg))):
            if value not in allowed:
                raise DataError(f"{name}={value!r}.", "one of " + ", ".join(map(repr, allowed)))
        for name in rates:
            self._check_rows(RATES[name])
        return [RATES[name] for name in rates]

    def _check_rows(self, rate: Rate) -> None:
        """Warn of groups without a row to judge by, and refuse to compare fewer than two."""
        rows = rates_of(rate, self.decisions, self.groups)[2]
        without = [label for label, n in zip(self.groups.labels, rows, strict=True) if not n]
        if np.count_nonzero(rows) < 2:
            raise DataError(
                f"{rate.what} in {np.count_nonzero(rows)} of {len(self.groups)} groups of {self.groups.name}.",
                f"{rate.what} in two groups or more",
                f"The {rate.label} of the others is not defined: take more rows, or another criterion.",
            )
        if without:
            what = f"{self.groups.name} = {listed(without)}"
            warnings.warn(f"{what} left out of the {rate.label}: no {rate.what}.", GroupWarning, stacklevel=5)

    def _joined(self, found: list[Estimate], how: Callable[..., Any]) -> Gap:
        value, low, high = (float(how([getattr(e, end) for e in found])) for end in ("value", "low", "high"))
        method = "Newcombe's intervals of Wilson's, for all groups together"
        return Gap(value, low, high, found[0].level, method, len(self.decisions.actual))
