"""Sets of baskets as bits, 64 to a word."""

from __future__ import annotations

import numpy as np


def bit_rows(starts: np.ndarray, items: np.ndarray, n_items: int) -> np.ndarray:
    """For each item the set of its baskets, uint64[items, words]."""
    n = len(starts) - 1
    bits = np.zeros((n_items, -(-n // 64)), dtype=np.uint64)
    owner = np.repeat(np.arange(n), np.diff(starts))
    np.bitwise_or.at(bits, (items, owner >> 6), np.uint64(1) << (owner & 63).astype(np.uint64))
    return bits
