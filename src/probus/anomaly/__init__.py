"""Odd rows: detectors with one interface, what makes a row odd, and how detectors compare.

Every detector has ``fit``, ``score_samples`` (larger for more usual rows), ``decision_function``, ``predict`` (1, −1)
and ``explain``. ``z_score``, ``grubbs`` and ``mahalanobis`` assume normal columns; ``near_rows`` measures distances to
neighbours, ``cluster_distance`` and ``cluster_filter`` those to clusters, ``component_residual`` the one to the main
components, ``autoencoder_residual`` the one to the reconstruction by a network,
``contrast`` the odds of a classifier of real and artificial rows. ``context`` scores a row against its like,
``windows`` stretches of ordered rows, ``neighbourhoods`` regions and parts of graphs, ``false_alarms`` sets a threshold
with a stated rate of false alarms, and ``detector_comparison`` ranks detectors by labels.
"""

from probus.anomaly._autoencoder_residual import AutoencoderResidual
from probus.anomaly._cluster_distance import CBLOF
from probus.anomaly._cluster_filter import ClusterFilter
from probus.anomaly._component_residual import PCAResidual
from probus.anomaly._context import Contextual
from probus.anomaly._contrast import ContrastDetector
from probus.anomaly._detector_comparison import DetectorComparison, DetectorScore, compare
from probus.anomaly._false_alarms import CalibratedDetector
from probus.anomaly._grubbs import Grubbs, GrubbsTest, grubbs_test
from probus.anomaly._mahalanobis import Mahalanobis
from probus.anomaly._near_rows import KNearestDistance, RadiusCount
from probus.anomaly._neighbourhoods import Neighbourhoods
from probus.anomaly._windows import Windows
from probus.anomaly._z_score import ZScore
from probus.borrowing import borrow
from probus.detection import Detector, Explanation

__all__ = [
    "CBLOF",
    "AutoencoderResidual",
    "CalibratedDetector",
    "ClusterFilter",
    "Contextual",
    "ContrastDetector",
    "Detector",
    "DetectorComparison",
    "DetectorScore",
    "Explanation",
    "Grubbs",
    "GrubbsTest",
    "KNearestDistance",
    "Mahalanobis",
    "Neighbourhoods",
    "PCAResidual",
    "RadiusCount",
    "Windows",
    "ZScore",
    "compare",
    "grubbs_test",
]

__getattr__, __dir__ = borrow(globals(), {
    "probus.ensemble": ("IsolationForest",),
    "probus.neighbors": ("LocalOutlierFactor",),
    "probus.svm": ("OneClassSVM",),
})  # fmt: skip
