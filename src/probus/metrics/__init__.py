"""Measures of how good a prediction is, and the numbers they give, each with its uncertainty.

An ``Outcome`` is what was true and what a model said; a ``Measure`` turns it into a number; an ``Estimate`` is that
number with its interval and how the interval was found.
"""

from probus.metrics import registry as _registry  # noqa: F401  fills the table of measures
from probus.metrics.estimates import Estimate
from probus.metrics.measure import MEASURES, Measure, measure, measures_for
from probus.metrics.outcome import Outcome

__all__ = ["MEASURES", "Estimate", "Measure", "Outcome", "measure", "measures_for"]
