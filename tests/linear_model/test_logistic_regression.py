"""Logistic regression: glmnet's coefficients, scikit-learn's solutions, and the optimality conditions."""

import warnings

import numpy as np
import pytest
import sklearn.linear_model as peer
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsRestClassifier

import probus.linear_model.solvers._newton as newton
from probus.datasets import iris, spam
from probus.errors import DataError
from probus.linear_model import LogisticRegression
from probus.linear_model.datafits._smooth_problem import SmoothProblem
from probus.linear_model.datafits._softmax_reference import SoftmaxAgainst
from probus.losses import Gamma, LogLoss, Poisson, Softmax, SquaredError, SquaredHinge, Tweedie

rng = np.random.default_rng(0)


def sample(n, p, k, seed=0):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, p)) * draw.uniform(0.3, 3, p) + 1
    return X, (X @ draw.normal(size=(p, k)) * 0.5 + draw.gumbel(size=(n, k))).argmax(axis=1)


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def test_the_lasso_on_spam_is_that_of_glmnet():
    """glmnet(scale(x), type, family = "binomial", standardize = FALSE, thresh = 1e-14), its 11th of 20 penalties."""
    table, penalty = spam(), 0.0049369907284
    y = table["type"].decoded() == "spam"
    X = standardised(table.drop("type").numbers())
    model = LogisticRegression(C=1 / (penalty * len(y)), l1_ratio=1.0, tol=1e-6).fit(X, y)
    names = dict(zip(table.drop("type").names, model.coef_[0], strict=True))
    expected = {"make": -0.0137754587, "remove": 0.8734894381, "hp": -1.5927477603, "receive": 0, "capitalAve": 0,
                "charDollar": 1.0856665275, "capitalTotal": 0.3078412733}  # fmt: skip
    assert {name: names[name] for name in expected} == pytest.approx(expected, abs=2e-6)
    assert model.intercept_[0] == pytest.approx(-1.007994697, abs=2e-6)


def test_the_lasso_on_iris_is_that_of_glmnet():
    """glmnet(scale(x), Species, family = "multinomial", standardize = FALSE, thresh = 1e-14), 11th of 20 penalties."""
    table = iris()
    target = next(name for name in table.names if table[name].kind.has_levels)
    X = standardised(table.drop(target).numbers())
    model = LogisticRegression(C=1 / (0.011431024986 * 150), l1_ratio=1.0, tol=1e-6).fit(X, table[target].decoded())
    expected = [[0, 0.72757808344, -4.2362502009, 0], [0, 0, 0, 0], [0, -0.37479081879, 2.7074533694, 4.3038554292]]
    np.testing.assert_allclose(model.coef_, expected, atol=1e-4)
    np.testing.assert_allclose(model.intercept_, [-0.053751879945, 2.2577894761, -2.2040375962], atol=1e-4)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"class_weight": "balanced"}, {"C": 0.01}])
def test_solutions_are_those_of_scikit_learn(k, weighted, sparse, options):
    X, y = sample(200, 4, k)
    w = rng.uniform(0.2, 2, 200) if weighted else None
    ours = LogisticRegression(**options).fit(csr_matrix(X) if sparse else X, y, w)
    theirs = peer.LogisticRegression(tol=1e-10, max_iter=10_000, **options).fit(X, y, w)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-5)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=2e-5)
    np.testing.assert_allclose(ours.predict_log_proba(X), np.log(ours.predict_proba(X)), atol=1e-12)
    assert ours.optimality_ < 1e-9


@given(st.integers(0, 10_000), st.sampled_from([(40, 5), (20, 30)]), st.sampled_from([2, 3]), st.floats(0.05, 1))
@settings(deadline=None, max_examples=25)
def test_the_optimality_conditions_hold(seed, shape, k, l1_ratio):
    X, y = sample(*shape, k, seed)
    if len(np.unique(y)) < k:
        return
    model = LogisticRegression(C=0.5, l1_ratio=l1_ratio).fit(X, y)
    Y = np.eye(k)[y][:, 1:] if k == 2 else np.eye(k)[y]
    P = model.predict_proba(X)[:, 1:] if k == 2 else model.predict_proba(X)
    slope = -(Y - P).T @ X * 0.5 + (1 - l1_ratio) * model.coef_
    inside = np.maximum(np.abs(slope) - l1_ratio, 0.0)
    violation = np.where(model.coef_ != 0, np.abs(slope + l1_ratio * np.sign(model.coef_)), inside)
    assert violation.max() < 1e-4
    assert np.abs((Y - P).sum(axis=0)).max() < 1e-3


@pytest.mark.parametrize("k", [2, 4])
def test_many_variables_are_solved_without_a_hessian(k, monkeypatch):
    X, y = sample(300, 6, k)
    expected = LogisticRegression().fit(X, y)
    monkeypatch.setattr(newton, "_LARGEST_SYSTEM", 1)
    np.testing.assert_allclose(LogisticRegression().fit(X, y).coef_, expected.coef_, atol=1e-3)


@pytest.mark.slow
def test_many_rows_start_from_a_sample(monkeypatch):
    X, y = sample(5000, 4, 2)
    expected = LogisticRegression().fit(X, y)
    monkeypatch.setattr(newton, "_MANY_ROWS", 300)
    found = LogisticRegression().fit(X, y)
    assert found.n_iter_[0] < expected.n_iter_[0]
    np.testing.assert_allclose(found.coef_, expected.coef_, atol=1e-6)


@pytest.mark.parametrize(
    "loss",
    [LogLoss(), Softmax(3), SoftmaxAgainst(4, 1), Poisson(), Gamma(), Tweedie(1.5), SquaredError(), SquaredHinge()],
    ids=lambda loss: type(loss).__name__,
)
def test_gradient_and_hessian_are_finite_differences(loss):
    X = rng.normal(size=(50, 3))
    y = np.abs(rng.normal(size=50)) + 0.1 if not loss.for_classes else rng.integers(0, loss.n_outputs + 1, 50) % 3.0
    y = np.minimum(y, 1.0) if isinstance(loss, (LogLoss, SquaredHinge)) else y
    problem = SmoothProblem(X, y, rng.uniform(0.5, 2, 50), loss, 0.3, intercept=True)
    theta = 0.3 * rng.normal(size=problem.shape)
    _, slope, curvature = problem.evaluate(theta, hessian=True)
    for at in np.ndindex(*problem.shape):
        step = np.zeros(problem.shape)
        step[at] = 1e-5
        (up, up_slope, _), (down, down_slope, _) = (problem.evaluate(theta + s * step) for s in (1, -1))
        assert slope[at] == pytest.approx((up - down) / 2e-5, abs=1e-7)
        if not isinstance(loss, Gamma):  # its expected hessian differs from the observed one
            column = curvature.reshape(*problem.shape[::-1], *problem.shape[::-1])[:, :, at[1], at[0]].T
            np.testing.assert_allclose(column, (up_slope - down_slope) / 2e-5, atol=1e-6)
    direction = rng.normal(size=problem.shape)
    for size in (0.0, 0.7):
        _, slope, _ = problem.evaluate(theta + size * direction)
        assert problem.slope_along(theta, direction)(size) == pytest.approx((slope * direction).sum())


def test_separated_classes_are_reported_and_the_answer_is_finite():
    X, y = [[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1]
    with pytest.warns(
        ConvergenceWarning, match="perfectly separated: without a penalty the coefficients have no finite"
    ):
        model = LogisticRegression(C=np.inf).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert model.score(X, y) == 1.0


def test_one_class_is_refused():
    with pytest.raises(DataError, match=r"needs samples of at least 2 classes in the data, but .* only one class: 'a'"):
        LogisticRegression().fit([[1.0], [2.0]], ["a", "a"])


def test_a_warm_start_at_the_solution_needs_one_iteration():
    X, y = sample(100, 3, 3)
    model = LogisticRegression(warm_start=True).fit(X, y)
    assert model.n_iter_[0] > 1
    assert model.fit(X, y).n_iter_[0] == 1


@pytest.mark.parametrize("penalty", ["l1", "l2", "elasticnet", None])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_deprecated_penalty_is_translated(penalty):
    X, y = sample(100, 3, 2)
    with pytest.warns(FutureWarning, match="'penalty' was deprecated"):
        old = LogisticRegression(penalty, l1_ratio=0.5).fit(X, y)
    new = {"l1": {"l1_ratio": 1.0}, "l2": {}, "elasticnet": {"l1_ratio": 0.5}, None: {"C": np.inf}}[penalty]
    np.testing.assert_array_equal(old.coef_, LogisticRegression(**new).fit(X, y).coef_)


def test_liblinear_is_that_of_scikit_learn():
    X, y = sample(100, 3, 2)
    ours, theirs = (c(solver="liblinear").fit(X, y) for c in (LogisticRegression, peer.LogisticRegression))
    np.testing.assert_array_equal(ours.coef_, theirs.coef_)


def test_inconsistent_penalties_are_reported():
    X, y = sample(60, 3, 2)
    with pytest.warns(UserWarning, match="Inconsistent values: penalty=l2 with l1_ratio=1.0"):
        LogisticRegression("l2", l1_ratio=1.0).fit(X, y)
    with pytest.warns(UserWarning, match="penalty=None will ignore the C"):
        LogisticRegression(None, C=4).fit(X, y)
    with pytest.raises(DataError, match="l1_ratio must be specified"), pytest.warns(FutureWarning):
        LogisticRegression("elasticnet", l1_ratio=None).fit(X, y)
    with pytest.warns(FutureWarning, match="'l1_ratio=None' was deprecated"):
        LogisticRegression(l1_ratio=None).fit(X, y)
    with pytest.warns(FutureWarning, match="'n_jobs' has no effect"):
        LogisticRegression(n_jobs=2).fit(X, y)


def test_a_fit_that_has_not_converged_says_so_in_the_words_of_its_solver():
    X, y = sample(60, 3, 2)
    for solver, words in {"lbfgs": "lbfgs failed to converge", "saga": "The max_iter was reached"}.items():
        with pytest.warns(ConvergenceWarning, match=rf"{words}.*optimality .* Increase the number of iterations"):
            model = LogisticRegression(solver=solver, max_iter=1, tol=1e-12).fit(X, y)
        assert model.n_iter_[0] == 1


@pytest.mark.parametrize(("C", "l1_ratio"), [(np.inf, 0.0), (0.7, 0.0), (0.7, 0.5)])
def test_a_reference_class_has_no_coefficients(C, l1_ratio):
    X, y = sample(300, 3, 3)
    labels = np.array(["a", "b", "c"])[y]
    model = LogisticRegression(C=C, l1_ratio=l1_ratio, reference="b", tol=1e-6).fit(X, labels)
    np.testing.assert_array_equal(model.coef_[1], 0.0)
    assert model.intercept_[1] == 0.0
    if np.isinf(C):  # the same probabilities, other coordinates
        free = LogisticRegression(C=C, tol=1e-6).fit(X, labels)
        np.testing.assert_allclose(model.coef_, free.coef_ - free.coef_[1], atol=1e-5)
        np.testing.assert_allclose(model.predict_proba(X), free.predict_proba(X), atol=1e-6)
        assert model.summary().terms[:2] == ("a: x0", "a: x1")
        return
    left, own = model.predict_proba(X) - np.eye(3)[y], model.coef_[[0, 2]]
    slope = (C * left.T @ X)[[0, 2]] + (1 - l1_ratio) * own
    violation = np.where(own != 0, np.abs(slope + l1_ratio * np.sign(own)), np.maximum(np.abs(slope) - l1_ratio, 0.0))
    assert violation.max() < 1e-3


def test_an_unknown_reference_is_refused():
    X, y = sample(60, 3, 3)
    with pytest.raises(DataError, match="reference=7 with multi_class='multinomial' and the classes 0, 1, 2"):
        LogisticRegression(reference=7).fit(X, y)


@pytest.mark.parametrize("options", [{}, {"l1_ratio": 1.0, "C": 0.3}])
def test_one_against_the_rest_is_a_model_for_each_class(options):
    X, y = sample(200, 4, 3)
    model = LogisticRegression(multi_class="ovr", tol=1e-6, **options).fit(X, y)
    solver = {"solver": "saga", "max_iter": 50_000} if options else {"max_iter": 10_000}
    theirs = OneVsRestClassifier(peer.LogisticRegression(tol=1e-10, **options, **solver)).fit(X, y)
    np.testing.assert_allclose(model.coef_, np.concatenate([m.coef_ for m in theirs.estimators_]), atol=1e-4)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), atol=1e-4)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(model.predict_proba(X)))
    assert len(model.n_iter_) == 3
    again = model.set_params(warm_start=True).fit(X, y)
    assert again.n_iter_.max() == 1


def test_coefficients_may_be_sparse():
    X, y = sample(100, 6, 3)
    model = LogisticRegression(C=0.1, l1_ratio=1.0).fit(X, y)
    expected = model.predict_proba(X)
    assert model.sparsify().coef_.nnz < 18
    np.testing.assert_allclose(model.predict_proba(csr_matrix(X)), expected)
    np.testing.assert_allclose(model.densify().predict_proba(X), expected)


def test_coefficients_have_the_precision_of_the_input():
    X, y = sample(100, 4, 3)
    double, single = (LogisticRegression().fit(X.astype(dtype), y) for dtype in (np.float64, np.float32))
    assert single.coef_.dtype == single.intercept_.dtype == np.float32
    np.testing.assert_allclose(single.coef_, double.coef_, atol=1e-5)


def test_many_variables_are_fitted_to_a_gradient_of_a_hundredth_of_the_tolerance():
    draw = np.random.default_rng(0)
    rows = draw.normal(size=(300, 1_100))
    labels = rows[:, 0] + draw.normal(size=300) > 0
    model = LogisticRegression().fit(rows, labels)
    assert model.optimality_ <= 1e-6
    error = model.predict_proba(rows)[:, 1] - labels
    assert np.abs(error @ rows + model.coef_[0]).max() / 300 <= 2e-6


@pytest.mark.parametrize("tol", [1e-4, 1e-8])
@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_absolute_values_of_nearly_separable_classes_are_minimised_in_few_iterations(load, tol):
    X, y = load(return_X_y=True)  # columns of very different sizes
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LogisticRegression(C=1e4, l1_ratio=1.0, tol=tol).fit(X, y)
    assert model.n_iter_.max() < 60
    wrong = model.predict_proba(X) - (y[:, None] == model.classes_)
    wrong = wrong[:, 1:] if len(model.classes_) == 2 else wrong
    slope, size = wrong.T @ X * 1e4, np.sqrt(np.mean(X**2, axis=0)) * 1e4 * len(X)
    coef = model.coef_
    violation = np.where(coef == 0, np.maximum(np.abs(slope) - 1, 0), np.abs(slope + np.sign(coef)))
    assert np.max(violation / size) <= 1e-2 * tol
    assert np.max(np.abs(wrong.mean(axis=0))) <= 1e-2 * tol


@pytest.mark.parametrize("load", [load_wine, load_iris])
def test_absolute_values_of_several_classes_are_minimised_in_few_iterations(load):
    """The hessian of the softmax is singular; rounding made steps of it as large as 1e100."""
    X, y = load(return_X_y=True)
    model = LogisticRegression(l1_ratio=1.0).fit(X, y)
    assert model.n_iter_[0] <= 15


@pytest.mark.parametrize(("C", "limit"), [(1.0, 8), (np.inf, 11)])
def test_newton_steps_are_extended_where_the_curvature_falls(C, limit):
    table = spam()
    words = table.drop("type").numbers()
    words = (words - words.mean(axis=0)) / words.std(axis=0)
    model = LogisticRegression(C=C).fit(words, table["type"].decoded())
    assert model.n_iter_[0] <= limit
    assert model.optimality_ <= 1e-10


@pytest.mark.parametrize("k", [2, 3])
def test_standard_errors_are_those_of_the_hessian_at_the_coefficients(k):
    X, y = sample(300, 4, k, seed=1)
    summary = LogisticRegression(C=np.inf).fit(X, y).summary()
    exact = LogisticRegression(C=np.inf, tol=1e-9).fit(X, y).summary()
    rows, p = np.column_stack([X, np.ones(300)]), LogisticRegression(C=np.inf, tol=1e-9).fit(X, y).predict_proba(X)
    blocks = [[rows.T @ (rows * (p[:, a] * ((a == b) - p[:, b]))[:, None]) for b in range(1, k)] for a in range(1, k)]
    errors = np.sqrt(np.linalg.inv(np.block(blocks)).diagonal())
    np.testing.assert_allclose(summary.standard_error, errors, rtol=3e-5)
    np.testing.assert_allclose(exact.standard_error, errors, rtol=3e-5)


def test_odds_ratios_of_separated_classes_overflow_silently():
    X = np.linspace(-1, 1, 40)[:, None]
    with pytest.warns(ConvergenceWarning, match="separated"):
        model = LogisticRegression(C=np.inf).fit(X, X[:, 0] > 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "odds ratio" in repr(model.summary())
