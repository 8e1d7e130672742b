"""Differences of sums of pixels in neighbouring rectangles, by integral images."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import InstanceOf, IntegerIn, NoneAllowed
from probus.base import Accepts, Model, Transformer, matrix_input
from probus.errors import DataError, ModelFileError
from probus.parameters import RANDOM_STATE, attribute, parameter
from probus.state import Array, Spec


class Pattern(NamedTuple):
    """Rectangles of equal size: their signs and weights, by rows of a small table."""

    name: str
    weights: tuple[tuple[int, ...], ...]

    @property
    def corners(self) -> list[tuple[int, int, int]]:
        """Corners in units of a rectangle with their weights: the sum over them is the difference of the sums.

        >>> Pattern("two across", ((1, -1),)).corners
        [(0, 0, 1), (0, 1, -2), (0, 2, 1), (1, 0, -1), (1, 1, 2), (1, 2, -1)]
        """
        padded = np.pad(np.array(self.weights), 1)
        found = padded[:-1, :-1] - padded[:-1, 1:] - padded[1:, :-1] + padded[1:, 1:]
        return [(int(r), int(c), int(found[r, c])) for r, c in np.argwhere(found)]


PATTERNS = (
    Pattern("two across", ((1, -1),)),
    Pattern("two down", ((1,), (-1,))),
    Pattern("three across", ((1, -2, 1),)),
    Pattern("three down", ((1,), (-2,), (1,))),
    Pattern("four", ((1, -1), (-1, 1))),
)


class HaarFeatures(Transformer):
    """Haar-like features of images: sums of pixels in a rectangle, less those in its neighbours (Viola and Jones 2001).

    There are five patterns of two, three or four equal rectangles, of every size at every place. The middle one of
    three counts twice, so that a feature of an image of one colour is 0. A sum needs four numbers of the integral
    image, which has at each pixel the sum of those above and to the left. A window of 24 × 24 pixels has 162,336
    features.

    Attributes
    ----------
    image_shape_ : height and width of the images.
    rectangles_ : for each feature the number of its pattern, the row and column of its first pixel, and the height and
        width of a rectangle.

    Examples
    --------
    >>> images = np.zeros((1, 4, 4))
    >>> images[0, :, 2:] = 1.0
    >>> haar = HaarFeatures().fit(images)
    >>> values = haar.transform(images)[0]
    >>> haar.get_feature_names_out()[values.argmin()], float(values.min())
    ('two across at 0, 0 of 4 × 4', -8.0)
    """

    image_shape: Any = parameter(
        "Height and width of images that are the rows of a matrix or table. Without it, such a row is an image of "
        "height 1.",
        default=None,
        of=[InstanceOf(tuple), InstanceOf(list), NoneAllowed()],
    )
    max_features: Any = parameter(
        "The most features; where there are more, as many are drawn at random. None is all.",
        default=None,
        of=[IntegerIn(at_least=1), NoneAllowed()],
    )
    random_state: Any = RANDOM_STATE

    accepts = Accepts()
    image_shape_: np.ndarray = attribute()
    rectangles_: np.ndarray = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        "image_shape_": Array("i8", "2", low=1),
        "rectangles_": Array("i8", "m 5", low=0),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """All features, and some of them."""
        return [cls(), cls(max_features=5, random_state=0)]

    def fit(self, X: Any, y: Any = None) -> HaarFeatures:
        """Choose the features; only the size of the images matters.

        Parameters
        ----------
        X : images, rows × height × width, or the rows of a matrix or table.
        y : ignored.

        Returns
        -------
        The transformer.
        """
        self._images(X, reset=True)
        height, width = self.image_shape_.tolist()
        every = rectangles(height, width)
        if not len(every):
            raise DataError(f"{height * width} feature(s), images of {height} × {width} pixels.", "two pixels or more")
        if self.max_features is not None and len(every) > self.max_features:
            drawn = check_random_state(self.random_state).choice(len(every), self.max_features, replace=False)
            every = every[np.sort(drawn)]
        self.rectangles_ = every
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The features of each image.

        Parameters
        ----------
        X : the images.

        Returns
        -------
        Images × features.
        """
        images = self.checked_images(X)
        return self.values(images, np.arange(len(self.rectangles_)))

    def checked_images(self, X: Any) -> np.ndarray:
        """Images of the fitted size, from whatever ``transform`` takes.

        Parameters
        ----------
        X : the images.

        Returns
        -------
        Rows × height × width.
        """
        check_is_fitted(self)
        return self._images(X, reset=False)

    def values(self, images: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Some features of images of the fitted size, images × features.

        Parameters
        ----------
        images : the images, rows × height × width.
        features : the numbers of the features.

        Returns
        -------
        Their values.
        """
        sums = integral(images)
        n, height, width = sums.shape
        return self.values_at(sums.ravel(), np.arange(n) * (height * width), width, features)

    def values_at(self, sums: np.ndarray, starts: np.ndarray, stride: int, features: np.ndarray) -> np.ndarray:
        """Some features of windows in integral images, windows × features.

        Parameters
        ----------
        sums : integral images, flat.
        starts : where in them the first pixel of each window is.
        stride : the length of a row of the integral images.
        features : the numbers of the features.

        Returns
        -------
        Their values.
        """
        out = np.empty((len(starts), len(features)))
        for place, feature in enumerate(features):
            pattern, row, column, height, width = self.rectangles_[feature].tolist()
            total = np.zeros(len(starts))
            for r, c, weight in PATTERNS[pattern].corners:
                total += weight * sums[starts + ((row + r * height) * stride + column + c * width)]
            out[:, place] = total
        return out

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the features: pattern, first pixel, and size of the whole feature."""
        check_is_fitted(self)
        names = []
        for pattern, row, column, height, width in self.rectangles_.tolist():
            down, across = np.array(PATTERNS[pattern].weights).shape
            names.append(f"{PATTERNS[pattern].name} at {row}, {column} of {down * height} × {across * width}")
        return np.array(names, dtype=object)

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless every feature lies in the image."""
        pattern, row, column, height, width = self.rectangles_.T
        if len(pattern) and pattern.max() >= len(PATTERNS):
            raise ModelFileError("HaarFeatures: a pattern that there is not.")
        shapes = np.array([np.array(each.weights).shape for each in PATTERNS])[pattern]
        inside = (row + shapes[:, 0] * height <= self.image_shape_[0]).all()
        if not (inside and (column + shapes[:, 1] * width <= self.image_shape_[1]).all()):
            raise ModelFileError("HaarFeatures: a feature that lies outside the image.")

    def _images(self, X: Any, *, reset: bool) -> np.ndarray:
        """The images as rows × height × width."""
        if getattr(X, "ndim", 0) == 3:
            images = _numbers(X)
            shape = images.shape[1:]
            if reset:
                self.n_features_in_ = int(np.prod(shape))
                self.__dict__.pop("feature_names_in_", None)
        else:
            matrix = matrix_input(self, X, reset=reset)
            shape = self._shape_of(matrix.shape[1]) if reset else tuple(self.image_shape_.tolist())
            images = matrix.reshape(len(matrix), *shape)
        if reset:
            self.image_shape_ = np.array(shape, dtype=np.int64)
        elif tuple(self.image_shape_.tolist()) != tuple(shape):
            fitted, found = (" × ".join(map(str, each)) for each in (self.image_shape_.tolist(), shape))
            raise DataError(f"images of {found} pixels.", f"{fitted}, as in the training", "Crop or resize them.")
        return images

    def _shape_of(self, n_columns: int) -> tuple[int, int]:
        if self.image_shape is None:
            return 1, n_columns
        shape = tuple(self.image_shape)
        if len(shape) != 2 or min(shape) < 1 or shape[0] * shape[1] != n_columns:
            raise DataError(
                f"image_shape={self.image_shape!r} and rows of {n_columns} numbers.",
                f"height and width whose product is {n_columns}",
            )
        return int(shape[0]), int(shape[1])


def integral(images: np.ndarray) -> np.ndarray:
    """The sum of the pixels above and to the left of each corner of a pixel, images × (height + 1) × (width + 1)."""
    return np.pad(images.astype(np.float64).cumsum(axis=1).cumsum(axis=2), ((0, 0), (1, 0), (1, 0)))


def rectangles(height: int, width: int) -> np.ndarray:
    """Every feature of a window: number of the pattern, first pixel, and size of a rectangle.

    >>> len(rectangles(24, 24))
    162336
    """
    found = []
    for number, pattern in enumerate(PATTERNS):
        down, across = np.array(pattern.weights).shape
        for h in range(1, height // down + 1):
            for w in range(1, width // across + 1):
                rows, columns = np.mgrid[: height - down * h + 1, : width - across * w + 1]
                each = np.stack([rows.ravel(), columns.ravel()], axis=1)
                found.append(np.column_stack([np.full(len(each), number), each, np.full((len(each), 2), (h, w))]))
    return np.concatenate(found).astype(np.int64) if found else np.zeros((0, 5), dtype=np.int64)


def _numbers(X: Any) -> np.ndarray:
    images = np.asarray(X)
    if images.dtype.kind not in "fiub" or 0 in images.shape:
        raise DataError(
            f"images of shape {images.shape} and type {images.dtype}.", "numbers: rows × height × width, not empty"
        )
    if images.dtype.kind == "f" and not np.isfinite(images).all():
        raise DataError("images with missing or infinite pixels (NaN or inf).", "finite numbers")
    return images
