"""Forests: many trees, each grown on rows and columns drawn at random, that answer together."""

from probus.ensemble.forest._bags import Bags
from probus.ensemble.forest._extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from probus.ensemble.forest._forest_base import Forest
from probus.ensemble.forest._leaf_targets import LeafTargets
from probus.ensemble.forest._random_forest import RandomForestClassifier, RandomForestRegressor

__all__ = [
    "Bags",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "LeafTargets",
    "RandomForestClassifier",
    "RandomForestRegressor",
]
