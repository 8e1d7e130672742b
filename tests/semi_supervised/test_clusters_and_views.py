"""Labels of clusters, co-training, and whether rows without labels help."""

import warnings

import numpy as np
import pytest
from sklearn.cluster import DBSCAN
from sklearn.datasets import make_blobs
from sklearn.semi_supervised import LabelSpreading

import probus
from probus.data import Table
from probus.errors import DataError
from probus.linear_model import LogisticRegression
from probus.naive_bayes import GaussianNB, NaiveBayes
from probus.neighbors import KNeighborsClassifier
from probus.pipeline import tabular
from probus.semi_supervised import (
    ClusterThenLabel,
    CoTrainingClassifier,
    SelfTrainingClassifier,
    UnlabelledRowsWarning,
    unlabelled_gain,
)


def blobs(n=300, known=6, seed=0):
    X, truth = make_blobs(n, centers=3, cluster_std=0.5, random_state=seed)
    y = np.full(n, -1)
    for label in range(3):
        y[np.flatnonzero(truth == label)[: known // 3]] = label
    return X, truth, y


def across(seed=0, n=400, n_known=120):
    """Two clusters along one column, and classes that differ in the other: clusters are not classes."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=n), 8.0 * rng.integers(0, 2, n) + 0.3 * rng.normal(size=n)])
    truth = (X[:, 0] > 0).astype(int)
    y = truth.copy()
    y[rng.permutation(n)[n_known:]] = -1
    return X, truth, y


# -- clusters ------------------------------------------------------------------------------------------


def test_every_row_gets_the_most_frequent_label_of_its_cluster():
    X, truth, y = blobs()
    model = ClusterThenLabel(NaiveBayes(), n_clusters=3, random_state=0).fit(X, y)
    for cluster in range(3):
        rows = np.flatnonzero(model.labels_ == cluster)
        known = y[rows][y[rows] >= 0]
        assert model.classes_[model.cluster_classes_[cluster]] == np.bincount(known).argmax()
    np.testing.assert_array_equal(model.transduction_, truth)
    np.testing.assert_array_equal(model.labeled_iter_, np.where(y >= 0, 0, 1))


def test_labelled_rows_keep_their_labels_and_mixed_clusters_give_none():
    X = np.array([[0.0], [0.1], [0.2], [0.3], [9.0], [9.1], [9.2], [20.0]])
    y = [0, 1, 0, -1, 1, -1, -1, -1]
    model = ClusterThenLabel(NaiveBayes(), n_clusters=3, purity=0.75, random_state=0).fit(X, y)
    assert model.transduction_.tolist() == [0, 1, 0, -1, 1, 1, 1, -1]
    model = model.set_params(purity=0.6).fit(X, y)
    assert model.transduction_.tolist() == [0, 1, 0, 0, 1, 1, 1, -1]


def test_weights_decide_the_label_of_a_cluster():
    X, y = [[0.0], [0.1], [0.2], [9.0], [9.1]], [0, 1, -1, 1, -1]
    heavy = ClusterThenLabel(NaiveBayes(), n_clusters=2, random_state=0).fit(X, y, [9.0, 1.0, 1.0, 1.0, 1.0])
    assert heavy.transduction_.tolist() == [0, 1, 0, 1, 1]


def test_any_clusterer_and_rows_in_no_cluster():
    X, truth, y = blobs()
    X = np.vstack([X, [[50.0, 50.0]]])
    model = ClusterThenLabel(NaiveBayes(), clusterer=DBSCAN(eps=0.8)).fit(X, np.append(y, -1))
    assert model.labels_[-1] == model.transduction_[-1] == -1
    assert (model.transduction_[:-1][model.labels_[:-1] >= 0] == truth[model.labels_[:-1] >= 0]).mean() > 0.99


def test_clusters_of_a_mixed_table_with_missing_values():
    table = probus.datasets.penguins()
    X, labels = table.drop("species"), table["species"].decoded().astype(object)
    y = labels.copy()
    y[np.random.default_rng(0).random(len(y)) < 0.9] = None
    fitted = tabular(ClusterThenLabel(NaiveBayes(), random_state=0)).fit(X, y)
    assert (fitted.predict(X) == labels).mean() > 0.75
    by_means = ClusterThenLabel(NaiveBayes(), clusterer=probus.cluster.KMeans(6, random_state=0)).fit(X, y)
    assert by_means.labels_.max() == 5


# -- two views -----------------------------------------------------------------------------------------


def two_views(n=1000, seed=0):
    """Each view is enough to predict the class, and both are independent given it: Blum and Mitchell's assumption."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 4)) + 1.6 * (2 * truth[:, None] - 1) * np.array([1, 0.5, 1, 0.5])
    y = np.full(n, -1)
    y[:6] = truth[:6] = [0, 1, 0, 1, 0, 1]
    X[:6] = rng.normal(size=(6, 4)) + 1.6 * (2 * truth[:6, None] - 1) * np.array([1, 0.5, 1, 0.5])
    return X, truth, y


def test_views_label_rows_for_each_other_and_the_model_improves_where_they_are_independent():
    gains = []
    for seed in range(6):
        X, truth, y = two_views(seed=seed)
        model = CoTrainingClassifier(GaussianNB(), views=([0, 1], [2, 3]), random_state=0).fit(X, y)
        alone = GaussianNB().fit(X[y >= 0], y[y >= 0])
        gains.append((model.predict(X) == truth).mean() - (alone.predict(X) == truth).mean())
        found = model.labeled_iter_ > 0
        assert (model.transduction_[found] == truth[found]).mean() > 0.95
    assert np.mean(gains) > 0


def test_the_prediction_is_the_product_of_both_views():
    X, _, y = two_views(200)
    model = CoTrainingClassifier(GaussianNB(), max_iter=0).fit(X, y)
    views = [GaussianNB().fit(X[y >= 0][:, part], y[y >= 0]) for part in ([0, 1], [2, 3])]
    product = views[0].predict_proba(X[:, :2]) * views[1].predict_proba(X[:, 2:])
    np.testing.assert_allclose(model.predict_proba(X), product / product.sum(axis=1, keepdims=True))
    assert model.n_iter_ == 1


def test_views_are_columns_of_a_table_by_name():
    people = probus.datasets.titanic()[["Survived", "Sex", "Age", "Fare", "Embarked"]]
    X, y = people.drop("Survived"), people["Survived"].decoded().astype(object)
    y[np.random.default_rng(0).random(len(y)) < 0.8] = None
    views = [["Sex", "Age"], ["Fare", "Embarked"]]
    model = CoTrainingClassifier(NaiveBayes(), other_estimator=NaiveBayes(), views=views, random_state=0).fit(X, y)
    assert [view.tolist() for view in model.views_] == [[0, 1], [2, 3]]
    assert model.predict_proba(X).shape == (891, 2)
    refused = [
        (["Sex"], "two lists"), (["Sex", "Age"], "two lists"), ([["Sex"], ["nope"]], "'nope'"),
        ([[0], []], "without columns"), ([[0], [None]], "column None"), ([[True], [False]], "column True"),
    ]  # fmt: skip
    for wrong, words in refused:
        with pytest.raises(DataError, match=words):
            CoTrainingClassifier(NaiveBayes(), views=wrong).fit(X, y)


def test_no_more_rows_are_labelled_in_a_round_than_both_views_may():
    X, _, y = two_views(300)
    model = CoTrainingClassifier(GaussianNB(), n_new=4, random_state=0).fit(X, y)
    for number in range(1, model.n_iter_):
        assert (model.labeled_iter_ == number).sum() <= 8


# -- do they help --------------------------------------------------------------------------------------


def test_a_loss_is_found_on_held_out_labels_and_warned_of():
    X, _, y = across()
    model = ClusterThenLabel(KNeighborsClassifier(3), n_clusters=2, purity=0.5, random_state=0, check=5)
    with pytest.warns(UnlabelledRowsWarning, match="280 rows without a label worsen .* Fit|280 rows .* worsen"):
        model.fit(X, y)
    assert model.gain_["high"] < 0
    assert model.gain_["pvalue"] < 0.05


def test_nothing_is_warned_of_where_rows_help_or_change_nothing():
    X, _, y = blobs(known=60)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnlabelledRowsWarning)
        model = SelfTrainingClassifier(GaussianNB(), check=3).fit(X, y)
    assert set(model.gain_) == {"measure", "gain", "low", "high", "pvalue", "sentence"}
    assert SelfTrainingClassifier(GaussianNB()).fit(X, y).gain_ is None


def test_only_labelled_rows_are_tested_and_the_model_gets_all_unlabelled_ones():
    X, _, y = blobs(known=60)
    found = unlabelled_gain(SelfTrainingClassifier(GaussianNB()), X, y, scoring="accuracy")
    assert (found.n_labelled, found.n_unlabelled) == (60, 240)
    for name in ("with unlabelled rows", "labelled rows only"):
        result = found.comparison[name]
        assert set(np.concatenate(result.rows).tolist()) == set(range(60))
    assert not found.worse
    assert "undecided" in found.sentence or "improve" in found.sentence


def test_tables_and_models_of_scikit_learn():
    table = probus.datasets.iris()
    labels = table["species"].decoded().astype(object)
    labels[np.random.default_rng(1).random(150) < 0.5] = None
    table = table.drop("species").with_columns(
        Table.of({"species": labels.tolist()}, {"species": "nominal"})["species"]
    )
    found = unlabelled_gain(SelfTrainingClassifier(NaiveBayes()), table, target="species", cv=3, scoring="accuracy")
    assert found.n_labelled + found.n_unlabelled == 150
    X, _, y = blobs(known=60)
    found = unlabelled_gain(LabelSpreading(), X, y, against=LogisticRegression(), scoring="accuracy", cv=3)
    assert not found.worse
    with pytest.raises(DataError, match="LabelSpreading has no estimator to compare with"):
        unlabelled_gain(LabelSpreading(), X, y)


def test_too_few_labels_for_a_check_are_refused_with_the_class():
    X, _, y = blobs(known=3)
    with pytest.raises(DataError, match="class 0 has 1 row with a label, for 5 folds"):
        SelfTrainingClassifier(GaussianNB(), check=5).fit(X, y)
    with pytest.raises(DataError, match="every row has a label"):
        unlabelled_gain(SelfTrainingClassifier(GaussianNB()), X, np.resize([0, 1], len(X)))


def test_signs_are_classes_with_a_warning():
    X = [[0.0], [1.0], [8.0], [9.0]]
    with pytest.warns(UserWarning, match="−1 and 1 only: both are classes"):
        model = ClusterThenLabel(NaiveBayes(), n_clusters=2, random_state=0).fit(X, [-1, -1, 1, 1])
    assert model.classes_.tolist() == [-1, 1]
    with pytest.raises(DataError, match="all 2 labels are 'a'; −1 and missing values are unknown"):
        ClusterThenLabel(NaiveBayes()).fit(X, ["a", "a", None, None])


def test_borrowed_names():
    assert probus.semi_supervised.LabelSpreading is LabelSpreading
