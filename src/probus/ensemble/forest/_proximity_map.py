"""Rows drawn as near to each other as a forest finds them alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from probus.base import encoded_classes
from probus.display import Picture, Result, percent
from probus.display.drawing import BLUE, COLOURS, blues, caption, new_axes, tidy
from probus.ensemble.forest._leaf_sharing import LeafSharing
from probus.ensemble.forest._proximity import sharing_of
from probus.errors import DataError

if TYPE_CHECKING:
    from probus.ensemble.forest._forest_base import Forest


_MOST_CLASSES = 6  # that colours tell apart


@dataclass(frozen=True, eq=False, repr=False)
class ProximityMap(Result):
    """Rows as points in a plane.

    points : float64[n, 2]. explained : the share of all squared distances that each axis shows.
    y : classes or numbers that colour the points; None where there are none.
    """

    points: np.ndarray
    explained: np.ndarray
    y: np.ndarray | None = None

    def _parts(self) -> list[Picture | str]:
        share = f"{percent(float(self.explained.sum()))} of their squared distances 1 − proximity"
        return [Picture(self.plot), f"{len(self.points):,} rows in a plane that shows {share}"]

    def _rows(self) -> dict[str, np.ndarray]:
        """The two coordinates of each row, and y where it was given."""
        colours = {} if self.y is None else {"y": self.y}
        return {"x1": self.points[:, 0], "x2": self.points[:, 1], **colours}

    def plot(self, ax: Any = None) -> Any:
        """The points, coloured by y, on matplotlib axes, which are returned."""
        ax = new_axes(ax, 5.2, 4.8)
        x1, x2 = self.points.T
        how = {"s": 16, "alpha": 0.75, "linewidth": 0, "zorder": 3}
        if self.y is None:
            ax.scatter(x1, x2, color=BLUE, **how)
        elif self.y.dtype.kind == "f" or len(np.unique(self.y)) > _MOST_CLASSES:
            ranks = np.unique(self.y, return_inverse=True)[1]
            shown = ax.scatter(x1, x2, c=self.y if self.y.dtype.kind in "iuf" else ranks, cmap=blues(), **how)
            ax.figure.colorbar(shown, ax=ax, label="y").outline.set_visible(False)
        else:
            caption(ax, self._plot_classes(ax, how), "upper right")
        names = [f"axis {k + 1} ({percent(share)})" for k, share in enumerate(self.explained)]
        tidy(ax, "Rows by proximity", *names)
        ax.set_aspect("equal", adjustable="datalim")
        return ax

    def _plot_classes(self, ax: Any, how: dict[str, Any]) -> list[tuple[str, str]]:
        """Each class in its colour; the lines of a legend."""
        lines = []
        for label, colour in zip(np.unique(self.y), COLOURS, strict=False):  # type: ignore[arg-type]
            ax.scatter(*self.points[self.y == label].T, color=colour, **how)
            lines.append((str(label), colour))
        return lines


def proximity_map(model: Forest, X: Any, y: Any = None, *, kind: str = "all") -> ProximityMap:
    """Rows in a plane, as near as they are alike."""
    if kind not in ("all", "oob"):
        raise DataError(f"kind={kind!r}.", "'all' or 'oob'")
    shared = sharing_of(model, X, kind=kind)
    n = shared.shape[0]
    if n < 4:
        raise DataError(f"a map of {n} rows.", "four rows or more")
    points, explained = _scale(_product(shared, model.n_jobs), n)
    return ProximityMap(points, explained, None if y is None else _colours(y, n))


def _colours(y: Any, n: int) -> np.ndarray:
    """Numbers as they are, else labels."""
    values = np.asarray(y.decoded() if hasattr(y, "decoded") else y)
    if values.dtype.kind == "f" and values.shape == (n,):
        return values.astype(np.float64)
    classes, codes = encoded_classes(y, n)
    return classes[codes]


def _product(shared: LeafSharing, n_jobs: int | None) -> Any:
    """What the matrix of proximities makes of a vector."""
    if shared.out_of_bag is not None:
        P = shared.dense(n_jobs)
        np.fill_diagonal(P, 1.0)
        return P.__matmul__
    Z, Zt, trees = shared.rows, shared.rows.T.tocsr(), shared.trees[0]
    return lambda v: Z @ (Zt @ v) / trees


def _scale(product: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The two leading axes of rows with such inner products, and the share of the whole on each."""

    def centred(v: np.ndarray) -> np.ndarray:
        v = v.ravel()
        Pv = product(v - v.mean())
        return 0.5 * (Pv - Pv.mean())

    total = 0.5 * (n - product(np.ones(n)).mean())
    if total < 1e-12 * n:
        return np.zeros((n, 2)), np.zeros(2)
    start = np.random.default_rng(0).normal(size=n)
    values, axes = eigsh(LinearOperator((n, n), centred, dtype=np.float64), 2, which="LA", v0=start)
    values, axes = np.maximum(values[::-1], 0.0), axes[:, ::-1]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]])
    return axes * np.sqrt(values), values / total
