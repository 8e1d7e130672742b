"""``python -m research.group_leaks [tables of a kind]``: how often are groups of rows reported (PB409), and in vain?

``GROUPS`` have an effect on the target, ``WEAK`` half of it, and ``NOTHING`` none. The target of ``NUMBERS`` follows a
number whose name is that of things. The rules were chosen before these were written: all of them only judge.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from probus.data._examine import examine

Columns = Mapping[str, Any]
Random = np.random.Generator


def _target(rng: Random, score: np.ndarray, kind: str) -> np.ndarray:
    if kind == "number":
        return score + rng.normal(size=len(score))
    share = {"half": 0.5, "tenth": 0.9}.get(kind)
    noisy = score + rng.logistic(size=len(score)) * 0.6
    if share is None:
        return np.digitize(noisy, np.quantile(noisy, [0.4, 0.75])).astype(str)
    return np.where(noisy > np.quantile(noisy, share), "b", "a")


def groups(
    name: str, form: str, n: int, sizes: tuple[int, int], effect: float, kind: str
) -> Callable[[Random], Columns]:
    """Groups of a few rows to many, with an effect on the target beside that of a number and a level."""

    def made(rng: Random) -> Columns:
        of = rng.permutation(np.repeat(np.arange(n), rng.integers(sizes[0], sizes[1] + 1, n)))
        X = rng.gamma(2, size=(len(of), 3))
        level = rng.choice(["low", "mid", "high"], len(of))
        score = 0.5 * X[:, 0] + 0.4 * (level == "high") + effect * rng.normal(size=n)[of]
        names = of + 100 if not form else np.array([form.format(i) for i in range(n)])[of]
        return {
            name: names,
            "dose": X[:, 0],
            "time": X[:, 1],
            "load": X[:, 2],
            "grade": level,
            "y": _target(rng, score, kind),
        }

    return made


_GROUPS = {
    "nurses": ("nurse", "N-{:03}", 50, (4, 14), 1.0, "half"),
    "flocks, three classes": ("flock", "flock {}", 30, (8, 20), 1.0, "three"),
    "respondents twice": ("respondent_no", "", 160, (2, 3), 1.5, "number"),
    "plots": ("plot", "{}", 40, (5, 12), 0.9, "number"),
    "vehicles, a tenth": ("vehicle_id", "", 80, (10, 20), 1.0, "tenth"),
    "sessions": ("session", "s{}", 120, (3, 6), 1.2, "half"),
    "six hospitals": ("hospital", "H{}", 6, (60, 110), 0.9, "number"),
    "batches, unequal": ("batch", "B{:02}", 35, (2, 40), 0.9, "half"),
    "a form without a name": ("ref", "AX-{:04}", 45, (6, 12), 1.1, "number"),
    "whole numbers without a name": ("v1", "", 40, (8, 14), 1.2, "half"),
    "codes": ("key", "0x{:06x}f", 60, (5, 9), 1.2, "number"),
}  # fmt: skip
GROUPS = {kind: groups(*settings) for kind, settings in _GROUPS.items()}
WEAK = {kind: groups(*how, effect / 2, target) for kind, (*how, effect, target) in _GROUPS.items()}


def nothing(kind: str, name: str, form: str, n: int, size: int, extra: int = 0) -> Callable[[Random], Columns]:
    """Groups without an effect, and more columns of them."""

    def made(rng: Random) -> Columns:
        columns = dict(groups(name, form, n, (max(size - 2, 1), size + 2), 0.0, kind)(rng))
        rows = len(columns["y"])
        return columns | {f"site{j}": rng.integers(0, 20 + 5 * j, rows).astype(str) for j in range(extra)}

    return made


NOTHING = {
    f"{kind}, {name}{f' and {extra} more' if extra else ''}": nothing(kind, name, form, n, size, extra)
    for kind in ("half", "number", "tenth")
    for name, form, n, size, extra in (
        ("patient", "P{}", 60, 6, 0), ("site", "{}", 8, 60, 0), ("unit", "", 30, 12, 3),
        ("owner_id", "", 150, 3, 0), ("worker", "W{}", 25, 20, 8), ("ref", "R-{}", 40, 9, 0),
    )
}  # fmt: skip


def numbers(name: str, most: int, kind: str) -> Callable[[Random], Columns]:
    """A number of things that the target follows smoothly."""

    def made(rng: Random) -> Columns:
        count = np.minimum(rng.poisson(most / 3, 400) + 1, most)
        X = rng.normal(size=(400, 2))
        score = 1.5 * np.sqrt(count) + 0.5 * X[:, 0]
        return {name: count, "x": X[:, 0], "z": X[:, 1], "y": _target(rng, score, kind)}

    return made


NUMBERS = {
    f"{name}, {kind}": numbers(name, most, kind)
    for name, most, kind in (
        ("children", 12, "number"), ("employees", 60, "number"), ("units", 30, "half"), ("plants", 25, "number"),
        ("doctor_visits", 20, "half"), ("vehicles", 15, "tenth"),
    )
}  # fmt: skip


def main(arguments: list[str]) -> None:
    """Print the kinds, and in how many tables a column is an error or a warning."""
    tables = int(arguments[0]) if arguments else 25
    kinds_of = {"groups": GROUPS, "weak": WEAK, "nothing": NOTHING, "numbers": NUMBERS}
    for place, (title, kinds) in enumerate(kinds_of.items()):
        total = 0
        for number, (kind, made) in enumerate(kinds.items()):
            found = [
                examine(made(np.random.default_rng([place, number, seed])), "y").of("PB409") for seed in range(tables)
            ]
            warned = sum(any(each.severity != "note" for each in findings) for findings in found)
            total += warned
            print(f"| {title} | {kind} | {warned} of {tables} |", flush=True)
        print(f"| {title} | all | {total} of {tables * len(kinds)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
