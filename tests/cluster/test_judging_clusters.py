"""The number of clusters, their stability and their description."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import pairwise_distances, silhouette_score

from probus import tabular
from probus.cluster import (
    DBSCAN,
    AgglomerativeClustering,
    KMeans,
    KMedoids,
    choose_k,
    describe_clusters,
    stability,
)
from probus.cluster._gaps import gap_ratios
from probus.data import Table
from probus.errors import DataError
from probus.mixture import GaussianMixture


@pytest.fixture(scope="module")
def three():
    rng = np.random.default_rng(0)
    return rng.normal(size=(150, 2)) + 8 * np.repeat(np.eye(3)[:, :2], 50, axis=0)


@pytest.mark.parametrize("model", [KMeans(random_state=0), GaussianMixture(random_state=0)])
def test_every_criterion_finds_three_clusters(three, model):
    found = choose_k(model, three, range(1, 7), n_bootstrap=4)
    assert found.choice == 3
    assert set(found.best.values()) == {3}
    assert found.by == ("bic" if isinstance(model, GaussianMixture) else "gap")
    assert str(found).startswith("3 clusters: the ")


def test_the_criteria_are_as_defined(three):
    found = choose_k(KMeans(random_state=0), three, range(1, 6), n_bootstrap=0)
    fits = [KMeans(k, random_state=0).fit(three) for k in range(1, 6)]
    Q = np.array([fit.inertia_ for fit in fits])
    np.testing.assert_allclose(found.values["wcss"] * 150, Q)
    np.testing.assert_allclose(found.values["ratio"][1:4], np.abs(np.diff(Q)[1:] / np.diff(Q)[:-1]))
    expected = [silhouette_score(three, fit.labels_) for fit in fits[1:]]
    np.testing.assert_allclose(found.values["silhouette"][1:], expected)
    mixture = choose_k(GaussianMixture(random_state=0), three, [2, 3], n_bootstrap=0)
    bic = GaussianMixture(3, random_state=0).fit(three).bic(three)
    assert mixture.values["bic"][1] * 150 == pytest.approx(bic)


def test_numbers_of_mixed_rows_and_the_plot():
    rng = np.random.default_rng(1)
    group = rng.integers(0, 3, 60)
    table = Table.of({"size": group * 9 + rng.normal(size=60), "colour": np.array(list("rgb"))[group]})
    found = choose_k(KMedoids(metric="gower"), table, range(1, 6), n_bootstrap=2)
    assert found.choice == 3
    assert len(found.plot()) == 4
    assert found.to_frame().shape == (5, 13)


def test_a_band_is_about_its_value(three):
    model = KMeans(random_state=0)
    found = choose_k(model, three, range(1, 6), n_bootstrap=3)
    for name, values in found.values.items():
        known = np.isfinite(values)
        assert (found.low[name] < values)[known].all()
        assert (values < found.high[name])[known].all()
    random, sums = np.random.RandomState(0), []
    for _ in range(3):
        drawn, counts = np.unique(random.randint(0, 150, 150), return_counts=True)
        sums.append(KMeans(2, random_state=0).fit(three[drawn], sample_weight=counts).inertia_ / 150)
    assert found.high["wcss"][1] - found.values["wcss"][1] == pytest.approx(1.645 * np.std(sums, ddof=1))
    alone = choose_k(model, three, range(1, 4), n_bootstrap=0)
    np.testing.assert_array_equal(alone.low["wcss"], alone.values["wcss"])


def test_the_sentence_without_a_silhouette(three):
    assert str(choose_k(KMeans(), three, [1])).startswith("1 cluster: not compared with others; a sum per row of ")
    with pytest.warns(ConvergenceWarning):
        found = choose_k(KMeans(), np.ones((9, 2)), range(1, 4), n_bootstrap=2)
    text = "1 cluster: the elbow of the sum within clusters, as no silhouette is defined; a sum per row of 0 (0 to 0)."
    assert str(found) == text
    found = choose_k(KMeans(random_state=0), three, [3], n_bootstrap=2)
    assert str(found).startswith("3 clusters: not compared with others; a silhouette of ")


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(2)
    group = np.repeat([0, 1, 2], 30)
    size = group * 9 + rng.normal(size=90)
    size[5] = np.nan
    return Table.of({"size": size, "colour": np.array(list("rgb"))[group]})


def test_mixed_tables_are_judged_through_tabular(mixed):
    model = tabular(KMeans(random_state=0))
    found = choose_k(model, mixed, range(2, 6), n_bootstrap=2)
    assert found.choice == 3
    ready = model[:-1].fit_transform(mixed)
    expected = KMeans(3, random_state=0).fit(ready)
    assert found.values["wcss"][1] * 90 == pytest.approx(expected.inertia_)
    assert found.values["silhouette"][1] == pytest.approx(silhouette_score(ready, expected.labels_))
    assert stability(tabular(KMeans(3, random_state=0)), mixed, n_bootstrap=5).stable.all()
    with pytest.raises(DataError, match="DBSCAN has no number of clusters"):
        choose_k(tabular(DBSCAN()), mixed)


def test_a_fitted_pipeline_is_described_in_the_columns_of_the_table(mixed):
    model = tabular(KMeans(3, random_state=0)).fit(mixed)
    labels = model.named_steps["model"].labels_
    assert str(describe_clusters(model, mixed)) == str(describe_clusters(labels, mixed))
    assert str(describe_clusters(tabular(GaussianMixture(2)).fit(mixed), mixed)).startswith("2 clusters of 90 rows")
    with pytest.raises(NotFittedError):
        describe_clusters(tabular(KMeans(3)), mixed)


def test_distances_given_are_drawn_by_rows_and_columns(three):
    D = pairwise_distances(three)
    model = KMedoids(3, metric="precomputed")
    np.testing.assert_array_equal(
        stability(model, D, n_bootstrap=3).jaccard, stability(KMedoids(3), three, n_bootstrap=3).jaccard
    )
    found, same = (
        choose_k(KMedoids(metric=metric), given, range(2, 5), n_bootstrap=2)
        for metric, given in (("precomputed", D), ("euclidean", three))
    )
    np.testing.assert_allclose(found.values["silhouette"], same.values["silhouette"])
    np.testing.assert_allclose(found.high["wcss"], same.high["wcss"])


@pytest.mark.parametrize("rows", [np.ones((12, 2)), Table.of({"a": ["x"] * 12, "b": ["t", None] * 6})])
def test_clusters_that_split_identical_rows_are_not_stable(rows):
    with pytest.warns(ConvergenceWarning, match="identical rows are in different clusters"):
        found = stability(KMedoids(3, metric="gower"), rows, n_bootstrap=4)
    assert found.split.any()
    assert not found.stable[found.split].any()
    assert "arbitrary: identical rows are split" in repr(found)
    apart = stability(AgglomerativeClustering(2), np.arange(2.0).repeat(6)[:, None], n_bootstrap=4)
    assert not apart.split.any()
    assert apart.stable.all()


def test_numbers_that_cannot_be_tried_are_refused(three):
    with pytest.raises(DataError, match="whole numbers from 1 to 150"):
        choose_k(KMeans(), three, [0, 1])
    assert choose_k(KMeans(random_state=0), three, 3, n_bootstrap=0).k.tolist() == [3]
    with pytest.raises(DataError, match="DBSCAN has no number of clusters"):
        choose_k(DBSCAN(), three)
    with pytest.raises(DataError, match=r"a model of type ndarray.\n  Expected a clustering. Use choose_k\(KMeans"):
        choose_k(three, range(2, 5))


def test_real_clusters_come_back_and_invented_ones_do_not(three):
    assert (stability(KMeans(3, random_state=0), three, n_bootstrap=10).mean > 0.95).all()
    noise = np.random.default_rng(2).normal(size=(150, 2))
    invented = stability(KMeans(6, random_state=0), noise, n_bootstrap=10)
    assert (invented.mean < 0.75).any()
    assert "of 6 clusters are stable over 10 bootstrap samples" in repr(invented)
    assert invented.plot().get_xlabel() == "Jaccard similarity"


def test_the_similarity_is_the_best_jaccard_of_the_drawn_rows(three):
    model = KMeans(4, random_state=0)
    found = stability(model, three, n_bootstrap=1, random_state=5)
    drawn, counts = np.unique(np.random.RandomState(5).randint(0, 150, 150), return_counts=True)
    labels = KMeans(4, random_state=0).fit(three).labels_[drawn]
    again = KMeans(4, random_state=0).fit(three[drawn], sample_weight=counts).labels_
    sets = [set(np.flatnonzero(again == c)) for c in range(4)]
    for c in range(4):
        own = set(np.flatnonzero(labels == c))
        assert found.jaccard[0, c] == pytest.approx(max(len(own & s) / len(own | s) for s in sets))


def test_noise_alone_has_no_stability(three):
    with pytest.raises(DataError, match="every row is noise"):
        stability(DBSCAN(eps=1e-9), three)


def test_columns_that_set_clusters_apart_come_first():
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1, -1], [40, 40, 5])
    table = {
        "same": rng.normal(size=85),
        "size": np.where(rng.random(85) < 0.1, np.nan, 5.0 * (group == 1) + rng.normal(size=85)),
        "colour": np.where(group == 0, "red", "blue"),
    }
    found = describe_clusters(group, table)
    assert found.clusters == (0, 1)
    assert found.sizes == (40, 40)
    first = found.of(1)[0]
    inside, outside = (table["size"][group == 1], table["size"][group != 1])
    inside, outside = inside[~np.isnan(inside)], outside[~np.isnan(outside)]
    n, m = len(inside), len(outside)
    pooled = np.sqrt(((n - 1) * inside.var(ddof=1) + (m - 1) * outside.var(ddof=1)) / (n + m - 2))
    assert first.column == "size"
    assert first.effect == pytest.approx((inside.mean() - outside.mean()) / pooled)
    assert first.low < first.effect < first.high
    colour = found.of(0)[0]
    assert (colour.column, colour.inside, colour.outside) == ("colour", 1.0, 0.0)
    assert abs(colour.effect) == pytest.approx(np.pi)
    assert "what sets each apart" in repr(found)
    assert found.plot().get_title(loc="left").startswith("What sets clusters apart")
    assert found.to_frame().shape == (6, 8)


def test_a_column_that_is_constant_in_clusters_is_drawn_without_a_warning():
    described = describe_clusters([0, 0, 1, 1], {"x": [1.0, 1.0, 5.0, 5.0], "y": [1.0, 2.0, 3.0, 3.5]})
    assert described.of(0)[0].effect == -np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = described.plot()
        ax.figure.canvas.draw()
    assert "-∞" in {text.get_text() for text in ax.texts}


def test_levels_that_are_numbers_are_described_by_shares():
    table = {"alive": [True, True, True, False], "class": [1.0, 2.0, 3.0, 3.0]}
    described = describe_clusters([0, 0, 1, 1], Table.of(table))
    assert {str(found) for found in described.of(0)} == {"alive = True: 100 %, others 50 %", "class 1.5, others 3"}


def test_constant_columns_and_one_cluster():
    found = describe_clusters([0, 0, 1, 1], {"one": [1.0] * 4, "split": [1.0, 1.0, 2.0, 2.0]})
    effects = {d.column: d.effect for d in found.of(0)}
    assert effects["one"] == 0.0
    assert effects["split"] == -np.inf
    found.plot()
    with pytest.raises(DataError, match="no other rows to differ from"):
        describe_clusters([0, 0], {"x": [1.0, 2.0]})
    with pytest.raises(DataError, match="3 labels of 2 rows"):
        describe_clusters([0, 0, 1], {"x": [1.0, 2.0]})


@pytest.mark.parametrize("gap", [np.nan, None])
def test_missing_labels_are_refused(three, gap):
    labels = np.array([gap, *([1.0] * 149)], dtype=object if gap is None else float)
    with pytest.raises(DataError, match="1 of 150 labels are missing"):
        describe_clusters(labels, three)


def test_dates_of_clusters_are_printed_as_dates():
    days = np.array(["2024-01-01", "2024-01-02", "2024-03-03", "2024-03-04"], "datetime64[D]")
    assert str(describe_clusters([0, 0, 1, 1], {"day": days}).of(0)[0]) == "day 2024-01-01, others 2024-03-03"


def test_rows_in_no_cluster_are_counted_and_are_no_cluster():
    labels = np.array([0, 0, 0, 1, 1, 1, -1, -3])  # HDBSCAN marks rows with missing values by -3
    described = describe_clusters(labels, {"x": np.arange(8.0)})
    assert described.clusters == (0, 1)
    assert str(described).startswith("2 clusters of 8 rows, 2 of them in none, and what sets each apart:")
    assert "3 (38 %)" in str(described)


@pytest.mark.parametrize("k", [0, 61, 2.5, [2.5, 3], "3", [2, "a"], True, []])
def test_only_whole_numbers_of_clusters_are_tried(k):
    with pytest.raises(DataError, match=r"numbers of clusters (.|\n)*whole numbers from 1 to 60\. Pass range\(1, 11\)"):
        choose_k(KMeans(random_state=0), np.arange(60.0)[:, None], k)


# -- gaps: populations that the threshold of 1.15 was not chosen on --------------------------------------


def directions(rng, n, d):
    rows = rng.normal(size=(n, d))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def structureless(shape, rng, n=150):
    """Connected shapes without clusters."""
    if shape == "half shell":
        return np.abs(directions(rng, n, 4)) * (1 + 0.05 * rng.normal(size=(n, 1)))
    if shape == "curve":
        t = rng.uniform(-1.5, 1.5, n)
        return np.column_stack([t, t**2, t**3 / 2]) + 0.1 * rng.normal(size=(n, 3))
    if shape == "line":
        return np.column_stack([rng.uniform(size=n), 0.005 * rng.normal(size=n)])
    if shape == "zigzag":
        t = rng.uniform(0, 3, n)
        return np.column_stack([t, np.abs(t % 1 - 0.5)]) + 0.02 * rng.normal(size=(n, 2))
    if shape == "rays":
        angle, t = 2 * np.pi / 3 * rng.integers(0, 3, n), rng.random(n)
        return np.column_stack([t * np.cos(angle), t * np.sin(angle)]) + 0.03 * rng.normal(size=(n, 2))
    if shape == "plane":
        return rng.uniform(-1, 1, (n, 2)) @ rng.normal(size=(2, 5)) + 0.05 * rng.normal(size=(n, 5))
    if shape == "heavy tails":
        return rng.normal(size=(n, 4)) / np.sqrt(rng.chisquare(2.5, (n, 1)))
    height = rng.random((n, 1)) ** 0.5
    return np.hstack([height, height * rng.uniform(-1, 1, (n, 2))])  # a cone


def separated(rng, k, d, n=200):
    """Normal groups, the nearest 8 to 14 standard deviations away."""
    centres = [np.zeros(d)]
    while len(centres) < k:
        centre = centres[rng.integers(len(centres))] + directions(rng, 1, d)[0] * rng.uniform(8, 14)
        if min(np.linalg.norm(centre - other) for other in centres) >= 8:
            centres.append(centre)
    return np.array(centres)[rng.integers(0, k, n)] + rng.normal(size=(n, d))


SHAPES = ["half shell", "curve", "plane", "heavy tails", "cone", "line", "zigzag", "rays"]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_connected_shape_is_one_cluster(shape):
    drawn = [structureless(shape, np.random.default_rng([seed, 1])) for seed in range(8)]
    found = [choose_k(KMeans(random_state=0), X, range(1, 7), n_bootstrap=0) for X in drawn]
    assert sum(each.choice == 1 for each in found) >= 7
    assert any("no more have a gap around every cluster" in str(each) for each in found)


@pytest.mark.parametrize("shape", SHAPES)
def test_parts_of_a_connected_shape_are_not_stable(shape):
    stable = []
    for seed in range(12):
        X = structureless(shape, np.random.default_rng(seed))
        found = stability(KMeans(2 + seed % 3, random_state=0), X, n_bootstrap=5)
        stable.append(found.stable.mean())
    assert np.mean(stable) <= 0.05


def test_a_cluster_without_a_gap_is_described_so():
    X = structureless("curve", np.random.default_rng(0))
    found = stability(KMeans(2, random_state=0), X, n_bootstrap=5)
    assert (found.mean > 0.75).all()
    assert set(found.to_frame()["verdict"]) == {"comes back, without a gap to others"}


@pytest.mark.parametrize(("k", "d"), [(3, 6), (5, 5), (2, 4), (4, 8)])
def test_the_number_of_separated_groups_is_found(k, d):
    right = []
    for seed in range(12):
        X = separated(np.random.default_rng([seed, k]), k, d)
        found = choose_k(KMeans(random_state=0), X, range(1, 9), n_bootstrap=0)
        right.append(found.choice == k and bool(stability(KMeans(k, random_state=0), X, n_bootstrap=3).stable.all()))
    assert np.mean(right) >= 0.9


def test_two_groups_that_are_nearer_to_each_other_are_two():
    """The silhouette is largest for two clusters."""
    rng = np.random.default_rng(2)
    X = np.array([[0.0], [8.0], [48.0]])[np.arange(120) % 3] * np.ones(3) / 3**0.5 + rng.normal(size=(120, 3))
    found = choose_k(KMeans(random_state=0), X, range(1, 7), n_bootstrap=3)
    assert (found.best["silhouette"], found.choice, found.by) == (2, 3, "gap")
    assert str(found).startswith("3 clusters: the largest number with a gap around every cluster, whose largest step")


def test_gap_ratios_by_hand():
    """Two rows of points one apart, the nearest ends nine apart. The steps of a row are 4, 3, 2, 2, 2, 3 and 4 long."""
    x = np.concatenate([np.arange(8.0), 16 + np.arange(8.0)])
    D = np.abs(np.subtract.outer(x, x))
    labels = np.repeat([0, 1], 8)
    np.testing.assert_allclose(
        gap_ratios(D, labels), 2.5 / 1.48 * np.ones(2)
    )  # 9 to 3.6, below which 80 % are; on a line
    np.testing.assert_array_equal(gap_ratios(D, np.zeros(16, int)), [np.inf])
    assert (gap_ratios(D, np.repeat([0, 1, 2], [4, 8, 4]))[[0, 2]] == 0).all()
    assert (gap_ratios(D, np.repeat([0, 1, 2], [5, 5, 6])) <= 1).any()
