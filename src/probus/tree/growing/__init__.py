"""From one node to a tree: ``build`` does all of it.

``grow`` splits node after node, the next one by a ``heap``; ``partition`` divides the rows; ``subtrees`` grow on
threads, and ``assembly`` makes one tree of them. ``node_memory`` refuses trees that no memory holds.
"""

from probus.tree.growing._build import build_tree, coding_of
from probus.tree.growing._node_memory import must_fit_into_memory
