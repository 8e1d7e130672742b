"""Fitted models of scikit-learn, one of every class that a model file may contain, for ``fuzz_files``."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_selection import VarianceThreshold
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

from probus.dummy import ZeroRClassifier
from probus.pipeline import by_kind, choose, union

__all__ = ["borrowed_models"]


def borrowed_models() -> list[tuple[Any, Any]]:
    """Fitted models, each with rows that it takes."""
    rng = np.random.default_rng(0)
    numbers, y = rng.normal(size=(36, 3)), np.arange(36) % 3
    gaps = np.where(rng.random(numbers.shape) < 0.2, np.nan, numbers)
    levels = np.array([[("a", "b", "c", "d")[i % 7 % 4], ("u", "v")[i % 2]] for i in range(36)], dtype=object)
    scaled = ("scale", StandardScaler(), [0, 2])
    choice = choose(pca=PCA(2), none="passthrough")
    of_numbers = [
        Binarizer(), FunctionTransformer(), KBinsDiscretizer(3, quantile_method="linear"), MaxAbsScaler(),
        MinMaxScaler(), Normalizer(), PCA(2), PolynomialFeatures(2), PowerTransformer(),
        QuantileTransformer(n_quantiles=5), RobustScaler(), StandardScaler(), VarianceThreshold(),
        LogisticRegression(), RidgeCV(),
        FeatureUnion([("a", StandardScaler()), ("b", PCA(1)), ("c", "passthrough")]),
        ColumnTransformer([scaled], remainder=MinMaxScaler()),
        make_pipeline(ColumnTransformer([scaled], remainder="passthrough"), ZeroRClassifier()),
        by_kind(numeric=StandardScaler()) >> union() >> choice >> ZeroRClassifier(),
    ]  # fmt: skip
    of_gaps = [SimpleImputer(add_indicator=True), MissingIndicator()]
    of_levels = [
        OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=6, drop="first"), OrdinalEncoder(),
        TargetEncoder(cv=2), SimpleImputer(strategy="most_frequent"),
        ColumnTransformer([("code", OneHotEncoder(), [0])], remainder="passthrough"),
    ]  # fmt: skip
    groups = ((of_numbers, numbers), (of_gaps, gaps), (of_levels, levels))
    return [(model.fit(X, y), X[:8]) for models, X in groups for model in models]
