"""A cascade of boosted stumps (Viola and Jones 2001)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import InstanceOf, NoneAllowed
from probus.base import Accepts, Classifier, Model, encoded_classes, matrix_input
from probus.ensemble.cascade._boosted_stage import boosted_stage
from probus.ensemble.cascade._detections import Detections, merged
from probus.ensemble.cascade._shrinking import shrunk
from probus.ensemble.cascade._stages import Stages
from probus.errors import DataError, ModelFileError
from probus.parameters import RANDOM_STATE, attribute, parameter
from probus.preprocessing import HaarFeatures, integral
from probus.state import Array, Labels, Maybe, Object, Spec

_FEWEST = 10  # rows of a class that are held out; with fewer, rates are of the rows of the training
_LIST = [InstanceOf(list), InstanceOf(tuple)]


class CascadeClassifier(Classifier):
    """A cascade of boosted stumps: a row is negative as soon as one stage says so (Viola and Jones 2001).

    Each stage is AdaBoost on decision stumps. It is trained on the positive rows, and on the negative ones that passed
    all stages before it. It has as few stumps as reach its target, the share of negative rows that pass it and those
    before it, where its threshold lets nearly all positive rows pass. Most negative rows need the first stage only,
    and features are computed where they are needed.

    The positive class is the second one. With ``features``, rows are images, and stumps split on their features;
    ``detect`` then finds the positive class in larger images.

    Attributes
    ----------
    classes_ : the two classes.
    features_ : the fitted features.
    column_, cut_, votes_ : the column of each stump, its cut, and its votes at or below and above it.
    ends_, thresholds_ : after which stump each stage ends, and the sum of votes that it lets pass.
    rates_ : for each stage the shares of positive and of negative rows that pass, and the target.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> images = rng.normal(size=(400, 8, 8))
    >>> images[:200, 2:6, 2:6] += 1.0
    >>> y = np.repeat(["blob", "none"], 200)
    >>> cascade = CascadeClassifier(HaarFeatures(max_features=200, random_state=0), random_state=0)
    >>> cascade = cascade.fit(images, np.where(y == "blob", 1, 0))
    >>> bool(cascade.score(images, y == "blob") > 0.9), bool(cascade.stumps_used(images).mean() < len(cascade.cut_))
    (True, True)
    """

    features: Any = parameter(
        "How features are made of images, a HaarFeatures; None are the columns.",
        default=None,
        of=[InstanceOf(HaarFeatures), NoneAllowed()],
        kw_only=False,
    )
    false_positive_rates: Any = parameter(
        "For each stage the share of all negative rows that passes it and those before it, at most.",
        default=(0.5, 0.2, 0.02),
        of=_LIST,
    )
    detection_rate: float = parameter(
        "The share of the positive rows that reach a stage and pass it, at least.", default=0.995, above=0, at_most=1
    )
    max_stumps: int = parameter("The most stumps of a stage.", default=100, at_least=1)
    validation_fraction: float = parameter(
        "The share of the rows that are held out of the boosting. Thresholds and rates are those of these rows, or of "
        "all, where fewer than ten of a class would be held out.",
        default=0.25,
        at_least=0,
        below=1,
    )
    random_state: Any = RANDOM_STATE

    accepts = Accepts()
    classes_: np.ndarray = attribute()
    features_: Any = attribute()
    column_: np.ndarray = attribute()
    cut_: np.ndarray = attribute()
    votes_: np.ndarray = attribute()
    ends_: np.ndarray = attribute()
    thresholds_: np.ndarray = attribute()
    rates_: np.ndarray = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        "classes_": Labels("2"),
        "features_": Maybe(Object(HaarFeatures)),
        "column_": Array("i8", "T", low=0),
        "cut_": Array("f8", "T"),
        "votes_": Array("f8", "T 2"),
        "ends_": Array("i8", "S", low=1),
        "thresholds_": Array("f8", "S"),
        "rates_": Array("f8", "S 3"),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Of columns, and of features of images."""
        return [cls(max_stumps=16, random_state=0), cls(HaarFeatures(), max_stumps=16, random_state=0)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    # -- fit -------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any) -> Self:
        """Boost stage after stage, each on the negative rows that are left.

        Parameters
        ----------
        X : the rows, or images as rows × height × width with ``features``.
        y : the class of each row, of two.

        Returns
        -------
        The model.
        """
        targets = self._checked_targets()
        rows = self._read(X, reset=True)
        self.classes_, codes = encoded_classes(y, len(rows))
        self._check_classes()
        values = rows if self.features_ is None else self.features_.transform(rows)
        boosted, judged = self._split(codes)
        stages = [np.zeros((0, 4))]
        thresholds: list[float] = []
        rates: list[tuple[float, float, float]] = []
        alive = np.ones(len(codes), dtype=bool)
        for target in targets:
            own = boosted & alive
            if not (own & (codes == 0)).any() or not (own & (codes == 1)).any():
                break
            quota = int(target * (judged & (codes == 0)).sum())
            stage, threshold, passes = boosted_stage(
                values, codes, own, judged & alive, quota, self.detection_rate, self.max_stumps
            )
            stages.append(stage)
            thresholds.append(threshold)
            alive &= passes
            detected, passing = (float(alive[judged & (codes == k)].mean()) for k in (1, 0))
            rates.append((detected, passing, target))
            self._warn_if_missed(len(rates), rates[-1])
        self._keep(stages, thresholds, rates)
        return self

    def _checked_targets(self) -> list[float]:
        targets = list(self.false_positive_rates)
        numbers = all(isinstance(each, (int, float)) and 0 <= each < 1 for each in targets)
        if not targets or not numbers or any(b >= a for a, b in pairwise(targets)):
            raise DataError(
                f"false_positive_rates={self.false_positive_rates!r}.", "falling shares below 1, one for each stage"
            )
        return targets

    def _check_classes(self) -> None:
        if len(self.classes_) > 2:
            raise DataError(
                f"Only binary classification is supported. The type of the target is multiclass: it has "
                f"{len(self.classes_)} classes.",
                "two classes",
                "OneVsRestClassifier fits a cascade for each class.",
            )
        if len(self.classes_) < 2:
            raise DataError(f"the target has one class, {self.classes_[:1].tolist()[0]!r}.", "rows of two classes")

    def _split(self, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which rows are boosted on, and which are held out to judge by."""
        held = np.zeros(len(codes), dtype=bool)
        random = check_random_state(self.random_state)
        for code in (0, 1):
            mine = random.permutation(np.flatnonzero(codes == code))
            held[mine[: int(self.validation_fraction * len(mine))]] = True
        if min(np.bincount(codes[held], minlength=2)) < _FEWEST:
            every = np.ones(len(codes), dtype=bool)
            return every, every
        return ~held, held

    def _warn_if_missed(self, stage: int, rates: tuple[float, float, float]) -> None:
        if rates[1] > rates[2]:
            warnings.warn(
                f"Stage {stage} lets {rates[1]:.1%} of the negative rows pass, more than {rates[2]:.1%}. Allow more "
                "stumps by max_stumps, other features, or a lower detection_rate.",
                stacklevel=3,
            )

    def _keep(self, stages: list[np.ndarray], thresholds: list[float], rates: list[tuple[float, float, float]]) -> None:
        stumps = np.concatenate(stages)
        self.column_, self.cut_ = stumps[:, 0].astype(np.int64), stumps[:, 1]
        self.votes_ = np.ascontiguousarray(stumps[:, 2:])
        self.ends_ = np.cumsum([len(stage) for stage in stages[1:]], dtype=np.int64)
        self.thresholds_, self.rates_ = np.array(thresholds), np.array(rates).reshape(-1, 3)

    # -- use -------------------------------------------------------------------------------------------

    @property
    def stages_(self) -> Stages:
        """The stages, with the rates on rows that were held out."""
        check_is_fitted(self)
        return Stages(np.diff(self.ends_, prepend=0), *self.rates_.T)

    def decision_function(self, X: Any) -> np.ndarray:
        """Positive where all stages are passed; the lower, the earlier a row left, and the less it lacked.

        Parameters
        ----------
        X : the rows.

        Returns
        -------
        A score for each row.
        """
        return self._passed(X)[0]

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row.

        Parameters
        ----------
        X : the rows.

        Returns
        -------
        The classes.
        """
        check_is_fitted(self)
        return self.classes_[(self.decision_function(X) > 0).astype(int)]

    def stumps_used(self, X: Any) -> np.ndarray:
        """How many stumps were computed for each row.

        Parameters
        ----------
        X : the rows.

        Returns
        -------
        The numbers.
        """
        check_is_fitted(self)
        return self.ends_[self._passed(X)[1]]

    def detect(
        self, image: Any, *, step: int = 1, scale: float = 1.25, overlap: float = 0.3, fewest: int = 1
    ) -> Detections:
        """Where the positive class is in a larger image: windows of every size slide over it.

        Parameters
        ----------
        image : an image of one channel, height × width.
        step : by how many pixels a window moves.
        scale : the ratio of the sizes of windows; 1 is the size of the training images alone.
        overlap : windows that overlap by at least this share of both are one detection.
        fewest : the windows that a detection has at least.

        Returns
        -------
        The detections, which print as a table.
        """
        check_is_fitted(self)
        pixels = self._checked_image(image, step, scale)
        if not isinstance(overlap, (int, float, np.number)) or not 0 < overlap <= 1:
            raise DataError(f"overlap={overlap!r}.", "a share above 0, at most 1")
        if not isinstance(fewest, (int, np.integer)) or fewest < 1:
            raise DataError(f"fewest={fewest!r}.", "a whole number of windows, 1 or more")
        height, width = self.features_.image_shape_.tolist()
        found, scores, examined, stumps, factor = [np.zeros((0, 4))], [np.zeros(0)], 0, 0, 1.0
        while True:
            smaller = shrunk(pixels, factor)
            if smaller.shape[0] < height or smaller.shape[1] < width:
                break
            places, score, left = self._in_windows(smaller, step)
            examined, stumps = examined + len(score), stumps + int(self.ends_[left].sum())
            here = places[score > 0]
            found.append(np.column_stack([here, np.tile([height, width], (len(here), 1))]) * factor)
            scores.append(score[score > 0])
            if scale == 1:
                break
            factor *= scale
        boxes, best, windows = merged(np.concatenate(found), np.concatenate(scores), overlap, fewest)
        return Detections(boxes, best, windows, examined, stumps / max(examined, 1))

    def _checked_image(self, image: Any, step: int, scale: float) -> np.ndarray:
        if self.features_ is None:
            raise DataError(
                "a cascade of columns.", "one of features of images", "Fit CascadeClassifier(HaarFeatures())."
            )
        pixels = np.asarray(image)
        if pixels.ndim != 2 or pixels.dtype.kind not in "fiub" or not np.isfinite(pixels.astype(float)).all():
            raise DataError(f"an image of shape {pixels.shape}, type {pixels.dtype}.", "finite numbers, height × width")
        if (np.array(pixels.shape) < self.features_.image_shape_).any():
            shapes = [" × ".join(map(str, each)) for each in (pixels.shape, self.features_.image_shape_.tolist())]
            raise DataError(
                f"an image of {shapes[0]} pixels.", f"one of {shapes[1]} or more, the window of the training"
            )
        if not isinstance(step, (int, np.integer)) or step < 1:
            raise DataError(f"step={step!r}.", "a whole number of pixels, 1 or more")
        if not isinstance(scale, (int, float)) or not (scale == 1 or 1.01 <= scale < float("inf")):
            raise DataError(f"scale={scale!r}.", "1, or a ratio from 1.01 on")
        return pixels.astype(np.float64)

    def _in_windows(self, image: np.ndarray, step: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """First pixel, score and last stage of each window of an image."""
        height, width = self.features_.image_shape_.tolist()
        rows, columns = np.mgrid[0 : image.shape[0] - height + 1 : step, 0 : image.shape[1] - width + 1 : step]
        places = np.column_stack([rows.ravel(), columns.ravel()])
        sums = integral(image[None])
        stride = sums.shape[2]
        starts, flat = places[:, 0] * stride + places[:, 1], sums.ravel()
        score, left = self._through(
            len(places), lambda at, columns: self.features_.values_at(flat, starts[at], stride, columns)
        )
        return places, score, left

    def _passed(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        check_is_fitted(self)
        rows = self._read(X, reset=False)
        if self.features_ is None:
            return self._through(len(rows), lambda at, columns: rows[np.ix_(at, columns)])
        images = rows.reshape(len(rows), *self.features_.image_shape_)
        return self._through(len(rows), lambda at, columns: self.features_.values(images[at], columns))

    def _through(self, n: int, values: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Score and last stage of each row; values are computed for rows that have not left yet."""
        score, last = np.zeros(n), np.zeros(n, dtype=np.intp)
        alive, n_stages, start = np.arange(n), len(self.ends_), 0
        for stage, end in enumerate(self.ends_.tolist()):
            columns, which = np.unique(self.column_[start:end], return_inverse=True)
            found = values(alive, columns)
            total = np.zeros(len(alive))
            for place, at in zip(which, range(start, end), strict=True):
                total += np.where(found[:, place] <= self.cut_[at], self.votes_[at, 0], self.votes_[at, 1])
            most = np.abs(self.votes_[start:end]).max(axis=1).sum() + abs(self.thresholds_[stage]) + 1.0
            margin = (total - self.thresholds_[stage]) / most
            passes = margin >= 0
            last[alive] = stage
            score[alive] = np.where(passes, 0.5 + 0.5 * margin, margin - (n_stages - 1 - stage))
            alive, start = alive[passes], end
        return score, last

    def _read(self, X: Any, *, reset: bool) -> np.ndarray:
        """The rows as a matrix; images are flat."""
        if reset:
            self.features_ = None if self.features is None else clone(self.features)
        if self.features_ is None:
            return matrix_input(self, X, reset=reset)
        if getattr(X, "ndim", 0) != 3:
            X = matrix_input(self, X, reset=reset)
        if reset:
            self.features_.fit(X)
            self.n_features_in_ = self.features_.n_features_in_
        images = self.features_.checked_images(X)
        return images.reshape(len(images), -1)

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless stages and columns agree with the rest."""
        n_columns = self.n_features_in_ if self.features_ is None else len(self.features_.rectangles_)
        if (np.diff(self.ends_, prepend=0) < 1).any() or (len(self.ends_) and self.ends_[-1] != len(self.cut_)):
            raise ModelFileError("CascadeClassifier: the stages do not match the stumps.")
        if len(self.column_) and self.column_.max() >= n_columns:
            raise ModelFileError("CascadeClassifier: a stump on a column that there is not.")
        if self.features_ is not None and self.features_.n_features_in_ != self.n_features_in_:
            raise ModelFileError("CascadeClassifier: features of images of another size.")
