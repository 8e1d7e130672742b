"""Images as tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from probus.data import Column, Table
from probus.errors import DataError


def pixel_columns(images: Any) -> Table:
    """The table with a row for each image and a numeric column for each pixel, row by row.

    For models of tables; ``ConvClassifier`` takes images as they are.

    Parameters
    ----------
    images : numbers, images × height × width, or × channels as well; or a list of images of one size.

    Returns
    -------
    A table whose columns are named by row and column of the pixel, and by its channel where there are several.

    >>> pixel_columns([[[0, 255], [10, 20]]]).names
    ('pixel_0_0', 'pixel_0_1', 'pixel_1_0', 'pixel_1_1')
    """
    if isinstance(images, Iterable) and not isinstance(images, np.ndarray):
        images = list(images)
        shapes = sorted({np.shape(image) for image in images}, key=str)
        if len(shapes) > 1:
            found = ", ".join("×".join(map(str, shape)) for shape in shapes[:4])
            raise DataError(f"images of {len(shapes)} sizes: {found}.", "images of one size", "Resize or crop them.")
    array = np.asarray(images)
    if array.ndim not in (3, 4) or array.size == 0 or array.dtype.kind not in "buif":
        raise DataError(
            f"an array of {array.dtype} of shape {array.shape}.",
            "numbers of shape images × height × width, or × channels as well",
            "One image alone is images[None].",
        )
    places = np.ndindex(*array.shape[1:])
    values = array.reshape(len(array), -1).astype(np.float64)
    names = ["pixel_" + "_".join(map(str, place)) for place in places]
    return Table([Column.numbers(name, column) for name, column in zip(names, values.T, strict=True)])
