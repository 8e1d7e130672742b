"""What can be said about coefficients: standard errors, tests, and where predictions extrapolate.

``likelihood_inference`` has the covariance of a fit, ``covariance`` that of least squares. ``standard_errors`` are
those under other assumptions, from the rows of a fit. ``coefficient_summary`` is the table that is printed, with the
notes of ``assumption_tests``. ``extrapolation`` warns of rows far outside the training range.
"""

from probus.linear_model.inference._extrapolation import training_range
