import numpy as np
import pytest

from probus.data import Column, Table


@pytest.fixture
def mixed() -> Table:
    """Sixty rows of every kind, with missing values in every column except one; no level is rare."""
    rng = np.random.default_rng(7)
    n = 60
    age, height = rng.normal(40, 10, n), rng.normal(170, 8, n)
    age[rng.random(n) < 0.2] = np.nan

    def labels(levels, missing):
        return [None if rng.random() < missing else levels[i] for i in rng.integers(len(levels), size=n)]

    return Table(
        [
            Column.numbers("age", age),
            Column.numbers("height", height),
            Column.labels("sex", labels(["f", "m"], 0.1), ["f", "m"]),
            Column.labels("smoker", labels([False, True], 0.1), [False, True]),
            Column.labels("colour", labels(["red", "green", "blue", "grey"], 0.15)),
            Column.labels("size", labels(["S", "M", "L"], 0.15)).as_kind(["S", "M", "L"]),
        ]
    )


@pytest.fixture
def survived(mixed) -> np.ndarray:
    rng = np.random.default_rng(8)
    return np.where(mixed["sex"].values + rng.normal(0, 0.6, mixed.n_rows) > 0.5, "yes", "no")
