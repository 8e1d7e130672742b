"""Shapley values of a model of trees, as a result that can be read and drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from probus.display import Cells, Notes, Picture, Result
from probus.ensemble.shap._tree_shapley import expected_against, interactions_of, shap_values_of
from probus.errors import DataError
from probus.tree import partial_dependence_of

if TYPE_CHECKING:
    from probus.tree import Trees


class SumOfTrees(NamedTuple):
    """How a model computes its prediction from its trees: ``offset + scale · sum``.

    Attributes
    ----------
    n_groups : as in ``sums_of``, tree t adds to group t mod n_groups.
    scale : the factor of the sum.
    offset : float64[K], one for each output.
    outputs : the names of the outputs; empty where there is one.
    """

    n_groups: int
    scale: float
    offset: np.ndarray
    outputs: tuple[Any, ...]


class TreeExplained(ABC):
    """Mixin of models whose prediction is a sum over trees.

    A class provides ``trees_``, ``_seen(X)``, which checks that it is fitted and converts new data as the training data
    (float64, NaN for missing, levels as codes), and ``_sum_of_trees()``. ``feature_names_in_`` and ``n_jobs`` are read
    where the model has them.
    """

    trees_: Trees

    @abstractmethod
    def _seen(self, X: Any) -> np.ndarray:
        """X converted as the training data was."""

    @abstractmethod
    def _sum_of_trees(self) -> SumOfTrees:
        """How the prediction is computed from the trees."""

    def shap_values(self, X: Any, background: Any = None) -> ShapValues:
        """Exact Shapley values: the contribution of each feature to the prediction of each row.

        A feature's value is the change of the prediction when the feature becomes known, averaged over all orders in
        which features may become known. With the prediction where nothing is known they sum to the prediction: the
        probabilities or mean of a forest, the raw score of boosting before its link.

        Parameters
        ----------
        X : the rows.
        background : rows whose values stand for those of unknown features ("interventional"). None averages over the
            training rows on either side of a split (Lundberg et al. 2020, "path-dependent").

        Returns
        -------
        The values; ``plot``, ``to_frame`` and the rest are methods of theirs.
        """
        seen, others = self._both_seen(X, background)
        n_groups, scale, offset, outputs = self._sum_of_trees()
        values = scale * shap_values_of(self.trees_, seen, n_groups, getattr(self, "n_jobs", None), others)
        base = offset + scale * expected_against(self.trees_, others, n_groups)
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(seen.shape[1])])
        return ShapValues(
            values if outputs else values[:, :, 0],
            base if outputs else base[0],
            seen.view(),
            tuple(map(str, names)),
            self.trees_.n_levels > 0,
            outputs,
        )

    def shap_interactions(self, X: Any, background: Any = None) -> np.ndarray:
        """Exact Shapley interactions: the values of each row, split between pairs of features.

        Parameters
        ----------
        X : the rows.
        background : as for ``shap_values``.

        Returns
        -------
        float64[n, d, d], or [n, d, d, K] for several outputs. The matrices are symmetric; their rows sum to the values
        of the features, and the diagonal is what a feature contributes alone.
        """
        seen, others = self._both_seen(X, background)
        n_groups, scale, _, outputs = self._sum_of_trees()
        found = scale * interactions_of(self.trees_, seen, n_groups, getattr(self, "n_jobs", None), others)
        return found if outputs else found[:, :, :, 0]

    def _both_seen(self, X: Any, background: Any) -> tuple[np.ndarray, np.ndarray | None]:
        """The rows and the background as the trees take them."""
        initial = getattr(self, "initial_", None)
        if initial is not None:
            name = type(initial).__name__
            raise DataError(
                f"Shapley values of the trees alone: the initial model, {name}, adds to the prediction.",
                "init=None or 'zero'",
                "probus.explain(model, X, background=rows) explains both together.",
            )
        return self._seen(X), None if background is None else self._seen(background)

    def _compute_partial_dependence_recursion(self, grid: np.ndarray, target_features: Any) -> np.ndarray:
        """What scikit-learn's ``partial_dependence(method="recursion")`` calls; as there, without the offset."""
        n_groups, scale, _, _ = self._sum_of_trees()
        return scale * partial_dependence_of(self.trees_, grid, target_features, n_groups)


@dataclass(frozen=True, eq=False, repr=False)
class ShapValues(Result):
    """The contribution of each feature to each prediction; with the base they sum to the prediction.

    Attributes
    ----------
    values : float64[n, d], or [n, d, K] for several outputs, such as classes; ``shap["a class"]`` takes one of them.
    base : the prediction where no feature is known, one number or K.
    data : float64[n, d], the rows; missing is NaN, nominal columns are the codes of their levels.
    feature_names : the names of the features.
    nominal : for each feature whether it is nominal.
    outputs : the names of the outputs; empty where there is one.
    """

    values: np.ndarray
    base: Any
    data: np.ndarray
    feature_names: tuple[str, ...]
    nominal: np.ndarray
    outputs: tuple[Any, ...] = ()

    def __getitem__(self, output: Any) -> ShapValues:
        """The values of one output."""
        if output not in self.outputs:
            expected = ", ".join(map(repr, self.outputs[:10])) or "one output alone"
            raise DataError(f"no output {output!r}.", expected)
        place = self.outputs.index(output)
        return replace(self, values=self.values[:, :, place], base=float(self.base[place]), outputs=())

    @property
    def prediction(self) -> np.ndarray:
        """The predictions, which the values sum to: float64[n], or [n, K] for several outputs."""
        return self.base + self.values.sum(axis=1)

    @property
    def base_values(self) -> np.ndarray:
        """The base of each row, as in the library shap: float64[n], or [n, K] for several outputs."""
        return np.tile(self.base, (len(self.data), 1)) if self.outputs else np.full(len(self.data), float(self.base))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype)

    def to_shap(self) -> Any:
        """An ``Explanation`` of the library shap; its plots take these values unchanged too."""
        from probus.ensemble.shap._shap_library import explanation_of

        return explanation_of(self)

    @property
    def importances(self) -> np.ndarray:
        """The mean absolute value of each feature: float64[d], or [d, K] for several outputs."""
        return np.abs(self.values).mean(axis=0)

    @property
    def ranked(self) -> list[tuple[str, float]]:
        """Features and their importances, summed over outputs, the largest first."""
        total = self.importances.reshape(len(self.feature_names), -1).sum(axis=1)
        order = np.argsort(-total, kind="stable")
        return [(self.feature_names[j], float(total[j])) for j in order]

    def _parts(self) -> list[Any]:
        which = f" for {len(self.outputs)} outputs" if self.outputs else f" from a base of {float(self.base):.4g}"
        head = f"What {len(self.feature_names)} columns add to {len(self.values):,} predictions{which}; mean size:"
        shown = self.ranked[:10]
        rest = len(self.feature_names) - len(shown)
        sizes = Cells([[name, f"{size:.4g}"] for name, size in shown], margin=2, header=False)
        return [Picture(self.plot), head, sizes, Notes([f"… {rest} more"] if rest else [])]

    def _rows(self) -> dict[str, Any]:
        """A row for each prediction; those of several outputs follow each other, named in the column ``output``."""
        n, d = self.data.shape
        values = self.values.reshape(n, d, -1).transpose(2, 0, 1).reshape(-1, d)
        outputs = {"output": np.repeat([str(output) for output in self.outputs], n)} if self.outputs else {}
        return {**outputs, **{name: values[:, j] for j, name in enumerate(self.feature_names)}}

    def plot(self, ax: Any = None, *, kind: str | None = None, n_columns: int = 12) -> Any:
        """The features with the largest values, on matplotlib axes, which are returned.

        Parameters
        ----------
        kind : "beeswarm" draws a point for each row, coloured by whether the feature's value is low or high; "bar" the
            mean size. By default the first for one output, the second for several.
        n_columns : how many features to show.
        """
        from probus.ensemble.shap._plot import draw_bars, draw_beeswarm

        kind = kind or ("bar" if self.outputs else "beeswarm")
        if kind not in ("bar", "beeswarm"):
            raise DataError(f"kind={kind!r}.", "'beeswarm' or 'bar'")
        if kind == "beeswarm" and self.outputs:
            raise DataError(
                f"a beeswarm of {len(self.outputs)} outputs.", "one", f"Choose one: shap[{self.outputs[0]!r}].plot()."
            )
        return (draw_bars if kind == "bar" else draw_beeswarm)(self, ax, n_columns)
