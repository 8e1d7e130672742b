"""What a study ranks its models by, and which of them it saves and recommends."""

from __future__ import annotations

from collections.abc import Iterable

from probus.comparison import Leaderboard
from probus.comparison.default_measures import compared_by
from probus.data import Task
from probus.metrics import Measure, Scoring
from probus.model_selection.resampling import checked_measures

__all__ = ["chosen_model", "ranking_measures", "simplest_equivalent"]


def ranking_measures(
    scoring: Scoring | Iterable[Scoring] | None, task: Task, *, balanced: bool = False
) -> tuple[Measure, ...]:
    """The measures given by ``scoring``, then the default ones: the first orders the leaderboard.

    They are those of ``compare``. Where decisions minimise ``balanced`` errors, accuracy, which they do not maximise,
    is the last.

    >>> task = Task({"x": [1.0, 2.0, 3.0, 4.0], "y": ["a", "b", "a", "b"]}, target="y")
    >>> [each.name for each in ranking_measures("f1", task)]
    ['f1', 'roc_auc', 'log_loss', 'accuracy', 'balanced_accuracy']
    """
    measures = compared_by(scoring, task)
    given = {each.name for each in checked_measures(scoring, task) or ()}
    return tuple(sorted(measures, key=lambda each: balanced and each.name == "accuracy" and each.name not in given))


def chosen_model(board: Leaderboard, baseline: str) -> str:
    """The model to save: the best, unless that is the baseline while another beats it on a proper score.

    Accuracy and the like do not reward good probabilities, so that a constant prediction may be the best by them where
    a class is rare. Log loss, or RMSE for numbers, shows whether a model has learnt something.
    """
    best = board.best.name
    if best != baseline:
        return best
    proper = board.with_scoring("log_loss" if any(m.name == "log_loss" for m in board.measures) else "rmse")
    ahead = [standing.name for standing in proper if standing.rank and standing.rank < (proper[baseline].rank or 0)]
    return next((standing.name for standing in board if standing.name in ahead), best)


def simplest_equivalent(board: Leaderboard, chosen: str, baseline: str) -> str:
    """The first of the results, which are in order of simplicity, that is equivalent to the best; else the chosen."""
    if chosen != board.best.name:
        return chosen
    return next(
        (
            name
            for name in board.results
            if name == chosen or (name != baseline and board[name].verdict == "equivalent")
        ),
        chosen,
    )
