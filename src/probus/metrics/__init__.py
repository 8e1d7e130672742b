"""Measures of how good a prediction is, and the numbers they give, each with its uncertainty.

A reported score is an ``Estimate``: a value, an interval, and how the interval was found.
"""

from probus.metrics.estimate import Estimate

__all__ = ["Estimate"]
