"""Metrics by group: fairlearn's ``MetricFrame``, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from probus.display import Displayed
from probus.errors import DataError
from probus.fairness._group_intervals import MetricIntervals, intervals_of
from probus.fairness._metric_inputs import cells_of, check_one_of, features_of, levels_of, metrics_of

_METHODS = ("between_groups", "to_overall")
_ERRORS = ("raise", "coerce")


@dataclass(frozen=True, eq=False)
class _Values:
    """The metrics of all rows (of each combination of controls), and of each group, as frames of pandas."""

    overall: Any
    by_group: Any
    controls: list[str] | None

    def extreme(self, which: str, errors: str) -> Any:
        """The smallest or largest value of the groups."""
        numbers = self._numbers(errors)
        return getattr(numbers.groupby(level=self.controls) if self.controls else numbers, which)()

    def difference(self, method: str, errors: str) -> Any:
        """The largest difference."""
        numbers = self._numbers(errors)
        from_what = self.extreme("min", errors) if method == "between_groups" else _as_numbers(self.overall)
        distances = (numbers - from_what).abs()
        return distances.groupby(level=self.controls).max() if self.controls else distances.max()

    def ratio(self, method: str, errors: str) -> Any:
        """The smallest ratio, the smaller to the larger."""
        numbers = self._numbers(errors)
        if method == "between_groups":
            return self.extreme("min", errors) / self.extreme("max", errors)
        shares = numbers / _as_numbers(self.overall)
        shares = shares.where(~(shares > 1), 1 / shares)
        return shares.groupby(level=self.controls).min() if self.controls else shares.min()

    def _numbers(self, errors: str) -> Any:
        """The values of groups; what is no number is an error or NaN."""
        scalar = _is_number(self.by_group)
        if errors == "raise" and not scalar.all(axis=None):
            name = self.by_group.columns[~scalar.all()][0]
            raise DataError(
                f"{name} has values that are no numbers.", "metrics that return a number", "errors='coerce' makes NaN."
            )
        return _as_numbers(self.by_group)


def _is_number(values: Any) -> Any:
    """Which cells of a series or frame are numbers or missing."""
    return values.map(np.isscalar) | values.isna()


def _as_numbers(values: Any) -> Any:
    """What is no number is NaN."""
    return values.where(_is_number(values), np.nan).astype(np.float64)


class MetricFrame(Displayed):
    """Metrics of all rows and of each group: fairlearn's class, values and types, with intervals.

    A single function gives numbers and series, a dict of functions series and frames of pandas, as in fairlearn.
    ``intervals()`` has what fairlearn has not: intervals of each group, and of differences and ratios for all groups
    together. A missing sensitive value is a group of its own.

    Parameters
    ----------
    metrics : a function of ``(y_true, y_pred)``, such as those of ``sklearn.metrics``, the name of a measure of ours,
        or a dict of them.
    y_true : the truth.
    y_pred : the predictions.
    sensitive_features : the group of each row, as a list, an array, a series or a column; several as a frame or a dict.
        Each value is a group, also of numbers.
    control_features : as ``sensitive_features``; groups are compared within each combination of these.
    sample_params : arrays with a value for each row that a function takes, such as {"sample_weight": …}; of several
        functions a dict of these by the name of the function.
    n_boot : how many times rows are drawn for the quantiles of ``by_group_ci`` and the like, as in fairlearn.
    ci_quantiles : these quantiles.
    random_state : the seed of drawn rows.

    Attributes
    ----------
    overall : the metrics of all rows, or of each combination of controls.
    by_group : the metrics of each group; NaN of combinations that do not occur.
    control_levels, sensitive_levels : the names of the columns.

    Examples
    --------
    >>> from probus.fairness import selection_rate
    >>> frame = MetricFrame(
    ...     metrics={"selected": selection_rate, "accuracy": "accuracy"}, y_true=[1, 1, 0, 0, 1, 1, 0, 0] * 20,
    ...     y_pred=[1, 1, 1, 0, 1, 0, 0, 0] * 20, sensitive_features=["m", "m", "m", "m", "f", "f", "f", "f"] * 20,
    ... )
    >>> frame.difference().round(2).to_dict()
    {'selected': 0.5, 'accuracy': 0.0}
    >>> frame.intervals()["selected"].difference
    0.50 [0.35, 0.62]
    """

    def __init__(
        self, *, metrics: Any, y_true: Any, y_pred: Any, sensitive_features: Any, control_features: Any = None,
        sample_params: Mapping[str, Any] | None = None, n_boot: int | None = None,
        ci_quantiles: Sequence[float] | None = None, random_state: Any = None,
    ):  # fmt: skip
        self._y, self._predicted = cells_of(y_true), cells_of(y_pred)
        n = len(self._y)
        if len(self._predicted) != n:
            raise DataError(f"y_true has {n:,} rows and y_pred has {len(self._predicted):,}.", "a prediction per row")
        self._one = not isinstance(metrics, Mapping)
        if not n:
            raise DataError("0 rows.", "one at least")
        given = metrics_of(metrics, sample_params, n)
        self._metrics = [each.with_classes_of(self._y, self._predicted) for each in given]
        self._sensitive = features_of("sensitive_feature_", sensitive_features, n)
        self._controls = {} if control_features is None else features_of("control_feature_", control_features, n)
        if both := set(self._sensitive) & set(self._controls):
            raise DataError(f"the column {min(both)!r} twice.", "sensitive and control features of different names")
        self.sensitive_levels = list(self._sensitive)
        self.control_levels = list(self._controls) or None
        self._values = self._evaluate(np.arange(n))
        self.n_boot, self.ci_quantiles = n_boot, None if ci_quantiles is None else list(ci_quantiles)
        self._drawn = self._draw(random_state)

    # -- values --------------------------------------------------------------------------------------------

    @property
    def overall(self) -> Any:
        """The metrics of all rows, or of each combination of control features."""
        return self._shaped(self._values.overall)

    @property
    def by_group(self) -> Any:
        """The metrics of each group."""
        return self._values.by_group.iloc[:, 0] if self._one else self._values.by_group

    def group_min(self, errors: str = "raise") -> Any:
        """The smallest value of the groups.

        Parameters
        ----------
        errors : what becomes of a metric that is no number: "raise", or "coerce", which gives NaN.

        Returns
        -------
        A number, series or frame, as ``overall``.
        """
        return self._shaped(self._values.extreme("min", check_one_of("errors", errors, _ERRORS)))

    def group_max(self, errors: str = "raise") -> Any:
        """The largest value of the groups.

        Parameters
        ----------
        errors : as of ``group_min``.

        Returns
        -------
        A number, series or frame, as ``overall``.
        """
        return self._shaped(self._values.extreme("max", check_one_of("errors", errors, _ERRORS)))

    def difference(self, method: str = "between_groups", errors: str = "coerce") -> Any:
        """The largest difference.

        Parameters
        ----------
        method : "between_groups" compares each group with each other, "to_overall" with all rows.
        errors : as of ``group_min``.

        Returns
        -------
        A number, series or frame, as ``overall``.
        """
        check_one_of("method", method, _METHODS)
        return self._shaped(self._values.difference(method, check_one_of("errors", errors, _ERRORS)))

    def ratio(self, method: str = "between_groups", errors: str = "coerce") -> Any:
        """The smallest ratio, the smaller value to the larger.

        Parameters
        ----------
        method : as of ``difference``.
        errors : as of ``group_min``.

        Returns
        -------
        A number, series or frame, as ``overall``.
        """
        check_one_of("method", method, _METHODS)
        return self._shaped(self._values.ratio(method, check_one_of("errors", errors, _ERRORS)))

    def intervals(self, level: float = 0.95, groups: Any = None) -> MetricIntervals:
        """Intervals of each group, and of the largest difference and the smallest ratio for all groups together.

        Rates, and metrics that we have a measure for, have its intervals. Those of other functions are bootstrapped.

        Parameters
        ----------
        level : the confidence level.
        groups : what each row belongs to, such as a person, where rows of one are alike.

        Returns
        -------
        The intervals, by the name of a metric.
        """
        cells = {**self._controls, **self._sensitive}
        return intervals_of(self._metrics, self._y, self._predicted, cells, len(self._controls), level, groups)

    def _parts(self) -> list[Any]:
        return [*self.intervals()._parts()]

    # -- quantiles of bootstrapped rows, as in fairlearn ---------------------------------------------------

    @property
    def overall_ci(self) -> list[Any]:
        """The quantiles of ``overall`` over drawn rows, one for each of ``ci_quantiles``."""
        return self._quantiles(lambda values: values.overall)

    @property
    def by_group_ci(self) -> list[Any]:
        """The quantiles of ``by_group``."""
        found = self._quantiles(lambda values: values.by_group, shaped=False)
        return [each.iloc[:, 0] for each in found] if self._one else found

    def group_min_ci(self) -> list[Any]:
        """The quantiles of ``group_min()``."""
        return self._quantiles(lambda values: values.extreme("min", "raise"))

    def group_max_ci(self) -> list[Any]:
        """The quantiles of ``group_max()``."""
        return self._quantiles(lambda values: values.extreme("max", "raise"))

    def difference_ci(self, method: str = "between_groups") -> list[Any]:
        """The quantiles of ``difference(method)``."""
        check_one_of("method", method, _METHODS)
        return self._quantiles(lambda values: values.difference(method, "raise"))

    def ratio_ci(self, method: str = "between_groups") -> list[Any]:
        """The quantiles of ``ratio(method)``."""
        check_one_of("method", method, _METHODS)
        return self._quantiles(lambda values: values.ratio(method, "raise"))

    def _draw(self, random_state: Any) -> list[_Values]:
        """The values on drawn rows."""
        if self.n_boot is None and not self.ci_quantiles:
            return []
        if self.n_boot is None or not self.ci_quantiles:
            raise DataError(f"n_boot={self.n_boot}, ci_quantiles={self.ci_quantiles}.", "both or neither")
        if isinstance(self.n_boot, bool) or not isinstance(self.n_boot, int | np.integer) or self.n_boot < 1:
            raise DataError(f"n_boot={self.n_boot!r}.", "a positive whole number")
        if not all(isinstance(each, float) and 0 < each < 1 for each in self.ci_quantiles):
            raise DataError(f"ci_quantiles={self.ci_quantiles}.", "numbers between 0 and 1")
        random, n = check_random_state(random_state), len(self._y)
        return [self._evaluate(random.randint(0, n, n)) for _ in range(self.n_boot)]

    def _quantiles(self, part: Callable[[_Values], Any], shaped: bool = True) -> list[Any]:
        if not self._drawn:
            raise DataError("no rows drawn.", "n_boot=… and ci_quantiles=[…]", "intervals() needs neither.")
        found = [part(each) for each in self._drawn]
        like = part(self._values)
        try:
            numbers = np.array([each.reindex_like(like).to_numpy(dtype=np.float64) for each in found])
        except (TypeError, ValueError):
            raise DataError("quantiles of values that are no numbers.", "metrics that return a number") from None
        quantiles = [np.nanquantile(numbers, q, axis=0) for q in self.ci_quantiles or ()]
        framed = [like.astype(np.float64).copy() for _ in quantiles]
        for frame, values in zip(framed, quantiles, strict=True):
            frame[:] = values
        return [self._shaped(each) for each in framed] if shaped else framed

    # -- the frames ----------------------------------------------------------------------------------------

    def _shaped(self, found: Any) -> Any:
        """As fairlearn returns it: of a single function without the axis of metrics."""
        if not self._one:
            return found
        return found.iloc[:, 0] if self._controls else found.iloc[0]

    def _evaluate(self, rows: np.ndarray) -> _Values:
        """The metrics of some rows."""
        cells = {**self._controls, **self._sensitive}
        overall = self._frame(self._controls, rows) if self._controls else self._frame({}, rows).iloc[0]
        if not self._controls:
            overall = overall.infer_objects()
        return _Values(overall, self._frame(cells, rows), self.control_levels)

    def _frame(self, columns: Mapping[str, np.ndarray], rows: np.ndarray) -> Any:
        """A row for each combination of values of the columns."""
        import pandas as pd

        names, levels, parts = list(columns), [], [(np.zeros(len(rows), np.int64))]
        for values in columns.values():
            known, codes = levels_of(values)
            present = np.unique(codes[rows])
            levels.append([known[code] for code in present])
            parts.append(np.searchsorted(present, codes[rows]))
        shape = (1, *(len(each) for each in levels))
        place = np.ravel_multi_index(parts, shape)
        cells = [rows[place == cell] for cell in range(int(np.prod(shape)))]
        found = {
            each.name: [each.of(self._y, self._predicted, mine) if len(mine) else np.nan for mine in cells]
            for each in self._metrics
        }
        index = None
        if len(names) == 1:
            index = pd.Index(levels[0], name=names[0])
        elif names:
            index = pd.MultiIndex.from_product(levels, names=names)
        return pd.DataFrame({name: pd.Series(each, index=index) for name, each in found.items()}, index=index)
