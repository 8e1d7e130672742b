"""Ridge with a chosen penalty, and least squares classification, against scikit-learn and brute force."""

import numpy as np
import pytest
import sklearn.linear_model as peer
from scipy.sparse import csr_matrix

from probus.data import Table
from probus.errors import DataError
from probus.linear_model import Ridge, RidgeClassifier, RidgeClassifierCV, RidgeCV

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 4)) + 1
Y = X @ [1.0, -2.0, 0.0, 0.5] + rng.normal(size=60)
W = rng.uniform(0.3, 2, 60)
CLASSES = {"two": np.where(Y > 0, "b", "a"), "three": np.digitize(Y, [-1, 1])}


def test_the_errors_of_rows_left_out_are_those_of_as_many_fits():
    model = RidgeCV([0.1, 5.0], store_cv_results=True).fit(X, Y)
    for at, alpha in enumerate((0.1, 5.0)):
        for i in (0, 17, 59):
            rest = np.delete(np.arange(60), i)
            left = Y[i] - Ridge(alpha).fit(X[rest], Y[rest]).predict(X[i : i + 1])[0]
            assert model.cv_results_[i, at] == pytest.approx(left**2)


@pytest.mark.parametrize("options", [{}, {"cv": 3}, {"scoring": "r2", "cv": 4}, {"fit_intercept": False}])
def test_choices_are_those_of_scikit_learn(options):
    ours, theirs = (c([0.01, 1.0, 100.0], **options).fit(X, Y, sample_weight=W) for c in (RidgeCV, peer.RidgeCV))
    assert ours.alpha_ == theirs.alpha_
    assert ours.best_score_ == pytest.approx(theirs.best_score_)
    np.testing.assert_allclose(ours.coef_, theirs.coef_)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("y", CLASSES.values(), ids=CLASSES)
@pytest.mark.parametrize("name", ["RidgeClassifier", "RidgeClassifierCV"])
@pytest.mark.parametrize("options", [{}, {"class_weight": "balanced"}, {"fit_intercept": False}])
def test_classifiers_are_those_of_scikit_learn(y, name, options):
    Ours = {"RidgeClassifier": RidgeClassifier, "RidgeClassifierCV": RidgeClassifierCV}[name]
    theirs = getattr(peer, name)(**options).fit(X, y, sample_weight=W)
    for rows in (X, csr_matrix(X), Table.of({f"x{j}": X[:, j] for j in range(4)})):
        ours = Ours(**options, **({"tol": 1e-10} if name == "RidgeClassifier" else {})).fit(rows, y, W)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5)
        np.testing.assert_allclose(ours.decision_function(rows), theirs.decision_function(X), rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(ours.predict(rows), theirs.predict(X))
    if name == "RidgeClassifierCV":
        assert ours.alpha_ == theirs.alpha_


@pytest.mark.parametrize("intercept", [True, False])
def test_the_errors_of_rows_left_out_are_those_of_scikit_learn_for_every_shape(intercept):
    for y in (Y, Y[:, None], np.column_stack([Y, X[:, 0] ** 2])):
        for per_target in (False, True):
            how = {"store_cv_results": True, "alpha_per_target": per_target, "fit_intercept": intercept}
            ours, theirs = (c([0.1, 3.0, 50.0], **how).fit(X, y, sample_weight=W) for c in (RidgeCV, peer.RidgeCV))
            for name in ("coef_", "intercept_", "alpha_", "best_score_", "cv_results_"):
                assert np.shape(getattr(ours, name)) == np.shape(getattr(theirs, name))
                np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name))
    labels = np.column_stack([Y > 0, X[:, 0] > 1]).astype(int)
    for y in (*CLASSES.values(), labels):
        how = {"store_cv_results": True, "fit_intercept": intercept}
        ours, theirs = (c(**how).fit(X, y) for c in (RidgeClassifierCV, peer.RidgeClassifierCV))
        for name in ("coef_", "intercept_", "alpha_", "best_score_", "cv_results_"):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name))


@pytest.mark.parametrize("alphas", [[0.0, 1.0], [-1.0], ["a"]])
def test_penalties_that_are_not_positive_are_refused_as_in_scikit_learn(alphas):
    with pytest.raises((ValueError, TypeError, IndexError)) as theirs:
        peer.RidgeCV(alphas).fit(X, Y)
    with pytest.raises(type(theirs.value)):
        RidgeCV(alphas).fit(X, Y)


def test_several_labels_are_regressions_of_their_own():
    labels = np.column_stack([Y > 0, X[:, 0] > 1]).astype(int)
    ours, theirs = (c().fit(X, labels) for c in (RidgeClassifier, peer.RidgeClassifier))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.score(X, labels) == theirs.score(X, labels)


def test_one_class_is_refused():
    with pytest.raises(DataError, match="contains only one class: 'a'"):
        RidgeClassifier().fit([[1.0], [2.0]], ["a", "a"])
