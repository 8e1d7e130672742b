"""Random steps from configurations: numbers move by normal steps, choices change to another value."""

from __future__ import annotations

import numpy as np

from probus.tuning._unit_cube import UnitCube

_SHARE = 0.3  # of the parameters that a step changes, at least


def mutated(
    parents: np.ndarray,
    cube: UnitCube,
    random: np.random.Generator,
    step: np.ndarray | float,
    share: float = _SHARE,
    *,
    clip: bool = False,
) -> np.ndarray:
    """One changed copy of each place in the unit cube; at least one parameter of each changes.

    Parameters
    ----------
    parents : places of shape (n, parameters); NaN, for inactive parameters, becomes a random place
    step : the standard deviation of the steps of numbers, one for all or one for each place
    share : the probability that a parameter changes
    clip : whether steps beyond a bound end on it, where the best values often are; else they are reflected
    """
    n, width = parents.shape
    places = np.where(np.isnan(parents), random.random((n, width)), parents)
    changes = random.random((n, width)) < max(share, 1.0 / width)
    changes[np.arange(n), random.integers(width, size=n)] = True
    steps = random.normal(size=(n, width)) * np.broadcast_to(step, n)[:, None]
    drawn = random.random((n, width))
    nominal = np.isin(np.arange(width), cube.nominal)
    moved = np.clip(places + steps, 0.0, 1.0) if clip else reflected(places + steps)
    return np.where(changes, np.where(nominal, drawn, moved), places)


def reflected(places: np.ndarray) -> np.ndarray:
    """Places beyond the unit cube reflected into it."""
    folded = np.mod(places, 2.0)
    return np.where(folded > 1.0, 2.0 - folded, folded)
