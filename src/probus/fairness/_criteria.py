"""What treating groups alike can mean: criteria, as data, and the verdict on each."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from probus.display import counted, rounded
from probus.fairness._groups import Groups
from probus.fairness._intervals import GroupValues, largest_difference, smallest_ratio
from probus.metrics import Estimate

State = Literal["holds", "violated", "undecided", "not defined"]

FEWEST = 10  # rows that a rate of a group is made of, where it is compared


@dataclass(frozen=True)
class Criterion:
    """A requirement on decisions.

    Attributes
    ----------
    name : in code.
    label : in tables.
    values : the rates or means that have to be alike.
    meaning : in words.
    unit : of the differences; empty for shares.
    """

    name: str
    label: str
    values: tuple[str, ...]
    meaning: str
    unit: str = ""

    @property
    def has_ratio(self) -> bool:
        """Whether a ratio of its values means something: of rates, not of residuals."""
        return not self.unit and self.name != "calibration"


CRITERIA = {
    criterion.name: criterion
    for criterion in (
        Criterion(
            "demographic_parity", "demographic parity", ("selection_rate",),
            "each group is selected equally often, whatever the labels",
        ),
        Criterion(
            "equal_opportunity", "equal opportunity", ("true_positive_rate",),
            "of those with the positive label, each group is selected equally often",
        ),
        Criterion(
            "equalized_odds", "equalised odds", ("true_positive_rate", "false_positive_rate"),
            "of those with the same label, each group is selected equally often",
        ),
        Criterion(
            "predictive_parity", "predictive parity", ("positive_predictive_value",),
            "of those who are selected, equally many have the positive label in each group",
        ),
        Criterion(
            "accuracy_equality", "accuracy equality", ("accuracy",),
            "decisions are right equally often in each group",
        ),
        Criterion(
            "calibration", "calibration", ("calibration",),
            "the mean probability is above the share of positive labels by equally much in each group",
        ),
        Criterion(
            "equal_residuals", "equal mean residuals", ("mean_residual",),
            "predictions are too high by equally much on average in each group", "target",
        ),
        Criterion(
            "equal_errors", "equal errors", ("mean_absolute_error",),
            "predictions are off by equally much on average in each group", "target",
        ),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Verdict:
    """Whether a criterion holds for the groups of a column.

    Attributes
    ----------
    criterion : the criterion.
    column : the column, or the columns whose groups are combined.
    difference : the largest difference between two groups, with an interval for all pairs together.
    ratio : the smallest ratio of two groups; None where ratios mean nothing.
    margin : up to which a difference counts as none.
    state : "holds" if the interval of the difference is within the margin, "violated" if it is beyond, else
        "undecided"; "not defined" where fewer than two groups have enough rows.
    groups : those with the smallest and the largest value.
    rows : about how many rows would decide, if the groups keep their shares and the difference its value; None where it
        is decided, or where no number would.
    left_out : the groups with too few rows.
    """

    criterion: Criterion
    column: str
    difference: Estimate
    ratio: Estimate | None
    margin: float
    state: State
    groups: tuple[str, str] | None = None
    rows: int | None = None
    left_out: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        label, margin = self.criterion.label, rounded(self.margin, 3)
        where = f"{label} by {self.column}"
        if self.state == "not defined":
            return f"{where} is not defined: fewer than two groups have {FEWEST} rows to judge by"
        between = "" if self.groups is None else f" between {self.groups[0]} and {self.groups[1]}"
        found = f"the difference{between} is {self.difference}"
        if self.state == "holds":
            return f"{where} holds within {margin}: {found}"
        if self.state == "violated":
            return f"{where} is violated: {found}, more than {margin}"
        more = "" if self.rows is None else f"; about {counted(self.rows, 'row')} would decide"
        return f"{where} is undecided: {found}, the margin {margin}{more}"


def verdict_on(
    criterion: Criterion, groups: Groups, values: dict[str, GroupValues], rows: dict[str, np.ndarray], margin: float,
    level: float,
) -> Verdict:  # fmt: skip
    """The verdict by the values of the groups.

    Parameters
    ----------
    criterion : the criterion.
    groups : of one column.
    values : by the names that criteria use.
    rows : the number of rows that each group's value is made of, by the same names.
    margin : up to which a difference counts as none.
    level : the confidence level of the intervals.

    Returns
    -------
    The verdict.
    """
    families, parts, few = len(criterion.values), [], set()
    for name in criterion.values:
        enough = rows[name] >= FEWEST
        few |= set(np.flatnonzero(~enough & (groups.counts > 0)).tolist())
        parts.append(GroupValues(np.where(enough, values[name].values, np.nan), values[name].interval))
    left_out = tuple(groups.labels[code] for code in sorted(few))
    if min(int((~np.isnan(part.values)).sum()) for part in parts) < 2:
        nothing = Estimate(math.nan, math.nan, math.nan, level, "not defined")
        return Verdict(criterion, groups.name, nothing, None, margin, "not defined", left_out=left_out)
    gaps = [largest_difference(part, level, families) for part in parts]
    worst = int(np.argmax([gap.value for gap in gaps]))
    difference = _joined(gaps, max, len(groups.codes))
    ratio = None
    if criterion.has_ratio:
        ratio = _joined([smallest_ratio(part, level, families) for part in parts], min, len(groups.codes))
    state = _state(difference, margin)
    shown = parts[worst].values
    ends = (groups.labels[int(np.nanargmin(shown))], groups.labels[int(np.nanargmax(shown))])
    needed = _rows_that_decide(difference, margin, len(groups.codes)) if state == "undecided" else None
    return Verdict(criterion, groups.name, difference, ratio, margin, state, ends, needed, left_out)


def _joined(found: list[Estimate], how: Any, n: int) -> Estimate:
    value, low, high = (float(how(getattr(each, end) for each in found)) for end in ("value", "low", "high"))
    method = "simultaneous for all pairs of groups"
    return replace(found[0], value=value, low=low, high=high, n=n, method=method)


def _state(difference: Estimate, margin: float) -> State:
    if difference.high <= margin:
        return "holds"
    return "violated" if difference.low > margin else "undecided"


def _rows_that_decide(difference: Estimate, margin: float, n: int) -> int | None:
    """Widths fall with the root of the rows: so many bring the end that is beyond the margin to it."""
    distance = abs(difference.value - margin)
    reach = difference.high - difference.value if difference.value < margin else difference.value - difference.low
    if distance <= 0.02 * reach:  # 2,500 times as many rows, and more
        return None
    needed = n * (reach / distance) ** 2
    digits = max(int(math.log10(needed)) - 1, 0)
    return math.ceil(needed / 10**digits) * 10**digits
