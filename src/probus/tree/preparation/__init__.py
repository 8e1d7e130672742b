"""What a tree needs before it grows.

``design`` is a table as a matrix, ``tree_settings`` are the parameters, resolved, ``row_target`` and
``several_outputs`` are one or several targets, ``scale_units`` allows targets and weights of any magnitude; ``codes``
and ``quantile_bins`` turn values into codes.
"""

from probus.tree.preparation._codes import Columns, Values
from probus.tree.preparation._design import Design, design_of
from probus.tree.preparation._quantile_bins import cut_points
from probus.tree.preparation._row_target import Target
from probus.tree.preparation._scale_units import r2_in_units, target_unit
from probus.tree.preparation._several_outputs import (
    CLASSES,
    balanced_weights,
    by_output,
    check_outputs,
    encoded_outputs,
    log_of,
    must_be_counts,
    number_outputs,
    predicted_classes,
)
from probus.tree.preparation._tree_settings import (
    CATEGORICAL_FEATURES,
    IMPURITY,
    THREADS,
    GrowsTrees,
    TreeSettings,
    must_be_constrainable,
    n_features_to_try,
    settings_of,
)
