"""Images as arrays: rows × height × width × channels, from arrays, matrices and folders of files."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from probus.display import counted
from probus.errors import DataError

_ENDINGS = frozenset((".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp"))


def read_images(folder: Any, size: tuple[int, int] | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The images of a folder, with the names of its subfolders as classes.

    Images of one channel stay so; others have red, green and blue. Values are 0 to 255, of deeper files more.

    Parameters
    ----------
    folder : a folder with a subfolder for each class.
    size : height and width that images are resized to; None keeps theirs, which must be the same for all.

    Returns
    -------
    The images, rows × height × width × channels, and the class of each.
    """
    root = Path(folder)
    if not root.is_dir():
        raise DataError(f"there is no folder {str(folder)!r}.", "a folder with a subfolder of images for each class")
    classes = sorted(each for each in root.iterdir() if each.is_dir() and not each.name.startswith("."))
    files = [
        (path, each.name) for each in classes for path in sorted(each.iterdir()) if path.suffix.lower() in _ENDINGS
    ]
    if not files:
        raise DataError(
            f"folder {str(folder)!r} has no images in subfolders.",
            "a subfolder for each class, with files that end in " + ", ".join(sorted(_ENDINGS)),
        )
    arrays = [_read_file(path, size) for path, _ in files]
    if len({each.shape[2] for each in arrays}) > 1:
        arrays = [np.repeat(each, 3, axis=2) if each.shape[2] == 1 else each for each in arrays]
    return stacked(arrays), np.array([name for _, name in files])


def _read_file(path: Path, size: tuple[int, int] | None) -> np.ndarray:
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        raise DataError(
            "image files need Pillow, which is not installed.", "it to be installed", "Run pip install pillow."
        ) from None
    try:
        with Image.open(path) as image:
            kept = _of_plain_mode(image)
            values = np.asarray(kept if size is None else kept.resize((size[1], size[0])))
    except (UnidentifiedImageError, OSError) as error:
        raise DataError(f"{str(path)!r} cannot be read: {error}", "an image file", "Move it elsewhere.") from None
    return values[:, :, None] if values.ndim == 2 else values


def _of_plain_mode(image: Any) -> Any:
    """An image of Pillow with one channel, of any depth, or with red, green and blue: no palette, no transparency."""
    if image.mode in ("1", "L"):
        return image.convert("L")
    if image.mode == "F":
        return image
    return image.convert("I" if image.mode.startswith("I") else "RGB")


def stacked(images: Any) -> np.ndarray:
    """Images of one size as one array; an error that names the sizes where there are several."""
    arrays = [_array_of(each) for each in images]
    sizes = Counter(each.shape for each in arrays)
    if len(sizes) > 1:
        shown = ", ".join(f"{' × '.join(map(str, shape))} ({n})" for shape, n in sizes.most_common(3))
        raise DataError(
            f"images of {len(sizes)} sizes: {shown}{', …' if len(sizes) > 3 else ''}.",
            "images of one size",
            "Resize them: read_images(folder, size=(height, width)).",
        )
    return np.stack(arrays)


def _array_of(image: Any) -> np.ndarray:
    try:
        return np.asarray(_of_plain_mode(image) if hasattr(image, "getbands") else image)
    except ValueError:
        raise DataError("an image whose rows have several lengths.", "height × width, or × channels") from None


def is_folder(X: Any) -> bool:
    """Whether X is a path."""
    return isinstance(X, (str, os.PathLike))


def is_images(X: Any) -> bool:
    """Whether X is an array of images, or a list of them."""
    if isinstance(X, (list, tuple)):
        return len(X) > 0 and all(_is_image(each) for each in X)
    return getattr(X, "ndim", 0) in (3, 4)


def _is_image(value: Any) -> bool:
    """Whether a value is an array of two or three dimensions, nested lists of numbers, or an image of Pillow."""
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and isinstance(value[0], (list, tuple))
    return getattr(value, "ndim", 0) in (2, 3) or hasattr(value, "getbands")


def as_images(X: Any) -> np.ndarray:
    """Images as float64, rows × height × width × channels."""
    values = stacked(X) if isinstance(X, (list, tuple)) else np.asarray(X)
    if values.dtype.kind not in "fiub" or 0 in values.shape:
        raise DataError(
            f"images of shape {values.shape} and type {values.dtype}.", "numbers: rows × height × width (× channels)"
        )
    values = values.astype(np.float64)
    if not np.isfinite(values).all():
        broken = int((~np.isfinite(values.reshape(len(values), -1))).any(axis=1).sum())
        raise DataError(
            f"{counted(broken, 'image')} with missing or infinite pixels (NaN or inf).",
            "finite numbers",
            "Fill the pixels: numpy.nan_to_num(images).",
        )
    return values[..., None] if values.ndim == 3 else values


def shape_text(shape: Any) -> str:
    """The height, width and channels of images as text.

    >>> shape_text((8, 8, 1))
    '8 × 8 × 1'
    """
    return " × ".join(str(int(each)) for each in shape)
