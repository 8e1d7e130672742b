"""Many models that answer together."""

from probus.ensemble.bagging import BaggingClassifier, BaggingRegressor
from probus.ensemble.forest import (
    Bags,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from probus.ensemble.trees import Trees

__all__ = [
    "BaggingClassifier",
    "BaggingRegressor",
    "Bags",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Trees",
]
