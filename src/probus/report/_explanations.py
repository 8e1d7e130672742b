"""What a report finds out by fitting and predicting again, within a time limit: each section or why it is missing."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from probus.data import Table, Task
from probus.data.row_selection import drawn_rows
from probus.display import rounded
from probus.ensemble import ShapValues
from probus.errors import DataError, ProbusError
from probus.inspection import Importances, Waterfall, unfitted_model
from probus.lifecycle import Study
from probus.model_selection import BY_COMPARING, BY_TUNING, NO_SIGNAL, Diagnosis, LearningCurve, learning_curve
from probus.model_selection.one_split import Labelled, attempt
from probus.report._column_importance import ColumnImportance, column_importance
from probus.report._glass_box_curves import GlassBoxCurves, is_as_good
from probus.report._refits import Stopwatch, learnt_task
from probus.report._shapley import predicts_of, shapley_within
from probus.report._small_tree import SmallTree
from probus.report._text_words import TextWords, effects_of, text_words, texts_of
from probus.report._worst_rows import WorstRows, cell_text

T = TypeVar("T")

_IMPORTANCE, _SHAPLEY = 0.4, 0.5  # of the time that is left; the learning curve has the rest
_EXPLAINED = 150  # rows of the picture of Shapley values
_WATERFALLS = 3
_CLASSES, _WORDS_NAMED = 3, 2
_CURVES = ((5, 6), (5, 4), (3, 4), (3, 3))  # folds and sizes of a learning curve, the first that fits in the time
_MOST_TREE_ROWS, _LEAST_TREE_ROWS, _TREE_CELLS = 20_000, 2_000, 500_000
_FEWEST_FITS = 2  # of the importance of columns
_STEEP = 2  # of a model that was fitted on a sample since all rows take too long: the power of the rows in its time

_FLEXIBLE = {"Random forest", "Boosting"}


@dataclass(frozen=True, eq=False)
class StudyExplanations:
    """What the model relies on, what its columns add, whether more rows would help, and a tree to read.

    skipped : the sections that are missing, and why. notes : how the others were found.
    """

    importance: Importances | None = None
    shap: ShapValues | None = None
    shap_error: float = np.nan
    waterfalls: tuple[Waterfall, ...] = ()
    words: tuple[TextWords, ...] = ()
    learning: LearningCurve | None = None
    diagnosis: Diagnosis | None = None
    tree: SmallTree | None = None
    glass_box: GlassBoxCurves | None = None
    skipped: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, study: Study, worst: WorstRows, limit: float) -> StudyExplanations:
        """As much as can be computed in ``limit`` seconds.

        Where they are few, the learning curve is dropped first, then the importance of columns, both of which fit the
        model again, then Shapley values. The small tree is dropped last.
        """
        task = learnt_task(study)
        skipped: dict[str, str] = {}
        notes: dict[str, str] = {}
        if limit <= 0:
            names = ("importance", "Shapley values", "learning curve", "tree")
            return cls(skipped=dict.fromkeys(names, "no time was given"))

        def tried(name: str, compute: Callable[[], T]) -> T | None:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    return compute()
            except ProbusError as error:
                skipped[name] = str(error).partition("\n")[0].rstrip(".")
            except Exception as error:  # a section that fails must not cost the report
                skipped[name] = f"{type(error).__name__}: {error}"
            return None

        model = unfitted_model(study.model)
        clock = Stopwatch(limit)
        tree = tried("tree", lambda: SmallTree.of(_sample(task, _rows_of_tree(task)), study.main))
        glass_box = None
        if is_as_good(study):
            glass_box = tried("curves", lambda: GlassBoxCurves.of(study, task, clock))
        importance = explained = None
        fit = _seconds_of_fit(study)
        if study.best == study.baseline:
            skipped |= dict.fromkeys(("importance", "Shapley values"), f"{study.best} uses no column")
        else:
            importance = tried(
                "importance",
                lambda: _important(model, task, study, fit, Stopwatch(_IMPORTANCE * clock.left)),
            )
            explained = tried("Shapley values", lambda: _explain(study, task, worst, Stopwatch(_SHAPLEY * clock.left)))
        fit = max(importance.fit_seconds, fit) if importance else fit
        curve = tried("learning curve", lambda: _learning(model, task, study, fit, clock))
        shap, error, waterfalls, words = explained or (None, np.nan, (), ())
        if shap is not None:
            most = f", standard errors at most {rounded(error, 2)}" if np.isfinite(error) else ""
            notes["shapley"] = f"{len(shap.values):,} of {len(task):,} rows{most}"
        return cls(
            importance=importance.found if importance else None,
            shap=shap,
            shap_error=error,
            waterfalls=waterfalls,
            words=words,
            learning=curve,
            diagnosis=tried("diagnosis", lambda: _drop_followed(study, curve.diagnose()))
            if curve is not None
            else None,
            tree=tree,
            glass_box=glass_box,
            skipped=skipped,
            notes=notes,
        )


def _seconds_of_fit(study: Study) -> float:
    """The usual time of fitting and predicting a split, on all of its training rows."""
    seconds = float(np.median(study.results[study.best].seconds))
    rows = len(study.splits.pairs[0][0])
    return seconds if study.sampled_rows is None else seconds * (rows / min(study.sampled_rows, rows)) ** _STEEP


def _important(model: Any, task: Task, study: Study, fit: float, clock: Stopwatch) -> ColumnImportance:
    """The importance of the columns, where the time suffices for two fits at least."""
    if (needed := _FEWEST_FITS * fit) > clock.left:
        raise DataError(clock.shortage(needed), "more time")
    return column_importance(model, task, study.splits, study.main, clock=clock)


def _rows_of_tree(task: Task) -> int:
    return int(np.clip(_TREE_CELLS // max(len(task.features), 1), _LEAST_TREE_ROWS, _MOST_TREE_ROWS))


def _explain(
    study: Study, task: Task, worst: WorstRows, clock: Stopwatch
) -> tuple[ShapValues, float, tuple[Waterfall, ...], tuple[TextWords, ...]]:
    """Shapley values of some rows of the saved model, their standard error, the oddest rows in steps, and words."""
    X = task.X
    classes = tuple(np.asarray(study.model.classes_).tolist()) if task.classes else ()
    positive = None if task.pos_label is None else classes.index(task.pos_label)
    predict, outputs = predicts_of(study.model, classes, positive)
    odd = worst.rows[:_WATERFALLS]
    others = np.setdiff1d(np.arange(len(task)), odd)
    drawn = np.random.default_rng(0).permutation(others)[: _EXPLAINED - len(odd)]
    rows = np.concatenate([odd, np.sort(drawn)]).astype(np.intp)
    shap, error = shapley_within(predict, X, rows, outputs, clock)
    named = _words_of_rows(study.model, predict, task, odd, outputs)
    steps = tuple(_waterfall(task, shap, place, int(row), named) for place, row in enumerate(odd))
    words = text_words(study.model, predict, X, _quantities(task, outputs), rows[: len(shap.values)])
    return shap, float(np.nanmax(error)) if error.size else np.nan, steps, words


def _quantities(task: Task, outputs: tuple[Any, ...]) -> dict[str, int]:
    """The outputs that are described, and their places: one, or those of the most frequent classes."""
    if not outputs:
        return {f"probability of {task.pos_label}" if task.classes else f"predicted {task.target}": 0}
    rows = Counter(task.y.tolist())
    frequent = sorted(outputs, key=lambda label: -rows[label])[:_CLASSES]
    return {f"probability of {label}": outputs.index(label) for label in frequent}


def _words_of_rows(
    model: Any, predict: Callable[[Table], np.ndarray], task: Task, rows: np.ndarray, outputs: tuple[Any, ...]
) -> dict[str, dict[int, str]]:
    """The words of each text that change the prediction of a row most, by column and row."""
    labels = task.y[rows].tolist()
    place = np.array([outputs.index(label) if outputs else 0 for label in labels], dtype=np.intp)
    named: dict[str, dict[int, str]] = {}
    for name in texts_of(model, task.X) if len(rows) else ():
        effects = effects_of(model, predict, task.X.take(rows), name, place)
        named[name] = {
            int(row): ", ".join(f'"{each.phrase}"' for each in found[:_WORDS_NAMED])
            for row, found in zip(rows, effects.rows, strict=True)
        }
    return named


def _waterfall(task: Task, shap: ShapValues, place: int, row: int, words: dict[str, dict[int, str]]) -> Waterfall:
    """The steps to the prediction of a row: the positive probability, that of the actual class, or the number."""
    actual = cell_text(task.table[task.target], row)
    if shap.outputs:
        output = next(label for label in shap.outputs if str(label) == actual)
        shap, quantity = shap[output], f"probability of {actual}"
    else:
        quantity = f"probability of {task.pos_label}" if task.classes else f"predicted {task.target}"
    names = [
        f"{name}: {words[name][row]}" if words.get(name, {}).get(row) else f"{name} = {cell_text(task.X[name], row)}"
        for name in shap.feature_names
    ]
    return Waterfall.of(row, names, shap.values[place], float(shap.base), actual, quantity)


def _learning(model: Any, task: Task, study: Study, fit: float, clock: Stopwatch) -> LearningCurve:
    """The learning curve with as many folds and sizes as the time allows."""
    whole = Labelled.of(task, task.X)
    few = _draw(task, max(len(task) // 16, min(20, len(task))))
    least = min(attempt(model, whole, (few, few[:1])).fit_seconds, fit)
    for folds, sizes in _CURVES:
        shares = 0.5 ** np.arange(sizes)[::-1]
        needed = folds * float((least + (fit - least) * shares).sum())
        if needed <= clock.left:
            return learning_curve(model, task, cv=folds, train_sizes=shares, scoring=study.main, random_state=0)
    raise DataError(clock.shortage(needed), "more time")


def _drop_followed(study: Study, found: Diagnosis) -> Diagnosis:
    """The diagnosis without advice that the study has followed already; of a baseline, that no column may help."""
    compared = {standing.name for standing in study.leaderboard if standing.rank}
    done = BY_COMPARING if compared & _FLEXIBLE else frozenset()
    done |= BY_TUNING if study.best in study.inner_scores else frozenset()
    remedies = tuple(each for each in found.remedies if each not in done)
    if study.best == study.baseline:
        remedies = (NO_SIGNAL, *(each for each in remedies if each in BY_COMPARING))
    return replace(found, remedies=remedies)


def _sample(task: Task, most: int) -> Task:
    """The task, or rows of it drawn at random."""
    if len(task) <= most:
        return task
    table = task.table.take(_draw(task, most))
    return Task(table, task.target, group=task.group, weight=task.weight, time=task.time, pos_label=task.pos_label)


def _draw(task: Task, most: int) -> np.ndarray:
    """Some rows, among them two of each class."""
    codes = task.table[task.target].values if task.classes else None
    return drawn_rows(np.arange(len(task)), most, np.random.default_rng(0), codes)
