"""The number of clusters, by several criteria with their uncertainty."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from probus.cluster._fresh_fits import drawn_rows, last_step, prepared, rows_of, taken, without_convergence_warnings
from probus.cluster._gaps import GAP, gaps_of
from probus.data import Table
from probus.display import Cells, Picture, Result, counted
from probus.display.drawing import BLUE, INK, MUTED, ORANGE, tidy
from probus.errors import DataError
from probus.metrics import silhouette_samples, within_cluster_sum_of_squares

_NAMES = {
    "wcss": "within-cluster sum per row",
    "ratio": "D(K)",
    "silhouette": "silhouette",
    "bic": "BIC per row",
    "gap": "least gap",
}
_LARGEST_BEST = {"silhouette", "gap"}
_OF_LARGEST = 0.2  # of the largest gap, which is that of fewer clusters: less is one within a group
_OPTIONAL = {"gap", "bic"}
_COUNTS = ("n_clusters", "n_components")  # parameters that are a number of clusters


@dataclass(frozen=True, repr=False)
class NumberOfClusters(Result):
    """Criteria of several numbers of clusters.

    Attributes
    ----------
    k : the numbers tried.
    values : of each criterion, one value for each number; NaN where it is not defined.
    low, high : the value less and plus 1.645 standard deviations over bootstrap samples, a band of about 90 %.
    best : the number that each criterion suggests.
    choice : the number suggested.
    by : the criterion it was chosen by.
    """

    k: np.ndarray
    values: Mapping[str, np.ndarray]
    low: Mapping[str, np.ndarray]
    high: Mapping[str, np.ndarray]
    best: Mapping[str, int]
    choice: int
    by: str

    def _rows(self) -> dict[str, np.ndarray]:
        columns = {"k": self.k}
        for name in self.values:
            columns |= {name: self.values[name], f"{name}_low": self.low[name], f"{name}_high": self.high[name]}
        return columns

    def __str__(self) -> str:
        at = int(np.flatnonzero(self.k == self.choice)[0])
        value, low, high = (part[self.by][at] for part in (self.values, self.low, self.high))
        named = {**_NAMES, "wcss": "the elbow of the sum within clusters"}
        others = [f"{named[name]} suggests {number}" for name, number in self.best.items() if name != self.by]
        extreme = "largest" if self.by in _LARGEST_BEST else "least"
        if len(self.k) == 1:
            what = "sum per row" if self.by == "wcss" else _NAMES[self.by]
            found = f"{what} of {value:.3g} ({low:.3g} to {high:.3g})"
            return f"{counted(self.choice, 'cluster')}: not compared with others; a {found}."
        if self.by == "wcss":  # without a silhouette: of one cluster, or of single rows
            why = "the elbow of the sum within clusters, as no silhouette is defined"
            return f"{counted(self.choice, 'cluster')}: {why}; a sum per row of {value:.3g} ({low:.3g} to {high:.3g})."
        why = f"the {_NAMES[self.by]} is {extreme} there, {value:.3g} ({low:.3g} to {high:.3g})"
        if self.by == "gap" and self.choice == 1:
            why = "no more have a gap around every cluster, so that rows are connected or groups overlap"
        elif self.by == "gap":
            why = (
                "the largest number with a gap around every cluster, whose largest step to the next is at least "
                f"{value:.3g} ({low:.3g} to {high:.3g}) times that within"
            )
        return f"{counted(self.choice, 'cluster')}: {'; '.join([why, *filter(None, [', '.join(others)])])}."

    def _parts(self) -> Iterable[Any]:
        yield str(self)
        rows = [
            [str(number), *(_written(self.values[n][i], self.low[n][i], self.high[n][i]) for n in self.values)]
            for i, number in enumerate(self.k)
        ]
        yield Cells([["clusters", *(_NAMES[name] for name in self.values)], *rows], right=(0,))
        yield Picture(lambda ax: self._draw(ax, self.by))

    def plot(self, axes: Any = None) -> Any:
        """Each criterion over the number of clusters with its band, and the number that it suggests."""
        if axes is None:
            from matplotlib import pyplot

            width = len(self.values)
            axes = pyplot.subplots(1, width, figsize=(3.6 * width, 3.4), layout="constrained", squeeze=False)[1][0]
        for ax, name in zip(axes, self.values, strict=True):
            self._draw(ax, name)
        return axes

    def _draw(self, ax: Any, name: str) -> None:
        ax.fill_between(self.k, self.low[name], self.high[name], color=BLUE, alpha=0.16, linewidth=0)
        ax.plot(self.k, self.values[name], "o-", color=BLUE, linewidth=1.8, markersize=4)
        if name in self.best:
            colour = ORANGE if name == self.by else MUTED
            ax.axvline(self.best[name], color=colour, linewidth=1.1, linestyle=(0, (4, 3)))
            ax.text(
                self.best[name], 0.98, f" {self.best[name]}", color=INK, va="top", transform=ax.get_xaxis_transform()
            )
        tidy(ax, _NAMES[name], "number of clusters", "")
        ax.set_xticks(self.k if len(self.k) <= 12 else self.k[:: len(self.k) // 8])


def choose_k(
    model: Any,
    X: Any,
    k: int | Sequence[int] = range(1, 11),
    *,
    n_bootstrap: int = 20,
    sample_size: int = 2000,
    random_state: Any = 0,
) -> NumberOfClusters:
    r"""Compare numbers of clusters by the sum within, its ratio D(K), the silhouette, gaps, and BIC where there is one.

    .. math:: D(K) = \frac{|Q_{K+1} - Q_K|}{|Q_K - Q_{K-1}|}

    with Q the sum within clusters: small where one more cluster gains little and this one gained much. The elbow of Q
    is the number furthest below the line through its ends. The gap is the least of the clusters, see ``Stability``. It
    suggests the largest number whose gap is at least 1.15 and a fifth of the largest: the silhouette is often largest
    for too few clusters, where some groups are near each other. If no number has such gaps it suggests one cluster, if
    one was tried: the rows are connected, or their groups overlap, which a mixture finds. Each criterion has a band of
    about 90 % around its value, from its standard deviation over bootstrap samples of the rows. The choice is that of
    BIC where the model has a likelihood, else that of the gap, else that of the silhouette.

    Parameters
    ----------
    model : a clustering with ``n_clusters`` or ``n_components``, or a pipeline that ends with one, such as
        ``tabular(KMeans())``, whose criteria are those of the prepared rows
    X : its input
    k : the numbers to try, consecutive for D(K); of a single one the criteria are reported, and nothing is chosen
    n_bootstrap : the number of samples for the bands
    sample_size : rows of which the silhouette is computed, at most
    random_state : the seed of the samples

    Returns
    -------
    The criteria of each number, and the number that is suggested.

    >>> from probus.cluster import KMeans
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + 9 * np.arange(3).repeat(20)[:, None]
    >>> choose_k(KMeans(random_state=0), X, range(1, 6), n_bootstrap=5).choice
    3
    """
    if not hasattr(model, "get_params"):
        raise DataError(f"a model of type {type(model).__name__}.", "a clustering", "Use choose_k(KMeans(), X, k).")
    rows = rows_of(X)
    numbers, n = _checked_numbers(k, rows.shape[0]), rows.shape[0]
    last = last_step(model)
    if not set(_COUNTS) & set(last.get_params(deep=False)):
        raise DataError(f"{type(last).__name__} has no number of clusters.", "n_clusters or n_components")
    values = _criteria(model, numbers, rows, None, sample_size)
    usable = [drawn for drawn in drawn_rows(n, n_bootstrap, random_state) if len(drawn[0]) >= numbers[-1]]
    with without_convergence_warnings():
        samples = [_criteria(model, numbers, taken(model, rows, some), counts, sample_size) for some, counts in usable]
    low, high = _bands(values, samples)
    best = _suggestions(numbers, values)
    order = ("bic", "gap", "silhouette", "wcss") if len(numbers) > 1 else ("bic", "silhouette", "wcss")
    by = next(name for name in order if name in best)
    return NumberOfClusters(numbers, values, low, high, best, best[by], by)


def _checked_numbers(k: Any, n: int) -> np.ndarray:
    """The numbers to try, in order: whole numbers from 1 to the number of rows."""
    given = np.atleast_1d(np.asarray(k if np.ndim(k) == 0 else list(k)))
    whole = given.dtype.kind in "iu" or (given.dtype.kind == "f" and bool(np.all(given == np.floor(given))))
    if not given.size or not whole or given.min() < 1 or given.max() > n:
        raise DataError(
            f"numbers of clusters {given.tolist()} of {n} rows.", f"whole numbers from 1 to {n}", "Pass range(1, 11)."
        )
    return np.unique(given.astype(np.int64))


def _criteria(
    model: Any, numbers: np.ndarray, rows: Any, counts: np.ndarray | None, sample_size: int
) -> dict[str, np.ndarray]:
    """Each criterion for each number of clusters, of rows repeated by their counts."""
    n = rows.shape[0]
    weights = np.ones(n) if counts is None else counts.astype(np.float64)
    found: dict[str, list[float]] = {"wcss": [], "silhouette": [], "gap": [], "bic": []}
    model, rows = prepared(model, rows)
    name = next(name for name in _COUNTS if name in model.get_params(deep=False))
    for number in numbers:
        fresh = clone(model).set_params(**{name: int(number)})
        weighed = {"sample_weight": weights} if has_fit_parameter(fresh, "sample_weight") else {}
        labels = np.asarray(fresh.fit_predict(rows, **weighed))
        found["wcss"].append(_within(fresh, rows, labels, weights if weighed else np.ones(n)))
        found["silhouette"].append(_silhouette(fresh, rows, labels, weights, sample_size))
        found["gap"].append(float(gaps_of(fresh, rows, labels).min()) if len(np.unique(labels)) > 1 else np.nan)
        found["bic"].append(_bic(fresh, rows, weights))
    values = {name: np.array(column) for name, column in found.items()}
    gains = np.abs(np.diff(values["wcss"]))
    ratio = np.full(len(numbers), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio[1:-1] = np.where(gains[:-1] > 0, gains[1:] / gains[:-1], np.nan)
    ratio[1:-1][np.diff(numbers)[1:] != np.diff(numbers)[:-1]] = np.nan
    ordered = {"wcss": values["wcss"], "ratio": ratio, "silhouette": values["silhouette"]}
    ordered |= {"gap": values["gap"], "bic": values["bic"]}
    return {name: column for name, column in ordered.items() if name not in _OPTIONAL or np.isfinite(column).any()}


def _within(model: Any, rows: Any, labels: np.ndarray, weights: np.ndarray) -> float:
    """The sum that the model minimises, or that of squares, by the number of rows."""
    if hasattr(model, "inertia_"):
        return float(model.inertia_) / weights.sum()
    if isinstance(rows, Table) and any(not column.is_number_like or column.missing.any() for column in rows):
        return np.nan
    return within_cluster_sum_of_squares(rows, labels) / len(labels)


def _silhouette(model: Any, rows: Any, labels: np.ndarray, weights: np.ndarray, most: int) -> float:
    if len(labels) > most:
        chosen = np.linspace(0, len(labels) - 1, most).astype(np.int64)
        rows, labels, weights = taken(model, rows, chosen), labels[chosen], weights[chosen]
    if not 1 < len(np.unique(labels)) < len(labels):
        return np.nan
    metric = getattr(model, "metric", "euclidean")
    params = getattr(model, "metric_params", None) or {}
    return float(np.average(silhouette_samples(rows, labels, metric=metric, **params), weights=weights))


def _bic(model: Any, rows: Any, weights: np.ndarray) -> float:
    """Bayes' criterion by row, of weighted rows."""
    if not hasattr(model, "bic"):
        return np.nan
    penalty = model.bic(rows) + 2 * model.score(rows) * rows.shape[0]
    total = weights.sum()
    fit = float(np.average(model.score_samples(rows), weights=weights))
    return -2 * fit + penalty * np.log(total) / np.log(rows.shape[0]) / total


def _suggestions(numbers: np.ndarray, values: Mapping[str, np.ndarray]) -> dict[str, int]:
    best = {}
    for name, column in values.items():
        if not np.isfinite(column).any():
            continue
        if name == "gap":
            clear = column >= max(GAP, _OF_LARGEST * float(np.nanmax(column)))
            if not clear.any() and numbers[0] > 1:
                continue
            place = int(np.flatnonzero(clear)[-1]) if clear.any() else 0
        elif name == "wcss":
            place = int(np.argmax(np.interp(numbers, numbers[[0, -1]], column[[0, -1]]) - column))
        else:
            place = int(np.nanargmax(column) if name in _LARGEST_BEST else np.nanargmin(column))
        best[name] = int(numbers[place])
    return best


def _bands(
    values: Mapping[str, np.ndarray], samples: Sequence[Mapping[str, np.ndarray]]
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Each criterion less and plus 1.645 standard deviations over bootstrap samples; no width without samples.

    Percentiles of the samples would not do: these have fewer distinct rows, which shifts every criterion.
    """
    half = {name: np.zeros(len(column)) for name, column in values.items()}
    if len(samples) > 1:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a criterion that is nowhere defined
            half = {name: 1.645 * np.nanstd([sample[name] for sample in samples], axis=0, ddof=1) for name in values}
    return ({name: values[name] - half[name] for name in values}, {name: values[name] + half[name] for name in values})


def _written(value: float, low: float, high: float) -> str:
    return f"{value:.3g} ({low:.3g} to {high:.3g})" if np.isfinite(value) else "–"
