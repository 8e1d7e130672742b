"""``python -m research.row_copies {chosen,judged} [tables of a kind]``: which copies of rows are found (PB303)?

The rules of ``probus.data.findings._copies`` were chosen on ``CHOSEN_COPIES``, ``CHOSEN_OTHERS`` and panels drawn with
seed 7. They were judged on ``JUDGED_COPIES``, ``JUDGED_OTHERS`` and panels drawn with seed 11.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from probus.data import Table
from probus.data.findings._copies import copies_of

Random = np.random.Generator
Columns = Mapping[str, Any]
Copied = Callable[[Random, np.ndarray], Columns]  # from the source of each row


def _numbers(X: np.ndarray) -> dict[str, np.ndarray]:
    return {f"x{j}": X[:, j] for j in range(X.shape[1])}


def _levels(X: np.ndarray, name: str = "k") -> dict[str, np.ndarray]:
    return {f"{name}{j}": np.array(list("abcdefgh"))[X[:, j]] for j in range(X.shape[1])}


def _dates(r: Random, n: int) -> np.ndarray:
    seconds = r.choice(30_000_000, n, replace=False)
    return np.datetime64("2023-01-01T00:00:00") + seconds.astype("timedelta64[s]")


def _noise(r: Random, X: np.ndarray, size: float, columns: list[int]) -> np.ndarray:
    X = X.copy()
    X[:, columns] += size * X[:, columns].std(axis=0) * r.normal(size=(len(X), len(columns)))
    return X


def _scales(r: Random, n: int) -> np.ndarray:
    return np.clip(np.round(4 + 1.1 * r.normal(size=(n, 3))[:, np.arange(12) % 3] + 0.9 * r.normal(size=(n, 12))), 1, 7)


def _classes(r: Random, n: int, kinds: int, items: int, shape: float = 1.0) -> np.ndarray:
    share = r.beta(shape, shape, (kinds, items))
    return (r.random((n, items)) < share[r.integers(0, kinds, n)]).astype(int)


# -- with copies ---------------------------------------------------------------------------------------

CHOSEN_COPIES: dict[str, tuple[int, float, Copied]] = {  # rows, copies per row, and the columns
    "exact": (300, 0.1, lambda r, s: _numbers(r.normal(size=(300, 4))[s])),
    "beside a date": (300, 0.3, lambda r, s: {"when": _dates(r, len(s)), **_numbers(r.normal(size=(300, 4))[s])}),
    "levels only": (400, 0.3, lambda r, s: _levels(r.integers(0, 4, (400, 10))[s])),
    "noise in two of six": (400, 0.3, lambda r, s: _numbers(_noise(r, r.normal(size=(400, 6))[s], 0.02, [0, 1]))),
    "noise in all": (300, 0.5, lambda r, s: _numbers(_noise(r, r.normal(size=(300, 5))[s], 0.02, [0, 1, 2, 3, 4]))),
    "noise in the only two": (
        300,
        0.3,
        lambda r, s: (
            _numbers(_noise(r, r.normal(size=(300, 2))[s], 0.02, [0, 1])) | _levels(r.integers(0, 5, (300, 4))[s])
        ),
    ),
}
JUDGED_COPIES: dict[str, tuple[int, float, Copied]] = {
    "seconds that ascend": (
        500,
        0.15,
        lambda r, s: (
            {"ts": r.exponential(50, len(s)).cumsum(), **_numbers(np.round(r.lognormal(size=(500, 3)), 3)[s])}
            | _levels(r.integers(0, 5, (500, 3))[s])
        ),
    ),
    "classes of answers": (
        600,
        0.2,
        lambda r, s: _levels(_classes(r, 600, 3, 15)[s], "q") | _levels(r.integers(0, 6, (600, 3))[s]),
    ),
    "scales": (500, 0.25, lambda r, s: _numbers(_scales(r, 500)[s])),
    "noise in two of five": (
        500,
        0.3,
        lambda r, s: _numbers(
            np.round(_noise(r, (r.normal(size=(500, 5)) @ r.normal(size=(5, 5)))[s], 0.015, [1, 3]), 3)
        ),
    ),
    "noise in two of eight": (800, 0.2, lambda r, s: _numbers(_noise(r, r.random((800, 8))[s], 0.014, [0, 1]))),
    "factors of about 1": (
        400,
        0.4,
        lambda r, s: _numbers(r.gamma(2, size=(400, 6))[s] * (1 + 0.01 * r.normal(size=(len(s), 6)))),
    ),
    "noise beside a date": (
        400,
        0.3,
        lambda r, s: {
            "date": _dates(r, len(s)),
            **_numbers(r.normal(size=(400, 5))[s] + 0.01 * r.normal(size=(len(s), 5))),
        },
    ),
    "noise in two among levels": (
        500,
        0.25,
        lambda r, s: (
            _numbers(np.round(r.gamma(2, size=(500, 2))[s] * (1 + 0.01 * r.normal(size=(len(s), 2))), 3))
            | _levels(r.integers(0, 4, (500, 3))[s])
            | _levels(r.integers(0, 2, (500, 2))[s], "b")
        ),
    ),
}


# -- without copies ------------------------------------------------------------------------------------


def _panel(
    units: int, times: int, const: int, vary: Callable[[Random, np.ndarray, np.ndarray], Columns]
) -> Callable[[Random], Columns]:
    """Rows of units by times: numbers of the unit, and what varies, given unit and time of each row."""

    def made(r: Random) -> Columns:
        unit, time = np.repeat(np.arange(units), times), np.tile(np.arange(times), units)
        fixed = {f"c{j}": np.round(r.lognormal(5, 0.5, units), 1)[unit] for j in range(const)}
        return fixed | {"kind": r.choice(list("abcd"), units)[unit]} | dict(vary(r, unit, time))

    return made


def _about(r: Random, unit: np.ndarray, within: float, digits: int = 1, size: float = 10.0) -> np.ndarray:
    """A number of the unit, and noise within it as a share of that between units."""
    return np.round(size * (r.normal(size=unit.max() + 1)[unit] + within * r.normal(size=len(unit))), digits)


def _walk(r: Random, n: int) -> np.ndarray:
    steps = np.cumsum(r.normal(size=(n, 4)), axis=0) * 0.3
    return np.round(steps - np.linspace(0, 1, n)[:, None] * steps[-1], 2)


CHOSEN_OTHERS: dict[str, Callable[[Random], Columns]] = {
    "shops by days": _panel(150, 10, 2, lambda r, u, t: {"promo": r.integers(0, 2, len(u)), "weekday": t % 7}),
    "shops by weeks": _panel(
        120, 60, 0, lambda r, u, t: {"week": t, "cpi": _about(r, u, 0.05, 2), "fuel": np.round(3 + 0.01 * t, 2)}
    ),
    "patients by visits": _panel(
        250, 4, 2, lambda r, u, t: {"visit": t, "bmi": _about(r, u, 0.05), "hba1c": _about(r, u, 0.2, 1, 1.0)}
    ),
    "patients by doses": _panel(250, 4, 2, lambda r, u, t: {"dose": r.choice([0, 5, 10], len(u))}),
    "patients by pulse": _panel(250, 4, 3, lambda r, u, t: {"pulse": _about(r, u, 0.4, 0), "bp": _about(r, u, 0.3, 0)}),
    "classes of answers": lambda r: _levels(_classes(r, 500, 3, 12, 0.6), "q"),
    "mostly no": lambda r: _levels((r.random((600, 14)) < 0.08 * r.gamma(1, size=(600, 1))).astype(int)),
    "scales": lambda r: _numbers(_scales(r, 500)[:, :8]),
    "an experiment": lambda r: _levels(
        np.repeat(np.stack(np.meshgrid(*[np.arange(3)] * 4), -1).reshape(-1, 4), 4, axis=0)
    ),
    "dates": lambda r: {"when": _dates(r, 400), **_numbers(r.normal(size=(400, 3)))},
}
JUDGED_OTHERS: dict[str, Callable[[Random], Columns]] = {
    "machines by states": _panel(
        120, 15, 3, lambda r, u, t: {"state": r.choice(list("abc"), len(u)), "by": r.choice(list("pqrs"), len(u))}
    ),
    "machines by hours": _panel(100, 20, 3, lambda r, u, t: {"hour": t, "heat": np.round(r.normal(60, 2, len(u)), 1)}),
    "pupils of schools": _panel(
        150, 10, 2, lambda r, u, t: {"sex": r.choice(["m", "f"], len(u)), "grade": r.integers(1, 7, len(u))}
    ),
    "patients by months": _panel(
        200, 6, 1, lambda r, u, t: {"month": 3 * t, "weight": _about(r, u, 0.06), "egfr": _about(r, u, 0.1, 0)}
    ),
    "before and after": _panel(
        200, 2, 1, lambda r, u, t: {"grip": _about(r, u, 0.25), "walk": _about(r, u, 0.25, 0), "arm": t.astype(str)}
    ),
    "countries by years": _panel(
        120, 20, 0, lambda r, u, t: {"year": t, "life": _about(r, u, 0.05), "urban": _about(r, u, 0.02) + 0.3 * t}
    ),
    "products by shops": _panel(200, 8, 3, lambda r, u, t: {"shop": t, "sales": r.poisson(20, len(u))}),
    "sessions with dates": _panel(
        200, 5, 2, lambda r, u, t: {"when": _dates(r, len(u)), "speed": _about(r, u, 0.2, 2)}
    ),
    "votes": lambda r: _levels(_classes(r, 435, 2, 16, 0.5), "v"),
    "weather": lambda r: {
        "when": np.datetime64("2024-01-01T00:00") + 10 * np.arange(700).astype("timedelta64[m]"),
        **_numbers(_walk(r, 700)),
    },
    "a survey": lambda r: {
        "age": r.integers(18, 80, 900),
        "kids": r.poisson(1, 900),
        "income": np.round(r.lognormal(10, 0.5, 900), -3),
        **_levels(r.integers(0, 6, (900, 3))),
    },
    "places": lambda r: {
        **_numbers(np.round(r.normal(size=(40, 2))[r.integers(0, 40, 600)] + 0.05 * r.normal(size=(600, 2)), 4)),
        **_levels(r.integers(0, 6, (600, 3))),
    },
}


def _drawn_panel(r: Random) -> Columns:
    """A panel whose number of columns of each sort, noise, digits and clock are drawn."""
    n, times = int(r.integers(60, 201)), int(r.choice([2, 3, 4, 6, 10, 20, 30]))
    const, vary, within = int(r.integers(1, 6)), int(r.integers(0, 4)), float(r.choice([0.05, 0.1, 0.2, 0.5, 1.0]))
    unit, digits = np.repeat(np.arange(n), times), int(r.choice([1, 2, 6]))
    columns: dict[str, Any] = {f"c{j}": np.round(r.normal(size=n), digits)[unit] for j in range(const)}
    columns |= {f"v{j}": _about(r, unit, within, digits, 1.0) for j in range(vary)}
    if r.random() < 2 / 3:
        columns["time"] = np.tile(np.arange(times), n)
    fixed, changing = int(r.integers(0, 3)), int(r.integers(0, 3))
    return (
        columns
        | _levels(r.integers(0, 3, (n, fixed))[unit], "k")
        | _levels(r.integers(0, 3, (n * times, changing)), "l")
    )


def main(arguments: list[str]) -> None:
    """Print, for each kind, in how many tables copies were found, and the share of pairs that are joined."""
    judged, tables = arguments[0] == "judged", int(arguments[1]) if len(arguments) > 1 else 15
    for place, (kind, (n, share, made)) in enumerate((JUDGED_COPIES if judged else CHOSEN_COPIES).items()):
        hits, joined, wrong = 0, [], []
        for seed in range(tables):
            r = np.random.default_rng([judged, place, seed])
            source = np.append(np.arange(n), r.integers(0, n, int(share * n)))
            found = copies_of(tuple(Table.of(made(r, source))))
            unit = np.arange(len(source)) if found is None else found.unit
            pairs = np.triu_indices(len(source), 1)
            together, same = (unit[:, None] == unit)[pairs], (source[:, None] == source)[pairs]
            hits += found is not None
            joined.append(together[same].mean())
            wrong.append((together & ~same).sum() / max(together.sum(), 1))
        print(f"| {kind} | {hits} of {tables} | {np.mean(joined):.0%} | {np.mean(wrong):.1%} |", flush=True)
    for place, (kind, others) in enumerate((JUDGED_OTHERS if judged else CHOSEN_OTHERS).items()):
        generators = [np.random.default_rng([2 + judged, place, seed]) for seed in range(tables)]
        alarms = sum(copies_of(tuple(Table.of(others(r)))) is not None for r in generators)
        print(f"| {kind} | {alarms} of {tables} | | |", flush=True)
    drawn = [
        copies_of(tuple(Table.of(_drawn_panel(np.random.default_rng([seed, 11 if judged else 7])))))
        for seed in range(200)
    ]
    near = sum(each is not None and each.near > 0 for each in drawn)
    print(f"| drawn panels | {sum(each is not None for each in drawn)} of 200, {near} with near copies | | |")


if __name__ == "__main__":
    main(sys.argv[1:])
