"""Gradient boosting, in the order of the data: values become bins, bins histograms, histograms splits, splits trees.

``binning`` codes the columns and packs small ones together; ``packed_gradients`` turns gradients into integers, three
to a word; ``histogram`` sums them; ``split_search`` finds the best split; ``grower`` and its kernel ``grow_kernel`` grow
a tree; ``leaf_values`` sets its leaves; ``iterations`` adds tree to tree, ``fitting`` with the callbacks of ``stopping``,
and ``tree_assembly`` turns them into ``Trees``. The estimators are in ``hist``, ``gradient`` and ``automatic``.
"""
