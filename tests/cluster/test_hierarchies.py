"""Hierarchical clusterings: R's trees, SciPy's, brute force, cuts, and bad input."""

import warnings

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from probus.cluster import AgglomerativeClustering, DivisiveClustering, KMeans, plot_dendrogram
from probus.cluster._merge_tree import with_sizes
from probus.distances import gower_distances
from probus.errors import DataError

# R, hclust(dist(scale(USArrests)), method): the five highest merges, and cutree(…, 4)
HCLUST = {
    "average": (
        [1.9050299, 2.3275132, 2.5070146, 2.7347788, 3.3223616],
        "12343344314434444143434134434433144444414134444444",
    ),
    "complete": (
        [3.088343, 3.2554326, 4.4005416, 4.4200736, 6.0766416],
        "11232233213423433142323134424322143333314123433433",
    ),
    "single": (
        [1.2363108, 1.2413874, 1.2609417, 1.2965798, 2.0580889],
        "12113111411111111111111111131111111111111111111111",
    ),
}
# R, cluster::diana(scale(USArrests)): the five highest splits, and cutree(as.hclust(…), 4)
DIANA = [3.088343, 3.2903769, 4.4005416, 4.4200736, 6.0766416], "12232233213423434142324124424322143333314123433443"


@pytest.mark.parametrize("linkage", HCLUST)
def test_trees_are_those_of_r(arrests, linkage):
    heights, cut = HCLUST[linkage]
    model = AgglomerativeClustering(4, linkage=linkage).fit(arrests)
    np.testing.assert_allclose(model.distances_[-5:], heights, rtol=1e-7)
    assert "".join(str(label + 1) for label in model.labels_) == cut


def test_splits_are_those_of_r(arrests):
    heights, cut = DIANA
    model = DivisiveClustering(4).fit(arrests)
    np.testing.assert_allclose(model.distances_[-5:], heights, rtol=1e-7)
    assert "".join(str(label + 1) for label in model.labels_) == cut


@pytest.mark.parametrize("linkage", ["single", "complete", "average", "centroid", "ward"])
def test_heights_are_those_of_scipy(linkage):
    X = np.random.default_rng(0).normal(size=(80, 3))
    model = AgglomerativeClustering(5, linkage=linkage).fit(X)
    theirs = hierarchy.linkage(X, linkage)
    np.testing.assert_allclose(model.distances_, theirs[:, 2])
    np.testing.assert_allclose(with_sizes(model.children_, model.distances_), theirs)
    expected = hierarchy.cut_tree(theirs, 5).ravel()
    np.testing.assert_array_equal(model.labels_, expected)  # both number clusters by their first rows


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "cosine", "canberra"])
@pytest.mark.parametrize("linkage", ["single", "average"])
def test_any_distance_and_its_matrix_give_one_tree(metric, linkage):
    X = np.abs(np.random.default_rng(1).normal(size=(40, 3)))
    D = squareform(pdist(X, {"manhattan": "cityblock"}.get(metric, metric)))
    heights = hierarchy.linkage(squareform(D), linkage)[:, 2]
    for given, how in ((X, metric), (D, "precomputed")):
        model = AgglomerativeClustering(3, linkage=linkage, metric=how).fit(given)
        np.testing.assert_allclose(model.distances_, heights, rtol=1e-7, atol=1e-9)


def test_mixed_rows_with_missing_values_are_merged():
    table = {"size": [1.0, 1.2, 9.0, None, 5.0], "colour": ["red", "red", "blue", "blue", "red"]}
    heights = hierarchy.linkage(squareform(gower_distances(table), checks=False), "single")[:, 2]
    model = AgglomerativeClustering(2, metric="gower", linkage="single").fit(table)
    np.testing.assert_allclose(model.distances_, heights)
    assert len(set(DivisiveClustering(2, metric="gower").fit(table).labels_)) == 2


def reference_diana(D, members):
    """The splits of a cluster, by the definition: the diameter and the two sides of each."""
    if len(members) < 2:
        return []
    inside = D[np.ix_(members, members)]
    gone, left = [members[int(inside.sum(axis=1).argmax())]], list(members)
    left.remove(gone[0])
    while len(left) > 1:
        gains = [D[a, [b for b in left if b != a]].mean() - D[a, gone].mean() for a in left]
        if max(gains) <= 1e-12:
            break
        gone.append(left.pop(int(np.argmax(gains))))
    return [
        (inside.max(), frozenset(gone), frozenset(left)), *reference_diana(D, left), *reference_diana(D, sorted(gone)),
    ]  # fmt: skip


def test_splits_follow_the_definition():
    X = np.random.default_rng(5).normal(size=(25, 2))
    D = squareform(pdist(X))
    model = DivisiveClustering(1).fit(X)
    splits = sorted(reference_diana(D, list(range(25))), key=lambda split: split[0])
    np.testing.assert_allclose(model.distances_, [height for height, _, _ in splits])
    groups = [frozenset([row]) for row in range(25)]
    for a, b in model.children_:
        groups.append(groups[a] | groups[b])
    assert {frozenset((groups[a], groups[b])) for a, b in model.children_} == {frozenset(s[1:]) for s in splits}


def test_cuts_by_number_and_by_height_agree(arrests):
    for model in (AgglomerativeClustering(3), DivisiveClustering(3)):
        model.fit(arrests)
        between = model.distances_[-3:-1].mean()
        np.testing.assert_array_equal(model.cut(n_clusters=3), model.cut(height=between))
        np.testing.assert_array_equal(model.cut(n_clusters=3), model.labels_)
        np.testing.assert_array_equal(model.cut(n_clusters=50), np.arange(50))
        by_height = type(model)(None, distance_threshold=between).fit(arrests)
        assert by_height.n_clusters_ == 3
        with pytest.raises(DataError, match="Cannot extract more clusters than samples"):
            model.cut(n_clusters=51)
        with pytest.raises(DataError, match="Exactly one of n_clusters and height"):
            model.cut()


def test_connectivity_is_that_of_scikit_learn():
    from sklearn.cluster import AgglomerativeClustering as Borrowed
    from sklearn.neighbors import kneighbors_graph

    X = np.random.default_rng(0).normal(size=(60, 2))
    graph = kneighbors_graph(X, 10)
    ours, theirs = (cls(3, connectivity=graph).fit(X) for cls in (AgglomerativeClustering, Borrowed))
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)


def test_a_tree_grown_in_part_is_not_cut_below_it():
    X, chain = np.arange(8.0)[:, None], np.eye(8) + np.eye(8, k=1) + np.eye(8, k=-1)
    model = AgglomerativeClustering(4, connectivity=chain, compute_full_tree=False).fit(X)
    assert (np.sort(model.cut(4)) == np.sort(model.labels_)).all()
    with pytest.raises(DataError) as error:
        model.cut(3)
    assert str(error.value).startswith("3 clusters, where the tree was grown down to 4.")


def test_the_dendrogram_shows_every_merge_or_the_highest(arrests):
    model = AgglomerativeClustering(4, linkage="average").fit(arrests)
    ax = plot_dendrogram(model, labels=[f"state {i}" for i in range(50)])
    assert len(ax.lines) == 49
    assert len({line.get_color() for line in ax.lines}) == 4  # three clusters of several rows, and what is above
    assert max(line.get_ydata().max() for line in ax.lines) == pytest.approx(model.distances_[-1])
    assert len(plot_dendrogram(model, max_leaves=10).lines) == 9
    with pytest.raises(DataError, match="2 labels of 50 rows"):
        plot_dendrogram(model, labels=["a", "b"])


def test_what_cannot_be_merged_is_refused():
    with pytest.raises(DataError, match="n_samples=1: nothing can be merged"):
        AgglomerativeClustering().fit([[1.0]])
    with pytest.raises(DataError, match="Ward can only work with euclidean"):
        AgglomerativeClustering(metric="manhattan").fit([[1.0], [2.0]])
    with pytest.raises(DataError, match="not symmetric"):
        AgglomerativeClustering(metric="precomputed", linkage="single").fit([[0.0, 1.0], [3.0, 0.0]])


@pytest.mark.parametrize(
    "model",
    [DivisiveClustering(3), *(AgglomerativeClustering(3, linkage=name) for name in ("ward", "single", "average"))],
)
def test_splits_of_identical_rows_are_reported(model):
    with pytest.warns(ConvergenceWarning, match="only 2 distinct rows for n_clusters=3"):
        model.fit(np.arange(2.0).repeat(4)[:, None])
    assert len(set(model.labels_)) == 3
    assert np.count_nonzero(model.distances_) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(n_clusters=2).fit(np.arange(2.0).repeat(4)[:, None])
    assert model.labels_.tolist() == [0] * 4 + [1] * 4


def test_only_a_fitted_tree_is_drawn():
    with pytest.raises(NotFittedError):
        plot_dendrogram(AgglomerativeClustering())
    with pytest.raises(DataError, match=r"KMeans has no tree of merges.\n  Expected a fitted AgglomerativeClustering"):
        plot_dendrogram(KMeans(2).fit([[1.0], [2.0]]))


def test_a_row_without_values_is_as_far_away_as_any():
    steps = np.linspace(0, 1, 30)
    table = {"a": np.r_[np.nan, steps, steps], "b": [None, *["x"] * 30, *["y"] * 30]}
    model = AgglomerativeClustering(2, metric="gower", linkage="single").fit(table)
    assert model.distances_[-1] == pytest.approx(np.nanmax(gower_distances(table)))
    assert np.bincount(model.labels_).tolist() in ([1, 60], [60, 1])
