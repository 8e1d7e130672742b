"""Trees of a forest on binned columns: one small code for each value, one addition for each row and column tried.

The modules in the order of the data: ``column_bins`` (values become bins), ``payload`` (what a row adds to a sum),
``two_classes``, ``numeric_target`` and ``many_classes`` (the best cut of a column), ``levels`` (the best partition of
levels), ``random_cut`` (cuts drawn at random), ``grow_binned`` (all nodes of a tree), ``binned_tree`` (the function to
call), ``placed_trees`` (the nodes of a forest).
"""

from probus.tree.forest_engine._binned_tree import Buffers, binned_nodes, bins_for, can_be_binned, node_buffers
from probus.tree.forest_engine._column_bins import binned, reorder_rows
from probus.tree.forest_engine._placed_trees import PlacedTrees
