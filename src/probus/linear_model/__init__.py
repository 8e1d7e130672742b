"""Linear models: a prediction is a weighted sum of columns plus an intercept.

``least_squares`` solves from products of columns or by a factorisation; ``ridge`` adds a quadratic penalty. The lasso
and the elastic net have a ``working_set`` of columns of a ``quadratic`` problem, for one penalty or a path of them
(``elastic_net_path``). The problem of the ``working_columns`` is solved by ``coordinate_descent`` and the equations of
the support, from products (``support_equations``) or from sparse columns (``conjugate_gradients``). ``moments``
computes products in one pass. Other losses are a ``smooth_problem``, minimised by ``newton``, with absolute values by
``proximal_newton``. ``generalized_linear`` composes losses, ``penalties`` and ``solvers``. Robust regressions are a
``concomitant`` problem (Huber) or a ``pinball_programme`` (absolute errors, quantiles). Stochastic gradient descent is
``sgd_base``, with the kernel ``sgd_kernel``, or an object of ``optimisers``.
"""

from probus.borrowing import borrow
from probus.linear_model.assumption_tests import AssumptionTests
from probus.linear_model.bayesian_regression import ARDRegression, BayesianRidge
from probus.linear_model.best_subset import BestSubset, SubsetTable
from probus.linear_model.coefficient_summary import CoefficientSummary, Inference
from probus.linear_model.elastic_net import ElasticNet, Lasso
from probus.linear_model.elastic_net_cv import ElasticNetCV, LassoCV
from probus.linear_model.elastic_net_path import enet_path, lasso_path
from probus.linear_model.extrapolation import ExtrapolationWarning, TrainingRange
from probus.linear_model.generalized_linear import GeneralizedLinearEstimator
from probus.linear_model.huber import HuberRegressor
from probus.linear_model.linear_regression import LinearRegression
from probus.linear_model.log_link import GammaRegressor, PoissonRegressor
from probus.linear_model.logistic_regression import LogisticRegression
from probus.linear_model.logistic_regression_cv import LogisticRegressionCV
from probus.linear_model.maximum_a_posteriori import MAP
from probus.linear_model.multi_task import MultiTaskElasticNet, MultiTaskLasso
from probus.linear_model.optimisers import SGD, Adam, GradientDescent, HeavyBall, MiniBatch, Nesterov, RMSprop
from probus.linear_model.penalties import L1, L1L2, L2, MCP, SCAD, Box, GroupL2, NoPenalty, WeightedL1
from probus.linear_model.perceptron import Adaline, Perceptron
from probus.linear_model.quantile_regression import LeastAbsoluteDeviations, QuantileRegressor
from probus.linear_model.residual_plots import ResidualDiagnostics, plot_residuals, residual_diagnostics
from probus.linear_model.ridge import Ridge
from probus.linear_model.ridge_classifier import RidgeClassifier, RidgeClassifierCV
from probus.linear_model.ridge_cv import RidgeCV
from probus.linear_model.sgd_classifier import SGDClassifier
from probus.linear_model.sgd_regressor import SGDRegressor
from probus.linear_model.solvers import LBFGS, CoordinateDescent, Newton, ProximalGradient

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
