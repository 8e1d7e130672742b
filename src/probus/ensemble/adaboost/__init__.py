"""AdaBoost: weak models one after the other, each fitted to what those before it got wrong."""

from probus.ensemble.adaboost._classifier import AdaBoostClassifier
from probus.ensemble.adaboost._history import History
from probus.ensemble.adaboost._regressor import AdaBoostRegressor

__all__ = ["AdaBoostClassifier", "AdaBoostRegressor", "History"]
