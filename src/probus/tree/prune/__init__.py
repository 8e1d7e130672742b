"""Cutting trees back: by cost and complexity, by validation rows, by pessimism.

Each way decides which nodes become leaves; ``subtree`` makes the tree without what lay below them.
"""

from probus.tree.prune.cost_complexity import PruningPath, impurity_risk, misclassification_risk, pruned, pruning_path
from probus.tree.prune.losses import LOSSES
from probus.tree.prune.pessimistic import pessimistic_pruned, upper_error
from probus.tree.prune.reduced_error import reduced_error_pruned
from probus.tree.prune.subtree import subtree

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
