"""Convolutional networks for images and series."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import InstanceOf, NoneAllowed
from probus.base import Accepts, Model, matrix_input
from probus.callbacks import Callback
from probus.errors import DataError, ModelFileError
from probus.neural_network._augmentation import ArrayAugmentation
from probus.neural_network._images import as_images, is_folder, is_images, read_images, shape_text
from probus.neural_network._predictor import (
    NeuralClassifier,
    NeuralPredictor,
    NeuralRegressor,
    Rows,
    check_sizes_of_weights,
)
from probus.neural_network._residual_shape import ResidualShape, residual_outputs
from probus.parameters import attribute, parameter
from probus.state import Array, Spec

_LIST = [InstanceOf(tuple), InstanceOf(list)]


class ConvNetwork(NeuralPredictor):
    """Parent of the convolutional networks: how images are read, and the layers."""

    channels: Any = parameter(
        "The channels of each stage; each stage but the first halves height and width.", default=(16, 32, 64), of=_LIST
    )
    depth: int = parameter("The residual blocks of a stage, of two convolutions each.", default=1, at_least=1)
    augment: Any = parameter(
        "What changes the images of the training, in each step anew: a list such as [Shifts(0.1), Rotations(10)].",
        default=(),
        of=_LIST,
    )
    image_shape: Any = parameter(
        "Height and width, or height, width and channels, of images that are the rows of a matrix or table. Without "
        "it, such a row is a series, an image of height 1.",
        default=None,
        of=[InstanceOf(tuple), InstanceOf(list), NoneAllowed()],
    )

    accepts = Accepts(scaled=True, weights=True)
    _own: ClassVar[dict[str, Spec]] = {
        "image_shape_": Array("i8", "3", low=1),
        "mean_": Array("f8", "c"),
        "scale_": Array("f8", "c"),
    }

    image_shape_: np.ndarray = attribute()

    @classmethod
    def examples(cls) -> list[Model]:
        """A small one."""
        small: dict[str, Any] = {
            "channels": (8, 8),
            "batch_size": 16,
            "max_iter": 10,
            "learning_rate_init": 0.03,
            "dropout": 0.0,
        }
        return [cls(**small, device="cpu", early_stopping=False)]

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless the numbers of channels agree."""
        super().check_fitted_state()
        if self.image_shape_[2] != len(self.mean_) or not (self.scale_ > 0).all():
            raise ModelFileError(f"{type(self).__name__}: the scale does not match the channels.")
        check_sizes_of_weights(self, self.depth * len(self.channels), self.channels)

    # -- rows ------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, callbacks: Iterable[Callback] = ()) -> Any:
        """Train the network.

        Parameters
        ----------
        X : images, as an array of rows × height × width, or × channels, or the rows of a matrix or table; or a folder
            with a subfolder of image files for each class.
        y : the target of each row; not for a folder, whose subfolders are the classes.
        sample_weight : the weight of each row; whole ones, of at most ten on average, count as repeated rows.
        callbacks : called after each epoch with the training, which stops where one returns True.

        Returns
        -------
        The model.
        """
        if is_folder(X) and y is None:
            X, y = read_images(X)
        return super().fit(X, y, sample_weight, callbacks=callbacks)

    def _raw_rows(self, X: Any, *, reset: bool) -> Rows:
        if reset:
            self._check_layers()
        return Rows((self._images(read_images(X)[0] if is_folder(X) else X, reset=reset),))

    def _scaled_rows(self, raw: Rows) -> Rows:
        (images,) = raw.arrays
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = ((images - self.mean_) / self.scale_).astype(np.float32)
        if not np.isfinite(scaled).all():
            raise DataError("pixels that are too far from those of the training.", "numbers of the same scale")
        return Rows((scaled.transpose(0, 3, 1, 2),))

    def _images(self, X: Any, *, reset: bool) -> np.ndarray:
        """The images as rows × height × width × channels."""
        if is_images(X):
            images = as_images(X)
            if reset:
                self.n_features_in_ = int(np.prod(images.shape[1:]))
                self.__dict__.pop("feature_names_in_", None)
            shape = images.shape[1:]
        else:
            if not reset and getattr(X, "shape", None) in _shapes_of_one(self.image_shape_):
                raise DataError(
                    f"one image of {shape_text(X.shape)}.", "rows of images", "Pass images[:1], or image[None]."
                )
            matrix = np.ascontiguousarray(matrix_input(self, X, reset=reset))
            shape = self._row_shape(matrix.shape[1]) if reset else tuple(self.image_shape_.tolist())
            images = matrix.reshape(len(matrix), *shape)
        if reset:
            self.image_shape_ = np.array(shape, dtype=np.int64)
        elif tuple(self.image_shape_) != tuple(shape):
            raise DataError(
                f"images of {shape_text(shape)}.",
                f"{shape_text(self.image_shape_)}, as in the training",
                "Resize them: read_images(folder, size=(height, width)).",
            )
        return images

    def _row_shape(self, n_columns: int) -> tuple[int, ...]:
        """The shape of images that are rows of a matrix."""
        if self.image_shape is None:
            return 1, n_columns, 1
        shape = tuple(self.image_shape) + (1,) * (len(self.image_shape) == 2)
        if len(shape) != 3 or int(np.prod(shape)) != n_columns or min(shape) < 1:
            raise DataError(
                f"image_shape={self.image_shape!r} and rows of {n_columns} numbers.",
                f"height and width, or with channels, whose product is {n_columns}",
            )
        return shape

    def _learn_scale(self, raw: Rows) -> None:
        (images,) = raw.arrays
        with np.errstate(over="ignore", invalid="ignore"):
            self.mean_ = images.mean(axis=(0, 1, 2))
            scale = images.std(axis=(0, 1, 2))
        if not np.isfinite(scale).all():
            raise DataError("numbers whose squares overflow.", "numbers below 1e150", "Divide the columns.")
        self.scale_ = np.where(scale > 0, scale, 1.0)

    def _check_layers(self) -> None:
        sizes = list(self.channels)
        if not sizes or not all(isinstance(each, (int, np.integer)) and each > 0 for each in sizes):
            raise DataError(f"channels={self.channels!r}.", "a whole number, 1 or more, for each stage")
        strange = [each for each in self.augment if not isinstance(each, ArrayAugmentation)]
        if strange:
            raise DataError(f"augment with {strange[0]!r}.", "augmentations of images", "Pass augment=[Shifts(0.1)].")

    # -- network ---------------------------------------------------------------------------------------

    def _shape(self) -> ResidualShape:
        return ResidualShape.of(self.image_shape_.tolist(), list(self.channels), self.depth, self._n_outputs())

    def _n_products(self) -> int:
        return self._shape().n_products

    def _untrained(self) -> Any:
        from probus.neural_network._convolution_module import ConvolutionModule

        return ConvolutionModule(self._shape(), float(self.dropout))

    def _batch(self, tensors: tuple[Any, ...], at: Any, rows: Rows) -> tuple[Any, ...]:
        (images,) = super()._batch(tensors, at, rows)
        for augmentation in self.augment:
            images = augmentation.apply(images)
        return (images,)

    def _forward(self, *arrays: np.ndarray) -> np.ndarray:
        return residual_outputs(arrays[0], self.weights_, self._shape())

    def features(self, X: Any) -> np.ndarray:
        """What the last layer is given of each image: the mean of each channel of the last block.

        Parameters
        ----------
        X : the images.

        Returns
        -------
        Rows × channels.
        """
        check_is_fitted(self)
        weights = {**self.weights_, "head.weight": np.eye(self.channels[-1]), "head.bias": np.zeros(self.channels[-1])}
        shape = dataclasses.replace(self._shape(), n_outputs=self.channels[-1])
        return residual_outputs(self._read(X).arrays[0].astype(np.float64), weights, shape)


def _shapes_of_one(shape: np.ndarray) -> list[tuple[int, ...]]:
    """The shapes of a single image that are not also those of rows of a matrix."""
    height, width, channels = shape.tolist()
    return [(height, width)] if channels == 1 and height > 1 else []


class ConvClassifier(ConvNetwork, NeuralClassifier):
    """A convolutional network that predicts the class of images, or of series.

    A convolution is followed by stages of residual blocks (He et al. 2016), the mean over the image, and a linear
    layer. Pixels are standardised by channel. A share of the rows is held out, whose log loss decides when to stop.

    Training needs PyTorch; prediction uses it if it is installed.

    Attributes
    ----------
    image_shape_ : the height, width and channels of the images.
    mean_, scale_ : the mean and the standard deviation of each channel.
    weights_ : the weights by name.
    history_, n_iter_ : loss and score of each epoch, and their number.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> net = ConvClassifier(channels=(8, 16), max_iter=8, learning_rate_init=0.02, image_shape=(8, 8), random_state=0)
    >>> bool(net.fit(X[:1500], y[:1500]).score(X[1500:], y[1500:]) > 0.8)
    True
    """

    fitted: ClassVar[dict[str, Spec]] = {**NeuralClassifier.fitted, **ConvNetwork._own}


class ConvRegressor(ConvNetwork, NeuralRegressor):
    """A convolutional network that predicts numbers from images, or from series: one for each, or several.

    It is the network of ``ConvClassifier`` with the squared error as loss; targets are standardised.

    Attributes
    ----------
    image_shape_ : the height, width and channels of the images.
    mean_, scale_ : the mean and the standard deviation of each channel.
    target_mean_, target_scale_ : the mean and the standard deviation of each target.
    weights_ : the weights by name.
    history_, n_iter_ : loss and score of each epoch, and their number.

    Examples
    --------
    >>> places = np.random.default_rng(0).integers(0, 8, 300)
    >>> images = np.eye(8)[places][:, None, :] * np.ones((1, 8, 1))  # a line in one of eight columns
    >>> net = ConvRegressor(channels=(8, 16), max_iter=20, batch_size=16, random_state=0).fit(images, places)
    >>> bool(net.score(images, places) > 0.5)
    True
    """

    fitted: ClassVar[dict[str, Spec]] = {**NeuralRegressor.fitted, **ConvNetwork._own}
