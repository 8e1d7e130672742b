"""4xx: two columns that together leak the target, though neither does alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from probus.data._column import Column
from probus.data._kind import Kind
from probus.data._table import Table
from probus.data.findings._column_checks import identifying
from probus.data.findings._facts import facts, features, has_classes, is_free_text, without
from probus.data.findings._finding import Finding
from probus.data.findings._group_leaks import groupings
from probus.data.findings._leak_shares import (
    LEAK,
    NEIGHBOURS,
    SUSPECT,
    labelled_rows,
    line_r2,
    number_share,
    predicted_share,
    share_alone,
)
from probus.display import exact_percent

FEWEST_ROWS = 100  # with fewer, one of thousands of pairs may predict all by chance
FEWEST_FOR_LINE = 50  # with two weights only
ROUNDING = 1e-5  # of shares: a formula comes before a weighted sum that is as good
FEWEST_OF_OTHERS = 10  # rows outside the largest class, or distinct numbers: fewer can be separated by chance
SCREENED = 400  # rows on which every pair is tried
MOST_NUMBERS, MOST_LABELS = 100, 60  # columns, of which every pair is tried
FEW_VALUES = 20  # numbers that are treated as levels too
PROMISING = 0.8  # of the error, on the screened rows
PROMISING_LINE = 0.5  # of the variance of the indicator of a class: a cut of a normal sum explains 0.64
CONFIRMED = 20  # of the pairs that are promising are examined on more rows
EXACT = 0.99999  # squared correlation: the rest is rounding
BETTER = 0.2  # of the error that the better of the two columns leaves alone
REPORTED = 3  # pairs: a copy of a column leaks in the same way

_FORMULAS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "{} compared with {}": lambda a, b: np.sign(a - b),
    "{} − {}": np.subtract,
    "{} / {}": np.divide,
    "{} + {}": np.add,
    "{} · {}": np.multiply,
}


@dataclass(frozen=True)
class _ColumnPair:
    """Two columns, how they are combined, and the share of the error that this removes on the screened rows."""

    first: Column
    second: Column
    how: str
    share: float


def pair_leaks(table: Table, target: str | None) -> Iterator[Finding]:
    """PB408: two columns that together predict the target almost perfectly, though neither does alone.

    Tried are difference, ratio, sum and product of two numbers, any weighted sum, equality, pairs of levels, and a
    number within the levels of a column. Every pair is tried on a sample, the promising ones on more rows, each row
    from the others.
    """
    rows = labelled_rows(table, target)
    if target is None or len(rows) < FEWEST_FOR_LINE or not _enough(table[target], rows):
        return
    label = table[target]
    grouped = {name for group, others in groupings(table, target).items() for name in (group, *others)}
    columns = [c for c in features(table, target) if c.name not in grouped and not is_free_text(c)]
    columns = [c for c in columns if facts(c).n_distinct > 1]
    alone = {c.name: share_alone(c, label, rows)[0] for c in columns}
    columns = [c for c in columns if alone[c.name] < SUSPECT]
    promising = sorted(_promising(columns, label, rows), key=lambda pair: -pair.share)
    lines = [pair for pair in promising if pair.how == _LINE]
    others = [] if len(rows) < FEWEST_ROWS else [pair for pair in promising if pair.how != _LINE]
    best: dict[tuple[str, str], tuple[float, str, _ColumnPair]] = {}
    for pair in (*others[:CONFIRMED], *lines[:CONFIRMED]):
        name, other = pair.first.name, pair.second.name
        share, evidence = _confirm(pair, label, rows)
        weak = share < SUSPECT or 1 - share > BETTER * (1 - max(alone[name], alone[other]))
        known = best.get((name, other))
        if not weak and (known is None or share > known[0] + ROUNDING):
            best[name, other] = share, evidence, pair
    for (name, other), (share, evidence, pair) in [*best.items()][:REPORTED]:
        certain = share >= LEAK and pair.how not in (_LEVELS, _WITHIN)
        advice = f"If they are known only after {target!r}: {without(name, other)}"
        yield Finding("PB408", name, "error" if certain else "warning", evidence, advice)


def _confirm(pair: _ColumnPair, label: Column, rows: np.ndarray) -> tuple[float, str]:
    """The share of the error that a pair removes, and its text."""
    how = pair.how.format(repr(pair.first.name), repr(pair.second.name))
    if pair.how in _FORMULAS and not has_classes(label):
        y, z = label.values[rows], _FORMULAS[pair.how](pair.first.values[rows], pair.second.values[rows])
        both = np.isfinite(z)
        if both.sum() >= LEAK * len(rows) and np.corrcoef(y[both], z[both])[0, 1] ** 2 > EXACT:
            return 1.0, f"{label.name!r} follows from {how} by a straight line."
    if pair.how == _LINE:
        share, evidence = _line_share(pair, label, rows)
        return share, _about_pair(evidence, how, several=False)
    found = [predicted_share(label, rows, _groups(pair, rows))]
    if pair.how in _FORMULAS:
        found += [number_share(label, rows, _FORMULAS[pair.how](pair.first.values[rows], pair.second.values[rows]))]
    share, evidence = max(found, key=lambda each: each[0])
    return share, _about_pair(evidence, how, several=pair.how == _LEVELS)


def _about_pair(evidence: str, how: str, *, several: bool) -> str:
    """The evidence of one column as that of a pair.

    >>> _about_pair("alone, it predicts 'y'.", "levels of 'k' and 'm'", several=True)
    "levels of 'k' and 'm' together predict 'y'."
    """
    verb, _, rest = evidence.removeprefix("alone, it ").partition(" ")
    return f"{how} together {verb.removesuffix('s')} {rest}" if several else f"{how} {verb} {rest}"


def _enough(label: Column, rows: np.ndarray) -> bool:
    counts = np.bincount(facts(label).codes[rows])
    return bool((counts.sum() - counts.max() if has_classes(label) else (counts > 0).sum()) >= FEWEST_OF_OTHERS)


# -- screening -----------------------------------------------------------------------------------------

_LEVELS, _WITHIN, _EQUAL = "levels of {} and {}", "{1} within the levels of {0}", "{} = {}"
_LINE = "a weighted sum of {} and {}"


def _promising(columns: list[Column], label: Column, rows: np.ndarray) -> Iterator[_ColumnPair]:
    """The pairs that remove most of the error on a sample."""
    drawn = rows if len(rows) <= SCREENED else np.sort(np.random.default_rng(1).choice(rows, SCREENED, replace=False))
    numbers = [c for c in columns if c.kind is Kind.NUMERIC and not identifying(c)][:MOST_NUMBERS]
    labels = [c for c in columns if c.kind.has_levels or facts(c).n_distinct <= FEW_VALUES][:MOST_LABELS]
    score = _screen(label, drawn)
    X = np.stack([c.values[drawn] for c in numbers], axis=1) if numbers else np.empty((len(drawn), 0))
    for i, first in enumerate(numbers):
        for how, formula in _FORMULAS.items():
            shares = score(formula(X[:, i : i + 1], X[:, i + 1 :]))
            yield from (
                _ColumnPair(first, numbers[i + 1 + j], how, shares[j]) for j in np.flatnonzero(shares >= PROMISING)
            )
    yield from _line_pairs(numbers, X, label, drawn)
    ranks = np.argsort(np.argsort(X, axis=0, kind="stable"), axis=0)
    for first in labels:
        if facts(first).n_distinct <= FEW_VALUES:
            shares = score(facts(first).codes[drawn][:, None] * float(len(drawn)) + ranks)
            keep = [j for j in np.flatnonzero(shares >= PROMISING) if numbers[j].name != first.name]
            yield from (_ColumnPair(first, numbers[j], _WITHIN, shares[j]) for j in keep)
    yield from _label_pairs(labels, label, rows)


def _line_pairs(numbers: list[Column], X: np.ndarray, label: Column, rows: np.ndarray) -> Iterator[_ColumnPair]:
    """The pairs whose weighted sum explains most of the target; of two classes, of their indicator."""
    if len(numbers) < 2 or (has_classes(label) and facts(label).n_distinct != 2):
        return
    known = np.isfinite(X)
    Z = np.where(known, X, 0.0)
    Z = Z - Z.sum(axis=0) / np.maximum(known.sum(axis=0), 1) * known
    Z = np.where(known, Z, 0.0) / np.maximum(np.sqrt((np.where(known, Z, 0.0) ** 2).sum(axis=0)), 1e-300)
    y = _numbers_of(label, rows)
    y = (y - y.mean()) / max(float(np.sqrt(((y - y.mean()) ** 2).sum())), 1e-300)
    r, R = Z.T @ y, Z.T @ Z
    first, second = np.triu_indices(len(numbers), 1)
    rest = 1 - R[first, second] ** 2
    shares = r[first] ** 2 + r[second] ** 2 - 2 * r[first] * r[second] * R[first, second]
    shares = np.where(rest > 1e-8, shares / np.maximum(rest, 1e-8), 0.0)
    least = PROMISING_LINE if has_classes(label) else PROMISING
    best = np.argsort(-shares, kind="stable")[:CONFIRMED]
    yield from (
        _ColumnPair(numbers[first[k]], numbers[second[k]], _LINE, shares[k]) for k in best if shares[k] >= least
    )


def _numbers_of(label: Column, rows: np.ndarray) -> np.ndarray:
    """The target as numbers: itself, or the codes of two classes."""
    return (facts(label).codes if has_classes(label) else label.values)[rows].astype(np.float64)


def _line_share(pair: _ColumnPair, label: Column, rows: np.ndarray) -> tuple[float, str]:
    """The share of the error that a weighted sum removes."""
    X = np.column_stack([pair.first.values[rows], pair.second.values[rows]])
    known = np.isfinite(X).all(axis=1)
    y = _numbers_of(label, rows)
    if known.sum() < LEAK * len(rows):
        return 0.0, ""
    if has_classes(label):
        weights = np.linalg.lstsq(X[known] - X[known].mean(axis=0), y[known] - y[known].mean(), rcond=None)[0]
        keys = X[known] @ weights
        found = (number_share(label, rows[known], keys), predicted_share(label, rows[known], _runs(keys)))
        return max(found, key=lambda each: each[0])
    r2 = line_r2(X[known], y[known])
    return (
        r2,
        f"alone, it explains {exact_percent(max(r2, 0.0))} of the variance of {label.name!r}, "
        "each row from the others.",
    )


def _label_pairs(labels: list[Column], label: Column, rows: np.ndarray) -> Iterator[_ColumnPair]:
    """Pairs of levels and equal levels, on more rows: a pair of levels has few rows each."""
    drawn = rows[: 5 * SCREENED] if len(rows) <= 5 * SCREENED else rows[:: len(rows) // (5 * SCREENED)]
    for first, second in combinations(labels, 2):
        several = all(c.kind.has_levels and facts(c).n_distinct > 2 for c in (first, second))
        ways = (_EQUAL, _LEVELS) if several else (_LEVELS,)  # of two levels, equality is any rule of both
        for how in ways:
            pair = _ColumnPair(first, second, how, 0.0)
            share, _ = predicted_share(label, drawn, _groups(pair, drawn))
            if share >= PROMISING:
                yield _ColumnPair(first, second, how, share)


def _screen(label: Column, rows: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """A function of keys, rows × candidates: the share of the error that runs of neighbours remove, in-sample."""
    m = len(rows) // NEIGHBOURS * NEIGHBOURS
    codes = facts(label).codes[rows]
    y = np.argsort(np.argsort(codes, kind="stable")).astype(np.float64)  # ranks: what tails there are does not matter
    guess = 1 - np.bincount(codes).max() / len(codes)

    def runs(keys: np.ndarray, values: np.ndarray) -> np.ndarray:
        order = np.argsort(keys, axis=0, kind="stable")[:m]
        return values[order].reshape(m // NEIGHBOURS, NEIGHBOURS, keys.shape[1])

    def by_class(keys: np.ndarray) -> np.ndarray:
        seen = runs(keys, codes)
        most = (seen[:, :, None] == seen[:, None, :]).sum(axis=2).max(axis=1)
        return 1 - (1 - most.mean(axis=0) / NEIGHBOURS) / guess

    def by_value(keys: np.ndarray) -> np.ndarray:
        return 1 - runs(keys, y).var(axis=1, ddof=1).mean(axis=0) / y.var(ddof=1)

    return by_class if has_classes(label) else by_value


# -- the groups of a pair ------------------------------------------------------------------------------


def _groups(pair: _ColumnPair, rows: np.ndarray) -> np.ndarray:
    """The group of each row: equal combinations of levels, or runs of similar keys."""
    a, b = pair.first, pair.second
    if pair.how == _EQUAL:
        known: dict[str, int] = {}
        first, second = (np.array([known.setdefault(str(v), len(known)) for v in facts(c).values]) for c in (a, b))
        return (np.append(first, -1)[facts(a).codes[rows]] == np.append(second, -2)[facts(b).codes[rows]]).astype(int)
    if pair.how == _LEVELS:
        codes = facts(a).codes[rows].astype(np.int64) * (facts(b).n_distinct + 1) + facts(b).codes[rows]
        return np.unique(codes, return_inverse=True)[1]
    if pair.how == _WITHIN:
        keys = facts(a).codes[rows] * float(facts(b).n_distinct + 1) + facts(b).codes[rows]
    else:
        keys = _FORMULAS[pair.how](a.values[rows], b.values[rows])
    return _runs(keys)


def _runs(keys: np.ndarray) -> np.ndarray:
    """Runs of similar numbers."""
    _, codes, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return ((np.cumsum(counts) - counts) // NEIGHBOURS)[codes]
