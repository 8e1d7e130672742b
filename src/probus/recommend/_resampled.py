"""The result of resampling a recommender: scores with intervals over users."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from probus.display import Cells, Notes, OnlyHtml, OnlyText, Paragraph, Result, counted, drawing
from probus.errors import DataError
from probus.metrics import Estimate, Measure
from probus.metrics.curves import quantile
from probus.model_selection import Splits, TestedRows
from probus.recommend._measures import TestedSplit, parts_of, recommender_measure
from probus.recommend._ratings import Ratings

METHOD = "variance between users"
OF_HALVES = "variance between tested users, and between training users by halves of them"
_LEAST = 1e-12


@dataclass(frozen=True, eq=False)
class RatedTask:
    """Ratings in the form of a task, as comparisons read it: what is predicted, and no roles."""

    ratings: Ratings
    classes: tuple[Any, ...] = ()
    sample_weight: None = None
    groups: None = None
    weight: None = None
    group: None = None

    def __len__(self) -> int:
        return len(self.ratings)

    @property
    def target(self) -> str:
        """The column of ratings."""
        return self.ratings.columns.rating or self.ratings.columns.item

    @property
    def y(self) -> np.ndarray:
        """The ratings."""
        return self.ratings.values


@dataclass(frozen=True, eq=False)
class UserMoves(TestedRows):
    """A score, and how much each tested user moves it, scaled to the variance that training users add.

    own : float64[U], the moves of the tested users alone.
    half_scores : float64[R, 2], the scores of models of the halves of the users.
    half_moves : float64[R, 2, n], what users add to these; the sum of squares is the variance over tested users.
    df : the degrees of freedom of the variance; halvings of the same users count half.
    """

    own: np.ndarray = field(default_factory=lambda: np.empty(0))
    half_scores: np.ndarray = field(default_factory=lambda: np.empty((0, 2)))
    half_moves: np.ndarray = field(default_factory=lambda: np.empty((0, 2, 0)))
    df: float = 1.0

    @classmethod
    def of(
        cls, value: float, users: np.ndarray, own: np.ndarray, half_scores: np.ndarray, half_moves: np.ndarray
    ) -> UserMoves:
        """From the moves of tested users, and what halves show.

        Half the difference of two halves has the variance of a score of all users, by tested and by training users;
        what the former explain of it is taken off.
        """
        n = len(own)
        tested, trained = float(own @ own) / max(n * (n - 1), 1), 0.0
        if len(half_scores):
            apart = half_scores[:, 0] - half_scores[:, 1]
            trained = float(np.mean(apart**2 - np.sum(half_moves**2, axis=(1, 2)))) / 4
        moves = own * np.sqrt(1 + max(trained, 0.0) / tested) if tested > 0 else own
        share = max(trained, 0.0) / (max(trained, 0.0) + tested) if tested > 0 else 0.0
        df = 1 / (share**2 / max(len(half_scores) / 2, 1.0) + 1 / max(n - 1, 1))
        unit = np.arange(n, dtype=np.int64)
        halves: dict[str, Any] = {"half_scores": half_scores, "half_moves": half_moves, "df": df}
        return cls(value, moves, moves, unit, users, np.zeros_like(unit), 1, own=own, **halves)

    def minus(self, other: TestedRows) -> TestedRows:
        """The difference of two scores of the same users."""
        assert isinstance(other, UserMoves)
        return UserMoves.of(
            self.value - other.value,
            self.names,
            self.own - other.own,
            self.half_scores - other.half_scores,
            self.half_moves - other.half_moves,
        )


def moves_of_users(chosen: Measure, splits: tuple[TestedSplit, ...]) -> tuple[float, np.ndarray, np.ndarray]:
    """The measure over splits, the users that it is of, and how much each moves it."""
    name, k = parts_of(chosen.name)
    users = np.unique(np.concatenate([each.users for each in splits]))
    if name == "coverage":
        value, moves = _coverage(splits, users, k)
        return value, users, moves
    a, b = np.zeros(len(users)), np.zeros(len(users))
    for each in splits:
        place = np.searchsorted(users, each.users)
        more = each.sums(chosen)
        a[place] += more[0]
        b[place] += more[1]
    some = b > 0
    users, a, b = users[some], a[some], b[some]
    if not len(users):
        raise DataError(
            f"{chosen.label}: no tested user has a relevant rating.",
            "test ratings that are relevant",
            "Pass relevant=…, a lower rating.",
        )
    value = _value(chosen, a.sum(), b.sum())
    moves = (a - a.sum() / b.sum() * b) * len(users) / b.sum()
    return float(value), users, moves / max(2 * value, _LEAST) if chosen.name == "rmse" else moves


@dataclass(frozen=True, eq=False, repr=False)
class ResampledRecommender(Result):
    """What a recommender predicted and recommended on every split: any measure needs no refit.

    An interval is over users: it covers the score on other users of the same population, with the same items. Ratings
    of one user are not independent. An error of ratings counts as a ratio of means over users, and its variance is that
    between them (the sandwich estimator for clusters). Lists change with the training users, for all tested users at
    once: what models of halves of the users show of that, each tested on its own users, is added for their measures.

    Attributes
    ----------
    name : of the model.
    task : the ratings.
    splits : of the ratings.
    tested_splits : what was tested on each.
    measures : those reported, the main one first.
    notes : remarks on the scores.
    failures : none: a recommender that fails on a split is an error.
    halves : what was tested of models of one half of the users and of the other, several times.
    """

    name: str
    task: RatedTask
    splits: Splits
    tested_splits: tuple[TestedSplit, ...]
    measures: tuple[Measure, ...]
    notes: tuple[str, ...] = ()
    failures: tuple[Any, ...] = ()
    halves: tuple[TestedSplit, ...] = ()

    def __len__(self) -> int:
        return len(self.tested_splits)

    verbs: ClassVar[str] = "probus.recommend"
    failed_everywhere: ClassVar[bool] = False  # that is an error of ``resample``
    failure: ClassVar[str] = ""

    @property
    def rows(self) -> tuple[np.ndarray, ...]:
        """The test rows of each split."""
        return tuple(test for _, test in self.splits.pairs)

    @property
    def seconds(self) -> np.ndarray:
        """The time of each split."""
        return np.array([each.seconds for each in self.tested_splits])

    @property
    def n_users(self) -> int:
        """The number of users that were tested."""
        return len(np.unique(np.concatenate([each.users for each in self.tested_splits])))

    # -- scores ----------------------------------------------------------------------------------------

    def scores(self, scoring: Any = None) -> np.ndarray:
        """The measure on each split."""
        chosen = self._measure(scoring)
        return np.array([value_on(chosen, each) for each in self.tested_splits])

    def estimate(self, scoring: Any = None, level: float = 0.95) -> Estimate:
        """The measure with its interval over users.

        Parameters
        ----------
        scoring : the name of a measure; None is the main one. A longer list than was kept is an error.
        level : the confidence level.
        """
        chosen = self._measure(scoring)
        tested = self.tested(chosen)
        value, n = tested.value, tested.n_units
        if n < 2:
            return Estimate(value, -np.inf, np.inf, level, f"{METHOD}: one user has none", n)
        low, high = _interval(chosen, value, float(np.sqrt(tested.variance_of_rows)), quantile(level, tested.df))
        return Estimate(value, low, high, level, OF_HALVES if self.of_halves(chosen) else METHOD, n)

    def of_halves(self, scoring: Any = None) -> bool:
        """Whether the interval of a measure is by models of halves of the users."""
        chosen = self._measure(scoring)
        return bool(parts_of(chosen.name)[1]) and len(self._scored_halves(chosen)) > 2

    def _scored_halves(self, chosen: Measure) -> list[TestedSplit]:
        """Both halves of each halving in which the measure is known of both."""
        pairs = zip(self.halves[::2], self.halves[1::2], strict=True)
        return [each for pair in pairs if all(half.has(chosen) for half in pair) for each in pair]

    def tested(self, scoring: Any = None) -> UserMoves:
        """How much each user moves the score."""
        chosen = self._measure(scoring)
        if chosen.name not in self._tested:
            self._tested[chosen.name] = self._moves(chosen)
        return self._tested[chosen.name]

    @cached_property
    def _tested(self) -> dict[str, UserMoves]:
        return {}

    def _moves(self, chosen: Measure) -> UserMoves:
        value, users, moves = moves_of_users(chosen, self.tested_splits)
        scores, of_halves = np.empty((0, 2)), np.empty((0, 2, 0))
        if self.of_halves(chosen):
            n_users, found = len(self.task.ratings.users), []
            for each in self._scored_halves(chosen):
                score, own, half_moves = moves_of_users(chosen, (each,))
                spread = np.zeros(n_users)
                spread[own] = half_moves / np.sqrt(max(len(own) * (len(own) - 1), 1))
                found.append((score, spread))
            scores = np.array([score for score, _ in found]).reshape(-1, 2)
            of_halves = np.array([spread for _, spread in found]).reshape(-1, 2, n_users)
        return UserMoves.of(value, users, moves, scores, of_halves)

    def _measure(self, scoring: Any) -> Measure:
        chosen = self.measures[0] if scoring is None else recommender_measure(scoring)
        k = parts_of(chosen.name)[1]
        if not k and any(each.predicted is None for each in self.tested_splits):
            raise DataError(
                f"{self.name} predicts no ratings, and {chosen.label} needs them.",
                "a measure of lists, such as 'ndcg@10'",
            )
        longest = min(each.lists.shape[1] for each in self.tested_splits)
        if k > longest and longest < len(self.task.ratings.items):
            raise DataError(
                f"{chosen.name} of lists of {longest} items.",
                f"lists of {k}",
                f"Pass scoring={chosen.name!r} to resample.",
            )
        return chosen

    def __getitem__(self, scoring: Any) -> Estimate:
        """The estimate of a measure: ``result["ndcg@10"]``."""
        return self.estimate(scoring)

    # -- by user ---------------------------------------------------------------------------------------

    def by_user(self, scoring: Any = None) -> Any:
        """A polars frame with the measure of each tested user, the worst first."""
        import polars as pl

        chosen = self._measure(scoring)
        found: dict[int, list[float]] = {}
        for each in self.tested_splits:
            for code, a, b in zip(each.users.tolist(), *(part.tolist() for part in each.sums(chosen)), strict=True):
                if b > 0:
                    before = found.setdefault(code, [0.0, 0.0])
                    before[0] += a
                    before[1] += b
        labels = self.task.ratings.users.labels
        rows = {"user": labels[list(found)], chosen.name: [_value(chosen, a, b) for a, b in found.values()]}
        return pl.DataFrame(rows).sort(chosen.name, descending=not chosen.greater_is_better)

    # -- display ---------------------------------------------------------------------------------------

    def _parts(self) -> Iterator[Any]:
        n_ratings = counted(len(self.task), "rating")
        yield f"{self.name}: {self.splits.how}, {n_ratings} of {counted(self.n_users, 'tested user')}"
        shown = [(each, self.estimate(each)) for each in self.measures]
        yield OnlyText(Paragraph(" · ".join(f"{each.name} {estimate}" for each, estimate in shown)))
        yield OnlyHtml(Cells([(each.label, estimate) for each, estimate in shown], header=False))
        yield Notes([*self._methods(), *(f"note: {note}" for note in self.notes)])

    def _methods(self) -> list[str]:
        """How the intervals were found, those of errors first."""
        of = {each: [m.name for m in self.measures if self.estimate(m).method == each] for each in (METHOD, OF_HALVES)}
        known = [(method, names) for method, names in of.items() if names]
        lines = [f"{', '.join(names)}: {method}" for method, names in known]
        return [f"intervals of 95 %: {known[0][0]}"] if len(known) == 1 else ["intervals of 95 %:", *lines]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "name": self.name,
            "ratings": len(self.task),
            "users": self.n_users,
            "splits": self.splits.how,
            "estimates": {each.name: self.estimate(each).to_dict() for each in self.measures},
            "scores": {each.name: self.scores(each).tolist() for each in self.measures},
            "seconds": self.seconds.tolist(),
            "notes": list(self.notes),
        }

    def _rows(self) -> list[dict[str, Any]]:
        return [{"scoring": each.name, **self.estimate(each).to_dict()} for each in self.measures]

    def plot(self, axes: Any = None) -> Any:
        """How the main measure differs between users, on matplotlib axes, which are returned."""
        axes = drawing.new_axes(axes, 6, 3)
        main = self.measures[0]
        values = self.by_user(main)[main.name].to_numpy()
        axes.hist(values, bins=30, color=drawing.BLUE)
        estimate = self.estimate(main)
        axes.axvline(estimate.value, color=drawing.ORANGE)
        drawing.tidy(axes, f"{main.label} of {self.name}: {estimate}", f"{main.label} of a user", "users")
        return axes


def value_on(chosen: Measure, split: TestedSplit) -> float:
    """The measure on one split; NaN where it is undefined there."""
    name, k = parts_of(chosen.name)
    if name == "coverage":
        return split.shown_alone(k)[1] / split.n_items
    if not k and split.predicted is None:
        raise DataError(f"the model predicts no ratings, and {chosen.label} needs them.", "a measure of lists")
    a, b = split.sums(chosen)
    return _value(chosen, float(a.sum()), float(b.sum()))


def _value(chosen: Measure, a: float, b: float) -> float:
    if b == 0:
        return float("nan")
    return float(np.sqrt(a / b)) if chosen.name == "rmse" else float(a / b)


def _coverage(splits: tuple[TestedSplit, ...], users: np.ndarray, k: int) -> tuple[float, np.ndarray]:
    """The mean over splits of the share of items that somebody is recommended, and how much each user moves it.

    Without a user it is less by the items that nobody else is recommended: the jackknife.
    """
    value, moves = 0.0, np.zeros(len(users))
    for each in splits:
        alone, shown = each.shown_alone(k)
        value += shown / each.n_items / len(splits)
        place = np.searchsorted(users, each.users)
        moves[place] += len(users) * (alone - alone.mean()) / each.n_items / len(splits)
    return value, moves


def _interval(chosen: Measure, value: float, error: float, t: float) -> tuple[float, float]:
    """value ± t · error; of a share on the scale of log odds, and of a loss on that of logarithms."""
    low, high = float(chosen.low), float(chosen.high)
    if np.isfinite(high) and low < value < high:
        half = t * error * (high - low) / ((value - low) * (high - value))
        odds = np.log((value - low) / (high - value))
        ends = low + (high - low) / (1 + np.exp(-(odds + np.array([-half, half]))))
    elif value > low and not np.isfinite(high):
        ends = low + (value - low) * np.exp(np.array([-1, 1]) * t * error / (value - low))
    else:
        ends = np.array([value - t * error, value + t * error])
    return float(max(ends[0], low)), float(min(ends[1], high))
