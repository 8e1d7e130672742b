"""Preprocessing of tables: kinds, encoding, imputation, scaling, feature construction.

Our transformers work on typed tables and return the type of container they were given: ``AsTable`` fixes the schema,
``DateFeatures`` adds calendar features, ``TextFeatures`` makes numbers of text, ``CountWords`` and ``TfidfWords`` make
a column of each word, ``TypedImputer`` and ``GowerImputer``
fill in missing values, ``TableEncoder`` and ``CumulativeEncoder`` encode levels as numbers, ``FeatureConstructor``
constructs and selects features.
Scaling, discretisation, polynomials and the rest are scikit-learn's. ``probus.tabular`` combines what a model needs.
"""

from probus.borrowing import borrow
from probus.preprocessing.construct import FeatureConstructor
from probus.preprocessing.count_words import CountWords, TfidfWords
from probus.preprocessing.cumulative import CumulativeEncoder
from probus.preprocessing.date_features import DateFeatures
from probus.preprocessing.encode import TableEncoder
from probus.preprocessing.gower_imputer import GowerImputer
from probus.preprocessing.impute import TypedImputer
from probus.preprocessing.text_features import TextFeatures
from probus.preprocessing.transformer import DroppedColumnWarning
from probus.preprocessing.typed import AsTable
from probus.preprocessing.word_features import WordFeatures

__all__ = [
    "AsTable",
    "CountWords",
    "CumulativeEncoder",
    "DateFeatures",
    "DroppedColumnWarning",
    "FeatureConstructor",
    "GowerImputer",
    "TableEncoder",
    "TextFeatures",
    "TfidfWords",
    "TypedImputer",
    "WordFeatures",
]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.preprocessing": (
        "add_dummy_feature", "binarize", "Binarizer", "FunctionTransformer", "KBinsDiscretizer", "KernelCenterer",
        "label_binarize", "LabelBinarizer", "LabelEncoder", "maxabs_scale", "MaxAbsScaler", "minmax_scale",
        "MinMaxScaler", "MultiLabelBinarizer", "normalize", "Normalizer", "OneHotEncoder", "OrdinalEncoder",
        "PolynomialFeatures", "power_transform", "PowerTransformer", "quantile_transform", "QuantileTransformer",
        "robust_scale", "RobustScaler", "scale", "SplineTransformer", "StandardScaler", "TargetEncoder",
    ),
    "sklearn.impute": ("KNNImputer", "MissingIndicator", "SimpleImputer"),
    "sklearn.compose": ("TransformedTargetRegressor",),
})  # fmt: skip
