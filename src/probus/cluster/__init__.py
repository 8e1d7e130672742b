"""Groups of rows without labels.

Models with a centre per cluster share ``centre_model``: ``KMeans`` starts from ``seeding`` and improves by ``lloyd``.
Other models need distances only (``distances.measured_rows``), by any metric: ``DBSCAN`` finds dense rows by a
``density_tree``, ``KMedoids`` improves by the swaps of ``medoid_swaps``, and the hierarchical models find a
``merge_tree``.
``choose_k``, ``stability`` and ``describe_clusters`` work with any clustering.
"""

from probus.borrowing import borrow
from probus.cluster.agglomerative import AgglomerativeClustering
from probus.cluster.cluster_number import NumberOfClusters, choose_k
from probus.cluster.cluster_profile import ClusterProfiles, Difference, describe_clusters
from probus.cluster.cluster_stability import Stability, stability
from probus.cluster.dbscan_model import DBSCAN, dbscan
from probus.cluster.dendrogram_plot import plot_dendrogram
from probus.cluster.divisive import DivisiveClustering
from probus.cluster.eps_choice import EpsChoice, suggest_eps
from probus.cluster.k_means import KMeans
from probus.cluster.k_medians import KMedians
from probus.cluster.k_medoids import KMedoids
from probus.cluster.mini_batch import MiniBatchKMeans
from probus.cluster.soft_k_means import SoftKMeans
from probus.cluster.vector_quantizer import VectorQuantizer

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
