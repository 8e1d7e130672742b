"""From counts of a camera to the pixels of one track."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probus.cluster import DBSCAN
from probus.errors import DataError

AT_ONCE = 1000  # images
THRESHOLD = 2.0  # of the noise, above which a pixel is lit
RADIUS, NEIGHBOURS = 2.0, 5  # pixels


class Camera(NamedTuple):
    """What is known of a camera from its images: the pedestal of each pixel, and the noise."""

    pedestal: np.ndarray
    noise: float

    @classmethod
    def of(cls, images: np.ndarray) -> Camera:
        """Medians over images, since most pixels are dark in most; light makes no pixel darker than its pedestal."""
        pedestal = np.median(images, axis=0)
        dark = np.minimum(images - pedestal, 0.0)
        return cls(pedestal, float(np.sqrt(2 * np.mean(dark**2))))

    def light(self, images: np.ndarray) -> np.ndarray:
        """The images without the pedestal, nor what it has wandered in each."""
        if images.shape[1:] != self.pedestal.shape:
            found, known = (" × ".join(map(str, shape)) for shape in (images.shape[1:], self.pedestal.shape))
            raise DataError(f"images of {found} pixels.", f"{known}, those of the camera")
        light = images.astype(np.float32) - self.pedestal.astype(np.float32)
        return light - np.median(light, axis=(1, 2), keepdims=True)


class Track(NamedTuple):
    """The lit pixels of the brightest cluster of each image: its number, row, column, and light."""

    image: np.ndarray
    row: np.ndarray
    column: np.ndarray
    light: np.ndarray


def tracks(light: np.ndarray, noise: float) -> Track:
    """The brightest cluster of each image, by one DBSCAN for many images: their number is a third coordinate."""
    parts = [_tracks(light[at : at + AT_ONCE], noise) for at in range(0, len(light), AT_ONCE)]
    numbers = [part.image + at for part, at in zip(parts, range(0, len(light), AT_ONCE), strict=True)]
    joined = [np.concatenate([part[field] for part in parts]) for field in (1, 2, 3)]
    return Track(np.concatenate(numbers), *joined)


def _tracks(light: np.ndarray, noise: float) -> Track:
    cluster, (image, row, column), bright = clusters(light, noise)
    lit = cluster >= 0
    total = np.bincount(cluster[lit], bright[lit])
    of = np.zeros(len(total), dtype=np.intp)
    of[cluster[lit]] = image[lit]
    best = np.full(len(light), -1)
    best[of[np.argsort(total)]] = np.argsort(total)  # the last one that is written is the brightest
    chosen = lit & (best[image] == cluster)
    return Track(image[chosen], row[chosen], column[chosen], bright[chosen])


def clusters(light: np.ndarray, noise: float) -> tuple[np.ndarray, tuple[np.ndarray, ...], np.ndarray]:
    """The cluster of each lit pixel, −1 for none; its image, row and column; and its light."""
    places = np.nonzero(light > THRESHOLD * noise)
    if not len(places[0]):
        return np.zeros(0, dtype=np.intp), places, light[places]
    scaled = np.column_stack([places[0] * 1000.0, places[1], places[2]])
    return DBSCAN(eps=RADIUS, min_samples=NEIGHBOURS).fit_predict(scaled), places, light[places]
