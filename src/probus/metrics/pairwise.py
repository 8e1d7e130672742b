"""Distances and kernels between rows: ours for typed tables, scikit-learn's for the rest."""

from probus.borrowing import borrow

__all__: list[str] = []

__getattr__, __dir__ = borrow(globals(), {
    "probus.distances": ("gower_distances", "pairwise_distances"),
    "sklearn.metrics.pairwise": (
        "additive_chi2_kernel", "check_paired_arrays", "check_pairwise_arrays", "chi2_kernel", "cosine_distances",
        "cosine_similarity", "distance_metrics", "euclidean_distances", "haversine_distances", "kernel_metrics",
        "laplacian_kernel", "linear_kernel", "manhattan_distances", "nan_euclidean_distances",
        "paired_cosine_distances", "paired_distances", "paired_euclidean_distances", "paired_manhattan_distances",
        "pairwise_distances_argmin", "pairwise_distances_argmin_min", "pairwise_distances_chunked",
        "pairwise_kernels", "polynomial_kernel", "rbf_kernel", "sigmoid_kernel",
    ),
})  # fmt: skip
