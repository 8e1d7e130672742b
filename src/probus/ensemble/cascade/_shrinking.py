"""Images of fewer pixels."""

from __future__ import annotations

import numpy as np


def shrunk(image: np.ndarray, factor: float) -> np.ndarray:
    """An image that is smaller by a factor: means over areas, so that no pixel is left out.

    >>> shrunk(np.arange(8.0).reshape(2, 4), 2.0)
    array([[2.5, 4.5]])
    """
    if factor == 1.0:
        return image
    for axis in (0, 1):
        image = _shrunk_along(np.moveaxis(image, axis, 0), factor)
        image = np.moveaxis(image, 0, axis)
    return image


def _shrunk_along(image: np.ndarray, factor: float) -> np.ndarray:
    size = int(len(image) / factor)
    if size == 0:
        return image[:0]
    sums = np.concatenate([np.zeros((1, image.shape[1])), np.cumsum(image, axis=0)])
    edges = np.minimum(np.arange(size + 1) * factor, len(image))
    whole = np.minimum(edges.astype(int), len(image) - 1)
    at = sums[whole] + (edges - whole)[:, None] * image[whole]
    return np.diff(at, axis=0) / factor
