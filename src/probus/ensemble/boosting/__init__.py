"""Gradient boosting, as a walk: values become bins, bins become histograms, histograms splits, splits trees.

``bins`` codes the columns and packs small ones together; ``packing`` turns gradients into whole numbers, three to a
word; ``histogram`` counts them; ``search`` finds the best split; ``grow`` and ``growth`` grow a tree; ``rounds`` adds
tree to tree, and the estimators are in ``hist`` and ``gradient``.
"""
