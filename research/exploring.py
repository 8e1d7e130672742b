"""How often ``probus.explore`` reports groups, odd rows and rules that are not there, and finds groups that are.

The populations were drawn after its rules were chosen: tables without groups (independent or related columns, skewed,
counts, levels, missing values, a curve) and tables with planted ones.

    python -m research.exploring [samples] [rows] [first seed]
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np
from sklearn.metrics import adjusted_rand_score

import probus

Columns = dict[str, np.ndarray]


def groupless(random: np.random.Generator, n: int) -> Iterator[tuple[str, Columns]]:
    """Tables of one population each; only the curve has structure, and no groups."""
    yield "skewed", {f"x{j}": random.weibull(1.5, n) for j in range(4)}
    factor = random.normal(size=n)
    yield "one factor", {f"x{j}": 0.8 * factor + 0.6 * random.normal(size=n) for j in range(8)}
    heavy = random.standard_t(5, (n, 3)) @ random.normal(size=(3, 3))
    yield "heavy tails", dict(zip("abc", heavy.T, strict=True))
    yield "counts", {f"k{j}": random.geometric(0.3, n).astype(float) for j in range(4)}
    yield "levels", {f"c{j}": random.choice(list("abcdefgh"), n, p=random.dirichlet([2] * 8)) for j in range(8)}
    yield "zeros", {f"x{j}": np.where(random.random(n) < 0.5, 0, random.exponential(size=n)) for j in range(3)}
    mixed: Columns = {f"x{j}": random.normal(size=n) for j in range(10)}
    for j in range(5):
        mixed[f"x{j}"][random.random(n) < 0.3] = np.nan
    mixed |= {f"c{j}": random.choice(["u", "v"], n, p=[0.8, 0.2]) for j in range(10)}
    yield "mixed, missing", mixed
    u = random.random(n)
    yield "curve", {"x": u, "y": u**2 + 0.1 * random.normal(size=n), "z": random.random(n)}


def grouped(random: np.random.Generator, n: int) -> Iterator[tuple[str, np.ndarray, Columns]]:
    """Tables with planted groups."""
    noise = {"n1": random.random(n), "n2": random.random(n)}
    group = random.choice(2, n, p=[0.8, 0.2])
    yield "2 of 80 and 20 %", group, {f"x{j}": random.logistic(size=n) + 5 * group for j in range(4)} | noise
    group, levels = random.integers(0, 4, n), np.array(list("wxyz"))
    flips = (np.where(random.random(n) < 0.85, np.roll(levels, j)[group], random.choice(levels, n)) for j in range(6))
    yield "4 by levels", group, {f"c{j}": flip for j, flip in enumerate(flips)}
    group, centres = random.integers(0, 3, n), np.array([[0, 0], [7, 0], [0, 7]])
    columns = {name: random.normal(size=n) + centres[group, j] for j, name in enumerate("xy")}
    columns["c"] = np.where(random.random(n) < 0.7, np.array(list("abc"))[group], "d")
    columns |= {"coin": random.choice(["h", "t"], n), "die": random.choice(list("123456"), n)}
    yield "3 of mixed kinds", group, columns
    group = random.integers(0, 5, n)
    yield "5 in 5 columns", group, {f"x{j}": random.normal(size=n) + 8 * (group == j) for j in range(5)}
    group = random.integers(0, 2, n)
    yield "2 by one column", group, {"x": random.normal(size=n) + 6 * group, "y": random.random(n)}


def judge(samples: int, n: int, first: int) -> None:
    """Print the share of tables with findings."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for seed in range(first, first + samples):
        for name, columns in groupless(np.random.default_rng([seed, 7]), n):
            result = probus.explore(columns)
            found[name] += Counter(groups=len(result.groups) > 0, odd=len(result.odd) > 0, rules=len(result.rules) > 0)
    print(f"{n} rows, {samples} tables each: those with\n{'without groups':20}groups  odd rows  rules")
    for name, counts in found.items():
        print(f"{name:20}{counts['groups']:6}{counts['odd']:10}{counts['rules']:7}")
    print(f"{'with groups':20}right number  mean adjusted Rand")
    for name, (right, agreement) in _planted(samples, n, first).items():
        print(f"{name:20}{right:12}{agreement:20.2f}")


def _planted(samples: int, n: int, first: int) -> dict[str, tuple[int, float]]:
    found: dict[str, list[tuple[bool, float]]] = defaultdict(list)
    for seed in range(first, first + samples):
        for name, group, columns in grouped(np.random.default_rng([seed, 8]), n):
            groups = probus.explore(columns).groups
            number = len(np.unique(group))
            found[name].append((len(groups) == number, adjusted_rand_score(group, groups.labels)))
    return {name: (sum(a for a, _ in each), float(np.mean([b for _, b in each]))) for name, each in found.items()}


if __name__ == "__main__":
    judge(*(int(word) for word in (sys.argv[1:] + ["10", "250", "100"][len(sys.argv) - 1 :])))
