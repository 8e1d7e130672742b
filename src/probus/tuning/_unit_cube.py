"""Many configurations at once, as places in the unit cube: which are active, which value each is, and as features."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from probus.spaces import Choice, Integer, Parameter, Space

_MOST = 10_000  # values of a parameter that are distinguished; beyond them a whole number is searched as a real one


@dataclass(frozen=True)
class _Axis:
    """A parameter with few values: where each value's range ends, and where its middle is; None for real numbers."""

    edges: np.ndarray | None
    middles: np.ndarray | None

    @classmethod
    def of(cls, parameter: Parameter) -> _Axis:
        size = parameter.size
        if isinstance(parameter, Choice):
            ends = np.arange(1, size) / size
            return cls(ends, (np.arange(size) + 0.5) / size)
        if isinstance(parameter, Integer) and size <= _MOST:
            middles = np.array([parameter.to_unit(value) for value in range(parameter.low, parameter.high + 1)])
            ends = np.array([parameter.to_unit(value + 0.5) for value in range(parameter.low, parameter.high)])
            return cls(ends, middles)
        return cls(None, None)


class UnitCube:
    """The unit cube of a space, for arrays of places.

    >>> from probus.spaces import Choice, Integer, Real, Space, when
    >>> cube = UnitCube(Space({"kind": Choice("a", "b"), "depth": when(Integer(1, 4), kind="b"), "rate": Real(0, 1)}))
    >>> cube.snapped(np.array([[0.1, 0.3, 0.7], [0.9, 0.3, 0.7]]))
    array([[0.25 ,   nan, 0.7  ],
           [0.75 , 0.375, 0.7  ]])
    """

    def __init__(self, space: Space):
        self.space = space
        self.names = list(space)
        self._axes = [_Axis.of(space[name]) for name in self.names]
        self._conditions = self._as_indices()
        self.numeric = [place for place, name in enumerate(self.names) if not self._is_nominal(space[name])]
        self.nominal = [
            place for place, name in enumerate(self.names) if self._is_nominal(space[name]) and space[name].size > 1
        ]

    @staticmethod
    def _is_nominal(parameter: Parameter) -> bool:
        return isinstance(parameter, Choice) and not parameter.ordered

    def _as_indices(self) -> list[tuple[int, list[tuple[int, np.ndarray]]]]:
        """For each parameter, in the order of dependence, the columns and the values that its conditions name."""
        found = []
        for name in self.space.order:
            wanted = []
            for other, values in self.space.conditions.get(name, {}).items():
                place = self.names.index(other)
                units = [self.space[other].to_unit(value) for value in values]
                wanted.append((place, self._value_numbers(place, np.array(units))))
            found.append((self.names.index(name), wanted))
        return found

    def _value_numbers(self, place: int, units: np.ndarray) -> np.ndarray:
        edges = self._axes[place].edges
        return np.searchsorted(edges, units, side="right") if edges is not None else units

    def snapped(self, units: np.ndarray) -> np.ndarray:
        """Each place moved to the middle of its value's range; NaN where the parameter is not active."""
        snapped = np.clip(units, 0.0, 1.0)
        for place, axis in enumerate(self._axes):
            if axis.middles is not None:
                snapped[:, place] = axis.middles[self._value_numbers(place, snapped[:, place])]
        for place, conditions in self._conditions:
            for other, wanted in conditions:
                active = ~np.isnan(snapped[:, other]) & np.isin(self._value_numbers(other, snapped[:, other]), wanted)
                snapped[~active, place] = math.nan
        return snapped

    def features(self, snapped: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Numbers for a surrogate model, and which parameter each column is of.

        Numbers and ordered choices have one column; other choices have one for each value, at distance 1 from each
        other. Inactive parameters are in the middle: what activates them differs already.
        """
        columns, owners = [], []
        for place in self.numeric:
            columns.append(np.nan_to_num(snapped[:, place], nan=0.5))
            owners.append(place)
        for place in self.nominal:
            number = np.where(
                np.isnan(snapped[:, place]), -1, self._value_numbers(place, np.nan_to_num(snapped[:, place]))
            )
            for value in range(int(self.space[self.names[place]].size)):
                columns.append((number == value) * math.sqrt(0.5))
                owners.append(place)
        matrix = np.column_stack(columns) if columns else np.zeros((len(snapped), 0))
        return matrix, np.unique(owners, return_inverse=True)[1] if owners else np.zeros(0, dtype=np.int64)
