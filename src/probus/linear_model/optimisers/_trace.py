"""What an optimiser recorded on its way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.display import Picture, Result


@dataclass(frozen=True, repr=False)
class Trace(Result):
    r"""The way of an optimiser.

    Attributes
    ----------
    optimiser : str
    point : array, the last point
    steps : array, the numbers of the steps that were recorded
    path : array of records × variables
    losses : array, the objective at the points of the path
    gradient_norms : array, ‖∇f‖
    gradient_variances : array
        :math:`\frac1n \sum_i ‖∇f_i - ∇f‖^2`: how much the gradients of single examples disagree.
    batch_size, n_examples : int, the examples of a step, and all
    n_epochs : int, how often each example was used
    converged : bool
    """

    optimiser: str
    point: np.ndarray
    steps: np.ndarray
    path: np.ndarray
    losses: np.ndarray
    gradient_norms: np.ndarray
    gradient_variances: np.ndarray
    batch_size: int
    n_examples: int
    n_epochs: int
    converged: bool

    @property
    def challenging(self) -> np.ndarray:
        """Where the gradient of a batch is mostly noise: its variance exceeds the square of the gradient.

        Steps of constant size wander about in this region around the minimum; it shrinks with the size of the batch,
        and smaller steps get further into it.
        """
        drawn = (self.n_examples - self.batch_size) / max(self.n_examples - 1, 1) / self.batch_size
        return drawn * self.gradient_variances > self.gradient_norms**2

    def plot(self, objective: Any = None, ax: Any = None) -> Any:
        """The path over the contours of an objective of two variables, else the losses over the steps."""
        from probus.linear_model.optimisers._descent_plot import plot_descent

        return plot_descent(self, objective, ax=ax)

    def _parts(self) -> Iterable[Any]:
        end = "converged" if self.converged else "not converged"
        yield f"{self.optimiser}: {end} after {self.n_epochs} epochs"
        if len(self.losses):
            yield f"  loss {self.losses[0]:.6g} → {self.losses[-1]:.6g}, gradient {self.gradient_norms[-1]:.2g}"
            yield Picture(lambda ax: self.plot(ax=ax))

    def _rows(self) -> Any:
        return {
            "step": self.steps,
            "loss": self.losses,
            "gradient_norm": self.gradient_norms,
            "gradient_variance": self.gradient_variances,
            "challenging": self.challenging,
        }
