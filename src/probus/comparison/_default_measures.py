"""The measures that models are compared by where none are given: those of every verb that ranks models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from probus.data import Task
from probus.display import listed
from probus.metrics import MEASURES, Measure, Scoring, ranking_measures
from probus.model_selection import Resampled, checked_measures, measurable

_COUNT_RIGHT_ROWS = ("mcnemar", "cochran_q")


def measures_to_compare(
    scoring: Scoring | Iterable[Scoring] | None, *tasks: Task, test: str = "auto", n_classes: int = 0
) -> tuple[Measure, ...]:
    """The measures given by ``scoring``, then the default ones: the first decides.

    They are those of ``ranking_measures``, of several tasks for the largest number of classes. ``n_classes`` is that of
    models which have classes that the rows of the task lack. A test that counts right rows compares by accuracy.

    >>> task = Task({"x": [1.0, 2.0, 3.0, 4.0], "y": ["a", "b", "a", "b"]}, target="y")
    >>> [each.name for each in measures_to_compare("f1", task)]
    ['f1', 'roc_auc', 'log_loss', 'accuracy', 'balanced_accuracy']
    """
    chosen = checked_measures(scoring, tasks[0]) or ()
    usual = ranking_measures(max(n_classes, *(len(task.classes) for task in tasks)))
    if not chosen and test in _COUNT_RIGHT_ROWS:
        chosen = (MEASURES["accuracy"],)
    return tuple({each.name: each for each in (*chosen, *usual)}.values())


def of_every_model(measures: tuple[Measure, ...], results: Sequence[Resampled]) -> tuple[tuple[Measure, ...], str]:
    """Default measures, those first that every model has, and a note if the first one changes.

    Without probabilities a model has no log loss, and would not be ranked.
    """
    lacking: list[str] = []
    shared = {each.name for each in measures}
    for result in results:
        if not result.failed_everywhere:
            own = {each.name for each in measurable(measures, result.outcomes[0])}
            shared &= own
            if measures[0].name not in own:
                lacking.append(result.name)
    if measures[0].name in shared or not shared:
        return measures, ""
    order = tuple(sorted(measures, key=lambda each: each.name not in shared))
    names = listed(dict.fromkeys(lacking), most=3)
    verb = "predicts" if len(set(lacking)) == 1 else "predict"
    return order, f"compared by {order[0].label}, since {names} {verb} nothing that {measures[0].label} needs"
