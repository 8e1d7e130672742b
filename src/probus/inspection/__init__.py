"""What a fitted model does: ``explain`` gives the reasons of each prediction (``contributions`` finds them), and
``plot_boundary`` draws the classes that it predicts over two columns.
"""

from probus.borrowing import borrow
from probus.inspection.boundary_plot import plot_boundary
from probus.inspection.row_reasons import Explanations, Reason, explain

__all__ = ["Explanations", "Reason", "explain", "plot_boundary"]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.inspection": (
        "DecisionBoundaryDisplay", "PartialDependenceDisplay", "partial_dependence", "permutation_importance",
    ),
})  # fmt: skip
