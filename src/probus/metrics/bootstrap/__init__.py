"""Intervals for any measure of any model's predictions, without refitting.

``estimate`` is the verb. Its parts, in the order of the steps: a measure's form is what it needs of a resample;
``draws`` are rows or groups; ``resamples`` draws and measures; ``influence`` is how much each row
moves the measure; ``intervals`` and ``effective`` (rows) turn that into intervals. ``test_size_for`` turns it round:
how many rows give a required precision.
"""

from probus.metrics.bootstrap.estimating import estimate, estimate_outcome
from probus.metrics.bootstrap.resamples import resampled_values
from probus.metrics.bootstrap.sizes import SampleSize, test_size_for

__all__ = ["SampleSize", "estimate", "estimate_outcome", "resampled_values", "test_size_for"]
