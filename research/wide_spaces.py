"""The models whose spaces ``research.space_gains`` measures, and spaces wider than theirs."""

from __future__ import annotations

from typing import Any

from probus.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from probus.ensemble import (
    BoostingClassifier,
    BoostingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from probus.kernel_ridge import KernelRidge
from probus.linear_model import ElasticNet, LogisticRegression, Ridge
from probus.naive_bayes import GaussianNB, NaiveBayes
from probus.neighbors import KNeighborsClassifier, KNeighborsRegressor
from probus.spaces import Choice, Integer, Real, Space, when
from probus.svm import SVC, SVR
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor

# of each family, the model for classes and the one for numbers
MODELS: dict[str, tuple[Any, Any]] = {
    "neighbours": (KNeighborsClassifier(), KNeighborsRegressor()),
    "tree": (DecisionTreeClassifier(random_state=0), DecisionTreeRegressor(random_state=0)),
    "linear": (LogisticRegression(), ElasticNet()),
    "ridge": (None, Ridge()),
    "naive Bayes": (NaiveBayes(), None),
    "Gaussian naive Bayes": (GaussianNB(), None),
    "kernel ridge": (None, KernelRidge(kernel="rbf")),
    "linear discriminant": (LinearDiscriminantAnalysis(), None),
    "quadratic discriminant": (QuadraticDiscriminantAnalysis(), None),
    "svm": (SVC(), SVR()),
    "automatic boosting": (BoostingClassifier(random_state=0), BoostingRegressor(random_state=0)),
    "boosting": (HistGradientBoostingClassifier(random_state=0), HistGradientBoostingRegressor(random_state=0)),
    "forest": (RandomForestClassifier(random_state=0), RandomForestRegressor(random_state=0)),
    "extra trees": (ExtraTreesClassifier(random_state=0), ExtraTreesRegressor(random_state=0)),
}

_COST, _WIDTH = Real(1e-5, 1e5, log=True), Real(1e-5, 30.0, log=True)
_LEAF, _NODES = Integer(1, 200, log=True), Integer(2, 255, log=True)
_KERNEL = {"kernel": Choice("linear", "rbf"), "gamma": when(_WIDTH, kernel="rbf")}
_TREE = {"max_depth": Integer(1, 20), "min_samples_leaf": _LEAF}
_FOREST = {
    "max_features": Real(0.03, 1.0, log=True),
    "min_samples_leaf": Integer(1, 100, log=True),
}
_BOOSTING = {
    "learning_rate": Real(3e-3, 1.0, log=True),
    "max_iter": Integer(20, 1000, log=True),
    "max_leaf_nodes": _NODES,
    "min_samples_leaf": _LEAF,
    "l2_regularization": Real(1e-3, 1e3, log=True),
    "max_features": Real(0.1, 1.0),
}
_AUTOMATIC = {
    "max_leaf_nodes": Choice(None, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 255),
    "min_samples_leaf": _LEAF,
    "l2_regularization": Real(1e-3, 1e3, log=True),
    "max_features": Real(0.1, 1.0),
    "subsample": Real(0.2, 1.0),
}
_NEIGHBORS = {
    "n_neighbors": Integer(1, 150, log=True),
    "weights": Choice("uniform", "distance"),
    "p": Choice(1, 1.5, 2, 3, 5, ordered=True),
}

WIDE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "neighbours": (_NEIGHBORS, _NEIGHBORS),
    "tree": (
        {"criterion": Choice("gini", "entropy"), **_TREE, "ccp_alpha": Real(1e-5, 0.1, log=True)},
        _TREE,
    ),
    "linear": (
        {"C": _COST, "l1_ratio": Real(0.0, 1.0)},
        {"alpha": Real(1e-6, 1e3, log=True), "l1_ratio": Real(0.0, 1.0)},
    ),
    "ridge": ({}, {"alpha": Real(1e-6, 1e6, log=True)}),
    "naive Bayes": (
        {
            "numeric": Choice("gaussian", "kernel"),
            "var_smoothing": when(Real(1e-12, 10.0, log=True), numeric="gaussian"),
            "alpha": Real(1e-4, 1e3, log=True),
        },
        {},
    ),
    "Gaussian naive Bayes": ({"var_smoothing": Real(1e-12, 10.0, log=True)}, {}),
    "kernel ridge": ({}, {"alpha": Real(1e-6, 1e3, log=True), **_KERNEL}),
    "linear discriminant": (
        {"solver": Choice("svd", "lsqr"), "shrinkage": when(Real(0.0, 1.0), solver="lsqr")},
        {},
    ),
    "quadratic discriminant": ({"reg_param": Real(0.0, 1.0)}, {}),
    "svm": ({"C": _COST, **_KERNEL}, {"C": _COST, "epsilon": Real(1e-4, 3.0, log=True), **_KERNEL}),
    "automatic boosting": (_AUTOMATIC, _AUTOMATIC),
    "boosting": (_BOOSTING, _BOOSTING),
    "forest": ({**_FOREST, "max_samples": Real(0.1, 1.0)},) * 2,
    "extra trees": (_FOREST, _FOREST),
}


def wide_space(name: str, classes: bool) -> Space:
    """The wider space of a family."""
    return Space(WIDE[name][0 if classes else 1])
