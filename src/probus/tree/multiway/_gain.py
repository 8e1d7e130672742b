"""Information gain and split information in bits (Quinlan 1993, chapter 2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probus.compiling import njit
from probus.tree.multiway._multiway_growth import SLACK, Cases, Training


def bits(counts: np.ndarray) -> np.ndarray:
    r"""The information :math:`N \log_2 N - \sum_k n_k \log_2 n_k` in counts along the last axis: N times the entropy.

    >>> float(bits(np.array([9.0, 5.0])) / 14)
    0.940...
    """
    total = counts.sum(axis=-1)
    return _xlog2(total) - _xlog2(counts).sum(axis=-1)


def _xlog2(x: np.ndarray) -> np.ndarray:
    return x * np.log2(np.where(x > 0, x, 1.0))


def information_gain(counts: np.ndarray) -> float:
    r"""The information gain in bits, for counts of branches × classes.

    >>> outlook = np.array([[2.0, 3.0], [4.0, 0.0], [3.0, 2.0]])  # play and don't: sunny, overcast, rainy
    >>> round(information_gain(outlook), 3)
    0.247
    """
    return float((bits(counts.sum(axis=0)) - bits(counts).sum()) / counts.sum())


@dataclass(frozen=True, eq=False)
class LevelTables:
    """Weights by code and class of all columns of codes, stacked.

    Column ``columns[i]`` has the rows from ``start[i]`` on, one for each code and the last for missing values.
    """

    columns: np.ndarray
    start: np.ndarray
    length: np.ndarray
    n_classes: int

    @classmethod
    def of(cls, training: Training) -> LevelTables:
        """The offsets of the tables of all columns of codes."""
        columns = np.flatnonzero(training.coding.n_codes > 0)
        length = training.coding.n_codes[columns] + 1
        return cls(columns, np.cumsum(length) - length, length, training.n_classes)

    def counted(self, training: Training, cases: Cases) -> np.ndarray:
        """The tables of a node; columns that may not be used are zero."""
        tables = np.zeros((int(self.length.sum()), self.n_classes))
        usable = cases.open[self.columns]
        count_levels(
            training.X, training.y, cases.rows, cases.w, self.columns[usable], self.start[usable], self.length[usable],
            tables,
        )  # fmt: skip
        return tables

    def table(self, tables: np.ndarray, place: int) -> np.ndarray:
        """The table of one column, codes × classes, missing last."""
        return tables[self.start[place] : self.start[place] + self.length[place]]

    def gains(self, tables: np.ndarray, min_cases: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        r"""For each column its gain and split information in bits, and how many codes have ``min_cases``.

        With F the share of known values, the gain is F times the gain among them, and missing values count as an
        additional branch in the split information.
        """
        if not len(self.columns):
            return np.zeros(0), np.zeros(0), np.zeros(0, np.int64)
        weights = tables.sum(axis=1)
        total = np.add.reduceat(weights, self.start)
        missing = self.start + self.length - 1
        unknown = weights[missing]
        known_tables = tables.copy()
        known_tables[missing] = 0.0
        before = bits(np.add.reduceat(known_tables, self.start))
        after = np.add.reduceat(bits(known_tables), self.start)
        whole = np.where(total > 0, total, 1.0)
        split_info = (_xlog2(total) - np.add.reduceat(_xlog2(weights), self.start)) / whole
        ample = (known_tables.sum(axis=1) >= max(min_cases - SLACK, SLACK)).astype(np.int64)
        gain = np.where(total > unknown, (before - after) / whole, 0.0)
        return gain, split_info, np.add.reduceat(ample, self.start)


@njit(nogil=True, cache=True)
def count_levels(X, y, rows, w, columns, start, length, out):
    """Weights by code and class of each column, missing in the last row of its table.

    X (IN)    float64[n, d]
    rows (IN) int64[m], with weights w
    out (OUT) float64[codes of all columns, K], initially zero
    """
    for c in range(columns.shape[0]):
        j, first, last = columns[c], start[c], start[c] + length[c] - 1
        for i in range(rows.shape[0]):
            x = X[rows[i], j]
            place = last if x != x else first + np.int64(x)
            out[place, y[rows[i]]] += w[i]


@njit(nogil=True, cache=True)
def scaled_entropy(counts):
    """N times the entropy of counts, in bits."""
    total, inner = 0.0, 0.0
    for n in counts:
        if n > 0.0:
            total += n
            inner += n * np.log2(n)
    return total * np.log2(total) - inner if total > 0.0 else 0.0


@njit(nogil=True, cache=True)
def best_threshold(x, y, w, order, n_classes, min_cases, out):
    """The threshold of a numeric column with the largest gain, after C4.5 release 8.

    Each side must have a tenth of the mean class size, limited to between min_cases and 25 rows. Choosing among T
    thresholds reduces the gain by log2(T) / N bits (Quinlan 1996). If no threshold has a gain, the gain is -1.

    x (IN)     float64[n], NaN for missing; with weights w
    order (IN) int64[n], the rows by value, missing last
    out (OUT)  float64[4], gain and split information in bits, the values on either side of the threshold
    """
    above, below = np.zeros(n_classes), np.zeros(n_classes)
    n_known, known, total = 0, 0.0, 0.0
    for i in order:
        total += w[i]
        if x[i] == x[i]:
            n_known += 1
            known += w[i]
            above[y[i]] += w[i]
    least = max(min(0.1 * known / n_classes, 25.0), min_cases) - SLACK
    before = scaled_entropy(above)
    under, tries, best = 0.0, 0, 0.0
    branches = np.zeros(3)
    for p in range(n_known - 1):
        i, after = order[p], order[p + 1]
        under += w[i]
        below[y[i]] += w[i]
        above[y[i]] -= w[i]
        if under < least or x[i] == x[after]:
            continue
        if known - under < least:
            break
        tries += 1
        saved = (before - scaled_entropy(below) - scaled_entropy(above)) / total
        if tries == 1 or saved > best + SLACK:
            best, out[2], out[3] = saved, x[i], x[after]
            branches[0], branches[1], branches[2] = under, known - under, total - known
    net = best - np.log2(tries) / total if tries > 0 else 0.0
    out[0] = net if net > SLACK else -1.0
    out[1] = scaled_entropy(branches) / total
