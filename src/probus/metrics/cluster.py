"""Scores of clusterings, all of them scikit-learn's."""

from probus.borrowing import borrow

__all__: list[str] = []

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.metrics.cluster": (
        "adjusted_mutual_info_score", "adjusted_rand_score", "calinski_harabasz_score", "completeness_score",
        "consensus_score", "contingency_matrix", "davies_bouldin_score", "entropy", "expected_mutual_information",
        "fowlkes_mallows_score", "homogeneity_completeness_v_measure", "homogeneity_score", "mutual_info_score",
        "normalized_mutual_info_score", "pair_confusion_matrix", "rand_score", "silhouette_samples",
        "silhouette_score", "v_measure_score",
    ),
})  # fmt: skip
