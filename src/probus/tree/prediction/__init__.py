"""Prediction by trees: the only code that sends rows to leaves.

``walk`` sends rows down packed nodes and chooses between the ways to add up the values of their leaves: ``coded``
(large trees, rows as two-byte codes) and ``fold`` (small trees, all splits at once), both by the ``codebook`` of the
trees' thresholds. ``unpacked`` reads the arrays of ``Trees`` unchanged: for surrogates, and for kernels of others.
"""
