"""Simulated images of electrons and helium nuclei that recoil in a gas: the search for dark matter with a camera."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from probus.data import Column, Table
from probus.datasets._stopping import Slowing, slowing_of_electrons, slowing_of_helium
from probus.datasets._tracks import charges_along, paths
from probus.errors import DataError

PER_PAIR = 0.035  # keV of ionisation per electron set free
FANO = 0.2
SURVIVAL = 135.0  # cm of drift after which 1/e of the electrons are left
DRIFT = 50.0  # cm, the longest of LIME, a prototype of CYGNO
SPREAD = (0.13475, 0.0143819)  # mm² and mm²/cm: the variance of diffusion across the drift is a + b · drift
LIGHT = 6.5  # photoelectrons per electron
PIXEL = 0.3  # mm
PEDESTAL, PATTERN, WANDER = 100.0, 2.0, 0.5  # mean, spread between pixels, spread between images
STRAGGLING = 0.1  # of the path
AIM = 2.0  # mm, the largest distance of a track from the middle of its image

LOWEST, HIGHEST = 1.0, 50.0  # keV, where the simulation is valid
_VALID = "Stopping powers are not known below; longer tracks leave the image above."
_AT_ONCE = 1000
CLASSES = ("electron", "helium")


class Recoils(NamedTuple):
    """Images of recoils, their classes, and how they came about.

    Attributes
    ----------
    images : counts of the pixels, images × height × width.
    classes : "electron" or "helium" for each image.
    truth : a row for each image: "visible", the energy that ionises, and "energy", that of the recoil, in keV; "range",
        the length of its path in mm; "direction", the angle of its first direction in the image in radians (columns
        to rows), and "rise", the cosine of its angle to the line of sight; "row" and "column" of its middle in pixels;
        "drift" in cm; "charge", the electrons that arrive; "light", the photoelectrons in the image, and "contained",
        their share of all; "offset" of the pedestal, and "noise", the sum of the noise, in photoelectrons.
    """

    images: np.ndarray
    classes: np.ndarray
    truth: Table


def recoils(
    n: int,
    *,
    random_state: Any = None,
    energy: Sequence[float] = (1, 30),
    match: str = "visible",
    drift: Sequence[float] = (0, DRIFT),
    size: int = 48,
    noise: float = 2.0,
) -> Recoils:
    """Images of electrons and helium nuclei that recoil in helium and CF4, half of each, in random order.

    A particle slows down and scatters; electrons of the gas are set free, drift, spread, and are multiplied; a camera
    takes the light. The assumptions, with their sources, are in docs/recoils.md.

    Energies are uniform. With ``match="visible"`` the energy that ionises is, so that both classes are equally bright:
    this is what an experiment sees. Of the energy of a nucleus only a part ionises, and with ``match="recoil"`` nuclei
    are darker.

    Parameters
    ----------
    n : the number of images.
    random_state : the seed of what is drawn at random.
    energy : the lowest and the highest energy in keV, from 1 to 50.
    match : "visible" or "recoil": the energy that is drawn alike for both classes.
    drift : the shortest and the longest distance that charges drift, in cm, from 0 to 50.
    size : the height and width of an image in pixels of 0.3 mm, 16 or more.
    noise : the standard deviation of the noise of a pixel, in photoelectrons.

    Returns
    -------
    The images, their classes, and the truth about them, a named tuple.

    >>> images, classes, truth = recoils(100, random_state=0)
    >>> images.shape, int((classes == "helium").sum()), truth.names[:3]
    ((100, 48, 48), 50, ('visible', 'energy', 'range'))
    """
    _check(n, match, size, noise)
    energies = _interval(energy, "energy", "keV", (LOWEST, HIGHEST), _VALID)
    drifts = _interval(drift, "drift", "cm", (0.0, DRIFT), "")
    rng = np.random.default_rng(check_random_state(random_state).randint(np.iinfo(np.int32).max, size=4))
    is_helium = rng.permutation(np.arange(n) % 2 == 1)
    drawn, distance = rng.uniform(*energies, n), rng.uniform(*drifts, n)
    camera = np.random.default_rng(0).normal(PEDESTAL, PATTERN, (size, size))  # one camera: the same in every call
    chunks = [slice(at, at + _AT_ONCE) for at in range(0, n, _AT_ONCE)]
    parts = [_chunk(is_helium[rows], drawn[rows], distance[rows], match, camera, noise, rng) for rows in chunks]
    images = np.concatenate([each for each, _ in parts])
    names = list(parts[0][1])
    truth = Table(Column.numbers(name, np.concatenate([each[name] for _, each in parts])) for name in names)
    return Recoils(images, np.array(CLASSES)[is_helium.astype(int)], truth)


def _check(n: Any, match: Any, size: Any, noise: Any) -> None:
    if not isinstance(n, (int, np.integer)) or n < 1:
        raise DataError(f"n={n!r}.", "a whole number of images, 1 or more")
    if not isinstance(size, (int, np.integer)) or not 16 <= size <= 512:
        raise DataError(f"size={size!r}.", "a whole number of pixels from 16 to 512")
    if match not in ("visible", "recoil"):
        raise DataError(f"match={match!r}.", "'visible' or 'recoil'")
    if not isinstance(noise, (int, float, np.number)) or not 0 <= noise < float("inf"):
        raise DataError(f"noise={noise!r}.", "a number of photoelectrons, 0 or more")


def _interval(given: Any, name: str, unit: str, valid: tuple[float, float], hint: str) -> tuple[float, float]:
    """The two bounds of a quantity, within those where the simulation is valid."""
    try:
        low, high = (float(each) for each in given)
    except (TypeError, ValueError):
        raise DataError(f"{name}={given!r}.", f"the lowest and the highest in {unit}, as {valid!r}") from None
    if not (valid[0] <= low <= high <= valid[1]):
        expected = f"the lowest first, from {valid[0]:g} to {valid[1]:g} {unit}, where the simulation is valid"
        raise DataError(f"{name} from {low:g} to {high:g} {unit}.", expected, hint)
    return low, high


def _chunk(
    is_helium: np.ndarray,
    drawn: np.ndarray,
    drift: np.ndarray,
    match: str,
    camera: np.ndarray,
    noise: float,
    rng: np.random.Generator,
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Some images, and the truth about them."""
    n, size = len(drawn), len(camera)
    energy, visible, extent = drawn.copy(), drawn.copy(), np.zeros(n)
    first, track, places = np.zeros((n, 3)), [], []
    charge = np.zeros(n, dtype=np.int64)
    for helium, slowing in ((False, slowing_of_electrons()), (True, slowing_of_helium())):
        mine = np.flatnonzero(is_helium == helium)
        energy[mine], visible[mine] = _energies(drawn[mine], slowing, match)
        charge[mine] = _arriving(visible[mine], drift[mine], rng)
        path, first[mine] = paths(energy[mine], slowing, STRAGGLING, rng)
        extent[mine] = np.linalg.norm(np.diff(path, axis=1), axis=2).sum(axis=1)
        own, where = charges_along(path, energy[mine], slowing, charge[mine], not helium, rng)
        track.append(mine[own])
        places.append(where[:, :2])
    middle = rng.uniform(-AIM, AIM, (n, 2))
    light, all_light = _light(np.concatenate(track), np.concatenate(places), middle, drift, size, rng)
    offset = rng.normal(0, WANDER, n)
    dark = rng.standard_normal((n, size, size), dtype=np.float32) * np.float32(noise)
    counts = np.rint(light + dark + (camera + offset[:, None, None]))
    seen = light.sum(axis=(1, 2))
    truth = {
        "visible": visible,
        "energy": energy,
        "range": extent,
        "direction": np.arctan2(first[:, 1], first[:, 0]),
        "rise": first[:, 2],
        "row": size / 2 + middle[:, 1] / PIXEL,
        "column": size / 2 + middle[:, 0] / PIXEL,
        "drift": drift,
        "charge": charge.astype(float),
        "light": seen.astype(float),
        "contained": np.divide(seen, all_light, out=np.ones(n), where=all_light > 0),
        "offset": offset,
        "noise": dark.sum(axis=(1, 2), dtype=np.float64),
    }
    return np.clip(counts, 0, 65535).astype(np.uint16), truth


def _energies(drawn: np.ndarray, slowing: Slowing, match: str) -> tuple[np.ndarray, np.ndarray]:
    """The energy of each recoil, and the part that ionises."""
    if match == "visible":
        return slowing.energy_with(drawn), drawn
    return drawn, slowing.visible_at(drawn)


def _arriving(visible: np.ndarray, drift: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """How many electrons are set free, and survive the drift."""
    mean = visible / PER_PAIR
    free = np.maximum(np.rint(rng.normal(mean, np.sqrt(FANO * mean))), 1).astype(np.int64)
    return rng.binomial(free, np.exp(-drift / SURVIVAL))


def _light(
    track: np.ndarray, places: np.ndarray, middle: np.ndarray, drift: np.ndarray, size: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The photoelectrons of each pixel, and of each image and what lies outside it."""
    n = len(middle)
    number = np.maximum(np.bincount(track, minlength=n), 1)
    centre = np.column_stack([np.bincount(track, places[:, axis], n) / number for axis in (0, 1)])
    width = np.sqrt(SPREAD[0] + SPREAD[1] * drift)
    spread = rng.standard_normal(places.shape, dtype=np.float32) * width[track, None]
    pixel = np.floor((places + (middle - centre)[track] + spread) / PIXEL).astype(np.intp) + size // 2
    gain = rng.standard_exponential(len(track), dtype=np.float32)  # of the first multiplier, one electron each
    inside = ((pixel >= 0) & (pixel < size)).all(axis=1)
    at = (track * size + pixel[:, 1]) * size + pixel[:, 0]
    mean = np.bincount(at[inside], gain[inside], n * size * size).reshape(n, size, size)
    outside = rng.poisson(LIGHT * np.bincount(track[~inside], gain[~inside], n))
    light = rng.poisson(LIGHT * mean).astype(np.float32)
    return light, light.sum(axis=(1, 2)) + outside
