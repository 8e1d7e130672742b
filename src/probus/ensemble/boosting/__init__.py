"""Gradient boosting, in the order of the data: values become bins, bins histograms, histograms splits, splits trees.

``binning`` codes the columns and packs small ones together; ``packed_gradients`` turns gradients into integers, three
to a word; ``gradient_histogram`` sums them; ``split_search`` finds the best split; ``grower`` grows a tree with the
kernel in ``grow_kernel``; ``leaf_values`` sets its leaves; ``iterations`` adds tree to tree; ``fitting`` runs them with
``callbacks`` and ``tree_assembly`` makes ``Trees`` of them. The estimators are in ``hist``, ``gradient`` and
``automatic``.
"""

from probus.ensemble.boosting._boosting_base import Boosted
from probus.ensemble.boosting._rounds_by_folds import LARGE
from probus.ensemble.boosting._rows import strata_of, train_validation_rows
