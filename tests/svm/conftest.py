import pytest
from sklearn.datasets import load_diabetes, load_iris, make_classification


@pytest.fixture(scope="session")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="session")
def diabetes():
    """Columns on one scale, and a target of about that scale."""
    X, y = load_diabetes(return_X_y=True)
    return X * 20, y / 50


@pytest.fixture(scope="session")
def noisy():
    """More rows than a block of the solver has, with overlapping classes."""
    return make_classification(700, 8, flip_y=0.2, random_state=0)
