"""Coefficients with standard errors, intervals and tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import stats

from probus.display import Cells, Notes, Result, p_text
from probus.errors import DataError
from probus.linear_model.inference._assumption_tests import AssumptionTests
from probus.state import Array, Maybe, Number, Object, Part, Spec

_LARGE = 1e6  # statistics from which on digits behind the point say nothing


@dataclass(frozen=True, eq=False)
class Inference(Part):
    """What a fit keeps for its summary.

    Attributes
    ----------
    covariance : of one target's coefficients and, last, its intercept, in units of ``variance``; float64[q, q].
    variance : the residual variance of each target, 1 where the loss implies it.
    explained : the share of the target's variance, or of the deviance, that is explained, for each target.
    n_rows, freedom : the number of rows, or the sum of weights that count rows, and of residual degrees of freedom;
        infinite where z is used for t.
    condition : the condition number of the columns, scaled to unit length.
    assumptions : the tests of what the standard errors assume; None where they are not made.
    """

    covariance: np.ndarray
    variance: np.ndarray
    explained: np.ndarray
    n_rows: float
    freedom: float
    condition: float
    assumptions: AssumptionTests | None = None

    declared: ClassVar[dict[str, Spec]] = {
        "covariance": Array("f8", "q q"),
        "variance": Array("f8", "t"),
        "explained": Array("f8", "t"),
        "n_rows": Number(),
        "freedom": Number(),
        "condition": Number(),
        "assumptions": Maybe(Object(AssumptionTests)),
    }


@dataclass(frozen=True, eq=False)
class StandardErrors:
    """Standard errors float64[t, q] of t targets, their degrees of freedom, and notes on what they assume."""

    size: np.ndarray
    freedom: float
    notes: tuple[str, ...]


def counted_rows(n_rows: int, weights: np.ndarray | None) -> int:
    """The number of rows that count: those without weight are not observed."""
    return n_rows if weights is None else int(np.count_nonzero(weights))


@dataclass(frozen=True, repr=False, eq=False)
class CoefficientSummary(Result):
    """The coefficients of a model, one row per term, with standard errors, intervals, statistics and p-values.

    Attributes
    ----------
    title : the name of the model.
    terms : the names of the columns and "intercept", after the name of the target where there are several.
    coefficient, standard_error : the coefficient of each term and its standard error.
    low, high : the interval of each coefficient.
    statistic : t, or z where there are no degrees of freedom to be counted.
    p_value : the p-value that it is 0.
    level : the confidence level of the intervals.
    letter : "t" or "z", the name of the statistic.
    odds : whether odds ratios are displayed.
    notes : remarks on how to read the numbers.
    """

    title: str
    terms: tuple[str, ...]
    coefficient: np.ndarray
    standard_error: np.ndarray
    low: np.ndarray
    high: np.ndarray
    statistic: np.ndarray
    p_value: np.ndarray
    level: float
    letter: str
    odds: bool
    notes: tuple[str, ...]

    def _parts(self) -> Iterable[Any]:
        yield self.title
        share = f"{100 * self.level:g} %"
        head = ["", "coefficient", "std. error", f"{share} interval", self.letter, "p"]
        columns = (self.coefficient, self.standard_error, self.low, self.high, self.statistic, self.p_value)
        rows = [
            [term, f"{b:.5g}", f"{error:.3g}", f"[{low:.4g}, {high:.4g}]", _statistic_text(z), _short(p)]
            for term, b, error, low, high, z, p in zip(self.terms, *columns, strict=True)
        ]
        if self.odds:
            head.insert(4, "odds ratio")
            with np.errstate(over="ignore"):  # of separated classes
                ratios = np.exp(np.column_stack([self.coefficient, self.low, self.high]))
            for row, (ratio, low, high) in zip(rows, ratios, strict=True):
                row.insert(4, f"{ratio:.4g} [{low:.4g}, {high:.4g}]")
        yield Cells([head, *rows], right=range(1, len(head)))
        yield Notes(self.notes)

    def _rows(self) -> Any:
        names = ("coefficient", "standard_error", "low", "high", "statistic", "p_value")
        return {"term": list(self.terms), **{name: getattr(self, name) for name in names}}

    def plot(self, ax: Any = None) -> Any:
        """The coefficients with their intervals, the intercepts left out."""
        from probus.display.drawing import new_axes

        shown = [i for i, term in enumerate(self.terms) if not term.endswith("intercept")]
        ax = new_axes(ax, height=0.9 + 0.28 * len(shown))
        place = np.arange(len(shown))[::-1]
        middle, low, high = (values[shown] for values in (self.coefficient, self.low, self.high))
        ax.errorbar(middle, place, xerr=[middle - low, high - middle], fmt="o", capsize=2)
        ax.axvline(0.0, color="0.7", linewidth=0.8, zorder=0)
        ax.set_yticks(place, [self.terms[i] for i in shown])
        ax.set_xlabel(f"coefficient, {100 * self.level:g} % interval")
        return ax


def summarised(
    title: str,
    inference: Inference | None,
    coef: np.ndarray,
    intercept: np.ndarray | None,
    names: Sequence[str],
    *,
    level: float,
    odds: bool = False,
    notes: Sequence[str] = (),
    targets: Sequence[str] = (),
    errors: StandardErrors | None = None,
) -> CoefficientSummary:
    """The summary of coefficients float64[t, p] and intercepts float64[t], if the fit had any, from what it kept.

    errors : standard errors in place of the model's own, whose assumptions then need no test.
    """
    if inference is None:
        raise DataError(
            f"{title}: there are no standard errors. Columns are dependent or too many for the rows, classes are "
            "separated, or the penalty is on absolute values.",
            "more rows than independent columns, and a smooth penalty or none",
            "Drop columns, subtract the mean of columns far from zero, or judge the predictions with probus.resample.",
        )
    if not 0.0 < level < 1.0:
        raise DataError(f"level is {level}.", "a number between 0 and 1")
    if len(inference.covariance) == coef.shape[1]:  # the fit had none, whatever the parameter is now
        intercept = None
    values = (coef if intercept is None else np.column_stack([coef, intercept])) + 0.0  # no -0
    if errors is None:
        own = np.sqrt(np.outer(inference.variance, inference.covariance.diagonal()))
        tested = () if inference.assumptions is None else tuple(inference.assumptions.notes())
        errors = StandardErrors(own, inference.freedom, tested)
    error, freedom = errors.size, errors.freedom
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = values / error
    law = stats.norm() if np.isinf(freedom) else stats.t(freedom)
    reach = law.ppf(0.5 + 0.5 * level) * error
    terms = [*names, *(["intercept"] * (intercept is not None))]
    several = [f"{target}: {term}" for target in targets for term in terms] if len(values) > 1 else terms
    alone = [term for term, size in zip(several, error.ravel(), strict=True) if np.isinf(size)]
    if alone:
        notes = (*notes, f"One row or group alone determines {', '.join(alone)}: standard errors are infinite.")
    return CoefficientSummary(
        title, tuple(several), values.ravel(), error.ravel(), (values - reach).ravel(), (values + reach).ravel(),
        statistic.ravel(), 2.0 * law.sf(np.abs(statistic)).ravel(), level,
        "z" if np.isinf(freedom) else "t", odds, (*notes, *errors.notes),
    )  # fmt: skip


def _statistic_text(value: float) -> str:
    if np.isnan(value):
        return "–"
    return f"{value:.2f}" if abs(value) < _LARGE else f"{value:.2g}".replace("inf", "∞")


def _short(p: float) -> str:
    if np.isnan(p):
        return "–"
    return p_text(p).removeprefix("p ").removeprefix("= ")
