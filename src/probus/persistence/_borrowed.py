"""The classes of scikit-learn that a model file may contain, and their fitted attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sklearn.base import BaseEstimator

from probus.persistence._borrowed_specs import (
    COLUMNS,
    WIDTH,
    Categories,
    ColumnParts,
    Count,
    DType,
    Edges,
    Fills,
    Floats,
    FloatsOfAnyPrecision,
    IndexLists,
    Slices,
)
from probus.persistence._derived_state import (
    of_bins,
    of_column_transformer,
    of_one_hot,
    of_ordinal,
    of_polynomials,
    of_target_encoder,
)
from probus.sklearn_seam import original
from probus.state import Array, Either, Flag, Labels, Many, Maybe, Number, Object, Size, Spec, String


@dataclass(frozen=True)
class BorrowedClass:
    """A class of scikit-learn: its fitted attributes, and those that follow from them.

    ``derive`` sets the latter after loading, and raises where attributes contradict each other; ``derived`` are the
    public ones among them.
    """

    state: Mapping[str, Spec] = field(default_factory=dict)
    derive: Callable[[Any], None] | None = None
    derived: tuple[str, ...] = ()


def _with_columns(derive: Any = None, derived: Any = (), **state: Any) -> BorrowedClass:
    return BorrowedClass({**COLUMNS, **state}, derive, derived)


_MODEL = Object(BaseEstimator)
_GROUPED = {"categories_": Categories(), "_infrequent_indices": Maybe(IndexLists())}

BORROWED: Mapping[str, BorrowedClass] = {
    "sklearn.compose.ColumnTransformer": _with_columns(
        of_column_transformer,
        transformers_=ColumnParts(),
        sparse_output_=Flag(),
        output_indices_=Slices(),
    ),
    "sklearn.compose.TransformedTargetRegressor": BorrowedClass(
        {
            "regressor_": _MODEL,
            "transformer_": _MODEL,
            "_training_dim": Number(),
            "feature_names_in_": Maybe(Labels("d")),
        },
    ),
    "sklearn.decomposition.PCA": _with_columns(
        mean_=FloatsOfAnyPrecision("d"),
        components_=FloatsOfAnyPrecision("k d"),
        n_components_=Size("k"),
        n_samples_=Number(),
        noise_variance_=Number(),
        **dict.fromkeys(
            ("explained_variance_", "explained_variance_ratio_", "singular_values_"), FloatsOfAnyPrecision("k")
        ),
    ),
    "sklearn.feature_selection.VarianceThreshold": _with_columns(variances_=Floats()),
    "sklearn.impute.MissingIndicator": BorrowedClass(
        {
            "_n_features": WIDTH,
            "n_features_in_": Maybe(WIDTH),
            "feature_names_in_": Maybe(Labels("d")),
            "features_": Array("i8", "*", low=0, high="d"),
            "_precomputed": Flag(),
        },
    ),
    "sklearn.impute.SimpleImputer": _with_columns(
        statistics_=Fills(), indicator_=Maybe(_MODEL), _fit_dtype=DType(), _fill_dtype=DType()
    ),
    "sklearn.linear_model.LogisticRegression": _with_columns(
        classes_=Labels("K"),
        coef_=FloatsOfAnyPrecision("R d"),
        intercept_=FloatsOfAnyPrecision("R"),
        n_iter_=Array("i4", "*"),
    ),
    "sklearn.linear_model.RidgeCV": _with_columns(
        coef_=FloatsOfAnyPrecision("d"),
        **dict.fromkeys(("intercept_", "alpha_", "best_score_"), Number()),
    ),
    "sklearn.pipeline.FeatureUnion": BorrowedClass(),  # as in a pipeline, its parts are its parameters
    "sklearn.pipeline.Pipeline": BorrowedClass(),
    "sklearn.preprocessing.Binarizer": _with_columns(),
    "sklearn.preprocessing.FunctionTransformer": BorrowedClass(
        {"n_features_in_": Maybe(WIDTH), "feature_names_in_": Maybe(Labels("d"))},
    ),
    "sklearn.preprocessing.KBinsDiscretizer": _with_columns(
        of_bins,
        bin_edges_=Edges(),
        n_bins_=Array("i8", "d", low=1),
        _encoder=Maybe(_MODEL),
    ),
    "sklearn.preprocessing.MaxAbsScaler": _with_columns(n_samples_seen_=Count(), max_abs_=Floats(), scale_=Floats()),
    "sklearn.preprocessing.MinMaxScaler": _with_columns(
        n_samples_seen_=Count(),
        **dict.fromkeys(("min_", "scale_", "data_min_", "data_max_", "data_range_"), Floats()),
    ),
    "sklearn.preprocessing.Normalizer": _with_columns(),
    "sklearn.preprocessing.OneHotEncoder": _with_columns(of_one_hot, derived=("drop_idx_",), **_GROUPED),
    "sklearn.preprocessing.OrdinalEncoder": _with_columns(of_ordinal, **_GROUPED),
    "sklearn.preprocessing.PolynomialFeatures": _with_columns(of_polynomials, derived=("n_output_features_",)),
    "sklearn.preprocessing.PowerTransformer": _with_columns(lambdas_=Floats(), _scaler=Maybe(_MODEL)),
    "sklearn.preprocessing.QuantileTransformer": _with_columns(
        n_quantiles_=Size("q"),
        references_=FloatsOfAnyPrecision("q"),
        quantiles_=FloatsOfAnyPrecision("q d"),
    ),
    "sklearn.preprocessing.RobustScaler": _with_columns(**dict.fromkeys(("center_", "scale_"), Maybe(Floats()))),
    "sklearn.preprocessing.StandardScaler": _with_columns(
        n_samples_seen_=Count(),
        **dict.fromkeys(("mean_", "var_", "scale_"), Maybe(Floats())),
    ),
    "sklearn.preprocessing.TargetEncoder": _with_columns(
        of_target_encoder,
        categories_=Categories(),
        encodings_=Many(Array("f8", "*")),
        target_type_=String(("continuous", "binary", "multiclass")),
        target_mean_=Either(Number(), Array("f8", "K")),
        classes_=Maybe(Labels("K")),
    ),
}


@cache
def borrowed_classes() -> Mapping[str, type]:
    """The classes by the names they have in files, also where their public names are patched."""
    return {name: original(*name.rpartition(".")[::2]) for name in BORROWED}


def declaration_of(cls: type) -> BorrowedClass:
    """The declaration of a class of scikit-learn, or of the one that it is derived from."""
    return next(BORROWED[name] for name, known in borrowed_classes().items() if issubclass(cls, known))
