"""Discriminant analysis: each class is a normal distribution, and the largest posterior probability wins.

``class_moments`` computes the means and products of classes in one pass over the rows. Classes that share a covariance
have linear boundaries (``linear_discriminant``), those with their own quadratic ones (``quadratic_discriminant``);
``gaussian_classifier`` has both, and simpler covariances. ``class_covariances`` has estimators that shrink.
"""

from probus.borrowing import listing
from probus.discriminant_analysis._gaussian_classifier import GaussianClassifier
from probus.discriminant_analysis._linear_discriminant import LinearDiscriminantAnalysis
from probus.discriminant_analysis._quadratic_discriminant import QuadraticDiscriminantAnalysis

__all__ = ["GaussianClassifier", "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"]

__dir__ = listing(globals())
