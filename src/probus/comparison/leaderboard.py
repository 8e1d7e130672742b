"""Models in order of their main score, each tested against the best."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from probus.comparison.methods import METHODS, Field, check_alpha, check_test, check_test_sets, fits, method_suited
from probus.comparison.pairs import Pairs, judged_pairs
from probus.comparison.same_splits import (
    check_same_splits,
    estimate_or_reason,
    named_results,
    undefined,
)
from probus.display import Cells, Results
from probus.errors import DataError, FailedModelError
from probus.metrics import Estimate, Measure, Scoring, measure, measures_for
from probus.model_selection import Resampled

__all__ = ["Leaderboard", "Standing"]


@dataclass(frozen=True)
class Standing:
    """One model's line: its scores, and its paired difference to the best on the main score.

    ``rank`` is None where the model failed on every split or has no main score; ``status`` says what went wrong.
    ``behind`` is how much worse than the best it is; ``tied`` is whether the test against the best is undecided, and
    ``evidence`` by which p-value, allowing for all pairs of models, or probability.
    """

    rank: int | None
    name: str
    scores: dict[str, Estimate]
    behind: Estimate | None
    tied: bool
    seconds: float
    status: str = ""
    evidence: str = ""


class Leaderboard(Results[Standing]):
    """The standings, best first; those that cannot be ranked come last.

    The scores chose the best model, so testing the others against it as if it had been chosen beforehand would find too
    many differences. The p-values are therefore adjusted for all pairs of models (Holm 1979), and a model is ``tied``
    with the best where its p-value is not below ``alpha``. The intervals of the scores are those of each model alone.
    """

    def __init__(
        self,
        standings: Sequence[Standing],
        measures: Sequence[Measure],
        pairs: Pairs,
        results: Mapping[str, Resampled],
        *,
        chosen: str,
        test: str,
        why: str,
        level: float,
        alpha: float,
    ):
        super().__init__(standings)
        self.measures, self.pairs, self.results = tuple(measures), pairs, dict(results)
        self.chosen, self.test, self.why = chosen, test, why
        self.level, self.alpha = level, alpha

    @classmethod
    def of(
        cls,
        results: Mapping[str, Resampled] | Iterable[Resampled],
        scoring: Iterable[Scoring] | None = None,
        *,
        test: str = "auto",
        level: float = 0.95,
        alpha: float = 0.05,
        absent: Mapping[str, str] | None = None,
    ) -> Leaderboard:
        """Rank results on the same splits by the first measure; nothing is fitted anew.

        Equal scores keep the order of the results, so put the simplest first. ``test`` is a test on one data set, as
        in ``compare``; ``level`` is that of the intervals and ``alpha`` the level below which a p-value is significant;
        ``absent`` are models without a result, by name, and why.

        >>> from probus import Task, datasets
        >>> from probus.dummy import ZeroRClassifier
        >>> from probus.model_selection import resample
        >>> from probus.naive_bayes import NaiveBayes
        >>> iris = Task(datasets.load("iris"), target="species")
        >>> Leaderboard.of([resample(model, iris) for model in (ZeroRClassifier(), NaiveBayes())], ["accuracy"])
           model            accuracy              against the best
        1  NaiveBayes       0.957 [0.914, 0.999]
        2  ZeroRClassifier  0.333 [0.333, 0.333]  p < 0.001
        """
        check_alpha(alpha)
        entrants = named_results(results)
        if not entrants:
            raise DataError("no results.", "one at least")
        check_same_splits(entrants)
        task = next(iter(entrants.values())).task
        chosen = tuple(measure(each) for each in scoring or measures_for(len(task.classes)))
        scores = {name: {m.name: estimate_or_reason(r, m, level) for m in chosen} for name, r in entrants.items()}
        ranked = _ranked(entrants, scores, chosen[0])
        field = Field(ranked, chosen[0], level)
        check_test(test, chosen[0], n_data_sets=1)
        check_test_sets(test, field.splits)
        method, why = method_suited(field) if test == "auto" else (METHODS[test], "as chosen")
        pairs = judged_pairs(field, method, alpha)
        standings = [
            _standing(
                place if name in ranked else None, name, result, scores[name], pairs, next(iter(ranked)), chosen[0]
            )
            for place, (name, result) in enumerate({**ranked, **entrants}.items(), start=1)
        ]
        for name, reason in (absent or {}).items():
            nothing = {each.name: undefined(level, reason) for each in chosen}
            standings.append(Standing(None, name, nothing, None, False, 0.0, reason))
        how: dict[str, Any] = {"chosen": test, "test": method.name, "why": why, "level": level, "alpha": alpha}
        return cls(standings, chosen, pairs, entrants, **how)

    def with_scoring(self, scoring: Scoring) -> Leaderboard:
        """The same models ordered and tested by another measure, from the predictions that were kept.

        A test that was chosen by name is kept where it fits the measure; otherwise it is chosen as by "auto".
        """
        first = measure(scoring)
        test = self.chosen if fits(self.chosen, first) else "auto"
        others = [each for each in self.measures if each.name != first.name]
        absent = {standing.name: standing.status for standing in self if standing.name not in self.results}
        how: dict[str, Any] = {"test": test, "level": self.level, "alpha": self.alpha, "absent": absent}
        return Leaderboard.of(self.results, [first, *others], **how)

    @property
    def best(self) -> Standing:
        """The best model."""
        return self.items[0]

    @property
    def tied(self) -> tuple[Standing, ...]:
        """The models for which the test against the best is undecided."""
        return tuple(standing for standing in self if standing.tied)

    def decimals(self, measure: str) -> int:
        """How many decimals a column of scores is printed with: those that the uncertainty of the best model allows."""
        return self.best.scores[measure].decimals

    def printed(self, name: str, measure: str) -> str:
        """A model's score with its interval, to the decimals of its column."""
        score = self[name].scores[measure]
        return "–" if math.isnan(score.value) else f"{score:.{self.decimals(measure)}f}"

    @property
    def note(self) -> str:
        """How the last column was found."""
        tied = f"≈ best: undecided against the best at {self.alpha:g}" if self.tied else ""
        return "; ".join(filter(None, [tied, self.pairs.correction]))

    def _parts(self) -> list[Cells | str]:
        header = ["", "model", *(measure.label for measure in self.measures), "against the best"]
        cells = Cells([header, *(self._line(standing) for standing in self)], right=[0])
        return [cells, self.note] if self.note else [cells]

    def _line(self, standing: Standing) -> list[str]:
        mark = ["≈ best" * standing.tied, standing.evidence, standing.status]
        scores = [self.printed(standing.name, measure.name) for measure in self.measures]
        return [str(standing.rank or "–"), standing.name, *scores, ", ".join(filter(None, mark))]

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each model, three columns for each measure."""
        rows = []
        for standing in self:
            row: dict[str, Any] = {"rank": standing.rank, "model": standing.name}
            for name, score in standing.scores.items():
                row |= {name: score.value, f"{name}_low": score.low, f"{name}_high": score.high}
            rows.append({**row, "tied": standing.tied, "seconds": standing.seconds, "status": standing.status})
        return rows

    def plot(self, axes: Any = None) -> Any:
        """The main score of each ranked model with its interval, on matplotlib axes, which are returned."""
        from probus.comparison.interval_plot import Line, interval_plot

        main, ranked = self.measures[0], [standing for standing in self if standing.rank]
        lines = [
            Line(s.name, s.scores[main.name], s.tied or s.rank == 1, self.printed(s.name, main.name)) for s in ranked
        ]
        return interval_plot(lines, f"{main.label}, {self.level:.0%} interval".replace("%", " %"), axes=axes)


def _ranked(
    results: Mapping[str, Resampled], scores: Mapping[str, Mapping[str, Estimate]], main: Measure
) -> dict[str, Resampled]:
    """Those with a main score of their own, the best first; a model that failed on some splits is after the others."""
    fit = [name for name in results if not math.isnan(scores[name][main.name].value)]
    if not fit:
        reasons = "; ".join(f"{name} {_status(result, scores[name][main.name])}" for name, result in results.items())
        raise DataError(f"no model can be ranked: {reasons}.", f"at least one with a {main.label}")
    if all(results[name].failures for name in fit):
        reasons = "; ".join(f"{name} {results[name].failure}" for name in fit)
        raise FailedModelError(f"no model is without failures: {reasons}.", "at least one, since no other can win")
    order = sorted(fit, key=lambda name: (bool(results[name].failures), -main.better(scores[name][main.name].value)))
    return {name: results[name] for name in order}


def _status(result: Resampled, main: Estimate) -> str:
    return main.method if math.isnan(main.value) else result.failure


def _standing(
    rank: int | None,
    name: str,
    result: Resampled,
    scores: dict[str, Estimate],
    pairs: Pairs,
    best: str,
    main: Measure,
) -> Standing:
    seconds, status = float(result.seconds.sum()), _status(result, scores[main.name])
    if rank is None:
        return Standing(None, name, scores, None, False, seconds, status)
    if name == best:
        level = scores[main.name].level
        return Standing(rank, name, scores, Estimate(0.0, 0.0, 0.0, level), False, seconds, status)
    pair = pairs[best, name]
    behind = pair.difference if main.greater_is_better else _turned(pair.difference)
    return Standing(rank, name, scores, behind, not pair.decided, seconds, status, pair.evidence)


def _turned(estimate: Estimate) -> Estimate:
    return Estimate(-estimate.value, -estimate.high, -estimate.low, estimate.level, estimate.method, estimate.n)
