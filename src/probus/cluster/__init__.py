"""Groups of rows without labels.

Models with a centre per cluster share ``centre_model``: ``KMeans`` starts from ``seeding`` and improves by ``lloyd``.
Other models need distances only (``distances.measured_rows``), by any metric: ``DBSCAN`` finds dense rows by a
``density_tree``, ``KMedoids`` improves by the swaps of ``medoid_swaps``, and the hierarchical models find a
``merge_tree``.
``choose_k``, ``stability`` and ``describe_clusters`` work with any clustering.
"""

from probus.borrowing import borrow
from probus.cluster._agglomerative import AgglomerativeClustering
from probus.cluster._cluster_number import NumberOfClusters, choose_k
from probus.cluster._cluster_profile import ClusterProfiles, Difference, describe_clusters
from probus.cluster._cluster_stability import Stability, stability
from probus.cluster._dbscan_model import DBSCAN, dbscan
from probus.cluster._dendrogram_plot import plot_dendrogram
from probus.cluster._divisive import DivisiveClustering
from probus.cluster._eps_choice import EpsChoice, suggest_eps
from probus.cluster._gaps import GAP, gap_ratios
from probus.cluster._k_means import KMeans
from probus.cluster._k_medians import KMedians
from probus.cluster._k_medoids import KMedoids
from probus.cluster._medoid_swaps import first_medoids, swapped
from probus.cluster._mini_batch import MiniBatchKMeans
from probus.cluster._soft_k_means import SoftKMeans
from probus.cluster._vector_quantizer import VectorQuantizer

__all__ = [
    "DBSCAN", "AgglomerativeClustering", "ClusterProfiles", "Difference", "DivisiveClustering", "EpsChoice", "KMeans",
    "KMedians", "KMedoids", "MiniBatchKMeans", "NumberOfClusters", "SoftKMeans", "Stability", "VectorQuantizer",
    "choose_k", "dbscan", "describe_clusters", "plot_dendrogram", "stability", "suggest_eps",
]  # fmt: skip

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.cluster": (
        "affinity_propagation", "AffinityPropagation", "Birch", "BisectingKMeans",
        "cluster_optics_dbscan", "cluster_optics_xi", "compute_optics_graph",
        "estimate_bandwidth", "FeatureAgglomeration", "get_bin_seeds", "HDBSCAN", "k_means", "kmeans_plusplus",
        "linkage_tree", "mean_shift", "MeanShift", "OPTICS", "spectral_clustering",
        "SpectralBiclustering", "SpectralClustering", "SpectralCoclustering", "ward_tree",
    ),
})  # fmt: skip
