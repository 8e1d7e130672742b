from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from probus.ensemble.boosting._binning import bins_of
from probus.ensemble.boosting._grower import LevelNodes, LevelWorkspace, grown_tree
from probus.ensemble.boosting._node_arrays import (  # fmt: skip
    CUT,
    DEPTH,
    END,
    FEATURE,
    GAIN,
    GROUP,
    LEFT,
    LOWER,
    MISSING_LEFT,
    MONOTONE,
    NOMINAL,
    SIZE,
    START,
    STRIDE,
    UPPER,
)
from probus.ensemble.boosting._packed_gradients import Amounts, packed, scales_of
from probus.ensemble.boosting._plan import BoostingPlan
from probus.ensemble.boosting._symmetric import noise_unit
from probus.ensemble.boosting._threads import ThreadPool
from probus.losses import SquaredError
from probus.tree.preparation._design import Design


@dataclass(frozen=True, eq=False)
class Planted:
    """A tree, with all that is needed to grow it again by hand."""

    grown: LevelNodes
    plan: BoostingPlan
    codes: np.ndarray  # int64[n, d] the code of each value
    about: np.ndarray
    g: np.ndarray
    h: np.ndarray
    times: np.ndarray

    @property
    def links(self) -> np.ndarray:
        return self.grown.links

    @property
    def facts(self) -> np.ndarray:
        return self.grown.facts

    def rows(self, node: int) -> np.ndarray:
        """The rows of a node."""
        return self.grown.rows[self.links[node, START] : self.links[node, END]]

    @property
    def bytes(self) -> bytes:
        """All that makes the tree; what a node does not need may be anything."""
        links, inner = self.links, self.links[:, LEFT] >= 0
        nominal = inner & (self.about[links[:, FEATURE], NOMINAL] == 1)
        made = (
            links[:, [START, END, DEPTH, LEFT]],
            links[inner][:, [FEATURE, MISSING_LEFT]],
            links[inner & ~nominal, CUT],
            self.grown.sets[nominal],
            self.facts[inner, GAIN],
            self.facts[:, [LOWER, UPPER]],
            self.grown.rows,
        )
        return b"".join(part.tobytes() for part in made)


@pytest.fixture(scope="session")
def plant() -> Callable[..., Planted]:
    """Grow one tree on given gradients."""

    def grow(
        X, g, h=None, *, n_levels=None, times=None, rows=None, levels=None, threads=1, seed=0, max_bins=255, **plan
    ) -> Planted:
        X, g = np.asarray(X, float), np.asarray(g, float)
        h = None if h is None else np.asarray(h, float)
        n, d = X.shape
        plan = BoostingPlan(SquaredError(), d, **{"min_samples_leaf": 1, "min_hessian": 0.0, **plan})
        bins = bins_of(Design(X, np.zeros(d, np.int64) if n_levels is None else np.asarray(n_levels)), max_bins)
        codes, about = bins.codes(X), bins.about.copy()
        about[:, MONOTONE] = 0 if plan.monotone is None else plan.monotone
        interactions = np.zeros((0, d), np.uint8) if plan.interactions is None else plan.interactions
        workspace = LevelWorkspace.of(
            codes, about, plan.rules, interactions, plan.max_leaves, threads, symmetric=plan.symmetric
        )
        rows = np.arange(n, dtype=np.int32) if rows is None else rows.astype(np.int32)
        levels = np.ones((1, d), np.uint8) if levels is None else levels
        amounts = Amounts(g, h, times)
        with ThreadPool(threads) as pool:
            scales = scales_of(amounts, rows, pool)
            packed(amounts, rows, scales, seed, pool, workspace.row_values)
            noise = plan.score_noise * noise_unit(amounts, None, rows)
            grown = grown_tree(workspace, rows.copy(), scales, levels, seed, pool, noise)
        decoded = codes.by_row[:, about[:, GROUP]].astype(np.int64) // about[:, STRIDE] % about[:, SIZE]
        one = np.ones(n)
        return Planted(grown, plan, decoded, about, g, one if h is None else h, one if times is None else times)

    return grow
