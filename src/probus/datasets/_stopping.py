"""How electrons and helium nuclei slow down in a gas, by formulas of the literature. Energies are in keV.

- Electrons: the collision stopping power of Berger and Seltzer (1982, NBSIR 82-2550; ICRU 37), with the mean excitation
  energy of Joy and Luo (1989, Scanning 11) that stays valid at low energies; scattering by the screened Coulomb field
  of the nuclei with Molière's screening angle (Bethe 1953, Phys. Rev. 89).
- Helium: electronic stopping of Lindhard and Scharff (1961, Phys. Rev. 124), nuclear stopping of Ziegler, Biersack and
  Littmark (1985), ionisation of Lindhard et al. (1963) as fitted by Lewin and Smith (1996, Astropart. Phys. 6).

Mixtures add by atoms (Bragg's rule).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

AVOGADRO = 6.02214e23
_ELECTRON_MASS = 511.0  # keV
_FINE_STRUCTURE = 1 / 137.036
_RADIUS = 2.81794e-13  # of the electron, cm
_LOWEST, _HIGHEST = 0.02, 200.0  # keV, of the tables


class Element(NamedTuple):
    """An element: charge, mass in atomic units, mean excitation energy in keV (ICRU 37)."""

    Z: int
    A: float
    excitation: float


HELIUM, CARBON, FLUORINE = Element(2, 4.0026, 0.0418), Element(6, 12.011, 0.081), Element(9, 18.998, 0.115)


@dataclass(frozen=True)
class Gas:
    """Elements with the atoms of each in a molecule, on average, and the density in g/cm³."""

    atoms: tuple[tuple[Element, float], ...]
    density: float

    @property
    def molar_mass(self) -> float:
        """Grams per mole."""
        return sum(n * element.A for element, n in self.atoms)

    def per_gram(self) -> list[tuple[Element, float]]:
        """The atoms of each element in a gram."""
        return [(element, n * AVOGADRO / self.molar_mass) for element, n in self.atoms]


# 60 % helium and 40 % CF4 by volume at 1 atm and 20 °C, where a mole takes 24,055 cm³
HE_CF4 = Gas(((HELIUM, 0.6), (CARBON, 0.4), (FLUORINE, 1.6)), (0.6 * 4.0026 + 0.4 * 88.003) / 24055)


# -- electrons ---------------------------------------------------------------------------------------------------


def electron_stopping(E: np.ndarray, gas: Gas) -> np.ndarray:
    """The collision stopping power of electrons, in keV cm²/g."""
    tau = E / _ELECTRON_MASS
    beta2 = tau * (tau + 2) / (tau + 1) ** 2
    bracket = 1 - beta2 + (tau**2 / 8 - (2 * tau + 1) * np.log(2)) / (tau + 1) ** 2
    total = np.zeros_like(E)
    for element, n in gas.per_gram():
        mean = element.excitation / (1 + 0.85 * element.excitation / E)
        logarithm = np.log(tau**2 * (tau + 2) / (2 * (mean / _ELECTRON_MASS) ** 2))
        total += n * element.Z * 2 * np.pi * _RADIUS**2 * _ELECTRON_MASS / beta2 * (logarithm + bracket)
    return total


def electron_scattering(E: np.ndarray, gas: Gas) -> np.ndarray:
    """The mean of 1 − cos θ by elastic scattering per path, in cm²/g: the inverse of the transport mean free path.

    Z (Z + 1) includes scattering by the electrons of the atoms.
    """
    tau = E / _ELECTRON_MASS
    beta2 = tau * (tau + 2) / (tau + 1) ** 2
    momentum = np.sqrt(tau * (tau + 2))  # in units of m c
    total = np.zeros_like(E)
    for element, n in gas.per_gram():
        radius = 0.88534 / _FINE_STRUCTURE * element.Z ** (-1 / 3)  # Thomas and Fermi, in units of ħ / (m c)
        eta = (1.13 + 3.76 * (_FINE_STRUCTURE * element.Z) ** 2 / beta2) / (2 * momentum * radius) ** 2
        strength = 2 * np.pi * element.Z * (element.Z + 1) * (_RADIUS / (momentum**2 / np.sqrt(1 + momentum**2))) ** 2
        total += n * strength * (np.log1p(1 / eta) - 1 / (1 + eta))
    return total


# -- helium ------------------------------------------------------------------------------------------------------


def electronic_stopping(E: np.ndarray, gas: Gas) -> np.ndarray:
    """The stopping power of electrons for helium nuclei, proportional to the velocity, in keV cm²/g."""
    velocity = np.sqrt(E / (24.97 * HELIUM.A))  # in units of Bohr's
    total = np.zeros_like(E)
    for element, n in gas.per_gram():
        screening = (HELIUM.Z ** (2 / 3) + element.Z ** (2 / 3)) ** 1.5
        total += n * 1.915e-17 * HELIUM.Z ** (1 / 6) * HELIUM.Z * element.Z / screening * velocity
    return total


def nuclear_stopping(E: np.ndarray, gas: Gas) -> tuple[np.ndarray, np.ndarray]:
    """The stopping power of nuclei for helium in keV cm²/g, and the mean of 1 − cos θ per path in cm²/g.

    A collision that transfers T deflects by 1 − cos θ = M T / (2 m E), with M the mass of the target.
    """
    total, bend = np.zeros_like(E), np.zeros_like(E)
    for element, n in gas.per_gram():
        masses, charges = HELIUM.A + element.A, HELIUM.Z**0.23 + element.Z**0.23
        eps = 32.53 * element.A * E / (HELIUM.Z * element.Z * masses * charges)
        reduced = np.log1p(1.1383 * eps) / (2 * (eps + 0.01321 * eps**0.21226 + 0.19593 * np.sqrt(eps)))
        stopping = n * 8.462e-18 * HELIUM.Z * element.Z * HELIUM.A / (masses * charges) * reduced
        total += stopping
        bend += element.A / HELIUM.A * stopping / (2 * E)
    return total, bend


def lindhard(E: np.ndarray) -> np.ndarray:
    """The share of the energy of a helium nucleus in helium that ionises."""
    eps = 11.5 * HELIUM.Z ** (-7 / 3) * np.asarray(E, float)
    k = 0.133 * HELIUM.Z ** (2 / 3) * HELIUM.A**-0.5
    g = k * (3 * eps**0.15 + 0.7 * eps**0.6 + eps)
    return g / (1 + g)


# -- tables ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Slowing:
    """How a particle slows down to rest, as tables over its energy.

    Attributes
    ----------
    energy : in keV.
    path : the mean path that is left, in cm (the range of continuous slowing down).
    turning : the transport mean free paths that are left.
    visible : the energy that ionises from here on, in keV.
    """

    energy: np.ndarray
    path: np.ndarray
    turning: np.ndarray
    visible: np.ndarray

    def path_at(self, E: np.ndarray) -> np.ndarray:
        """The path that is left, in cm."""
        return np.interp(E, self.energy, self.path)

    def turning_at(self, E: np.ndarray) -> np.ndarray:
        """The transport mean free paths that are left."""
        return np.interp(E, self.energy, self.turning)

    def visible_at(self, E: np.ndarray) -> np.ndarray:
        """The energy that ionises, in keV."""
        return np.interp(E, self.energy, self.visible)

    def energy_with(self, visible: np.ndarray) -> np.ndarray:
        """The energy of which so much ionises, in keV."""
        return np.interp(visible, self.visible, self.energy)


@cache
def slowing_of_electrons(gas: Gas = HE_CF4) -> Slowing:
    """All energy of an electron ionises."""
    E = np.geomspace(_LOWEST, _HIGHEST, 2000)
    stopping = electron_stopping(E, gas)
    return _tables(E, stopping, electron_scattering(E, gas), E, gas)


@cache
def slowing_of_helium(gas: Gas = HE_CF4) -> Slowing:
    """Part of the energy of a nucleus goes to nuclei that do not ionise."""
    E = np.geomspace(_LOWEST, _HIGHEST, 2000)
    nuclear, bend = nuclear_stopping(E, gas)
    return _tables(E, electronic_stopping(E, gas) + nuclear, bend, E * lindhard(E), gas)


def _tables(E: np.ndarray, stopping: np.ndarray, bend: np.ndarray, visible: np.ndarray, gas: Gas) -> Slowing:
    path = _integral(E, 1 / stopping, E[0] / stopping[0]) / gas.density
    turning = _integral(E, bend / stopping, 0.0)
    start = np.zeros(1)
    return Slowing(*(np.concatenate([start, each]) for each in (E, path, turning, visible)))


def _integral(E: np.ndarray, slope: np.ndarray, first: float) -> np.ndarray:
    steps = 0.5 * (slope[1:] + slope[:-1]) * np.diff(E)
    return first + np.concatenate([[0.0], np.cumsum(steps)])
