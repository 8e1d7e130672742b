"""Detectors: definitions by brute force, scikit-learn, R and PyOD; thresholds; reasons; files."""

import numpy as np
import pytest
from scipy import sparse, stats
from scipy.spatial.distance import cdist
from sklearn import ensemble, neighbors
from sklearn import svm as sklearn_svm
from sklearn.metrics import roc_auc_score

import probus
from probus import DataError, Table
from probus.anomaly import (
    CBLOF,
    AutoencoderResidual,
    ClusterFilter,
    ContrastDetector,
    Grubbs,
    IsolationForest,
    KNearestDistance,
    LocalOutlierFactor,
    Mahalanobis,
    OneClassSVM,
    PCAResidual,
    RadiusCount,
    ZScore,
    grubbs_test,
)
from probus.cluster import KMeans
from probus.detection import typical_values
from probus.distances import gower_distances
from probus.ensemble._isolation_forest import path_length
from probus.neural_network import Autoencoder


@pytest.fixture(scope="module")
def rows():
    """Two correlated columns, one without relation, and two odd rows at the end."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    usual = np.column_stack([x, x + 0.2 * rng.normal(size=200), rng.normal(size=200)])
    return np.vstack([usual, [[2.0, -2.0, 0.0], [0.0, 0.0, 9.0]]])


DETECTORS = [
    ZScore(), Grubbs(), Mahalanobis(), Mahalanobis(method="mcd", random_state=0), KNearestDistance(), RadiusCount(),
    KNearestDistance(method="mean"), KNearestDistance(method="inverse"),
    KNearestDistance(method="relative"), LocalOutlierFactor(novelty=True),
    IsolationForest(n_estimators=50, random_state=0), CBLOF(3, random_state=0), ClusterFilter(3, random_state=0),
    CBLOF(3, weighted="large", random_state=0), Mahalanobis(test="grubbs"),
    PCAResidual(1), ContrastDetector(random_state=0),
    AutoencoderResidual(Autoencoder(1, hidden=(16,), max_iter=100, device="cpu"), random_state=0),
]  # fmt: skip


@pytest.mark.parametrize("detector", DETECTORS, ids=repr)
def test_one_interface(detector, rows, tmp_path):
    model = detector.fit(rows)
    scores = model.score_samples(rows)
    np.testing.assert_allclose(model.decision_function(rows), scores - model.offset_)
    np.testing.assert_array_equal(model.predict(rows), np.where(scores < model.offset_, -1, 1))
    assert scores[-1] == scores[[*range(50), -1]].min()  # nine standard deviations away, for every detector
    reasons = model.explain(rows[[0, -1]])
    assert reasons.contributions.shape == (2, 3)
    if not isinstance(detector, RadiusCount):  # which no single column brings near others
        assert reasons.contributions[1].argmax() == 2
        assert reasons.reasons(1).startswith("x2 = 9 (typical ")
    probus.save(model, tmp_path / "model.probus")
    np.testing.assert_array_equal(probus.load(tmp_path / "model.probus").score_samples(rows), scores)


@pytest.mark.slow
def test_a_curve_is_found_by_an_autoencoder_not_by_a_line():
    """Rows on a parabola, and rows above its middle, which are within the range of each column."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, 300)
    X = np.column_stack([x, x**2 + 0.05 * rng.normal(size=300), rng.normal(size=300)])
    odd = np.column_stack([rng.uniform(-0.4, 0.4, 12), rng.uniform(2.5, 3.5, 12), rng.normal(size=12)])
    X, label = np.vstack([X, odd]), np.r_[np.ones(300), np.zeros(12)]
    curved = AutoencoderResidual(Autoencoder(2, device="cpu"), random_state=0).fit(X).score_samples(X)
    straight = PCAResidual(2).fit(X).score_samples(X)
    assert roc_auc_score(label, curved) > 0.9 > roc_auc_score(label, straight)


def test_distances_that_use_correlations_find_what_single_columns_do_not(rows):
    assert ZScore().fit(rows).predict(rows[-2:]).tolist() == [1, -1]
    model = Mahalanobis().fit(rows)
    assert model.predict(rows[-2:]).tolist() == [-1, -1]
    assert set(np.argsort(-model.explain(rows[-2:]).contributions[0])[:2]) == {0, 1}


def test_deviations_are_those_of_scipy(rows):
    assert ZScore().fit(rows).score_samples(rows) == pytest.approx(-np.abs(stats.zscore(rows)).max(axis=1))
    robust = ZScore(robust=True).fit(rows)
    assert robust.scale_ == pytest.approx(stats.median_abs_deviation(rows, scale="normal"))


def test_a_column_of_mostly_one_value_is_measured_by_its_mean_absolute_deviation():
    x = np.r_[np.full(60, 7.0), np.random.default_rng(0).normal(7, 1, 30)]
    expected = -abs(x - 7) / (np.sqrt(np.pi / 2) * abs(x - 7).mean())  # Iglewicz and Hoaglin 1993
    model = ZScore(robust=True).fit(np.c_[x, np.ones(90)])
    np.testing.assert_allclose(model.score_samples(np.c_[x, np.ones(90)]), expected)
    assert model.score_samples([[7.0, 1.001]]) < -1e6  # of a constant column, any other value is far away


def test_missing_values_are_left_out():
    X = np.array([[1.0, np.nan], [2.0, 5.0], [np.nan, 7.0], [3.0, 6.0]])
    model = ZScore().fit(X)
    assert model.location_.tolist() == [2.0, 6.0]
    assert model.score_samples([[np.nan, np.nan]]).tolist() == [0.0]


def test_grubbs_agrees_with_r():
    """R, outliers::grubbs.test(c(199.31, …), two.sided = TRUE): G = 2.4688, and NIST's handbook 1.3.5.17.1."""
    sample = [199.31, 199.53, 200.19, 200.82, 201.92, 201.95, 202.18, 245.57]
    found = grubbs_test(sample, repeat=False)
    assert found.statistics[0] == pytest.approx(2.4688, abs=5e-5)
    assert (found.rows[0], found.outliers) == (7, 1)
    assert Grubbs().fit(np.array(sample)[:, None]).predict([[245.57], [203.0]]).tolist() == [-1, 1]


def test_the_critical_value_of_grubbs_is_that_of_nist():
    """NIST's handbook 1.3.5.17.1: 2.032 for eight values, one-sided at 0.05."""
    from probus.anomaly._grubbs import critical_deviation

    assert critical_deviation(8, 0.10) == pytest.approx(2.032, abs=5e-4)  # one-sided at 0.05


def test_repeated_grubbs_finds_one_outlier_after_the_other_and_few_without():
    rng = np.random.default_rng(1)
    sample = rng.normal(size=60)
    sample[[3, 7]] = [12.0, -40.0]
    found = grubbs_test(sample)
    assert found.rows[: found.outliers].tolist() == [7, 3]
    alarms = [grubbs_test(rng.normal(size=20)).outliers > 0 for _ in range(400)]
    assert np.mean(alarms) == pytest.approx(0.05, abs=0.035)
    assert grubbs_test(-np.exp(rng.normal(size=30)), alternative="max").outliers == 0


def test_mahalanobis_flags_the_stated_share_of_normal_rows():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(20_000, 4)) @ rng.normal(size=(4, 4))
    for method in ("classical",):
        model = Mahalanobis(method=method, false_alarm_rate=0.02).fit(X)
        assert np.mean(model.predict(X) < 0) == pytest.approx(0.02, abs=0.004)
    inverse = np.linalg.inv(np.cov(X.T, ddof=0))
    assert -Mahalanobis().fit(X).score_samples(X[:9]) == pytest.approx(
        cdist(X[:9], X.mean(axis=0)[None], "mahalanobis", VI=inverse)[:, 0]
    )


def test_the_minimum_covariance_determinant_is_not_moved_by_outliers():
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal(size=(160, 2)), rng.normal(size=(40, 2)) * 0.3 + 8])
    assert np.abs(Mahalanobis(method="mcd", random_state=0).fit(X).location_).max() < 0.3
    assert Mahalanobis(method="mcd", random_state=0).fit(X).predict(X)[160:].tolist() == [-1] * 40
    assert (Mahalanobis().fit(X).predict(X)[160:] == 1).sum() > 30


@pytest.mark.parametrize("method", ["classical", "mcd"])
def test_a_singular_covariance_puts_rows_off_its_space_far_away(method):
    x = np.random.default_rng(4).normal(size=(50, 2))
    X = np.column_stack([x, x.sum(axis=1), np.full(50, 3.0), 1e-9 * x[:, 0] ** 2])
    model = Mahalanobis(method=method, random_state=0).fit(X)
    assert model.rank_ == 3  # two directions, and the column in small units
    assert (model.predict(X) == 1).sum() > 30
    assert model.score_samples(X[:1] + np.array([0, 0, 0.1, 0, 0]))[0] < -1000
    assert np.isfinite(model.score_samples(X)).all()


def brute_distances(X, k):
    away = cdist(X, X)
    np.fill_diagonal(away, np.inf)
    return np.sort(away, axis=1)[:, :k]


def test_distances_to_neighbours_are_those_of_all_pairs(rows):
    near = brute_distances(rows, 4)
    for method, expected in (
        ("largest", -near[:, -1]), ("mean", -near.mean(axis=1)), ("inverse", (1 / near).mean(axis=1)),
    ):  # fmt: skip
        model = KNearestDistance(4, method=method, contamination=0.05).fit(rows)
        assert model.score_samples(rows) == pytest.approx(expected)  # a training row is not its own neighbour
        assert model.training_scores_ == pytest.approx(expected)
        assert (model.predict(rows) < 0).sum() == pytest.approx(0.05 * len(rows), abs=1)
    new = rows[:3] + 0.01
    assert -KNearestDistance(4).fit(rows).score_samples(new) == pytest.approx(np.sort(cdist(new, rows), axis=1)[:, 3])


def test_the_number_of_rows_nearby_is_that_of_all_pairs(rows):
    model = RadiusCount(0.7).fit(rows)
    assert model.score_samples(rows).tolist() == ((cdist(rows, rows) <= 0.7).sum(axis=1) - 1).tolist()
    assert RadiusCount(n_neighbors=6).fit(rows).radius_ == pytest.approx(np.median(brute_distances(rows, 6)[:, -1]))
    assert RadiusCount(0.7, metric="canberra").fit(rows).score_samples(rows).tolist() == (
        (cdist(rows, rows, "canberra") <= 0.7).sum(axis=1) - 1
    ).tolist()  # fmt: skip


def test_local_outlier_factors_are_scikit_learns_and_those_of_the_definition(rows):
    theirs = neighbors.LocalOutlierFactor(7, contamination=0.1).fit(rows)
    ours = LocalOutlierFactor(7, contamination=0.1).fit(rows)
    assert ours.negative_outlier_factor_ == pytest.approx(theirs.negative_outlier_factor_)
    assert ours.offset_ == pytest.approx(theirs.offset_)
    new = rows[:20] + 0.1
    theirs, ours = (cls(7, novelty=True).fit(rows).score_samples(new) for cls in (
        neighbors.LocalOutlierFactor, LocalOutlierFactor,
    ))  # fmt: skip
    assert ours == pytest.approx(theirs)


def test_local_outlier_factors_by_gowers_distance():
    rng = np.random.default_rng(5)
    table = Table.of({"x": rng.normal(size=60), "c": rng.choice(["a", "b"], 60), "d": rng.choice(["u", "v"], 60)})
    table = table.with_kinds(c="nominal", d="nominal")
    factors = LocalOutlierFactor(5, metric="gower").fit(table).negative_outlier_factor_
    precomputed = neighbors.LocalOutlierFactor(5, metric="precomputed").fit(gower_distances(table))
    assert factors == pytest.approx(precomputed.negative_outlier_factor_)
    odd = {"x": [0.0, 30.0], "c": ["a", "a"], "d": ["u", None]}
    reasons = LocalOutlierFactor(5, metric="gower", novelty=True).fit(table).explain(odd)
    assert reasons.reasons(1).startswith("x = 30 (typical ")
    assert "Explanation of 2 rows, the oddest first" in repr(reasons)
    assert "<svg" in reasons._repr_html_()


@pytest.mark.parametrize(
    "detector",
    [
        IsolationForest(random_state=0),
        ZScore(),
        KNearestDistance(metric="gower"),
        ensemble.IsolationForest(random_state=0),
    ],
)
def test_a_detector_of_a_mixed_table_is_explained_in_its_columns(detector):
    rng = np.random.default_rng(0)
    town = np.where(rng.random(300) < 0.7, "Rome", "Bonn")
    table = Table.of({"size": rng.normal(size=300), "town": town, "on": np.arange(300).astype("datetime64[D]")})
    model = probus.tabular(detector).fit(table)
    new = {"size": [40.0, 0.1], "town": ["Rome", "Bonn"], "on": np.array([149, 149]).astype("datetime64[D]")}
    found = model.explain(new)
    assert found.columns == ("size", "town", "on")
    assert found.reasons(0).startswith("size = 40 (typical -0.0138)")
    assert found.typical[0][1:] == ("Rome", "1970-05-30")
    np.testing.assert_allclose(found.scores, model.score_samples(new))
    usual = {**new, "size": [float(np.median(table["size"].values))] * 2}
    np.testing.assert_allclose(found.contributions[:, 0], model.score_samples(usual) - found.scores)
    assert model.top(new, 1).rows.tolist() == [found.scores.argmin()]


def test_only_detectors_are_explained_through_tabular():
    assert not hasattr(probus.tabular(KMeans(2)), "explain")
    assert not hasattr(probus.tabular(LocalOutlierFactor()), "explain")


def test_isolation_forests_find_rare_levels_of_mixed_tables():
    rng = np.random.default_rng(1)
    odd = np.arange(400) < 8
    table = Table.of({
        "town": np.where(odd, "Oslo", np.where(rng.random(400) < 0.5, "Rome", "Bonn")),
        "size": rng.normal(size=400),
    })  # fmt: skip
    with pytest.raises(DataError, match=r"not numeric: 'town' \(nominal\)(.|\n)*probus.tabular\(IsolationForest"):
        IsolationForest().fit(table)
    scores = probus.tabular(IsolationForest(random_state=0)).fit(table).score_samples(table)
    assert roc_auc_score(odd, -scores) > 0.95


def test_a_single_row_has_no_local_density():
    with pytest.raises(DataError, match=r"n_samples_fit = 1.*: a row without others has no neighbours.\n"):
        LocalOutlierFactor().fit([[1.0, 2.0]])


def test_many_copies_of_a_row_are_no_error():
    X = np.vstack([np.zeros((30, 2)), [[5.0, 5.0]]])
    for detector in (KNearestDistance(3), KNearestDistance(3, method="inverse"), RadiusCount(), ZScore()):
        scores = detector.fit(X).score_samples(X)
        assert np.isfinite(scores).all()
        assert scores.argmin() == 30
    with pytest.warns(UserWarning, match="Duplicate values"):
        LocalOutlierFactor(3).fit(X)


def test_isolation_forests_are_as_good_as_scikit_learns():
    rng = np.random.default_rng(6)
    X, odd = rng.normal(size=(3000, 6)), np.arange(3000) < 90
    X[odd] *= 2.2
    ours = IsolationForest(random_state=0).fit(X).score_samples(X)
    theirs = ensemble.IsolationForest(random_state=0).fit(X).score_samples(X)
    assert np.corrcoef(ours, theirs)[0, 1] > 0.95
    assert roc_auc_score(odd, -ours) == pytest.approx(roc_auc_score(odd, -theirs), abs=0.02)


def test_the_path_of_an_isolation_tree_is_the_number_of_its_splits():
    X = np.array([[0.0], [1.0], [10.0]])
    forest = IsolationForest(n_estimators=400, random_state=0).fit(X)
    # the first cut is between 1 and 10 in nine of ten trees; then 0 and 1 are two deep, and 10 one
    expected = np.array([0.9 * 2 + 0.1, 2.0, 0.9 + 0.1 * 2])
    paths = -np.log2(-forest.score_samples(X)) * (2 * (np.log(2) + np.euler_gamma) - 4 / 3)
    assert paths == pytest.approx(expected, abs=0.06)


def test_isolation_forests_do_not_depend_on_threads_and_can_grow_on():
    X = np.random.default_rng(7).normal(size=(500, 3))
    one, two = (IsolationForest(n_estimators=30, random_state=3, n_jobs=n).fit(X).score_samples(X) for n in (1, 2))
    np.testing.assert_array_equal(one, two)
    grown = IsolationForest(n_estimators=10, random_state=3, warm_start=True).fit(X)
    assert len(grown.set_params(n_estimators=30).fit(X).trees_) == 30
    np.testing.assert_array_equal(grown.score_samples(X), one)
    with pytest.raises(ValueError, match="must be larger or equal to 30 when warm_start"):
        grown.set_params(n_estimators=5).fit(X)


def test_the_trees_of_an_isolation_forest_one_by_one():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(80, 3))
    model = IsolationForest(n_estimators=12, max_samples=20, max_features=2, random_state=1).fit(X)
    paths = np.mean([tree.predict(X) for tree in model.estimators_], axis=0)
    expected = -(2.0 ** -(paths / path_length(np.array([20]))[0]))
    np.testing.assert_allclose(model.score_samples(X), expected)
    for tree, rows, columns in zip(
        model.estimators_, model.estimators_samples_, model.estimators_features_, strict=True
    ):
        assert tree.max_depth == 5
        assert set(tree.tree_.feature[tree.tree_.feature >= 0]) <= set(columns)
        assert len(set(rows.tolist())) == 20
        leaves, sizes = np.unique(tree.apply(X[rows]), return_counts=True)
        np.testing.assert_array_equal(tree.tree_.n_node_samples[leaves], sizes)


def test_rows_of_an_isolation_forest_are_drawn_by_weight():
    X = np.random.default_rng(7).normal(size=(300, 2))
    weights = np.arange(300) % 3
    model = IsolationForest(n_estimators=300, max_samples=30, contamination=0.2, random_state=0)
    model.fit(X, sample_weight=weights)
    drawn = np.bincount(np.concatenate(model.estimators_samples_) % 3, minlength=3)
    assert drawn[0] == 0
    assert drawn[2] / drawn[1] == pytest.approx(2.0, rel=0.1)
    below = model.predict(X) < 0
    assert weights[below].sum() / weights.sum() == pytest.approx(0.2, abs=0.02)
    plain, equal = (
        IsolationForest(n_estimators=5, random_state=0).fit(X, sample_weight=w).score_samples(X)
        for w in (None, np.full(300, 2.5))
    )
    np.testing.assert_array_equal(plain, equal)
    few = IsolationForest(n_estimators=5, random_state=0).fit(X, sample_weight=np.arange(300) < 9)
    assert few.max_samples_ == 9


def test_isolation_forests_take_missing_values_samples_and_columns():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(400, 3))
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:, 2] = np.where(np.arange(400) < 8, np.nan, 1.0)
    model = IsolationForest(max_samples=0.5, max_features=2, bootstrap=True, random_state=0).fit(X)
    assert model.max_samples_ == 200
    scores = model.score_samples(X)
    assert np.isfinite(scores).all()
    assert scores[:8].mean() < scores[8:].mean()  # a rare missing value is odd
    with pytest.warns(UserWarning, match=r"max_samples \(999\) is greater"):
        IsolationForest(n_estimators=2, max_samples=999).fit(X)


@pytest.mark.parametrize(("values", "options", "text"), [
    ([1.0, 2.0], {}, "2 values.\n  Expected at least 3"),
    ([[1.0]], {}, "values of shape"),
    ([1.0, 2.0, np.inf], {}, "a list of finite numbers"),
    ([1.0, 2.0, 3.0], {"alpha": 2}, "alpha=2"),
    ([1.0, 2.0, 3.0], {"alternative": "less"}, "alternative='less'"),
])  # fmt: skip
def test_bad_input_of_grubbs(values, options, text):
    with pytest.raises(DataError, match=text):
        grubbs_test(values, **options)


def test_values_that_do_not_vary_are_no_outliers():
    assert grubbs_test([0.1] * 7).outliers == 0
    assert Grubbs().fit([[0.1]] * 7).predict([[0.1], [0.2]]).tolist() == [1, -1]
    assert ZScore().fit([[0.1]] * 7).predict([[0.1], [0.2]]).tolist() == [1, -1]


@pytest.fixture(scope="module")
def clustered():
    """Two large clusters, one of five rows far away, and a row between the large ones."""
    rng = np.random.default_rng(9)
    parts = [rng.normal(size=(100, 2)), rng.normal(size=(80, 2)) + 12, rng.normal(size=(5, 2)) * 0.3 + [30, -10]]
    return np.vstack([*parts, [[6.0, 6.0]]])


def test_cluster_based_factors_are_those_of_the_definition(clustered):
    model = CBLOF(3, random_state=0).fit(clustered)
    assert (model.sizes_.tolist()[-1], model.n_large_) == (5, 2)
    large, away = model.centers_[:2], cdist(clustered, model.centers_)
    expected = np.where(away.argmin(axis=1) == 2, cdist(clustered, large).min(axis=1), away.min(axis=1))
    assert -model.score_samples(clustered) == pytest.approx(expected)
    weighted = CBLOF(3, weighted=True, random_state=0).fit(clustered)
    assert -weighted.score_samples(clustered) == pytest.approx(expected * model.sizes_[away.argmin(axis=1)])
    assert (CBLOF(3, contamination=6 / 186, random_state=0).fit_predict(clustered)[-6:] == -1).all()


def test_small_distant_clusters_and_single_rows_are_filtered(clustered):
    model = ClusterFilter(3, random_state=0).fit(clustered)
    assert (model.predict(clustered)[-6:] == -1).all()
    assert (model.predict(clustered)[:-6] == 1).mean() > 0.97
    assert len(model.centers_) == 2
    assert model.n_removed_ >= 1


def test_clusters_of_few_and_of_equal_rows():
    for detector in (CBLOF(random_state=0), ClusterFilter(random_state=0)):
        assert np.isfinite(detector.fit(np.ones((9, 2))).score_samples([[1.0, 1.0], [2.0, 1.0]])).all()
        assert detector.fit([[0.0], [1.0]]).predict([[0.0]]).tolist() == [1]


def test_residuals_are_those_of_the_inverse_transform(rows):
    from probus.decomposition import PCA

    standard = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    model = PCA(1).fit(standard)
    expected = np.linalg.norm(standard - model.inverse_transform(model.transform(standard)), axis=1)
    found = PCAResidual(1).fit(rows)
    assert -found.score_samples(rows) == pytest.approx(expected)
    np.testing.assert_allclose(found.explain(rows).contributions.sum(axis=1), expected)


def test_typical_values_skip_missing_ones():
    rows = np.array([[1.0, np.nan, np.nan], [2.0, 5.0, np.nan], [4.0, 7.0, np.nan]])
    np.testing.assert_array_equal(typical_values(rows), [2.0, 6.0, 0.0])


@pytest.mark.slow
def test_the_support_of_a_kernel_machine_is_explained_by_typical_values():
    """The default of every detector: how much the score would rise if a value were the median."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    X[0, 1] = 6.0
    model = OneClassSVM(nu=0.1, gamma=0.3).fit({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]})
    found = model.explain({"a": X[:2, 0], "b": X[:2, 1], "c": X[:2, 2]})
    peer = sklearn_svm.OneClassSVM(nu=0.1, gamma=0.3, tol=1e-10).fit(X)
    changed = X[:1].copy()
    changed[0, 1] = np.median(X[:, 1])
    expected = peer.score_samples(changed) - peer.score_samples(X[:1])
    assert found.contributions[0, 1] == pytest.approx(expected[0], rel=1e-2)
    assert found.reasons(0, most=1).startswith("b = 6 (typical ")
    for other in (OneClassSVM(kernel="precomputed").fit(X @ X.T), OneClassSVM().fit(sparse.csr_array(X))):
        with pytest.raises(DataError, match="a sparse matrix, or has no kernel of columns"):
            other.explain(X)


@pytest.mark.parametrize("kind", [np.asarray, Table.of, lambda X: {"a": X[:, 0], "b": X[:, 1]}])
def test_oddest_rows_come_first_with_their_numbers(kind):
    X = np.random.default_rng(0).normal(size=(60, 2))
    X[[7, 41], 1] = 20.0, -9.0
    model = ZScore().fit(kind(X))
    found = model.top(kind(X), 3)
    assert found.rows.tolist() == np.argsort(model.score_samples(kind(X)), kind="stable")[:3].tolist()
    assert found.rows[:2].tolist() == [7, 41]
    assert found.scores.tolist() == sorted(found.scores)
    assert found.to_frame()["row"].to_list() == found.rows.tolist()
    assert f"{found.columns[1]} = 20" in found.reasons(0)


def test_the_oddest_rows_of_no_rows_are_an_error():
    with pytest.raises(DataError, match=r"top\(3\) without rows\.\n.*top\(X, 3\)"):
        ZScore().fit(np.arange(6.0).reshape(3, 2)).top(3)


@pytest.mark.parametrize(("n", "p", "rate"), [(30, 3, 0.05), (60, 10, 0.02)])
def test_distances_from_an_estimated_mean_keep_the_rate_of_false_alarms(n, p, rate):
    rng = np.random.default_rng(0)
    alarms = [
        np.mean(Mahalanobis(false_alarm_rate=rate).fit(rng.normal(size=(n, p))).predict(rng.normal(size=(500, p))) < 0)
        for _ in range(60)
    ]
    assert np.mean(alarms) == pytest.approx(rate, rel=0.3)  # with χ² twice to four times as many
