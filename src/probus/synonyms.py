"""Parameters by the names that other libraries give them: an error that has the line to type."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from functools import update_wrapper
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

__all__ = ["answering_synonyms"]

P = ParamSpec("P")
R = TypeVar("R")

_OTHERS: dict[tuple[str, ...], str] = {
    ("scoring",): "metric metrics score scores measure measures eval_metric loss",
    ("random_state",): "seed random_seed",
    ("cv",): "fold folds n_folds n_splits k_folds kfold splits resampling",
    ("time",): "timeout time_limit time_budget max_time max_runtime_secs train_time budget",
    ("evaluations",): "n_trials n_iter max_evals trials iterations max_models n_calls",
    ("target", "y"): "label y outcome response target_column target_name dependent",
    ("progress",): "verbose show_progress show_progress_bar progress_bar",
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
    ("kinds",): "dtype dtypes schema types",
    ("sheet",): "sheet_name",
    ("skip",): "skiprows skip_rows",
}
_WORDS = {other: ours for ours, others in _OTHERS.items() for other in others.split()}


def answering_synonyms(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose error for an unknown parameter names the one that is meant.

    >>> from probus.tuning import tune
    >>> tune(None, None, n_trials=5)
    Traceback (most recent call last):
    TypeError: tune() has no parameter 'n_trials'. Use evaluations=5.
    """
    known = frozenset(inspect.signature(function).parameters)

    def called(*args: Any, **named: Any) -> Any:
        if not named.keys() <= known:
            refuse(function, known, named)
        return function(*args, **named)

    refuse = _refuse
    # with the globals of the function, since doctest looks there for the module that a function is of
    own = FunctionType(called.__code__, function.__globals__, closure=called.__closure__)
    return update_wrapper(own, function)


def _refuse(function: Any, known: frozenset[str], named: dict[str, Any]) -> None:
    """Raise for the first unknown parameter that has a known name or a similar one; else Python raises."""
    for name in named.keys() - known:
        meant = next((ours for ours in _WORDS.get(name, ()) if ours in known), None)
        near = get_close_matches(name, known, 1)
        if meant is None and not near:
            continue
        value = repr(named[name])
        use = f"Use {meant}={value if len(value) <= 40 else '…'}" if meant else f"Did you mean {near[0]}"
        raise TypeError(f"{function.__name__}() has no parameter {name!r}. {use}{'.' if meant else '?'}")
