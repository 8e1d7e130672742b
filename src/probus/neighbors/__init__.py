"""Nearest neighbours: classification, regression and search.

The models keep the rows of the fit (``kneighbors``) and find the nearest by a distance of ``probus.distances``;
``votes`` holds the weights of neighbours and the rules for ties. What we do not implement is scikit-learn's.
"""

from probus.borrowing import borrow
from probus.neighbors._kneighbors import LEAF_SIZE, N_NEIGHBORS, NeighborsModel
from probus.neighbors._kneighbors_classifier import KNeighborsClassifier
from probus.neighbors._kneighbors_regressor import KNeighborsRegressor
from probus.neighbors._local_outlier_factor import LocalOutlierFactor
from probus.neighbors._unsupervised import NearestNeighbors

__all__ = [
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "LocalOutlierFactor",
    "NearestNeighbors",
]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.neighbors": (
        "BallTree", "KDTree", "KernelDensity", "kneighbors_graph", "KNeighborsTransformer",
        "NearestCentroid", "NeighborhoodComponentsAnalysis", "radius_neighbors_graph", "RadiusNeighborsClassifier",
        "RadiusNeighborsRegressor", "RadiusNeighborsTransformer", "sort_graph_by_row_values", "VALID_METRICS",
        "VALID_METRICS_SPARSE",
    ),
})  # fmt: skip
