"""Models composed of columns: scikit-learn's classes; ``probus.tabular`` prepares a table for a model without them.

``probus.pipeline`` composes models of steps, branches and choices: ``a >> b``.
"""

from probus.borrowing import borrow
from probus.pipeline import tabular

__all__ = ["tabular"]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.compose": (
        "ColumnTransformer", "make_column_selector", "make_column_transformer", "TransformedTargetRegressor",
    ),
})  # fmt: skip
