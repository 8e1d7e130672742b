"""Maps: R's cmdscale, scikit-learn, principal components, and the stress of every step."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn import manifold

from probus import DataError, Table
from probus.decomposition import PCA
from probus.distances import gower_distances
from probus.manifold import MDS, ClassicalMDS, plot_shepard

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(25, 4))
# R: eurodist of Athens, Barcelona, Brussels, Calais, Cherbourg, and cmdscale of them
CITIES = squareform([3313.0, 2963, 3175, 3339, 1318, 1326, 1294, 204, 583, 460])


def test_of_euclidean_distances_the_positions_are_principal_components():
    found = ClassicalMDS(3).fit(ROWS)
    expected = PCA(3).fit_transform(ROWS)
    np.testing.assert_allclose(np.abs(found.embedding_), np.abs(expected), atol=1e-9)
    assert found.eigenvalues_ == pytest.approx((expected**2).sum(axis=0))
    every = ClassicalMDS(4).fit(ROWS)
    np.testing.assert_allclose(pdist(every.embedding_), pdist(ROWS))
    assert every.goodness_ == pytest.approx(1.0)


# R's eurodist, 21 cities from Athens to Vienna, and cmdscale(eurodist, k = 2, eig = TRUE), of which the first figures
EURODIST = squareform(np.array([
    3313, 2963, 3175, 3339, 2762, 3276, 2610, 4485, 2977, 3030, 4532, 2753, 3949, 2865, 2282, 2179, 3000, 817,
    3927, 1991, 1318, 1326, 1294, 1498, 2218, 803, 1172, 2018, 1490, 1305, 645, 636, 521, 1014, 1365, 1033,
    1460, 2868, 1802, 204, 583, 206, 966, 677, 2256, 597, 172, 2084, 690, 1558, 1011, 925, 747, 285, 1511, 1616,
    1175, 460, 409, 1136, 747, 2224, 714, 330, 2052, 739, 1550, 1059, 1077, 977, 280, 1662, 1786, 1381, 785,
    1545, 853, 2047, 1115, 731, 1827, 789, 1347, 1101, 1209, 1160, 340, 1794, 2196, 1588, 760, 1662, 2436, 460,
    269, 2290, 714, 1764, 1035, 911, 583, 465, 1497, 1403, 937, 1418, 3196, 460, 269, 2971, 1458, 2498, 1778,
    1537, 1104, 1176, 2050, 650, 1455, 1975, 1118, 895, 1936, 158, 1439, 425, 328, 591, 513, 995, 2068, 1019,
    2897, 2428, 676, 1817, 698, 1693, 2185, 2565, 1971, 2631, 3886, 2974, 550, 2671, 1159, 2198, 1479, 1238,
    805, 877, 1751, 949, 1155, 2280, 863, 1730, 1183, 1098, 851, 457, 1683, 1500, 1205, 1178, 668, 1762, 2250,
    2507, 1799, 2700, 3231, 2937, 1281, 320, 328, 724, 471, 1048, 2108, 1157, 1157, 1724, 2010, 1273, 2097,
    3188, 2409, 618, 1109, 792, 1011, 2428, 1363, 331, 856, 586, 2187, 898, 821, 946, 1754, 428, 1476, 1827,
    1249, 2707, 1209, 2105,
], dtype=float))  # fmt: skip
EIGENVALUES = [19538377.0895, 11856555.334, 1528844.468, 1118741.9505, 789347.2027, 581655.2067]
POSITIONS = [[2290.2747, 1798.8029], [-825.3828, 546.8115], [59.1833, -367.0814], [-82.846, -429.9147]]


def test_road_distances_of_europe_have_the_positions_of_r():
    found = ClassicalMDS(6, metric="precomputed").fit(EURODIST)
    np.testing.assert_allclose(found.eigenvalues_, EIGENVALUES, rtol=1e-9)
    first = found.embedding_[:4, :2]
    np.testing.assert_allclose(first * np.sign(first[0]) * np.sign(POSITIONS[0]), POSITIONS, rtol=1e-6)


def test_road_distances_have_the_double_centred_eigenvalues():
    """As R's cmdscale: the eigenvalues of −½ J D² J, of which negative ones are left out."""
    centring = np.eye(5) - 1 / 5
    values = np.linalg.eigvalsh(-0.5 * centring @ CITIES**2 @ centring)[::-1]
    found = ClassicalMDS(5, metric="precomputed").fit(CITIES)
    assert found.eigenvalues_ == pytest.approx(np.where(values > 1e-6, values, 0.0))
    assert values.min() < -1
    assert np.isfinite(found.embedding_).all()


@pytest.mark.parametrize("metric_mds", [True, False])
def test_the_stress_is_at_most_scikit_learns(metric_mds):
    distances = squareform(pdist(ROWS, "cityblock"))
    options = {"metric": "precomputed", "metric_mds": metric_mds, "max_iter": 2000, "eps": 1e-9}
    ours = MDS(random_state=0, **options).fit(distances)
    theirs = manifold.MDS(init="classical_mds", n_init=1, **options).fit(distances)
    assert ours.stress_ <= theirs.stress_ * (1 + 1e-3)
    if metric_mds:
        assert ours.stress_ == pytest.approx(((pdist(ours.embedding_) - pdist(ROWS, "cityblock")) ** 2).sum())


@pytest.mark.parametrize("metric_mds", [True, False])
def test_no_step_raises_the_stress(metric_mds):
    stress = [
        MDS(metric_mds=metric_mds, init="random", max_iter=steps, eps=0.0, random_state=1).fit(ROWS).stress_
        for steps in range(2, 30)
    ]
    assert (np.diff(stress) <= 1e-9 * stress[0]).all()


def test_of_non_metric_scaling_only_the_order_counts():
    distances = squareform(pdist(ROWS))
    start = RNG.normal(size=(25, 2))
    options = {"metric": "precomputed", "metric_mds": False}
    one = MDS(**options).fit(distances, init=start)
    other = MDS(**options).fit(distances**3, init=start)
    np.testing.assert_allclose(one.embedding_, other.embedding_)


def test_several_starts_keep_the_best():
    stresses = [MDS(init="random", random_state=3, n_init=n).fit(ROWS).stress_ for n in (1, 6)]
    assert stresses[1] <= stresses[0]


def test_mixed_tables_by_gowers_distance():
    table = Table.of({"x": RNG.normal(size=30), "c": RNG.choice(["a", "b", "c"], 30)}).with_kinds(c="nominal")
    for model in (ClassicalMDS(metric="gower"), MDS(metric="gower")):
        np.testing.assert_allclose(model.fit(table).dissimilarity_matrix_, gower_distances(table))
        assert model.embedding_.shape == (30, 2)


def test_rows_without_a_known_value_in_common_are_as_far_apart_as_any():
    found = MDS(1, metric="gower", random_state=0).fit({"x": [1.0, None, 2.0, 1.0], "y": [None, 3.0, 1.0, 2.0]})
    given = found.dissimilarity_matrix_
    assert given[0, 1] == given.max() == 1.0


def test_copies_of_one_row_are_at_one_place():
    for model in (ClassicalMDS(), MDS(random_state=0), MDS(metric_mds=False, random_state=0)):
        assert np.ptp(model.fit_transform(np.ones((6, 3))), axis=0).max() < 1.0
        assert np.isfinite(model.embedding_).all()


def test_shepards_diagram():
    for model in (MDS(random_state=0), MDS(metric_mds=False, random_state=0), ClassicalMDS()):
        assert plot_shepard(model.fit(ROWS)).get_title(loc="left").startswith("Stress-1 = ")


@pytest.mark.parametrize(("change", "text"), [
    (lambda D: D[:3], r"Distance matrix should be square, got matrix of shape \(3, 5\)"),
    (lambda D: -D, "Negative values in data"),
    (lambda D: np.triu(D), "a distance matrix that is not symmetric"),
    (lambda D: D + np.eye(5), "non-zero elements on the diagonal: row 0 is at distance 1"),
    (lambda D: np.where(D > 3000, np.nan, D), "Input X contains NaN"),
])  # fmt: skip
@pytest.mark.parametrize("model", [ClassicalMDS(metric="precomputed"), MDS(metric="precomputed")])
def test_matrices_that_are_no_distances(model, change, text):
    with pytest.raises(DataError, match="(?s)" + text):
        model.fit(change(CITIES))


def test_other_bad_input():
    with pytest.raises(DataError, match="3 dimensions of 2 rows"):
        ClassicalMDS(3).fit(ROWS[:2])
    with pytest.raises(DataError, match=r"init of shape \(1, 2\)"):
        MDS().fit(ROWS, init=[[0.0, 0.0]])
    with pytest.warns(FutureWarning, match="`dissimilarity` parameter is deprecated"):
        assert MDS(dissimilarity="precomputed").fit(CITIES).stress_ >= 0
