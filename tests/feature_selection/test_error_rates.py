"""Stability selection, knockoffs and the bound on searches: formulas, and error rates by simulation."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy import linalg, optimize, stats

import probus
from probus.data import Column, Table
from probus.ensemble import RandomForestRegressor
from probus.errors import DataError
from probus.feature_selection import (
    ForwardSelection,
    Knockoffs,
    L1Selection,
    SelectKBest,
    StabilitySelection,
    nested_selection,
    stability_bound,
    subset_search_bound,
)
from probus.feature_selection._error_bounds import concave_tail
from probus.feature_selection._gaussian_knockoffs import gaussian_knockoffs, knockoff_threshold, knockoff_variances
from probus.feature_selection._path_entry import entries
from probus.linear_model import LogisticRegression, lasso_path
from probus.naive_bayes import GaussianNB
from probus.preprocessing import ScreeningTarget


def drawn(rng, n, p, r, k, signal):
    """Rows of columns with correlations r^|i - j|, of which k at random places move the target."""
    L = linalg.cholesky(r ** np.abs(np.subtract.outer(np.arange(p), np.arange(p))), lower=True)
    X = rng.normal(size=(n, p)) @ L.T
    support = rng.permutation(p)[:k]
    return X, X[:, support] @ rng.choice([-signal, signal], k) + rng.normal(size=n), support


# -- stability selection -------------------------------------------------------------------------------


def test_the_bounds_are_those_of_the_papers():
    """Meinshausen and Bühlmann take q = √(0.8 p) and π = 0.9 for at most one error on average."""
    for threshold in (0.6, 0.75, 0.9):
        general = stability_bound(np.sqrt(800), 1000, threshold, bound="general")
        assert general == pytest.approx(0.8 / (2 * threshold - 1))
    assert stability_bound(20, 1000, 0.75, n_pairs=50) == pytest.approx(20**2 / 1000 / (2 * (0.5 - 0.01)))
    assert stability_bound(20, 1000, 0.9, n_pairs=50) == pytest.approx(20**2 / 1000 * 4 * (0.1 + 0.01) / 1.02)
    with pytest.raises(DataError, match=r"threshold=0\.4"):
        stability_bound(3, 10, 0.4)


@pytest.mark.slow
def test_the_tail_of_concave_distributions_is_never_exceeded():
    """By distributions f = g^(1/r) with a convex g, drawn at random, which are r-concave by definition."""
    rng = np.random.default_rng(0)
    places = np.arange(51)
    for r in (-1 / 2, -1 / 4):
        largest = 0.0
        for _ in range(1000):
            slopes = np.sort(rng.choice([rng.exponential(size=50), rng.normal(size=50)], p=[0.8, 0.2]))
            g = np.concatenate([[0.0], np.cumsum(slopes)])
            f = (g - g.min() + rng.exponential()) ** (1 / r) * (places <= rng.integers(20, 51))
            f /= f.sum()
            mean, tail = float(f @ places) / 50, float(f[places >= 15].sum())
            most = concave_tail(mean, 15 / 50, 50, r)
            assert tail <= most * 1.002 + 1e-12
            largest = max(largest, tail / most)
        assert largest > 0.3


def test_the_bounds_are_ordered_by_what_they_assume():
    for q, p, threshold in ((5, 50, 0.7), (10, 200, 0.6), (3, 30, 0.9), (20, 1000, 0.75)):
        concave, unimodal, general = (
            stability_bound(q, p, threshold, bound=name) for name in ("r-concave", "unimodal", "general")
        )
        assert concave < unimodal < general


@pytest.mark.parametrize("bound", ["unimodal", "r-concave", "general"])
def test_settings_follow_from_two_of_three(bound):
    rng = np.random.default_rng(0)
    X, y, _ = drawn(rng, 60, 40, 0.0, 3, 1.0)
    by_errors = StabilitySelection(threshold=0.7, max_errors=0.5, bound=bound, n_pairs=4, random_state=0).fit(X, y)
    bounds = [stability_bound(q, 40, 0.7, n_pairs=4, bound=bound) for q in range(1, 41)]
    assert by_errors.q_ == sum(each <= 0.5 for each in bounds)
    by_q = StabilitySelection(q=3, max_errors=0.9, bound=bound, n_pairs=4, random_state=0).fit(X, y)
    assert stability_bound(3, 40, by_q.threshold_, n_pairs=4, bound=bound) <= 0.9
    assert by_q.max_errors_ <= 0.9
    with pytest.raises(DataError, match="two of them"):
        StabilitySelection(q=3, threshold=0.7, max_errors=1.0).fit(X, y)


@pytest.mark.slow
def test_columns_are_kept_wrongly_no_more_often_than_the_bound_says():
    """Judged on 40 tables of 60 columns with correlations, three of which matter; nothing was chosen on these."""
    rng = np.random.default_rng(11)
    wrong, right = [], []
    for number in range(40):
        X, y, support = drawn(rng, 120, 60, 0.5, 3, 1.0)
        kept = (
            StabilitySelection(threshold=0.7, max_errors=1.0, n_pairs=25, random_state=number).fit(X, y).get_support()
        )
        right.append(kept[support].mean())
        wrong.append(kept.sum() - kept[support].sum())
    assert np.mean(wrong) <= 1.0
    assert np.mean(right) > 0.9


def test_halves_are_complementary_and_respect_groups():
    selector = StabilitySelection(n_pairs=3, random_state=0)
    halves = selector._halves(11, None)
    for first, second in zip(halves[::2], halves[1::2], strict=True):
        assert len(first) == len(second) == 5
        assert not set(first) & set(second)
    groups = np.repeat(np.arange(6), 4)
    for rows in selector._halves(24, groups):
        assert len(rows) == 12
        assert len(set(groups[rows])) == 3


def test_stability_of_any_selector_on_nominal_columns():
    titanic = probus.datasets.titanic().drop("Name", "Ticket", "Cabin", "PassengerId")
    selector = StabilitySelection(SelectKBest("association"), q=2, threshold=0.8, n_pairs=4, random_state=0)
    selector.fit(titanic.drop("Survived"), titanic["Survived"])
    assert list(selector.get_feature_names_out()) == ["Pclass", "Sex"]
    text = repr(selector.table)
    assert "StabilitySelection: 2 columns of 7" in text
    assert "selected on 8 halves of the rows, 2 columns on average" in text
    assert selector.table.to_frame()["kept"].sum() == 2
    assert selector.table.plot() is not None
    own = StabilitySelection(probus.feature_selection.SelectFwe(alpha=1e-20), threshold=0.9, n_pairs=2, random_state=0)
    with pytest.raises(DataError, match=r"q=2 for SelectFdr, which has no k"):
        StabilitySelection(probus.feature_selection.SelectFdr(), q=2).fit(np.eye(8), np.arange(8.0))
    assert own.fit(titanic.drop("Survived"), titanic["Survived"]).q_ == 1.0


# -- the path of the lasso -----------------------------------------------------------------------------


def test_columns_enter_where_the_path_says():
    rng = np.random.default_rng(3)
    X, y, _ = drawn(rng, 80, 8, 0.3, 3, 1.0)
    Z, t = stats.zscore(X), stats.zscore(y)
    alphas, coefficients, _ = lasso_path(Z, t)
    first = [alphas[np.argmax(row != 0)] if (row != 0).any() else 0.0 for row in coefficients]
    found = entries(Table(Column.numbers(f"x{j}", x) for j, x in enumerate(X.T)), ScreeningTarget(y))
    np.testing.assert_allclose(found, first, rtol=2e-3)
    assert L1Selection(k=1).fit(X, y).get_support(indices=True) == np.abs(Z.T @ t).argmax()


def test_a_nominal_column_enters_whole():
    rng = np.random.default_rng(0)
    level = rng.choice(list("abcd"), 200)
    table = Table([Column.numbers("x", rng.normal(size=200)), Column.labels("level", level),
                   Column.numbers("gone", np.full(200, np.nan)), Column.numbers("same", np.ones(200))])  # fmt: skip
    selector = L1Selection(k=1).fit(table, np.where(level == "c", "yes", "no"))
    assert selector.get_feature_names_out().tolist() == ["level"]
    assert (L1Selection(k=4).fit(table, rng.choice(list("uvw"), 200)).entries_[2:] == 0).all()


# -- knockoffs -----------------------------------------------------------------------------------------


def test_knockoff_variances_maximise_the_entropy():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(30, 5))
    R = np.corrcoef(A.T)

    def entropy(s):
        D = 2 * R - np.diag(s)
        return -np.inf if linalg.eigvalsh(D)[0] <= 0 or s.min() <= 0 else np.linalg.slogdet(D)[1] + np.log(s).sum()

    s = knockoff_variances(R)
    best = optimize.minimize(lambda x: -entropy(x), np.full(5, linalg.eigvalsh(R)[0]), method="Nelder-Mead",
                             options={"maxiter": 20_000, "xatol": 1e-9, "fatol": 1e-12})  # fmt: skip
    np.testing.assert_allclose(s, best.x, atol=1e-4)


def test_knockoffs_have_the_moments_of_the_columns():
    """Columns and knockoffs have the covariance [[Σ, Σ - S], [Σ - S, Σ]], here of 100,000 rows."""
    rng = np.random.default_rng(1)
    cov = np.array([[2.0, 0.8, 0.1], [0.8, 1.0, 0.3], [0.1, 0.3, 0.5]])
    X = rng.multivariate_normal([1.0, 2.0, 3.0], cov, 100_000)
    copies = gaussian_knockoffs(X, cov, np.random.RandomState(0))
    joint, scale = np.cov(np.hstack([X, copies]).T), np.sqrt(cov.diagonal())
    S = np.diag(knockoff_variances(cov / np.outer(scale, scale)) * scale**2)
    np.testing.assert_allclose(joint, np.block([[cov, cov - S], [cov - S, cov]]), atol=0.03)
    np.testing.assert_allclose(copies.mean(axis=0), [1, 2, 3], atol=0.02)


def test_the_threshold_is_that_of_brute_force():
    rng = np.random.default_rng(2)
    for _ in range(50):
        W = np.round(rng.normal(0.5, 1, 30), 1)
        for offset in (0, 1):
            rates = {t: (offset + (-t >= W).sum()) / max((t <= W).sum(), 1) for t in np.abs(W[W != 0])}
            expected = min((t for t, rate in rates.items() if rate <= 0.2 and (t <= W).any()), default=np.inf)
            assert knockoff_threshold(W, 0.2, offset) == expected


@pytest.mark.slow
def test_the_false_discovery_rate_is_as_stated_and_the_power_is_high():
    """Judged on 40 tables of 40 normal columns, ten of which matter, with fdr=0.2."""
    rng = np.random.default_rng(21)
    false, power = [], []
    for number in range(40):
        X, y, support = drawn(rng, 250, 40, 0.4, 10, 0.7)
        kept = Knockoffs(fdr=0.2, random_state=number).fit(X, y).get_support()
        false.append(1 - kept[support].sum() / max(kept.sum(), 1) if kept.any() else 0.0)
        power.append(kept[support].mean())
    assert np.mean(false) < 0.2 + 2 * np.std(false) / np.sqrt(40)
    assert np.mean(power) > 0.8


def test_knockoffs_of_other_models_and_of_classes():
    rng = np.random.default_rng(0)
    X, y, support = drawn(rng, 300, 20, 0.0, 8, 1.0)
    for model, target in ((RandomForestRegressor(50), y), (LogisticRegression(), y > 0), (None, y > 0),
                          (None, np.digitize(y, [-2, 2]))):  # fmt: skip
        found = Knockoffs(model, fdr=0.3, random_state=0).fit(X, target)
        assert found.get_support()[support].mean() > 0.6
        assert found.get_support().sum() < 20
    with pytest.raises(DataError, match="GaussianNB has neither coefficients nor importances"):
        Knockoffs(GaussianNB()).fit(X, y > 0)
    with pytest.raises(DataError, match="one class only"):
        Knockoffs().fit(X, np.ones(300, dtype=int))
    wide = Knockoffs(fdr=0.5, random_state=0).fit(np.hstack([X[:15], np.ones((15, 1))]), y[:15])
    assert wide.statistics_[-1] == 0.0
    with pytest.raises(DataError, match=r"columns that are not numeric: 'l'"):
        Knockoffs().fit(Table.of({"l": ["a", "b", "c"]}), [1.0, 2.0, 3.0])


# -- the bound on searches, and honest scores ----------------------------------------------------------


def test_the_bound_is_hoeffdings_over_all_subsets():
    assert subset_search_bound(200, n_subsets=1) == pytest.approx(np.sqrt(np.log(1 / 0.05) / 400))
    assert subset_search_bound(200, n_columns=10) == pytest.approx(np.sqrt(np.log(2**10 / 0.05) / 400))
    pairs = subset_search_bound(200, n_columns=10, largest=2, level=0.9, n_splits=5, width=2.0)
    assert pairs == pytest.approx(2 * np.sqrt(np.log((1 + 10 + 45) * 5 / 0.1) / 400))
    with pytest.raises(DataError, match="neither or both"):
        subset_search_bound(200)
    with pytest.raises(DataError, match="n_validation=0"):
        subset_search_bound(0, n_subsets=3)


def test_the_bound_holds_for_the_best_of_many_blind_models():
    """Predictions that are coin tosses have an error of 1/2; the best of 500 on validation rows is below by less."""
    rng = np.random.default_rng(0)
    exceeded = 0
    for _ in range(200):
        errors = rng.binomial(100, 0.5, 500) / 100
        exceeded += errors.min() + subset_search_bound(100, n_subsets=500) < 0.5
    assert exceeded / 200 <= 0.05


@pytest.mark.slow
def test_nested_scores_of_noise_are_those_of_chance():
    """The best score on the splits that chose is above 1/2; on outer splits it is not. Judged on 4 tables of noise."""
    chosen, honest = [], []
    for seed in range(4):
        rng = np.random.default_rng(100 + seed)
        X, y = rng.normal(size=(60, 8)), rng.permutation(np.repeat(["a", "b"], 30))
        selector = ForwardSelection(GaussianNB(), k=2, cv=3, scoring="accuracy")
        path = nested_selection(selector, X, y, cv=3, random_state=seed)
        chosen.append(selector.fit(X, y).scores_[2])
        honest.append(path.whole.value)
        assert path.honest
        assert path.sizes.tolist() == [0, 1, 2]
        assert path.n_fits == 4 * 15 * 3
    assert np.mean(chosen) > 0.58
    assert 0.38 < np.mean(honest) < 0.55


def test_nested_selection_reports_what_was_chosen_on_each_split():
    iris = probus.Task(probus.datasets.iris(), target="species")
    path = nested_selection(ForwardSelection(GaussianNB(), k=1, cv=3), iris, cv=3)
    assert path.share["petal_width"] + path.share["petal_length"] == 1.0
    assert "rows that had no part in choosing" in repr(path)
    assert "the whole procedure, the choice of the size included: log_loss" in repr(path)
    with pytest.raises(DataError, match="found SelectKBest"):
        nested_selection(SelectKBest(), iris)


@pytest.mark.slow
def test_the_example_finds_signal_in_noise_only_where_columns_are_selected_before():
    """Means over four tables, on which nothing was chosen."""
    example = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "selecting_before_validation.py"))
    before, within = [], []
    for seed in range(1, 5):
        table, labels = example["noise"](rows=40, columns=200, seed=seed)
        before.append(example["selected_before"](table, labels, k=8).estimate("accuracy").value)
        within.append(example["selected_within"](table, labels, k=8).estimate("accuracy").value)
    assert np.mean(before) > 0.7
    assert 0.35 < np.mean(within) < 0.6
