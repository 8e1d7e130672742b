"""Standard errors, intervals and tests of coefficients."""

import numpy as np
import pytest
from scipy import stats

import probus
from probus.data import Table
from probus.errors import DataError
from probus.linear_model import (
    BestSubset,
    GammaRegressor,
    HuberRegressor,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    QuantileRegressor,
)

rng = np.random.default_rng(0)
NAMES = ["deflator", "GNP", "unemployed", "forces", "population", "year"]


def test_longley_has_the_certified_standard_errors(longley):
    summary = LinearRegression().fit(Table.of(dict(zip(NAMES, longley[0].T, strict=True))), longley[1]).summary()
    certified = [84.9149257747669, 0.0334910077722432, 0.488399681651699, 0.214274163161675, 0.226073200069370,
                 455.478499142212, 890420.383607373]  # fmt: skip
    np.testing.assert_allclose(summary.standard_error, certified, rtol=1e-8)
    assert summary.terms == (*NAMES, "intercept")
    text = repr(summary)
    assert text.startswith("LinearRegression: R² 0.9955 (adjusted 0.9925)")
    assert "residual standard error 304.9 on 9 degrees of freedom" in text
    assert "nearly dependent" in text
    assert "<table>" in summary._repr_html_()
    assert summary.to_frame().shape == (7, 7)
    assert summary.plot().get_xlabel() == "coefficient, 95 % interval"


def test_one_column_is_the_test_of_a_correlation():
    x, y = rng.normal(size=30), rng.normal(size=30)
    summary = LinearRegression().fit(x[:, None], y).summary(level=0.9)
    known = stats.linregress(x, y)
    assert summary.p_value[0] == pytest.approx(known.pvalue)
    assert summary.standard_error == pytest.approx([known.stderr, known.intercept_stderr])
    assert summary.high[0] - summary.low[0] == pytest.approx(2 * stats.t(28).ppf(0.95) * known.stderr)


def test_many_rows_give_the_errors_of_few():
    """From products of columns, not from a factorisation."""
    X = rng.normal(size=(30_000, 4)) + 5
    Y = X[:, :2] + rng.normal(size=(30_000, 2))
    w = rng.uniform(0.5, 2, 30_000)
    many = LinearRegression().fit(X, Y, w).summary()
    root, ones = np.sqrt(w)[:, None], np.column_stack([X, np.ones(30_000)])
    Q, R = np.linalg.qr(ones * root)
    coef = np.linalg.solve(R, Q.T @ (Y * root))
    variance = ((Y * root - ones * root @ coef) ** 2).sum(axis=0) / (30_000 - 5)
    errors = np.sqrt(np.outer(variance, np.diag(np.linalg.inv(R.T @ R))))
    np.testing.assert_allclose(many.standard_error, errors.ravel(), rtol=1e-6)
    assert many.terms[:2] == ("target 0: x0", "target 0: x1")


@pytest.mark.slow
def test_intervals_hold_as_often_as_they_say():
    X = rng.normal(size=(25, 3))
    held = []
    for _ in range(400):
        summary = LinearRegression().fit(X, X @ [1.0, 0.0, -2.0] + 3.0 + rng.normal(size=25)).summary(level=0.9)
        held.append((summary.low <= [1, 0, -2, 3]) & (summary.high >= [1, 0, -2, 3]))
    assert np.mean(held) == pytest.approx(0.9, abs=0.025)


def test_what_has_no_standard_errors_is_explained():
    X = rng.normal(size=(20, 2))
    model = LinearRegression().fit(np.column_stack([X, X[:, 0]]), X[:, 0])
    with pytest.raises(DataError, match=r"no standard errors. Constant, or combinations of the columns before.*'x2'\."):
        model.summary()
    with pytest.raises(DataError, match=r"no standard errors. Columns are dependent or too many(?s:.)*Drop columns"):
        LinearRegression().fit(rng.normal(size=(3, 2)), [1.0, 2.0, 4.0]).summary()
    with pytest.raises(DataError, match=r"level is 95"):
        LinearRegression().fit(X, X[:, 0]).summary(level=95)


def test_a_saved_model_has_its_summary(tmp_path):
    model = LinearRegression().fit(rng.normal(size=(20, 2)), rng.normal(size=20))
    probus.save(model, tmp_path / "m.probus")
    assert repr(probus.load(tmp_path / "m.probus").summary()) == repr(model.summary())


@pytest.mark.parametrize("k", [2, 3])
def test_standard_errors_of_classes_are_those_of_the_observed_information(k):
    X = rng.normal(size=(300, 2))
    y = (X @ rng.normal(size=(2, k)) + rng.gumbel(size=(300, k))).argmax(axis=1)
    summary = LogisticRegression(C=np.inf).fit(X, y).summary()
    rows = np.column_stack([X, np.ones(300)])

    def loss(flat):
        raw = np.column_stack([np.zeros(300), rows @ flat.reshape(k - 1, 3).T])
        return (np.logaddexp.reduce(raw, axis=1) - raw[np.arange(300), y]).sum()

    best, step = summary.coefficient, 1e-4
    units = step * np.eye(len(best))
    hessian = [[(loss(best + a + b) - loss(best + a - b) - loss(best - a + b) + loss(best - a - b)) / (4 * step**2)
                for a in units] for b in units]  # fmt: skip
    np.testing.assert_allclose(summary.standard_error, np.sqrt(np.diag(np.linalg.inv(hessian))), rtol=1e-3)
    assert summary.terms[-1] == ("intercept" if k == 2 else "2: intercept")
    assert "odds ratio" in repr(summary)
    assert "bias" not in repr(summary)


def test_a_penalty_is_mentioned_and_absolute_values_have_no_standard_errors():
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + rng.normal(size=60) > 0
    assert "shrunk by the penalty" in repr(LogisticRegression().fit(X, y).summary())
    with pytest.raises(DataError, match=r"the penalty is on absolute values"):
        LogisticRegression(l1_ratio=1.0).fit(X, y).summary()


@pytest.mark.parametrize(
    "model",
    [
        LinearRegression(),
        PoissonRegressor(alpha=0.0),
        GammaRegressor(alpha=0.0),
        BestSubset(2),
        HuberRegressor(alpha=0.0, tol=1e-8),
        QuantileRegressor(alpha=0.0),
    ],
)
def test_rows_without_weight_are_no_observations(model):
    draws = np.random.default_rng(1)
    X, y = draws.normal(size=(50, 2)), draws.poisson(5.0, 50) + 1.0
    weighted = model.fit(X, y, np.repeat([0.0, 1.0], [20, 30])).summary()
    alone = model.fit(X[20:], y[20:]).summary()
    np.testing.assert_allclose(weighted.standard_error, alone.standard_error, rtol=1e-5)
    assert "30 rows" in repr(weighted) or "; 20 without weight, which do not count" in repr(weighted)


def test_an_exact_fit_and_a_constant_target_are_noted():
    X = np.random.default_rng(2).normal(size=(30, 2))
    exact = repr(LinearRegression().fit(X, X @ [1.0, 2.0]).summary())
    assert "e+1" in exact
    assert "The fit is exact up to rounding" in exact
    assert max(map(len, exact.split())) < 20
    constant = LinearRegression().fit(X, np.full(30, 0.1)).summary()
    assert repr(constant).startswith("LinearRegression: R² undefined: the target is constant\n")
    assert "nan" not in repr(constant)
    assert "-0" not in repr(constant)
    noisy = LinearRegression().fit(X, X @ [1.0, 2.0] + 1e-3 * X[::-1, 0]).summary()
    assert "exact" not in repr(noisy)


def test_no_penalty_is_no_shrinkage_and_a_constraint_is_named():
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    with pytest.warns(FutureWarning, match="penalty"):
        summary = LogisticRegression(penalty=None).fit(X, y).summary()
    assert "shrunk" not in repr(summary)
    with pytest.raises(DataError, match="no standard errors with positive=True, which keeps some coefficients at 0"):
        LinearRegression(positive=True).fit(X, y).summary()


def test_counts_that_vary_more_than_poisson_are_noted():
    draws = np.random.default_rng(0)
    X, counts = draws.normal(size=(80, 2)), draws.negative_binomial(1, 0.1, 80)
    model = PoissonRegressor(alpha=0.0).fit(X, counts)
    mean = model.predict(X)
    assert model.dispersion_ == pytest.approx(np.sum((counts - mean) ** 2 / mean) / 77)
    assert f"The counts vary {model.dispersion_:.2g} times as much as Poisson's" in repr(model.summary())
    plain = PoissonRegressor(alpha=0.0).fit(X, draws.poisson(3.0, 80))
    assert "The counts vary" not in repr(plain.summary())


@pytest.mark.parametrize(
    "model", [LinearRegression(), HuberRegressor(alpha=0.0, tol=1e-9), QuantileRegressor(alpha=0.0)]
)
def test_precisions_have_no_unit(model):
    draws = np.random.default_rng(3)
    X, y, w = draws.normal(size=(40, 2)), draws.normal(size=40), draws.integers(1, 4, 40).astype(float)
    small, large = (model.fit(X, y, factor * w).summary().standard_error for factor in (1.0, 10.0))
    np.testing.assert_allclose(large, small, rtol=1e-5)


def test_labels_of_several_targets_are_refused():
    with pytest.raises(DataError, match=r"values that are not numbers: 'a', 'b'"):
        LinearRegression().fit(np.eye(3), [["a", "b"]] * 3)
