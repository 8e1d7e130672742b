"""Functions that compare groups by a metric, and fairlearn's for the metrics of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from inspect import signature
from typing import Any

import sklearn.metrics

from probus.errors import DataError
from probus.fairness._metric_frame import MetricFrame
from probus.fairness._metric_inputs import check_one_of

_WHAT = {
    "difference": "The largest difference of {} between groups", "ratio": "The smallest ratio of {} of two groups",
    "group_min": "The smallest {} of a group", "group_max": "The largest {} of a group",
}  # fmt: skip
_DOCUMENTATION = """{what}, as a float: fairlearn's.

    Parameters
    ----------
    y_true : the truth.
    y_pred : the predictions, as ``{name}`` takes them.
    sensitive_features : the group of each row; several columns are combined.
    params : further arguments of ``{name}``, such as ``sample_weight``.

    Returns
    -------
    The value.
    """


def make_derived_metric(
    *, metric: Callable[..., Any], transform: str, sample_param_names: Sequence[str] = ("sample_weight",)
) -> Callable[..., float]:
    """A function that compares groups by a metric, as scikit-learn's scorers need it: fairlearn's.

    Parameters
    ----------
    metric : a function of ``(y_true, y_pred)``.
    transform : "difference", "ratio", "group_min" or "group_max", the method of ``MetricFrame``.
    sample_param_names : the parameters of the metric that have a value for each row.

    Returns
    -------
    A function of ``(y_true, y_pred, *, sensitive_features, **params)``; ``method`` is that of differences and ratios.

    >>> from probus.fairness import selection_rate
    >>> parity = make_derived_metric(metric=selection_rate, transform="difference")
    >>> float(parity([1, 0, 1, 0], [1, 1, 1, 0], sensitive_features=list("aabb")))
    0.5
    """
    if not callable(metric):
        raise DataError(f"metric={metric!r}.", "a function of (y_true, y_pred)")
    check_one_of("transform", transform, ("difference", "ratio", "group_min", "group_max"))
    if "method" in signature(metric).parameters:
        raise DataError("a metric with a parameter 'method'.", "another name: method is that of the comparison")
    by_row = frozenset(sample_param_names or ())

    def derived(y_true: Any, y_pred: Any, *, sensitive_features: Any, **params: Any) -> float:
        method = {"method": params.pop("method")} if "method" in params else {}
        rows = {name: value for name, value in params.items() if name in by_row and value is not None}
        function = partial(metric, **{name: value for name, value in params.items() if name not in by_row})
        frame = MetricFrame(
            metrics=function, y_true=y_true, y_pred=y_pred, sensitive_features=sensitive_features, sample_params=rows
        )
        return getattr(frame, transform)(**method)

    name = getattr(metric, "__name__", "metric")
    derived.__name__ = derived.__qualname__ = f"{name}_{transform}"
    derived.__doc__ = _DOCUMENTATION.format(name=name, what=_WHAT[transform].format(f"``{name}``"))
    return derived


_WORST = {
    "group_min": ("accuracy_score", "balanced_accuracy_score", "f1_score", "precision_score", "r2_score",
                  "recall_score", "roc_auc_score"),
    "group_max": ("log_loss", "mean_absolute_error", "mean_squared_error", "zero_one_loss"),
}  # fmt: skip

GROUP_EXTREMES = {
    f"{name}_{transform}": make_derived_metric(metric=getattr(sklearn.metrics, name), transform=transform)
    for transform, names in _WORST.items()
    for name in names
}
