"""Many models that answer together."""

from probus.ensemble.forest import (
    Bags,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from probus.ensemble.trees import Trees

__all__ = [
    "Bags",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Trees",
]
