"""A fast trigger: a cascade that finds tracks in the frames of the whole camera."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from examples.recoils.cleaning import clusters
from examples.recoils.samples import Sample, binned

from probus.ensemble import CascadeClassifier
from probus.metrics import estimate
from probus.preprocessing import HaarFeatures

WINDOW, FRAME, FACTOR = 10, 240, 2  # sums of 2 × 2 pixels
EVENTS, NOISE = 8, 2.0


class Frame(NamedTuple):
    """What the whole camera sees, and where the tracks are in it."""

    light: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    energies: np.ndarray


def windows(sample: Sample, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Windows on the middle of tracks, and windows on noise."""
    images = binned(sample.light[:n], FACTOR)
    half = WINDOW // 2
    row, column = (np.rint(sample.true(name)[:n] / FACTOR).astype(int) - half for name in ("row", "column"))
    positive = np.array([each[r : r + WINDOW, c : c + WINDOW] for each, r, c in zip(images, row, column, strict=True)])
    noise = rng.normal(0, NOISE * FACTOR, (3 * n, WINDOW, WINDOW))
    return np.concatenate([positive, noise]), np.repeat([1, 0], [n, 3 * n])


def frame(sample: Sample, at: int, rng: np.random.Generator) -> Frame:
    """A dark frame onto which a few images are laid, where they do not overlap."""
    light = rng.normal(0, NOISE, (FRAME * FACTOR, FRAME * FACTOR)).astype(np.float32)
    size = sample.light.shape[1]
    cells = rng.choice((FRAME * FACTOR // size) ** 2, EVENTS, replace=False)
    top, left = (size * each for each in np.divmod(cells, FRAME * FACTOR // size))
    mine = np.arange(at, at + EVENTS)
    for k, r, c in zip(mine, top, left, strict=True):
        light[r : r + size, c : c + size] = sample.light[k]
    return Frame(
        light, top + sample.true("row")[mine], left + sample.true("column")[mine], sample.true("visible")[mine]
    )


def report(training: Sample, test: Sample, n_frames: int = 25) -> Iterator[str]:
    """How many tracks a cascade finds, how fast, and how many DBSCAN finds in the same frames."""
    rng = np.random.default_rng(0)
    cascade = CascadeClassifier(
        HaarFeatures(max_features=400, random_state=0), false_positive_rates=(0.5, 0.1, 0.01, 0.001), random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cascade.fit(*windows(training, min(2000, len(training)), rng))
    yield str(cascade.stages_)
    frames = [frame(test, k * EVENTS, rng) for k in range(min(n_frames, len(test) // EVENTS))]
    energies = np.concatenate([each.energies for each in frames])
    for name, find in (("cascade", _by_cascade(cascade)), ("DBSCAN", _by_clusters)):
        began, found, false = time.perf_counter(), [], 0
        for each in frames:
            places = find(each.light)
            near = np.hypot(each.rows[:, None] - places[:, 0], each.columns[:, None] - places[:, 1]) < 2 * WINDOW
            found.append(near.any(axis=1))
            false += int((~near.any(axis=0)).sum())
        seconds = (time.perf_counter() - began) / len(frames)
        seen = np.concatenate(found).astype(int)
        shares = [
            f"{low}–{high} keV {estimate('accuracy', np.ones_like(seen[rows]), seen[rows], classes=[0, 1]):.2f}"
            for low, high in ((1, 3), (3, 30))
            for rows in [(energies >= low) & (energies < high)]
        ]
        yield f"{name}: found {', '.join(shares)}; {false / len(frames):.1f} false in a frame; {1000 * seconds:.0f} ms"
    last = cascade.detect(binned(frames[0].light[None], FACTOR)[0], scale=1)
    yield f"A window needed {last.stumps:.1f} of {len(cascade.cut_)} stumps."


def _by_cascade(cascade: CascadeClassifier) -> Callable[[np.ndarray], np.ndarray]:
    def find(light: np.ndarray) -> np.ndarray:
        boxes = cascade.detect(binned(light[None], FACTOR)[0], scale=1, overlap=0.1).boxes
        return FACTOR * (boxes[:, :2] + WINDOW / 2)

    return find


def _by_clusters(light: np.ndarray) -> np.ndarray:
    cluster, (_, row, column), bright = clusters(light[None], NOISE)
    lit = cluster >= 0
    total = np.bincount(cluster[lit], bright[lit])
    return np.column_stack([np.bincount(cluster[lit], (bright * each)[lit]) / total for each in (row, column)])
