"""Random changes of the rows of a training that keep their target: of images, of sounds and series, and of texts.

A network changes each row anew in each step; rows that are predicted are left unchanged.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from probus.errors import DataError
from probus.neural_network._torch import load_torch, seed_of, seeded
from probus.state import Flag, Number, Part, Plain, Spec


class ArrayAugmentation(Part, ABC):
    """Parent of what changes images, and series, which are images of height 1.

    Call one with images, rows × height × width × channels, or with sounds, rows × steps, to see what it does.
    """

    @abstractmethod
    def apply(self, X: Any) -> Any:
        """The changed rows of a tensor, rows × channels × height × width."""

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if not isinstance(value, bool) and not (isinstance(value, (int, float)) and 0 <= value < math.inf):
                raise DataError(f"{type(self).__name__}({field.name}={value!r}).", "a number, 0 or more")

    def __call__(self, images: Any, random_state: Any = None) -> np.ndarray:
        """Changed images.

        Parameters
        ----------
        images : rows × height × width, or × channels; or sounds and series, rows × steps.
        random_state : the seed.

        Returns
        -------
        The images, in the same shape.
        """
        torch = load_torch(type(self).__name__)
        values = np.asarray(images, dtype=np.float64)
        if values.ndim not in (2, 3, 4):
            raise DataError(
                f"an array of shape {values.shape}.", "rows × height × width (× channels), or rows × steps of series"
            )
        channels = {2: values[:, None, :, None], 3: values[..., None]}.get(values.ndim, values)
        with seeded(seed_of(random_state), torch.device("cpu")):
            changed = self.apply(torch.from_numpy(np.ascontiguousarray(channels.transpose(0, 3, 1, 2))))
        return changed.numpy().transpose(0, 2, 3, 1).reshape(values.shape)


@dataclass(frozen=True)
class Flips(ArrayAugmentation):
    """Images flipped left to right, or upside down, half of them each.

    Attributes
    ----------
    horizontal : whether left and right are swapped.
    vertical : whether up and down are swapped.

    Examples
    --------
    >>> Flips()(np.arange(6.0).reshape(2, 1, 3), random_state=0).tolist()
    [[[2.0, 1.0, 0.0]], [[5.0, 4.0, 3.0]]]
    """

    horizontal: bool = True
    vertical: bool = False

    declared: ClassVar[Mapping[str, Spec]] = {"horizontal": Flag(), "vertical": Flag()}

    def apply(self, X: Any) -> Any:
        """See ``ArrayAugmentation``."""
        for axis in [axis for axis, wanted in ((3, self.horizontal), (2, self.vertical)) if wanted]:
            X = load_torch().where(_per_row(X) < 0.5, X.flip(axis), X)
        return X


@dataclass(frozen=True)
class Shifts(ArrayAugmentation):
    """Images moved up, down, left and right; the pixels at the edge fill the space. Series are moved in time.

    Attributes
    ----------
    share : the longest move, as a share of the side.
    """

    share: float = 0.1

    declared: ClassVar[Mapping[str, Spec]] = {"share": Number()}

    def apply(self, X: Any) -> Any:
        """See ``ArrayAugmentation``."""
        moves = [2.0 * self.share * (2.0 * _per_row(X).flatten() - 1.0) for _ in range(2)]
        return _moved(X, 1.0, 0.0, 0.0, 1.0, *moves)


@dataclass(frozen=True)
class Rotations(ArrayAugmentation):
    """Images turned about their middle.

    Attributes
    ----------
    degrees : the largest angle, to either side.
    """

    degrees: float = 10.0

    declared: ClassVar[Mapping[str, Spec]] = {"degrees": Number()}

    def apply(self, X: Any) -> Any:
        """See ``ArrayAugmentation``."""
        angle = math.radians(self.degrees) * (2.0 * _per_row(X).flatten() - 1.0)
        height, width = X.shape[2:]
        return _moved(X, angle.cos(), -angle.sin() * height / width, angle.sin() * width / height, angle.cos())


@dataclass(frozen=True)
class Zooms(ArrayAugmentation):
    """Images made larger or smaller about their middle.

    Attributes
    ----------
    share : the largest change of the sides, as a share.
    """

    share: float = 0.1

    declared: ClassVar[Mapping[str, Spec]] = {"share": Number()}

    def apply(self, X: Any) -> Any:
        """See ``ArrayAugmentation``."""
        factor = 1.0 + self.share * (2.0 * _per_row(X).flatten() - 1.0)
        return _moved(X, factor, 0.0, 0.0, factor)


@dataclass(frozen=True)
class Speeds(ArrayAugmentation):
    """Sounds played faster or slower, which changes their frequencies.

    Attributes
    ----------
    share : the largest change of the speed, as a share.
    """

    share: float = 0.1

    declared: ClassVar[Mapping[str, Spec]] = {"share": Number()}

    def apply(self, X: Any) -> Any:
        """See ``ArrayAugmentation``."""
        return _moved(X, 1.0 + self.share * (2.0 * _per_row(X).flatten() - 1.0), 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Brightness(ArrayAugmentation):
    """Images made brighter or darker: one number is added to all pixels of an image.

    Attributes
    ----------
    share : the standard deviation of the number, in units of that of the pixels.
    """

    share: float = 0.1

    declared: ClassVar[Mapping[str, Spec]] = {"share": Number()}

    def apply(self, X: Any) -> Any:
        """See ``ArrayAugmentation``."""
        return X + self.share * X.std() * load_torch().randn_like(X[:, :1, :1, :1])


@dataclass(frozen=True)
class Volumes(ArrayAugmentation):
    """Sounds made louder or quieter, and images higher or lower in contrast: all values times one number.

    Attributes
    ----------
    share : the largest change, as a share.
    """

    share: float = 0.2

    declared: ClassVar[Mapping[str, Spec]] = {"share": Number()}

    def apply(self, X: Any) -> Any:
        """See ``ArrayAugmentation``."""
        return X * (1.0 + self.share * (2.0 * _per_row(X) - 1.0))


@dataclass(frozen=True)
class Noise(ArrayAugmentation):
    """Normal noise on each number.

    Attributes
    ----------
    share : its standard deviation, in units of that of the numbers.
    """

    share: float = 0.1

    declared: ClassVar[Mapping[str, Spec]] = {"share": Number()}

    def apply(self, X: Any) -> Any:
        """See ``ArrayAugmentation``."""
        return X + self.share * X.std() * load_torch().randn_like(X)


def _per_row(X: Any) -> Any:
    """A number between 0 and 1 for each row."""
    return load_torch().rand((len(X), 1, 1, 1), device=X.device, dtype=X.dtype)


def _moved(X: Any, a: Any, b: Any, c: Any, d: Any, right: Any = 0.0, down: Any = 0.0) -> Any:
    """Images read at x′ = a x + b y + right, y′ = c x + d y + down, where x and y go from −1 to 1."""
    torch = load_torch()
    entries = [each if torch.is_tensor(each) else X.new_full((len(X),), each) for each in (a, b, right, c, d, down)]
    grid = torch.nn.functional.affine_grid(torch.stack(entries, 1).view(-1, 2, 3), X.shape, align_corners=False)
    return torch.nn.functional.grid_sample(X, grid, padding_mode="border", align_corners=False)


# -- texts ---------------------------------------------------------------------------------------------


class TextAugmentation(Part, ABC):
    """Parent of what changes texts, word by word. Call one with texts to see what it does."""

    share: float

    @abstractmethod
    def apply(self, words: list[str], random: np.random.RandomState) -> list[str]:
        """The changed words of a text."""

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise DataError(f"{type(self).__name__}(share={self.share!r}).", "a share from 0 to 1")

    def __call__(self, texts: Iterable[str], random_state: Any = None) -> list[str]:
        """Changed texts.

        Parameters
        ----------
        texts : the texts; words are what spaces separate.
        random_state : the seed.

        Returns
        -------
        The texts.
        """
        random = check_random_state(random_state)
        return [" ".join(self.apply(text.split(), random)) for text in texts]


@dataclass(frozen=True)
class DropWords(TextAugmentation):
    """Texts without some of their words.

    Attributes
    ----------
    share : the share of the words that are left out; one word stays at least.
    """

    share: float = 0.1

    declared: ClassVar[Mapping[str, Spec]] = {"share": Number()}

    def apply(self, words: list[str], random: np.random.RandomState) -> list[str]:
        """See ``TextAugmentation``."""
        kept = [word for word, draw in zip(words, random.random_sample(len(words)), strict=True) if draw >= self.share]
        return kept or words[:1]


@dataclass(frozen=True)
class SwapWords(TextAugmentation):
    """Texts in which some words have changed places with the next.

    Attributes
    ----------
    share : the share of the words that do.
    """

    share: float = 0.1

    declared: ClassVar[Mapping[str, Spec]] = {"share": Number()}

    def apply(self, words: list[str], random: np.random.RandomState) -> list[str]:
        """See ``TextAugmentation``."""
        swapped = list(words)
        for at in np.flatnonzero(random.random_sample(max(len(words) - 1, 0)) < self.share):
            swapped[at : at + 2] = swapped[at : at + 2][::-1]
        return swapped


@dataclass(frozen=True)
class Synonyms(TextAugmentation):
    """Texts in which some words are replaced by words of the same meaning.

    Attributes
    ----------
    words : the words that may stand for each word: a dict of lists.
    share : the share of those words that are replaced.

    Examples
    --------
    >>> Synonyms({"good": ["fine"]}, share=1.0)(["a good dress"])
    ['a fine dress']
    """

    words: Mapping[str, Iterable[str]]
    share: float = 0.3

    declared: ClassVar[Mapping[str, Spec]] = {"words": Plain(), "share": Number()}

    def __post_init__(self) -> None:
        super().__post_init__()
        is_dict = isinstance(self.words, dict)
        if not is_dict or not all(isinstance(each, (list, tuple)) and each for each in self.words.values()):
            raise DataError("Synonyms of words without a list each.", "a dict of lists", 'Pass {"good": ["fine"]}.')

    def apply(self, words: list[str], random: np.random.RandomState) -> list[str]:
        """See ``TextAugmentation``."""
        draws = random.random_sample(len(words))
        return [
            str(random.choice(list(self.words[word]))) if word in self.words and draw < self.share else word
            for word, draw in zip(words, draws, strict=True)
        ]
