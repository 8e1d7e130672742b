"""Preparation of tables: kinds, codings, gaps, scales, new features.

Ours work on typed tables and give back the container they got: ``AsTable`` fixes the schema, ``TypedImputer`` and
``GowerImputer`` fill gaps, ``TableEncoder`` and ``CumulativeEncoder`` make numbers of levels, ``FeatureConstructor``
builds and screens features. Scaling, discretising, polynomials and the rest are scikit-learn's, gathered here under
their own names. ``probus.tabular`` puts together what a model needs.
"""

from sklearn.compose import TransformedTargetRegressor
from sklearn.impute import KNNImputer, MissingIndicator, SimpleImputer
from sklearn.preprocessing import (
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

from probus.preprocessing.construct import FeatureConstructor
from probus.preprocessing.cumulative import CumulativeEncoder
from probus.preprocessing.encode import TableEncoder
from probus.preprocessing.gower import GowerImputer
from probus.preprocessing.impute import TypedImputer
from probus.preprocessing.transformer import DroppedColumnWarning
from probus.preprocessing.typed import AsTable

__all__ = [
    "AsTable",
    "CumulativeEncoder",
    "DroppedColumnWarning",
    "FeatureConstructor",
    "GowerImputer",
    "KBinsDiscretizer",
    "KNNImputer",
    "MinMaxScaler",
    "MissingIndicator",
    "OneHotEncoder",
    "OrdinalEncoder",
    "PolynomialFeatures",
    "RobustScaler",
    "SimpleImputer",
    "StandardScaler",
    "TableEncoder",
    "TargetEncoder",
    "TransformedTargetRegressor",
    "TypedImputer",
]
