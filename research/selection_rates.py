"""How often selection keeps columns wrongly: ``python -m research.selection_rates [tables]``.

Knockoffs with a false discovery rate of 0.2, and stability selection with at most one error, on drawn tables of 50
columns. Ten of these (for stability selection, four) move the target. Columns correlate by 0.5^|i - j|; they are
normal, or a t distribution with 3 degrees of freedom, or binary. Nothing in Probus was chosen on these populations.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from scipy import linalg

from probus.feature_selection import Knockoffs, SelectFdr, StabilitySelection

_COLUMNS = 50


def columns(rng: np.random.Generator, n: int, kind: str) -> np.ndarray:
    """The rows of a table."""
    places = np.arange(_COLUMNS)
    Z = rng.normal(size=(n, _COLUMNS)) @ linalg.cholesky(0.5 ** np.abs(np.subtract.outer(places, places)))
    if kind == "t":
        return Z / np.sqrt(rng.chisquare(3, size=(n, 1)) / 3)
    return (Z > 0.5).astype(float) if kind == "binary" else Z


def drawn(
    rng: np.random.Generator, n: int, kind: str, k: int, signal: float
) -> tuple[np.ndarray, np.ndarray, set[int]]:
    """A table, its target, and which columns move it."""
    X = columns(rng, n, kind)
    support = rng.permutation(_COLUMNS)[:k]
    moved = (X[:, support] / X.std()) @ rng.choice([-signal, signal], k)
    return X, moved + rng.normal(size=n), set(support.tolist())


def judged(make, n: int, kind: str, k: int, tables: int, classes: bool) -> str:
    """The mean share and number of columns kept wrongly, and the share of the others that is found."""
    shares, wrong, found = [], [], []
    for seed in range(tables):
        rng = np.random.default_rng([7, seed])
        X, y, support = drawn(rng, n, kind, k, 0.5)
        kept = set(make(seed).fit(X, y > np.median(y) if classes else y).get_support(indices=True).tolist())
        wrong.append(len(kept - support))
        shares.append(len(kept - support) / max(len(kept), 1))
        found.append(len(kept & support) / k)
    error = np.std(shares) / np.sqrt(tables)
    return f"{np.mean(shares):.3f} ± {error:.3f} | {np.mean(wrong):.2f} | {np.mean(found):.2f}"


if __name__ == "__main__":
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    warnings.simplefilter("ignore")
    print(
        "| selection | columns | target | rows | share kept wrongly | number | found |\n|---|---|---|---|---|---|---|"
    )
    for kind in ("normal", "t", "binary"):
        for classes in (False, True):
            target = "classes" if classes else "numbers"
            each = judged(lambda seed: Knockoffs(fdr=0.2, random_state=seed), 300, kind, 10, tables, classes)
            print(f"| `Knockoffs(fdr=0.2)` | {kind} | {target} | 300 | {each} |", flush=True)
    for kind in ("normal", "t", "binary"):
        stable = judged(lambda seed: StabilitySelection(max_errors=1.0, random_state=seed), 150, kind, 4, tables, False)
        print(f"| `StabilitySelection(max_errors=1)` | {kind} | numbers | 150 | {stable} |", flush=True)
    each = judged(lambda seed: SelectFdr("association", alpha=0.2), 300, "normal", 10, tables, False)
    print(f"| `SelectFdr(alpha=0.2)` | normal | numbers | 300 | {each} |")
