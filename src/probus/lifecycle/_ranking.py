"""What a study ranks its models by, and which of them it saves and recommends."""

from __future__ import annotations

from collections.abc import Sequence

from probus.comparison import Leaderboard
from probus.metrics import Measure


def accuracy_last(measures: Sequence[Measure], chosen: Sequence[Measure]) -> tuple[Measure, ...]:
    """The measures with accuracy at the end unless it was chosen, for decisions that do not maximise it."""
    named = {each.name for each in chosen}
    return tuple(sorted(measures, key=lambda each: each.name == "accuracy" and each.name not in named))


def gains(board: Leaderboard, baseline: str) -> bool:
    """Whether the best model is clearly better than the baseline by the main measure.

    Accuracy and the like do not reward good probabilities, so that a constant prediction may be the best by them where
    a class is rare. Log loss then shows whether a model has learnt something.
    """
    of_labels = board.measures[0].needs == "labels"
    return any(
        ranked.best.name != baseline and ranked[baseline].verdict in ("worse", "")
        for ranked in (board, *([_proper(board)] if of_labels else []))
    )


def chosen_model(board: Leaderboard, baseline: str) -> str:
    """The model to save: the best; the simplest that is ahead of the baseline where no gain over that is clear.

    The baseline itself only where no model is ahead of it, not on a proper score either.
    """
    best = board.best.name
    if best == baseline:
        ahead = _ahead(_proper(board), baseline)
        return next((standing.name for standing in board if standing.name in ahead), best)
    if gains(board, baseline):
        return best
    ahead = _ahead(board, baseline)
    return next(name for name in board.results if name == best or (name in ahead and board[name].tied))


def _ahead(board: Leaderboard, baseline: str) -> list[str]:
    """The models that rank before the baseline."""
    return [standing.name for standing in board if standing.rank and standing.rank < (board[baseline].rank or 0)]


def _proper(board: Leaderboard) -> Leaderboard:
    """The models in order of a proper score, if the main measure is none."""
    names = {each.name for each in board.measures}
    proper = next((name for name in ("log_loss", "rmse") if name in names), board.measures[0].name)
    return board if board.measures[0].name == proper else board.with_scoring(proper)


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
