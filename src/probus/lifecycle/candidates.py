"""The models a study tries, simplest first."""

from __future__ import annotations

from typing import Any

__all__ = ["candidates"]


def candidates(kind: str) -> dict[str, Any]:
    """Models for a classification or a regression, by the names they are reported under.

    Each is wrapped by ``tabular``, so that it takes the table unchanged.
    """
    from probus.pipeline import tabular

    models = _classifiers() if kind == "classification" else _regressors()
    return {name: tabular(model) for name, model in models.items()}


def _classifiers() -> dict[str, Any]:
    from probus.discriminant_analysis import LinearDiscriminantAnalysis
    from probus.dummy import OneRClassifier, ZeroRClassifier
    from probus.ensemble import BoostingClassifier, RandomForestClassifier
    from probus.linear_model import LogisticRegression
    from probus.naive_bayes import GaussianNB, NaiveBayes
    from probus.neighbors import KNeighborsClassifier
    from probus.tree import ConditionalTreeClassifier, DecisionTreeClassifier

    return {
        "Zero-R": ZeroRClassifier(),
        "One-R": OneRClassifier(),
        "GaussianNB": GaussianNB(),
        "NaiveBayes (Gaussian)": NaiveBayes(),
        "NaiveBayes (kernel)": NaiveBayes(numeric="kernel"),
        "Linear discriminants": LinearDiscriminantAnalysis(),
        "Logistic regression": LogisticRegression(),
        "5-NN (Euclidean)": KNeighborsClassifier(5),
        "15-NN (Euclidean)": KNeighborsClassifier(15),
        "5-NN (Gower)": KNeighborsClassifier(5, metric="gower"),
        "15-NN (Gower)": KNeighborsClassifier(15, metric="gower"),
        "Tree (pruned)": _pruned(DecisionTreeClassifier),
        "Tree (conditional)": ConditionalTreeClassifier(),
        "Random forest": RandomForestClassifier(random_state=0),
        "Boosting": BoostingClassifier(random_state=0),
    }


def _regressors() -> dict[str, Any]:
    from probus.dummy import ZeroRRegressor
    from probus.ensemble import BoostingRegressor, RandomForestRegressor
    from probus.linear_model import Ridge
    from probus.neighbors import KNeighborsRegressor
    from probus.tree import ConditionalTreeRegressor, DecisionTreeRegressor

    return {
        "Zero-R": ZeroRRegressor(),
        "Ridge regression": Ridge(),
        "5-NN (Euclidean)": KNeighborsRegressor(5),
        "15-NN (Euclidean)": KNeighborsRegressor(15),
        "5-NN (Gower)": KNeighborsRegressor(5, metric="gower"),
        "15-NN (Gower)": KNeighborsRegressor(15, metric="gower"),
        "Tree (pruned)": _pruned(DecisionTreeRegressor),
        "Tree (conditional)": ConditionalTreeRegressor(),
        "Random forest": RandomForestRegressor(random_state=0),
        "Boosting": BoostingRegressor(random_state=0),
    }


def _pruned(tree: type) -> Any:
    """Such a tree, as large as cross-validation says.

    Surrogates, because a split on a column of many levels then sends unseen levels by other features, where "learn"
    would send them all to one side.
    """
    from probus.tree import CostComplexityCV

    return CostComplexityCV(tree(missing="surrogate", min_samples_leaf=5), random_state=0)
