"""The parts of Bayesian optimisation against scikit-learn, SciPy and brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats
from scipy.optimize import check_grad
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from probus.errors import DataError
from probus.spaces import Choice, Integer, Real, Space, when
from probus.tuning import pareto_front
from probus.tuning._bayesian_search import ForestSurrogate, compressed, confidence_bound, log_expected_improvement
from probus.tuning._gaussian_surrogate import GaussianSurrogate
from probus.tuning._neighbourhood import mutated, reflected
from probus.tuning._pareto import pareto_order, scalarised
from probus.tuning._unit_cube import UnitCube

RNG = np.random.default_rng(0)
X = RNG.random((40, 3))
Y = np.sin(6 * X[:, 0]) + X[:, 1] + 0.05 * RNG.normal(size=40)
NEW = RNG.random((20, 3))
SPACE = Space({
    "kernel": Choice("linear", "rbf", "poly"),
    "C": Real(1e-3, 1e3, log=True),
    "gamma": when(Real(-5, 2, base=10), kernel=["rbf", "poly"]),
    "degree": when(Integer(2, 5), kernel="poly"),
    "order": when(Choice(1, 2, None, ordered=True), degree=[3, 4]),
    "count": Integer(1, 300, log=True),
})  # fmt: skip


def test_the_posterior_is_that_of_scikit_learns_process():
    ours = GaussianSurrogate(np.arange(3)).fit(X, Y)
    lengths, signal, noise = np.exp(ours.theta[:3]), np.exp(ours.theta[3]), np.exp(ours.theta[4]) + 1e-8
    kernel = ConstantKernel(signal) * Matern(lengths, nu=2.5) + WhiteKernel(noise)
    theirs = GaussianProcessRegressor(kernel, alpha=0.0, optimizer=None).fit(X, (Y - Y.mean()) / Y.std())
    mean, deviation = theirs.predict(NEW, return_std=True)
    ours_mean, ours_deviation = ours.predict(NEW)
    np.testing.assert_allclose(ours_mean, Y.mean() + Y.std() * mean, rtol=1e-6)
    np.testing.assert_allclose(ours_deviation**2, (deviation**2 - noise) * Y.var(), rtol=1e-4, atol=1e-9)
    z = (Y - Y.mean()) / Y.std()
    pull = (ours.theta - ours.mean) / ours.deviation
    constant = 0.5 * len(Y) * np.log(2 * np.pi)
    loss = ours._loss(ours.theta, ours._squares(X, X), z)[0] - 0.5 * pull @ pull
    assert loss == pytest.approx(-theirs.log_marginal_likelihood_value_ - constant, rel=1e-6)


def test_the_gradient_of_the_posterior_is_that_of_differences():
    model = GaussianSurrogate(np.array([0, 1, 1]))
    z = (Y - Y.mean()) / Y.std()
    squares, theta = model._squares(X, X), np.array([-0.3, 0.4, 0.2, -3.0])
    error = check_grad(lambda t: model._loss(t, squares, z)[0], lambda t: model._loss(t, squares, z)[1], theta)
    assert error < 1e-4


def test_length_scales_find_what_matters():
    model = GaussianSurrogate(np.arange(3)).fit(X, Y)
    assert model.theta[0] < model.theta[1] < model.theta[2]


def test_constant_scores_and_repeated_points_have_a_posterior():
    model = GaussianSurrogate(np.arange(3)).fit(np.vstack([X[:5], X[:5]]), np.zeros(10))
    mean, deviation = model.predict(NEW)
    np.testing.assert_allclose(mean, 0.0, atol=1e-12)
    assert np.isfinite(deviation).all()


@pytest.mark.slow
def test_a_forest_doubts_where_its_trees_disagree():
    model = ForestSurrogate(np.arange(3)).fit(X, Y)
    mean, deviation = model.predict(NEW)
    truth = np.sin(6 * NEW[:, 0]) + NEW[:, 1]
    assert np.corrcoef(mean, truth)[0, 1] > 0.8
    assert (deviation > 0).all()


@pytest.mark.parametrize("z", [3.0, 0.5, -0.99, -1.01, -3.0, -6.0])
def test_the_expected_improvement_is_its_integral(z):
    value = integrate.quad(lambda t: t * stats.norm.pdf(t, 0.3 * z, 0.3), 0, 0.3 * z + 7, limit=400)[0]
    found = log_expected_improvement(np.array([0.3 * z]), np.array([0.3]), 0.0)[0]
    assert found == pytest.approx(np.log(value), rel=1e-5)


def test_hopeless_improvements_are_ordered():
    z = -np.geomspace(1, 1e6, 200)
    assert (np.diff(log_expected_improvement(z, np.ones(200), 0.0)) < 0).all()
    asymptote = stats.norm.logpdf(-500.0) - 2 * np.log(500.0)
    assert log_expected_improvement(np.array([-500.0]), np.ones(1), 0.0)[0] == pytest.approx(asymptote, rel=1e-6)
    assert confidence_bound(np.array([1.0]), np.array([0.5]), 0.0, kappa=2.0)[0] == 2.0


@pytest.mark.parametrize("seed", range(5))
def test_places_snap_to_the_configurations_they_are(seed):
    units = np.random.default_rng(seed).random((20, len(SPACE)))
    expected = [SPACE.to_unit(SPACE.from_unit(row)) for row in units]
    np.testing.assert_allclose(UnitCube(SPACE).snapped(units), expected, atol=1e-12)


def test_values_of_a_choice_are_equally_far_apart_and_inactive_parameters_do_not_count():
    cube = UnitCube(SPACE)
    places = cube.snapped(np.array([[k, 0.5, 0.2, 0.3, 0.1, 0.4] for k in (0.1, 0.5, 0.9)]))
    features, groups = cube.features(places)
    kernel = features[:, groups == groups[-1]]
    assert kernel.shape == (3, 3)
    np.testing.assert_allclose([np.linalg.norm(kernel[i] - kernel[j]) for i, j in ((0, 1), (0, 2), (1, 2))], 1.0)
    assert not np.isnan(features).any()
    assert features[0, cube.numeric.index(2)] == 0.5  # gamma of a linear kernel


def test_steps_stay_in_the_cube_and_change_something():
    cube = UnitCube(SPACE)
    parents = cube.snapped(RNG.random((200, len(SPACE))))
    children = mutated(parents, cube, RNG, 0.5)
    assert ((children >= 0) & (children <= 1)).all()
    assert (children != parents).any(axis=1).all()
    clipped = mutated(parents, cube, RNG, 0.5, clip=True)[:, 1]
    assert ((clipped >= 0) & (clipped <= 1)).all()
    assert {0.0, 1.0} <= set(clipped)
    np.testing.assert_allclose(reflected(np.array([-0.2, 1.3, 2.4, 0.7])), [0.2, 0.7, 0.4, 0.7])


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12))
def test_the_pareto_front_is_that_of_brute_force(rows):
    expected = [
        place
        for place, row in enumerate(rows)
        if not any(all(a >= b for a, b in zip(other, row, strict=True)) and other != row for other in rows)
    ]
    assert pareto_front(rows).tolist() == expected
    order = pareto_order(rows)
    assert sorted(order) == list(range(len(rows)))
    assert set(order[: len(expected)]) == set(expected)


def test_rows_with_missing_scores_are_not_on_the_front():
    assert pareto_front([[np.nan, 9.0], [1.0, 1.0]]).tolist() == [1]
    with pytest.raises(DataError, match="found an array of 1 dimensions"):
        pareto_front([1.0, 2.0])


def test_every_weighting_of_objectives_prefers_the_front():
    scores = [(1.0, 0.0), (0.0, 1.0), (0.8, 0.8), (0.1, 0.1), None]
    for seed in range(20):
        one = scalarised(scores, 2, np.random.default_rng(seed))
        assert one[:3].max() > one[3]
        assert one[4] == one[:4].min()
    np.testing.assert_array_equal(scalarised([1.0, None, 3.0], 1, RNG), [1.0, 1.0, 3.0])


def test_compression_keeps_the_order_and_shortens_the_tail():
    scores = np.array([-1e9, -3.0, 0.1, 0.5, 0.9, 1.0])
    short = compressed(scores)
    assert (np.diff(short) > 0).all()
    assert np.ptp(short) < 30
    np.testing.assert_array_equal(compressed(np.ones(3)), np.zeros(3))
