"""A network that predicts a table from its training rows, without training on it.

It was trained once, on drawn tables (``research/incontext``). ``network`` is its forward pass in NumPy, with its
``blocks``, ``kernels`` and ``cell_features``. ``torch_network`` is the same in PyTorch, with ``torch_blocks`` and
``torch_cell_features``: research trains it, and ``device_network`` predicts with it on a GPU. ``shipped_weights`` reads
the weights and chooses the network for a device. ``cell_encoding`` makes numbers of typed columns, ``plans`` chooses
the rows and classes of each pass, and ``in_context`` is the parent of the two models.
"""

from probus.borrowing import listing
from probus.in_context._cell_encoding import CellEncoding
from probus.in_context._in_context_classifier import InContextClassifier
from probus.in_context._in_context_regressor import InContextRegressor
from probus.in_context._plans import Plan

__all__ = ["CellEncoding", "InContextClassifier", "InContextRegressor", "Plan"]

__dir__ = listing(globals())
