import pickle
from copy import deepcopy

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import neighbors as peer
from sklearn.datasets import load_iris

import probus
from probus.distances import pairwise_distances
from probus.errors import DataError
from probus.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors
from probus.neighbors._kneighbors import Near

all_distances = Near.distances
rng = np.random.default_rng(0)
X, X_new = rng.normal(size=(300, 4)), rng.normal(size=(50, 4))
y = rng.integers(0, 3, 300)

METRICS = [
    {"metric": "minkowski", "p": 1},
    {"metric": "minkowski", "p": 1.5},
    {"metric": "minkowski", "p": 3, "metric_params": {"w": [1.0, 2.0, 0.0, 0.5]}},
    {"metric": "minkowski", "p": 2, "metric_params": {"w": [1.0, 2.0, 0.0, 0.5]}},
    {"metric": "chebyshev"},
    {"metric": "cosine"},
    {"metric": "canberra"},
    {"metric": lambda a, b: abs(a - b).sum()},
]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_predictions_equal_scikit_learns(metric, weights):
    for ours, theirs in [
        (KNeighborsClassifier, peer.KNeighborsClassifier),
        (KNeighborsRegressor, peer.KNeighborsRegressor),
    ]:
        # copies: scikit-learn's predict writes p into the metric_params it was given
        a = ours(7, weights=weights, **deepcopy(metric)).fit(X, y).predict(X_new)
        b = theirs(7, weights=weights, algorithm="brute", **deepcopy(metric)).fit(X, y).predict(X_new)
        np.testing.assert_allclose(a, b)


def test_probabilities_and_leave_one_out_equal_scikit_learns():
    ours, theirs = KNeighborsClassifier(9).fit(X, y), peer.KNeighborsClassifier(9).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X_new), theirs.predict_proba(X_new))
    np.testing.assert_array_equal(ours.predict(None), theirs.predict(None))


def test_boolean_metrics_equal_scikit_learns():
    B, B_new = X > 0, X_new > 0
    for metric in ("hamming", "jaccard"):
        ours = NearestNeighbors(n_neighbors=3, metric=metric).fit(B).kneighbors(B_new)[0]
        theirs = peer.NearestNeighbors(n_neighbors=3, metric=metric, algorithm="brute").fit(B).kneighbors(B_new)[0]
        np.testing.assert_allclose(ours, theirs)


def test_sparse_and_precomputed_input_equal_dense():
    dense = KNeighborsClassifier(5).fit(X, y).predict(X_new)
    scattered = KNeighborsClassifier(5).fit(sparse.csr_matrix(X), y).predict(sparse.csr_matrix(X_new))
    given = KNeighborsClassifier(5, metric="precomputed").fit(pairwise_distances(X), y)
    np.testing.assert_array_equal(scattered, dense)
    np.testing.assert_array_equal(given.predict(pairwise_distances(X_new, X)), dense)


def test_several_outputs():
    Y = np.column_stack([y, y[::-1]])
    ours, theirs = KNeighborsClassifier(5).fit(X, Y), peer.KNeighborsClassifier(5).fit(X, Y)
    np.testing.assert_array_equal(ours.predict(X_new), theirs.predict(X_new))
    assert [p.shape for p in ours.predict_proba(X_new)] == [(50, 3), (50, 3)]
    values = KNeighborsRegressor(5, weights="distance").fit(X, Y).predict(X_new)
    np.testing.assert_allclose(values, peer.KNeighborsRegressor(5, weights="distance").fit(X, Y).predict(X_new))


def test_graphs_and_radii_equal_scikit_learns():
    ours, theirs = NearestNeighbors(radius=0.9).fit(X), peer.NearestNeighbors(radius=0.9).fit(X)
    for mode in ("connectivity", "distance"):
        assert abs(ours.kneighbors_graph(mode=mode) - theirs.kneighbors_graph(mode=mode)).max() < 1e-12
        a, b = (m.radius_neighbors_graph(X_new, mode=mode) for m in (ours, theirs))
        assert abs(a - b).max() < 1e-12


def test_gower_radius_finds_what_the_matrix_shows():
    table = {"x": X[:, 0], "c": np.array(["a", "b", "c"])[y]}
    model = NearestNeighbors(metric="gower", radius=0.05).fit(probus.Table.of(table))
    matrix = pairwise_distances(table, metric="gower")
    distances, rows = model.radius_neighbors(sort_results=True)
    for i in (0, 7, 299):
        near = np.flatnonzero((matrix[i] <= 0.05) & (np.arange(300) != i))
        assert sorted(rows[i]) == near.tolist()
        assert (np.diff(distances[i]) >= 0).all()


# -- the notes: iris example, k = 3, at (6.4, 3.0)-like queries; weights and ties -----------------------


def test_posteriors_of_the_notes_iris_example():
    """Of the three nearest of the listed twelve, one is versicolor and two virginica: 33 % and 67 %."""
    flowers = np.array(
        [
            [6.4, 6.6, 6.4, 6.6, 6.2, 6.3, 6.5, 6.5, 6.4, 6.5, 6.4, 6.5],
            [3.2, 2.9, 2.9, 3.0, 2.9, 2.9, 3.0, 3.2, 3.2, 3.0, 3.1, 3.0],
        ]
    )
    species = np.array(["versicolor"] * 5 + ["virginica"] * 7)
    model = KNeighborsClassifier(3, distance_ties="all").fit(flowers.T, species)
    shares = model.predict_proba([[6.4, 3.0]])
    # five rows lie at distance 0.1: one versicolor, four virginica; the notes drew three of them
    np.testing.assert_allclose(shares, [[0.2, 0.8]])
    assert model.predict([[6.4, 3.0]]) == ["virginica"]


def test_linear_weights_fall_from_one_to_nothing():
    model = KNeighborsRegressor(3, weights="linear").fit([[1.0], [2.0], [3.0], [9.0]], [10.0, 20.0, 30.0, 0.0])
    np.testing.assert_allclose(model.predict([[0.0]]), [(10 * 1.0 + 20 * 0.5) / 1.5])


def test_epsilon_tempers_a_neighbour_at_distance_zero():
    rows, targets = [[0.0], [1.0]], [0.0, 3.0]
    assert KNeighborsRegressor(2, weights="distance").fit(rows, targets).predict([[0.0]]) == [0.0]
    tempered = KNeighborsRegressor(2, weights="distance", epsilon=1.0).fit(rows, targets).predict([[0.0]])
    np.testing.assert_allclose(tempered, [3.0 * 0.5 / 1.5])


TIED_X, TIED_Y = [[0.0], [2.0], [2.0], [2.0], [9.0]], ["b", "a", "c", "c", "c"]


def test_distance_ties_by_each_rule():
    shared = KNeighborsClassifier(2).fit(TIED_X, TIED_Y)
    first = KNeighborsClassifier(2, distance_ties="first").fit(TIED_X, TIED_Y)
    everyone = KNeighborsClassifier(2, distance_ties="all").fit(TIED_X, TIED_Y)
    np.testing.assert_allclose(shared.predict_proba([[0.9]]), [[1 / 6, 1 / 2, 1 / 3]])
    assert first.predict_proba([[0.9]]).tolist() == [[0.5, 0.5, 0.0]]
    assert everyone.predict_proba([[0.9]]).tolist() == [[0.25, 0.25, 0.5]]
    drawn = {
        tuple(
            KNeighborsClassifier(2, distance_ties="random", random_state=seed)
            .fit(TIED_X, TIED_Y)
            .predict_proba([[0.9]])[0]
        )
        for seed in range(20)
    }
    assert drawn == {(0.5, 0.5, 0.0), (0.0, 0.5, 0.5)}


def test_shared_votes_are_the_mean_over_random_choices():
    grid = np.random.default_rng(5).integers(0, 3, (60, 2)).astype(float)
    labels = np.arange(60) % 3
    shared = KNeighborsClassifier(4).fit(grid, labels).predict_proba(grid)
    drawn = [
        KNeighborsClassifier(4, distance_ties="random", random_state=seed).fit(grid, labels).predict_proba(grid)
        for seed in range(400)
    ]
    np.testing.assert_allclose(shared, np.mean(drawn, axis=0), atol=0.08)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "gower", "cosine"])
@pytest.mark.parametrize("weights", ["uniform", "distance", "linear"])
@pytest.mark.parametrize("vote_ties", ["first", "nearest", "prior"])
def test_the_order_of_the_training_rows_does_not_matter(metric, weights, vote_ties):
    random = np.random.default_rng(7)
    grid, queries = (1.0 + random.integers(0, 4, (n, 3)) for n in (200, 80))  # many rows are equally far
    labels = random.integers(0, 3, 200)
    order = random.permutation(200)
    for make in (
        lambda: KNeighborsClassifier(5, metric=metric, weights=weights, vote_ties=vote_ties),
        lambda: KNeighborsRegressor(5, metric=metric, weights=weights),
    ):
        one, other = make().fit(grid, labels), make().fit(grid[order], labels[order])
        np.testing.assert_allclose(one.predict(queries), other.predict(queries))
        if isinstance(one, KNeighborsClassifier):
            np.testing.assert_allclose(one.predict_proba(queries), other.predict_proba(queries))


def test_ties_of_the_training_rows_themselves_and_of_sparse_and_precomputed_distances():
    grid, labels = np.random.default_rng(8).integers(0, 3, (90, 2)).astype(float), np.arange(90) % 2
    order = np.random.default_rng(9).permutation(90)
    one = KNeighborsClassifier(4).fit(grid, labels).predict_proba(None)
    other = KNeighborsClassifier(4).fit(grid[order], labels[order]).predict_proba(None)
    np.testing.assert_allclose(one[order], other)
    dense = KNeighborsClassifier(4).fit(grid, labels).predict_proba(grid)
    scattered = KNeighborsClassifier(4).fit(sparse.csr_matrix(grid), labels).predict_proba(sparse.csr_matrix(grid))
    given = KNeighborsClassifier(4, metric="precomputed").fit(pairwise_distances(grid), labels)
    np.testing.assert_allclose(scattered, dense)
    np.testing.assert_allclose(given.predict_proba(pairwise_distances(grid)), dense)


def test_a_sparse_graph_of_exactly_k_neighbours_is_enough():
    graph = peer.NearestNeighbors(n_neighbors=4).fit(X).kneighbors_graph(X, mode="distance")
    given = KNeighborsClassifier(4, metric="precomputed").fit(graph, y)
    np.testing.assert_allclose(given.predict_proba(graph), KNeighborsClassifier(4).fit(X, y).predict_proba(X))


def test_equal_queries_with_many_ties_are_compared_with_every_row_once(monkeypatch):
    rows = np.random.default_rng(0).normal(size=(400, 2))
    rows[::2] = rows[0]
    model = KNeighborsClassifier(3).fit(rows, np.arange(400) % 4)
    compared = []
    monkeypatch.setattr(Near, "distances", lambda near, some: compared.append(len(some)) or all_distances(near, some))
    np.testing.assert_allclose(model.predict_proba(rows[::2]), np.tile([0.5, 0.0, 0.5, 0.0], (200, 1)))
    assert sum(compared) == 1  # of 200 copies
    one_by_one = np.vstack([model.predict_proba(row[None]) for row in rows[:60]])
    np.testing.assert_allclose(model.predict_proba(rows[:60]), one_by_one)
    means = KNeighborsRegressor(3).fit(rows, np.arange(400.0)).predict(rows)
    np.testing.assert_allclose(means[::2], 199.0)


def test_equal_training_rows_with_equal_targets_are_compared_with_every_row_once(monkeypatch):
    rows = np.random.default_rng(0).normal(size=(400, 2))
    rows[::2] = rows[0]
    classes = np.arange(400) // 2 % 3
    model = KNeighborsClassifier(3).fit(rows, classes)
    compared = []
    copies = lambda near, some: compared.append((some % 2 == 0).sum()) or all_distances(near, some)  # noqa: E731
    monkeypatch.setattr(Near, "distances", copies)
    shares = model.predict_proba(None)
    assert sum(compared) == 3  # of 200 copies, one of each class
    others = np.bincount(classes[::2]) - np.eye(3)[classes[::2]]
    np.testing.assert_allclose(shares[::2], others / 199)
    for i in range(60, 80):
        without = KNeighborsClassifier(3).fit(np.delete(rows, i, axis=0), np.delete(classes, i))
        np.testing.assert_allclose(shares[i], without.predict_proba(rows[i : i + 1])[0])


@pytest.mark.slow
def test_a_query_as_near_to_every_row_predicts_the_shares_of_the_classes():
    model = KNeighborsClassifier(5).fit(np.zeros((3000, 2)), np.arange(3000) % 3)
    np.testing.assert_allclose(model.predict_proba(np.ones((2000, 2))), np.full((2000, 3), 1 / 3))


def test_vote_ties_by_each_rule():
    def winner(rule, seed=0):
        model = KNeighborsClassifier(2, vote_ties=rule, random_state=seed)
        return model.fit([[0.0], [2.0], [9.0], [9.5]], ["b", "a", "a", "a"]).predict([[0.5]])[0]

    assert winner("first") == "a"
    assert winner("nearest") == "b"
    assert winner("prior") == "a"
    assert {winner("random", seed) for seed in range(20)} == {"a", "b"}


# -- typed tables --------------------------------------------------------------------------------------

PEOPLE = {"age": [22.0, 60.0, None, 35.0, 58.0], "sex": ["m", "f", "f", "m", None], "city": ["P", "Q", "P", "Q", "P"]}
LABELS = ["young", "old", "young", "young", "old"]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, probus.Table.of])
def test_gower_takes_any_frame_with_missing_and_levels(frame):
    model = KNeighborsClassifier(2, metric="gower", vote_ties="nearest").fit(frame(PEOPLE), LABELS)
    with pytest.warns(probus.data.UnseenLevelWarning, match="'city': 'Z'"):
        predicted = model.predict(frame({"city": ["P", "Z"], "sex": ["m", None], "age": [20.0, 61.0]}))
    assert predicted.tolist() == ["young", "old"]


@pytest.mark.parametrize("weights", ["uniform", "distance", "linear"])
def test_a_row_with_nothing_to_compare_gets_the_mean(weights):
    model = KNeighborsRegressor(2, metric="gower", weights=weights).fit(probus.Table.of(PEOPLE), [1.0, 2.0, 3, 4, 5])
    empty = {"age": [None], "sex": [None], "city": [None]}
    assert model.predict(probus.Table.of(empty)) == [3.0]


def test_gower_weights_and_asymmetry_reach_the_model():
    table = probus.Table.of({"x": [0.0, 1.0, 0.4], "c": ["a", "a", "b"]})
    by_level = NearestNeighbors(n_neighbors=1, metric="gower", metric_params={"weights": {"x": 0.01}}).fit(table)
    by_number = NearestNeighbors(n_neighbors=1, metric="gower", metric_params={"weights": [1.0, 0.01]}).fit(table)
    assert by_level.kneighbors(return_distance=False)[0] == [1]
    assert by_number.kneighbors(return_distance=False)[0] == [2]


def test_duplicates_do_not_hide_the_row_itself():
    rows = NearestNeighbors(n_neighbors=2).fit(np.zeros((5, 1))).kneighbors(return_distance=False)
    assert all(i not in near for i, near in enumerate(rows[:3]))


def test_iris_is_as_accurate_as_scikit_learns():
    data, target = load_iris(return_X_y=True)
    ours, theirs = KNeighborsClassifier(7).fit(data, target), peer.KNeighborsClassifier(7).fit(data, target)
    assert ours.score(None, target) == pytest.approx(theirs.score(None, target), abs=0.01)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (KNeighborsClassifier(metric="nowhere"), "'metric' parameter"),
        (KNeighborsClassifier(weights="heavy"), "'weights' parameter"),
        (KNeighborsClassifier(distance_ties="none"), "'distance_ties' parameter"),
        (KNeighborsClassifier(0), "'n_neighbors' parameter"),
    ],
)
def test_bad_parameters_are_named(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


def test_levels_without_gower_point_to_tabular():
    with pytest.raises(DataError, match=r"does not accept columns that are not numeric: 'sex'.*(?s:.)*probus.tabular"):
        KNeighborsClassifier().fit(pd.DataFrame({"sex": ["m", "f"], "age": [1.0, 2.0]}), [0, 1])


def test_more_neighbours_than_rows_is_refused():
    with pytest.raises(ValueError, match="n_neighbors = 5, n_samples_fit = 2"):
        KNeighborsClassifier().fit([[0], [1]], [0, 1]).predict([[0]])


@pytest.mark.parametrize("scale", [2.0**1000, 2.0**600, 2.0**-600, 2.0**-1000])
def test_distances_of_huge_and_tiny_rows_neither_overflow_nor_underflow(scale):
    X = np.random.default_rng(0).normal(size=(40, 2))
    plain, scaled = NearestNeighbors().fit(X), NearestNeighbors().fit(X * scale)
    distances, rows = plain.kneighbors(X)
    found, found_rows = scaled.kneighbors(X * scale)
    np.testing.assert_array_equal(found_rows, rows)
    np.testing.assert_allclose(found, distances * scale)


def test_a_pickle_holds_the_rows_but_no_search():
    rows = np.random.default_rng(0).normal(size=(3000, 4))
    model = KNeighborsClassifier().fit(rows, np.arange(3000) % 3)
    stored = pickle.dumps(model)
    assert len(stored) < 1.05 * (rows.nbytes + model.targets_.nbytes)
    again = pickle.loads(stored)
    np.testing.assert_array_equal(again.kneighbors(rows[:9])[1], model.kneighbors(rows[:9])[1])
