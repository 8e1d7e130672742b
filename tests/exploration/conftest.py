"""Tables with and without groups, of populations that no rule of the package was chosen on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from probus.data import Table
from probus.exploration import Exploration, explore


def _without_groups(shape: str, seed: int, n: int = 150) -> Table:
    """Columns that are independent, or one skewed and correlated cloud."""
    rng = np.random.default_rng([seed, 100])
    if shape == "numbers":
        columns = {"a": rng.laplace(size=n), "b": rng.beta(2, 5, n), "c": rng.gumbel(size=n), "d": rng.random(n)}
    elif shape == "levels":
        columns = {name: rng.choice(list("vwxyz"), n, p=[0.4, 0.3, 0.15, 0.1, 0.05]) for name in "abcd"}
    elif shape == "mixed":
        columns = {"a": rng.exponential(size=n), "b": rng.choice(["low", "high"], n), "c": rng.choice(list("xyz"), n)}
        columns["d"] = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n))
        columns["e"] = rng.binomial(6, 0.4, n).astype(float)
    else:
        size = rng.gamma(3.0, size=n)
        columns = {name: size * rng.gamma(20.0, size=n) for name in "abcd"}
    return Table.of(columns)


def _with_groups(seed: int, n: int = 150) -> tuple[Table, np.ndarray]:
    """Three groups of mixed columns with missing values, and the group of each row."""
    rng = np.random.default_rng([seed, 200])
    group = np.sort(rng.choice(3, n, p=[0.5, 0.3, 0.2]))
    numbers = rng.gumbel(size=(n, 3)) + 4.0 * np.array([[0, 0, 0], [1.5, 0, 1.5], [0, 1.5, -1.5]])[group]
    numbers[rng.random((n, 3)) < 0.1] = np.nan
    colour = np.where(rng.random(n) < 0.8, np.array(["red", "green", "blue"])[group], "grey")
    noise = rng.choice(["yes", "no"], n)
    columns = {"height": numbers[:, 0], "width": numbers[:, 1], "weight": numbers[:, 2]}
    return Table.of({**columns, "colour": colour, "noise": noise}), group


@pytest.fixture(scope="session")
def without_groups() -> Callable[..., Table]:
    return _without_groups


@pytest.fixture(scope="session")
def with_groups() -> Callable[..., tuple[Table, np.ndarray]]:
    return _with_groups


@pytest.fixture(scope="session")
def penguins() -> Exploration:
    """The exploration of penguins with a planted odd row, number 7."""
    from probus.datasets import load

    table = load("penguins").to_polars().to_dict(as_series=False)
    table["body_mass_g"][7] = 41000.0
    table["bill_length_mm"][7] = 3.6
    return explore(table)
