"""Scores of clusterings: ours for sums of squares, pairs and silhouettes, scikit-learn's for the rest.

With H for entropy, C for the classes and K for the clusters, homogeneity is 1 − H(C | K) / H(C) and completeness
1 − H(K | C) / H(K). Some course notes divide the entropy of the one by that of the other, which is not homogeneity.
"""

from probus.borrowing import borrow
from probus.metrics._cluster_sums import (
    between_cluster_sum_of_squares,
    pair_f1_score,
    pair_precision_score,
    pair_recall_score,
    within_cluster_sum_of_squares,
)

__all__ = [
    "between_cluster_sum_of_squares", "pair_f1_score", "pair_precision_score", "pair_recall_score",
    "within_cluster_sum_of_squares",
]  # fmt: skip

__getattr__, __dir__ = borrow(globals(), {
    "probus.metrics._silhouette": ("silhouette_samples", "silhouette_score"),
    "sklearn.metrics.cluster": (
        "adjusted_mutual_info_score", "adjusted_rand_score", "calinski_harabasz_score", "completeness_score",
        "consensus_score", "contingency_matrix", "davies_bouldin_score", "entropy", "expected_mutual_information",
        "fowlkes_mallows_score", "homogeneity_completeness_v_measure", "homogeneity_score", "mutual_info_score",
        "normalized_mutual_info_score", "pair_confusion_matrix", "rand_score", "v_measure_score",
    ),
})  # fmt: skip
