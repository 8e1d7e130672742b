"""``probus.importance``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

from probus.arguments import verb
from probus.data import Task, quote_some
from probus.datasets.source import task_of
from probus.errors import DataError
from probus.inspection.column_importance._by_column import correlate, vary_totally
from probus.inspection.column_importance._by_fit import read_impurities, read_weights
from probus.inspection.column_importance._by_shapley import average_shapley
from probus.inspection.column_importance._dropping import drop_columns
from probus.inspection.column_importance._importances import Importances, ImportancesByMethod
from probus.inspection.column_importance._permutation import permute_columns
from probus.inspection.column_importance._sources import Source, is_fitted, source_of, unfitted_model
from probus.metrics import MEASURES, Measure, Scoring, ranking_measures
from probus.model_selection import Resampled, checked_measures, prepared, splits_of

_METHODS = ("permutation", "drop", "shapley", "impurity", "weight", "correlation", "total_variation")
_WITHOUT_MODEL = ("correlation", "total_variation")
_ASSOCIATED = 0.2  # from which columns count as given, where conditional is True

Together = Mapping[str, Iterable[str]]


@verb
def importance(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    method: str | Iterable[str] = "permutation",
    target: str | None = None,
    scoring: Scoring | None = None,
    cv: Any = None,
    columns: Iterable[str] | None = None,
    together: Together | None = None,
    conditional: bool | float = False,
    n_repeats: int = 5,
    out_of_bag: bool = False,
    level: float = 0.95,
    groups: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    n_jobs: int | None = None,
    random_state: int | None = 0,
) -> Any:
    """How important each column is, with an interval.

    - "permutation": the loss of score when the column is shuffled among test rows. A column of noise has 0 in its
      interval as often as the level says. Columns that hold the same information share their importance, or have none.
    - "drop": the loss of score when the model is fitted without the column, by the corrected resampled t interval.
    - "shapley": the mean size of the column's Shapley values. It shows use, not gain: noise is above 0.
    - "impurity": what splits on the column gained, on the training rows. Columns of many values are favoured.
    - "weight": coefficients of linear models for a standard deviation of the column.
    - "correlation" and "total_variation": the column and the target alone, without a model, which may be None.

    A fitted model is evaluated on the rows given, which should be rows that it was not fitted on. Other models are
    fitted on splits and evaluated on their test rows, as is a fitted one where ``cv`` is given. A result of
    ``resample(..., keep_models=True)`` has models and test rows: nothing is fitted again. A study keeps no models of
    its splits, so that its best model is fitted again on them; with rows, its final model is evaluated on these.

    Parameters
    ----------
    model : a model, fitted or not, a result of ``resample`` with its models, or a study.
    X, y : a Task, or features and target.
    method : the name of a method, or several names.
    target : the column to predict, where X is a table with that column, a path, or the name of a bundled data set.
    scoring : the measure, for "permutation" and "drop"; by default ROC AUC for two classes, log loss for more, RMSE for
        numbers, or accuracy where a model does not predict probabilities.
    cv : the splits for models that are to be fitted, as in ``resample``.
    columns : those whose importance is measured; by default all.
    together : columns that are shuffled or left out together, by a name for each set. They must not be in two sets.
    conditional : whether "permutation" shuffles among rows that are alike in the columns that go with a column: those
        with an association of 0.2 or more, or of at least this number. It shows what only this column has.
    n_repeats : how many values of other rows each row takes in turn.
    out_of_bag : whether X and y are the rows of the fit of a random forest. Each row is then predicted by the trees
        that were not grown on it.
    level : of the intervals.
    groups, sample_weight, pos_label : as in ``resample``.
    n_jobs : the number of fits of "drop" that run in parallel.
    random_state : the seed of shuffles, splits and samples.

    Returns
    -------
    ``Importances``; ``ImportancesByMethod`` for several methods, which has ``compare()``.

    >>> import probus
    >>> from probus.ensemble import RandomForestClassifier
    >>> birds = probus.Task(probus.datasets.penguins(), target="species")
    >>> train, test = birds.take(slice(0, None, 2)), birds.take(slice(1, None, 2))
    >>> forest = RandomForestClassifier(random_state=0).fit(train.X, train.y)
    >>> found = probus.importance(forest, test, scoring="accuracy")
    >>> found.names[:2]
    ('bill_length_mm', 'island')
    """
    methods = _checked_methods(method)
    _check_numbers(n_repeats, conditional)
    if out_of_bag and any(each != "permutation" for each in methods):
        raise DataError("out_of_bag=True of another method.", "method='permutation'")
    roles = {"target": target, "groups": groups, "sample_weight": sample_weight, "pos_label": pos_label}
    of_tables = [each for each in methods if each in _WITHOUT_MODEL]
    made: dict[bool, Source] = {}

    def source(fit: bool = True) -> Source:
        if fit not in made:
            made[fit] = source_of(model, X, y, cv=cv, random_state=random_state, fit=fit, **roles)
        return made[fit]

    found: list[Importances] = []
    for each in methods:
        if each in of_tables:
            task = task_of(X, y, **roles) if model is None else _task_of(model, X, y, roles)
            if together:
                raise DataError(f"together with method={each!r}.", "a method that takes several columns at once")
            names = tuple(_sets(task, columns, None))
            measured = correlate if each == "correlation" else vary_totally
            found.append(measured(task, names, level=level, random_state=random_state))
            continue
        if model is None:
            raise DataError(
                f"method={each!r} without a model.", "a model", "correlation and total_variation need none."
            )
        if each == "drop":
            found.append(
                _dropped(model, source, X, y, roles, columns, together, scoring, cv, level, n_jobs, random_state)
            )
            continue
        mine = source()
        sets = _sets(mine.task, columns, together, mine.parts[0].data.X.names)
        if each == "permutation":
            least = None if conditional is False else _ASSOCIATED if conditional is True else float(conditional)
            found.append(
                permute_columns(
                    mine, _measure(scoring, mine.task, mine.parts[0].model), sets, n_repeats=n_repeats,
                    conditional=least, level=level, out_of_bag=out_of_bag, random_state=random_state,
                )
            )  # fmt: skip
        elif each == "shapley":
            found.append(average_shapley(mine, sets, level=level, random_state=random_state))
        else:
            read = read_impurities if each == "impurity" else read_weights
            found.append(read(mine, sets, level=level))
    return found[0] if isinstance(method, str) else ImportancesByMethod(found)


def _dropped(
    model: Any, source: Any, X: Any, y: Any, roles: Mapping[str, Any], columns: Any, together: Any, scoring: Any,
    cv: Any, level: float, n_jobs: int | None, random_state: int | None,
) -> Importances:  # fmt: skip
    """Drop importance of a copy of the model, on splits of the rows."""
    notes: tuple[str, ...] = ()
    if isinstance(model, Resampled) or (X is None and hasattr(model, "leaderboard")):
        mine = source(True)
        task, splits, notes = mine.task, mine.splits, mine.notes
        inner = mine.ready or unfitted_model(getattr(mine.parts[0].model, "_model", mine.parts[0].model))
    else:
        model = getattr(model, "model", model) if hasattr(model, "leaderboard") else model
        task = task_of(X, y, model=model, **roles)
        inner, splits = unfitted_model(model), splits_of(cv, task, random_state=random_state)
        if is_fitted(model):
            notes = ("the fitted model was not used: copies of it were fitted on splits of the rows",)
    ready = prepared(inner, task)
    sets = _sets(task, columns, together)
    chosen = _measure(scoring, task, ready)
    how: dict[str, Any] = {"level": level, "n_jobs": n_jobs, "random_state": random_state}
    return drop_columns(inner, task, splits, chosen, sets, notes=notes, **how)


def _task_of(model: Any, X: Any, y: Any, roles: Mapping[str, Any]) -> Task:
    own = getattr(model, "task", None)
    if X is None and isinstance(own, Task):
        return own
    return task_of(X, y, model=getattr(model, "model", model) if hasattr(model, "leaderboard") else model, **roles)


def _measure(scoring: Any, task: Task, model: Any) -> Measure:
    """The measure, which the model's predictions allow."""
    from_labels = bool(task.classes) and not hasattr(model, "predict_proba")
    if scoring is None:
        chosen = MEASURES["accuracy"] if from_labels else ranking_measures(len(task.classes))[0]
    else:
        given = checked_measures(scoring, task)
        assert given is not None
        if len(given) > 1:
            raise DataError(f"{len(given)} measures.", "one", "Call it once for each.")
        chosen = given[0]
    if from_labels and chosen.needs == "probabilities":
        raise DataError(
            f"{chosen.label} needs probabilities, which {type(getattr(model, '_model', model)).__name__} does not "
            "predict.",
            "a measure of labels, such as scoring='accuracy'",
        )  # fmt: skip
    return chosen


def _sets(
    task: Task, columns: Iterable[str] | None, together: Together | None, used: Iterable[str] | None = None
) -> dict[str, tuple[str, ...]]:
    """Sets of columns by name: those given, and each other column alone."""
    known = task.features if used is None else tuple(used)
    chosen = list(known) if columns is None else [columns] if isinstance(columns, str) else list(columns)
    sets = {name: (each,) if isinstance(each, str) else tuple(each) for name, each in (together or {}).items()}
    inside = [name for each in sets.values() for name in each]
    for name in [*chosen, *inside]:
        if name not in known:
            raise DataError(f"no column {name!r}.", f"one of {quote_some(known, 12)}")
    twice = next((name for name in inside if inside.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"column {twice!r} is in two sets of together.", "each column in one set")
    if any(not each for each in sets.values()):
        raise DataError("a set without columns in together.", "at least one column in each")
    alone = [] if columns is None and sets and not [n for n in chosen if n not in inside] else chosen
    found = sets | {name: (name,) for name in alone if name not in inside}
    if not found:
        raise DataError("no columns.", "at least one")
    return found


def _checked_methods(method: Any) -> list[str]:
    methods = [method] if isinstance(method, str) else list(method)
    for each in methods:
        if each not in _METHODS:
            raise DataError(f"method={each!r}.", "one of " + ", ".join(map(repr, _METHODS)))
    if not methods:
        raise DataError("no method.", "at least one")
    return methods


def _check_numbers(n_repeats: Any, conditional: Any) -> None:
    if not isinstance(n_repeats, Integral) or isinstance(n_repeats, bool) or n_repeats < 1:
        raise DataError(f"n_repeats={n_repeats!r}.", "a whole number of at least 1")
    if not isinstance(conditional, Real) or not 0 <= float(conditional) <= 1:
        raise DataError(f"conditional={conditional!r}.", "True, False, or an association from 0 to 1")
