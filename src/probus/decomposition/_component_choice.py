"""How many components there are: the elbow of the variances, and parallel analysis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg
from sklearn.utils import check_array

from probus.data import Table, is_frame
from probus.display import Cells, Picture, Result, counted, percent
from probus.display.drawing import BLUE, MUTED, caption, new_axes, tidy
from probus.distances.magnitudes import check_squares
from probus.errors import DataError

_FEWEST, _SIMULATIONS = 20, 180  # and 19 more: their 95 % quantile is then one of them, exceeded with probability 5 %
_OPERATIONS = 5e9  # of all simulations together
_MANY_CELLS = 1_000_000  # rows × columns
_HEAVY = 0.1  # the excess kurtosis of a correlation by chance, above which it is not like one of normal columns


@dataclass(frozen=True, repr=False, eq=False)
class ComponentChoice(Result):
    """The variances of the components, and how many rise above chance.

    Attributes
    ----------
    variances : of the standardised columns, descending; 1 on average.
    random : what the same columns, each permuted, would exceed with probability 1 − ``level``.
    level : the quantile of random variances that a component must exceed.
    parallel : the number of components above it, from the first on (Horn 1965; Buja and Eyuboglu 1992).
    elbow : the number of components before the point furthest below the line from the first variance to the last.
    n_rows : the number of rows.
    """

    variances: np.ndarray
    random: np.ndarray
    level: float
    parallel: int
    elbow: int
    n_rows: int

    def _rows(self) -> dict[str, Any]:
        share = np.cumsum(self.variances) / self.variances.sum()
        number = np.arange(1, len(share) + 1)
        return {"component": number, "variance": self.variances, "random": self.random, "cumulative": share}

    def _parts(self) -> Iterator[Any]:
        share = percent(float(self.variances[: self.parallel].sum() / self.variances.sum()))
        yield (
            f"{counted(self.parallel, 'component')} of {len(self.variances)} above chance, with {share} of the "
            f"variance; the elbow is after {self.elbow}"
        )
        rows = [
            (str(i + 1), f"{v:.3f}", f"{r:.3f}")
            for i, (v, r) in enumerate(zip(self.variances, self.random, strict=True))
        ]
        yield Cells([("component", "variance", "by chance"), *rows], right=[0, 1, 2], margin=2, most=12)
        yield Picture(self.plot)

    def plot(self, ax: Any = None) -> Any:
        """The scree plot, with what chance would give."""
        ax = new_axes(ax, 5.6, 4.0)
        number = np.arange(1, len(self.variances) + 1)
        ax.plot(number, self.variances, "o-", color=BLUE, markersize=4, linewidth=1.6)
        ax.plot(number, self.random, color=MUTED, linestyle=(0, (4, 3)), linewidth=1.0)
        lines = [("variance", BLUE), (f"by chance, {100 * self.level:g} % quantile", MUTED)]
        caption(ax, lines, "upper right")
        tidy(ax, f"{counted(self.parallel, 'component')} above chance", "component", "variance")
        return ax


def choose_components(X: Any, *, level: float = 0.95, random_state: Any = 0) -> ComponentChoice:
    """How many components the standardised columns have: parallel analysis and the elbow of the scree plot.

    Parameters
    ----------
    X : rows of numeric columns; those that do not vary are left out.
    level : the quantile of random variances that a component must exceed.
    random_state : the seed of the random tables.

    Returns
    -------
    The variances of the components, and the numbers that both rules suggest.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 8)) + rng.normal(size=(300, 8))
    >>> choose_components(X).parallel
    2
    """
    if isinstance(X, (Table, dict)) or is_frame(X):
        X = Table.of(X, infer=False).numbers()
    rows = check_array(X, dtype=np.float64)
    check_squares(rows)
    if not 0 < level < 1:
        raise DataError(f"level={level}.", "a number between 0 and 1", "95 % is 0.95.")
    rows = rows[:, np.ptp(rows, axis=0) > 0]
    n, d = rows.shape
    if n < 3 or d < 1:
        raise DataError(f"{n} rows of {counted(d, 'column')} that vary.", "at least 3 rows and a column that varies")
    standard = _standardise(rows)
    variances = _variances(standard)
    random = np.quantile(_random_variances(standard, random_state), level, axis=0, method="weibull")
    return ComponentChoice(variances, random, level, _first_above(variances, random), _elbow(variances), n)


def _standardise(rows: np.ndarray) -> np.ndarray:
    """The columns with a mean of 0 and a sum of squares of 1."""
    centred = rows - rows.mean(axis=0)
    centred /= np.abs(centred).max(axis=0)
    return centred / np.sqrt((centred**2).sum(axis=0))


def _variances(standard: np.ndarray) -> np.ndarray:
    """The variances of the components, descending; those beyond the number of rows are 0."""
    n, d = standard.shape
    products = standard.T @ standard if d <= n else standard @ standard.T
    found = np.maximum(linalg.eigvalsh(products)[::-1], 0.0)
    return np.concatenate([found, np.zeros(d - len(found))])


def _random_variances(standard: np.ndarray, random_state: Any) -> np.ndarray:
    """Variances of the components after each column was permuted, simulations × d.

    Permuted columns have their own distributions: correlations by chance of heavy-tailed or rare values are larger than
    those of normal columns. Of many rows they are as those of normal columns unless tails are very heavy, and are then
    drawn as such, which takes no pass over the rows.
    """
    n, d = standard.shape
    rng = np.random.default_rng(random_state)
    if n * d > _MANY_CELLS and float((standard**4).sum(axis=0).max()) ** 2 * n < _HEAVY:
        return _wishart_variances(n, d, rng)
    simulations = int(np.clip(_OPERATIONS / (n * d * (d + 20)), _FEWEST, _SIMULATIONS)) // 20 * 20 + 19
    return np.array([_variances(rng.permuted(standard, axis=0)) for _ in range(simulations)])


def _wishart_variances(n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Variances of the components of n rows of d independent, standardised normal columns, simulations × d.

    The products of such rows follow Wishart's distribution, drawn by Bartlett's decomposition without drawing rows.
    """
    found = np.zeros((_SIMULATIONS + 19, d))
    for simulation in range(len(found)):
        if n - 1 >= d:
            triangle = np.tril(rng.normal(size=(d, d)), -1)
            triangle[np.diag_indices(d)] = np.sqrt(rng.chisquare(n - 1 - np.arange(d)))
            products = triangle @ triangle.T
        else:
            rows = rng.normal(size=(n - 1, d))
            products = rows.T @ rows
        scale = np.sqrt(np.diag(products))
        found[simulation] = np.maximum(linalg.eigvalsh(products / np.outer(scale, scale))[::-1], 0.0)
    return found


def _first_above(variances: np.ndarray, random: np.ndarray) -> int:
    above = variances > random
    return int(len(above) if above.all() else np.argmin(above))


def _elbow(variances: np.ndarray) -> int:
    """The point of the largest distance below the line from the first variance to the last."""
    if len(variances) < 3:
        return len(variances)
    line = np.linspace(variances[0], variances[-1], len(variances))
    return max(1, int(np.argmax(line - variances)))
