"""Models that tell helium from electrons: of features, of images, and of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from examples.recoils.samples import SIGNAL, Sample, binned
from scipy.special import logit
from sklearn.base import clone

from probus.data import Table
from probus.ensemble import BoostingClassifier, ExplainableBoostingClassifier
from probus.linear_model import LogisticRegression
from probus.tree import DecisionTreeClassifier

OF_FEATURES = {
    "tree": DecisionTreeClassifier(max_depth=3, min_samples_leaf=50, missing="surrogate"),
    "glass box": ExplainableBoostingClassifier(random_state=0),
    "boosting": BoostingClassifier(random_state=0),
}


@dataclass(frozen=True)
class Net:
    """How a convolutional network is trained."""

    epochs: int = 20
    channels: tuple[int, ...] = (8, 16, 32)
    factor: int = 2
    device: str = "cpu"

    def classifier(self) -> Any:
        """The network, which is not trained. Mirror images of a track are as likely as the track."""
        from probus.neural_network import ConvClassifier, Flips

        return ConvClassifier(augment=[Flips(True, True)], **self._settings())

    def regressor(self) -> Any:
        """The same network for numbers."""
        from probus.neural_network import ConvRegressor

        return ConvRegressor(**self._settings())

    def images(self, sample: Sample) -> np.ndarray:
        """What the network takes: roots of light, whose noise is alike in dark and bright pixels."""
        light = binned(sample.light, self.factor)
        return np.sign(light) * np.sqrt(np.abs(light))

    def _settings(self) -> dict[str, Any]:
        return {
            "channels": self.channels,
            "max_iter": self.epochs,
            "learning_rate_init": 0.01,
            "device": self.device,
            "n_jobs": 1,
            "random_state": 0,
        }


def probability(model: Any, X: Any) -> np.ndarray:
    """The probability of helium."""
    return model.predict_proba(X)[:, list(model.classes_).index(SIGNAL)]


def fitted(training: Sample, net: Net | None) -> dict[str, Any]:
    """Every model that needs training images only."""
    models = {name: clone(model).fit(training.shape, training.classes) for name, model in OF_FEATURES.items()}
    if net:
        models["network"] = net.classifier().fit(net.images(training), training.classes)
    return models


def scores(models: dict[str, Any], sample: Sample, net: Net | None) -> dict[str, np.ndarray]:
    """The probability of helium of each image, by each model."""
    return {
        name: probability(model, net.images(sample) if net and name == "network" else sample.shape)
        for name, model in models.items()
    }


def stacked(of_validation: dict[str, np.ndarray], validation: Sample) -> Any:
    """Logistic regression on the log odds of boosting and of the network, on images that neither was trained on."""
    return LogisticRegression().fit(log_odds(of_validation), validation.classes)


def log_odds(found: dict[str, np.ndarray]) -> Table:
    """The log odds of boosting and of the network."""
    return Table.of({name: logit(np.clip(found[name], 1e-6, 1 - 1e-6)) for name in ("boosting", "network")})
