"""What a rejection means for the search: flux, events per kilogram and year, exposure, and directions."""

from __future__ import annotations

DENSITY = 0.3  # GeV/cm³, of dark matter here
SPEED = 220e5  # cm/s, of the Sun
MASS = 100.0  # GeV, of a WIMP
SIGNAL, BANANA = 1.0, 100.0  # events per kilogram and year


def flux(density: float = DENSITY, speed: float = SPEED, mass: float = MASS) -> float:
    """WIMPs per cm² and second: ρ v / m. The notes write ≈ 10⁵.

    >>> round(flux())
    66000
    """
    return density * speed / mass


def exposure(kept: float, rejected: float, sigmas: float = 3.0) -> float:
    """The kilogram years after which the signal is that many standard deviations of the background.

    s t = σ √(b t), with s and b the events that are kept per kilogram and year.

    >>> exposure(1.0, 0.0)
    900.0
    """
    signal, background = kept * SIGNAL, (1 - rejected) * BANANA
    return sigmas**2 * background / signal**2


def events_for_a_direction(head: float, sigmas: float = 3.0) -> float:
    """How many nuclei that all fly forwards differ from as many of all directions, if that share of heads is right.

    N of them have N · head forwards instead of N / 2, which has a standard deviation of √N / 2.

    >>> events_for_a_direction(1.0), events_for_a_direction(0.5)
    (9.0, inf)
    """
    excess = abs(2 * head - 1)
    return float("inf") if excess == 0 else (sigmas / excess) ** 2
