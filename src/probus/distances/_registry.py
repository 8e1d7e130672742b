"""Every distance that has a search of its own or takes special input, by name."""

from __future__ import annotations

from typing import Any

from probus.distances._cosine import Cosine
from probus.distances._distance import Distance
from probus.distances._gower import GowerDistance
from probus.distances._hellinger import Hellinger
from probus.distances._minkowski import Minkowski

_ALL: tuple[Distance, ...] = (
    Minkowski(("minkowski",)),
    Minkowski(("euclidean", "l2"), order=2.0),
    Minkowski(("manhattan", "cityblock", "l1"), order=1.0),
    Minkowski(("chebyshev", "infinity"), order=float("inf")),
    Minkowski(("hamming",), order=0.0),
    Cosine(),
    Hellinger(),
    GowerDistance(),
    Distance(("nan_euclidean",), missing=True, sparse=False),
    Distance(("precomputed",), precomputed=True, negative=False),
)

DISTANCES = {name: distance for distance in _ALL for name in distance.names}


def distance_of(metric: Any) -> Distance:
    """The distance of that name; scikit-learn's where it is not registered, as a callable never is.

    Parameters
    ----------
    metric : the name of a distance, or a function of two rows.

    Returns
    -------
    The distance.

    >>> distance_of("l1").names, distance_of("canberra").own
    (('manhattan', 'cityblock', 'l1'), False)
    """
    return DISTANCES.get(metric, _BORROWED) if isinstance(metric, str) else _BORROWED


_BORROWED = Distance()
