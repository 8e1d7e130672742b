"""What a fitted model does: ``explain`` gives the reasons of each prediction (``contributions`` finds them, by
``coalitions`` of columns for models that are neither trees nor linear), and ``plot_boundary`` draws the classes that a
model predicts over two columns, ``plot_feasible_region`` the weights that separate two classes.
"""

from probus.borrowing import borrow
from probus.inspection._associations import Association, associations, correlation_ratio
from probus.inspection._boundary_plot import plot_boundary
from probus.inspection._coalitions import CoalitionValues, enumerate_coalitions, sample_orders
from probus.inspection._contributions import text_step
from probus.inspection._explanation_plots import numbers_of
from probus.inspection._feasible_region import plot_feasible_region
from probus.inspection._row_reasons import Explanations, Reason, explain
from probus.inspection._waterfall import Waterfall
from probus.inspection._word_effects import WordEffects, word_effects
from probus.inspection.column_importance import (
    ImportanceComparison,
    Importances,
    ImportancesByMethod,
    Part,
    Ranks,
    Source,
    importance,
    losses_of_shuffling,
    own_importances,
    permute_columns,
    total_variation,
    unfitted_model,
)  # fmt: skip
from probus.inspection.effects import (
    Distilled,
    Effect,
    InteractionStrengths,
    RegionalEffects,
    accumulated_local_effects,
    distil,
    interaction_strength,
    partial_dependence,
    partial_effect,
    regional_effects,
    surrogate_tree,
)

__all__ = [
    "CoalitionValues", "Distilled", "Effect", "Explanations", "ImportanceComparison", "Importances",
    "ImportancesByMethod", "InteractionStrengths", "Ranks", "Reason", "RegionalEffects", "Waterfall",
    "accumulated_local_effects", "distil", "enumerate_coalitions", "explain", "importance", "interaction_strength",
    "partial_dependence", "partial_effect", "plot_boundary", "plot_feasible_region", "regional_effects",
    "sample_orders", "surrogate_tree", "total_variation",
]  # fmt: skip

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.inspection": (
        "DecisionBoundaryDisplay", "PartialDependenceDisplay", "permutation_importance",
    ),
})  # fmt: skip
