"""Naive Bayes: P(y | x) ∝ P(y) ∏_j P(x_j | y), assuming that columns are independent given the class.

``NaiveBayes`` accepts a table of mixed columns. ``GaussianNB`` (numbers), ``MultinomialNB`` (counts),
``BernoulliNB`` (presence) and ``CategoricalNB`` (codes) have the parameters and attributes of scikit-learn's.
``posterior`` has their base class, ``_kernels`` the loops over rows.
"""

from probus.borrowing import borrow
from probus.naive_bayes._categorical import CategoricalNB
from probus.naive_bayes._discrete import BernoulliNB, MultinomialNB
from probus.naive_bayes._gaussian import GaussianNB
from probus.naive_bayes._mixed import NaiveBayes
from probus.naive_bayes._posterior import BayesClassifier

__all__ = ["BernoulliNB", "CategoricalNB", "GaussianNB", "MultinomialNB", "NaiveBayes"]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.naive_bayes": ("ComplementNB",),
})  # fmt: skip
