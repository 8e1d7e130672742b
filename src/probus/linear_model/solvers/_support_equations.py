"""Linear systems of one matrix for supports that differ little from each other."""

from __future__ import annotations

import numpy as np
from scipy import linalg

_SINGULAR, _WELL_CONDITIONED = 1e-6, 1e-4  # of the factor: otherwise a border loses too many digits
_CHANGES = 20  # and an eighth of the size: beyond, factorising again is cheaper


class SupportEquations:
    r"""Solves (G + l2) w = c for rows and columns in a support, one support after the other.

    The system of one support, the base, is factorised. Another support adds columns A and removes columns D. With
    multipliers that keep the removed coefficients at zero, its system is the base's with a border,

    .. math:: (G_{BB} \; U; \; U^T \; C) (w_B, z) = (c_B, c'), \quad U = (G_{BA}, I_D), \; C = diag(G_{AA}, 0),

    and is solved by the Schur complement :math:`C - U^T G_{BB}^{-1} U`, as small as the change.
    """

    def __init__(self) -> None:
        self._base = np.empty(0, dtype=np.int64)
        self._l2 = np.nan
        self._forget()

    def _forget(self) -> None:
        self._changes, self._V = np.empty(0, dtype=np.int64), np.empty((len(self._base), 0))

    @property
    def bordered(self) -> bool:
        """Whether the last system was solved by a border, which nearly dependent columns may spoil."""
        return len(self._changes) > 0

    def refactorise(self) -> None:
        """Factorise the next system, whatever it is."""
        self._l2 = np.nan

    def solve(self, G: np.ndarray, l2: float, support: np.ndarray, c: np.ndarray) -> np.ndarray | None:
        """The solution float64[s] for the support int64[s], ascending; None where the system is singular.

        G may have grown since the last call: the first rows and columns must be the same.
        """
        added = np.setdiff1d(support, self._base, assume_unique=True)
        removed = np.setdiff1d(self._base, support, assume_unique=True)
        if l2 != self._l2 or len(added) + len(removed) > _CHANGES + len(support) // 8:
            return c if len(support) == 0 else self._solve_anew(G, l2, support, c)
        if len(added) + len(removed) == 0:
            self._forget()
            return linalg.cho_solve((self._L, True), c, check_finite=False)
        found = self._solve_bordered(G, l2, support, c, added, removed)
        return self._solve_anew(G, l2, support, c) if found is None else found

    def _solve_anew(self, G: np.ndarray, l2: float, support: np.ndarray, c: np.ndarray) -> np.ndarray | None:
        """The solution by Cholesky's method, nearly so where columns are dependent."""
        system = G[np.ix_(support, support)]
        size = float(system.diagonal().mean())
        for extra in (0.0, 1e-10 * size, 1e-7 * size):
            raised = system + 0.0
            raised.flat[:: len(system) + 1] += l2 + extra
            try:
                self._L = linalg.cholesky(raised.T, lower=True, overwrite_a=True, check_finite=False)
            except linalg.LinAlgError:
                continue
            diagonal = self._L.diagonal()
            condition = float(diagonal.min() / diagonal.max())
            if condition < _SINGULAR:
                continue
            self._base, self._l2 = support, l2 if condition > _WELL_CONDITIONED else np.nan
            self._forget()
            return linalg.cho_solve((self._L, True), c, check_finite=False)
        self._l2 = np.nan
        return None

    def _solve_bordered(
        self, G: np.ndarray, l2: float, support: np.ndarray, c: np.ndarray, added: np.ndarray, removed: np.ndarray
    ) -> np.ndarray | None:
        self._border(G, np.concatenate([added, removed]), len(added))
        a, V = len(added), self._V
        schur = -(V.T @ V)
        schur[:a, :a] += G[np.ix_(added, added)]
        schur.flat[: a * (len(schur) + 1) : len(schur) + 1] += l2
        of_base, rest = np.zeros(len(self._base)), np.zeros(len(schur))
        stays = np.isin(self._base, support, assume_unique=True)
        of_base[stays] = c[np.isin(support, self._base, assume_unique=True)]
        rest[:a] = c[np.isin(support, added, assume_unique=True)]
        half = linalg.solve_triangular(self._L, of_base, lower=True, check_finite=False)
        try:
            z = np.linalg.solve(schur, rest - half @ V)
        except np.linalg.LinAlgError:
            return None
        w = linalg.solve_triangular(self._L, half - V @ z, lower=True, trans="T", check_finite=False)
        out = np.empty(len(support))
        out[np.isin(support, self._base, assume_unique=True)] = w[stays]
        out[np.isin(support, added, assume_unique=True)] = z[:a]
        return out if np.isfinite(out).all() else None

    def _border(self, G: np.ndarray, changes: np.ndarray, n_added: int) -> None:
        """L⁻¹U for the columns that have changed; those of the last call are kept."""
        place = {int(change): i for i, change in enumerate(self._changes)}
        V = np.empty((len(self._base), len(changes)), order="F")
        known = np.array([place.get(int(change), -1) for change in changes])
        V[:, known >= 0] = self._V[:, known[known >= 0]]
        fresh = np.flatnonzero(known < 0)
        if len(fresh):
            U = np.zeros((len(self._base), len(fresh)), order="F")
            joining = fresh < n_added
            U[:, joining] = G[np.ix_(self._base, changes[fresh[joining]])]
            leaving = np.flatnonzero(~joining)
            U[np.searchsorted(self._base, changes[fresh[leaving]]), leaving] = 1.0
            V[:, fresh] = linalg.solve_triangular(self._L, U, lower=True, overwrite_b=True, check_finite=False)
        self._changes, self._V = changes, V
