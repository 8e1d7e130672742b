"""A radius for DBSCAN, from the distances to the k-th nearest rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.display import Picture, Result, percent
from probus.display.drawing import BLUE, INK, ORANGE, caption, new_axes, tidy
from probus.distances.distance_matrix import check_distances
from probus.errors import DataError
from probus.neighbors import NearestNeighbors


@dataclass(frozen=True, repr=False)
class EpsChoice(Result):
    """A radius, and the sorted distances it was read from.

    Attributes
    ----------
    eps : the distance at the knee.
    min_samples : how many rows, itself included, are within the k-th distance of a row.
    distances : that of each row, ascending.
    dense : the share of rows that are dense at eps.
    """

    eps: float
    min_samples: int
    distances: np.ndarray
    dense: float

    def _parts(self) -> Iterable[Any]:
        yield (
            f"eps = {self.eps:.4g}: {percent(self.dense)} of {len(self.distances):,} rows have {self.min_samples} rows "
            "within it, themselves included."
        )
        yield Picture(self.plot)

    def _rows(self) -> Any:
        return {"rank": np.arange(1, len(self.distances) + 1), "distance": self.distances}

    def plot(self, ax: Any = None) -> Any:
        """The sorted distances, with the suggested radius."""
        ax = new_axes(ax, 6.4, 4.2)
        ax.plot(np.arange(1, len(self.distances) + 1), self.distances, color=BLUE, linewidth=1.8)
        ax.axhline(self.eps, color=ORANGE, linewidth=1.2, linestyle=(0, (4, 3)))
        tidy(ax, f"Distance to the {self.min_samples}th row, itself included", "rows, by distance", "distance")
        caption(ax, [(f"eps = {self.eps:.4g}", ORANGE), (f"{percent(self.dense)} of rows below", INK)], "upper left")
        return ax


def suggest_eps(
    X: Any,
    min_samples: int = 5,
    *,
    metric: Any = "euclidean",
    metric_params: dict[str, Any] | None = None,
    n_jobs: int | None = None,
) -> EpsChoice:
    """A radius for ``DBSCAN``: where the sorted distances to the k-th nearest rows bend upwards.

    Rows of clusters have short distances and noise long ones; the knee between them is the point furthest below the
    line through both ends of the curve. Look at the plot: a curve without a knee has no good radius.

    Parameters
    ----------
    X : rows, of typed columns for ``metric="gower"``.
    min_samples : as of ``DBSCAN``.
    metric, metric_params, n_jobs : as of ``DBSCAN``.

    Returns
    -------
    The radius, and the curve that it was read from.

    >>> choice = suggest_eps([[0.0], [1.0], [2.0], [8.0], [9.0], [50.0]], min_samples=2)
    >>> round(choice.eps, 6)
    1.0
    """
    model = NearestNeighbors(n_neighbors=min_samples, metric=metric, metric_params=metric_params, n_jobs=n_jobs).fit(X)
    if metric == "precomputed":
        check_distances(model.samples_)
    if min_samples > model.n_samples_fit_:
        raise DataError(
            f"min_samples={min_samples} of {model.n_samples_fit_} rows.", "at least as many rows", "Lower min_samples."
        )
    away: Any = model.kneighbors(X, min_samples)
    distances = np.sort(away[0][:, -1])
    finite = distances[np.isfinite(distances)]
    if not len(finite) or finite[-1] <= 0:
        raise DataError(
            f"every row has {min_samples} rows at distance 0.",
            "rows that differ",
            "Drop duplicates or raise min_samples.",
        )
    knee = float(finite[_knee(finite)])
    if knee <= 0:
        knee = float(finite[finite > 0][0])
    knee *= 1 + 1e-12  # rounding must not leave out the row at the knee
    return EpsChoice(knee, min_samples, distances, float(np.mean(distances <= knee)))


def _knee(values: np.ndarray) -> int:
    """The place furthest below the line through the first and the last of ascending values."""
    line = np.linspace(values[0], values[-1], len(values))
    return int(np.argmax(line - values))
