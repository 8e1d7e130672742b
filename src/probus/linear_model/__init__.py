"""Linear models: a prediction is a weighted sum of columns plus an intercept.

A model composes ``datafits`` × ``penalties`` × ``solvers``: what is fitted, what coefficients cost, and how the
sum is minimised. ``inference`` says how far coefficients can be trusted, ``stochastic`` holds the models by stochastic
gradient descent, ``optimisers`` other ways down. The other modules are models, with what they share in ``linear_base``.
"""

from probus.borrowing import borrow
from probus.linear_model.bayesian_regression import ARDRegression, BayesianRidge
from probus.linear_model.best_subset import BestSubset, SubsetTable
from probus.linear_model.elastic_net import ElasticNet, Lasso
from probus.linear_model.elastic_net_cv import ElasticNetCV, LassoCV
from probus.linear_model.elastic_net_path import enet_path, lasso_path
from probus.linear_model.generalized_linear import GeneralizedLinearEstimator
from probus.linear_model.huber import HuberRegressor
from probus.linear_model.inference.assumption_tests import AssumptionTests
from probus.linear_model.inference.coefficient_summary import CoefficientSummary, Inference
from probus.linear_model.inference.extrapolation import ExtrapolationWarning, TrainingRange
from probus.linear_model.linear_regression import LinearRegression
from probus.linear_model.log_link import GammaRegressor, PoissonRegressor
from probus.linear_model.logistic_regression import LogisticRegression
from probus.linear_model.logistic_regression_cv import LogisticRegressionCV
from probus.linear_model.maximum_a_posteriori import MAP
from probus.linear_model.multi_task import MultiTaskElasticNet, MultiTaskLasso
from probus.linear_model.optimisers import SGD, Adam, GradientDescent, HeavyBall, MiniBatch, Nesterov, RMSprop
from probus.linear_model.penalties import L1, L1L2, L2, MCP, SCAD, Box, GroupL2, NoPenalty, WeightedL1
from probus.linear_model.quantile_regression import LeastAbsoluteDeviations, QuantileRegressor
from probus.linear_model.residual_plots import ResidualDiagnostics, plot_residuals, residual_diagnostics
from probus.linear_model.ridge import Ridge
from probus.linear_model.ridge_classifier import RidgeClassifier, RidgeClassifierCV
from probus.linear_model.ridge_cv import RidgeCV
from probus.linear_model.solvers import LBFGS, CoordinateDescent, Newton, ProximalGradient
from probus.linear_model.stochastic.perceptron import Adaline, Perceptron
from probus.linear_model.stochastic.sgd_classifier import SGDClassifier
from probus.linear_model.stochastic.sgd_regressor import SGDRegressor

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
