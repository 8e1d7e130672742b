"""Tracks of particles that slow down and scatter, and the charges that they leave, many tracks at once."""

from __future__ import annotations

import numpy as np

from probus.datasets._stopping import Slowing

_STEPS = 48  # of a track, of equal energy
_LARGEST = 200  # electrons of a cluster


def paths(
    energy: np.ndarray, slowing: Slowing, straggling: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Where each track is after each step, in mm from its start, tracks × (steps + 1) × 3; and its first direction.

    Directions are isotropic. In a step, the direction turns by an angle whose mean cosine is exp(−path / transport mean
    free path), drawn from the distribution of von Mises and Fisher. ``straggling`` is the relative standard deviation
    of the whole path about its mean.
    """
    n = len(energy)
    left = energy[:, None] * np.linspace(1, 0, _STEPS + 1)
    lengths = -np.diff(10 * slowing.path_at(left)) * rng.lognormal(-(straggling**2) / 2, straggling, (n, 1))
    cosines = np.exp(np.diff(slowing.turning_at(left)))
    direction = isotropic(n, rng)
    first, places = direction, np.zeros((n, _STEPS + 1, 3))
    for step in range(_STEPS):
        places[:, step + 1] = places[:, step] + lengths[:, step, None] * direction
        direction = turned(direction, cosines[:, step], rng)
    return places, first


def isotropic(n: int, rng: np.random.Generator) -> np.ndarray:
    """Directions that are equally frequent everywhere on the sphere."""
    vectors = rng.standard_normal((n, 3))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def turned(direction: np.ndarray, mean_cosine: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Each direction turned by a random angle with that mean cosine.

    The concentration of the distribution is that of Banerjee et al. (2005, JMLR 6), right to 2 %.
    """
    g = np.clip(mean_cosine, 1e-3, 1 - 1e-9)
    kappa = g * (3 - g**2) / (1 - g**2)
    u = rng.random(len(g))
    cosine = 1 + np.log(u + (1 - u) * np.exp(-2 * kappa)) / kappa
    cosine = np.clip(cosine, -1.0, 1.0)
    angle = rng.uniform(0, 2 * np.pi, len(g))
    across = np.cross(direction, np.where(np.abs(direction[:, :1]) < 0.7, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]))
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    third = np.cross(direction, across)
    sine = np.sqrt(1 - cosine**2)[:, None]
    new = cosine[:, None] * direction + sine * (np.cos(angle)[:, None] * across + np.sin(angle)[:, None] * third)
    return new / np.linalg.norm(new, axis=1, keepdims=True)


def charges_along(
    places: np.ndarray,
    energy: np.ndarray,
    slowing: Slowing,
    counts: np.ndarray,
    clustered: bool,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """The track of each charge, and where it was set free: as many per energy that ionises everywhere on a track.

    Where ``clustered``, charges come k at a place with a probability that falls as 1/k², as δ electrons do.
    """
    track = np.repeat(np.arange(len(counts)), counts)
    group = _clusters(track, rng) if clustered else np.arange(len(track))
    visible = slowing.visible_at(energy)
    fraction = rng.random(int(group[-1]) + 1 if len(group) else 0)[group]
    left = slowing.energy_with(fraction * visible[track]) / energy[track]
    at = (1 - left) * _STEPS
    step = np.minimum(at.astype(np.intp), _STEPS - 1)
    start = places[track, step]
    return track, start + (at - step)[:, None] * (places[track, step + 1] - start)


def _clusters(track: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The cluster of each charge; no cluster has charges of two tracks."""
    if not len(track):
        return track
    sizes = 1 / np.arange(1, _LARGEST + 1) ** 2
    drawn = rng.choice(np.arange(1, _LARGEST + 1), size=len(track), p=sizes / sizes.sum())
    ends = np.cumsum(drawn)
    first_of_all = np.searchsorted(ends, np.arange(len(track)), side="right")
    starts = np.concatenate([[False], (np.diff(first_of_all) > 0) | (np.diff(track) > 0)])
    return np.cumsum(starts)
