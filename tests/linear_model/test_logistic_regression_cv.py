"""The penalty of logistic regression by cross-validation, against scikit-learn."""

import numpy as np
import pytest
import sklearn.linear_model as peer
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

from probus.errors import DataError
from probus.linear_model import LogisticRegressionCV

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 5)) * [1, 2, 0.5, 1, 1]
RAW = X @ [1.0, -0.6, 0, 0.5, 0]
TWO = np.where(RAW + rng.logistic(size=150) > 0, "yes", "no")
THREE = np.digitize(RAW + rng.logistic(size=150), [-1.0, 1.0])
W = rng.uniform(0.3, 2, 150)
OWN = {"Cs": [0.1, 1.0, 10.0], "cv": 3, "l1_ratios": (0,), "scoring": "neg_log_loss", "use_legacy_attributes": False}


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "options", [{}, {"class_weight": "balanced"}, {"refit": False}, {"l1_ratios": (0.0, 0.6), "solver": "saga"}]
)
def test_choices_are_those_of_scikit_learn(y, weighted, options):
    w = W if weighted else None
    options = {**OWN, **options}
    ours = LogisticRegressionCV(**options, tol=1e-6).fit(csr_matrix(X), y, w)
    theirs = peer.LogisticRegressionCV(**options, tol=1e-8, max_iter=20_000).fit(X, y, sample_weight=w)
    assert ours.C_ == theirs.C_
    assert ours.l1_ratio_ == theirs.l1_ratio_
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)
    np.testing.assert_allclose(ours.scores_, theirs.scores_, atol=1e-4)
    np.testing.assert_allclose(ours.coefs_paths_, theirs.coefs_paths_, atol=5e-4)
    assert ours.n_iter_.shape == theirs.n_iter_.shape
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=1e-4)


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("l1_ratios", [None, (0.0,)])
def test_attributes_have_the_shapes_of_scikit_learn(y, l1_ratios):
    options = {"Cs": 2, "cv": 3, "l1_ratios": l1_ratios, "use_legacy_attributes": True, "tol": 1e-6, "max_iter": 9999}
    ours, theirs = (c(**options).fit(X, y) for c in (LogisticRegressionCV, peer.LogisticRegressionCV))
    assert list(ours.scores_) == list(theirs.scores_)
    for name in ("scores_", "coefs_paths_"):
        for label, values in getattr(theirs, name).items():
            np.testing.assert_allclose(getattr(ours, name)[label], values, atol=5e-3)
    for name in ("C_", "Cs_", "n_iter_"):
        assert getattr(ours, name).shape == getattr(theirs, name).shape
    assert "LogisticRegressionCV: log-odds" in repr(ours.summary())


def test_defaults_that_will_change_are_reported():
    with pytest.warns(FutureWarning, match="default value for l1_ratios will change"):
        LogisticRegressionCV(Cs=2, cv=2).fit(X, TWO)
    with pytest.warns(FutureWarning, match="'penalty' was deprecated"):
        LogisticRegressionCV(Cs=2, cv=2, penalty="l2", l1_ratios=(0,)).fit(X, TWO)
    with pytest.raises(DataError, match=r"l1_ratios must be an array-like of numbers between 0 and 1; got .*2"):
        LogisticRegressionCV(**{**OWN, "l1_ratios": (2,)}).fit(X, TWO)
    with pytest.warns(ConvergenceWarning, match="9 of 9 fits failed to converge after 1 iterations"):
        LogisticRegressionCV(**OWN, max_iter=1).fit(X, TWO)


def test_folds_may_lack_a_class():
    folds = [(np.arange(50, 150), np.flatnonzero(THREE == 0)), (np.arange(100), np.arange(100, 150))]
    model = LogisticRegressionCV(**{**OWN, "cv": folds}).fit(X, THREE)
    assert np.isfinite(model.scores_).all()


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_liblinear_is_that_of_scikit_learn():
    options = {"Cs": 2, "cv": 3, "solver": "liblinear"}
    ours, theirs = (c(**options).fit(X, TWO) for c in (LogisticRegressionCV, peer.LogisticRegressionCV))
    np.testing.assert_array_equal(ours.coef_, theirs.coef_)
