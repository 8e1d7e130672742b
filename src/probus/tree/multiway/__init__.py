"""Trees with one branch per level or group of levels: ID3, C4.5 and CHAID.

In the order of the data: ``coding`` (levels and bins of a column), ``gain`` (information gain) or ``merging`` (groups
of levels), ``multiway_growth``, ``c45_pruning`` (pruning), ``multiway_tree`` (the fitted tree), ``row_paths``
(prediction), ``c45_text`` and ``path_rules``.
"""

from probus.tree.multiway._c45 import C45Classifier
from probus.tree.multiway._chaid import CHAIDClassifier
from probus.tree.multiway._coding import ColumnCoding
from probus.tree.multiway._id3 import ID3Classifier
from probus.tree.multiway._multiway_tree import MultiwayTree

__all__ = ["C45Classifier", "CHAIDClassifier", "ColumnCoding", "ID3Classifier", "MultiwayTree"]
