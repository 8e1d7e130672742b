"""A further column for some passes of numbers: what a kernel ridge regression predicts.

The network is weak where many columns together determine a number smoothly; a regression on kernels is strong there.
Each training row is predicted without the rows of its fold, as new rows are. So the network sees how far the column can
be trusted. Only the mean target and the penalty are of all rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probus.in_context._kernels import INDICATOR, compare_rows, kernel_sums

_LEAST, _MOST = 20, 1000  # distinct rows
_FOLDS = 10
_LEAST_SHARE = 0.05  # of the variance that is predicted
_RATE, _LINEAR = 1.5, 0.3  # divided by the median distance of rows, and by the number of columns
_PENALTIES = 10.0 ** np.arange(-4.0, 3.1, 0.5)
_WIDEST = 4.0  # standard deviations


@dataclass(frozen=True)
class Design:
    """Rows to compare: standardised numbers, codes of levels, and indicators of missing values where there are some.

    They are compared as if each level had an indicator. A matrix of those would be as wide as there are levels.

    Attributes
    ----------
    levels : the levels of each nominal column in the training rows; None of numbers.
    mean, deviation : of each number.
    missing : the columns that have missing values in the training rows.
    """

    levels: list[np.ndarray | None]
    mean: np.ndarray
    deviation: np.ndarray
    missing: np.ndarray

    @classmethod
    def of(cls, cells: np.ndarray, nominal: np.ndarray) -> Design:
        """That of training rows, float[n, d] with NaN for missing values."""
        known = ~np.isnan(cells)
        count = np.maximum(known.sum(axis=0), 1)
        values = np.where(known, cells, 0.0).astype(np.float64)
        mean = values.sum(axis=0) / count
        deviation = np.sqrt((np.where(known, values - mean, 0.0) ** 2).sum(axis=0) / count)
        levels = [np.unique(cells[known[:, j], j]) if each else None for j, each in enumerate(nominal)]
        return cls(levels, mean, np.where(deviation > 0.0, deviation, 1.0), np.flatnonzero(~known.all(axis=0)))

    @property
    def coded(self) -> np.ndarray:
        """Which columns have codes of levels."""
        return np.array([each is not None for each in self.levels] + [False] * len(self.missing))

    @property
    def width(self) -> int:
        """The number of columns with an indicator of each level."""
        return len(self.missing) + sum(1 if each is None else len(each) for each in self.levels)

    def __call__(self, cells: np.ndarray) -> np.ndarray:
        """The rows, float64[n, p]. Codes of levels begin with 1, that of the last level; 0 is none of them."""
        known = ~np.isnan(cells)
        parts = []
        for j, levels in enumerate(self.levels):
            if levels is None:
                z = (np.where(known[:, j], cells[:, j], self.mean[j]) - self.mean[j]) / self.deviation[j]
                parts.append(np.clip(z, -_WIDEST, _WIDEST)[:, None])
            else:
                codes = len(levels) - np.searchsorted(levels, cells[:, j])
                parts.append(np.where(np.isin(cells[:, j], levels), codes, 0)[:, None])
        parts.append(INDICATOR * ~known[:, self.missing])
        return np.hstack(parts).astype(np.float64)


@dataclass(frozen=True)
class KernelRegression:
    """A kernel ridge regression with the kernel (1 + r) exp(−r) + linear + 1, r the distance of rows times a rate.

    Attributes
    ----------
    rows, coded : its training rows, and which columns have codes of levels.
    coefficients : the coefficient of each row.
    rate, linear : the factors of distances and of products.
    """

    rows: np.ndarray
    coded: np.ndarray
    coefficients: np.ndarray
    rate: float
    linear: float

    @classmethod
    def fitted(
        cls, rows: np.ndarray, design: Design, target: np.ndarray, count: np.ndarray, random: np.random.Generator
    ) -> tuple[KernelRegression, np.ndarray, float]:
        """The regression, its training rows predicted without their fold, and the share of the variance it explains.

        Parameters
        ----------
        rows, design : distinct rows, and their design.
        target, count : the mean target of the copies of each row, and their number.
        random : draws the folds.

        Returns
        -------
        All three; the share is that of rows predicted without themselves.
        """
        distances, products = np.empty((len(rows), len(rows))), np.empty((len(rows), len(rows)))
        compare_rows(rows, design.coded, distances, products)
        rate = _RATE / float(np.median(distances[np.triu_indices(len(rows), 1)]))
        linear = _LINEAR / design.width
        gram = (1.0 + rate * distances) * np.exp(-rate * distances) + linear * products + 1.0
        folds = random.permutation(len(rows)) % min(_FOLDS, len(rows))
        coefficients, without_fold, share = _cross_fitted(gram, target, count, folds)
        return cls(rows, design.coded, coefficients, rate, linear), without_fold, share

    def __call__(self, new: np.ndarray) -> np.ndarray:
        """The predictions of rows."""
        out = np.empty(len(new))
        kernel_sums(new, self.rows, self.coded, self.coefficients, self.rate, self.linear, out)
        return out


@dataclass(frozen=True)
class KernelColumn:
    """The column, and what predicts it for new rows.

    Attributes
    ----------
    design : what makes rows of cells.
    regression : what predicts targets without their mean.
    centre : the mean target.
    known : the column of the training rows.
    """

    design: Design
    regression: KernelRegression
    centre: float
    known: np.ndarray

    @classmethod
    def of(cls, cells: np.ndarray, nominal: np.ndarray, y: np.ndarray) -> KernelColumn | None:
        """The column for training rows; None where too few are distinct, or the regression predicts next to nothing.

        Copies of a row are one row with a weight, so that a row is never predicted by its copy. A column without
        signal would mislead: the mean without a fold is the lower, the higher the targets of the fold are.

        Parameters
        ----------
        cells, nominal : the cells, float[n, d] with NaN for missing ones, and which columns have codes of levels.
        y : the numbers to predict.

        Returns
        -------
        The column.
        """
        design = Design.of(cells, nominal)
        rows, copy_of = np.unique(design(cells), axis=0, return_inverse=True)
        if len(rows) < _LEAST:
            return None
        count = np.bincount(copy_of).astype(np.float64)
        centre = float(np.mean(y))
        target = np.bincount(copy_of, weights=y - centre) / count
        random = np.random.default_rng(0)
        some = np.sort(random.permutation(len(rows))[:_MOST])
        regression, without_fold, share = KernelRegression.fitted(rows[some], design, target[some], count[some], random)
        if share < _LEAST_SHARE:
            return None
        known = regression(rows)
        known[some] = without_fold
        return cls(design, regression, centre, (known + centre)[copy_of])

    def __call__(self, cells: np.ndarray) -> np.ndarray:
        """The column of new rows."""
        return self.regression(self.design(cells)) + self.centre


def _cross_fitted(
    gram: np.ndarray, target: np.ndarray, count: np.ndarray, folds: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """Coefficients, rows predicted without their fold, and the share of the variance predicted without each row.

    The penalty is that which predicts each row best without it.

    The coefficients are a = (K + λ C⁻¹)⁻¹ y, C the counts of rows. With G the inverse, the residual of the rows F of a
    fold without which it is fitted is (G_FF)⁻¹ a_F. All penalties share the eigenvectors of √C K √C.
    """
    root = np.sqrt(count)
    values, vectors = np.linalg.eigh(root[:, None] * gram * root)
    turned, squares = vectors.T @ (root * target), vectors**2
    smallest = np.inf
    for penalty in _PENALTIES:
        shrink = 1.0 / (np.maximum(values, 0.0) + penalty)
        scaled = vectors @ (shrink * turned)  # a / √C
        error = float(np.sum((scaled / (squares @ shrink)) ** 2))  # residuals without the row, times √C
        if error < smallest:
            smallest, best = error, (shrink, scaled)
    shrink, scaled = best
    fitted = np.empty(len(target))
    for fold in range(folds.max() + 1):
        own = np.flatnonzero(folds == fold)
        inverse = (vectors[own] * shrink) @ vectors[own].T
        fitted[own] = target[own] - np.linalg.solve(inverse, scaled[own]) / root[own]
    variance = np.sum(count * target**2)
    return root * scaled, fitted, 1.0 - smallest / variance if variance > 0.0 else 0.0
