"""1xx: missing values, and values that stand for missing ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import erfc, sqrt

import numpy as np

from probus.data._column import Column, as_missing, quote_some
from probus.data._kind import Kind
from probus.data._level_order import order_of
from probus.data._table import Table
from probus.data.findings._facts import (
    READ,
    facts,
    features,
    has_classes,
    number,
    once_per_column,
    without,
    without_values,
)
from probus.data.findings._finding import Finding, Severity
from probus.display import counted, counted_of, exact_percent
from probus.errors import Advice

SENTINELS = np.array(
    [-1, -2147483648, -32768, 32767, 65535, 2147483647]
    + [sign * (10**digits - 1) for digits in range(1, 8) for sign in (-1, 1)]
    + [sign * nines for nines in (99.9, 999.9, 9999.9) for sign in (-1, 1)]
)  # common codes for a missing number
SENTINEL_REPEATS = 2  # a code for missing repeats; a single extreme value is an outlier
MANY_VALUES = 10  # distinct values of a measurement rather than a rating scale

PLACEHOLDER = re.compile(
    r"[?.\-*_#\s]*|<?n/?a>?|#n/a|nan|null|missing|unknown|not? (known|available|stated|recorded|answer)|unspecified"
    r"|undefined|undetermined|do(n't|nt| not) know|refused|tbd"
)
AMBIGUOUS = {"none", "nil"}  # missing, or the answer "nothing"

MUCH, SOME = 0.5, 0.2  # of the values: above a half there is more imputation than data; a fifth affects any score

FAR_ABOVE_ZERO = 0.2  # of the median: the smallest value other than zero

FEWEST = 10  # rows with and without the value, before missingness is tested against the target
CHANCE = 0.001  # p-value for the whole table, shared by its columns
SMALL_EFFECT = 0.1  # Cramér's V or rank-biserial correlation below which Cohen calls an effect negligible


# -- disguised -----------------------------------------------------------------------------------------


@once_per_column
def sentinels(column: Column) -> list[float]:
    """The values of a numeric column that stand for missing: a known code, repeated, far from the rest.

    Far means that the distance exceeds the range of the rest; the only negative value of a measurement is also far.
    """
    if column.dates or not column.is_number_like:
        return []
    values = facts(column).values.astype(np.float64)
    coded = np.isin(values, SENTINELS) & (facts(column).counts >= SENTINEL_REPEATS)
    rest = values[~coded & np.isfinite(values)]
    if len(rest) < 2 or not coded.any():
        return []
    low, high = rest[0], rest[-1]
    distances = np.maximum(low - values, values - high)
    alone_below = (values < 0) & (low >= 0) & (len(rest) >= MANY_VALUES)
    return values[coded & ((distances > high - low) | alone_below)].tolist()


def disguised_numbers(table: Table, target: str | None) -> Iterator[Finding]:
    """PB101: numeric codes for missing values, such as -999."""
    for column in table:
        for value in sentinels(column):
            seen = facts(column)
            count = int(seen.counts[seen.values == value].sum())
            rest = [v for v in seen.values if v not in sentinels(column) and np.isfinite(v)]
            others = f"{number(rest[0])} to {number(rest[-1])}"
            evidence = f"{number(value)} in {counted(count, 'row')} is far from the other values ({others})."
            declare = Advice("missing", [number(value)], READ.format(f"missing=[{number(value)}]"))
            yield Finding("PB101", column.name, "warning", evidence, f"If it means missing: {declare}")


def disguised_words(table: Table, target: str | None) -> Iterator[Finding]:
    """PB101: strings for missing values, such as "?", "unknown" and blanks."""
    for column in table:
        if column.kind is Kind.NUMERIC:
            continue
        seen = facts(column)
        words = {str(value): int(count) for value, count in zip(seen.values, seen.counts, strict=True)}
        certain = [word for word in words if PLACEHOLDER.fullmatch(word.strip().lower()) and "+" not in words]
        unsure = [word for word in words if word.strip().lower() in AMBIGUOUS and _may_mean_missing(word, words)]
        candidates: tuple[tuple[list[str], Severity, str], ...] = (
            (certain, "warning", ""),
            (unsure, "note", "If it means missing rather than nothing: "),
        )
        for found, severity, condition in candidates:
            if found:
                count = sum(words[word] for word in found)
                evidence = (
                    f"{quote_some(found)} in {count:,} of {len(column):,} rows ({exact_percent(count / len(column))})."
                )
                yield Finding("PB101", column.name, severity, evidence, f"{condition}{as_missing(found, READ)}")


def _may_mean_missing(word: str, words: dict[str, int]) -> bool:
    """Whether "none" may mean missing: it is not the most frequent level and not part of an order (none, one, two)."""
    return words[word] < max(words.values()) and order_of(list(words)) is None


def suspicious_zeros(table: Table, target: str | None) -> Iterator[Finding]:
    """PB105: zeros in a column whose other values are well above zero, such as glucose or blood pressure.

    Well above: the smallest other value is a large part of the median of the others and exceeds their interquartile
    range. Zeros in most rows are regular values, such as no rain.
    """
    for column in table.of_kind(Kind.NUMERIC):
        seen = facts(column)
        if column.dates or seen.n_distinct <= MANY_VALUES or seen.values[0] != 0:
            continue
        count, smallest = int(seen.counts[0]), seen.values[1]
        low, median, high = np.percentile(column.values[column.values > 0], [25, 50, 75])
        far = smallest > max(high - low, FAR_ABOVE_ZERO * median)
        if SENTINEL_REPEATS <= count < seen.n_present / 2 and far:
            yield Finding(
                "PB105",
                column.name,
                "warning",
                f"{count:,} values are exactly 0; the smallest of the others is {number(smallest)}.",
                "If zero is impossible here: " + without_values(column.name, "v == 0"),
            )


# -- missing -------------------------------------------------------------------------------------------


def much_missing(table: Table, target: str | None) -> Iterator[Finding]:
    """PB102: a large share of a column is missing."""
    for column in features(table, target):
        missing = len(column) - facts(column).n_present
        share = missing / max(len(column), 1)
        if SOME <= share < 1:
            yield Finding(
                "PB102",
                column.name,
                "warning" if share >= MUCH else "note",
                f"{counted_of(missing, len(column), 'values')} missing ({exact_percent(share)}).",
                f"{without(column.name)}, or use a model that accepts missing values, or add a missing indicator",
            )


def all_missing(table: Table, target: str | None) -> Iterator[Finding]:
    """PB103: all values are missing."""
    for column in features(table, target):
        if len(column) and not facts(column).n_present:
            evidence = f"all {len(column):,} values are missing."
            yield Finding("PB103", column.name, "error", evidence, str(without(column.name)))


def missing_depends_on_target(table: Table, target: str | None) -> Iterator[Finding]:
    """PB104: whether a value is missing depends on the target, so it is not missing at random.

    Columns that are missing in the same rows are reported together.
    """
    if target is None or table[target].kind is Kind.TEXT:
        return
    label = table[target]
    labelled = facts(label).codes >= 0
    together: dict[bytes, list[Column]] = {}
    for column in features(table, target):
        missing = (facts(column).codes < 0) & labelled
        if FEWEST <= missing.sum() <= labelled.sum() - FEWEST:
            together.setdefault(np.packbits(missing).tobytes(), []).append(column)
    test = _missing_by_class if has_classes(label) else _missing_by_value
    for column, *others in together.values():
        p, effect, evidence = test(column, label)
        if p * len(together) < CHANCE and effect >= SMALL_EFFECT:
            shared = f" The same rows lack {quote_some([other.name for other in others])}." if others else ""
            advice = "Do not drop those rows; add a missing indicator, and find out why the values are missing"
            yield Finding("PB104", column.name, "warning", evidence + shared, advice)


def _missing_by_class(column: Column, label: Column) -> tuple[float, float, str]:
    """Chi-squared test of missing against class: p, Cramér's V, and the classes that differ most."""
    from scipy.special import chdtrc

    seen = facts(label)
    missing = (facts(column).codes < 0)[seen.codes >= 0]
    classes = seen.codes[seen.codes >= 0]
    observed = np.stack([np.bincount(classes[missing == m], minlength=seen.n_distinct) for m in (True, False)])
    sizes = observed.sum(axis=0)
    expected = observed.sum(axis=1, keepdims=True) * sizes / len(classes)
    chi2 = float(((observed - expected) ** 2 / expected).sum())
    p = float(chdtrc(seen.n_distinct - 1, chi2)) if seen.n_distinct > 1 else 1.0
    rates = np.where(sizes >= FEWEST, observed[0] / sizes, np.nan)
    if np.isnan(rates).all():
        return 1.0, 0.0, ""
    most, least = int(np.nanargmax(rates)), int(np.nanargmin(rates))
    evidence = (
        f"missing in {exact_percent(rates[most])} of the rows with {label.name} = {seen.values[most]}, "
        f"in {exact_percent(rates[least])} with {seen.values[least]} (χ² = {chi2:.0f}, {_p_value_text(p)})."
    )
    return p, sqrt(chi2 / len(classes)), evidence


def _missing_by_value(column: Column, label: Column) -> tuple[float, float, str]:
    """Rank-sum test of the target where the column is missing: p, rank-biserial correlation, and the medians."""
    present = ~label.missing
    y, missing = label.values[present], (facts(column).codes < 0)[present]
    seen = facts(label)
    mid_rank = np.cumsum(seen.counts) - (seen.counts - 1) / 2
    n, m = int(missing.sum()), int((~missing).sum())
    u = mid_rank[seen.codes[present]][missing].sum() - n * (n + 1) / 2
    ties = (seen.counts.astype(float) ** 3 - seen.counts).sum() / ((n + m) * (n + m - 1))
    z = (u - n * m / 2) / sqrt(max(n * m / 12 * (n + m + 1 - ties), 1e-300))
    p = erfc(abs(z) / sqrt(2))
    evidence = (
        f"the median of {label.name} is {number(np.median(y[missing]))} in the {n:,} rows where it is missing, "
        f"{number(np.median(y[~missing]))} elsewhere (rank sum {_p_value_text(p)})."
    )
    return p, abs(2 * u / (n * m) - 1), evidence


def _p_value_text(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
