"""Standard errors for unequal variance, groups and overdispersion, against R 4.2 (sandwich 3.0-2, lmtest 0.9-40)."""

import copy
import json
import pickle
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

import probus
from probus.errors import DataError
from probus.linear_model import (
    BestSubset,
    GammaRegressor,
    HuberRegressor,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    PoissonRegressor,
)
from probus.linear_model.inference._assumption_tests import breusch_pagan, by_squares, like_the_row_before

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
GROUPS = np.tile(np.arange(5), 5)
PRECISIONS = np.tile([1.0, 2.0, 0.5, 3.0, 1.0], 5)
ones = np.column_stack([X, np.ones(25)])


@pytest.mark.parametrize(
    ("model", "y", "weights", "known"),
    [  # sqrt(diag(vcovHC(fit, "HC3")))[c(2, 3, 1)]
        (LinearRegression(), COUNTS, None, [0.761252083825, 0.866091466780, 0.654298826587]),
        (LinearRegression(), COUNTS, PRECISIONS, [0.367298224787, 0.555964404269, 0.429613183233]),
        (PoissonRegressor(alpha=0, tol=1e-10), COUNTS, None, [0.135004991418, 0.149546188392, 0.138901339208]),
        (GammaRegressor(alpha=0, tol=1e-10), AMOUNTS, None, [0.162454603189, 0.184600802359, 0.132122865184]),
        (LogisticRegression(C=np.inf), COUNTS > 2, None, [0.576992819336, 0.618624320382, 0.553711643416]),
    ],
)
def test_robust_errors_are_those_of_sandwich(model, y, weights, known):
    summary = model.fit(X, y, weights).summary(errors="robust")
    np.testing.assert_allclose(summary.standard_error, known, rtol=1e-4)
    assert "robust (HC3)" in repr(summary)


def test_robust_least_squares_are_tested_by_t():
    """``coeftest(fit, vcov = vcovHC(fit, "HC3"))``."""
    summary = LinearRegression().fit(X, COUNTS).summary(errors="robust")
    np.testing.assert_allclose(summary.p_value, [0.098059, 0.026578, 8.2162e-05], rtol=1e-4)


def test_clustered_errors_of_least_squares_are_those_of_sandwich():
    """``vcovCL(fit, groups, type = "HC3", cadjust = FALSE)``; t with one degree of freedom less than groups."""
    summary = LinearRegression().fit(X, COUNTS).summary(errors="clustered", groups=GROUPS)
    np.testing.assert_allclose(summary.standard_error, [0.272113839663, 0.775892905239, 0.201734464146], rtol=1e-9)
    from scipy import stats

    np.testing.assert_allclose(summary.p_value, 2 * stats.t(4).sf(np.abs(summary.statistic)))
    assert "within 5 groups" in repr(summary)
    assert "So few groups" in repr(summary)


def test_clustered_errors_are_the_jackknife_over_groups():
    rng = np.random.default_rng(0)
    rows, group = rng.normal(size=(90, 2)), np.repeat(np.arange(18), 5)
    Y = rows[:, :1] + rng.normal(size=(18, 2))[group]
    summary = LinearRegression().fit(rows, Y).summary(errors="clustered", groups=group.astype(str))
    whole = np.column_stack([rows, np.ones(90)])
    best = np.linalg.lstsq(whole, Y, rcond=None)[0]
    without = [np.linalg.lstsq(whole[group != g], Y[group != g], rcond=None)[0] - best for g in range(18)]
    np.testing.assert_allclose(summary.standard_error, np.sqrt(17 / 18 * np.square(without).sum(axis=0)).T.ravel())


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("C", [np.inf, 1.0])
def test_errors_of_classes_are_near_those_of_fits_without_each_group(k, C):
    rng = np.random.default_rng(1)
    rows, group = rng.normal(size=(600, 2)), np.repeat(np.arange(60), 10)
    raw = rows @ rng.normal(size=(2, k)) + rng.normal(size=(60, k))[group]
    y = (raw + rng.gumbel(size=(600, k))).argmax(axis=1)

    def coefficients(kept):
        fitted = LogisticRegression(C=C, tol=1e-8).fit(rows[kept], y[kept])
        values = np.column_stack([fitted.coef_, fitted.intercept_])
        return (values if k == 2 else values[1:] - values[0]).ravel()

    model = LogisticRegression(C=C, tol=1e-8).fit(rows, y)
    found = model.summary(errors="clustered", groups=group).standard_error
    moved = np.array([coefficients(group != g) for g in range(60)]) - coefficients(group >= 0)
    np.testing.assert_allclose(found, np.sqrt(59 / 60 * np.square(moved).sum(axis=0)), rtol=0.02)


def test_classes_in_groups_of_one_row_have_robust_errors():
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(200, 2))
    y = (rows[:, 0] + rng.gumbel(size=(3, 200))).argmax(axis=0)
    for model in (LogisticRegression(C=np.inf), LogisticRegression(C=np.inf, reference=1)):
        model.fit(rows, y)
        robust = model.summary(errors="robust").standard_error
        clustered = model.summary(errors="clustered", groups=np.arange(200)).standard_error
        np.testing.assert_allclose(robust, clustered * np.sqrt(200 / 199), rtol=1e-6)


def test_quasi_poisson_is_that_of_r():
    """``summary(glm(counts ~ a + b, quasipoisson))``."""
    model = PoissonRegressor(alpha=0, tol=1e-10).fit(X, COUNTS)
    summary = model.summary(errors="quasi")
    np.testing.assert_allclose(summary.standard_error, [0.113069031651, 0.166715537624, 0.151143013458], rtol=1e-6)
    np.testing.assert_allclose(summary.p_value, [9.38926240262e-03, 2.07143362579e-04, 8.05047438309e-06], rtol=1e-5)
    assert "quasi-Poisson" in repr(summary)
    with pytest.raises(DataError, match=r"errors='quasi'(?s:.)*one of 'model', 'robust', 'clustered'"):
        GammaRegressor(alpha=0).fit(X, AMOUNTS).summary(errors="quasi")


def test_huber_has_the_sandwich_with_leverages():
    model = HuberRegressor(epsilon=1.345, alpha=0, scale="mad", tol=1e-12).fit(X, COUNTS)
    r = COUNTS - model.predict(X)
    inside = np.abs(r) <= 1.345 * model.scale_
    inverse = np.linalg.inv((ones * inside[:, None]).T @ ones)
    leverage = inside * np.einsum("ij,jk,ik->i", ones, inverse, ones)
    steps = (ones * (np.clip(r, -1.345 * model.scale_, 1.345 * model.scale_) / (1 - leverage))[:, None]) @ inverse
    found = model.summary(errors="robust").standard_error
    np.testing.assert_allclose(found, np.sqrt(np.square(steps).sum(axis=0)), rtol=1e-6)


def test_breusch_pagan_is_that_of_lmtest():
    model = LinearRegression().fit(X, COUNTS)
    r = COUNTS - model.predict(X)
    assert breusch_pagan(X, r**2) == pytest.approx(0.00137643827772)
    assert model.inference_.assumptions.by_columns[0] == pytest.approx(0.00137643827772)
    f = model.predict(X)
    assert breusch_pagan(np.column_stack([f, f**2]), r**2) == pytest.approx(3.41965293892e-05)


def test_dependent_columns_count_once_in_breusch_pagan():
    squares = np.random.default_rng(0).normal(size=25) ** 2
    assert breusch_pagan(np.column_stack([X, X[:, 0] - X[:, 1]]), squares) == pytest.approx(breusch_pagan(X, squares))


def test_a_variance_that_grows_to_both_sides_is_found():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 3))
    model = LinearRegression().fit(rows, rows[:, 1] + rows[:, 0] * rng.normal(size=200))
    assert model.inference_.assumptions.by_squares[0] < 0.001
    assert 'Use summary(errors="robust")' in repr(model.summary())
    assert 'errors="robust"' not in repr(model.summary(errors="robust"))


@pytest.mark.slow
def test_tests_of_assumptions_reject_as_often_as_they_say():
    found = []
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        rows = rng.normal(size=(50, 3))
        noise = rng.standard_t(5, 50)
        r = noise - rows @ np.linalg.lstsq(rows, noise, rcond=None)[0]
        found.append([breusch_pagan(rows, r**2), by_squares(rows, r**2), like_the_row_before(r)])
    share = np.mean(np.array(found) < 0.05, axis=0)
    assert (share < 0.07).all()
    assert (share[:2] > 0.02).all()


def test_summaries_test_what_they_assume():
    rng = np.random.default_rng(0)
    rows, group = rng.normal(size=(300, 2)), np.repeat(np.arange(30), 10)
    even = repr(LinearRegression().fit(rows, rows[:, 0] + rng.normal(size=300)).summary())
    assert "equal variance of errors p =" in even
    assert "independent successive rows p =" in even
    assert "Use summary" not in even
    effect = rng.normal(size=30)[group]
    for model, y in (
        (LinearRegression(), effect + rng.normal(size=300)),
        (HuberRegressor(), effect + rng.normal(size=300)),
        (LogisticRegression(C=np.inf), effect + rng.logistic(size=300) / 2 > 0),
        (PoissonRegressor(alpha=0), rng.poisson(np.exp(effect))),
        (GammaRegressor(alpha=0), np.exp(effect) * rng.gamma(2.0, size=300)),
    ):
        text = repr(model.fit(rows, y).summary())
        assert 'summary(errors="clustered", groups=...)' in text, type(model)
    text = repr(PoissonRegressor(alpha=0).fit(rows, rng.poisson(np.exp(effect))).summary())
    assert "Pearson's dispersion" in text
    assert 'summary(errors="quasi")' in text


def test_weights_of_classes_and_counts_count_rows():
    rng = np.random.default_rng(3)
    rows, times = rng.normal(size=(80, 2)), rng.integers(0, 4, 80)
    y, group = rng.poisson(np.exp(rows[:, 0])), np.arange(80) // 4
    again = np.repeat(np.arange(80), times)
    for model, target in (
        (PoissonRegressor(alpha=0.1), y),
        (LogisticRegression(class_weight="balanced"), y > 1),
        (BestSubset(n_features=1), y),
    ):
        once = copy.deepcopy(model).fit(rows, target, times)
        many = copy.deepcopy(model).fit(rows[again], target[again])
        for how, other in (({"errors": "robust"},) * 2, ({"groups": group}, {"groups": group[again]})):
            how, other = {"errors": "clustered", **how}, {"errors": "clustered", **other}
            expected = many.summary(**other).standard_error
            np.testing.assert_allclose(once.summary(**how).standard_error, expected, rtol=1e-5)


def test_sparse_rows_have_the_errors_of_dense_ones():
    y = COUNTS > 2
    dense, sparse = (LogisticRegression().fit(rows, y).summary(errors="robust") for rows in (X, csr_array(X)))
    np.testing.assert_allclose(sparse.standard_error, dense.standard_error, rtol=1e-6)


def test_cross_validated_penalties_have_robust_errors():
    model = LogisticRegressionCV(Cs=[1.0], cv=2, scoring="accuracy", l1_ratios=(0.0,), use_legacy_attributes=False)
    found = model.fit(X, COUNTS > 2).summary(errors="robust").standard_error
    same = LogisticRegression(C=1.0).fit(X, COUNTS > 2).summary(errors="robust").standard_error
    np.testing.assert_allclose(found, same, rtol=1e-4)


def test_what_one_row_alone_determines_has_infinite_robust_errors():
    rows = np.column_stack([X, np.arange(25) == 3]).astype(float)
    without = np.delete(np.arange(25), 3)
    for model, y in ((LinearRegression(), COUNTS), (PoissonRegressor(alpha=0, tol=1e-12), COUNTS)):
        summary = copy.deepcopy(model).fit(rows, y).summary(errors="robust")
        known = copy.deepcopy(model).fit(X[without], y[without]).summary(errors="robust").standard_error
        assert np.isinf(summary.standard_error).tolist() == [False, False, True, False]
        np.testing.assert_allclose(summary.standard_error[[0, 1, 3]], known, rtol=1e-4)
        assert "One row or group alone determines x2: standard errors are infinite." in repr(summary)
        assert summary.p_value[2] == 1


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_what_one_group_alone_determines_has_infinite_clustered_errors(shift):
    group = np.repeat(np.arange(5), 5)
    rows = np.column_stack([X, group == 1, (group == 1) * X[:, 0]]) + shift
    for model, y in ((LinearRegression(), COUNTS), (PoissonRegressor(alpha=0, tol=1e-10), COUNTS)):
        if shift and isinstance(model, PoissonRegressor):
            continue  # of which the fit, not the summary, has few digits
        found = model.fit(rows, y).summary(errors="clustered", groups=group)
        infinite = [False, False, True, True, shift > 0]
        assert np.isinf(found.standard_error).tolist() == infinite
        assert "determines x2, x3" in repr(found)
    # the others, by leaving each group out: without group 1 its columns are constant, and are left out
    whole = np.column_stack([rows - shift, np.ones(25)])
    best = np.linalg.lstsq(whole, COUNTS, rcond=None)[0]
    moved = [np.linalg.lstsq(whole[group != g], COUNTS[group != g], rcond=None)[0] - best for g in range(5)]
    known = np.sqrt(4 / 5 * np.square(moved).sum(axis=0))
    found = LinearRegression().fit(rows, COUNTS).summary(errors="clustered", groups=group)
    np.testing.assert_allclose(found.standard_error[:2], known[:2], rtol=1e-6)


@pytest.mark.parametrize("alpha", [1e-4, 1e-6])
def test_a_slight_penalty_determines_nothing_either(alpha):
    group = np.repeat(np.arange(5), 5)
    for rows, errors in (
        (np.column_stack([X, np.arange(25) == COUNTS.argmax()]), {"errors": "robust"}),
        (np.column_stack([X, group == 1]), {"errors": "clustered", "groups": group}),
    ):
        for model in (HuberRegressor(alpha=alpha), PoissonRegressor(alpha=alpha, tol=1e-8)):
            summary = model.fit(rows.astype(float), COUNTS).summary(**errors)
            assert np.isinf(summary.standard_error).tolist() == [False, False, True, False]
            assert "alone determines x2" in repr(summary)
    shrunk = PoissonRegressor(alpha=1.0).fit(np.column_stack([X, group == 1]).astype(float), COUNTS)
    assert np.isfinite(shrunk.summary(errors="clustered", groups=group).standard_error).all()


def test_an_intercept_that_was_set_since_is_no_fit():
    model = LinearRegression().fit(X, COUNTS).set_params(fit_intercept=False)
    for errors in ("robust", "clustered"):
        with pytest.raises(DataError, match="parameters were changed since"):
            model.summary(errors=errors, X=X, y=COUNTS, groups=GROUPS if errors == "clustered" else None)


def test_errors_do_not_depend_on_the_origin_of_the_columns():
    moderate = X @ [[1.0, 0.999], [0.0, 0.02]]  # correlated, which costs digits too
    for errors in ({"errors": "robust"}, {"errors": "clustered", "groups": GROUPS}):
        known, found = (
            LinearRegression().fit(rows, COUNTS, PRECISIONS).summary(**errors).standard_error[:2]
            for rows in (moderate, moderate + np.array([1e6, -3e6]))
        )
        np.testing.assert_allclose(found, known, rtol=1e-5)


def test_rows_of_the_fit_are_never_taken_for_others(tmp_path):
    exact = LinearRegression().fit(X, 2 * X[:, 0] - X[:, 1] + 3)
    probus.save(exact, tmp_path / "exact.probus")
    for errors in ({"errors": "robust"}, {"errors": "clustered", "groups": GROUPS}):
        assert (exact.summary(**errors).standard_error < 1e-12).all()
        loaded = probus.load(tmp_path / "exact.probus")
        assert (loaded.summary(X=X, y=2 * X[:, 0] - X[:, 1] + 3, **errors).standard_error < 1e-12).all()
    with pytest.warns(ConvergenceWarning):
        short = PoissonRegressor(alpha=0, max_iter=1).fit(X, COUNTS)
    assert (short.summary(errors="robust").standard_error > 0).all()
    for model, y, changed in (
        (PoissonRegressor(alpha=0.1), COUNTS, {"alpha": 5.0, "fit_intercept": False}),
        (HuberRegressor(), AMOUNTS, {"epsilon": 3.0, "alpha": 10.0}),
        (LogisticRegression(), COUNTS > 2, {"C": 0.01, "class_weight": "balanced"}),
    ):
        before = model.fit(X, y).summary(errors="robust").standard_error
        model.set_params(**changed)
        np.testing.assert_array_equal(model.summary(errors="robust").standard_error, before)


def test_a_loaded_model_takes_the_rows_again(tmp_path):
    model = LinearRegression().fit(X, COUNTS, PRECISIONS)
    probus.save(model, tmp_path / "m.probus")
    known = model.summary(errors="robust")
    loaded = probus.load(tmp_path / "m.probus")
    assert "Tests of assumptions" in repr(loaded.summary())
    for copied in (loaded, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        with pytest.raises(DataError, match=r'without the training rows(?s:.)*summary\(errors="robust", X=X, y=y\)'):
            copied.summary(errors="robust")
        found = copied.summary(errors="robust", X=X, y=COUNTS, sample_weight=PRECISIONS)
        np.testing.assert_allclose(found.standard_error, known.standard_error)
    assert len(pickle.dumps(model)) < 5_000


def test_other_rows_than_those_of_the_fit_are_refused():
    rows = X.copy()
    model = LinearRegression().fit(rows, COUNTS)
    with pytest.raises(DataError, match="not those of the fit, parameters were changed since"):
        model.summary(errors="robust", X=X[:20], y=COUNTS[:20])
    before = str(model.summary(errors="robust"))
    rows[:5] += 10.0  # the caller's; the model has its own
    assert str(model.summary(errors="robust")) == before
    with pytest.raises(DataError, match="other classes than the model"):
        LogisticRegression().fit(X, COUNTS > 2).summary(errors="robust", X=X, y=COUNTS)


def test_groups_are_checked():
    model = LinearRegression().fit(X, COUNTS)
    with pytest.raises(DataError, match=r'errors="clustered" without groups(?s:.)*groups=patient'):
        model.summary(errors="clustered")
    with pytest.raises(DataError, match=r"groups with errors='model'"):
        model.summary(groups=GROUPS)
    with pytest.raises(DataError, match=r"groups of shape \(20,\)(?s:.)*each of 25 rows"):
        model.summary(errors="clustered", groups=GROUPS[:20])
    with pytest.raises(DataError, match="groups with one value"):
        model.summary(errors="clustered", groups=np.zeros(25))
    with pytest.raises(DataError, match="groups with missing values"):
        model.summary(errors="clustered", groups=np.where(GROUPS == 1, np.nan, GROUPS))
    with pytest.raises(DataError, match=r"errors='HC3'(?s:.)*one of 'model', 'robust', 'clustered'"):
        model.summary(errors="HC3")


@pytest.mark.slow
@pytest.mark.parametrize("case", ["unequal", "groups", "counts", "huber"])
def test_tests_of_coefficients_have_their_size(case):
    """The tests of the model reject a coefficient of zero in 20 to 45 of 100 of these tables, at 5 %."""
    models = {"counts": (PoissonRegressor(alpha=0), "quasi"), "groups": (LinearRegression(), "clustered")}
    model, errors = models.get(case, ((HuberRegressor if case == "huber" else LinearRegression)(), "robust"))
    own, better = [], []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        rows, group = rng.normal(size=(120, 2)), np.repeat(np.arange(24), 5)
        if case == "groups":
            rows[:, 0] = rng.normal(size=24)[group]
            y = rng.normal(size=24)[group] + rng.normal(size=120)
        elif case == "counts":
            y = rng.poisson(2 * rng.gamma(1.0, size=120))
        else:
            y = rng.normal(size=120) * np.exp(0.8 * rows[:, 0])
        model.fit(rows, y)
        own.append(model.summary().p_value[0] < 0.05)
        how = {"groups": group} if case == "groups" else {}
        better.append(model.summary(errors=errors, **how).p_value[0] < 0.05)
    assert np.mean(own) > 0.15
    assert 0.02 < np.mean(better) < 0.085


def test_files_from_before_the_tests_of_assumptions_are_read(tmp_path):
    model = LinearRegression().fit(X, COUNTS)
    model.inference_ = replace(model.inference_, assumptions=None)
    probus.save(model, tmp_path / "new.probus")
    with zipfile.ZipFile(tmp_path / "new.probus") as new, zipfile.ZipFile(tmp_path / "old.probus", "w") as old:
        for name in new.namelist():
            content = json.loads(new.read(name)) if name == "model.json" else new.read(name)
            if name == "model.json":
                del content["model"]["state"]["inference_"]["fields"]["assumptions"]
                content = json.dumps(content)
            old.writestr(name, content)
    loaded = probus.load(tmp_path / "old.probus")
    np.testing.assert_array_equal(loaded.summary().standard_error, model.summary().standard_error)
    assert "Tests of assumptions" not in repr(loaded.summary())
    robust = loaded.summary(errors="robust", X=X, y=COUNTS).standard_error
    np.testing.assert_array_equal(robust, model.summary(errors="robust").standard_error)
