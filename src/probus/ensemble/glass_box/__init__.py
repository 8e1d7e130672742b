"""Glass boxes: additive models of curves and pairs that are boosted, drawn and edited, in the order of the work.

``column_codes`` turns values into codes; ``curve_kernel`` adds trees to curves, ``pair_kernel`` to tables of pairs;
``bag_rounds`` runs them in bags; ``pair_choice`` finds interactions; ``purified_terms`` makes the terms unique;
``glass_fit`` runs all of these, and ``additive_terms`` is what it returns;
``curve_bands`` are the errors of curves. ``readable_terms`` shows and edits them: ``column_view``, ``curve_edits``,
``term_results``, ``term_plots``. The estimators are in
``explainable_boosting``, their parameters are resolved in ``glass_settings``.
"""

from probus.ensemble.glass_box._additive_terms import AdditiveTerms
from probus.ensemble.glass_box._column_codes import ColumnCodes
from probus.ensemble.glass_box._explainable_boosting import (
    ExplainableBoostingClassifier,
    ExplainableBoostingRegressor,
    GlassBox,
)
