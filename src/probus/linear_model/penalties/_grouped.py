"""The group lasso: groups of coefficients are zero together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from probus.errors import DataError
from probus.linear_model.penalties._penalty import Penalty, array_of, check_not_negative
from probus.state import Array, Number, Spec


@dataclass(frozen=True, eq=False)
class GroupL2(Penalty):
    r"""The norms of groups of coefficients, :math:`α \sum_g \sqrt{|g|} ‖w_g‖`.

    Parameters
    ----------
    alpha : the weight of the penalty.
    groups : the group of each column, as numbers 0, 1, …: the columns of one factor, for example.

    >>> GroupL2(1.0, [0, 0, 1]).prox(np.array([[3.0], [4.0], [0.5]]), 1.0).ravel().round(3)
    array([2.151, 2.869, 0.   ])
    """

    alpha: float
    groups: Any

    declared: ClassVar[dict[str, Spec]] = {"alpha": Number(), "groups": Array("i8", "*")}

    def __post_init__(self) -> None:
        check_not_negative(self, "alpha")
        groups = array_of(self.groups)
        if groups.ndim != 1 or groups.dtype.kind not in "iu" or groups.min(initial=0) < 0:
            raise DataError(
                "GroupL2: groups are not numbers 0, 1, …, one per column.",
                "such numbers",
                "For example [0, 0, 1] where the first two of three columns are a group.",
            )
        object.__setattr__(self, "groups", groups.astype(np.int64))

    def check_columns(self, p: int) -> None:
        """See :class:`Penalty`."""
        if len(self.groups) != p:
            raise DataError(f"GroupL2 has the groups of {len(self.groups)} columns for {p} columns.", "one per column")

    def _norms(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The norm and the penalty's weight of each group."""
        sums = np.bincount(self.groups, (v**2).sum(axis=1))
        return np.sqrt(sums), self.alpha * np.sqrt(np.bincount(self.groups))

    def value(self, w: np.ndarray) -> float:
        """See :class:`Penalty`."""
        norms, weights = self._norms(w)
        return float(norms @ weights)

    def prox(self, v: np.ndarray, step: float) -> np.ndarray:
        """See :class:`Penalty`."""
        norms, weights = self._norms(v)
        shares = np.maximum(1.0 - step * weights / np.where(norms > 0, norms, 1.0), 0.0)
        return v * shares[self.groups][:, None]

    def violation(self, w: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """See :class:`Penalty`; every coefficient of a group has the distance of the group."""
        norms, weights = self._norms(w)
        pull = w * (weights / np.where(norms > 0, norms, 1.0))[self.groups][:, None]
        distances = self._norms(slope + pull)[0]
        distances = np.where(norms > 0, distances, np.maximum(distances - weights, 0.0))
        return np.broadcast_to(distances[self.groups][:, None], w.shape)
