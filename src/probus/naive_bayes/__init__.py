"""Naive Bayes: P(y | x) ∝ P(y) ∏_j P(x_j | y), as though columns were independent given the class.

``NaiveBayes`` takes a table of mixed columns as it is. ``GaussianNB`` (numbers), ``MultinomialNB`` (counts),
``BernoulliNB`` (presence) and ``CategoricalNB`` (codes) are scikit-learn's, parameter by parameter. What they share
is in ``posterior``; the loops over rows are in ``_kernels``.
"""

from probus.borrowing import borrow
from probus.naive_bayes.categorical import CategoricalNB
from probus.naive_bayes.discrete import BernoulliNB, MultinomialNB
from probus.naive_bayes.gaussian import GaussianNB
from probus.naive_bayes.mixed import NaiveBayes

__all__ = ["BernoulliNB", "CategoricalNB", "GaussianNB", "MultinomialNB", "NaiveBayes"]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.naive_bayes": ("ComplementNB",),
})  # fmt: skip
