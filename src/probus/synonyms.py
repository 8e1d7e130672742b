"""Names and parameters of other libraries: an error that has the line to type."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import update_wrapper
from pathlib import Path
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

__all__ = ["answer", "answering_synonyms", "of_models", "refuse_unknown"]

P = ParamSpec("P")
R = TypeVar("R")

_OTHERS: dict[tuple[str, ...], str] = {
    ("scoring",): "metric metrics score scores measure measures eval_metric loss",
    ("random_state",): "seed random_seed",
    ("cv",): "fold folds n_folds n_splits k_folds kfold splits resampling",
    ("time",): "timeout time_limit time_budget max_time max_runtime_secs train_time budget",
    ("evaluations",): "n_trials n_iter max_evals trials iterations max_models n_calls n_evaluations",
    ("target", "y"): "label y outcome response target_column target_name dependent",
    ("progress",): "show_progress show_progress_bar progress_bar",
    ("groups", "group"): "group groups group_column",
    ("sample_weight", "weight"): "weight weights sample_weight sample_weights",
    ("pos_label",): "positive positive_class pos_class",
    ("space",): "param_grid param_distributions search_space params parameters grid",
    ("tuner",): "sampler algorithm method optimizer strategy",
    ("n_jobs",): "n_cores threads workers n_threads nthread njobs",
    ("models",): "estimators families algorithms",
    ("drop",): "exclude ignore drop_columns ignore_features",
    ("order", "time"): "time_column date_column date",
    ("out",): "output folder output_path",
    ("delimiter",): "sep separator",
    ("missing",): "na_values null_values",
    ("columns",): "usecols",
    ("kinds",): "schema types",
    ("sheet",): "sheet_name",
    ("skip",): "skiprows skip_rows",
    (
        "n_estimators",
    ): "num_iterations num_boost_round iterations n_rounds num_trees nrounds n_trees ntree ntrees max_iter",
    ("learning_rate",): "eta shrinkage",
    ("max_leaf_nodes",): "num_leaves max_leaves",
    ("max_depth",): "depth",
    ("min_samples_leaf",): "min_child_samples min_data_in_leaf min_child_weight",
    ("l2_regularization",): "reg_lambda lambda_l2 l2_leaf_reg reg_alpha",
    ("subsample",): "bagging_fraction",
    ("max_features",): "mtry colsample_bytree colsample_bylevel colsample_bynode feature_fraction rsm",
    ("n_iter_no_change",): "early_stopping_rounds",
    ("monotonic_cst",): "monotone_constraints",
    ("categorical_features",): "cat_features categorical_feature enable_categorical",
    ("loss",): "objective loss_function",
}
_LINES: dict[
    str, tuple[str, str]
] = {  # a parameter of ours that the function has, and the words that name it and its value
    "verbose": ("progress", "progress=None for silence, True for a bar"),
    "early_stopping": ("n_iter_no_change", "n_iter_no_change=10, the rounds without an improvement"),
    "scale_pos_weight": ("class_weight", 'class_weight={positive: weight}, or class_weight="balanced"'),
    "is_unbalance": ("class_weight", 'class_weight="balanced"'),
    "dtype": ("kinds", "kinds={'name': 'nominal'}, or 'numeric', 'text', …"),
    "dtypes": ("kinds", "kinds={'name': 'nominal'}, or 'numeric', 'text', …"),
    "parse_dates": ("kinds", "kinds={'name': '%d.%m.%Y'}, where the dates are not recognised"),
    "index_col": ("columns", "probus.read(path).drop('name'): rows have numbers, not names"),
    "nrows": ("columns", "probus.read(path).head(n)"),
    "names": ("columns", "header=False, and table.rename({…})"),
    "repeats": ("cv", "cv=RepeatedStratifiedKFold(n_splits=5, n_repeats=10) of probus.model_selection"),
    "n_repeats": ("cv", "cv=RepeatedStratifiedKFold(n_splits=5, n_repeats=10) of probus.model_selection"),
    "method": ("cv", "cv=Bootstrap() of probus.model_selection, or another splitter"),
    "k": ("cv", "cv=5"),
    "shuffle": ("cv", "cv=5, whose folds are drawn and stratified"),
    "stratify": ("cv", "cv=5, whose folds are drawn and stratified"),
    "stratified": ("cv", "cv=5, whose folds are drawn and stratified"),
    "test_size": (
        "cv",
        "probus.model_selection.train_test_split(table, test_size=0.2); study scores by cross-validation",
    ),
    "holdout": ("cv", "cv=5; every row is predicted once by a model that was not trained on it"),
    "return_train_score": ("cv", "probus.model_selection.cross_validate(model, X, y, return_train_score=True)"),
    "direction": ("scoring", "scoring='rmse': whether larger is better follows from the measure"),
    "maximize": ("scoring", "scoring='rmse': whether larger is better follows from the measure"),
    "task": ("target", "probus.Task(table, target='y', kind='classification') in place of the table"),
    "problem_type": ("target", "probus.Task(table, target='y', kind='classification') in place of the table"),
    "task_type": ("target", "probus.Task(table, target='y', kind='classification') in place of the table"),
    "train": ("target", "study(table, target='y')"),
    "train_data": ("target", "study(table, target='y')"),
    "data": ("target", "the table as the first argument"),
    "df": ("target", "the table as the first argument"),
}
_FIT = "model.fit(X, y, eval_set=(X_val, y_val))"
_IN_INIT = {
    "verbose": "fit(X, y), which prints nothing",
    "eval_metric": "probus.resample(model, X, y, scoring=…) for other measures: the loss decides when training stops",
    "callbacks": "BoostingClassifier(n_iter_no_change=10), which stops early",
}
_IN_FIT = ("eval_set", "X_val", "y_val")
_NAMES: dict[str, str] = {
    "probus.read(path)": "read_csv read_parquet read_excel read_json read_table scan_csv",
    "probus.Table(data)": "DataFrame from_pandas from_polars from_dict",
    "probus.study(table, target='y'), or model.fit(X, y)": "fit train automl AutoML setup",
    "model.predict(X)": "predict predict_proba",
    "probus.resample(model, table, target='y')": "evaluate cross_validation validate",
    "probus.compare(models, table, target='y')": "compare_models",
    "probus.tune(model, table, target='y')": "optimize optimise create_study",
    "probus.importance(model, X, y)":
        "importances feature_importance feature_importances plot_importance permutation_importance",
    "probus.explain(model, X), or model.shap_values(X) of trees":
        "shap_values shap TreeExplainer Explainer explain_model explainer",
    "table.plot(), or plot() of any result": "plot",
    "probus.datasets.load(name)": "load_dataset load_iris load_titanic load_penguins load_adult",
    "probus.load(path)": "load_model",
    "probus.Table(polars.concat([a.to_polars(), b.to_polars()]))": "concat append merge",
    "probus.save(model, path)": "save_model dump",
    "table.describe(), or probus.profile(table)": "describe summary info",
    "probus.study(table, target='y'), which does all of it": "TabularPredictor H2OAutoML AutoSklearnClassifier",
    "random_state=0 in the call": "seed set_seed set_random_state random_seed",
    "probus.tabular(model), which does it in each fold": "clean preprocess encode prepare transform normalize",
    "probus.model_selection.train_test_split(table, test_size=0.25)": "split",
    "probus.anomaly, whose detectors have fit and predict": "detect anomalies outliers",
    "result.plot_roc() of what resample, compare or study return": "plot_roc roc_curve",
    "result.confusion_matrix() of what resample or study return": "confusion_matrix plot_confusion_matrix",
    "model.score(X, y), or probus.resample(model, table, target='y')": "score",
    "probus.Table(data); models take frames and tables as they are": "DMatrix Pool",
    "probus.Table(polars.read_database(query, connection))": "read_sql",
    "probus.examine(table, target='y')": "check validate_data findings",
    "probus.datasets.load(name) with one of probus.datasets.names()": "fetch_openml",
}  # fmt: skip
_OF_MODELS: dict[str, str] = {
    "plot": "probus.resample(model, X, y).plot()",
    "plot_roc": "probus.resample(model, X, y).plot_roc()",
    "confusion_matrix": "probus.resample(model, X, y).confusion_matrix()",
    "evaluate": "model.score(X, y), or probus.resample(model, X, y)",
    "explain": "probus.explain(model, X)",
    "to_pickle": "model.save('model.probus')",
    "best_iteration_": "model.n_iter_",
    **dict.fromkeys(("plot_importance", "feature_importance", "importance", "importances"),
                    "probus.importance(model, X, y)"),
    **dict.fromkeys(("rsquared", "pvalues", "tvalues", "bse", "conf_int"), "model.summary(), where it has one"),
    "params": "model.coef_ and model.intercept_, where it has them",
}  # fmt: skip
_WORDS: dict[str, list[str]] = {}
for _ours, _others in _OTHERS.items():
    for _other in _others.split():
        _WORDS.setdefault(_other, []).extend(_ours)


def answering_synonyms(function: Callable[P, R]) -> Callable[P, R]:
    """The function or class, whose error for an unknown parameter names the one that is meant.

    >>> from probus.tuning import tune
    >>> tune(None, None, n_trials=5)
    Traceback (most recent call last):
    TypeError: tune() has no parameter 'n_trials'. Use evaluations=5.
    """
    if isinstance(function, type):
        function.__init__ = answering_synonyms(function.__init__)  # type: ignore[misc]
        return function
    known = _known(function)

    def called(*args: Any, **named: Any) -> Any:
        if not named.keys() <= known:
            refuse(function, known, named)
        return function(*args, **named)

    refuse = _refuse
    # with the globals of the function, since doctest looks there for the module that a function is of
    own = FunctionType(called.__code__, function.__globals__, closure=called.__closure__)
    return update_wrapper(own, function)


def _known(function: Any) -> frozenset[str]:
    """The names of the parameters; of an ``__init__`` from declarations they are read from its code, which is fast."""
    if hasattr(function, "declared"):
        code = function.__code__
        return frozenset(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    return frozenset(inspect.signature(function).parameters)


def refuse_unknown(method: Any, named: dict[str, Any], model: Any) -> None:
    """Raise for the first parameter that a method that fits does not have, where other libraries have it there.

    Parameters
    ----------
    method : the method.
    named : what it is given by name.
    model : the estimator, whose constructor may have it.
    """
    code = method.__code__
    if code.co_flags & inspect.CO_VARKEYWORDS:
        return
    for name in named.keys() - set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]):
        own = type(model).__name__
        ours = next((each for each in (name, *_WORDS.get(name, ())) if each in model.get_params(deep=False)), None)
        use = _IN_INIT.get(name) or (f"{own}({ours}=…)" if ours else "")
        if use:
            raise TypeError(f"{own}.{method.__name__}() has no parameter {name!r}. Use {use}.")


def _refuse(function: Any, known: frozenset[str], named: dict[str, Any]) -> None:
    """Raise for the first unknown parameter that has a known name or a similar one; else Python raises."""
    for name in named.keys() - known:
        if name == "y" and "target" in known and function.__name__ == "__init__":
            raise TypeError(f"{_called(function)}() has no parameter 'y'. Use {_called(function)}(X, y).")
        if name in _IN_FIT and function.__name__ == "__init__":
            raise TypeError(f"{_called(function)}() has no parameter {name!r}. Pass it to fit: {_FIT}.")
        line = _LINES.get(name)
        if line is not None and line[0] in known:
            raise TypeError(f"{_called(function)}() has no parameter {name!r}. Use {line[1]}.")
        meant = next((ours for ours in _WORDS.get(name, ()) if ours in known), None)
        near = get_close_matches(name, known, 1)
        if meant is None and not near:
            continue
        value = repr(named[name])
        use = f"Use {meant}={value if len(value) <= 40 else '…'}" if meant else f"Did you mean {near[0]}"
        raise TypeError(f"{_called(function)}() has no parameter {name!r}. {use}{'.' if meant else '?'}")


def _called(function: Any) -> str:
    """The name of a function, or of the class that it constructs."""
    return function.__qualname__.removesuffix(".__init__").rpartition(".")[2]


def of_models(name: str) -> str:
    """The line to type for what other libraries' models have; an empty string for other names.

    Parameters
    ----------
    name : an attribute that a model does not have.

    >>> of_models("explain")
    'probus.explain(model, X)'
    """
    return _OF_MODELS.get(name, "")


def answer(name: str, packages: Iterable[str]) -> str:
    """The line to type for a name that ``probus`` has not: one of its packages has it, or it is another library's.

    >>> answer("read_csv", []), answer("RandomForestClassifier", ["tree", "ensemble"])
    (' Use probus.read(path).', ' Use: from probus.ensemble import RandomForestClassifier')
    """
    for ours, others in _NAMES.items():
        if name in others.split():
            return f" Use {ours}."
    for package in packages:  # found in the text, since importing every package takes seconds
        contents = Path(__file__).parent / package / "__init__.py"
        if contents.is_file() and f'"{name}"' in contents.read_text(encoding="utf-8"):
            return f" Use: from probus.{package} import {name}"
    return ""
