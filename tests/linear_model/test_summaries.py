"""Summaries and residuals of all regressions, against statsmodels 0.15 (OLS, GLM, its influence measures)."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

from probus.errors import DataError
from probus.linear_model import (
    MAP,
    BayesianRidge,
    BestSubset,
    ElasticNet,
    ExtrapolationWarning,
    GammaRegressor,
    GeneralizedLinearEstimator,
    HuberRegressor,
    Lasso,
    LassoCV,
    LeastAbsoluteDeviations,
    LinearRegression,
    LogisticRegression,
    MultiTaskLasso,
    PoissonRegressor,
    Ridge,
    RidgeCV,
    SGDRegressor,
    plot_residuals,
    residual_diagnostics,
)
from probus.svm import LinearSVR

X = np.array([
    [0.0, 0.3], [-0.27, -0.89], [-0.45, -0.99], [0.06, 1.34], [-0.49, -0.62], [0.49, 0.36], [0.11, -0.93], [-0.03, 0.7],
    [-1.34, -0.46], [-1.9, -1.29], [-1.84, -0.24], [-1.27, 0.27], [0.16, -0.19], [-2.52, -0.54], [-0.05, 0.11],
    [-1.53, -0.48], [-0.98, -0.81], [1.06, -0.81], [-0.03, 0.88], [-0.58, -0.11], [0.11, 0.06], [-1.23, 0.08],
    [1.36, -1.55], [0.86, 0.12], [-0.64, 2.0],
])  # fmt: skip
COUNTS = np.array([1, 2, 7, 1, 1, 3, 7, 2, 3, 2, 0, 3, 1, 1, 2, 3, 6, 2, 1, 2, 4, 1, 13, 4, 0])
AMOUNTS = np.array([
    1.736, 3.304, 2.503, 1.197, 2.104, 1.097, 2.116, 2.042, 0.475, 1.441, 2.487, 1.438, 3.656, 1.255, 0.692, 1.204,
    2.475, 3.072, 1.143, 2.056, 3.702, 0.949, 14.285, 2.481, 1.204,
])  # fmt: skip


def test_least_squares_have_the_summary_of_statsmodels():
    model = LinearRegression().fit(X, COUNTS)
    summary = model.summary(level=0.9)
    columns = {
        "coefficient": [1.315200810817002, -2.058665809755262, 3.151672801293646],
        "standard_error": [0.4448365837233095, 0.5208840238044765, 0.46408753846437056],
        "statistic": [2.956593182621561, -3.952253698854124, 6.7911170632210585],
        "p_value": [0.007291038762300438, 0.0006775524361746052, 7.996444527871115e-07],
        "low": [0.5513521735579954, -2.953098880935663, 2.354767495399578],
        "high": [2.0790494480760087, -1.164232738574861, 3.948578107187714],
    }
    for name, known in columns.items():
        np.testing.assert_allclose(getattr(summary, name), known, rtol=1e-8)
    assert model.inference_.explained[0] == pytest.approx(0.5092075975959928)
    assert "adjusted 0.4646" in repr(summary)


GLM = {
    PoissonRegressor: (COUNTS, [0.32184067102058206, -0.7398214101068192, 0.8744791062500739],
                       [0.11724979942032143, 0.1728799035281419, 0.1567315800728346], 1.0,
                       1 - 23.17591504919133 / 55.5364157803859),
    GammaRegressor: (AMOUNTS, [0.3779406643941996, -0.4104803466219026, 0.8189903363349702],
                     [0.0997280955053536, 0.11677720217700623, 0.1040439749164317], 0.21824349281422695,
                     1 - 5.163218234898883 / 13.322044928874876),
}  # fmt: skip


@pytest.mark.parametrize("cls", GLM)
def test_generalised_linear_models_have_the_summary_of_statsmodels(cls):
    y, coefficients, errors, dispersion, explained = GLM[cls]
    model = cls(alpha=0.0, tol=1e-9).fit(X, y)
    summary = model.summary()
    np.testing.assert_allclose(summary.coefficient, coefficients, rtol=1e-6)
    np.testing.assert_allclose(summary.standard_error, errors, rtol=1e-5)
    assert model.inference_.variance[0] == pytest.approx(dispersion, rel=1e-6)
    assert model.inference_.explained[0] == pytest.approx(explained, rel=1e-6)
    assert "shrunk" not in repr(summary)
    assert "shrunk by the penalty" in repr(cls(alpha=0.1).fit(X, y).summary())
    with pytest.raises(DataError, match="there are no standard errors"):
        cls().fit(X[:3], y[:3]).summary()
    with pytest.warns(ExtrapolationWarning, match="25 of 25 rows"):
        model.predict(X + 40)


# by statsmodels 0.15: WLS, GLM with freq_weights, and with var_weights for gamma; coefficients, standard errors,
# p-values and 95 % intervals
WEIGHTS = 0.5 + np.arange(25) % 4
WEIGHTED = {
    "least squares": (
        LinearRegression(), COUNTS,
        [1.5530410210272234, -2.451742531378475, 3.500523792205935],
        [0.39179001055573304, 0.48370867630883685, 0.4083665421184296],
        [0.0006585020830134179, 4.4624041928450077e-05, 1.8409286579920705e-08],
        [0.7405182698618549, -3.4548929278868776, 2.653623418673429],
        [2.365563772192592, -1.4485921348700723, 4.347424165738441],
    ),
    "logistic": (
        LogisticRegression(C=np.inf, tol=1e-9), COUNTS > 2,
        [0.44442337226462775, -1.194630628770082, -0.2379132606578157],
        [0.3439539310957271, 0.4830645836927125, 0.3578981673263006],
        [0.19632201467151, 0.013397489728157066, 0.5062095963606562],
        [-0.22971394502396875, -2.1414198150146335, -0.9393807787502548],
        [1.1185606895532243, -0.24784144252553086, 0.4635542574346234],
    ),
    "Poisson": (
        PoissonRegressor(alpha=0.0, tol=1e-9), COUNTS,
        [0.3412093471444994, -0.6821757270345585, 0.9945001804265376],
        [0.08175842080585632, 0.11092457095137173, 0.101291557369924],
        [3.0010749401089004e-05, 7.752869404943836e-10, 9.401247469303043e-23],
        [0.1809657869321508, -0.899583891099805, 0.7959723760435139],
        [0.501452907356848, -0.4647675629693121, 1.1930279848095613],
    ),
    "gamma": (
        GammaRegressor(alpha=0.0, tol=1e-9), AMOUNTS,
        [0.3456818260632843, -0.4950074740434484, 0.7889118806000648],
        [0.09171403666753684, 0.11323125674508135, 0.09559443326418629],
        [0.00016381970722900336, 1.2331083617201009e-05, 1.5485949096504984e-16],
        [0.16592561731812616, -0.716936659188016, 0.601550234279742],
        [0.5254380348084424, -0.2730782888988809, 0.9762735269203876],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WEIGHTED)
def test_weighted_regressions_have_the_summary_of_statsmodels(name):
    model, y, coefficients, errors, p_values, low, high = WEIGHTED[name]
    summary = model.fit(X, y, sample_weight=WEIGHTS).summary()
    np.testing.assert_allclose(summary.coefficient, coefficients, rtol=1e-8)
    np.testing.assert_allclose(summary.standard_error, errors, rtol=1e-8)
    np.testing.assert_allclose(summary.p_value, p_values, rtol=1e-8)
    np.testing.assert_allclose(np.stack([summary.low, summary.high]), [low, high], rtol=1e-8)


# by statsmodels 0.15: RLM with HuberT(1.5), and HuberScale(d=1.5) for proposal 2
ROBUST = {
    "mad": ([1.139321654939168, -1.8396284622149643, 3.0336796284887635],
            [0.41030836734543713, 0.48045300499941196, 0.4280650629470713]),
    "proposal 2": ([1.1511775543148868, -1.8599572607059034, 3.0393908247351478],
                   [0.42071304975714, 0.492636429293459, 0.4389200232305407]),
}  # fmt: skip


@pytest.mark.parametrize("scale", ROBUST)
def test_robust_regressions_have_the_standard_errors_of_statsmodels_up_to_a_variance(scale):
    """R's MASS, which we follow, divides the variance of ψ' by n − 1, statsmodels by n.

    The median of absolute residuals is divided by 0.6745 there, by 0.67449 in statsmodels.
    """
    model = HuberRegressor(epsilon=1.5, alpha=0.0, scale=scale, tol=1e-12, max_iter=1000).fit(X, COUNTS)
    summary, outside = model.summary(), float(np.mean(model.outliers_))
    variance = outside / (1.0 - outside)
    ratio = (1.0 + 3 / 25 * variance) / (1.0 + 3 / 24 * variance)
    precision = 1e-5 if scale == "mad" else 1e-7
    np.testing.assert_allclose(summary.coefficient, ROBUST[scale][0], rtol=precision)
    np.testing.assert_allclose(ratio * summary.standard_error, ROBUST[scale][1], rtol=precision)


@pytest.mark.parametrize(
    "model",
    [Lasso(), ElasticNet(), LassoCV(), Ridge(), RidgeCV(), SGDRegressor(), LinearSVR()],
    ids=lambda m: type(m).__name__,
)
def test_penalised_regressions_refuse_to_give_standard_errors(model):
    name = type(model).__name__
    with pytest.raises(DataError, match=rf"{name} has no standard errors: its penalty(?s:.)*BayesianRidge"):
        model.fit(X, COUNTS).summary()


def test_a_composed_model_names_the_regressions_that_have_a_summary():
    with pytest.raises(DataError, match=r"has no standard errors: most pairs(?s:.)*GammaRegressor or HuberRegressor"):
        GeneralizedLinearEstimator().fit(X, COUNTS).summary()


def test_influence_is_that_of_statsmodels():
    found = residual_diagnostics(LinearRegression().fit(X, COUNTS), X, COUNTS)
    known = {
        "cook": [0.012214423242815537, 0.04769842903971473, 0.044513020036668564, 0.00591371401209349],
        "leverage": [0.05976930797704141, 0.07665669950878574, 0.08426991408267442, 0.18398204354926967],
        "standardised": [-0.7592332297944228, -1.3128623930161334, 1.2046243108134131, 0.28051295616534433],
    }
    for name, values in known.items():
        np.testing.assert_allclose(getattr(found, name)[:4], values, rtol=1e-9)
    assert found.to_frame().shape == (25, 5)
    assert "Cook's distance" in repr(found)
    assert repr(found).startswith("LinearRegression: residuals of 25 rows\nrow")


@pytest.mark.slow
def test_plots_suit_linear_and_other_models():
    axes = plot_residuals(LinearRegression().fit(X, COUNTS), X, COUNTS)
    assert [ax.get_xlabel() for ax in axes.flat] == ["fitted", "normal quantile", "fitted", "leverage"]
    many = np.random.default_rng(0).normal(size=(6000, 2))
    forest = RandomForestRegressor(2, max_depth=2).fit(many, many[:, 0])
    axes = plot_residuals(forest, many, many[:, 0])
    assert axes[1, 1].get_xlabel() == "residual"
    assert len(axes[0, 0].collections[0].get_offsets()) <= 5020
    lasso = residual_diagnostics(Lasso(alpha=0.1).fit(X, COUNTS), X, COUNTS)
    assert lasso.cook is None
    assert lasso.leverage.sum() == pytest.approx(3.0)
    lasso.plot()


def test_residuals_need_one_target_and_survive_an_exact_fit():
    exact = residual_diagnostics(LinearRegression().fit(X, np.ones(25)), X, np.ones(25))
    assert np.abs(exact.residual).max() < 1e-12
    with pytest.raises(DataError, match="the model predicts 2 targets"):
        residual_diagnostics(LinearRegression().fit(X, X), X, X)


@pytest.mark.parametrize(
    "cls", [HuberRegressor, LeastAbsoluteDeviations, BestSubset, BayesianRidge, MAP, MultiTaskLasso]
)
def test_numbers_whose_squares_overflow_are_refused(cls):
    with pytest.raises(DataError, match=r"X has values as large as 2.52e\+200, whose squares are not finite"):
        cls().fit(1e200 * X, COUNTS)
    with pytest.raises(DataError, match="y has values as large as"):
        cls().fit(X, 1e200 * COUNTS)


@pytest.mark.parametrize(
    "model", [HuberRegressor(alpha=0), HuberRegressor(alpha=0, scale="mad"), LeastAbsoluteDeviations(), BestSubset(2)],
    ids=str,
)  # fmt: skip
def test_units_and_origins_of_columns_do_not_matter(model):
    known = model.fit(X, COUNTS).predict(X)
    moved = X * [1e-8, 1e8] + [1e-4, 1e12]
    np.testing.assert_allclose(model.fit(moved, COUNTS).predict(moved), known, rtol=1e-3, atol=1e-3)
