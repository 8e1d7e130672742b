"""Linear models: a prediction is a weighted sum of columns plus an intercept.

A model composes ``datafits`` × ``penalties`` × ``solvers``: what is fitted, what coefficients cost, and how the
sum is minimised. ``inference`` says how far coefficients can be trusted, ``stochastic`` holds the models by stochastic
gradient descent, ``optimisers`` other ways down. The other modules are models, with what they share in ``linear_base``.
"""

from probus.borrowing import borrow
from probus.linear_model._bayesian_regression import ARDRegression, BayesianRidge
from probus.linear_model._best_subset import BestSubset, SubsetTable
from probus.linear_model._elastic_net import ElasticNet, Lasso
from probus.linear_model._elastic_net_cv import ElasticNetCV, LassoCV
from probus.linear_model._elastic_net_path import enet_path, lasso_path
from probus.linear_model._generalized_linear import GeneralizedLinearEstimator
from probus.linear_model._huber import HuberRegressor
from probus.linear_model._linear_base import LinearRegressor, checked_classes, checked_targets
from probus.linear_model._linear_decision import LinearDecision
from probus.linear_model._linear_parameters import INTERCEPT_SCALING, SILENT
from probus.linear_model._linear_regression import LinearRegression
from probus.linear_model._log_link import GammaRegressor, PoissonRegressor
from probus.linear_model._logistic_regression import LogisticRegression
from probus.linear_model._logistic_regression_cv import LogisticRegressionCV
from probus.linear_model._maximum_a_posteriori import MAP
from probus.linear_model._multi_task import MultiTaskElasticNet, MultiTaskLasso
from probus.linear_model._quantile_regression import LeastAbsoluteDeviations, QuantileRegressor
from probus.linear_model._residual_plots import ResidualDiagnostics, plot_residuals, residual_diagnostics
from probus.linear_model._ridge import Ridge, checked_alphas
from probus.linear_model._ridge_classifier import RidgeClassifier, RidgeClassifierCV
from probus.linear_model._ridge_cv import RidgeCV
from probus.linear_model._sparse_coefficients import SparseCoefficients
from probus.linear_model.inference._assumption_tests import AssumptionTests
from probus.linear_model.inference._coefficient_summary import CoefficientSummary, Inference
from probus.linear_model.inference._extrapolation import ExtrapolationWarning, TrainingRange
from probus.linear_model.optimisers import SGD, Adam, GradientDescent, HeavyBall, MiniBatch, Nesterov, RMSprop
from probus.linear_model.penalties import L1, L1L2, L2, MCP, SCAD, Box, GroupL2, NoPenalty, WeightedL1
from probus.linear_model.solvers import LBFGS, CoordinateDescent, Newton, ProximalGradient
from probus.linear_model.stochastic._perceptron import Adaline, Perceptron
from probus.linear_model.stochastic._sgd_classifier import SGDClassifier
from probus.linear_model.stochastic._sgd_regressor import SGDRegressor

__all__ = [
    "L1", "L1L2", "L2", "LBFGS", "MAP", "MCP", "SCAD", "SGD", "ARDRegression", "Adaline", "Adam",
    "AssumptionTests", "BayesianRidge",
    "BestSubset", "Box", "CoefficientSummary", "CoordinateDescent", "ElasticNet", "ElasticNetCV",
    "ExtrapolationWarning", "GammaRegressor", "GeneralizedLinearEstimator", "GradientDescent", "GroupL2",
    "HeavyBall", "HuberRegressor", "Inference", "Lasso", "LassoCV", "LeastAbsoluteDeviations", "LinearRegression",
    "LogisticRegression", "LogisticRegressionCV", "MiniBatch", "MultiTaskElasticNet", "MultiTaskLasso", "Nesterov",
    "Newton", "NoPenalty", "Perceptron", "PoissonRegressor", "ProximalGradient", "QuantileRegressor", "RMSprop",
    "ResidualDiagnostics", "Ridge", "RidgeCV", "RidgeClassifier", "RidgeClassifierCV", "SGDClassifier",
    "SGDRegressor", "SubsetTable", "TrainingRange", "WeightedL1", "enet_path", "lasso_path", "plot_residuals",
    "residual_diagnostics",
]  # fmt: skip

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.linear_model": (
        "Lars", "LarsCV", "LassoLars", "LassoLarsCV", "LassoLarsIC", "MultiTaskElasticNetCV", "MultiTaskLassoCV",
        "OrthogonalMatchingPursuit", "OrthogonalMatchingPursuitCV", "PassiveAggressiveClassifier",
        "PassiveAggressiveRegressor", "RANSACRegressor", "SGDOneClassSVM", "TheilSenRegressor", "TweedieRegressor",
        "lars_path", "lars_path_gram", "orthogonal_mp", "orthogonal_mp_gram", "ridge_regression",
    ),
})  # fmt: skip
