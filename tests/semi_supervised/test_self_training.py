"""Self-training: scikit-learn's results, limits on what is labelled, and any model on any columns."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import load_digits, load_wine, make_moons
from sklearn.linear_model import LogisticRegression as TheirLogisticRegression
from sklearn.naive_bayes import GaussianNB as TheirGaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.semi_supervised import SelfTrainingClassifier as Theirs

import probus
from probus.data import Table
from probus.errors import DataError
from probus.linear_model import LogisticRegression
from probus.naive_bayes import GaussianNB, NaiveBayes
from probus.pipeline import tabular
from probus.semi_supervised import SelfTrainingClassifier


def hidden(y, share, seed=0, missing=-1):
    """The labels, a share of them unknown; of each class the first is kept."""
    y = np.array(y, dtype=object if missing is None else None)
    drop = np.random.default_rng(seed).random(len(y)) < share
    for label in set(y.tolist()):
        drop[np.flatnonzero(y == label)[0]] = False
    y[drop] = missing
    return y


@pytest.mark.parametrize("settings", [{}, {"threshold": 0.95}, {"criterion": "k_best", "k_best": 7}, {"max_iter": None},
                                      {"max_iter": 0}, {"criterion": "k_best", "max_iter": None}])  # fmt: skip
@pytest.mark.parametrize("load", [load_wine, load_digits])
def test_every_round_is_that_of_scikit_learn(load, settings):
    X, y = load(return_X_y=True)
    X, y = X[::3], hidden(y[::3], 0.8)
    ours = SelfTrainingClassifier(TheirGaussianNB(), **settings).fit(X, y)
    theirs = Theirs(TheirGaussianNB(), **settings).fit(X, y)
    for name in ("transduction_", "labeled_iter_", "n_iter_", "termination_condition_", "classes_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))


def test_missing_labels_of_any_kind_are_the_same():
    iris = probus.datasets.iris()
    X, labels = iris.drop("species"), iris["species"].decoded()
    written = hidden(labels, 0.7, missing=None)
    number = {label: k for k, label in enumerate(sorted(set(labels)))}
    codes = np.array([number.get(label, -1) for label in written])
    column = Table.of({"species": written.tolist()}, {"species": "nominal"})["species"]
    floats = np.where(codes < 0, np.nan, codes)
    fits = [SelfTrainingClassifier(NaiveBayes()).fit(X, y) for y in (written, column, codes, floats)]
    for other in fits[1:]:
        np.testing.assert_array_equal(other.labeled_iter_, fits[0].labeled_iter_)
        np.testing.assert_array_equal(other.predict_proba(X), fits[0].predict_proba(X))
    assert fits[0].classes_.tolist() == fits[1].classes_.tolist() == sorted(number)
    assert fits[2].classes_.tolist() == fits[3].classes_.tolist() == [0, 1, 2]


def test_one_nearest_neighbour_with_the_safety_net_follows_chains_of_near_rows():
    """Reference: the components of the graph of rows nearer than γ; a label reaches exactly those of its component."""
    X, truth = make_moons(120, noise=0.06, random_state=1)
    far = np.array([[4.0, 4.0], [4.1, 4.0]])
    X, y = np.vstack([X, far]), np.full(122, -1)
    y[np.flatnonzero(truth == 0)[0]], y[np.flatnonzero(truth == 1)[0]] = 0, 1
    gamma = 0.3
    distances = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=-1))
    part = connected_components(csr_matrix(distances < gamma))[1]
    expected = np.full(122, -1)
    for row in np.flatnonzero(y >= 0):
        expected[part == part[row]] = y[row]
    model = SelfTrainingClassifier(
        KNeighborsClassifier(1), max_distance=gamma, metric="euclidean", max_iter=None, threshold=0.5
    ).fit(X, y)
    np.testing.assert_array_equal(model.transduction_, expected)
    assert model.termination_condition_ == "no_change"
    assert model.transduction_[-2:].tolist() == [-1, -1]
    without = SelfTrainingClassifier(KNeighborsClassifier(1), max_iter=None, threshold=0.5).fit(X, y)
    assert without.transduction_[-1] != -1


def test_the_safety_net_measures_mixed_columns_with_missing_values():
    rows = Table.of(
        {"size": [1.0, 1.1, 5.0, 5.2, None, 9.0], "colour": ["red", "red", "blue", "blue", "red", None]},
        {"colour": "nominal"},
    )
    y = np.array(["a", None, "b", None, None, None], dtype=object)
    model = SelfTrainingClassifier(NaiveBayes(), threshold=0.0, max_distance=0.1, max_iter=1).fit(rows, y)
    assert model.transduction_.tolist() == ["a", "a", "b", "b", "a", -1]


@pytest.mark.parametrize("criterion", ["threshold", "k_best"])
def test_proportional_quotas_keep_a_class_from_taking_more_than_its_share(criterion):
    rng = np.random.default_rng(0)
    truth = rng.random(600) < 0.3
    X = rng.normal(size=(600, 2)) + 1.2 * truth[:, None]
    y = hidden(truth.astype(int), 0.9)
    known = y >= 0
    model = SelfTrainingClassifier(GaussianNB(), quotas="proportional", criterion=criterion, k_best=20).fit(X, y)
    shares = np.bincount(y[known]) / known.sum()
    for number in range(1, model.n_iter_ + 1):
        new = np.bincount(model.transduction_[model.labeled_iter_ == number].astype(int), minlength=2)
        if criterion == "k_best":
            assert (new <= np.ceil(20 * shares)).all()
    added = model.transduction_[model.labeled_iter_ > 0].astype(int)
    assert np.bincount(added, minlength=2).max() > 0


def test_quotas_by_class_are_upper_limits():
    X, y = load_wine(return_X_y=True)
    y = hidden(y, 0.8)
    model = SelfTrainingClassifier(GaussianNB(), quotas={0: 2, 2: 1}, max_iter=3).fit(X, y)
    for number in (1, 2, 3):
        new = model.transduction_[model.labeled_iter_ == number]
        assert (np.bincount(new, minlength=3) <= [2, 0, 1]).all()
    with pytest.raises(DataError, match="quotas have the class 7"):
        SelfTrainingClassifier(GaussianNB(), quotas={7: 1}).fit(X, y)
    for most in (-1, 1.5, "1"):
        with pytest.raises(DataError, match=r"quotas have .* rows of class 0\.\n  Expected a whole number from 0"):
            SelfTrainingClassifier(GaussianNB(), quotas={0: most}).fit(X, y)


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [
        (["a", "a", None, None, "b", "b"], "string"),
        ([True, True, None, None, False, False], "boolean"),
        ([1, 1, None, None, 2, 2], "Int64"),
        (["a", "a", pd.NA, pd.NA, "b", "b"], object),
    ],
)
def test_missing_values_of_pandas_are_no_labels(labels, dtype):
    X = [[0.0], [0.5], [1.0], [5.0], [5.5], [6.0]]
    model = SelfTrainingClassifier(NaiveBayes(), threshold=0.9).fit(X, pd.Series(labels, dtype=dtype))
    assert model.labeled_iter_.tolist() == [0, 0, 1, 1, 0, 0]
    assert model.classes_.tolist() == sorted({label for label in labels if isinstance(label, (str, int))})


def test_weights_are_passed_on_to_every_fit():
    """A weight of zero is a row left out, a weight of two a row twice."""
    X, y = load_wine(return_X_y=True)
    y = hidden(y, 0.6)
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    weights[y < 0] = 1.0
    model = SelfTrainingClassifier(NaiveBayes()).fit(X, y, weights)
    rows = np.repeat(np.arange(len(y)), weights.astype(int))
    repeated = SelfTrainingClassifier(NaiveBayes()).fit(X[rows], y[rows])
    np.testing.assert_allclose(model.predict_proba(X), repeated.predict_proba(X), atol=1e-8)
    with pytest.raises(TypeError, match="KNeighborsClassifier does not support sample weights"):
        SelfTrainingClassifier(KNeighborsClassifier()).fit(X, y, weights)


@pytest.mark.parametrize("model", [LogisticRegression(), NaiveBayes(), TheirLogisticRegression()], ids=repr)
def test_any_model_on_a_mixed_table_with_missing_values(model):
    people = probus.datasets.titanic()[["Survived", "Sex", "Age", "Fare", "Embarked"]]
    X, y = people.drop("Survived"), hidden(people["Survived"].decoded(), 0.9, missing=None)
    fitted = tabular(SelfTrainingClassifier(model)).fit(X, y)
    assert fitted.predict_proba(X).shape == (891, 2)
    assert fitted.score(X, people["Survived"].decoded()) > 0.7


@pytest.mark.filterwarnings("ignore:y contains no unlabeled samples")
def test_a_pipeline_and_tuning_take_it():
    X, y = load_wine(return_X_y=True)
    y = hidden(y, 0.5)
    known = y >= 0
    tuned = probus.tune(
        SelfTrainingClassifier(GaussianNB()), X[known], y[known], space={"threshold": [0.6, 0.9]}, evaluations=2,
        scoring="accuracy", progress=None, random_state=0,
    )  # fmt: skip
    assert len(tuned.archive) == 2


def test_saved_models_predict_the_same(tmp_path):
    X, y = load_wine(return_X_y=True)
    model = SelfTrainingClassifier(GaussianNB()).fit(X, hidden(y, 0.7))
    probus.save(model, tmp_path / "model.probus")
    loaded = probus.load(tmp_path / "model.probus")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(loaded.transduction_, model.transduction_)


# -- bad input -----------------------------------------------------------------------------------------


def test_no_label_at_all_is_refused():
    for y in ([-1, -1, -1], [None, None, None], [np.nan] * 3):
        with pytest.raises(DataError, match="none of 3 rows has a label"):
            SelfTrainingClassifier(GaussianNB()).fit([[1.0], [2.0], [3.0]], np.array(y))


def test_a_single_labelled_class_is_a_warning_that_explains_minus_one():
    X = [[1.0], [2.0], [3.0]]
    with pytest.warns(UserWarning, match="all 2 labels are 1; .* If −1 is a class, write it in another way"):
        model = SelfTrainingClassifier(NaiveBayes()).fit(X, [1, 1, -1])
    assert model.predict(X).tolist() == [1, 1, 1]


def test_rows_that_all_have_a_label_are_a_warning():
    with pytest.warns(UserWarning, match="y contains no unlabeled samples"):
        SelfTrainingClassifier(GaussianNB()).fit([[1.0], [2.0], [3.0]], [0, 1, 1])


def test_targets_that_cannot_be_read_are_refused():
    X = [[1.0], [2.0], [3.0]]
    with pytest.raises(DataError, match="y has dtype string, and values '-1': it is not clear"):
        SelfTrainingClassifier(GaussianNB()).fit(X, np.array(["a", "b", "-1"]))
    with pytest.raises(DataError, match=r"labels of types int and str\.\n  Expected labels of one type"):
        SelfTrainingClassifier(GaussianNB()).fit(X, np.array(["a", 1, None], dtype=object))
    with pytest.raises(DataError, match="X has 3 rows and y has 2"):
        SelfTrainingClassifier(GaussianNB()).fit(X, [0, 1])
    with pytest.raises(DataError, match="LinearRegression is a regressor"):
        SelfTrainingClassifier(probus.linear_model.LinearRegression()).fit(X, [0, 1, -1])
    with pytest.raises(DataError, match="y is None"):
        SelfTrainingClassifier(GaussianNB()).fit(X, None)
