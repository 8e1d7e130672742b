"""What scikit-learn builds on neighbours: graphs, clusters, embeddings, outliers, imputation."""

import numpy as np
from sklearn.cluster import DBSCAN, AgglomerativeClustering, SpectralClustering
from sklearn.datasets import load_iris, make_blobs
from sklearn.feature_selection import mutual_info_classif
from sklearn.impute import KNNImputer
from sklearn.manifold import TSNE, Isomap, LocallyLinearEmbedding, SpectralEmbedding, trustworthiness
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    KNeighborsTransformer,
    LocalOutlierFactor,
    NearestNeighbors,
    NeighborhoodComponentsAnalysis,
    kneighbors_graph,
    radius_neighbors_graph,
)
from sklearn.pipeline import make_pipeline
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier

X, blobs = make_blobs(150, 4, centers=3, cluster_std=1.0, random_state=1)
nearest = NearestNeighbors(n_neighbors=6, radius=2.0).fit(X)
distances, rows = nearest.kneighbors(X)
graph = kneighbors_graph(nearest, 5, mode="distance")
near = radius_neighbors_graph(nearest, 2.0)
assert nearest._fit_X.shape == X.shape
assert nearest.effective_metric_ == "euclidean"
scores = {
    "mean distance": distances[:, 1:].mean() / 10,
    "graph": graph.sum() / graph.nnz / 10,
    "radius graph": near.nnz / near.shape[0] / 100,
    "DBSCAN": adjusted_rand_score(blobs, DBSCAN(eps=1.5).fit_predict(X)),
    "spectral": adjusted_rand_score(
        blobs, SpectralClustering(3, affinity="nearest_neighbors", random_state=0).fit_predict(X)
    ),
    "linkage": adjusted_rand_score(
        blobs, AgglomerativeClustering(3, connectivity=kneighbors_graph(X, 10, include_self=False)).fit_predict(X)
    ),
    "outliers": (LocalOutlierFactor(10).fit_predict(X) == -1).mean(),
}
iris = load_iris()
for embedding in (
    Isomap(n_neighbors=10),
    LocallyLinearEmbedding(n_neighbors=10, random_state=0),
    LocallyLinearEmbedding(n_neighbors=10, method="modified", eigen_solver="dense", random_state=0),
    SpectralEmbedding(random_state=0),
    TSNE(max_iter=250, init="random", random_state=0),
):
    flat = embedding.fit_transform(iris.data)
    scores[f"{embedding}"[:60]] = trustworthiness(iris.data, flat)
scores["Isomap, new rows"] = float(np.isfinite(Isomap().fit(iris.data).transform(iris.data[:5])).all())
holes = iris.data.copy()
holes[::5, 1] = np.nan
scores["imputed"] = np.abs(KNNImputer().fit_transform(holes) - iris.data).max() / 10
learned = make_pipeline(NeighborhoodComponentsAnalysis(random_state=0), KNeighborsClassifier(3))
scores["NCA"] = learned.fit(iris.data, iris.target).score(iris.data, iris.target)
precomputed = make_pipeline(
    KNeighborsTransformer(n_neighbors=8, mode="distance"), KNeighborsRegressor(n_neighbors=5, metric="precomputed")
)
scores["from graph"] = precomputed.fit(iris.data[:, :3], iris.data[:, 3]).score(iris.data[:, :3], iris.data[:, 3])
hidden = np.where(np.arange(150) % 4 == 0, iris.target, -1)
scores["spreading"] = LabelSpreading(kernel="knn").fit(iris.data, hidden).score(iris.data, iris.target)
scores["self-training"] = (
    SelfTrainingClassifier(KNeighborsClassifier()).fit(iris.data, hidden).score(iris.data, iris.target)
)
scores["information"] = mutual_info_classif(iris.data, iris.target, random_state=0).sum() / 10
