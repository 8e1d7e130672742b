"""Numbers of a track that a physicist would compute."""

from __future__ import annotations

from typing import Any

import numpy as np
from examples.recoils.cleaning import Track

from probus.data import Table


def features(track: Track, n: int) -> Table:
    """A row for each image; missing values where no track was found.

    Lengths are in pixels and light in photoelectrons. The long axis of a track is that of its largest variance, and
    points to where the light falls off more slowly.
    """
    image, w = track.image, track.light.astype(float)

    def mean(values: np.ndarray) -> Any:
        return np.bincount(image, w * values, n) / total

    with np.errstate(divide="ignore", invalid="ignore"):
        total, pixels = (np.bincount(image, each, n).astype(float) for each in (w, np.ones_like(w)))
        total[pixels == 0] = np.nan
        x, y = (values - mean(values)[image] for values in (track.column.astype(float), track.row.astype(float)))
        xx, yy, xy = mean(x * x), mean(y * y), mean(x * y)
        angle = 0.5 * np.arctan2(2 * xy, xx - yy)
        along = x * np.cos(angle)[image] + y * np.sin(angle)[image]
        across = y * np.cos(angle)[image] - x * np.sin(angle)[image]
        length, width = np.sqrt(mean(along**2)), np.sqrt(mean(across**2))
        skewness = mean(along**3) / length**3
        flip = np.where(skewness < 0, -1.0, 1.0)
        angle = np.where(skewness < 0, angle + np.pi, angle)
        peak = np.full(n, -np.inf)
        np.maximum.at(peak, image, w)
        distance = np.hypot(x, y)
        far = np.zeros(n)
        np.maximum.at(far, image, distance)
        second = mean(w)
        table = {
            "light": total,
            "pixels": pixels,
            "length": length,
            "width": width,
            "roundness": width / length,
            "light per length": total / length,
            "light per pixel": total / pixels,
            "brightest pixel": np.where(pixels > 0, peak / total, np.nan),
            "concentration": second / total,
            "radius": mean(distance),
            "farthest": np.where(pixels > 0, far, np.nan),
            "skewness along": np.abs(skewness),
            "kurtosis along": mean(along**4) / length**4,
            "kurtosis across": mean(across**4) / width**4,
            "head share": mean((along * flip[image] > 0).astype(float)),
            "angle": angle,
        }
    return Table.of({name: np.where(np.isfinite(values), values, np.nan) for name, values in table.items()})


SHAPE = (
    "light", "pixels", "length", "width", "roundness", "light per length", "light per pixel", "brightest pixel",
    "concentration", "radius", "farthest", "skewness along", "kurtosis along", "kurtosis across", "head share",
)  # fmt: skip
