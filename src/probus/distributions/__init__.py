"""Distributions of one variable: maximum likelihood with intervals, posteriors, and the likelihood drawn.

``Bernoulli().fit([1, 1, 0]).p_`` is the maximum likelihood estimate, ``.estimates()`` has its interval, ``.map(Beta(2,
2))`` the maximum a posteriori, ``.posterior(Beta(2, 2))`` the whole posterior, ``.plot_likelihood()`` the picture.
Parameters that are given are known and not fitted: ``Normal(scale=1)``. ``bayes_error`` is the least error that any
classifier can have between given distributions, ``neighbours_error_bound`` what nearest neighbours add to it.
"""

from probus.borrowing import listing
from probus.distributions._bayes_error import bayes_error, neighbours_error_bound
from probus.distributions._categorical import Categorical, Dirichlet
from probus.distributions._continuous import Beta, Exponential, Gamma, Normal
from probus.distributions._counts import Bernoulli, Binomial, Poisson
from probus.distributions._distribution import Distribution

__all__ = [
    "Bernoulli",
    "Beta",
    "Binomial",
    "Categorical",
    "Dirichlet",
    "Distribution",
    "Exponential",
    "Gamma",
    "Normal",
    "Poisson",
    "bayes_error",
    "neighbours_error_bound",
]

__dir__ = listing(globals())
