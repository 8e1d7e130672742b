"""Results of forests beyond predictions, as methods; each is implemented in a file of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from probus.ensemble.forest._mislabelled import LikelyMislabelled
    from probus.ensemble.forest._permutation import PermutationImportance
    from probus.ensemble.forest._proximity_map import ProximityMap


class Insights:
    """Of every forest: proximities, what is computed from them, and permutation importances."""

    def proximity(self, X: Any, Y: Any = None, *, kind: str = "all", sparse: bool = False) -> Any:
        """The share of trees in which two rows come to the same leaf; see ``probus.ensemble.forest._proximity``."""
        from probus.ensemble.forest._proximity import proximity

        return proximity(self, X, Y, kind=kind, sparse=sparse)  # type: ignore[arg-type]

    def proximity_map(self, X: Any, y: Any = None, *, kind: str = "all") -> ProximityMap:
        """Rows in a plane, as near as they are alike; see ``probus.ensemble.forest._proximity_map``."""
        from probus.ensemble.forest._proximity_map import proximity_map

        return proximity_map(self, X, y, kind=kind)  # type: ignore[arg-type]

    def outlier_scores(self, X: Any, y: Any = None, *, kind: str = "all") -> np.ndarray:
        """How far each row lies outside its class; see ``probus.ensemble.forest._outliers``."""
        from probus.ensemble.forest._outliers import outlier_scores

        return outlier_scores(self, X, y, kind=kind)  # type: ignore[arg-type]

    def permutation_importance(
        self,
        X: Any,
        y: Any,
        *,
        kind: str = "oob",
        n_repeats: int = 1,
        level: float = 0.95,
        random_state: Any = None,
    ) -> PermutationImportance:
        """How much worse trees get when a column is shuffled; see ``probus.ensemble.forest._permutation``."""
        from probus.ensemble.forest._permutation import permutation_importance

        how: Any = {"kind": kind, "n_repeats": n_repeats, "level": level, "random_state": random_state}
        return permutation_importance(self, X, y, **how)  # type: ignore[arg-type]


class InsightsIntoClasses(Insights):
    """Of forests whose trees hold shares of classes."""

    def likely_mislabelled(self, X: Any, y: Any, *, margin: float = 0.5) -> LikelyMislabelled:
        """The rows of the fit whose label is clearly outvoted; see ``probus.ensemble.forest._mislabelled``."""
        from probus.ensemble.forest._mislabelled import likely_mislabelled

        return likely_mislabelled(self, X, y, margin=margin)  # type: ignore[arg-type]


class InsightsIntoNumbers(Insights):
    """Of forests whose trees hold numbers."""

    def quantiles(self, X: Any, q: Any = (0.05, 0.5, 0.95)) -> np.ndarray:
        """Quantiles of the target of each row; see ``probus.ensemble.forest._quantiles``."""
        from probus.ensemble.forest._quantiles import quantiles

        return quantiles(self, X, q)  # type: ignore[arg-type]
