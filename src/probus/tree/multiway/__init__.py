"""Trees with one branch per level or group of levels: ID3, C4.5 and CHAID.

In the order of the data: ``coding`` (levels and bins of a column), ``gain`` (information gain) or ``merging`` (groups
of levels), ``grow``, ``pessimistic`` (pruning), ``flat`` (the fitted tree), ``walk`` (prediction), ``text`` and
``rules``.
"""

from probus.tree.multiway.c45 import C45Classifier
from probus.tree.multiway.chaid import CHAIDClassifier
from probus.tree.multiway.coding import ColumnCoding
from probus.tree.multiway.id3 import ID3Classifier
from probus.tree.multiway.multiway_tree import MultiwayTree

__all__ = ["C45Classifier", "CHAIDClassifier", "ColumnCoding", "ID3Classifier", "MultiwayTree"]
