"""Trees for people: as text, as rules, as a picture, as regions of the input space, and the way of a row in words.

``wording`` says what a tree asks as people would, ``conditions`` merges what a path demands into the box of its leaf;
everything else shows these.
"""

from probus.tree.export.additive import Region, Regions, regions
from probus.tree.export.picture import plot_tree
from probus.tree.export.rules import Rule, Rules, export_rules
from probus.tree.export.text import export_text
from probus.tree.export.tracing import Step, Trace, Traces, trace

__all__ = [
    "Region",
    "Regions",
    "Rule",
    "Rules",
    "Step",
    "Trace",
    "Traces",
    "export_rules",
    "export_text",
    "plot_tree",
    "regions",
    "trace",
]
