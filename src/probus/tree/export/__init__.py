"""Trees as text, as rules, as a picture, as regions of the input space, and the decision path of a row as text.

``split_text`` has the names of columns, levels and classes and the text of splits; ``leaf_conditions`` merges the
splits of a path into the box of its leaf; the other modules display these.
"""

from probus.tree.export._additive import Region, Regions, regions
from probus.tree.export._boxes import class_colours
from probus.tree.export._leaf_rules import LeafRule, TreeRules, export_rules
from probus.tree.export._picture import plot_tree
from probus.tree.export._text import export_text
from probus.tree.export._tracing import RowTrace, Step, Traces, trace

__all__ = [
    "LeafRule",
    "Region",
    "Regions",
    "RowTrace",
    "Step",
    "Traces",
    "TreeRules",
    "export_rules",
    "export_text",
    "plot_tree",
    "regions",
    "trace",
]
