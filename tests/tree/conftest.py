import numpy as np
import pytest


@pytest.fixture(scope="session")
def risk_of():
    """The risk that the best constant leaves on weighted rows, as its definition says."""

    def risk(criterion: str, y: np.ndarray, w: np.ndarray) -> float:
        if len(y) == 0:
            return 0.0
        if criterion == "absolute_error":
            return min(w @ np.abs(y - median) for median in np.unique(y))
        if criterion in ("squared_error", "poisson"):
            mean = np.average(y, weights=w)
            if criterion == "squared_error":
                return w @ (y - mean) ** 2
            return np.inf if mean == 0 else w[y > 0] @ (y[y > 0] * np.log(y[y > 0] / mean))
        counts = np.bincount(y, w)
        share = counts[counts > 0] / counts.sum()
        return (
            counts.sum()
            * {
                "gini": 1 - (share**2).sum(),
                "entropy": -(share * np.log2(share)).sum(),
                "misclassification": 1 - share.max(),
                "dkm": np.sqrt(share).sum() ** 2 - 1,
            }[criterion]
        )

    return risk
