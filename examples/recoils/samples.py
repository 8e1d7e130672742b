"""Images of three seeds: to train on, to combine models on, and to judge them on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from examples.recoils.cleaning import Camera, tracks
from examples.recoils.features import SHAPE, features

from probus.data import Table
from probus.datasets import recoils

SIGNAL = "helium"
BINS = ((1, 5), (5, 10), (10, 15), (15, 20), (20, 30))  # keV of visible energy
CALIBRATION = 1000  # images from which the pedestal is known


@dataclass(frozen=True)
class Sample:
    """Images without pedestal, numbers of their tracks, classes, and the truth."""

    light: np.ndarray
    features: Table
    classes: np.ndarray
    truth: Table

    def __len__(self) -> int:
        return len(self.classes)

    def true(self, name: str) -> np.ndarray:
        """A column of the truth."""
        return np.asarray(self.truth[name].values)

    def within(self, low: float, high: float, name: str = "visible") -> np.ndarray:
        """Which images have a true value in an interval."""
        return (self.true(name) >= low) & (self.true(name) < high)

    @property
    def shape(self) -> Table:
        """The features that do not depend on where a track points."""
        return self.features[list(SHAPE)]


def sample(n: int, seed: int, camera: Camera | None = None, **how: float) -> Sample:
    """Simulated images, cleaned; the camera is calibrated on the first images unless it is given."""
    images, classes, truth = recoils(n, random_state=seed, **how)
    camera = camera or Camera.of(images[:CALIBRATION])
    light = camera.light(images)
    return Sample(light, features(tracks(light, camera.noise), n), classes, truth)


def binned(light: np.ndarray, factor: int) -> np.ndarray:
    """Images whose pixels are sums of factor × factor pixels."""
    n, height, width = light.shape
    return light.reshape(n, height // factor, factor, width // factor, factor).sum(axis=(2, 4))
