"""One against the rest and one against one: scikit-learn's results, typed tables, weights, saving."""

import numpy as np
import pytest
import sklearn.multiclass as peer
from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, SGDClassifier
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.naive_bayes import GaussianNB as TheirNB
from sklearn.svm import SVC, LinearSVC

import probus
from probus import DataError, multiclass
from probus.linear_model import LogisticRegression
from probus.naive_bayes import GaussianNB, NaiveBayes
from probus.tree import DecisionTreeClassifier

BOTH = ["OneVsOneClassifier", "OneVsRestClassifier"]


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("model", [TheirLogistic(), LinearSVC(random_state=0), TheirNB(), LinearRegression()], ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_results_are_those_of_scikit_learn(iris, name, model, n_classes):
    X, y = iris
    X, y = X[: 50 * n_classes], y[: 50 * n_classes]
    ours, theirs = (getattr(module, name)(model).fit(X, y) for module in (multiclass, peer))
    if not (
        isinstance(model, LinearRegression) and name == "OneVsOneClassifier"
    ):  # theirs needs predictions of 0 and 1
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert hasattr(ours, "predict_proba") == hasattr(theirs, "predict_proba")
    if hasattr(theirs, "predict_proba"):
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))
    assert hasattr(ours, "decision_function") == hasattr(theirs, "decision_function")
    if hasattr(model, "decision_function"):  # theirs adds probabilities up as they are, which favours later classes
        np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X))


def test_several_labels_are_those_of_scikit_learn():
    X, Y = make_multilabel_classification(random_state=0)
    ours, theirs = (module.OneVsRestClassifier(TheirLogistic()).fit(X, Y) for module in (multiclass, peer))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))
    assert ours.multilabel_


@pytest.mark.parametrize("name", BOTH)
def test_a_precomputed_kernel_is_that_of_the_rows(iris, name):
    X, y = iris
    kernel = X @ X.T
    direct = getattr(multiclass, name)(SVC(kernel="linear")).fit(X, y).decision_function(X)
    computed = getattr(multiclass, name)(SVC(kernel="precomputed")).fit(kernel, y).decision_function(kernel)
    np.testing.assert_allclose(computed, direct, atol=1e-6)


@pytest.mark.parametrize("name", BOTH)
def test_batches_are_those_of_scikit_learn(iris, name):
    X, y = iris[0], np.unique(iris[1], return_inverse=True)[1]
    models = [getattr(module, name)(SGDClassifier(shuffle=False)) for module in (multiclass, peer)]
    for part in (slice(0, 150, 2), slice(1, 150, 2)):
        for model in models:
            model.partial_fit(X[part], y[part], classes=np.unique(y))
    np.testing.assert_allclose(*(model.decision_function(X) for model in models))
    with pytest.raises(ValueError, match="Mini-batch contains"):
        models[0].partial_fit(X[:1], [9])


@pytest.mark.parametrize("name", BOTH)
def test_models_of_tables_get_their_columns_unchanged(name, tmp_path):
    birds = probus.datasets.penguins()
    X = birds.drop("species")
    model = getattr(multiclass, name)(NaiveBayes()).fit(X, birds["species"])
    assert model.score(X, birds["species"].decoded()) > 0.95
    probus.save(model, tmp_path / "model.probus")
    np.testing.assert_array_equal(probus.load(tmp_path / "model.probus").predict(X), model.predict(X))


@pytest.mark.parametrize("name", BOTH)
def test_weights_reach_the_members(iris, name):
    X, y = iris
    times = np.random.default_rng(0).integers(0, 3, len(y))
    model = getattr(multiclass, name)(GaussianNB(var_smoothing=0))
    repeated = model.fit(np.repeat(X, times, axis=0), np.repeat(y, times)).predict(X)
    np.testing.assert_array_equal(model.fit(X, y, sample_weight=times).predict(X), repeated)


@pytest.mark.parametrize("name", BOTH)
def test_threads_change_nothing(iris, name):
    X, y = iris
    one, two = (getattr(multiclass, name)(LogisticRegression(), n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


def test_a_label_that_all_rows_have_is_warned_of():
    X, Y = np.eye(4), np.array([[1, 0], [1, 1], [1, 0], [1, 1]])
    with pytest.warns(UserWarning, match="Label 0 is present in all training examples"):
        model = multiclass.OneVsRestClassifier(DecisionTreeClassifier()).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), Y)


def test_one_class_is_predicted_or_refused(iris):
    X, _ = iris
    with pytest.warns(UserWarning, match="Label only is present in all"):
        model = multiclass.OneVsRestClassifier(LogisticRegression()).fit(X, ["only"] * len(X))
    assert set(model.predict(X)) == {"only"}
    with pytest.raises(DataError, match="when only one class is present: 'only'"):
        multiclass.OneVsOneClassifier(LogisticRegression()).fit(X, ["only"] * len(X))


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("method", ["predict", "decision_function"])
def test_rows_are_checked_before_a_prediction(iris, name, method):
    model = getattr(multiclass, name)(TheirLogistic())
    with pytest.raises(NotFittedError, match=name):
        getattr(model, method)(iris[0])
    model.fit(*iris)
    for rows, text in (
        (iris[0][:, :2], "X has 2 features"),
        (iris[0][:0], "0 sample"),
        (np.full((2, 4), np.nan), "NaN"),
        (iris[0][0], "Expected 2D array"),
    ):
        with pytest.raises(ValueError, match=text):
            getattr(model, method)(rows)
