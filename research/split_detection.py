"""``python -m research.split_detection [tables of a kind] [seed]``: how often is a split proposed, rightly and in vain?

``NOTHING`` has tables whose rows are in no order and no groups, however many columns of groups, dates and counters they
have: any warning about copies, groups or orders is a false alarm. ``CHOOSE`` has drifting tables by which the
thresholds were chosen, ``JUDGE`` others. ``UNNAMED`` chose how groups that no column names are found, ``PANELS``
judges it. ``SORTED`` has tables that were merely sorted, which chose nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from probus.data import Table, examine
from probus.data.findings import proposed_split

Columns = dict[str, Any]
Random = np.random.Generator
CODES = ("PB303", "PB409", "PB410", "PB411")


def _target(rng: Random, score: np.ndarray, kind: str) -> np.ndarray:
    if kind == "number":
        return score + rng.normal(size=len(score))
    share = {"half": 0.5, "tenth": 0.9}.get(kind)
    noisy = score + 0.6 * rng.logistic(size=len(score))
    if share is None:
        return np.digitize(noisy, np.quantile(noisy, [0.4, 0.75])).astype(str)
    return np.where(noisy > np.quantile(noisy, share), "b", "a")


def _dates(rng: Random, n: int, days: int, ordered: bool) -> np.ndarray:
    drawn = rng.integers(0, days, n)
    return np.datetime64("2019-03-01") + (np.sort(drawn) if ordered else drawn)


def nothing(n: int, kind: str, columns: str) -> Callable[[Random], Columns]:
    """Exchangeable rows: dates, counters and groups that have nothing to do with the target."""

    def made(rng: Random) -> Columns:
        X = rng.normal(size=(n, 3)) if "skewed" not in columns else rng.gamma(0.7, size=(n, 3)).round(1)
        found: Columns = {f"x{j}": X[:, j] for j in range(3)}
        if "date" in columns:
            found["date"] = _dates(rng, n, 400, "sorted" in columns)
        if "dates" in columns:
            found |= {f"{name}_date": _dates(rng, n, 90, False) for name in ("entry", "visit", "billing")}
        if "counter" in columns:
            found["row_id"] = np.arange(n) + 1000 if "sorted" in columns else rng.permutation(n)
        if "year" in columns:
            found["year"] = rng.integers(1995, 2020, n)
        if "groups" in columns:
            found |= {f"{name}": rng.integers(0, n // 8, n).astype(str) for name in ("site", "patient", "batch")}
        return found | {"y": _target(rng, 0.8 * X[:, 0], kind)}

    return made


NOTHING = {
    f"{n} rows, {kind}, {columns or 'plain'}": nothing(n, kind, columns)
    for n, kind, columns in (
        (80, "half", ""), (300, "number", ""), (1_000, "tenth", ""), (300, "half", "date sorted"),
        (300, "number", "date dates"), (800, "three", "date counter sorted"), (200, "tenth", "counter groups"),
        (500, "number", "date dates counter year groups"), (150, "half", "dates year groups skewed"),
        (2_000, "number", "skewed date groups sorted"),
    )
}  # fmt: skip


def _trend(rng: Random, n: int, size: float) -> np.ndarray:
    return size * np.linspace(-1, 1, n) * rng.choice([-1, 1])


def _walk(rng: Random, n: int, size: float) -> np.ndarray:
    steps = np.cumsum(rng.normal(size=n))
    return size * (steps - steps.mean()) / steps.std()


def _memory(rng: Random, n: int, size: float, length: int = 6) -> np.ndarray:
    kernel = 0.5 ** (np.arange(6 * length) / length)
    noise = np.convolve(rng.normal(size=n + 6 * length), kernel, "valid")[:n]
    return size * noise / noise.std()


def _jump(rng: Random, n: int, size: float) -> np.ndarray:
    return size * (np.arange(n) > rng.uniform(0.3, 0.7) * n)


def _season(rng: Random, n: int, size: float) -> np.ndarray:
    return size * np.sin(2 * np.pi * (np.arange(n) / n * 3 + rng.uniform()))


def _machine(rng: Random, n: int, size: float) -> np.ndarray:
    """A state that changes now and then."""
    state = np.cumsum(rng.uniform(size=n) < 12 / n)
    return size * rng.normal(size=state.max() + 1)[state]


def drifting(
    effect: Callable[..., np.ndarray], size: float, n: int, kind: str, order: str
) -> Callable[[Random], Columns]:
    """A target that drifts by such an effect along a date, a counter or the order of the rows."""

    def made(rng: Random) -> Columns:
        X = rng.normal(size=(n, 3))
        columns: Columns = {f"x{j}": X[:, j] for j in range(3)}
        if "date" in order:
            columns["sold_on" if "sold" in order else "date"] = _dates(rng, n, 2 * n, True)
        if "counter" in order:
            columns["order_id"] = np.arange(n) * 3 + 17
        columns["y"] = _target(rng, 0.8 * X[:, 0] + effect(rng, n, size), kind)
        if "shuffled" in order:
            place = rng.permutation(n)
            columns = {name: values[place] for name, values in columns.items()}
        return columns

    return made


CHOOSE = {
    f"{name}, {n} rows, {kind}, {order}": drifting(effect, size, n, kind, order)
    for name, effect, size, n, kind, order in (
        ("trend", _trend, 1.0, 300, "number", "date"), ("walk", _walk, 1.0, 400, "half", "rows"),
        ("memory", _memory, 1.0, 500, "number", "date shuffled"), ("jump", _jump, 1.5, 400, "tenth", "counter"),
    )
}  # fmt: skip
JUDGE = {
    f"{name}, {n} rows, {kind}, {order}": drifting(effect, size, n, kind, order)
    for name, effect, size, n, kind, order in (
        ("season", _season, 1.0, 350, "number", "sold date shuffled"), ("states", _machine, 1.0, 600, "half", "rows"),
        ("memory of 2", lambda r, n, s: _memory(r, n, s, 2), 1.0, 500, "number", "rows"),
        ("trend", _trend, 1.2, 250, "half", "counter shuffled"), ("walk", _walk, 1.2, 300, "three", "date"),
        ("jump", _jump, 1.5, 800, "tenth", "sold date"), ("weak trend", _trend, 0.5, 400, "number", "date"),
        ("weak states", _machine, 0.5, 600, "half", "counter"),
    )
}  # fmt: skip


def unnamed(n: int, each: tuple[int, int], effect: float, kind: str, digits: int) -> Callable[[Random], Columns]:
    """Repeated measures of subjects that no column names, of known age and height."""

    def made(rng: Random) -> Columns:
        of = np.repeat(np.arange(n), rng.integers(each[0], each[1] + 1, n))
        age, height = rng.integers(18, 90, n)[of], np.round(rng.normal(170, 9, n), digits)[of]
        dose = rng.normal(size=len(of))
        score = effect * rng.normal(size=n)[of] + 0.5 * dose + 0.015 * age
        place = rng.permutation(len(of))
        columns = {"age": age, "height": height, "dose": dose, "lab": rng.gamma(2, size=len(of))}
        return {name: each[place] for name, each in (columns | {"y": _target(rng, score, kind)}).items()}

    return made


UNNAMED = {
    f"{n} subjects of {each[0]} to {each[1]}, effect {effect}, {kind}": unnamed(n, each, effect, kind, digits)
    for n, each, effect, kind, digits in (
        (60, (3, 8), 1.0, "half", 0), (35, (4, 10), 1.2, "number", 1), (120, (2, 5), 1.5, "three", 1),
        (60, (3, 8), 0.0, "half", 0), (35, (4, 10), 0.0, "number", 1), (120, (2, 5), 0.0, "number", 0),
    )
}  # fmt: skip


def panel(n: int, each: int, effect: float, kind: str) -> Callable[[Random], Columns]:
    """Firms, one after the other in the file, of a size and a debt that go together, in some years."""

    def made(rng: Random) -> Columns:
        of = np.repeat(np.arange(n), each)
        size = rng.lognormal(4, 1, n)
        X = rng.normal(size=(len(of), 2))
        return {
            "staff": size.round()[of],
            "debt": np.round(size * rng.lognormal(0, 0.5, n), 1)[of],
            "growth": X[:, 0],
            "rate": X[:, 1].round(1),
            "y": _target(rng, 0.6 * X[:, 0] + effect * rng.normal(size=n)[of] + 0.1 * np.log(size)[of], kind),
        }

    return made


PANELS = {
    f"{n} firms × {each}, effect {effect}, {kind}": panel(n, each, effect, kind)
    for n, each, effect, kind in (
        (40, 8, 1.0, "number"), (25, 20, 0.8, "half"), (150, 4, 1.5, "tenth"),
        (40, 8, 0.0, "number"), (25, 20, 0.0, "half"), (150, 4, 0.0, "three"),
    )
}  # fmt: skip


def merely_sorted(n: int, kind: str, how: str) -> Callable[[Random], Columns]:
    """Rows in no order of time that were sorted: by what the table shows, or by what it does not."""

    def made(rng: Random) -> Columns:
        X, colour = rng.normal(size=(n, 3)), rng.integers(6, size=n)
        keys = {
            "a feature": (X[:, 0],), "a rounded feature": (X[:, 0].round(1),), "a feature without effect": (X[:, 1],),
            "a level": (colour,), "a level and a feature": (X[:, 0], colour),
            "a feature, nearly": (X[:, 0] + 0.1 * rng.normal(size=n),), "a sum": (X[:, 0] + X[:, 1],),
            "a column that is gone": (X[:, 2],),
        }  # fmt: skip
        columns: Columns = {f"x{j}": X[:, j].round(1) if "rounded" in how else X[:, j] for j in range(2)}
        columns |= {"colour": np.array(list("abcdef"))[colour]}
        columns["y"] = _target(rng, 0.8 * X[:, 0] + 0.3 * colour + 0.8 * X[:, 2], kind)
        place = np.lexsort(keys[how])
        return {name: values[place] for name, values in columns.items()}

    return made


SORTED = {
    f"{n} rows, {kind}, by {how}": merely_sorted(n, kind, how)
    for n, kind, how in (
        (300, "number", "a feature"), (800, "half", "a rounded feature"), (200, "half", "a feature without effect"),
        (500, "three", "a level"), (300, "tenth", "a level and a feature"), (300, "number", "a feature, nearly"),
        (400, "half", "a sum"), (300, "number", "a column that is gone"),
    )
}  # fmt: skip

_KINDS = {"nothing": NOTHING, "choose": CHOOSE, "judge": JUDGE, "unnamed": UNNAMED, "panels": PANELS, "sorted": SORTED}


def main(arguments: list[str]) -> None:
    """Print, for each kind, in how many tables there is a warning, a proposal and a near certain one."""
    tables = int(arguments[0]) if arguments else 20
    seed = int(arguments[1]) if len(arguments) > 1 else 0
    chosen = arguments[2:] or [*_KINDS]
    for place, (title, kinds) in enumerate(_KINDS.items()):
        if title not in chosen:
            continue
        totals = np.zeros(3, dtype=int)
        for number, (kind, made) in enumerate(kinds.items()):
            counts = np.zeros(3, dtype=int)
            for i in range(tables):
                table = Table.of(made(np.random.default_rng([seed, place, number, i])))
                found = [each for each in examine(table, "y").of(*CODES) if each.severity != "note"]
                proposal = proposed_split(table, "y")
                counts += [bool(found), proposal is not None, proposal is not None and proposal.certain]
            totals += counts
            print(f"| {title} | {kind} | {counts[0]} | {counts[1]} | {counts[2]} of {tables} |", flush=True)
        print(f"| {title} | all | {totals[0]} | {totals[1]} | {totals[2]} of {tables * len(kinds)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
