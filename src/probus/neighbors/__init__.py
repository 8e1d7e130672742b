"""Nearest neighbours: the distances, the exact search, and the models that vote or average.

The search is chosen by metric and size (``search.py``): a k-d tree for very few columns (``tree.py``), matrix products
for Euclidean distances (``product.py``), blocks of columns for the other Minkowski distances (``columns.py``), Gower's
distance on typed columns (``probus.distances``), and scikit-learn's for the rest. ``votes.py`` holds the weights and
the rules for ties.
"""

from probus.borrowing import borrow
from probus.neighbors.classification import KNeighborsClassifier
from probus.neighbors.regression import KNeighborsRegressor
from probus.neighbors.unsupervised import NearestNeighbors

__all__ = [
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "NearestNeighbors",
]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.neighbors": (
        "BallTree", "KDTree", "KernelDensity", "kneighbors_graph", "KNeighborsTransformer", "LocalOutlierFactor",
        "NearestCentroid", "NeighborhoodComponentsAnalysis", "radius_neighbors_graph", "RadiusNeighborsClassifier",
        "RadiusNeighborsRegressor", "RadiusNeighborsTransformer", "sort_graph_by_row_values", "VALID_METRICS",
        "VALID_METRICS_SPARSE",
    ),
})  # fmt: skip
