"""Linear and quadratic discriminant analysis against scikit-learn's and R's."""

import numpy as np
import pytest
import sklearn.discriminant_analysis as peer
from scipy.linalg import LinAlgError
from sklearn.covariance import OAS
from sklearn.datasets import load_iris

from probus import DataError
from probus.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

BOTH = (LinearDiscriminantAnalysis, peer.LinearDiscriminantAnalysis)

# posteriors of rows of iris; R 4.2, MASS
ROWS = [0, 41, 70, 77, 83, 106, 133, 149]
LDA = [
    [1, 3.8963579277e-22, 2.6111682749e-42],
    [0.99999999998, 2.1742170218e-11, 1.2137807946e-28],
    [7.4081175816e-28, 0.25322822474, 0.74677177526],
    [5.6394731775e-27, 0.68921311927, 0.31078688073],
    [4.2419519447e-32, 0.14339190808, 0.85660809192],
    [3.7978371892e-33, 0.048620253756, 0.95137974624],
    [1.2838906243e-28, 0.72938812803, 0.27061187197],
    [2.8580116073e-33, 0.017542290776, 0.98245770922],
]
QDA = [
    [1, 4.9185168857e-26, 2.981541455e-41],
    [0.99999999961, 3.8965854566e-10, 9.315794542e-26],
    [1.0527233002e-103, 0.33594418312, 0.66405581688],
    [1.2054827075e-112, 0.86099858798, 0.13900141202],
    [4.1020092681e-114, 0.15434833098, 0.84565166902],
    [2.4759556301e-93, 0.0038782015702, 0.99612179843],
    [4.5506699376e-111, 0.60496113151, 0.39503886849],
    [7.1461538714e-119, 0.060820657351, 0.93917934265],
]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def drawn(seed=0, n=300, d=5, n_classes=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 3.0 * rng.normal(size=(n_classes, d))[y]
    return X, y


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize(
    "how",
    [
        {},
        {"store_covariance": True},
        {"tol": 0.5},
        {"solver": "lsqr"},
        {"solver": "eigen"},
        {"solver": "eigen", "shrinkage": 0.3, "n_components": 1},
        {"solver": "lsqr", "shrinkage": "auto"},
        {"solver": "eigen", "shrinkage": "auto"},
        {"solver": "eigen", "covariance_estimator": OAS()},
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_linear_discriminants_are_those_of_scikit_learn(n_classes, how, weighted):
    X, y = drawn(n_classes=n_classes)
    priors = np.arange(1.0, n_classes + 1) / np.arange(1, n_classes + 1).sum() if weighted else None
    ours, theirs = (
        cls(**how, priors=priors).fit(X, y) for cls in (LinearDiscriminantAnalysis, peer.LinearDiscriminantAnalysis)
    )
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    for name in ("coef_", "intercept_", "means_", "priors_", "xbar_", "covariance_", "explained_variance_ratio_"):
        assert hasattr(ours, name) == hasattr(theirs, name), name
        if hasattr(theirs, name):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-8, atol=1e-10)
    if how.get("solver") != "lsqr":
        np.testing.assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), rtol=1e-7, atol=1e-9)
        assert len(ours.get_feature_names_out()) == ours.transform(X).shape[1]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "how",
    [
        {"store_covariance": True},
        {"reg_param": 0.2},
        {"priors": "given"},
        {"solver": "eigen"},
        {"solver": "eigen", "shrinkage": 0.3},
        {"solver": "eigen", "shrinkage": "auto"},
        {"solver": "eigen", "covariance_estimator": OAS()},
    ],
)
def test_quadratic_discriminants_are_those_of_scikit_learn(n_classes, how):
    X, y = drawn(n_classes=n_classes)
    how = {**how, **({"priors": np.full(n_classes, 1 / n_classes)} if "priors" in how else {})}
    ours, theirs = (cls(**how).fit(X, y) for cls in (QuadraticDiscriminantAnalysis, peer.QuadraticDiscriminantAnalysis))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-8)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    np.testing.assert_allclose(ours.scalings_, theirs.scalings_)
    if "store_covariance" in how:
        np.testing.assert_allclose(ours.covariance_, theirs.covariance_)


def test_posteriors_of_lda_are_those_of_r(iris):
    """MASS::lda(Species ~ ., iris), R 4.2; its covariance divides by n - 3, which scales all log odds."""
    scores = LinearDiscriminantAnalysis().fit(*iris).decision_function(iris[0][ROWS]) * 147 / 150
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    np.testing.assert_allclose(odds / odds.sum(axis=1, keepdims=True), LDA, rtol=1e-7)


def test_posteriors_of_qda_are_those_of_r(iris):
    """MASS::qda(Species ~ ., iris), R 4.2; its covariances divide by 49, ours by 50."""
    model = QuadraticDiscriminantAnalysis().fit(*iris)
    model.scalings_ = [scaling * 50 / 49 for scaling in model.scalings_]
    np.testing.assert_allclose(model.predict_proba(iris[0][ROWS]), QDA, rtol=1e-7)


def test_weights_are_those_of_repeated_rows_in_every_solver():
    X, y = drawn(n=80)
    times = np.random.default_rng(1).integers(1, 4, 80)
    for model in (
        LinearDiscriminantAnalysis(),
        LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.2),
        QuadraticDiscriminantAnalysis(),
    ):
        repeated = model.fit(np.repeat(X, times, axis=0), np.repeat(y, times)).predict_proba(X)
        np.testing.assert_allclose(model.fit(X, y, sample_weight=times).predict_proba(X), repeated, atol=1e-10)


def test_columns_that_depend_on_others_change_nothing():
    X, y = drawn()
    more = np.column_stack([X, X[:, 0] + X[:, 1], np.full(len(X), 0.1), 2.0 * X[:, 2]])
    expected = LinearDiscriminantAnalysis().fit(X, y).predict_proba(X)
    np.testing.assert_allclose(LinearDiscriminantAnalysis().fit(more, y).predict_proba(more), expected, atol=1e-9)


def test_nearly_dependent_columns_are_solved_from_the_rows():
    """Their products have lost the digits that the rows still have."""
    X, y = drawn()
    X[:, 1] = X[:, 0] + 3e-4 * X[:, 1]
    ours, theirs = (
        cls().fit(X, y).decision_function(X) for cls in (LinearDiscriminantAnalysis, peer.LinearDiscriminantAnalysis)
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)


def test_classes_that_are_far_apart_lose_no_digits():
    X, y = drawn()
    X = X + 1e7 * y[:, None]
    ours, theirs = (cls(store_covariance=True).fit(X, y).covariance_ for cls in BOTH)
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_more_columns_than_rows_are_those_of_scikit_learn():
    X, y = drawn(n=20, d=50)
    ours, theirs = (cls().fit(X, y).predict_proba(X) for cls in BOTH)
    np.testing.assert_allclose(ours, theirs, atol=1e-9)


def test_regularised_qda_takes_more_columns_than_rows():
    X, y = drawn(n=20, d=50)
    assert QuadraticDiscriminantAnalysis(reg_param=0.3).fit(X, y).score(X, y) == 1.0


def test_errors_say_what_to_do():
    X, y = drawn()
    with pytest.raises(DataError, match="only one class: 7"):
        LinearDiscriminantAnalysis().fit(X, np.full(len(X), 7))
    with pytest.raises(DataError, match="Got 1 class: 7"):
        QuadraticDiscriminantAnalysis().fit(X, np.full(len(X), 7))
    with pytest.raises(LinAlgError, match=r"class 0 is not full rank. Increase the value of `reg_param`"):
        QuadraticDiscriminantAnalysis().fit(np.column_stack([X, X[:, 0]]), y)
    with pytest.raises(LinAlgError, match=r"Pass reg_param=0.1, or solver='eigen' and shrinkage='auto'"):
        QuadraticDiscriminantAnalysis().fit(X[:9], np.arange(9) // 5)
    with pytest.raises(DataError, match=r"Use solver='svd', or pass shrinkage=0.01"):
        LinearDiscriminantAnalysis(solver="eigen").fit(np.column_stack([X, np.zeros(len(X))]), y)
    with pytest.raises(DataError, match="class 2 has no row of positive weight"):
        LinearDiscriminantAnalysis().fit(X, y, sample_weight=(y < 2).astype(float))
    with pytest.raises(DataError, match="rows of equal weight"):
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(X, y, sample_weight=np.ones(len(X)))
    with pytest.raises(DataError, match="one number for each of 3 classes"):
        LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit(X, y)
    with pytest.raises(DataError, match="priors must be non-negative"):
        QuadraticDiscriminantAnalysis(priors=[1.5, -0.5, 0.0]).fit(X, y)


def test_numbers_too_large_to_square_are_still_classified():
    X, y = drawn()
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    assert np.isfinite(model.predict_proba(np.full((1, 5), 1e200))).all()
