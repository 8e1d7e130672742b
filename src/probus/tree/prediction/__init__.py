"""Prediction by trees: the only code that sends rows to leaves.

``walk`` sends rows down packed nodes and chooses between the ways to add up the values of their leaves: ``coded``
(large trees, rows as two-byte codes) and ``fold`` (small trees, all splits at once), both by the ``codebook`` of the
trees' thresholds. ``other_values`` walks rows again with some columns taken from other rows, ``over_grid`` at all
points of a grid, of which ``grid_axis`` is one axis. ``unpacked`` reads the arrays of ``Trees`` unchanged: for
surrogates, and for kernels of others.
"""

from probus.tree.prediction._codebook import level_sets
from probus.tree.prediction._other_values import sums_with_other_values
from probus.tree.prediction._over_grid import sums_over_grid
from probus.tree.prediction._unpacked import next_node, splits_of
from probus.tree.prediction._walk import RowLayout, in_set, leaves_of, over_rows, staged_sums_of, sums_of
