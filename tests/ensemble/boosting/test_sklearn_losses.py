"""Loss objects of scikit-learn do what ours of the same kind do."""

import numpy as np
import pytest
from sklearn._loss import loss as sklearns

from probus.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from probus.errors import DataError
from probus.losses import (
    AbsoluteError,
    Exponential,
    Gamma,
    Huber,
    LogLoss,
    Poisson,
    Quantile,
    Softmax,
    SquaredError,
    Tweedie,
    loss_named,
)


@pytest.fixture
def numbers():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3))
    return X, X[:, 0] + 0.1 * rng.normal(size=200)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (sklearns.HalfSquaredError(), SquaredError()),
        (sklearns.AbsoluteError(), AbsoluteError()),
        (sklearns.PinballLoss(quantile=0.3), Quantile(0.3)),
        (sklearns.HuberLoss(quantile=0.8), Huber(0.8)),
        (sklearns.HalfPoissonLoss(), Poisson()),
        (sklearns.HalfGammaLoss(), Gamma()),
        (sklearns.HalfTweedieLoss(power=1.3), Tweedie(1.3)),
    ],
)
def test_losses_of_numbers_are_ours(numbers, theirs, ours):
    X, y = numbers[0], np.exp(numbers[1])
    assert loss_named(theirs) == ours
    expected = HistGradientBoostingRegressor(ours, max_iter=3).fit(X, y).predict(X)
    assert (HistGradientBoostingRegressor(theirs, max_iter=3).fit(X, y).predict(X) == expected).all()


def test_losses_of_classes_are_ours(numbers):
    assert loss_named(sklearns.HalfBinomialLoss(), n_classes=2) == LogLoss()
    assert loss_named(sklearns.HalfMultinomialLoss(n_classes=3), n_classes=3) == Softmax(3)
    assert loss_named(sklearns.ExponentialLoss(), n_classes=2) == Exponential()
    X, y = numbers
    model = HistGradientBoostingClassifier(sklearns.HalfBinomialLoss(), max_iter=3).fit(X, y > 0)
    expected = HistGradientBoostingClassifier(max_iter=3).fit(X, y > 0).predict_proba(X)
    assert (model.predict_proba(X) == expected).all()


def test_other_losses_of_theirs_are_refused(numbers):
    with pytest.raises(DataError, match=r"HalfTweedieLossIdentity.* is unknown"):
        HistGradientBoostingRegressor(sklearns.HalfTweedieLossIdentity(power=1.5)).fit(*numbers)
