"""Probabilities from decisions, against a general optimiser."""

import numpy as np
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from probus.svm._platt_scaling import coupled, fitted_sigmoid


def test_the_sigmoid_is_the_logistic_regression_on_platts_targets():
    rng = np.random.default_rng(0)
    decisions = rng.normal(size=60)
    positive = decisions + rng.normal(size=60) > 0.5
    n, m = positive.sum(), (~positive).sum()
    target = np.where(positive, (n + 1) / (n + 2), 1 / (m + 2))
    rows, labels = np.tile(decisions, 2)[:, None], np.repeat([1, 0], 60)
    peer = LogisticRegression(C=np.inf, tol=1e-10).fit(rows, labels, np.concatenate([target, 1 - target]))
    A, B = fitted_sigmoid(decisions, positive)
    np.testing.assert_allclose([-A, -B], [peer.coef_[0, 0], peer.intercept_[0]], atol=1e-5)


def test_separated_decisions_have_a_finite_sigmoid():
    A, B = fitted_sigmoid(np.array([-1e6, -5e5, 5e5, 1e6]), np.array([False, False, True, True]))
    assert -1e-3 < A < 0
    assert np.isfinite(B)
    assert fitted_sigmoid(np.zeros(0), np.zeros(0, dtype=bool)) == (-1.0, 0.0)


def test_coupled_probabilities_minimise_the_disagreement_with_pairs():
    pairwise = np.random.default_rng(0).random((5, 6))

    def disagreement(p, r):
        pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
        return sum(((1 - q) * p[i] - q * p[j]) ** 2 for (i, j), q in zip(pairs, r, strict=True))

    for row, found in zip(pairwise, coupled(pairwise, 4), strict=True):
        whole = {"type": "eq", "fun": lambda p: p.sum() - 1}
        best = minimize(disagreement, np.full(4, 0.25), args=(row,), constraints=whole, bounds=[(0, 1)] * 4, tol=1e-14)
        np.testing.assert_allclose(found, best.x, atol=1e-5)
