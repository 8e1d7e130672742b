"""Fewer columns that hold most of many: principal components and factors.

``principal`` and ``incremental`` are principal component analysis of all rows and of batches, ``factors`` is factor
analysis by maximum likelihood with ``rotations``; all are Gaussian models of the columns (``latent_gaussian``).
``component_choice`` is how many components there are. What we do not implement is scikit-learn's.
"""

from probus.borrowing import borrow
from probus.decomposition._component_choice import ComponentChoice, choose_components
from probus.decomposition._factors import FactorAnalysis
from probus.decomposition._incremental import IncrementalPCA
from probus.decomposition._loadings_plot import plot_loadings
from probus.decomposition._principal import PCA
from probus.decomposition._rotations import promax, varimax

__all__ = [
    "PCA",
    "ComponentChoice",
    "FactorAnalysis",
    "IncrementalPCA",
    "choose_components",
    "plot_loadings",
    "promax",
    "varimax",
]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.decomposition": (
        "dict_learning", "dict_learning_online", "DictionaryLearning", "fastica", "FastICA", "KernelPCA",
        "LatentDirichletAllocation", "MiniBatchDictionaryLearning", "MiniBatchNMF", "MiniBatchSparsePCA", "NMF",
        "non_negative_factorization", "randomized_svd", "sparse_encode", "SparseCoder", "SparsePCA", "TruncatedSVD",
    ),
})  # fmt: skip
