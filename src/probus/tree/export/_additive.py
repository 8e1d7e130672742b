"""A tree as an additive model: a constant on each box of the input space."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.display import Cells, Part, Results, counted
from probus.errors import DataError
from probus.tree.export._leaf_conditions import LeafCondition, boxes_of
from probus.tree.export._split_text import TreeText


@dataclass(frozen=True, eq=False)
class Region:
    """A box Q of the input space and its constant c: a number, or the class frequencies.

    Columns without a condition may have any value.

    Attributes
    ----------
    leaf : the number of the leaf.
    conditions : the conditions on columns.
    constant : the constant.
    """

    leaf: int
    conditions: tuple[LeafCondition, ...]
    constant: np.ndarray

    def contains(self, X: np.ndarray) -> np.ndarray:
        """For each row of a coded matrix, whether its values are in the box."""
        inside = np.ones(len(X), bool)
        for condition in self.conditions:
            inside &= condition.holds(X[:, condition.feature])
        return inside


class Regions(Results[Region]):
    """The sum f(x) = Σ c_m 1[x ∈ Q_m] over the leaves of a tree; call it to evaluate it.

    The boxes do not overlap and cover the input space. Rows whose missing values are handled by surrogates belong to
    the box of the leaf that the surrogates send them to.

    Attributes
    ----------
    boxes : the boxes.
    model : the model of the tree.
    """

    def __init__(self, boxes: Iterable[Region], model: Any):
        super().__init__(boxes)
        self.model = model

    @property
    def constants(self) -> np.ndarray:
        """The c_m: float64[M] for numbers, float64[M, K] for class frequencies."""
        return np.array([box.constant for box in self])

    def contains(self, X: Any) -> np.ndarray:
        """1[x ∈ Q_m] for each row and box, bool[n, M]."""
        seen = self.model._seen(X)
        inside = np.column_stack([box.contains(seen) for box in self])
        sent = np.flatnonzero(~inside.any(axis=1))
        leaves = np.array([box.leaf for box in self])
        inside[sent] = self.model.tree_.apply(seen[sent])[:, None] == leaves
        return inside

    def __call__(self, X: Any) -> np.ndarray:
        """The sum: equal to ``predict`` for numbers, to ``predict_proba`` for classes."""
        return self.contains(X).astype(np.float64) @ self.constants

    @property
    def tree_text(self) -> TreeText:
        """The names of columns, levels and classes."""
        return TreeText(self.model)

    def _parts(self) -> list[Part | str]:
        words = self.tree_text
        boxes = [", ".join(condition.text(words) for condition in box.conditions) or "everywhere" for box in self]
        rows = [(words.answer(box.leaf), text) for box, text in zip(self, boxes, strict=True)]
        head = f"f(x) = Σ c_m 1[x ∈ Q_m], {counted(len(self), 'region')}"
        return [head, Cells([("c_m", "Q_m"), *rows], margin=2)]

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain data, for JSON."""
        words = self.tree_text
        return [
            {
                "leaf": box.leaf,
                "constant": box.constant.tolist(),
                "conditions": [condition.to_dict(words) for condition in box.conditions],
            }
            for box in self
        ]

    def _rows(self) -> Any:
        """A row for each condition of each region, with its ends or its levels."""
        import polars as pl

        kinds = {"column": pl.String, "low": pl.Float64, "high": pl.Float64, "levels": pl.List(pl.String)}
        schema: Any = {"leaf": pl.Int64, "constant": pl.List(pl.Float64), **kinds, "missing": pl.Boolean}
        rows = [
            {"leaf": box["leaf"], "constant": np.atleast_1d(box["constant"]).tolist(), **condition}
            for box in self.to_dict()
            for condition in box["conditions"] or [{}]
        ]
        return pl.DataFrame(rows, schema=schema)

    def plot(self, ax: Any = None) -> Any:
        """Plot the function of the one column the tree splits on, or its boxes over two; the axes are returned."""
        from probus.tree.export._region_plot import draw_regions

        features = sorted({condition.feature for box in self for condition in box.conditions})
        if not 1 <= len(features) <= 2:
            raise DataError(
                f"the tree splits on {len(features)} columns.",
                "one or two columns to plot its regions",
                "Use plot_tree, or fit a tree on two columns.",
            )
        return draw_regions(self, features, ax)


def regions(decision_tree: Any) -> Regions:
    """A tree as an additive model: f(x) = Σ c_m 1[x ∈ Q_m], where the boxes Q_m partition the input space.

    Parameters
    ----------
    decision_tree : A fitted tree.

    Returns
    -------
    The boxes and their values.

    >>> from probus.datasets import mtcars
    >>> from probus.tree import DecisionTreeRegressor
    >>> cars = mtcars()
    >>> tree = DecisionTreeRegressor(max_depth=2).fit(cars[["wt", "hp"]], cars["mpg"])
    >>> f = regions(tree)
    >>> f
    f(x) = Σ c_m 1[x ∈ Q_m], 4 regions
      c_m             Q_m
      31.57 (n = 3)   wt ≤ 1.885
      28.57 (n = 3)   1.885 < wt ≤ 2.26
      21.04 (n = 11)  wt > 2.26, hp ≤ 136.5
      15.41 (n = 15)  wt > 2.26, hp > 136.5
    >>> bool((f(cars) == tree.predict(cars)).all())
    True
    """
    words = TreeText(decision_tree)
    value = words.tree.value[:, 0] if words.classifies else words.tree.value[:, 0, 0]
    boxes = boxes_of(words.tree)
    return Regions(tuple(Region(leaf, box, value[leaf]) for leaf, box in boxes.items()), words.model)
