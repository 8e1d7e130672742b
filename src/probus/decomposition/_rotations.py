"""Rotations of loadings to simple structure."""

from __future__ import annotations

import numpy as np


def varimax(loadings: np.ndarray, *, normalize: bool = True, tol: float = 1e-10, max_iter: int = 1000) -> np.ndarray:
    """The orthogonal matrix that turns loadings so that their squares vary most within each column (Kaiser 1958).

    Parameters
    ----------
    loadings : columns of the data × factors; the rotated ones are ``loadings @ varimax(loadings)``.
    normalize : whether rows are scaled to length 1 first, as Kaiser does.
    tol : the iteration ends when the criterion grows relatively less than this.
    max_iter : the most iterations.

    Returns
    -------
    The matrix.

    Examples
    --------
    >>> loadings = np.array([[0.7, 0.6], [0.6, 0.7], [0.7, -0.7], [0.6, -0.6]])
    >>> np.abs(loadings @ varimax(loadings)).round(2)
    array([[0.92, 0.07],
           [0.92, 0.07],
           [0.  , 0.99],
           [0.  , 0.85]])
    """
    k = loadings.shape[1]
    if k < 2:
        return np.eye(k)
    lengths = np.sqrt((loadings**2).sum(axis=1, keepdims=True))
    x = loadings / np.where(lengths > 0, lengths, 1.0) if normalize else loadings
    # from loadings that lie evenly between the axes no step leads away: so from other starts too
    rng = np.random.default_rng(0)
    starts = [np.eye(k), *(np.linalg.qr(rng.normal(size=(k, k)))[0] for _ in range(3))]
    found = [_ascend(x, start, tol, max_iter) for start in starts]
    criteria = [((x @ turned) ** 2).var(axis=0).sum() for turned in found]
    best = int(np.argmax(np.array(criteria) > max(criteria) * (1 - 1e-9)))  # the first of equally good ones
    return found[best]


def _ascend(x: np.ndarray, turned: np.ndarray, tol: float, max_iter: int) -> np.ndarray:
    for _ in range(max_iter):
        z = x @ turned
        u, _, vt = np.linalg.svd(x.T @ (z**3 - z * (z**2).mean(axis=0)))
        before, turned = turned, u @ vt
        if np.abs(turned - before).max() <= tol:
            break
    return turned


def promax(loadings: np.ndarray, *, power: float = 4) -> np.ndarray:
    """The matrix that turns loadings to oblique factors (Hendrickson and White 1964), after ``varimax``.

    The factors of unit variance that belong to ``loadings @ promax(loadings)`` have the covariance
    ``inv(M.T @ M)`` with M this matrix.

    Parameters
    ----------
    loadings : columns of the data × factors.
    power : the power of the target; larger ones give smaller loadings and more correlated factors.

    Returns
    -------
    The matrix.

    >>> promax(np.eye(2)).round(3)
    array([[1., 0.],
           [0., 1.]])
    """
    k = loadings.shape[1]
    if k < 2:
        return np.eye(k)
    first = varimax(loadings)
    x = loadings @ first
    target = x * np.abs(x) ** (power - 1)
    towards = np.linalg.lstsq(x, target, rcond=None)[0]
    return first @ towards @ np.diag(np.sqrt(np.diag(np.linalg.inv(towards.T @ towards))))
