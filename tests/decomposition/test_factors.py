"""Factor analysis: R's factanal, scikit-learn, and rotations by brute force."""

import numpy as np
import pytest
from sklearn import decomposition
from sklearn.exceptions import ConvergenceWarning

import probus
from probus import DataError
from probus.datasets import mtcars
from probus.decomposition import FactorAnalysis, plot_loadings, promax, varimax

COLUMNS = ("mpg", "cyl", "disp", "hp", "drat", "wt", "qsec")
# R: factanal(mtcars[, 1:7], factors = 2)
UNIQUENESSES = [0.15753638412, 0.098850647272, 0.080185984669, 0.17881319207, 0.38515603224, 0.082892162905, 0.005]
OBJECTIVE = 0.4611941937
LOADINGS = np.array([
    [-0.77641864697, -0.48952766011], [0.6865595318, 0.65558010438], [0.81337567192, 0.50816706207],
    [0.49846375432, 0.75678372975], [-0.76757403675, -0.16023903633], [0.92248362057, 0.25716107184],
    [0.087614054, -0.99364254702],
])  # fmt: skip


@pytest.fixture(scope="module")
def cars():
    return np.column_stack([mtcars()[name].numbers_array() for name in COLUMNS])


def test_the_optimum_is_that_of_r(cars):
    model = FactorAnalysis(2).fit(cars)
    assert model.objective_ <= OBJECTIVE + 1e-9
    assert model.uniquenesses_ == pytest.approx(UNIQUENESSES, abs=1e-5)
    loadings = model.components_.T / cars.std(axis=0)[:, None]
    np.testing.assert_allclose(loadings @ loadings.T, LOADINGS @ LOADINGS.T, atol=1e-5)
    # Bartlett's correction: (n − 1 − (2 p + 5) / 6 − 2 k / 3) times the objective
    assert model.statistic_ == pytest.approx((31 - 19 / 6 - 4 / 3) * OBJECTIVE, rel=1e-6)
    assert model.dof_ == 8


def test_the_likelihood_is_at_least_scikit_learns(cars):
    """With room for a factor that is a single column, as scikit-learn has."""
    theirs = decomposition.FactorAnalysis(2).fit(cars)
    ours = FactorAnalysis(2, min_uniqueness=1e-4).fit(cars)
    assert ours.score(cars) > theirs.score(cars) + 0.1
    assert ours.loglike_[-1] == pytest.approx(ours.score(cars) * len(cars), rel=1e-6)
    assert ours.loglike_ == sorted(ours.loglike_)


def test_it_agrees_with_scikit_learn_where_that_converges():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2)) @ rng.normal(size=(2, 6)) + rng.normal(size=(400, 6)) * np.arange(1, 7) / 4
    ours = FactorAnalysis(2).fit(X)
    theirs = decomposition.FactorAnalysis(2, tol=1e-10, max_iter=20_000, svd_method="lapack").fit(X)
    np.testing.assert_allclose(ours.noise_variance_, theirs.noise_variance_, rtol=1e-3)
    np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-3)
    own, other = ours.transform(X), theirs.transform(X)
    turn = np.linalg.lstsq(own, other, rcond=None)[0]  # factors are unique up to a rotation
    np.testing.assert_allclose(own @ turn, other, atol=1e-2)
    np.testing.assert_allclose(turn @ turn.T, np.eye(2), atol=1e-2)


def test_units_do_not_matter(cars):
    one, other = FactorAnalysis(2).fit(cars), FactorAnalysis(2).fit(cars * 10.0 ** np.arange(-3, 4))
    assert one.uniquenesses_ == pytest.approx(other.uniquenesses_, abs=1e-6)


def test_varimax_is_the_best_of_all_angles(cars):
    loadings = FactorAnalysis(2).fit(cars).components_.T / cars.std(axis=0)[:, None]
    unit = loadings / np.linalg.norm(loadings, axis=1, keepdims=True)
    angles = np.linspace(0, np.pi / 2, 5001)
    tried = [((unit @ [[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) ** 2).var(axis=0).sum() for a in angles]
    turned = varimax(loadings)
    assert ((unit @ turned) ** 2).var(axis=0).sum() == pytest.approx(max(tried), abs=1e-7)
    np.testing.assert_allclose(turned.T @ turned, np.eye(2), atol=1e-12)


@pytest.mark.parametrize("rotation", ["varimax", "quartimax", "promax"])
def test_rotations_change_neither_covariance_nor_likelihood(cars, rotation):
    plain, turned = FactorAnalysis(2).fit(cars), FactorAnalysis(2, rotation=rotation).fit(cars)
    np.testing.assert_allclose(turned.get_covariance(), plain.get_covariance(), rtol=1e-8)
    np.testing.assert_allclose(
        turned.transform(cars) @ turned.components_, plain.transform(cars) @ plain.components_, rtol=1e-6, atol=1e-6
    )
    np.testing.assert_allclose(np.diag(turned.factor_correlations_), 1.0)
    assert (abs(turned.factor_correlations_[0, 1]) > 0.05) == (rotation == "promax")


def test_promax_is_that_of_its_definition():
    rng = np.random.default_rng(1)
    loadings = rng.normal(size=(8, 3))
    turned = promax(loadings)
    np.testing.assert_allclose(np.diag(np.linalg.inv(turned.T @ turned)), 1.0)
    x = loadings @ varimax(loadings)
    towards = np.linalg.solve(x.T @ x, x.T @ (np.sign(x) * x**4))  # R's promax, power 4
    ratio = (loadings @ turned) / (x @ towards)
    np.testing.assert_allclose(ratio, np.broadcast_to(ratio[0], ratio.shape))


def test_files_and_pictures(cars, tmp_path):
    model = FactorAnalysis(2, rotation="varimax").fit(dict(zip(COLUMNS, cars.T, strict=True)))
    probus.save(model, tmp_path / "model.probus")
    np.testing.assert_array_equal(probus.load(tmp_path / "model.probus").transform(cars), model.transform(cars))
    assert plot_loadings(model).get_xlabel() == "factor 1"


def test_too_few_iterations_are_a_warning(cars):
    with pytest.warns(ConvergenceWarning, match="did not converge in max_iter=1 iterations"):
        FactorAnalysis(2, max_iter=1).fit(cars)


def test_bad_input(cars):
    with pytest.raises(DataError, match="9 factors of 7 columns"):
        FactorAnalysis(9).fit(cars)
    with pytest.raises(ValueError, match="noise_variance_init dimension does not match"):
        FactorAnalysis(2, noise_variance_init=[1.0]).fit(cars)
    constant = np.column_stack([cars, np.full(len(cars), 3.0), cars[:, 0]])  # and a column twice
    model = FactorAnalysis(2).fit(constant)
    assert np.isfinite(model.score(constant))
    assert np.isfinite(model.transform(constant)).all()
