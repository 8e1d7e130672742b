"""What linear models fit: rows and a loss as a function of the coefficients.

``smooth_problem`` is the mean of any loss, with gradient and hessian. ``quadratic`` is half the sum of squares, from
products of columns, dense rows or sparse ones. ``moments`` computes products in one pass over the rows, and
``softmax_reference`` is the loss of classes against one of them. Losses are those of ``probus.losses``.
"""

from probus.linear_model.datafits._moments import moments_of
from probus.linear_model.datafits._smooth_problem import SmoothProblem

__all__ = ["SmoothProblem"]
