"""Linear machines against scikit-learn's, which is LIBLINEAR, at tight tolerance."""

import numpy as np
import pytest
import sklearn.svm as peer
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale

from probus.errors import DataError
from probus.svm import LinearSVC, LinearSVR


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X)[::2, :10], y[::2]


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"loss": "hinge", "C": 0.1},
        {"penalty": "l1", "dual": False, "C": 0.1},
        {"intercept_scaling": 10.0},
        {"fit_intercept": False},
        {"class_weight": "balanced", "loss": "hinge", "C": 0.05},
    ],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_are_those_of_scikit_learn(cancer, iris, how, n_classes):
    X, y = (scale(iris[0]), iris[1]) if n_classes == 3 else cancer
    weights = np.random.default_rng(0).integers(0, 3, len(y)) / 2
    ours = LinearSVC(tol=1e-7, max_iter=20_000, **how).fit(X, y, weights)
    theirs = peer.LinearSVC(tol=1e-9, max_iter=1_000_000, random_state=0, **how).fit(X, y, weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-5)
    np.testing.assert_allclose(ours.intercept_, np.full(len(ours.coef_), theirs.intercept_), atol=2e-5)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.dual_gap_ < 1e-9
    thin = LinearSVC(tol=1e-7, max_iter=20_000, **how).fit(sparse.csr_matrix(X), y, weights)
    np.testing.assert_allclose(thin.coef_, ours.coef_, atol=2e-5)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_more_columns_than_rows_are_solved_by_the_dual(loss):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 300)), rng.integers(0, 2, 30)
    ours = LinearSVC(loss=loss, tol=1e-7, C=0.1).fit(X, y)
    theirs = peer.LinearSVC(loss=loss, tol=1e-9, C=0.1, dual=True, max_iter=1_000_000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


def test_crammer_and_singers_machine_is_that_of_scikit_learn(iris):
    X, y = scale(iris[0]), iris[1]
    how = {"multi_class": "crammer_singer", "C": 0.1}
    ours = LinearSVC(tol=1e-8, max_iter=20_000, **how).fit(X, y)
    theirs = peer.LinearSVC(tol=1e-9, max_iter=1_000_000, random_state=0, **how).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    two = LinearSVC(tol=1e-8, max_iter=20_000, **how).fit(X[:100], y[:100])
    assert two.coef_.shape == (1, 4)


@pytest.mark.parametrize(("form", "joined"), [("crammer_singer", np.max), ("weston_watkins", np.sum)])
def test_joint_losses_are_minimal(iris, form, joined):
    """No general optimiser finds a smaller value of the definition."""
    X, y = np.column_stack([scale(iris[0])[::5], np.ones(30)]), iris[1][::5]
    model = LinearSVC(multi_class=form, C=0.5, tol=1e-9, max_iter=20_000, class_weight={0: 2.0}).fit(X[:, :4], y)
    caps = 0.5 * np.where(y == 0, 2.0, 1.0)

    def objective(flat):
        raw = X @ flat.reshape(3, 5).T
        excess = np.maximum(1.0 + raw - raw[np.arange(30), y][:, None], 0.0)
        excess[np.arange(30), y] = 0.0
        return 0.5 * flat @ flat + caps @ joined(excess, axis=1)

    found = np.column_stack([model.coef_, model.intercept_]).ravel()
    value = objective(found)
    best = min(minimize(objective, found + s, method="Powell", options={"maxiter": 3000}).fun for s in (0.0, 0.1))
    assert value <= best + 1e-6
    assert model.dual_gap_ < 1e-10


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("epsilon", [0.0, 0.5])
def test_regressions_are_those_of_scikit_learn(diabetes, loss, epsilon):
    X, y = diabetes
    weights = np.random.default_rng(0).random(len(y))
    ours = LinearSVR(loss=loss, epsilon=epsilon, C=0.1, tol=1e-8, max_iter=20_000).fit(X, y, weights)
    theirs = peer.LinearSVR(loss=loss, epsilon=epsilon, C=0.1, tol=1e-9, max_iter=1_000_000).fit(X, y, weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-4)
    assert ours.dual_gap_ < 1e-9


def test_many_rows_start_from_a_sample(cancer):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6_000, 5))
    y = X[:, 0] + rng.normal(size=6_000) > 0.3
    ours, theirs = LinearSVC().fit(X, y), peer.LinearSVC(tol=1e-10).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)


def test_weights_can_be_made_sparse(iris):
    X, y = iris
    model = LinearSVC(penalty="l1", C=0.05, max_iter=20_000).fit(X, y)
    expected = model.decision_function(X)
    assert (model.coef_ == 0).any()
    assert sparse.issparse(model.sparsify().coef_)
    np.testing.assert_allclose(model.decision_function(X), expected)


def test_a_fit_that_has_not_converged_says_so(diabetes):
    X, y = diabetes
    with pytest.warns(ConvergenceWarning, match=r"LinearSVR failed to converge.* after max_iter=2. Or scale"):
        model = LinearSVR(max_iter=2, C=100.0).fit(X, y)
    assert model.n_iter_ == 2
    assert model.dual_gap_ > 1e-6


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ({"penalty": "l1", "loss": "hinge"}, "penalty='l1' and loss='hinge' is not supported"),
        ({"loss": "hinge", "dual": False}, "loss='hinge' are not supported when dual=False.* Use dual='auto'"),
        ({"penalty": "l1", "dual": True}, "loss='squared_hinge' are not supported when dual=True"),
    ],
)
def test_penalties_and_losses_that_do_not_go_together_are_refused(iris, how, text):
    with pytest.raises(ValueError, match=text):
        LinearSVC(**how).fit(*iris)


def test_one_class_is_refused():
    with pytest.raises(DataError, match="needs samples of at least 2 classes"):
        LinearSVC().fit([[0.0], [1.0]], [1, 1])
