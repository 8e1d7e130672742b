"""Trees whose nodes have as many branches as their column has levels: ID3, C4.5 and CHAID.

Read it as the data travels: ``coding`` (what is asked of a column), ``gain`` (what a split tells) or ``merging`` (which
levels belong together), ``grow``, ``pessimistic`` (pruning), ``flat`` (a grown tree), ``walk``, ``text`` and ``rules``.
"""

from probus.tree.multiway.c45 import C45Classifier
from probus.tree.multiway.chaid import CHAIDClassifier
from probus.tree.multiway.coding import ColumnCoding
from probus.tree.multiway.id3 import ID3Classifier
from probus.tree.multiway.multiway_tree import MultiwayTree

__all__ = ["C45Classifier", "CHAIDClassifier", "ColumnCoding", "ID3Classifier", "MultiwayTree"]
