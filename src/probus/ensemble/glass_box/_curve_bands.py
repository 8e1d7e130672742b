"""Standard errors of the curves: an additive model with random-walk priors whose variances follow from the data.

The curves of a linear predictor z = Σ f_j + noise of variance φ / h have a prior: a random walk over the bins plus an
integrated one, whose variances are those of the largest marginal likelihood of the bin means; levels are independent.
With A the weighted products of the bins and P the precision of the priors, the posterior covariance is
V = φ (A + φ P)⁻¹. It counts bias as well as variance: such bands hold the true function as often as they say on average
over its places (Nychka 1988; Marra and Wood 2012). The error of a boosted curve f about the posterior mean m is
√(V + (f - m)²).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from probus.compiling import njit
from probus.ensemble.glass_box._column_codes import ColumnCodes
from probus.parallel import blas_on_one_thread

_CELLS, _FEWEST, _MOST = 512, 6, 48  # bins of all columns together, and of each
_STEPS, _CLOSE = 8, 0.003
_TRIED = np.concatenate([[1e-6], 10.0 ** np.arange(-4, 0.75, 0.5)])  # of the variance of the target
_NEAR = np.array([0.4, 1.0, 2.5])
_LEAST = 1e-6
_FREE = 1e-3


@njit(nogil=True, cache=True)
def bin_products(codes, starts, hessian, target, products, right):
    """Sums of hessians over pairs of bins, and of hessian times target over bins.

    codes (IN)           uint8[d, n]
    hessian, target (IN) float64[n]
    products (OUT)       float64[p, p], of which the lower half is filled
    right (OUT)          float64[p]
    """
    products[:], right[:] = 0.0, 0.0
    d, n = codes.shape
    for j in range(d):
        for i in range(n):
            right[starts[j] + codes[j, i]] += hessian[i] * target[i]
        for other in range(j + 1):
            for i in range(n):
                products[starts[j] + codes[j, i], starts[other] + codes[other, i]] += hessian[i]


def curve_errors(
    columns: ColumnCodes, codes: np.ndarray, rows: np.ndarray, curves: np.ndarray, hessian: np.ndarray,
    target: np.ndarray, dispersion: float | None, joined: tuple[np.ndarray, np.ndarray],
) -> np.ndarray:  # fmt: skip
    """The standard error of each bin of each column, for one output: float64[T].

    Parameters
    ----------
    columns, codes, rows : the columns, the codes of the rows, and their weight in each bin.
    curves : float64[T], centred.
    hessian, target : float64[n], the weight of each row, and its linear predictor plus residual without intercept.
    dispersion : φ; None estimates it.
    joined : the bin in which each bin is joined to its neighbours, and how many those are; see ``coarse_bins``.
    """
    errors = np.full(len(rows), np.nan)
    varied = [j for j, n in enumerate(columns.n_codes.tolist()) if n > 1 or rows[columns.starts[j + 1] - 1] > 0]
    spread = np.array([_spread(curves, rows, columns, j) for j in varied])
    order = [varied[at] for at in np.argsort(-spread, kind="stable")]
    block: list[int] = []
    for j in order:
        if sum(int(joined[1][i]) for i in [*block, j]) > _CELLS:
            _fill(errors, columns, codes, rows, curves, hessian, target, dispersion, joined, block)
            block = []
        block.append(j)
    if block:
        _fill(errors, columns, codes, rows, curves, hessian, target, dispersion, joined, block)
    return errors


def bins_for_errors(d: int, n: int) -> int:
    """The most bins of a column in the products."""
    return int(np.clip(min(_CELLS // max(d, 1), n // 10), _FEWEST, _MOST))


def _spread(curves: np.ndarray, rows: np.ndarray, columns: ColumnCodes, j: int) -> float:
    part = slice(int(columns.starts[j]), int(columns.starts[j + 1]))
    return float(rows[part] @ curves[part] ** 2)


def _fill(errors, columns, codes, rows, curves, hessian, target, dispersion, joined, block):
    """The errors of the bins of some columns; what the curves of others explain is taken off the target."""
    coarse, sizes = joined
    parts = [slice(int(columns.starts[j]), int(columns.starts[j + 1])) for j in block]
    starts = np.concatenate([[0], np.cumsum(sizes[block])]).astype(np.int64)
    small = np.stack([coarse[part][codes[j]] for j, part in zip(block, parts, strict=True)])
    others = [j for j in range(len(codes)) if j not in set(block)]
    rest = target - sum((curves[columns.starts[j] + codes[j].astype(np.int64)] for j in others), np.zeros(len(target)))
    p = int(starts[-1])
    products, right = np.empty((p, p)), np.empty(p)
    rest = rest - hessian @ rest / hessian.sum()
    if not np.ptp(rest) > 1e-9 * np.abs(target).max() or not hessian @ rest**2 > 1e-200:  # a constant target
        for part in parts:
            errors[part] = 0.0
        return
    bin_products(small, starts, hessian, rest, products, right)
    products = np.tril(products) + np.tril(products, -1).T
    nominal = [bool(columns.nominal[j]) for j in block]
    with blas_on_one_thread(True):  # threads wait for each other longer than a matrix of 512 takes
        mean, variance = _posterior(products, right, float(hessian @ rest**2), len(rest), starts, nominal, dispersion)
    for at, (j, part) in enumerate(zip(block, parts, strict=True)):
        some = slice(int(starts[at]), int(starts[at + 1]))
        weight = np.bincount(coarse[part], rows[part], int(sizes[j]))
        means = np.bincount(coarse[part], rows[part] * curves[part], int(sizes[j])) / np.maximum(weight, 1e-300)
        found = np.where(weight > 0, np.sqrt(variance[some] + (means - mean[some]) ** 2), np.nan)
        errors[part] = _spread_over(found, coarse[part], rows[part], ordered=not columns.nominal[j])


def _kernels(weight: np.ndarray, nominal: bool) -> np.ndarray:
    """The prior covariances of the bins of a column, each of mean variance 1: float64[parts, bins + 1, bins + 1].

    Of levels one, all independent; else a random walk, and an integrated one with a slope. Missing values are
    independent of the others. Curves have a weighted mean of zero.
    """
    n = len(weight) - 1
    if nominal:
        parts = [np.eye(n)]
    else:
        t = np.arange(1, n + 1) / n
        low = np.minimum.outer(t, t)
        parts = [low, low**2 * (3 * np.maximum.outer(t, t) - low) / 6 + np.outer(t, t)]
    out = np.zeros((len(parts), n + 1, n + 1))
    share = weight[:n] / max(weight[:n].sum(), 1e-300)
    for k, part in enumerate(parts):
        centred = part - (share @ part)[None, :] - (part @ share)[:, None] + share @ part @ share
        out[k, :n, :n] = centred / max(share @ centred.diagonal(), 1e-300)
    return out


def _chosen(kernels: np.ndarray, means: np.ndarray, noise: np.ndarray, trials: np.ndarray) -> np.ndarray:
    """The variances of the kernels, one of the trials float64[t, parts], with the largest likelihood of bin means."""
    total = np.einsum("tk,kab->tab", trials, kernels[:, :-1, :-1])
    n = total.shape[1]
    total[:, np.arange(n), np.arange(n)] += noise
    total += 10.0 * (trials.max() + noise.min())  # the mean is free
    factor = np.linalg.cholesky(total)
    solved = np.linalg.solve(factor, np.broadcast_to(means[:, None], (len(total), n, 1)))[:, :, 0]
    fit = -0.5 * (solved**2).sum(axis=1) - np.log(factor.diagonal(axis1=1, axis2=2)).sum(axis=1)
    return trials[int(np.argmax(fit))]


def _posterior(products, right, total, n, starts, nominal, dispersion):
    """The posterior mean and variances of all bins, with the variances of the priors of the largest likelihood."""
    p = len(right)
    weight = np.maximum(products.diagonal(), 1e-9 * products.diagonal().max())
    unit = weight.sum() / max(len(nominal), 1) / n
    spread = total / n / unit
    phi = spread * unit if dispersion is None else dispersion
    parts = [slice(int(a), int(b)) for a, b in pairwise(starts)]
    kernels = [_kernels(weight[part], each) for part, each in zip(parts, nominal, strict=True)]
    scales = [np.full(len(each), 0.1 * spread) for each in kernels]
    mean = np.zeros(p)
    for step in range(_STEPS):
        if step:
            worst = 0.0
            for j, part in enumerate(parts):
                partial = right[part] - products[part] @ mean + weight[part] * mean[part]
                ratios = _TRIED if step == 1 else _NEAR
                base = np.full(len(scales[j]), spread) if step == 1 else scales[j]
                trials = base * np.stack(np.meshgrid(*[ratios] * len(base)), axis=-1).reshape(-1, len(base))
                trials = np.clip(trials, _LEAST * spread, 10 * spread)
                seen = weight[part][:-1]
                best = _chosen(kernels[j], partial[:-1] / seen, phi / seen, trials)
                worst = max(worst, float(np.abs(best - scales[j]).max() / spread))
                scales[j] = best
        system = products.copy()
        system[np.diag_indices(p)] += phi * _FREE / spread
        for j, part in enumerate(parts):
            prior = np.einsum("k,kab->ab", scales[j], kernels[j])
            size = len(prior)
            prior[np.diag_indices(size)] += 1e-7 * spread
            share = weight[part] / weight[part].sum()
            prior[-1, -1] = spread  # of missing values
            system[part, part] += phi * np.linalg.inv(prior) + 1e3 * weight[part].sum() * np.outer(share, share)
        factor = cho_factor(system, lower=True, check_finite=False)
        inverse = cho_solve(factor, np.eye(p), check_finite=False)
        mean = inverse @ right
        if dispersion is None:
            edf = float(np.einsum("ij,ji->", inverse, products))
            residual = total - 2 * mean @ right + mean @ products @ mean
            phi = max(residual / max(n - edf, 0.1 * n), 1e-9 * total / n)
        if step > 1 and worst < _CLOSE:
            break
    return mean, phi * np.maximum(inverse.diagonal(), 0.0)


def _spread_over(found: np.ndarray, coarse: np.ndarray, rows: np.ndarray, *, ordered: bool) -> np.ndarray:
    """Errors of joined bins for each bin: by lines between their middles where bins have an order."""
    out = found[coarse]
    if not ordered or len(coarse) < 3:
        return out
    n = len(coarse) - 1
    known = np.flatnonzero(np.isfinite(found[:-1]))
    if len(known) < 2:
        return out
    places = np.arange(n, dtype=float)
    weight = np.bincount(coarse[:n], minlength=len(found))
    middles = np.bincount(coarse[:n], places, len(found))[known] / weight[known]
    out[:n] = np.interp(places, middles, found[known])
    return out
