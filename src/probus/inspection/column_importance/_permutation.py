"""Permutation importance: how much worse a model's predictions of test rows are when a column is shuffled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from probus.display import counted
from probus.errors import DataError
from probus.inspection.column_importance._donors import shuffle, shuffle_alike
from probus.inspection.column_importance._importances import Importances
from probus.inspection.column_importance._related_columns import Related
from probus.inspection.column_importance._shuffle_variance import Loss, Scores
from probus.inspection.column_importance._shuffled_outcomes import Shuffled, shuffled_outcomes
from probus.inspection.column_importance._sources import Part, Source
from probus.metrics import Measure

_AT_ONCE = 16  # sets of columns whose predictions are held together


def losses_of_shuffling(part: Part, names: Sequence[str], measure: Measure, *, n_repeats: int) -> np.ndarray:
    """The loss of a part's score on its rows when each column is shuffled, without intervals: float64[S].

    Parameters
    ----------
    part : a model and rows.
    names : the columns.
    measure : the score.
    n_repeats : how many values each row takes in turn.
    """
    order = np.random.default_rng(0).permutation(len(part.rows))
    donors = np.empty((1, min(n_repeats, len(order)), len(order)), np.int64)
    donors[0][:, order] = order[shuffle(len(order), donors.shape[1])]
    found = shuffled_outcomes(part, part.rows, [(name,) for name in names], donors, out_of_bag=False)
    whole = measure.better(measure.compute(found.base))
    return np.array(
        [
            whole - np.mean([measure.better(measure.compute(each)) for each in found.others([place])[0]])
            for place in range(len(names))
        ]
    )


def permute_columns(
    source: Source,
    measure: Measure,
    together: Mapping[str, tuple[str, ...]],
    *,
    n_repeats: int = 5,
    conditional: float | None = None,
    level: float = 0.95,
    out_of_bag: bool = False,
    random_state: int | None = 0,
) -> Importances:
    """The loss of score when sets of columns are shuffled among the test rows of each part.

    Parameters
    ----------
    source : models and rows.
    measure : the score.
    together : sets of columns by name; the columns of a set are shuffled together.
    n_repeats : how many values each row takes in turn.
    conditional : the least association of columns given which a column is shuffled; None shuffles among all rows.
    level : of the intervals.
    out_of_bag : whether the rows are those of the fit of a forest, each predicted by trees that were not grown on it.
    random_state : the seed.

    Returns
    -------
    The importances.
    """
    rng = np.random.default_rng(random_state)
    related = Related.of(source.task.X)
    sets = list(together.values())
    given = [related.beside(columns, conditional) if conditional is not None else () for columns in sets]
    fewest = min(len(part.rows) for part in source.parts)
    if fewest < 2:
        raise DataError(f"{counted(fewest, 'row')} to shuffle.", "at least two")
    repeats = min(n_repeats, fewest - 1)  # of every part as many
    parts = [_shuffled(part, sets, given, repeats, rng, out_of_bag) for part in source.parts]
    rows = [part.rows for part in parts]
    scores = Scores(measure, [part.base for part in parts], rows, source.splits, source.units, level, out_of_bag)
    tested = scores.tested
    losses: list[Loss] = []
    for start in range(0, len(sets), _AT_ONCE):
        some = range(start, min(start + _AT_ONCE, len(sets)))
        found = [part.others(some) for part in parts]
        for place, s in enumerate(some):
            donors = [part.donors[s if len(part.donors) > 1 else 0] for part in parts]
            losses.append(scores.loss(tested, [each[place] for each in found], donors))
    if all(np.isnan(loss.estimate.value) for loss in losses):
        raise DataError(
            f"{measure.label} is undefined on these rows.", "rows on which it can be computed, as of several classes"
        )
    moves = [loss.moves for loss in losses if loss.moves is not None]
    together_moved = np.stack(moves) if len(moves) == len(losses) else None
    how = "shuffled" if conditional is None else "shuffled among rows that are alike in the columns that go with it"
    notes = [*source.notes]
    if out_of_bag:
        notes.append("each row is predicted by the trees that were not grown on it")
    if repeats < n_repeats:
        notes.append(f"{counted(repeats, 'repeat')}, since there are few rows")
    return Importances.of(
        tuple(together),
        [loss.estimate for loss in losses],
        method="conditional permutation" if conditional is not None else "permutation",
        quantity=f"loss of {measure.label} when a column is {how}"
        if measure.greater_is_better
        else f"rise of {measure.label} when a column is {how}",
        where="rows out of bag" if out_of_bag else source.where,
        rows_kind="out of bag" if out_of_bag else "test",
        notes=tuple(notes),
        covariance=None if together_moved is None else together_moved @ together_moved.T,
        related=related.nearest(together),
        given=dict(zip(together, given, strict=True)) if conditional is not None else {},
        scoring=measure.name,
    )


def _shuffled(
    part: Part, sets: Sequence[tuple[str, ...]], given: Sequence[tuple[str, ...]], n_repeats: int,
    rng: np.random.Generator, out_of_bag: bool,
) -> Shuffled:  # fmt: skip
    rows = rng.permutation(part.rows)
    if any(given):
        table = part.data.X.take(rows)
        donors = np.stack(
            [shuffle_alike(table, columns, each, n_repeats, rng) for columns, each in zip(sets, given, strict=True)]
        )
    else:
        donors = shuffle(len(rows), n_repeats)[None]
    return shuffled_outcomes(part, rows, sets, donors, out_of_bag=out_of_bag)
