"""How well groups of rows predict the target, each row from the others: what the checks for leaks measure."""

from __future__ import annotations

from math import lgamma, log

import numpy as np

from probus.data._column import Column
from probus.data._kind import Kind
from probus.data._table import Table
from probus.data.findings._facts import facts, has_classes
from probus.data.findings._row_checks import all_few_valued, row_keys
from probus.display import exact_percent, listed

SAMPLE = 20_000  # rows: enough to distinguish 0.99 from 0.95
NEIGHBOURS = 5  # rows with similar values that predict a row by majority
LEAK, SUSPECT = 0.99, 0.95  # of the error of the best constant prediction
BY_CHANCE = 1e-7  # that a number without meaning separates the classes exactly
FLIPS = 0.35  # rows on the wrong side of a cut, per row of the smaller class
NEAR_CUT = 20  # rows on each side
UNDECIDED = 0.05  # of them more would be wrong if the cut was not sharp
FEWEST_OF_CLASS = 20  # rows outside the largest class: that numbers separate fewer is a suspicion


def labelled_rows(table: Table, target: str | None) -> np.ndarray:
    """The rows on which leaks are looked for: a sample of those with a label; none if there is nothing to predict.

    Of equal rows that are no chance only the first remains: any column would predict the others.
    """
    if target is None or table[target].kind is Kind.TEXT or facts(table[target]).n_distinct < 2:
        return np.empty(0, dtype=np.intp)
    label = table[target]
    rows = np.flatnonzero(np.isfinite(label.values) if label.kind is Kind.NUMERIC else label.values >= 0)
    if len(rows) > SAMPLE:
        rows = np.sort(np.random.default_rng(0).choice(rows, SAMPLE, replace=False))
    if all_few_valued(table):
        return rows
    return rows[np.sort(np.unique(row_keys(table, table.n_rows)[rows], return_index=True)[1])]


def predicted_share(label: Column, rows: np.ndarray, groups: np.ndarray) -> tuple[float, str]:
    """The share of a constant prediction's error that groups of rows remove, each row from the others, and its text."""
    return (_by_class if has_classes(label) else _by_value)(label, rows, groups)


def share_alone(column: Column, label: Column, rows: np.ndarray) -> tuple[float, str]:
    """The share of the error that a column removes: by its levels, or by its numbers."""
    found = predicted_share(label, rows, value_runs(column, rows))
    if column.kind is not Kind.NUMERIC:
        return found
    share, evidence = max(found, number_share(label, rows, column.values[rows]), key=lambda each: each[0])
    return (share if _enough_of_classes(label, rows) else min(share, SUSPECT)), evidence


def _enough_of_classes(label: Column, rows: np.ndarray) -> bool:
    """Whether so many rows are outside the largest class that a number which separates them is no chance."""
    if not has_classes(label):
        return True
    counts = np.bincount(facts(label).codes[rows])
    return bool(counts.sum() - counts.max() >= FEWEST_OF_CLASS)


def number_share(label: Column, rows: np.ndarray, numbers: np.ndarray) -> tuple[float, str]:
    """The share of the error that numbers remove beside runs of similar ones: by cuts of classes, by a curve of values.

    Numbers that separate the classes exactly remove all of it.
    """
    known = np.isfinite(numbers)
    if known.sum() < LEAK * len(rows):
        return 0.0, ""
    rows, numbers = rows[known], numbers[known]
    return (_by_cuts if has_classes(label) else _by_curve)(label, rows, numbers)


def value_runs(column: Column, rows: np.ndarray) -> np.ndarray:
    """The group of each row: its level, or a run of similar numbers."""
    codes = facts(column).codes[rows] + 1
    if column.kind is not Kind.NUMERIC:
        return codes
    counts = np.bincount(codes)
    smaller = np.cumsum(counts) - counts
    return (smaller // NEIGHBOURS)[codes]


def _by_cuts(label: Column, rows: np.ndarray, numbers: np.ndarray) -> tuple[float, str]:
    """Whether each class has the numbers between two cuts, and that is no chance."""
    classes = np.unique(facts(label).codes[rows], return_inverse=True)[1]
    order = np.lexsort((classes, numbers))
    ordered, values = classes[order], numbers[order]
    counts = np.bincount(classes)
    places = np.flatnonzero(np.diff(ordered))
    if len(places) != len(counts) - 1 or (values[places] == values[places + 1]).any():
        return 0.0, ""
    ways = lgamma(len(rows) + 1) - sum(lgamma(n + 1) for n in counts.tolist()) - lgamma(len(counts) + 1)
    if ways < -log(BY_CHANCE):  # the logarithm of the number of orders of the classes
        return 0.0, ""
    cuts = listed([f"{(values[i] + values[i + 1]) / 2:.4g}" for i in places], most=3)
    evidence = f"alone, it separates the classes of {label.name!r} exactly, at {cuts}."
    return 1.0, evidence


def flipped_cut(column: Column, label: Column, rows: np.ndarray) -> str:
    """That two classes are a cut of a column, but for some labels that were changed; empty where they are not.

    Labels are changed anywhere. What only follows from the column errs close to the cut, where it is undecided.
    """
    if column.kind is not Kind.NUMERIC or not has_classes(label) or not _enough_of_classes(label, rows):
        return ""
    rows = rows[np.isfinite(column.values[rows])]
    order = rows[np.argsort(column.values[rows], kind="stable")]
    values, (seen, classes) = column.values[order], np.unique(facts(label).codes[order], return_inverse=True)
    places = np.flatnonzero(np.diff(values)) + 1
    if len(seen) != 2 or not len(places):
        return ""
    above = classes.sum() - np.append(0, np.cumsum(classes))[places]  # of the second class, behind each cut
    wrong = (classes.sum() - above) + (len(rows) - places - above)
    best = int(np.minimum(wrong, len(rows) - wrong).argmin())
    cut, upwards = places[best], 2 * wrong[best] <= len(rows)
    errors = (classes == 1) != ((np.arange(len(rows)) >= cut) == upwards)
    near = errors[max(cut - NEAR_CUT, 0) : cut + NEAR_CUT]
    share = float(errors.mean())
    if errors.sum() > FLIPS * min(classes.sum(), len(rows) - classes.sum()):
        return ""
    if near.mean() > share + UNDECIDED or min(cut, len(rows) - cut) < NEAR_CUT:
        return ""
    at = (values[cut - 1] + values[cut]) / 2
    but = exact_percent(share)
    return f"alone, a cut at {at:.4g} separates the classes of {label.name!r} in all but {but} of the rows."


def _by_curve(label: Column, rows: np.ndarray, numbers: np.ndarray) -> tuple[float, str]:
    """The share of the variance explained by a straight line, or by the line between the next numbers on both sides."""
    y = label.values[rows]
    order = np.argsort(numbers, kind="stable")
    x, z = numbers[order], y[order]
    gap = x[2:] - x[:-2]
    weight = np.where(gap > 0, (x[1:-1] - x[:-2]) / np.where(gap > 0, gap, 1.0), 0.5)
    between = z[1:-1] - (z[:-2] + weight * (z[2:] - z[:-2]))
    ends = (z[[0, -1]] - z[[1, -2]]) ** 2
    total = max(float(((y - y.mean()) ** 2).sum()), 1e-300)
    curve = 1 - float((between**2).sum() + ends.sum()) / total
    r2 = max(curve, line_r2(numbers[:, None], y))
    return (
        r2,
        f"alone, it explains {exact_percent(max(r2, 0.0))} of the variance of {label.name!r}, "
        "each row from the others.",
    )


def line_r2(X: np.ndarray, y: np.ndarray) -> float:
    """The share of the variance of y explained by a linear function of X, each row by one of the other rows.

    >>> x = np.arange(5.0)
    >>> round(line_r2(x[:, None], 2 * x + 1), 6)
    1.0
    """
    Z = np.column_stack([np.ones(len(y)), (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-300)])
    Q, R = np.linalg.qr(Z)
    if np.abs(np.diag(R)).min() <= 1e-9 * np.sqrt(len(y)):
        return 0.0
    left_out = (y - Q @ (Q.T @ y)) / np.maximum(1 - (Q**2).sum(axis=1), 1e-12)
    return float(1 - (left_out**2).sum() / max(((y - y.mean()) ** 2).sum(), 1e-300))


def _by_class(label: Column, rows: np.ndarray, groups: np.ndarray) -> tuple[float, str]:
    """The share of the errors of the majority class that the groups avoid, and its text."""
    classes = facts(label).codes[rows]
    accuracy, guessing = lone_accuracy(groups, classes), np.bincount(classes).max() / len(classes)
    evidence = (
        f"alone, it predicts {label.name!r} in {exact_percent(accuracy)} of the rows, each from the others "
        f"(majority class: {exact_percent(guessing)})."
    )
    return (accuracy - guessing) / max(1 - guessing, 1e-300), evidence


def _by_value(label: Column, rows: np.ndarray, groups: np.ndarray) -> tuple[float, str]:
    """The share of the variance that the groups explain, and its text."""
    r2 = lone_r2(groups, label.values[rows])
    return r2, f"alone, it explains {exact_percent(r2)} of the variance of {label.name!r}, each row from the others."


def lone_accuracy(groups: np.ndarray, classes: np.ndarray) -> float:
    """The accuracy of predicting each row by the majority of the other rows of its group; a tie is wrong.

    >>> lone_accuracy(np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 1, 0]))
    0.5
    >>> lone_accuracy(np.arange(6), np.array([0, 0, 0, 1, 1, 1]))
    0.0
    """
    group, counts = class_counts(groups, classes)
    order = np.lexsort((-counts, group))
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    best, runner_up = counts[order[starts]], np.append(counts[order], 0)[starts + 1]
    runner_up[np.diff(starts, append=len(counts)) == 1] = 0
    return float(best[best - 1 > runner_up].sum() / len(classes))


def class_counts(groups: np.ndarray, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each pair of group and class that occurs: the group, in order, and the frequency."""
    n_classes = int(classes.max()) + 1
    pairs, counts = np.unique(groups.astype(np.int64) * n_classes + classes, return_counts=True)
    return pairs // n_classes, counts


def lone_r2(groups: np.ndarray, y: np.ndarray) -> float:
    """The share of the variance of y explained when each row takes the mean of the other rows of its group.

    >>> lone_r2(np.array([0, 0, 1, 1]), np.array([1.0, 1.0, 3.0, 3.0]))
    1.0
    """
    counts, sums = np.bincount(groups), np.bincount(groups, y)
    n = counts[groups]
    others = np.where(n > 1, (sums[groups] - y) / np.maximum(n - 1, 1), y.mean())
    return float(1 - ((y - others) ** 2).sum() / max(((y - y.mean()) ** 2).sum(), 1e-300))
