"""Reading delimited text against polars, which parses it for us but does not infer kinds."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import probus
from benchmarks.measure import Contest

ROWS = 200_000


def contests() -> Iterator[Contest]:
    with tempfile.TemporaryDirectory() as folder:
        for quoting in ("necessary", "non_numeric"):
            path = Path(folder) / f"{quoting}.csv"
            mixed(ROWS).write_csv(path, quote_style=quoting)  # type: ignore[arg-type]
            yield Contest(
                f"read, {ROWS:,} × 10, " + ("strings in quotes" if quoting == "non_numeric" else "no quotes"),
                lambda path=path: probus.read(path),
                "polars",
                lambda path=path: pl.read_csv(path),
                1 / 1.5,
                _same_numbers,
                rounds=9,
            )


def mixed(n: int) -> pl.DataFrame:
    """Decimals, integers, labels with few and many levels, and missing values."""
    rng = np.random.default_rng(0)
    share = rng.random(n).round(3)
    code = rng.integers(0, 13, n)
    return pl.DataFrame(
        {
            "normal": rng.normal(size=n).round(4),
            "price": rng.normal(50, 10, n).round(2),
            "exact": rng.exponential(size=n),
            "integer": rng.integers(0, 100_000, n),
            "digit": rng.integers(0, 10, n),
            "flag": rng.integers(0, 2, n),
            "colour": rng.choice(["red", "green", "blue", "a longer label"], n),
            "town": [f"town {place}" for place in rng.integers(0, 2000, n)],
            "gaps": pl.Series(np.where(share < 0.1, np.nan, share), nan_to_null=True),
            "level": [None if place == 0 else f"L{place}" for place in code],
        }
    )


def _same_numbers(ours: Any, theirs: pl.DataFrame) -> str:
    numeric = [name for name, dtype in theirs.schema.items() if dtype.is_numeric()]
    same = all(np.array_equal(ours[n].numbers_array(), theirs[n].cast(pl.Float64).to_numpy(), True) for n in numeric)
    return f"{len(numeric)} numeric columns {'equal' if same else 'different'}; kinds are inferred by Probus only"
