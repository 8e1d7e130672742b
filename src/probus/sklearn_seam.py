"""The seam to scikit-learn: every private name of it that Probus uses, with its use and what replaces it.

A private name can change with any release. The rest of Probus imports them from here, under names without underscores,
and a test compares all of them with the installed scikit-learn. Each is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

__all__ = ["ATTRIBUTES", "NAMES", "PARTIAL_DEPENDENCE", "REPLACED", "SCORING_LOOP", "PrivateName", "original"]


class PrivateName(NamedTuple):
    """A name of scikit-learn: where it is, what Probus uses it for, and what to do when it goes."""

    module: str
    name: str
    use: str
    replacement: str


_CONSTRAINTS = "sklearn.utils._param_validation"
_DECLARED = "``_parameter_constraints``, which scikit-learn's checks and generators of documentation read"
_OWN_WORDS = "Leave ``constraint`` out; ``holds`` and ``__str__`` of ``AllowedValues`` do not need it."
_PUBLIC_THEN = "By then the package offers it without the experimental import: borrow it from there."

NAMES: dict[str, PrivateName] = {
    # -- checks of input -------------------------------------------------------------------------------
    "check_feature_names_in": PrivateName(
        "sklearn.utils.validation", "_check_feature_names_in",
        "The names that ``get_feature_names_out`` is given, or those of the fit.",
        "Compare with ``feature_names_in_``; without it, x0, x1, ….",
    ),
    "check_method_params": PrivateName(
        "sklearn.utils.validation", "_check_method_params",
        "The entries of parameters of ``fit`` that belong to some of the rows.",
        "``safe_indexing`` of those with one entry for each row.",
    ),
    "check_monotonic_cst": PrivateName(
        "sklearn.utils.validation", "_check_monotonic_cst",
        "Monotonic constraints by column or by name, as an array.",
        "An array of −1, 0 and 1 by ``feature_names_in_``, and an error for others.",
    ),
    "check_partial_fit_first_call": PrivateName(
        "sklearn.utils.multiclass", "_check_partial_fit_first_call",
        "Whether ``partial_fit`` is called for the first time, with its classes.",
        "Compare ``classes`` with ``classes_``; scikit-learn's checks read the text of the errors.",
    ),
    "check_sample_weight": PrivateName(
        "sklearn.utils.validation", "_check_sample_weight",
        "Weights as an array, none of them negative, one for each row.",
        "``check_array`` of one column, its length, and its smallest value.",
    ),
    "num_samples": PrivateName(
        "sklearn.utils.validation", "_num_samples",
        "The number of rows of anything, with scikit-learn's errors for what has none.",
        "The first number of ``shape``, or ``len``.",
    ),
    "safe_indexing": PrivateName(
        "sklearn.utils", "_safe_indexing",
        "Some rows or columns of an array, frame, sparse matrix or list.",
        "``narwhals`` for frames, NumPy's index for arrays and sparse matrices, a list otherwise.",
    ),
    # -- base classes ----------------------------------------------------------------------------------
    "BaseComposition": PrivateName(
        "sklearn.utils.metaestimators", "_BaseComposition",
        "Parameters of named members as ``name__parameter``, in ensembles and graphs.",
        "``get_params`` and ``set_params`` that walk through the pairs of names and members.",
    ),
    "BaseSearchCV": PrivateName(
        "sklearn.model_selection._search", "BaseSearchCV",
        "Whether a model is a search, also of another package, whose inner splits follow the order of time.",
        "A ``cv``, ``refit`` and ``scoring`` among the parameters.",
    ),
    "KNeighborsMixin": PrivateName(
        "sklearn.neighbors._base", "KNeighborsMixin",
        "``kneighbors_graph`` and others test whether a model is one.",
        "No base class; our models have its methods themselves.",
    ),
    "RadiusNeighborsMixin": PrivateName(
        "sklearn.neighbors._base", "RadiusNeighborsMixin",
        "``radius_neighbors_graph`` tests whether a model is one.",
        "No base class; our models have its methods themselves.",
    ),
    # -- output ----------------------------------------------------------------------------------------
    "VisualBlock": PrivateName(
        "sklearn.utils._repr_html.estimator", "_VisualBlock",
        "The members of an ensemble in scikit-learn's diagram of a pipeline.",
        "No ``_sk_visual_block_``: the diagram then shows one box.",
    ),
    "get_output_config": PrivateName(
        "sklearn.utils._set_output", "_get_output_config",
        "The library that ``set_output`` chose for the output of ``transform``.",
        "The attribute that ``set_output`` writes, else ``get_config()['transform_output']``.",
    ),
    # -- declarations of parameters --------------------------------------------------------------------
    "HasMethods": PrivateName(_CONSTRAINTS, "HasMethods", _DECLARED, _OWN_WORDS),
    "Hidden": PrivateName(_CONSTRAINTS, "Hidden", _DECLARED, _OWN_WORDS),
    "Interval": PrivateName(_CONSTRAINTS, "Interval", _DECLARED, _OWN_WORDS),
    "Options": PrivateName(_CONSTRAINTS, "Options", _DECLARED, _OWN_WORDS),
    "RealNotInt": PrivateName(_CONSTRAINTS, "RealNotInt", _DECLARED, _OWN_WORDS),
    "StrOptions": PrivateName(_CONSTRAINTS, "StrOptions", _DECLARED, _OWN_WORDS),
    "make_constraint": PrivateName(
        _CONSTRAINTS, "make_constraint",
        "The text of a kind of values in errors, in scikit-learn's words.",
        "The text of the documentation, ``str`` of ``AllowedValues``.",
    ),
    "InvalidParameterError": PrivateName(
        _CONSTRAINTS, "InvalidParameterError",
        "The class of our errors of parameters, so that code that catches scikit-learn's catches ours.",
        "ValueError and TypeError, its base classes.",
    ),
    # -- experimental models, which scikit-learn's packages offer only after another import ------------
    "HalvingGridSearchCV": PrivateName(
        "sklearn.model_selection._search_successive_halving", "HalvingGridSearchCV",
        "A public name of ``probus.model_selection``.", _PUBLIC_THEN,
    ),
    "HalvingRandomSearchCV": PrivateName(
        "sklearn.model_selection._search_successive_halving", "HalvingRandomSearchCV",
        "A public name of ``probus.model_selection``.", _PUBLIC_THEN,
    ),
    "IterativeImputer": PrivateName(
        "sklearn.impute._iterative", "IterativeImputer",
        "A public name of ``probus.impute``.", _PUBLIC_THEN,
    ),
}  # fmt: skip

# Modules by their names. ``cross_val_predict`` and others predict held-out rows in the first, in order to score them
SCORING_LOOP = "sklearn.model_selection._validation"
# ``partial_dependence`` tests there for classes that it can walk through; without it, ours are predicted row by row
PARTIAL_DEPENDENCE = "sklearn.inspection._partial_dependence"

# Private attributes of objects of scikit-learn. Model files have the public ones; the others are derived from them
ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "sklearn.base.BaseEstimator": ("_parameter_constraints",),
    "sklearn.compose.ColumnTransformer": ("_columns", "_remainder", "_transformer_to_input_indices"),
    "sklearn.ensemble.VotingClassifier": ("_get_params", "_set_params", "_validate_names"),
    "sklearn.gaussian_process.GaussianProcessRegressor": ("_y_train_mean", "_y_train_std"),
    "sklearn.metrics.make_scorer": ("_kwargs", "_response_method", "_score_func", "_sign"),
    "sklearn.neighbors.NearestNeighbors": ("_fit_method",),
    "sklearn.pipeline.Pipeline": ("_iter",),
    "sklearn.preprocessing.KBinsDiscretizer": ("_encoder",),
    "sklearn.preprocessing.OneHotEncoder": (
        "_check_infrequent_enabled", "_compute_n_features_outs", "_default_to_infrequent_mappings",
        "_infrequent_enabled", "_infrequent_indices", "_n_features_outs", "_set_drop_idx",
    ),
    "sklearn.preprocessing.OrdinalEncoder": ("_missing_indices",),
    "sklearn.preprocessing.PolynomialFeatures": ("_max_degree", "_min_degree", "_n_out_full", "_num_combinations"),
}  # fmt: skip

# Public names of scikit-learn that ``probus.patch`` has replaced: what was there, by module and name
REPLACED: dict[tuple[str, str], Any] = {}


def __getattr__(name: str) -> Any:
    if name not in NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    private = NAMES[name]
    return getattr(import_module(private.module), private.name)


def original(module: str, name: str) -> Any:
    """A public name of scikit-learn as scikit-learn defines it, also where ``probus.patch`` has put ours in its place.

    >>> original("sklearn.naive_bayes", "GaussianNB")
    <class 'sklearn.naive_bayes.GaussianNB'>
    """
    found = getattr(import_module(module), name)
    return REPLACED.get((module, name), found)
