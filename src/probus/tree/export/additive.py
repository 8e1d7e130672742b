"""A tree as an additive model: one constant on each box of the input space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.tree.export.conditions import Condition, boxes_of
from probus.tree.export.wording import Wording

__all__ = ["Region", "Regions", "regions"]


@dataclass(frozen=True, eq=False)
class Region:
    """A box Q of the input space and its constant c: a number, or the shares of the classes.

    Columns that no condition names may have any value.
    """

    leaf: int
    conditions: tuple[Condition, ...]
    constant: np.ndarray

    def contains(self, X: np.ndarray) -> np.ndarray:
        """For each row of a matrix, as the tree sees it, whether its own values put it in the box."""
        inside = np.ones(len(X), bool)
        for condition in self.conditions:
            inside &= condition.holds(X[:, condition.feature])
        return inside


@dataclass(frozen=True, eq=False, repr=False)
class Regions(Sequence[Region]):
    """The sum f(x) = Σ c_m 1[x ∈ Q_m] over the leaves of a tree; call it to evaluate it.

    The boxes do not overlap and leave nothing out. Rows whose missing values are answered by surrogates are in no box
    by their own values; they count in the box of the leaf that the surrogates send them to.
    """

    boxes: tuple[Region, ...]
    model: Any

    def __len__(self) -> int:
        return len(self.boxes)

    def __getitem__(self, place: Any) -> Any:
        return self.boxes[place]

    @property
    def constants(self) -> np.ndarray:
        """The c_m: float64[M] for numbers, float64[M, K] for shares of classes."""
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
        """The sum: what ``predict`` gives for numbers, ``predict_proba`` for classes."""
        return self.contains(X).astype(np.float64) @ self.constants

    # -- looks -----------------------------------------------------------------------------------------

    @property
    def wording(self) -> Wording:
        """What to call columns, levels and classes."""
        return Wording(self.model)

    def _lines(self) -> list[tuple[str, str]]:
        words = self.wording
        boxes = [", ".join(condition.told(words) for condition in box.conditions) or "everywhere" for box in self]
        return [(words.answer(box.leaf), told) for box, told in zip(self, boxes, strict=True)]

    def __repr__(self) -> str:
        lines = self._lines()
        width = max(len(constant) for constant, _ in lines)
        head = f"f(x) = Σ c_m 1[x ∈ Q_m], {len(self)} region{'s' * (len(self) != 1)}"
        return "\n".join([head, *(f"  {constant:<{width}}  on  {box}" for constant, box in lines)])

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{escape(c)}</td><td>{escape(box)}</td></tr>" for c, box in self._lines())
        return f"<table><thead><tr><th>c</th><th>Q</th></tr></thead><tbody>{rows}</tbody></table>"

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain data, for JSON."""
        words = self.wording
        return [
            {
                "leaf": box.leaf,
                "constant": box.constant.tolist(),
                "conditions": [condition.to_dict(words) for condition in box.conditions],
            }
            for box in self
        ]

    def to_frame(self) -> Any:
        """A polars frame: a row for each condition of each region, with its ends or its levels."""
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
        """The function over the one column the tree asks for, or its boxes over the two; the axes are returned."""
        from probus.tree.export.region_plot import draw_regions

        asked = sorted({condition.feature for box in self for condition in box.conditions})
        if not 1 <= len(asked) <= 2:
            raise DataError(
                f"the tree asks for {len(asked)} columns.",
                "one or two to draw its regions",
                "Use plot_tree, or fit a tree on two columns.",
            )
        return draw_regions(self, asked, ax)


def regions(decision_tree: Any) -> Regions:
    """A tree as an additive model: f(x) = Σ c_m 1[x ∈ Q_m], boxes Q_m that tile the input space.

    >>> from probus.datasets import mtcars
    >>> from probus.tree import DecisionTreeRegressor
    >>> cars = mtcars()
    >>> tree = DecisionTreeRegressor(max_depth=2).fit(cars[["wt", "hp"]], cars["mpg"])
    >>> f = regions(tree)
    >>> f
    f(x) = Σ c_m 1[x ∈ Q_m], 4 regions
      31.57 (n = 3)   on  wt ≤ 1.885
      28.57 (n = 3)   on  1.885 < wt ≤ 2.26
      21.04 (n = 11)  on  wt > 2.26, hp ≤ 136.5
      15.41 (n = 15)  on  wt > 2.26, hp > 136.5
    >>> bool((f(cars) == tree.predict(cars)).all())
    True
    """
    words = Wording(decision_tree)
    value = words.tree.value[:, 0] if words.classifies else words.tree.value[:, 0, 0]
    boxes = boxes_of(words.tree)
    return Regions(tuple(Region(leaf, box, value[leaf]) for leaf, box in boxes.items()), words.model)
