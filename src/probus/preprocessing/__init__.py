"""Preprocessing of tables: kinds, encoding, imputation, scaling, feature construction.

Our transformers work on typed tables and return the type of container they were given: ``AsTable`` fixes the schema,
``DateFeatures`` adds calendar features, ``TextFeatures`` makes numbers of text, ``CountWords`` and ``TfidfWords`` make
a column of each word, ``AverageWords`` learns vectors of words, ``TypedImputer`` and ``GowerImputer`` fill in missing
values, ``TableEncoder`` and ``CumulativeEncoder`` encode levels as numbers, ``FeatureConstructor`` constructs and
selects features, ``Monomials`` adds all products, ``TableDiscretizer`` makes intervals of numbers, ``pixel_columns`` a
table of images, and ``HaarFeatures`` their features.
Scaling, polynomials and the rest are scikit-learn's. ``probus.tabular`` combines what a model needs.
"""

from probus.borrowing import borrow
from probus.preprocessing._average_words import AverageWords
from probus.preprocessing._construct import FeatureConstructor
from probus.preprocessing._count_words import CountWords, TfidfWords, text_input
from probus.preprocessing._cumulative import CumulativeEncoder
from probus.preprocessing._date_features import DateFeatures
from probus.preprocessing._discretise import TableDiscretizer
from probus.preprocessing._encode import TableEncoder
from probus.preprocessing._gower_imputer import GowerImputer
from probus.preprocessing._haar import HaarFeatures, integral
from probus.preprocessing._impute import Imputer, TypedImputer, mean_or_mode
from probus.preprocessing._monomials import Monomials
from probus.preprocessing._pixel_columns import pixel_columns
from probus.preprocessing._screening_target import ScreeningTarget
from probus.preprocessing._text_features import TextFeatures, has_shared_words
from probus.preprocessing._transformer import (
    DroppedColumnWarning,
    TableTransformer,
    as_array,
    distinct,
    in_container_of,
)
from probus.preprocessing._typed import AsTable
from probus.preprocessing._word_features import WordFeatures

__all__ = [
    "AsTable",
    "AverageWords",
    "CountWords",
    "CumulativeEncoder",
    "DateFeatures",
    "DroppedColumnWarning",
    "FeatureConstructor",
    "GowerImputer",
    "HaarFeatures",
    "Monomials",
    "TableDiscretizer",
    "TableEncoder",
    "TextFeatures",
    "TfidfWords",
    "TypedImputer",
    "WordFeatures",
    "pixel_columns",
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
