"""Principal components against the one product they need and scikit-learn; factors against scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn import decomposition

from benchmarks.measure import Contest
from probus.decomposition import PCA, FactorAnalysis


def contests() -> Iterator[Contest]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000_000, 50)) @ rng.normal(size=(50, 50)) + 10
    yield Contest(
        "PCA, 1,000,000 × 50",
        lambda: PCA(10).fit(X),
        "one product of the columns, X.T @ X",
        lambda: X.T @ X,
        1 / 1.5,
        lambda a, b: f"{a.explained_variance_ratio_.sum():.3f} of the variance",
    )
    yield Contest(
        "PCA, 1,000,000 × 50",
        lambda: PCA(10).fit(X),
        "scikit-learn",
        lambda: decomposition.PCA(10).fit(X),
        1.0,
        lambda a, b: f"largest difference of components {np.abs(a.components_ - b.components_).max():.0e}",
    )
    Y = rng.normal(size=(20_000, 4)) @ rng.normal(size=(4, 40)) + rng.normal(size=(20_000, 40)) * rng.uniform(
        0.1, 3, 40
    )

    def likelihoods(a: Any, b: Any) -> str:
        return f"mean log-likelihood {a.score(Y):.4f} and {b.score(Y):.4f}"

    yield Contest(
        "factor analysis, 20,000 × 40, four factors",
        lambda: FactorAnalysis(4).fit(Y),
        "scikit-learn, tol=1e-6",
        lambda: decomposition.FactorAnalysis(4, tol=1e-6).fit(Y),
        1.0,
        likelihoods,
        rounds=3,
    )


if __name__ == "__main__":
    from benchmarks.__main__ import main

    main(["decomposition"])
