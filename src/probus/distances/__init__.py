"""Distances between rows, and the exact searches for the nearest rows.

A ``Distance`` is an object in ``registry``: its names, the rows it measures, and its search. ``Minkowski`` chooses
between a k-d tree (``kd_tree_search``), matrix products (``product_search``) and blocks of columns (``column_search``);
``Cosine`` and ``Hellinger`` are Euclidean distances of transformed rows (``euclidean_form``); ``Gower`` measures typed
rows: numbers by range, ordinals by rank, levels by equality, missing values left out. ``topk`` keeps the nearest rows
while distances are computed; ``box_tree`` is the k-d tree, ``lanes`` its vector operations.
"""

from probus.borrowing import listing
from probus.distances._all_pairs import pairwise_distances
from probus.distances._distance import Distance, Search
from probus.distances._gower import Gower, gower_distances
from probus.distances._kd_tree_search import KDTreeSearch
from probus.distances._minkowski import effective_metric
from probus.distances._registry import DISTANCES, distance_of

__all__ = ["DISTANCES", "Distance", "Gower", "distance_of", "gower_distances", "pairwise_distances"]

__dir__ = listing(globals())
