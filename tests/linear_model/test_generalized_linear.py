"""Losses, penalties and solvers, composed: named estimators, SciPy, optimality conditions, and refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

from probus.errors import DataError
from probus.linear_model import (
    L1,
    L1L2,
    L2,
    LBFGS,
    MCP,
    SCAD,
    Box,
    CoordinateDescent,
    ElasticNet,
    GammaRegressor,
    GeneralizedLinearEstimator,
    GroupL2,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Newton,
    NoPenalty,
    PoissonRegressor,
    ProximalGradient,
    Ridge,
    WeightedL1,
)
from probus.linear_model._logistic_fit import logistic_problem
from probus.losses import Gamma, Huber, LogLoss, Poisson, Quantile, SquaredError, SquaredHinge

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 5)) * [1, 2, 0.5, 1, 1]
RAW = X @ [0.5, -0.4, 0.0, 0.3, 0.0] + 0.3
TARGETS = {
    "squared_error": RAW + rng.normal(size=120),
    "huber": RAW + rng.standard_t(2, size=120),
    "log_loss": (rng.random(120) < 1 / (1 + np.exp(-2 * RAW))).astype(int),
    "squared_hinge": (rng.random(120) < 1 / (1 + np.exp(-2 * RAW))).astype(int),
    "poisson": rng.poisson(np.exp(RAW)),
    "gamma": rng.gamma(2.0, np.exp(RAW) / 2),
}
LOSSES = {
    "squared_error": SquaredError(), "huber": Huber(delta=1.0), "log_loss": LogLoss(), "squared_hinge": SquaredHinge(),
    "poisson": Poisson(), "gamma": Gamma(),
}  # fmt: skip
W = rng.uniform(0.3, 2, 120)
CONVEX = [NoPenalty(), L2(0.1), L1(0.05), L1(0.05, positive=True), L1L2(0.1, 0.4),
          WeightedL1(0.1, np.arange(5.0)), Box(-0.2, 0.3, 0.01), GroupL2(0.05, [0, 0, 1, 1, 2])]  # fmt: skip


def objective(name, penalty, w, b, X=X, y=None, weights=None):
    y = np.asarray(TARGETS[name] if y is None else y, dtype=float)
    values = LOSSES[name].value(y, X @ w + b)
    return np.average(values, weights=weights) + penalty.value(np.reshape(w, (-1, 1)))


def fitted(name, penalty, solver=None, **options):
    return GeneralizedLinearEstimator(LOSSES[name], penalty, solver, **options).fit(X, TARGETS[name], W)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("penalty", CONVEX, ids=lambda penalty: type(penalty).__name__)
def test_every_solver_that_takes_a_penalty_finds_the_same_minimum(name, penalty):
    values = []
    for solver in (None, Newton(), LBFGS(), CoordinateDescent(), ProximalGradient()):
        if solver is None or solver.takes(LOSSES[name], penalty):
            model = fitted(name, penalty, solver)
            assert model.optimality_ <= 1e-6
            w = model.coef_.ravel()
            values.append(objective(name, penalty, w, np.ravel(model.intercept_)[0], weights=W))
    assert max(values) - min(values) < 1e-8
    low, high = penalty.kinks(5).low if hasattr(penalty, "kinks") else None, np.full(5, np.inf)
    high = penalty.kinks(5).high if low is not None else high
    low = np.full(5, -np.inf) if low is None else low

    def smooth(v):  # the positive and the negative parts of the coefficients, so that absolute values are linear
        return objective(name, penalty, v[:5] - v[5:10], v[10], weights=W)

    bounds = [(0, max(h, 0)) for h in high] + [(0, max(-s, 0)) for s in low] + [(None, None)]
    theirs = optimize.minimize(smooth, np.full(11, 0.01), bounds=bounds, options={"maxiter": 2000, "maxfun": 10**6})
    assert min(values) <= theirs.fun + 1e-7
    assert theirs.fun - min(values) < 1e-3


def test_named_estimators_are_special_cases():
    n = len(X)
    for penalty, other in [
        (NoPenalty(), LinearRegression()),
        (L2(0.1), Ridge(0.1 * n)),
        (L1(0.1), Lasso(0.1, tol=1e-8)),
        (L1L2(0.1, 0.3), ElasticNet(0.1, l1_ratio=0.3, tol=1e-8)),
        (L1(0.1, positive=True), Lasso(0.1, positive=True, tol=1e-8)),
    ]:
        model = GeneralizedLinearEstimator(penalty=penalty).fit(csr_matrix(X), TARGETS["squared_error"])
        np.testing.assert_allclose(model.coef_, other.fit(X, TARGETS["squared_error"]).coef_, atol=1e-5)
    three = np.digitize(RAW + rng.normal(size=120), [-0.3, 0.7])
    for y, penalty, ratio in [(TARGETS["log_loss"], L2(0.02), 0.0), (three, L2(0.02), 0.0), (three, L1(0.02), 1.0)]:
        model = GeneralizedLinearEstimator("log_loss", penalty).fit(X, y)
        named = LogisticRegression(C=1 / (0.02 * n), l1_ratio=ratio, tol=1e-6).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(X), named.predict_proba(X), atol=1e-5)
        np.testing.assert_array_equal(model.predict(X), named.predict(X))
        assert model.score(X, y) == named.score(X, y)
    for name, named in (("poisson", PoissonRegressor(alpha=0.1)), ("gamma", GammaRegressor(alpha=0.1))):
        model = GeneralizedLinearEstimator(name, L2(0.1)).fit(X, TARGETS[name])
        np.testing.assert_allclose(model.predict(X), named.fit(X, TARGETS[name]).predict(X), rtol=1e-4)


@given(
    st.integers(0, 10_000), st.sampled_from([(30, 4), (8, 25)]), st.sampled_from(list(LOSSES)),
    st.sampled_from([L2(0.1), L1(0.1), L1L2(0.2, 0.7), L1(0.1, positive=True), Box(-0.3, 0.3, 0.05)]),
)  # fmt: skip
@settings(deadline=None, max_examples=40)
def test_no_step_of_a_coefficient_reduces_the_objective(seed, shape, name, penalty):
    draw = np.random.default_rng(seed)
    Z = draw.normal(size=shape)
    Z[:, 1] = Z[:, 0]  # dependent columns
    y = draw.integers(0, 2, shape[0]) if LOSSES[name].for_classes else draw.gamma(1.0, size=shape[0]) + 0.1
    if len(np.unique(y)) < 2:
        return
    model = GeneralizedLinearEstimator(LOSSES[name], penalty).fit(Z, y)
    w, b = model.coef_.ravel().copy(), np.ravel(model.intercept_)[0]
    best = objective(name, penalty, w, b, Z, y)
    kinks = penalty.kinks(shape[1])
    for j in range(shape[1]):
        for step in (-1e-3, 1e-3):
            moved = w.copy()
            moved[j] += step
            if kinks.low[j] <= moved[j] <= kinks.high[j]:
                assert objective(name, penalty, moved, b, Z, y) >= best - 1e-8
    assert model.optimality_ <= 1e-6


@pytest.mark.parametrize("penalty", [MCP(0.2, 3.0), SCAD(0.2, 3.7)], ids=["MCP", "SCAD"])
def test_penalties_that_level_off_threshold_orthogonal_columns(penalty):
    Q = np.linalg.qr(rng.normal(size=(60, 6)))[0] * np.sqrt(60)
    y = Q @ [2.0, 0.5, 0.3, 0.1, -1.0, 0.0]
    expected = penalty.prox((Q.T @ y / 60)[:, None], 1.0).ravel()
    for solver in (CoordinateDescent(), ProximalGradient()):
        model = GeneralizedLinearEstimator(None, penalty, solver, fit_intercept=False).fit(Q, y)
        np.testing.assert_allclose(model.coef_, expected, atol=1e-5)
        assert model.coef_[0] == pytest.approx(2.0, abs=1e-5)  # large coefficients are not shrunk
    assert not penalty.convex
    logistic = GeneralizedLinearEstimator("log_loss", penalty).fit(X, TARGETS["log_loss"])
    assert logistic.optimality_ <= 1e-6


@pytest.mark.parametrize("step", [0.5, 1.0, 2.5, 4.0])
@pytest.mark.parametrize("penalty", [L1(0.5), L1L2(0.8, 0.3), Box(-0.5, 1.0, 0.2), MCP(0.5, 3.0), SCAD(0.5, 3.7)],
                         ids=lambda penalty: type(penalty).__name__)  # fmt: skip
def test_proximal_operators_minimise_by_brute_force(penalty, step):
    grid = np.linspace(-4, 4, 8001)
    kinks = penalty.kinks(1) if penalty.convex else None
    inside = grid if kinks is None else grid[(grid >= kinks.low[0]) & (grid <= kinks.high[0])]
    own = np.array([penalty.value(np.array([[w]])) for w in inside])
    for v in (-3.0, -0.7, 0.0, 0.4, 1.1, 1.9, 3.3):
        totals = 0.5 * (inside - v) ** 2 + step * own
        found = float(penalty.prox(np.array([[v]]), step)[0, 0])
        value = 0.5 * (found - v) ** 2 + step * penalty.value(np.array([[found]]))
        assert value <= totals.min() + 1e-6


def test_groups_are_zero_together():
    model = GeneralizedLinearEstimator(None, GroupL2(0.25, [0, 0, 1, 1, 1])).fit(X, TARGETS["squared_error"])
    zero = model.coef_ == 0
    assert zero[2:].all()
    assert not zero[:2].any()
    assert model.solver_ == "ProximalGradient"


def test_a_warm_start_at_the_solution_needs_one_iteration():
    for solver in (None, ProximalGradient(tol=1e-5)):
        model = fitted("log_loss", L1(0.02), solver, warm_start=True)
        assert model.fit(X, TARGETS["log_loss"], W).n_iter_ == 1


def test_combinations_that_do_not_work_name_those_that_do():
    y = TARGETS["squared_error"]
    with pytest.raises(DataError) as caught:
        GeneralizedLinearEstimator(None, L1(0.1), Newton()).fit(X, y)
    assert str(caught.value) == (
        "Newton does not minimise the loss 'squared_error' with L1(alpha=0.1, positive=False).\n"
        "  Expected Newton needs a penalty with a gradient everywhere (NoPenalty, L2). "
        "Use CoordinateDescent or ProximalGradient, or solver=None, which chooses."
    )
    with pytest.raises(DataError, match=r"CoordinateDescent does not minimise(?s:.)*Use ProximalGradient, or"):
        GeneralizedLinearEstimator(None, GroupL2(0.1, [0, 0, 1, 1, 2]), CoordinateDescent()).fit(X, y)
    with pytest.raises(DataError, match=r"the gradient of the loss 'quantile' has jumps(?s:.)*Use QuantileRegressor"):
        GeneralizedLinearEstimator(Quantile(0.5)).fit(X, y)
    with pytest.raises(DataError, match="WeightedL1 has 2 weights for 5 columns"):
        GeneralizedLinearEstimator(None, WeightedL1(1.0, [1, 2])).fit(X, y)
    with pytest.raises(DataError, match="GroupL2 has the groups of 2 columns for 5"):
        GeneralizedLinearEstimator(None, GroupL2(1.0, [0, 1])).fit(X, y)
    with pytest.raises(DataError, match="'squared_hinge' is for two classes, and there are 3"):
        GeneralizedLinearEstimator(SquaredHinge()).fit(X, np.arange(120) % 3)
    with pytest.raises(DataError, match="contains only one class"):
        GeneralizedLinearEstimator("log_loss").fit(X, np.zeros(120, dtype=int))
    with pytest.raises(DataError, match="1 of 120 values are negative"):
        GeneralizedLinearEstimator("poisson").fit(X, np.append(TARGETS["poisson"][1:], -1))


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: L1(-1.0), "L1: alpha=-1.0"),
        (lambda: L1("a"), "L1: alpha='a'"),
        (lambda: L1([1, 2]), r"L1: alpha=\[1, 2\]"),
        (lambda: GroupL2([[0, 1], [2]], 0.1), r"GroupL2: alpha=\[\[0, 1\], \[2\]\]"),
        (lambda: GroupL2(0.1, [[0, 1], [2]]), r"GroupL2: groups are not numbers .*\n.*\n?.*For example \[0, 0, 1\]"),
        (lambda: Box("a", "b"), "Box: low='a' and high='b'"),
        (lambda: WeightedL1(0.1, ["a"]), "WeightedL1: weights are not one finite number"),
        (lambda: WeightedL1(0.1, [[1.0], [2.0, 3.0]]), "WeightedL1: weights are not one finite number"),
        (lambda: L1L2(1.0, "a"), "L1L2: l1_ratio='a'"),
        (lambda: MCP(1.0, "a"), "MCP: gamma='a'"),
        (lambda: L1L2(1.0, 2.0), "L1L2: l1_ratio=2.0"),
        (lambda: MCP(1.0, 0.5), "MCP: gamma=0.5"),
        (lambda: Box(1.0, 0.0), "Box: low=1.0 and high=0.0"),
        (lambda: WeightedL1(1.0, [-1.0]), "WeightedL1: weights are not"),
        (lambda: GroupL2(1.0, [0.5]), "GroupL2: groups are not"),
    ],
)
def test_invalid_penalties_are_refused(make, text):
    with pytest.raises(DataError, match=text):
        make()


def test_a_fit_that_has_not_converged_says_so():
    with pytest.warns(ConvergenceWarning, match=r"ProximalGradient did not converge in 2 iterations: optimality .*"):
        fitted("log_loss", L1(0.001), ProximalGradient(max_iter=2))


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (Lasso(0.05), "squared_error"),
        (ElasticNet(0.1, l1_ratio=0.3, positive=True), "squared_error"),
        (PoissonRegressor(alpha=0.1), "poisson"),
        (GammaRegressor(alpha=0.1, fit_intercept=False), "gamma"),
    ],
)
def test_a_model_is_the_loss_the_penalty_and_the_solver_that_it_declares(model, name):
    composed = GeneralizedLinearEstimator(*model._composition(), fit_intercept=model.fit_intercept)
    composed.fit(X, TARGETS[name], W)
    model.fit(X, TARGETS[name], W)
    np.testing.assert_array_equal(composed.coef_, model.coef_)
    assert composed.intercept_ == model.intercept_


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
def test_logistic_regression_is_the_loss_the_penalty_and_the_solver_that_it_declares(l1_ratio):
    model = LogisticRegression(C=0.5, l1_ratio=l1_ratio).fit(X, TARGETS["log_loss"], W)
    composition, _ = logistic_problem(X, TARGETS["log_loss"], W, 2, model._settings())
    composed = GeneralizedLinearEstimator(*composition).fit(X, TARGETS["log_loss"], W)
    np.testing.assert_array_equal(composed.coef_, model.coef_)
    np.testing.assert_array_equal(composed.intercept_, model.intercept_)
