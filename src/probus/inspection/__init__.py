"""What a fitted model does: ``explain`` gives the reasons of each prediction (``contributions`` finds them, by
``coalitions`` of columns for models that are neither trees nor linear), and ``plot_boundary`` draws the classes that a
model predicts over two columns.
"""

from probus.borrowing import borrow
from probus.inspection.boundary_plot import plot_boundary
from probus.inspection.coalitions import CoalitionValues, enumerate_coalitions, sample_orders
from probus.inspection.row_reasons import Explanations, Reason, explain
from probus.inspection.waterfall import Waterfall

__all__ = [
    "CoalitionValues", "Explanations", "Reason", "Waterfall", "enumerate_coalitions", "explain", "plot_boundary",
    "sample_orders",
]  # fmt: skip

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.inspection": (
        "DecisionBoundaryDisplay", "PartialDependenceDisplay", "partial_dependence", "permutation_importance",
    ),
})  # fmt: skip
