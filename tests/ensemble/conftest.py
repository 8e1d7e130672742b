from collections.abc import Callable

import numpy as np
import pytest

from probus.tree._trees import LEAF, NO_FEATURE, NO_SUBSET, Trees

NUMBERS = np.array(
    [-np.inf, -1e308, -2.0, -1.0, np.float32(-0.1), -0.1, -0.0, 5e-324, np.float32(0.1), 0.1, 1.0, 1e308]
)


@pytest.fixture(scope="session")
def grow_at_random() -> Callable[..., tuple[Trees, np.ndarray]]:
    """Trees whose splits are drawn by lot, and rows that lie at their thresholds, beside them and nowhere."""

    def grow(
        seed: int, n_trees: int = 3, n_leaves: int = 6, n_levels=(0, 0, 3, 0, 40), n_outputs: int = 1, n_rows: int = 50
    ) -> tuple[Trees, np.ndarray]:
        rng = np.random.default_rng(seed)
        n_levels = np.array(n_levels, np.int64)
        pool = np.concatenate([NUMBERS, rng.normal(size=rng.integers(1, 2000))])
        trees = Trees.joined(
            _tree(rng, rng.integers(1, n_leaves + 1), n_levels, n_outputs, pool) for _ in range(n_trees)
        )
        return trees, np.column_stack([_column(rng, n_rows, levels, pool) for levels in n_levels])

    return grow


def _column(rng: np.random.Generator, n: int, n_levels: int, pool: np.ndarray) -> np.ndarray:
    if n_levels:
        x = rng.integers(0, n_levels, n).astype(float)
        strange = [np.nan, -1.0, -7.0, n_levels, n_levels + 40.0, 1e12]
    else:
        x = rng.choice(pool, n)
        x = np.where(rng.random(n) < 0.5, x, np.nextafter(x, rng.choice([-np.inf, np.inf], n)))
        strange = [np.nan, np.inf, -np.inf]
    return np.where(rng.random(n) < 0.2, rng.choice(strange, n), x)


def _tree(rng: np.random.Generator, n_leaves: int, n_levels: np.ndarray, n_outputs: int, pool: np.ndarray) -> Trees:
    """Leaves are split at random, so that parents come before children but nodes are in no other order."""
    m = 2 * n_leaves - 1
    left, right = np.full((2, m), LEAF, np.int32)
    feature, subset = np.full(m, NO_FEATURE, np.int32), np.full(m, NO_SUBSET, np.int32)
    threshold, cover, subsets = np.full(m, float(NO_FEATURE)), np.ones(m), []
    for child in range(1, m, 2):
        node = rng.choice(np.flatnonzero(left[:child] == LEAF))
        left[node], right[node] = rng.permutation([child, child + 1])
        feature[node] = rng.integers(len(n_levels))
        levels = n_levels[feature[node]]
        if levels:
            subset[node] = sum(map(len, subsets))
            known = _bits(rng.random(levels) < 0.8)
            subsets += [_bits(rng.random(levels) < 0.5) & known, known]
        else:
            threshold[node] = rng.choice(pool)
    for node in reversed(range(m)):
        cover[node] = rng.integers(1, 9) if left[node] == LEAF else cover[left[node]] + cover[right[node]]
    return Trees(
        children_left=left, children_right=right, feature=feature, threshold=threshold, subset=subset,
        missing_go_to_left=rng.integers(0, 2, m).astype(np.uint8),
        subsets=np.concatenate([*subsets, np.zeros(0, np.uint32)]),
        value=rng.normal(size=(m, 1, n_outputs)), weighted_n_node_samples=cover, n_node_samples=cover, gain=np.zeros(m),
        n_levels=n_levels,
    )  # fmt: skip


def _bits(yes: np.ndarray) -> np.ndarray:
    whole = np.concatenate([yes, np.zeros(-len(yes) % 32, bool)])
    return np.packbits(whole, bitorder="little").view(np.uint32)
