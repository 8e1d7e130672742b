"""Kernels of large values keep the digits of small distances."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from probus.kernel_ridge import KernelRidge


@pytest.mark.parametrize("factor", [1e6, 1e8])
@pytest.mark.parametrize("n_landmarks", [None, 12])
def test_the_gaussian_kernel_is_that_of_differences(factor, n_landmarks):
    rng = np.random.default_rng(0)
    X, y = np.repeat(factor * rng.normal(size=(6, 2)), 2, axis=0), rng.normal(size=12)
    X[::2, 0] += 0.5
    expected = np.exp(-0.5 * cdist(X, X, "sqeuclidean"))
    predicted = (
        KernelRidge(kernel="rbf", gamma=0.5, alpha=1.0, n_landmarks=n_landmarks, random_state=0).fit(X, y).predict(X)
    )
    np.testing.assert_allclose(predicted, expected @ np.linalg.solve(expected + np.eye(12), y), rtol=1e-9)
