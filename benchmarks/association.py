"""Frequent itemsets against mlxtend's fpgrowth."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.measure import Contest
from probus.association import frequent_itemsets


def contests() -> Iterator[Contest]:
    for support in (0.01, 0.002):
        yield _itemsets(100_000, 200, support)


def purchases(n: int, d: int) -> np.ndarray:
    """Baskets of about nine items: some are bought often, and thirty sets of two to five items together."""
    rng = np.random.default_rng(0)
    bought = rng.random((n, d)) < 0.25 / np.arange(1, d + 1) ** 0.5
    for _ in range(30):
        together = rng.choice(d, size=rng.integers(2, 6), replace=False)
        bought[np.ix_(rng.random(n) < 0.02, together)] = True
    return bought


def _itemsets(n: int, d: int, support: float) -> Contest:
    import pandas as pd
    from mlxtend.frequent_patterns import fpgrowth

    frame = pd.DataFrame(purchases(n, d))
    frame.columns = [str(name) for name in frame.columns]

    def quality(ours: object, theirs: pd.DataFrame) -> str:
        mine = {frozenset(each.items): each.count for each in ours}
        peers = zip(theirs["itemsets"], theirs["support"], strict=True)
        equal = mine == {frozenset(frame.columns[list(items)]): round(share * n) for items, share in peers}
        return f"{len(mine):,} itemsets, {'equal' if equal else 'DIFFERENT'}"

    return Contest(
        f"frequent itemsets, {n:,} baskets of {d} items, support {support}",
        lambda: frequent_itemsets(frame, support),
        "mlxtend, fpgrowth",
        lambda: fpgrowth(frame, support),
        10.0,
        quality,
        rounds=2,
    )
