"""How much a model needs each column: ``probus.importance``.

``verb`` is the function. ``sources`` finds fitted models and the rows to evaluate them on: those that are given, or the
test rows of splits. ``donors`` shuffles columns, ``shuffled_outcomes`` predicts with them and ``shuffle_variance``
makes estimates of it, for ``permutation``. ``dropping`` refits without a column, ``by_shapley`` averages Shapley
values, ``by_fit`` reads impurities and coefficients, ``by_column`` needs no model. The result is ``importances``;
``side_by_side`` compares methods.
"""

from probus.inspection.column_importance._by_column import total_variation
from probus.inspection.column_importance._by_fit import own_importances
from probus.inspection.column_importance._importances import Importances, ImportancesByMethod, Ranks
from probus.inspection.column_importance._permutation import losses_of_shuffling, permute_columns
from probus.inspection.column_importance._side_by_side import ImportanceComparison
from probus.inspection.column_importance._sources import Part, Source, unfitted_model
from probus.inspection.column_importance._verb import importance
