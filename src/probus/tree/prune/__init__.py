"""Pruning of trees: cost-complexity, reduced-error and pessimistic pruning.

Each method decides which nodes become leaves; ``subtree`` builds the tree without the nodes below them.
"""

from probus.tree.prune._cost_complexity import (
    PruningPath,
    cut_weakest_links,
    impurity_risk,
    misclassification_risk,
    pruned,
    pruning_path,
)
from probus.tree.prune._node_losses import LOSSES
from probus.tree.prune._pessimistic import pessimistic_pruned, upper_error
from probus.tree.prune._reduced_error import reduced_error_pruned
from probus.tree.prune._subtree import reach, subtree

__all__ = [
    "LOSSES",
    "PruningPath",
    "impurity_risk",
    "misclassification_risk",
    "pessimistic_pruned",
    "pruned",
    "pruning_path",
    "reduced_error_pruned",
    "subtree",
    "upper_error",
]
