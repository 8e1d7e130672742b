"""Differences and ratios of rates between groups, under fairlearn's names, each with its interval.

A table has a row for each criterion: the rates that it compares, and what these are in words. Two functions follow from
a row, the difference and the ratio.
"""

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
from probus.fairness._rates import OF_RIGHT, RATES, Decisions, Rate, rates_of, values_of
from probus.fairness._to_overall import largest_from_all, smallest_to_all
from probus.metrics import Estimate

Method = Literal["between_groups", "to_overall"]
Agg = Literal["worst_case", "mean"]
Kind = Literal["difference", "ratio"]


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


# the rates of a criterion, these in words, and the difference and the ratio of the example
_CRITERIA = {
    "demographic_parity": (("selection_rate",), "selection rates", "0.50 [0.35, 0.62]", "0.33 [0.22, 0.49]"),
    "equal_opportunity": (("true_positive_rate",), "true positive rates", "0.50 [0.33, 0.65]", "0.50 [0.35, 0.66]"),
    "equalized_odds": (
        ("true_positive_rate", "false_positive_rate"), "true and false positive rates",
        "0.50 [0.30, 0.67]", "0.00 [0.00, 0.33]",
    ),
    "predictive_parity": (
        ("positive_predictive_value",), "predictive values (shares of positive labels among selected rows)",
        "0.33 [0.14, 0.46]", "0.67 [0.54, 0.84]",
    ),
    "accuracy_equality": (("accuracy",), "accuracies", "0.000 [0.000, 0.133]", "1.000 [0.833, 1.000]"),
}  # fmt: skip
_DERIVED = {
    "accuracy_score": _CRITERIA["accuracy_equality"],
    "false_negative_rate": (("false_negative_rate",), "false negative rates", "0.50 [0.33, 0.65]", "0.0 [0.0, 0.2]"),
    "false_positive_rate": (("false_positive_rate",), "false positive rates", "0.50 [0.33, 0.65]", "0.0 [0.0, 0.2]"),
    "selection_rate": _CRITERIA["demographic_parity"],
    "true_negative_rate": (("true_negative_rate",), "true negative rates", "0.50 [0.33, 0.65]", "0.50 [0.35, 0.66]"),
    "true_positive_rate": _CRITERIA["equal_opportunity"],
    "zero_one_loss": (("error_rate",), "shares of errors", "0.000 [0.000, 0.133]", "1.0 [0.6, 1.0]"),
}  # fairlearn's further names, with an interval

_DOCUMENTATION = """{sentence}

    The interval is simultaneous: it allows for every pair of groups that could have been the one that differs most. It
    is for these predictions on new rows. Groups without a row to judge by are left out with a warning.

    Parameters
    ----------
    y_true : the true labels.
    y_pred : the predicted labels.
    sensitive_features : the group of each row, as a list, an array, a series or a column. Several columns, as a frame
        or a dict, are combined. A missing value is a group.
    method : "between_groups" compares each group with each other, "to_overall" with all rows.
    sample_weight : the weight of each row; None is 1.{agg}
    pos_label : the positive label; by default the last of two.
    level : the confidence level of the interval.
    groups : what each row belongs to, such as a person, where rows of one are alike.

    Returns
    -------
    The value, which is a float, with its interval.

    >>> y = [1, 1, 0, 0, 1, 1, 0, 0] * 20
    >>> selected = [1, 1, 1, 0, 1, 0, 0, 0] * 20
    >>> sex = ["m", "m", "m", "m", "f", "f", "f", "f"] * 20
    >>> {name}(y, selected, sensitive_features=sex)
    {example}
    """
_AGG = """
    agg : "worst_case" is the worse of true and false positive rates, "mean" the mean of both."""
_SENTENCES = {
    "difference": "The largest difference of {what} between groups.",
    "ratio": "The smallest ratio of {what} of two groups.",
}


def _comparison(criterion: str, kind: Kind) -> Callable[..., Gap]:
    """The function that compares the rates of a criterion; one of several rates says how they are joined."""
    rates, what, *examples = (_CRITERIA | _DERIVED)[criterion]

    def one(
        y_true: Any, y_pred: Any, *, sensitive_features: Any, method: Method = "between_groups",
        sample_weight: Any = None, pos_label: Level | None = None, level: float = 0.95, groups: Any = None,
    ) -> Gap:  # fmt: skip
        case = _Case.of(y_true, y_pred, sensitive_features, pos_label, sample_weight, groups, rates)
        return case.compared(kind, rates, method, level)

    def several(
        y_true: Any, y_pred: Any, *, sensitive_features: Any, method: Method = "between_groups",
        sample_weight: Any = None, agg: Agg = "worst_case", pos_label: Level | None = None, level: float = 0.95,
        groups: Any = None,
    ) -> Gap:  # fmt: skip
        case = _Case.of(y_true, y_pred, sensitive_features, pos_label, sample_weight, groups, rates)
        return case.compared(kind, rates, method, level, agg)

    made, name = one if len(rates) == 1 else several, f"{criterion}_{kind}"
    made.__name__ = made.__qualname__ = name
    made.__doc__ = _DOCUMENTATION.format(
        sentence=_SENTENCES[kind].format(what=what), name=name, agg=_AGG if len(rates) > 1 else "",
        example=examples[kind == "ratio"],
    )  # fmt: skip
    return made


demographic_parity_difference = _comparison("demographic_parity", "difference")
demographic_parity_ratio = _comparison("demographic_parity", "ratio")
equal_opportunity_difference = _comparison("equal_opportunity", "difference")
equal_opportunity_ratio = _comparison("equal_opportunity", "ratio")
equalized_odds_difference = _comparison("equalized_odds", "difference")
equalized_odds_ratio = _comparison("equalized_odds", "ratio")
predictive_parity_difference = _comparison("predictive_parity", "difference")
predictive_parity_ratio = _comparison("predictive_parity", "ratio")
accuracy_equality_difference = _comparison("accuracy_equality", "difference")
accuracy_equality_ratio = _comparison("accuracy_equality", "ratio")
DERIVED_GAPS = {f"{name}_{kind}": _comparison(name, kind) for name in _DERIVED for kind in get_args(Kind)}

_ENDS: dict[tuple[str, str], Callable[..., Estimate]] = {
    ("difference", "to_overall"): largest_from_all,
    ("ratio", "to_overall"): smallest_to_all,
    ("difference", "between_groups"): lambda rate, decisions, groups, level, families: largest_difference(
        values_of(rate, decisions, groups), level, families
    ),
    ("ratio", "between_groups"): lambda rate, decisions, groups, level, families: smallest_ratio(
        values_of(rate, decisions, groups), level, families
    ),
}


@dataclass(frozen=True, eq=False)
class _Case:
    """Decisions and groups of the same rows."""

    decisions: Decisions
    groups: Groups

    @classmethod
    def of(
        cls, y_true: Any, y_pred: Any, sensitive_features: Any, pos_label: Level | None, sample_weight: Any,
        clusters: Any, rates: tuple[str, ...],
    ) -> _Case:  # fmt: skip
        if set(rates) <= OF_RIGHT and pos_label is None:
            decisions = Decisions.of_right(y_true, y_pred, sample_weight, clusters)
        else:
            decisions = Decisions.of(y_true, y_pred, pos_label, sample_weight, clusters)
        groups = sensitive_groups(sensitive_features, len(decisions.actual))
        groups.check_several()
        for note in groups.notes:
            warnings.warn(
                f"{note}. Pass text where each value is a group, as in fairlearn.", GroupWarning, stacklevel=3
            )
        return cls(decisions, groups)

    def compared(self, kind: Kind, rates: tuple[str, ...], method: str, level: float, agg: str = "worst_case") -> Gap:
        """The difference or the ratio of one rate, or of several with the worst case or the mean of them."""
        for name, given, allowed in (("method", method, get_args(Method)), ("agg", agg, get_args(Agg))):
            if given not in allowed:
                raise DataError(f"{name}={given!r}.", "one of " + ", ".join(map(repr, allowed)))
        for name in rates:
            self._check_rows(RATES[name])
        end = _ENDS[kind, method]
        found = [end(RATES[name], self.decisions, self.groups, level, len(rates)) for name in rates]
        join = np.mean if agg == "mean" else np.max if kind == "difference" else np.min
        value, low, high = (float(join([getattr(e, part) for e in found])) for part in ("value", "low", "high"))
        how = "Newcombe's intervals of Wilson's, for all groups together"
        return Gap(value, low, high, level, how, len(self.decisions.actual))

    def _check_rows(self, rate: Rate) -> None:
        """Warn of groups without a row to judge by, and refuse to compare fewer than two."""
        rows = rates_of(rate, self.decisions, self.groups).rows
        without = [label for label, n in zip(self.groups.labels, rows, strict=True) if not n]
        if np.count_nonzero(rows) < 2:
            raise DataError(
                f"{rate.what} in {np.count_nonzero(rows)} of {len(self.groups)} groups of {self.groups.name}.",
                f"{rate.what} in two groups or more",
                f"The {rate.label} of the others is not defined: take more rows, or another criterion.",
            )
        if without:
            what = f"{self.groups.name} = {listed(without)}"
            warnings.warn(f"{what} left out of the {rate.label}: no {rate.what}.", GroupWarning, stacklevel=4)
