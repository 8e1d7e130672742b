"""Intervals for any measure of any model's predictions, without refitting.

``estimate`` is the verb. Its parts, in the order of the steps: a measure's form is what it needs of a resample;
``draws`` are rows or groups; ``resamples`` draws and measures; ``influence`` is how much each row
moves the measure; ``intervals`` and ``effective`` (rows) turn that into intervals. ``test_size_for`` turns it round:
how many rows give a required precision.
"""

from probus.metrics.bootstrap._draws import Draws, seeds_of
from probus.metrics.bootstrap._effective import share_like
from probus.metrics.bootstrap._estimating import estimate, estimate_outcome
from probus.metrics.bootstrap._influence import cell_slopes, influence
from probus.metrics.bootstrap._intervals import bootstrap_t
from probus.metrics.bootstrap._resamples import Resamples, resampled_values, value_of
from probus.metrics.bootstrap._sizes import SampleSize, test_size_for
from probus.metrics.bootstrap._sums import gradient, standard_error

__all__ = ["SampleSize", "estimate", "estimate_outcome", "resampled_values", "test_size_for"]
