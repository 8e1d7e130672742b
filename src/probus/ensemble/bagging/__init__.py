"""Bagging: copies of one model, each fitted on rows and columns drawn at random, whose predictions are averaged."""

from probus.ensemble.bagging._bagging import BaggingClassifier, BaggingRegressor

__all__ = ["BaggingClassifier", "BaggingRegressor"]
