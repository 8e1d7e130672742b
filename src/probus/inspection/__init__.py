"""What a fitted model does: ``plot_boundary`` draws the classes that it predicts over two columns."""

from probus.borrowing import borrow
from probus.inspection.boundary_plot import plot_boundary

__all__ = ["plot_boundary"]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.inspection": (
        "DecisionBoundaryDisplay", "PartialDependenceDisplay", "partial_dependence", "permutation_importance",
    ),
})  # fmt: skip
