"""Lasso and elastic net: optimality conditions, glmnet's path, scikit-learn's solutions."""

import numpy as np
import pytest
import sklearn.linear_model as peer
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

import probus.linear_model.datafits._quadratic as path_module
from probus.datasets import mtcars
from probus.errors import DataError
from probus.linear_model import ElasticNet, Lasso, enet_path, lasso_path

rng = np.random.default_rng(0)
COLUMNS = ["cyl", "disp", "hp", "drat", "wt", "qsec", "vs", "am", "gear", "carb"]
# glmnet(scale(x), mpg, alpha = alpha, standardize = FALSE, thresh = 1e-14): alpha and λ, coefficients
GLMNET = {
    (1.0, 0.82259249698): [-1.5749733767, 0, -0.78457436331, 0, -2.6309635024, 0, 0, 0, 0, 0],
    (1.0, 0.064553766354): [-0.19318218327, 0, -0.89016718177, 0.4417692005, -2.5767022984, 0.9502620504,
                            0.06867166832, 1.1182823378, 0.33826132543, -0.83689939141],
    (0.5, 1.645184994): [-1.1972012392, -0.47302655175, -0.83349983979, 0.19639355801, -1.816676164, 0, 0,
                         0.23832496046, 0, -0.21660873417],
    (0.5, 0.12910753271): [-0.31401465519, 0, -0.91362173933, 0.44759309388, -2.443112637, 0.82323462238,
                           0.10885161423, 1.0894240301, 0.34028193336, -0.86191672158],
}  # fmt: skip


@pytest.mark.parametrize(("l1_ratio", "alpha"), list(GLMNET))
def test_coefficients_are_those_of_glmnet(l1_ratio, alpha):
    cars = mtcars()
    X = cars.select(*COLUMNS).numbers()
    X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    y = cars["mpg"].values
    l1, l2 = alpha * l1_ratio, alpha * (1 - l1_ratio) / y.std()  # glmnet divides y by its standard deviation
    model = ElasticNet(l1 + l2, l1_ratio=l1 / (l1 + l2), tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.coef_, GLMNET[l1_ratio, alpha], atol=2e-5)
    assert model.intercept_ == pytest.approx(20.090625)


def violation(X, y, w, l1, l2, positive=False):
    """The largest distance of the gradient from the subdifferential of the penalty."""
    slope = X.T @ (y - X @ w) - l2 * w
    inside = np.maximum((slope if positive else np.abs(slope)) - l1, 0.0)
    return np.where(w != 0, np.abs(slope - l1 * np.sign(w)), inside).max()


@given(st.integers(0, 10_000), st.sampled_from([(30, 4), (8, 20)]), st.floats(0.1, 1), st.booleans())
@settings(deadline=None)
def test_the_optimality_conditions_hold(seed, shape, l1_ratio, positive):
    draw = np.random.default_rng(seed)
    X, y = draw.normal(size=shape), draw.normal(size=shape[0])
    X[:, 1] = X[:, 0] + 1e-3 * draw.normal(size=shape[0])  # nearly dependent
    n, alpha = shape[0], 0.05
    model = ElasticNet(alpha, l1_ratio=l1_ratio, positive=positive, fit_intercept=False, tol=1e-12).fit(X, y)
    rest = violation(X, y, model.coef_, alpha * l1_ratio * n, alpha * (1 - l1_ratio) * n, positive)
    assert rest < 1e-4 * np.abs(X.T @ y).max()
    assert 0 <= model.dual_gap_ <= 1e-12 * (y @ y) / n
    assert not positive or (model.coef_ >= 0).all()


@pytest.mark.parametrize("shape", [(50, 8), (30, 90)])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("settings", [{}, {"fit_intercept": False}, {"positive": True}, {"selection": "random"}])
def test_solutions_are_those_of_scikit_learn(shape, sparse, weighted, settings):
    draw = np.random.default_rng(1)
    X = draw.normal(size=shape) * (draw.random(shape) < 0.5) + 0.2
    y, w = X[:, :3] @ [1.0, -2.0, 3.0] + draw.normal(size=shape[0]) + 4.0, draw.uniform(0.3, 2, shape[0])
    w = w if weighted else None
    ours = ElasticNet(0.05, l1_ratio=0.8, tol=1e-9, random_state=0, **settings)
    theirs = peer.ElasticNet(0.05, l1_ratio=0.8, tol=1e-12, max_iter=100_000, random_state=0, **settings)
    ours.fit(csr_matrix(X) if sparse else X, y, w)
    theirs.fit(X, y, w)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-5)


def test_a_path_is_a_sequence_of_lassos_however_it_is_computed(monkeypatch):
    X, y = rng.normal(size=(40, 12)), rng.normal(size=40)
    alphas, coefs, gaps = lasso_path(X, y, alphas=20, tol=1e-10)
    theirs = peer.lasso_path(X, y, alphas=20, tol=1e-12, max_iter=100_000)
    np.testing.assert_allclose(alphas, theirs[0])
    np.testing.assert_allclose(coefs, theirs[1], atol=1e-6)
    assert (gaps <= 1e-10 * (y @ y) / 40).all()
    monkeypatch.setattr(path_module, "_FEW_COLUMNS", 0)  # products of columns as they are needed
    np.testing.assert_allclose(lasso_path(X, y, alphas=20, tol=1e-10)[1], coefs, atol=1e-6)


@pytest.mark.parametrize("sparse", [False, True])
def test_starts_ahead_of_an_uneven_path_lead_to_the_solutions_of_single_fits(sparse):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 250)) * (rng.random((60, 250)) < 0.3)
    y = X[:, :5] @ np.ones(5) + 0.1 * rng.normal(size=60)
    alphas = np.array([0.3, 0.29, 0.05, 0.05, 0.01])
    found = lasso_path(csr_matrix(X) if sparse else X, y, alphas=alphas, tol=1e-9)[1]
    alone = [Lasso(alpha, fit_intercept=False, tol=1e-9).fit(X, y).coef_ for alpha in alphas]
    np.testing.assert_allclose(found, np.transpose(alone), atol=1e-5)


def test_several_targets_are_fitted_one_by_one():
    X, Y = rng.normal(size=(40, 5)), rng.normal(size=(40, 2))
    both = Lasso(0.05).fit(X, Y)
    assert both.coef_.shape == (2, 5)
    np.testing.assert_array_equal(both.coef_[1], Lasso(0.05).fit(X, Y[:, 1]).coef_)
    assert len(both.n_iter_) == 2


def test_a_warm_start_at_the_solution_needs_no_epoch():
    X, y = rng.normal(size=(40, 5)), rng.normal(size=40)
    model = ElasticNet(0.01, warm_start=True).fit(X, y)
    assert model.n_iter_ > 0
    assert model.fit(X, y).n_iter_ == 0


def test_a_fit_that_has_not_converged_says_so():
    X, y = rng.normal(size=(40, 30)), rng.normal(size=40)
    with pytest.warns(ConvergenceWarning, match=r"Of 1 penalties, 1 did not converge in 1 epochs: duality gap"):
        Lasso(1e-6, max_iter=1, tol=1e-8).fit(X, y)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_numbers_whose_squares_overflow_are_refused():
    X = np.finfo(np.float64).max * rng.uniform(size=(10, 2))
    with pytest.raises(DataError, match=r"X has values as large as .*e\+308, whose squares are not finite"):
        Lasso().fit(X, np.arange(10.0))


def test_a_given_gram_matrix_is_used_checked_and_not_used_for_other_columns():
    X, y = rng.normal(size=(40, 5)), rng.normal(size=40)
    X -= X.mean(axis=0)
    model = Lasso(0.01, precompute=X.T @ X).fit(X, y)
    np.testing.assert_allclose(model.coef_, Lasso(0.01).fit(X, y).coef_, atol=1e-12)
    assert model.intercept_ == pytest.approx(y.mean())
    with pytest.raises(DataError, match=r"Gram matrix .* did not pass validation: .* \[2, 3\]"):
        Lasso(0.01, precompute=np.eye(5)).fit(X, y)
    with pytest.warns(UserWarning, match="Gram matrix was provided but X was centered"):
        shifted = Lasso(0.01, precompute=X.T @ X).fit(X + 1, y)
    np.testing.assert_allclose(shifted.coef_, model.coef_, atol=1e-10)


def test_an_unknown_selection_and_a_grid_without_l1_are_refused():
    with pytest.raises(ValueError, match="selection should be either random or cyclic"):
        enet_path(np.eye(3), np.ones(3), selection="other")
    with pytest.raises(ValueError, match="Automatic alpha grid generation is not supported for l1_ratio=0"):
        enet_path(np.eye(3), np.ones(3), l1_ratio=0.0)


@pytest.mark.parametrize("l1_ratio", [0.5, 1.0])
def test_more_coefficients_than_rows_converge_in_few_epochs(l1_ratio):
    draw = np.random.default_rng(0)
    X = draw.normal(size=(50, 200))
    X[:, 100:150] = X[:, :50]  # copies
    y = X[:, :10] @ draw.normal(size=10)
    model = ElasticNet(1e-3, l1_ratio=l1_ratio, tol=1e-8).fit(X, y)
    assert model.n_iter_ < 200
    assert model.dual_gap_ < 1e-8 * y.var()
