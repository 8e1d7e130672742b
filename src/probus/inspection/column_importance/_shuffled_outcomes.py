"""What a model predicts when sets of columns are shuffled: for trees by walking again only where it matters."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from probus.data import Table
from probus.ensemble.boosting import Boosted
from probus.ensemble.forest import Forest
from probus.errors import DataError
from probus.held_out import predicting_held_out
from probus.inspection._column_sources import sources_of
from probus.inspection.column_importance._sources import Part
from probus.metrics import Outcome, codes_of
from probus.model_selection.one_split import scored_outcome
from probus.tree import TreeModel, Trees
from probus.tree.prediction import sums_with_other_values

_BATCH = 50_000  # rows that are predicted in one call
_NUMBERS = 32_000_000  # that predictions of several sets hold together

Sets = Sequence[tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class Shuffled:
    """Predictions for the rows of a part, in the order of ``rows``.

    base : as they are. others : for each set of columns, its predictions in each repeat; made when they are read.
    rows : the numbers of the rows. donors : int64[S or 1, R, n], places among ``rows``.
    """

    base: Outcome
    others: Callable[[Sequence[int]], list[list[Outcome]]]
    rows: np.ndarray
    donors: np.ndarray


def shuffled_outcomes(part: Part, rows: np.ndarray, sets: Sets, donors: np.ndarray, *, out_of_bag: bool) -> Shuffled:
    """The predictions of a part's model for some rows with each set of columns taken from the donors."""
    table = part.data.X.take(rows)
    truth = part.data.truth(rows)
    ensemble = None if part.data.decisions else ensemble_of(part.model, table, sets)
    if ensemble is not None:
        return _of_trees(ensemble, truth, rows, donors, out_of_bag=out_of_bag)
    if out_of_bag:
        raise DataError(
            f"out_of_bag=True of {type(part.model).__name__}.",
            "a random forest that was fitted on these rows, without surrogates or steps that mix columns",
        )
    data = replace(part.data, X=table, y=part.data.y[rows], actual=part.data.actual[rows])
    data = replace(data, weights=None if data.weights is None else data.weights[rows])

    def others(which: Sequence[int]) -> list[list[Outcome]]:
        mine = [donors[s if len(donors) > 1 else 0] for s in which]
        made = _predict_stacked(part.model, data, [sets[s] for s in which], mine)
        return [[next(made) for _ in range(donors.shape[1])] for _ in which]

    return Shuffled(_predict(part.model, replace(data)), others, rows, donors)


@predicting_held_out()
def _predict(model: Any, data: Any) -> Outcome:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X has feature names")
        return scored_outcome(model, data, np.arange(len(data.actual)))


def _predict_stacked(model: Any, data: Any, sets: Sets, donors: list[np.ndarray]) -> Iterator[Outcome]:
    """The outcome of each set and repeat, several in one call."""
    n = len(data.actual)
    jobs = [(columns, each) for columns, of_set in zip(sets, donors, strict=True) for each in of_set]
    together = max(_BATCH // n, 1)
    for start in range(0, len(jobs), together):
        some = jobs[start : start + together]
        where = np.tile(np.arange(n), len(some))
        taken = {
            name: np.concatenate([each if name in columns else np.arange(n) for columns, each in some])
            for name in {name for columns, _ in some for name in columns}
        }
        X = Table((column.take(taken.get(column.name, where)) for column in data.X), origin=data.X.origin)
        weights = None if data.weights is None else data.weights[where]
        outcome = _predict(model, replace(data, X=X, y=data.y[where], actual=data.actual[where], weights=weights))
        yield from (outcome.take(np.arange(n) + n * place) for place in range(len(some)))


# -- trees -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Ensemble:
    """A model that is a sum of trees, with the rows as they take them.

    X : coded rows. set_of : int64[d], the set that a column of the trees was made of, or -1. coded : codes other rows.
    prepared : whether a pipeline prepares rows.
    """

    model: Any
    trees: Trees
    X: np.ndarray
    set_of: np.ndarray
    n_groups: int
    values: np.ndarray
    coded: Callable[[Table], np.ndarray]
    prepared: bool


def ensemble_of(model: Any, table: Table, sets: Sets, *, several_outputs: bool = False) -> Ensemble | None:
    """The trees of a model, and which set of columns each column of theirs was made of.

    None for models that are no sum of trees, or where a column was made of several.
    """
    inner = getattr(model, "_model", model)  # behind what predicts tables
    steps = list(getattr(inner, "steps", []))
    last = steps[-1][1] if steps else inner
    if not isinstance(last, Forest | Boosted | TreeModel) or getattr(last, "initial_", None) is not None:
        return None
    trees = last.tree_ if isinstance(last, TreeModel) else last.trees_
    if trees.surrogates is not None or getattr(last, "classes_", [0, 1]) is None:
        return None
    if trees.n_outputs > 1 and (is_classifier(last) or not several_outputs):
        return None

    def coded(rows: Table) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="X has feature names")
            return np.asarray(last._seen(inner[:-1].transform(rows) if len(steps) > 1 else rows))

    sources: list[str | None] = [*table.names]
    if len(steps) > 1:
        sources = sources_of(inner, table) if len(table) else []
    set_of = np.full(len(sources), -1)
    for s, columns in enumerate(sets):
        here = np.array([source in columns for source in sources], dtype=bool)
        if (set_of[here] >= 0).any() or not here.any() or None in sources:
            return None  # a column in two sets, or columns of several sources
        set_of[here] = s
    values = trees.value.reshape(-1, trees.n_values)
    if len(getattr(last, "classes_", ())) == 2 and trees.n_values == 2:
        values = values[:, 1:]
    n_groups = 1 if isinstance(last, TreeModel) else last._sum_of_trees().n_groups
    return Ensemble(last, trees, coded(table), set_of, n_groups, values, coded, len(steps) > 1)


def _of_trees(
    ensemble: Ensemble, truth: Outcome, rows: np.ndarray, donors: np.ndarray, *, out_of_bag: bool
) -> Shuffled:
    left_out, kept = _in_bags(ensemble.model, rows) if out_of_bag else (None, None)
    width = ensemble.n_groups * ensemble.values.shape[1]
    at_once = max(_NUMBERS // max(len(rows) * donors.shape[1] * width, 1), 1)

    def sums(which: Sequence[int]) -> Any:
        place = np.full(int(ensemble.set_of.max(initial=-1)) + 2, -1)
        place[np.asarray(which, np.intp)] = np.arange(len(which))
        mine = donors if len(donors) == 1 else donors[list(which)]
        return sums_with_other_values(
            ensemble.trees, ensemble.X, mine, place[ensemble.set_of], ensemble.n_groups, values=ensemble.values,
            left_out=left_out, n_jobs=getattr(ensemble.model, "n_jobs", None),
        )  # fmt: skip

    first = sums([])
    if kept is not None:
        kept = first.votes > 0
        if not kept.all():
            raise DataError(
                f"{int((~kept).sum())} of {len(kept)} rows are in the bag of every tree.",
                "a tree for every row that was not grown on it",
                "Fit more trees.",
            )
    base = outcome_of_sums(ensemble.model, truth, first.own, first.votes)

    def others(which: Sequence[int]) -> list[list[Outcome]]:
        found = []
        for start in range(0, len(which), at_once):
            some = which[start : start + at_once]
            other = sums(some).other
            found += [
                [outcome_of_sums(ensemble.model, truth, other[:, s, r], first.votes) for r in range(other.shape[2])]
                for s in range(len(some))
            ]
        return found

    return Shuffled(base, others, rows, donors)


def _in_bags(model: Any, rows: np.ndarray) -> tuple[np.ndarray, bool]:
    """uint8[T, *], a bit for each row in the bag of a tree, in this order of the rows."""
    bags = getattr(model, "bags_", None)
    if bags is None or bags.size == 0:
        raise DataError(
            f"out_of_bag=True of {type(model).__name__}, whose trees are trained on every row.",
            "a forest with bootstrap=True",
        )
    if bags.n_rows != len(rows):
        raise DataError(
            f"{len(rows):,} rows, and {type(model).__name__} was fitted on {bags.n_rows:,}.",
            "the rows of the fit, in their order",
        )
    return np.stack([np.packbits(bags.counts(t)[rows] > 0, bitorder="little") for t in range(len(bags))]), True


def outcome_of_sums(model: Any, truth: Outcome, sums: np.ndarray, votes: np.ndarray) -> Outcome:
    """The outcome of a model whose trees add up to these sums: float64[n, n_groups · V]."""
    predicted = predictions_of_sums(model, sums, votes)
    if not is_classifier(model):
        return replace(truth, predicted=predicted)
    known = codes_of(np.asarray(model.classes_), truth.classes, "the model's classes_")
    probabilities = np.zeros((len(truth), len(truth.classes)))
    probabilities[:, known] = predicted
    return truth.with_probabilities(probabilities)


def predictions_of_sums(model: Any, sums: np.ndarray, votes: np.ndarray | int) -> np.ndarray:
    """Numbers, or probabilities float64[n, K], of a model whose trees add up to these sums."""
    if isinstance(model, Boosted):
        raw = sums + model.start_
        return model._probabilities_of(raw) if is_classifier(model) else model._loss().mean(raw[:, 0])
    mean = sums / np.reshape(votes, (-1, 1))
    if not is_classifier(model):
        return mean[:, 0] if mean.shape[1] == 1 else mean
    mean = np.column_stack([1.0 - mean, mean]) if mean.shape[1] == 1 and len(model.classes_) == 2 else mean
    return mean[:, : len(model.classes_)]
