"""Maps: positions in few dimensions whose distances are those of rows, as far as possible.

``classical`` scaling is exact where distances are Euclidean; ``scaling`` is metric and non-metric scaling by
majorisation. Both take every distance of Probus, Gower's included. What we do not implement is scikit-learn's.
"""

from probus.borrowing import borrow
from probus.manifold._classical import ClassicalMDS
from probus.manifold._scaling import MDS
from probus.manifold._shepard import plot_shepard

__all__ = ["MDS", "ClassicalMDS", "plot_shepard"]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.manifold": (
        "Isomap", "locally_linear_embedding", "LocallyLinearEmbedding", "smacof", "spectral_embedding",
        "SpectralEmbedding", "trustworthiness", "TSNE",
    ),
})  # fmt: skip
