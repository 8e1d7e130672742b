"""The threshold of a cut, such that below ≤ threshold < above for the values on either side of it.

Rounding may give the value above itself (neighbouring floats have no number between them), which would put its rows on
the wrong side, and the difference of two large values may overflow; neither happens here.
"""

from __future__ import annotations

import numpy as np

from probus.tree.kernel_parts import inlined


@inlined
def between(below, above, share):
    """The number at this share of the way from one value to the next, or the value below where rounding gives another.

    share (IN) 0.5 for the midpoint; from [0, 1) for a random cut
    """
    threshold = (1.0 - share) * below + share * above
    return threshold if below <= threshold < above else below


def midway(below: np.ndarray, above: np.ndarray) -> np.ndarray:
    """``between`` at a half, for arrays.

    >>> midway(np.array([1.0, 0.3, -1e308]), np.array([2.0, 0.1 + 0.2, 1e308])).tolist()
    [1.5, 0.3, 0.0]
    """
    threshold = 0.5 * below + 0.5 * above
    return np.where((below <= threshold) & (threshold < above), threshold, below)
