"""Contexts, windows, false alarms and labels."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.neighbors import LocalOutlierFactor as TheirFactor

from probus import DataError, load, save, tabular
from probus.anomaly import (
    CBLOF,
    CalibratedDetector,
    Contextual,
    KNearestDistance,
    LocalOutlierFactor,
    Mahalanobis,
    Neighbourhoods,
    Windows,
    ZScore,
    compare,
)


@pytest.fixture(scope="module")
def weather():
    rng = np.random.default_rng(0)
    month = np.repeat(["Jan", "Jul"], 100)
    degrees = np.where(month == "Jan", 0.0, 20.0) + rng.normal(size=200)
    degrees[0] = 18.0  # usual in July
    return {"month": month, "hour": np.tile(np.arange(20.0), 10), "degrees": degrees}


def test_a_row_is_compared_with_its_like(weather):
    model = Contextual(ZScore(robust=True), by=["month"], contamination=0.01).fit(weather)
    assert np.flatnonzero(model.predict(weather) < 0)[0] == 0
    assert model.score_samples(weather).argmin() == 0
    assert ZScore(robust=True).fit({"x": weather["degrees"]}).predict({"x": weather["degrees"]})[0] == 1
    first = {name: column[:1] for name, column in weather.items()}
    assert model.explain(first).reasons(0).startswith("degrees = 18 (typical ")


def test_rows_of_several_contexts_are_explained_each_in_its_own(weather):
    model = Contextual(ZScore(), by=["month"]).fit(weather)
    rows = np.array([150, 0, 3])  # July, January, January
    found = model.explain({name: column[rows] for name, column in weather.items()})
    np.testing.assert_allclose(found.scores, model.score_samples(weather)[rows])
    for place, row in enumerate(rows):
        one = model.explain({name: column[row : row + 1] for name, column in weather.items()})
        np.testing.assert_allclose(found.contributions[place], one.contributions[0])
        assert found.reasons(place) == one.reasons(0)
        usual = float(found.typical[place][1])
        assert usual == pytest.approx(20 if row == 150 else 0, abs=0.5)


def test_contexts_of_mixed_columns_through_tabular(weather):
    table = {**weather, "sky": np.where(np.arange(200) % 3 == 0, "grey", "blue")}
    model = Contextual(tabular(ZScore()), by=["month"], contamination=0.01).fit(table)
    outside = tabular(Contextual(ZScore(), by=["month"], contamination=0.01)).fit(table)
    np.testing.assert_array_equal(outside.predict(table), model.predict(table))
    found = model.explain({name: column[[0, 150]] for name, column in table.items()})
    assert found.columns == ("hour", "degrees", "sky")
    assert found.reasons(0).startswith("degrees = 18 (typical ")
    np.testing.assert_allclose(found.scores, model.score_samples(table)[[0, 150]])
    assert found.reasons(0) == outside.explain({name: column[[0, 150]] for name, column in table.items()}).reasons(0)


def test_the_columns_of_a_context_keep_their_kinds_through_tabular(weather):
    detector = Contextual(ZScore(), by=["hour"], bins=2)
    model = tabular(detector, kinds={"hour": "nominal"}).fit(weather)
    assert len(model[-1].contexts_) == 1  # none of the 20 hours has 20 rows
    assert len(tabular(detector).fit(weather)[-1].contexts_) == 3
    assert isinstance(detector.detector, ZScore)


def test_small_and_new_contexts_are_scored_with_all_rows(weather):
    model = Contextual(ZScore(), by="month", min_rows=150).fit(weather)
    assert model.contexts_ == [()]
    model = Contextual(ZScore(), by=["hour"], bins=2).fit({"hour": weather["hour"], "degrees": weather["degrees"]})
    assert model.contexts_ == [(), (0,), (1,)]


def test_a_context_that_is_unknown_is_that_of_all_rows(weather):
    """A missing value is no reason to compare a row with those of the largest numbers."""
    rows = np.column_stack([np.where(weather["month"] == "Jan", 1.0, 7.0), weather["degrees"]])
    model = Contextual(ZScore(robust=True), by=[0], bins=2).fit(rows)
    assert model.contexts_ == [(), (0,), (1,)]
    middle, spread = model.scales_[0]
    alone = ZScore(robust=True).fit(rows[:, 1:]).score_samples([[20.0]])
    assert model.score_samples([[np.nan, 20.0]]) == pytest.approx((alone - middle) / spread)


def test_detectors_of_scikit_learn_can_be_wrapped(weather):
    numbers = {name: weather[name] for name in ("month", "degrees")}
    detector = TheirFactor(novelty=True)
    assert Contextual(detector, by="month").fit(numbers).score_samples(numbers).argmin() == 0
    rows = np.column_stack([weather["hour"], weather["degrees"]])
    assert (CalibratedDetector(detector).fit(rows).pvalues(rows) > 0).all()
    assert Windows(detector, 2).fit_predict(rows).shape == (200,)


@pytest.mark.parametrize(("by", "options", "text"), [
    (["nope"], {}, "no column 'nope'"),
    ([], {}, r"by=\[\]"),
    (["month", "hour", "degrees"], {}, "some columns, and not all of them"),
    ([3], {}, r"by=\[3\] of n_features=3"),
    (["month"], {"contamination": 0.9}, "The 'contamination' parameter of Contextual must be"),
])  # fmt: skip
def test_bad_contexts(weather, by, options, text):
    with pytest.raises(DataError, match=text):
        Contextual(ZScore(), by=by, **options).fit(weather)


def test_windows_score_every_row_by_the_windows_that_contain_it():
    X = np.random.default_rng(1).normal(size=(30, 2))
    model = Windows(Mahalanobis(), width=3).fit(X)
    windows = np.array([X[i : i + 3].T.ravel() for i in range(28)])
    scores = Mahalanobis().fit(windows).score_samples(windows)
    expected = [scores[max(0, i - 2) : min(27, i) + 1].mean() for i in range(30)]
    assert model.score_samples(X) == pytest.approx(expected)
    assert (model.predict(X) < 0).sum() == 3
    with pytest.raises(DataError, match="width=31 of 30 rows"):
        Windows(Mahalanobis(), width=31).fit(X)


def test_windows_are_explained_by_their_columns():
    """A column adds what its values in the windows of a row add, in the mean over these windows."""
    X = np.random.default_rng(1).normal(size=(40, 2))
    X[20:23, 1] += 6.0
    model = Windows(ZScore(), width=3).fit({"a": X[:, 0], "b": X[:, 1]})
    found = model.explain({"a": X[:, 0], "b": X[:, 1]})
    windows = np.array([X[i : i + 3].T.ravel() for i in range(38)])
    added = np.abs((windows - windows.mean(axis=0)) / windows.std(axis=0)).reshape(38, 2, 3).sum(axis=2)
    expected = [added[max(0, i - 2) : min(37, i) + 1].mean(axis=0) for i in range(40)]
    np.testing.assert_allclose(found.contributions, expected)
    assert found.scores == pytest.approx(model.score_samples({"a": X[:, 0], "b": X[:, 1]}))
    assert found.reasons(21, most=1).startswith("b = ")


@pytest.mark.parametrize("model", [
    Windows(KNearestDistance(3), 4),
    Contextual(Mahalanobis(), by=["colour"]),
    Contextual(KNearestDistance(3, metric="gower"), by=["x"], bins=2),
    CalibratedDetector(KNearestDistance(3, metric="gower"), false_alarm_rate=0.2, random_state=0),
])  # fmt: skip
def test_wrapped_detectors_are_saved(model, tmp_path):
    rng = np.random.default_rng(4)
    table = {"x": rng.normal(size=60), "y": rng.normal(size=60), "colour": rng.choice(["red", "blue"], 60)}
    if isinstance(model, Windows):
        del table["colour"]
    loaded = load(save(model.fit(table), tmp_path / "detector.probus"))
    np.testing.assert_array_equal(loaded.score_samples(table), model.score_samples(table))
    np.testing.assert_array_equal(loaded.predict(table), model.predict(table))
    first = table if isinstance(model, Windows) else {name: column[:1] for name, column in table.items()}
    np.testing.assert_array_equal(loaded.explain(first).contributions, model.explain(first).contributions)


def test_false_alarms_are_as_rare_as_stated():
    """The rate over training sets, of rows that are far from normal."""
    rng = np.random.default_rng(2)
    rates = []
    for _ in range(60):
        rows = np.exp(rng.normal(size=(700, 2)))
        model = CalibratedDetector(KNearestDistance(), false_alarm_rate=0.1, random_state=0).fit(rows[:200])
        rates.append(np.mean(model.predict(rows[200:]) < 0))
    assert np.mean(rates) == pytest.approx(0.1, abs=0.015)
    assert ((model.pvalues(rows) <= 0.1) == (model.predict(rows) < 0)).all()


def test_too_few_rows_for_a_rate():
    with pytest.raises(
        DataError, match=r"10 of n_samples=20 rows set the threshold.\n  Expected at least 19 for a false-alarm"
    ):
        CalibratedDetector(ZScore(), false_alarm_rate=0.05).fit(np.zeros((20, 1)))
    with pytest.raises(
        DataError, match="The 'calibration' parameter of CalibratedDetector must be a float in the range"
    ):
        CalibratedDetector(ZScore(), calibration=2).fit(np.zeros((20, 1)))


@pytest.fixture(scope="module")
def labelled():
    rng = np.random.default_rng(3)
    x = rng.normal(size=300)
    X = np.column_stack([x, x + 0.1 * rng.normal(size=300)])
    X[:30, 1] = -X[:30, 0] + 0.1 * rng.normal(size=30)
    return X, np.arange(300) < 30


def test_labels_rank_detectors(labelled):
    X, odd = labelled
    detectors = {"columns": ZScore(), "distances": Mahalanobis(), "density": LocalOutlierFactor(10)}
    found = compare(detectors, X, odd)
    assert found[-1].name == "columns"
    assert found[0].roc_auc.value > 0.8 > found["columns"].roc_auc.high
    assert type(found.best) is type(found[0].detector)
    clean = compare(detectors, X, np.where(odd, -1, 1), novelty=True)
    assert clean["density"].roc_auc.value > found["density"].roc_auc.value
    assert "cross-validated on 300 rows, 30 of them outliers" in repr(found)
    assert found.to_frame().shape == (3, 7)
    assert "<svg" in found._repr_html_()


@pytest.mark.parametrize(("y", "text"), [
    (np.zeros(300), "0 of 300 rows have the label 1 of outliers"),
    (np.zeros(5), r"300 rows and labels of shape \(5,\)"),
    (np.array(["odd"] * 30 + ["usual"] * 270), "Name the label of outliers by pos_label"),
    (np.arange(300) % 3, r"labels of 3 values \(0, 1, 2\).\n  Expected two values, or the label of outliers"),
])  # fmt: skip
def test_bad_labels(labelled, y, text):
    with pytest.raises(DataError, match=text):
        compare([ZScore()], labelled[0], y)


def test_names_of_detectors(labelled):
    X, odd = labelled
    assert {d.name for d in compare([ZScore(), ZScore(robust=True)], X, odd)} == {"ZScore", "ZScore 2"}
    with pytest.raises(DataError, match="no detectors"):
        compare([], X, odd)


def test_a_copy_among_the_neighbours_makes_no_row_an_outlier():
    x = np.arange(12.0)
    model = KNearestDistance(2, method="relative")
    plain = model.fit(x[:, None]).training_scores_
    with_copy = model.fit(np.append(x, 5.0)[:, None]).training_scores_
    assert model.least_ == 1.0
    np.testing.assert_allclose(with_copy[:12], plain, atol=0.35)
    assert np.isfinite(model.fit(np.ones((5, 1))).training_scores_).all()


def test_the_relative_density_is_that_of_its_formula():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(60, 2)) * 0.1, rng.normal(size=(60, 2)) * 3 + 10])
    model = KNearestDistance(4, method="relative").fit(X)
    distances = cdist(X, X)
    near = np.argsort(distances, axis=1)[:, 1:5]
    density = (1 / np.take_along_axis(distances, near, axis=1)).mean(axis=1)
    np.testing.assert_allclose(model.score_samples(X), density / density[near].mean(axis=1))
    # beside the dense group, and nearer to it than rows of the sparse group are to each other
    beside = np.array([[0.9, 0.9]])
    assert model.score_samples(beside)[0] < np.quantile(model.training_scores_, 0.02)
    plain = KNearestDistance(4, method="inverse").fit(X)
    assert plain.score_samples(beside)[0] > np.quantile(plain.training_scores_, 0.2)


def test_the_size_of_large_clusters_counts_as_stated():
    X = np.r_[np.random.default_rng(0).normal(size=(40, 1)), [[9.0], [9.1]]]
    models = {how: CBLOF(2, weighted=how, random_state=0).fit(X) for how in (False, "large", True)}
    scores = {how: model.score_samples(X) for how, model in models.items()}
    large = np.arange(42) < 40
    np.testing.assert_allclose(scores["large"][large], 40 * scores[False][large])
    np.testing.assert_allclose(scores["large"][~large], scores[False][~large])
    np.testing.assert_allclose(scores[True][~large], 2 * scores[False][~large])


@pytest.mark.slow
def test_grubbs_test_of_distances_has_the_level_it_states():
    rng = np.random.default_rng(1)
    alarms = {}
    for n, d in ((30, 2), (60, 4), (200, 3)):
        mixed = rng.normal(size=(d, d))
        model = Mahalanobis(test="grubbs", false_alarm_rate=0.05)
        samples = [rng.normal(size=(n, d)) @ mixed for _ in range(400)]
        alarms[n, d] = np.mean([(model.fit_predict(X) < 0).any() for X in samples])
    assert max(alarms.values()) < 0.09, alarms
    X = rng.normal(size=(60, 2))
    X[7] = 9.0
    assert np.flatnonzero(Mahalanobis(test="grubbs").fit_predict(X) < 0).tolist() == [7]


def test_neighbourhoods_of_a_graph_are_found_where_single_nodes_are_usual():
    rng = np.random.default_rng(0)
    n = 300
    graph = np.zeros((n, n))
    ring = np.arange(n)
    for step in (1, 2, 3):
        graph[ring, (ring + step) % n] = graph[(ring + step) % n, ring] = 1
    x = rng.normal(size=(n, 2))
    x[100:120, 1] += 1.6
    alone = np.flatnonzero(ZScore(contamination=0.05).fit_predict(x) < 0)
    assert ((alone > 95) & (alone < 125)).mean() < 0.6
    model = Neighbourhoods(ZScore(), graph=graph, contamination=0.05)
    odd = np.flatnonzero(model.fit_predict(x) < 0)
    assert ((odd > 95) & (odd < 125)).mean() > 0.85
    np.testing.assert_array_equal(
        Neighbourhoods(ZScore(), graph=csr_array(graph)).fit(x).score_samples(x), model.score_samples(x)
    )
    assert model.explain(x[:n]).contributions[110].argmax() == 1
    by_hand = np.array([x[graph[i] > 0].sum(axis=0) + x[i] for i in range(n)]) / np.sqrt(7)
    by_hand -= x.mean(axis=0) * 7 / np.sqrt(7)
    np.testing.assert_allclose(model._means(x), by_hand)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({}, "neither coordinates nor a graph"),
        ({"coordinates": [0], "graph": np.eye(5)}, "both coordinates and a graph"),
        ({"coordinates": ["nowhere"]}, "coordinate 'nowhere'"),
        ({"coordinates": [0, 1]}, "n_features=2"),
        ({"graph": np.eye(4)}, "as many nodes as rows"),
        ({"graph": np.full((5, 5), np.nan)}, "missing entries"),
        ({"graph": np.full((5, 5), "a")}, "0 for no link"),
        ({"coordinates": [True, False]}, "the coordinate True"),
    ],
)
def test_neighbourhoods_name_what_is_wrong(settings, text):
    with pytest.raises(DataError, match=text):
        Neighbourhoods(ZScore(), **settings).fit(np.arange(10.0).reshape(5, 2))


def test_nodes_that_a_graph_does_not_have_are_refused():
    model = Neighbourhoods(ZScore(), graph=np.eye(5)).fit(np.arange(10.0).reshape(5, 2))
    with pytest.raises(DataError, match=r"(?s)3 rows of a graph of 5.*all nodes"):
        model.predict(np.zeros((3, 2)))
