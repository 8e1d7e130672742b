"""A fast trigger: a cascade that finds tracks in the frames of the whole camera."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from examples.recoils.cleaning import clusters
from examples.recoils.samples import Sample, binned, sample

from probus.ensemble import CascadeClassifier
from probus.metrics import estimate
from probus.preprocessing import HaarFeatures

WINDOW, FRAME, FACTOR = 10, 240, 2  # sums of 2 × 2 pixels
EVENTS, NOISE = 8, 2.0
TRACKS, FRAMES = 2000, 100  # to train on, and to judge on
SEEDS = (5, 6, 7, 8, 9)  # of images to train on

Find = Callable[[np.ndarray], np.ndarray]


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


def report(n_tracks: int = TRACKS, n_frames: int = FRAMES, seeds: Sequence[int] = SEEDS) -> Iterator[str]:
    """How many tracks cascades find, how fast, and how many DBSCAN finds in the same frames.

    The images are not those of the other models, whose first tracks depend on how many are drawn. A cascade is trained
    on those of each seed.
    """
    rng = np.random.default_rng(0)
    tracks = sample(n_frames * EVENTS, 10)
    frames = [frame(tracks, k * EVENTS, rng) for k in range(n_frames)]
    for seed in seeds:
        cascade = trained(sample(n_tracks, seed), rng)
        first = cascade.detect(binned(frames[0].light[None], FACTOR)[0], scale=1)
        used = f"a window needs {first.stumps:.1f} of {len(cascade.cut_)} stumps"
        yield f"cascade {seed}: {_found(frames, _by_cascade(cascade))}; {used}"
    yield f"DBSCAN: {_found(frames, _by_clusters)}"
    yield f"Of cascade {seeds[-1]}: {cascade.stages_}"


def trained(tracks: Sample, rng: np.random.Generator) -> CascadeClassifier:
    """A cascade that lets one of a thousand windows of noise pass."""
    rates = (0.5, 0.1, 0.01, 0.001)
    cascade = CascadeClassifier(
        HaarFeatures(max_features=400, random_state=0), false_positive_rates=rates, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a stage that runs out of stumps; the rates are printed
        return cascade.fit(*windows(tracks, len(tracks), rng))


def _found(frames: Sequence[Frame], find: Find) -> str:
    """Shares of tracks that are found, and of those that false alarms of another frame find; their number; time."""
    began = time.perf_counter()
    places = [find(each.light) for each in frames]
    milliseconds = 1000 * (time.perf_counter() - began) / len(frames)
    near = [_near(*each) for each in zip(frames, places, strict=True)]
    false = [place[~each.any(axis=0)] for place, each in zip(places, near, strict=True)]
    seen = np.concatenate([each.any(axis=1) for each in near]).astype(int)
    chance = np.mean([_near(*each).any(axis=1) for each in zip(frames, false[1:] + false[:1], strict=True)])
    energies = np.concatenate([each.energies for each in frames])
    shares = [
        f"{low}–{high} keV {estimate('accuracy', np.ones_like(seen[rows]), seen[rows], classes=[0, 1]):.2f}"
        for low, high in ((1, 3), (3, 30))
        for rows in [(energies >= low) & (energies < high)]
    ]
    alarms = np.mean([len(each) for each in false])
    return f"found {', '.join(shares)}; by chance {chance:.2f}; {alarms:.1f} false in a frame; {milliseconds:.0f} ms"


def _near(tracks: Frame, places: np.ndarray) -> np.ndarray:
    """Which detections (columns) are within a window's size of which tracks."""
    return np.hypot(tracks.rows[:, None] - places[:, 0], tracks.columns[:, None] - places[:, 1]) < 2 * WINDOW


def _by_cascade(cascade: CascadeClassifier) -> Find:
    def find(light: np.ndarray) -> np.ndarray:
        boxes = cascade.detect(binned(light[None], FACTOR)[0], scale=1, overlap=0.1).boxes
        return FACTOR * (boxes[:, :2] + WINDOW / 2)

    return find


def _by_clusters(light: np.ndarray) -> np.ndarray:
    cluster, (_, row, column), bright = clusters(light[None], NOISE)
    lit = cluster >= 0
    total = np.bincount(cluster[lit], bright[lit])
    return np.column_stack([np.bincount(cluster[lit], (bright * each)[lit]) / total for each in (row, column)])
