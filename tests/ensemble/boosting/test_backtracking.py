"""No round raises the training loss, whatever the table, the loss, the weights and the settings."""

import numpy as np
import pandas as pd
import pytest

from probus.ensemble import (
    BoostingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from probus.ensemble.boosting._scoring import mean_loss
from probus.losses import Exponential, LogLoss


def rare_classes(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Four frequent classes that follow the columns, and four rare ones anywhere, which levels can isolate."""
    rng = np.random.default_rng(seed)
    logit, columns = np.zeros((n, 4)), {}
    for levels in (9, 40, 250):
        level = rng.choice(levels, n, p=rng.dirichlet(np.full(levels, 0.5)))
        logit += 2.0 * rng.normal(size=(levels, 4))[level]
        columns[f"of {levels}"] = pd.Categorical(level)
    for j in range(3):
        columns[f"number {j}"] = rng.normal(size=n)
        logit += np.outer(columns[f"number {j}"], rng.normal(size=4))
    y = (logit + rng.gumbel(size=(n, 4))).argmax(axis=1)
    for code, share in enumerate((1e-4, 3e-4, 1e-3, 4e-3), start=4):
        y[rng.choice(n, max(4, int(share * n)), replace=False)] = code
    return pd.DataFrame(columns), y


def staged_losses(model, X, y, weight=None) -> np.ndarray:
    """The mean loss after each round."""
    loss = model._loss()
    return np.array([mean_loss(loss, y, raw, weight) for raw in model._staged_raw(X)])


def assert_never_rises(losses: np.ndarray) -> None:
    assert np.isfinite(losses).all()
    assert np.diff(losses).max() <= 1e-10 * max(1.0, abs(losses[0]))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_rare_classes_do_not_make_the_loss_rise(seed):
    X, y = rare_classes(8000, seed)
    learn, judge = np.arange(8000) < 6000, np.arange(8000) >= 6000
    model = HistGradientBoostingClassifier(max_iter=60, early_stopping=False, random_state=0).fit(X[learn], y[learn])
    assert_never_rises(staged_losses(model, X[learn], y[learn]))
    losses = staged_losses(model, X[judge], y[judge])
    assert losses[-1] < losses[10] < losses[0]  # and unseen rows are predicted better and better


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    "loss", ["squared_error", "poisson", "gamma", "log_loss", "softmax", "exponential", "absolute_error"]
)
def test_no_round_raises_the_loss_of_any_table(loss, seed):
    rng = np.random.default_rng([seed, len(loss)])
    n, d = int(rng.integers(30, 400)), int(rng.integers(1, 6))
    X = rng.normal(size=(n, d)).round(int(rng.integers(0, 3)))
    X[rng.random(X.shape) < 0.1 * (seed % 3)] = np.nan
    signal = np.nan_to_num(X[:, 0]) * rng.choice([0.0, 1.0, 5.0])
    weight = [None, rng.integers(1, 9, n).astype(float), rng.exponential(size=n) ** 3 + 1e-3][seed % 3]
    settings = {
        "learning_rate": rng.choice([0.1, 0.5, 1.0, 1.9]), "min_samples_leaf": int(rng.choice([1, 5, 20])),
        "min_hessian": rng.choice([0.0, 1e-3]), "max_iter": 25, "early_stopping": False, "random_state": 0,
        "max_features": rng.choice([0.5, 1.0]), "monotonic_cst": [1] + [0] * (d - 1) if seed % 4 == 1 else None,
    }  # fmt: skip
    if loss in ("log_loss", "exponential"):
        y = (signal + 0.2 * rng.logistic(size=n) > 2.0 * rng.random()).astype(float)
        y[:2] = 0, 1
        model = HistGradientBoostingClassifier(**settings, loss=LogLoss() if loss == "log_loss" else Exponential())
    elif loss == "softmax":
        y = np.minimum(rng.exponential(size=n) * np.exp(0.3 * signal), 7.0).round()
        y = np.unique(np.r_[y[:-3], 0.0, 1.0, 2.0], return_inverse=True)[1].astype(float)
        model = HistGradientBoostingClassifier(**{**settings, "monotonic_cst": None})
    else:
        y = np.exp(signal + rng.normal(size=n)) if loss != "absolute_error" else signal + rng.standard_cauchy(size=n)
        model = HistGradientBoostingRegressor(**settings, loss=loss)
    model.fit(X, y, weight)
    assert_never_rises(staged_losses(model, X, y, weight))


@pytest.mark.parametrize("more", [{}, {"line_search": True}, {"learning_rate": 1.0}, {"subsample": 0.5}])
def test_the_classical_algorithm_does_not_diverge_either(more):
    X, y = rare_classes(1500, 3)
    model = GradientBoostingClassifier(n_estimators=20, random_state=0, **more).fit(X, y)
    losses = staged_losses(model, X, y)
    assert np.isfinite(losses).all()
    assert losses[-1] < losses[0]
    if "subsample" not in more:
        assert_never_rises(losses)


def test_boosting_with_its_defaults_does_not_diverge():
    X, y = rare_classes(6000, 5)
    model = BoostingClassifier(40, learning_rate=0.1, random_state=0).fit(X, y)
    assert_never_rises(staged_losses(model, X, y))


def test_rounds_that_lower_the_loss_are_left_unchanged(monkeypatch):
    X, y = rare_classes(1500, 4)
    y = np.minimum(y, 3)  # without rare classes
    guarded = HistGradientBoostingClassifier(max_iter=10, random_state=0).fit(X, y)
    monkeypatch.setattr("probus.ensemble.boosting._iterations.without_rising_loss", lambda rounds, trees: trees)
    free = HistGradientBoostingClassifier(max_iter=10, random_state=0).fit(X, y)
    assert (guarded.decision_function(X) == free.decision_function(X)).all()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_smaller_leaf_values_do_not_depend_on_threads(n_jobs):
    X, y = rare_classes(3000, 6)
    settings = {"max_iter": 15, "early_stopping": False, "random_state": 0}
    one = HistGradientBoostingClassifier(**settings, n_jobs=1).fit(X, y)
    other = HistGradientBoostingClassifier(**settings, n_jobs=n_jobs).fit(X, y)
    assert (one.decision_function(X) == other.decision_function(X)).all()


def test_inner_nodes_hold_the_mean_of_their_smaller_leaves():
    X, y = rare_classes(3000, 7)
    model = HistGradientBoostingClassifier(max_iter=15, early_stopping=False, random_state=0).fit(X, y)
    # SHAP values add up to the prediction only if inner values are consistent with leaves
    values = model.shap_values(X.iloc[:20])
    total = np.asarray(values.values).sum(axis=1) + np.asarray(values.base)
    np.testing.assert_allclose(total, model.decision_function(X.iloc[:20]), atol=1e-8)
