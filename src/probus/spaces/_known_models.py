"""The parameters to tune of each model, by the name of its class: ours, scikit-learn's of that name, and others'.

The ranges are those of Probst, Boulesteix and Bischl (2019, JMLR 20), who measured how much tuning each parameter of
six families of models improves 38 tables, and the usual ones of the textbooks elsewhere. Those of nine families were
compared with wider ones on 15 tables, and changed where good configurations were outside or far inside
(``research.space_gains``). The default of every model of Probus lies inside. The number of trees of a forest is not
among them: more are better. A condition on a parameter that is not in the list is one on the value that the model has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from probus.spaces._conditions import when
from probus.spaces._parameters import Choice, Integer, Real


def _in_order(*values: Any) -> Choice:
    return Choice(*values, ordered=True)


_SHARE = _in_order(0.2, 0.4, 0.6, 0.8, None)  # of the rows; None: all
_DEPTH = _in_order(2, 3, 4, 5, 6, 8, 10, 15, None)
_LEAF = Integer(1, 50, log=True)
_L2 = _in_order(0.0, 0.01, 0.1, 1.0, 10.0, 100.0)
# the width of a kernel on scaled columns: "scale" and None are one over their number
_WIDTHS = (1e-4, 3e-4, 1e-3, 3e-3, 0.01, "scale", 0.03, 0.1, 0.3, 1.0, 3.0)
_GAMMA = _in_order(*_WIDTHS)
_OWN_GAMMA = _in_order(*(None if width == "scale" else width for width in _WIDTHS))
_COST = Real(1e-3, 1e3, log=True)
_PENALTY = Real(1e-4, 1e4, log=True)
_SPARSE = Real(1e-5, 1e2, log=True)
_COUNT = Real(1e-3, 1e2, log=True)  # pseudo-counts

_TREE = {"max_depth": _DEPTH, "min_samples_leaf": Integer(1, 100, log=True)}
_PRUNED = {"ccp_alpha": _in_order(0.0, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03)}  # in units of the impurity of classes
_FOREST = {
    "max_features": _in_order(0.1, "sqrt", 0.3, 0.5, 0.75, 1.0),
    "min_samples_leaf": _LEAF,
    "max_samples": when(_SHARE, bootstrap=True),
}
_HISTOGRAM = {
    "learning_rate": Real(0.01, 0.5, log=True),
    "max_iter": Integer(50, 500, log=True),
    "max_leaf_nodes": Integer(3, 127, log=True),
    "min_samples_leaf": Integer(2, 100, log=True),
    "l2_regularization": _L2,
    "max_features": Real(0.3, 1.0),
}
_AUTOMATIC = {
    "max_leaf_nodes": Choice(None, 4, 8, 16, 32, 64),
    "min_samples_leaf": _LEAF,
    "l2_regularization": Real(0.01, 100, log=True),
    "max_features": Real(0.2, 1.0),
    "subsample": Real(0.4, 1.0),
}
_GLASS = {
    "interactions": Choice("auto", 0, 10, 40),
    "max_leaves": Integer(2, 5),
    "reg_lambda": Real(0.1, 100, log=True),
}
_GRADIENT = {
    "learning_rate": Real(0.01, 0.5, log=True),
    "n_estimators": Integer(50, 500, log=True),
    "max_depth": Integer(1, 8),
    "min_samples_leaf": _LEAF,
    "subsample": Real(0.5, 1.0),
    "max_features": _in_order(0.3, 0.5, 0.75, None),
}
_ADABOOST = {"n_estimators": Integer(20, 500, log=True), "learning_rate": Real(0.05, 2.0, log=True)}
_BAGGING = {"max_samples": _SHARE, "max_features": Real(0.3, 1.0)}
_NEIGHBORS = {
    "n_neighbors": Integer(1, 100, log=True),
    "weights": Choice("uniform", "distance"),
    "p": when(Choice(1, 2), metric="minkowski"),
}
_KERNEL = {"kernel": Choice("linear", "rbf"), "gamma": when(_GAMMA, kernel="rbf")}
_PERCEPTRON = {
    "hidden_layer_sizes": Choice((50,), (100,), (200,), (50, 50), (100, 100), (200, 100)),
    "activation": Choice("relu", "tanh"),
    "alpha": Real(1e-6, 1.0, log=True),
    "learning_rate_init": Real(1e-4, 0.03, log=True),
}
_MEMBERS = {
    "hidden_layer_sizes": Choice((64,), (64, 64), (128, 128), (128, 128, 128), (256, 256)),
    "learning_rate_init": Real(5e-4, 1e-2, log=True),
    "weight_decay": Real(1e-5, 1e-1, log=True),
    "dropout": Real(0.0, 0.5),
    "n_bins": Integer(4, 64, log=True),
}
_DESCENT = {
    "alpha": Real(1e-6, 0.1, log=True),
    "penalty": Choice("l2", "l1", "elasticnet"),
    "l1_ratio": when(Real(0.0, 1.0), penalty="elasticnet"),
}
_CONDITIONAL = {"alpha": Real(1e-3, 0.5, log=True), "max_depth": _DEPTH, "min_samples_leaf": _LEAF}
_NET = {"alpha": _SPARSE, "l1_ratio": Real(0.0, 1.0)}
_LIGHT = {
    "learning_rate": Real(0.01, 0.5, log=True),
    "n_estimators": Integer(50, 500, log=True),
    "num_leaves": Integer(3, 127, log=True),
    "min_child_samples": Integer(2, 100, log=True),
    "reg_lambda": _L2,
    "colsample_bytree": Real(0.3, 1.0),
}
_EXTREME = {
    "learning_rate": Real(0.01, 0.5, log=True),
    "n_estimators": Integer(50, 500, log=True),
    "max_depth": Integer(1, 12),
    "min_child_weight": Real(0.1, 100, log=True),
    "reg_lambda": Real(0.01, 100, log=True),
    "subsample": Real(0.5, 1.0),
    "colsample_bytree": Real(0.3, 1.0),
}

_STEPS = {
    "learning_rate_init": Real(3e-4, 3e-2, log=True),
    "dropout": Real(0.0, 0.5),
    "weight_decay": Real(1e-4, 0.3, log=True),
}

# they have no such parameters, or tune them themselves
_NOTHING = (
    "ARDRegression", "BayesianRidge", "BestOfClassifier", "BestOfRegressor", "BestSubset", "DummyClassifier",
    "DummyRegressor", "ElasticNetCV", "GeneralizedLinearEstimator", "LassoCV", "LinearRegression",
    "LogisticRegressionCV", "RidgeCV", "RidgeClassifierCV", "ZeroRClassifier", "ZeroRRegressor",
)  # fmt: skip

KNOWN: Mapping[str, Mapping[str, Any]] = {
    # trees
    "DecisionTreeClassifier": {"criterion": Choice("gini", "entropy"), **_TREE, **_PRUNED},
    "DecisionTreeRegressor": _TREE,
    "ExtraTreeClassifier": {"criterion": Choice("gini", "entropy"), **_TREE, **_PRUNED},
    "ExtraTreeRegressor": _TREE,
    "DecisionStumpClassifier": {"criterion": Choice("gini", "entropy")},
    "DecisionStumpRegressor": {},
    "ConditionalTreeClassifier": _CONDITIONAL,
    "ConditionalTreeRegressor": _CONDITIONAL,
    "C45Classifier": {"confidence": Real(0.01, 0.5, log=True), "min_cases": Integer(1, 50, log=True)},
    "CHAIDClassifier": {
        "alpha_split": Real(1e-3, 0.5, log=True),
        "alpha_merge": Real(1e-3, 0.5, log=True),
        "max_depth": _DEPTH,
        "n_bins": Integer(2, 20),
    },
    "ID3Classifier": {"max_depth": _DEPTH, "min_parent": Integer(2, 100, log=True), "n_bins": Integer(2, 20)},
    "CostComplexityCV": {"rule": Choice("1se", "min")},
    # ensembles
    "RandomForestClassifier": _FOREST,
    "RandomForestRegressor": _FOREST,
    "ExtraTreesClassifier": _FOREST,
    "ExtraTreesRegressor": _FOREST,
    "BoostingClassifier": _AUTOMATIC,
    "BoostingRegressor": _AUTOMATIC,
    "ExplainableBoostingClassifier": _GLASS,
    "ExplainableBoostingRegressor": _GLASS,
    "HistGradientBoostingClassifier": _HISTOGRAM,
    "HistGradientBoostingRegressor": _HISTOGRAM,
    "GradientBoostingClassifier": _GRADIENT,
    "GradientBoostingRegressor": _GRADIENT,
    "AdaBoostClassifier": _ADABOOST,
    "AdaBoostRegressor": {**_ADABOOST, "loss": Choice("linear", "square", "exponential")},
    "CascadeClassifier": {"detection_rate": Real(0.95, 0.9999), "max_stumps": Integer(20, 200, log=True)},
    "BaggingClassifier": _BAGGING,
    "BaggingRegressor": _BAGGING,
    "LGBMClassifier": _LIGHT,
    "LGBMRegressor": _LIGHT,
    "XGBClassifier": _EXTREME,
    "XGBRegressor": _EXTREME,
    # samplers
    "SMOTE": {"k_neighbors": Integer(1, 20, log=True)},
    "ADASYN": {"n_neighbors": Integer(1, 20, log=True)},
    "Noise": {"scale": Real(0.01, 1.0, log=True)},
    "Mixup": {"alpha": Real(0.05, 2.0, log=True)},
    # rows without labels
    "SelfTrainingClassifier": {"threshold": Real(0.5, 0.99)},
    "ClusterThenLabel": {"purity": Real(0.5, 1.0)},
    "CoTrainingClassifier": {"threshold": Real(0.5, 0.99), "n_new": Integer(2, 30, log=True)},
    # neighbours and naive Bayes
    "KNeighborsClassifier": _NEIGHBORS,
    "KNeighborsRegressor": _NEIGHBORS,
    "GaussianNB": {"var_smoothing": Real(1e-10, 1.0, log=True)},
    "MultinomialNB": {"alpha": _COUNT, "fit_prior": Choice(True, False)},
    "BernoulliNB": {"alpha": _COUNT, "fit_prior": Choice(True, False)},
    "CategoricalNB": {"alpha": _COUNT, "fit_prior": Choice(True, False)},
    "NaiveBayes": {
        "numeric": Choice("gaussian", "kernel"),
        "var_smoothing": when(Real(1e-10, 1.0, log=True), numeric="gaussian"),
        "alpha": when(_COUNT, smoothing="laplace"),
    },
    "OneRClassifier": {"min_bucket_size": _LEAF},
    # linear models
    "LogisticRegression": {"C": Real(1e-3, 1e2, log=True), "l1_ratio": Real(0.0, 1.0)},
    "Ridge": {"alpha": _PENALTY},
    "RidgeClassifier": {"alpha": _PENALTY},
    "FairLogisticRegression": {"C": Real(1e-3, 1e2, log=True)},
    "Lasso": {"alpha": _SPARSE},
    "ElasticNet": _NET,
    "MultiTaskLasso": {"alpha": _SPARSE},
    "MultiTaskElasticNet": _NET,
    "HuberRegressor": {"alpha": Real(1e-6, 1e2, log=True), "epsilon": Real(1.05, 3.0)},
    "QuantileRegressor": {"alpha": _SPARSE},
    "LeastAbsoluteDeviations": {"alpha": _in_order(0.0, 1e-4, 1e-3, 0.01, 0.1, 1.0)},
    "PoissonRegressor": {"alpha": _PENALTY},
    "GammaRegressor": {"alpha": _PENALTY},
    "MAP": {"prior": Choice("gaussian", "laplace"), "prior_scale": Real(1e-3, 1e3, log=True)},
    "SGDClassifier": {"loss": Choice("hinge", "log_loss", "modified_huber"), **_DESCENT},
    "SGDRegressor": {**_DESCENT, "eta0": Real(1e-4, 0.1, log=True)},
    "Perceptron": {
        "penalty": Choice(None, "l2", "l1"),
        "alpha": when(Real(1e-6, 0.1, log=True), penalty=["l2", "l1"]),
    },
    "Adaline": {"eta0": Real(1e-4, 0.1, log=True)},
    # support vector machines, kernels, discriminants
    "SVC": {"C": _COST, **_KERNEL},
    "NuSVC": {"nu": Real(0.01, 0.5), **_KERNEL},
    "SVR": {"C": _COST, "epsilon": Real(1e-3, 1.0, log=True), **_KERNEL},
    "NuSVR": {"C": _COST, "nu": Real(0.1, 0.9), **_KERNEL},
    "OneClassSVM": {"nu": Real(0.01, 0.5), **_KERNEL},
    "LinearSVC": {"C": Real(1e-4, 1e3, log=True), "loss": Choice("hinge", "squared_hinge")},
    "LinearSVR": {"C": _COST, "loss": Choice("epsilon_insensitive", "squared_epsilon_insensitive")},
    "KernelRidge": {
        "alpha": Real(1e-4, 1e2, log=True),
        "kernel": Choice("linear", "rbf"),
        "gamma": when(_OWN_GAMMA, kernel="rbf"),
    },
    "GaussianProcessRegressor": {"alpha": Real(1e-10, 1.0, log=True)},
    "GaussianProcessClassifier": {},
    "LinearDiscriminantAnalysis": {"solver": Choice("svd", "lsqr"), "shrinkage": when(Real(0.0, 1.0), solver="lsqr")},
    "QuadraticDiscriminantAnalysis": {"reg_param": when(Real(0.0, 1.0), solver="svd")},
    "GaussianClassifier": {
        "covariance": Choice("full", "shared", "diagonal", "spherical"),
        "reg": Real(1e-9, 1.0, log=True),
    },
    # networks
    "MLPClassifier": _PERCEPTRON,
    "MLPRegressor": _PERCEPTRON,
    **dict.fromkeys(("ConvClassifier", "ConvRegressor", "RecurrentClassifier", "TransformerClassifier"), _STEPS),
    "InContextClassifier": {"n_members": Choice(2, 4)},
    "InContextRegressor": {"n_members": Choice(2, 4)},
    "TabularNetClassifier": _MEMBERS,
    "TabularNetRegressor": _MEMBERS,
    **{name: {} for name in _NOTHING},
}

NOT_IN_SCIKIT_LEARN: Mapping[str, tuple[str, ...]] = {"LogisticRegression": ("l1_ratio",)}
"""Parameters that scikit-learn's class of the name takes only together with others."""
