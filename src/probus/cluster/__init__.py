"""Groups of rows without labels.

``KMeans`` starts from ``seeding`` and improves by ``lloyd``; ``centre_model`` is what the models with centres share.
"""

from probus.borrowing import borrow
from probus.cluster.k_means import KMeans

__all__ = ["KMeans"]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.cluster": (
        "affinity_propagation", "AffinityPropagation", "AgglomerativeClustering", "Birch", "BisectingKMeans",
        "cluster_optics_dbscan", "cluster_optics_xi", "compute_optics_graph", "dbscan", "DBSCAN",
        "estimate_bandwidth", "FeatureAgglomeration", "get_bin_seeds", "HDBSCAN", "k_means", "kmeans_plusplus",
        "linkage_tree", "mean_shift", "MeanShift", "MiniBatchKMeans", "OPTICS", "spectral_clustering",
        "SpectralBiclustering", "SpectralClustering", "SpectralCoclustering", "ward_tree",
    ),
})  # fmt: skip
