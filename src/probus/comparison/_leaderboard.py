"""Models in order of their main score, each tested against the best."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from probus.comparison import _pairs as of_pairs
from probus.comparison._default_measures import measures_to_compare, of_every_model
from probus.comparison._methods import (
    METHODS,
    ComparedResults,
    check_alpha,
    check_margin,
    check_test,
    check_test_sets,
    fits,
    suitable_method,
)
from probus.comparison._pairs import Pairs, judged_pairs
from probus.comparison._same_splits import check_same_splits, estimate_or_reason, named_results, undefined_score
from probus.display import Cells, Paragraph, Part, Results, listed, rounded
from probus.errors import DataError, FailedModelError
from probus.metrics import Estimate, Measure, Scoring, measure
from probus.model_selection import Resampled, reason_of, says_nothing

WORSE, EQUIVALENT, UNDECIDED = "worse", "equivalent", "undecided"


@dataclass(frozen=True)
class Standing:
    """One model's line: its scores, and its paired difference to the best on the main score.

    Attributes
    ----------
    rank : the place; None where the model failed on any split or has no main score.
    name : the name of the model.
    scores : the score of each measure.
    behind : how much worse than the best it is.
    verdict : "worse" (significantly), "equivalent" (the interval of the difference lies within the margin of the
        leaderboard), "undecided", or empty for the best and those without a rank.
    seconds : the time of all its fits.
    status : why it has no rank.
    evidence : the p-value, adjusted for the number of models, or the probability.
    detectable : the difference that 80 % of such comparisons would find, NaN where it is not known.
    """

    rank: int | None
    name: str
    scores: dict[str, Estimate]
    behind: Estimate | None
    verdict: str
    seconds: float
    status: str = ""
    evidence: str = ""
    detectable: float = math.nan

    @property
    def tied(self) -> bool:
        """Whether it may be as good as the best: equivalent to it or undecided."""
        return self.verdict in (EQUIVALENT, UNDECIDED)


class Leaderboard(Results[Standing]):
    """The standings, best first; those that cannot be ranked come last.

    Each model is compared with the best on the rows that both were tested on. The scores chose the best model: tests
    that took it as chosen beforehand would find too many differences. So the p-values are those of the largest
    difference among as many equal models. The intervals of the scores are those of each model alone.

    Attributes
    ----------
    standings : the models, best first.
    measures : the measures, the main one first.
    pairs : the verdict on every pair.
    results : what ``resample`` returned for each model.
    chosen : the name of the best model.
    test, why : the test, and why that one.
    level : the confidence level of the intervals.
    alpha : the significance level.
    baseline : the model to beat, if one was named.
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
        baseline: str | None = None,
    ):
        super().__init__(standings)
        self.measures, self.pairs, self.results = tuple(measures), pairs, dict(results)
        self.chosen, self.test, self.why = chosen, test, why
        self.level, self.alpha, self.baseline = level, alpha, baseline

    @classmethod
    def of(
        cls,
        results: Mapping[str, Resampled] | Iterable[Resampled],
        scoring: Iterable[Scoring] | None = None,
        *,
        test: str = "auto",
        level: float = 0.95,
        alpha: float = 0.05,
        margin: float | None = None,
        baseline: str | None = None,
        absent: Mapping[str, str] | None = None,
    ) -> Leaderboard:
        """Rank results on the same splits by the first measure; nothing is fitted anew.

        Equal scores keep the order of the results, so put the simplest first. ``test`` is a test on one data set, as
        in ``compare``, and so are ``margin`` and ``baseline``; ``level`` is that of the intervals and ``alpha`` the
        level below which a p-value is significant; ``absent`` are models without a result, by name, and why.

        >>> from probus import Task, datasets
        >>> from probus.dummy import ZeroRClassifier
        >>> from probus.model_selection import resample
        >>> from probus.naive_bayes import NaiveBayes
        >>> iris = Task(datasets.load("iris"), target="species")
        >>> Leaderboard.of([resample(model, iris) for model in (ZeroRClassifier(), NaiveBayes())], ["accuracy"])
           model            accuracy              against the best
        1  NaiveBayes       0.955 [0.900, 0.980]
        2  ZeroRClassifier  0.333 [0.263, 0.412]  worse, p < 0.001
        """
        check_alpha(alpha)
        check_margin(margin)
        entrants = named_results(results)
        if not entrants:
            raise DataError("no results.", "one at least")
        check_same_splits(entrants)
        task = next(iter(entrants.values())).task
        chosen = tuple(
            measure(each)
            for each in scoring or of_every_model(measures_to_compare(None, task), [*entrants.values()])[0]
        )
        _check_baseline(baseline, [*entrants, *(absent or {})])
        main, *others = chosen
        scores = {name: {main.name: estimate_or_reason(result, main, level)} for name, result in entrants.items()}
        ranked = _rank(entrants, scores, main)
        field = ComparedResults(ranked, main, level, margin)
        check_test(test, main, n_data_sets=1)
        check_test_sets(test, field.splits, task)
        method, why = suitable_method(field) if test == "auto" else (METHODS[test], "as chosen")
        pairs = judged_pairs(field, method, alpha, baseline)
        for name, result in entrants.items():  # after the tests, which share what the main score was computed from
            scores[name] |= {each.name: estimate_or_reason(result, each, level) for each in others}
        best, order = next(iter(ranked)), {**ranked, **entrants}
        standings = [
            _standing(place if name in ranked else None, name, result, scores[name], pairs, best, main)
            for place, (name, result) in enumerate(order.items(), start=1)
        ]
        for name, reason in (absent or {}).items():
            nothing = {each.name: undefined_score(level, reason) for each in chosen}
            standings.append(Standing(None, name, nothing, None, "", 0.0, reason))
        how: dict[str, Any] = {"chosen": test, "test": method.name, "why": why, "level": level, "alpha": alpha}
        return cls(standings, chosen, pairs, entrants, baseline=baseline, **how)

    def with_scoring(self, scoring: Scoring) -> Leaderboard:
        """The same models ordered and tested by another measure, from the predictions that were kept.

        A test that was chosen by name is kept where it fits the measure; otherwise it is chosen as by "auto".
        """
        first = measure(scoring)
        test = self.chosen if fits(self.chosen, first) else "auto"
        others = [each for each in self.measures if each.name != first.name]
        absent = {standing.name: standing.status for standing in self if standing.name not in self.results}
        how: dict[str, Any] = {"test": test, "level": self.level, "alpha": self.alpha, "absent": absent}
        how["baseline"] = self.baseline
        return Leaderboard.of(self.results, [first, *others], **how)

    @property
    def best(self) -> Standing:
        """The best model."""
        return self.items[0]

    @property
    def tied(self) -> tuple[Standing, ...]:
        """The models that may be as good as the best."""
        return tuple(standing for standing in self if standing.tied)

    def with_verdict(self, verdict: str) -> tuple[Standing, ...]:
        """The models of that verdict: "worse", "equivalent" or "undecided"."""
        return tuple(standing for standing in self if standing.verdict == verdict)

    def texts(self, name: str, measure: str) -> list[str]:
        """A model's score and the ends of its interval, to the decimals of the best model, or to its own."""
        return self[name].scores[measure].texts(self.best.scores[measure].decimals)

    def printed(self, name: str, measure: str) -> str:
        """A model's score with its interval, or with the reason why that says nothing."""
        if math.isnan(self[name].scores[measure].value):
            return "–"
        value, low, high = self.texts(name, measure)
        why = self.without_interval(name, measure)
        return f"{value} (no interval: {why})" if why else f"{value} [{low}, {high}]"

    def without_interval(self, name: str, measure: str) -> str:
        """Why the interval of a score says nothing, in a few words; empty where it says something."""
        of = next(each for each in self.measures if each.name == measure)
        floor = self[self.baseline].scores[measure].value if self.baseline is not None else math.nan
        score = self[name].scores[measure]
        return (
            reason_of(self.results[name], of, score) if name in self.results and says_nothing(score, of, floor) else ""
        )

    @property
    def note(self) -> str:
        """How the last column was found."""
        return "; ".join(
            filter(None, [*self._legend(), self.pairs.correction, *self.apart_but_undecided(), self.no_interval])
        )

    @property
    def no_interval(self) -> str:
        """What it means that a score has no interval; empty where every score has one."""
        lacking = any(
            self.without_interval(each.name, measure.name) for each in self if each.rank for measure in self.measures
        )
        floor = f"the score of {self.baseline}" if self.baseline is not None else "useless"
        return f'"no interval": these rows exclude nothing between perfect and {floor}; add rows' if lacking else ""

    def _legend(self) -> list[str]:
        """What the verdicts mean, of those that occur."""
        legend = []
        if self.with_verdict(EQUIVALENT) and self.pairs.margin is not None:
            legend.append(f"equivalent: the interval of the difference lies within ±{rounded(self.pairs.margin, 2)}")
        if any(not math.isnan(standing.detectable) for standing in self.with_verdict(UNDECIDED)):
            legend.append('"detects": the smallest difference that 80 % of such comparisons would find')
        return legend

    def apart_but_undecided(self) -> list[str]:
        """For each model that is not worse though its interval and that of the best are apart, why."""
        best = self.best.scores[self.measures[0].name]
        apart = [
            standing
            for standing in self.with_verdict(UNDECIDED)
            for score in [standing.scores[self.measures[0].name]]
            if score.high < best.low or score.low > best.high
        ]
        n_models = sum(standing.rank is not None for standing in self)
        return [
            f"the intervals of {standing.name} and of the best do not overlap, but among {n_models} models differences "
            f"as large occur by chance ({standing.evidence})"
            for standing in apart
        ]

    def _parts(self) -> list[Part]:
        header = ["", "model", *(measure.label for measure in self.measures), "against the best"]
        cells = Cells([header, *(self._line(standing) for standing in self)], right=[0])
        return [cells, Paragraph(self.note, width=110)] if self.note else [cells]

    def _line(self, standing: Standing) -> list[str]:
        mark = [self.remark(standing), standing.status]
        scores = [self.printed(standing.name, measure.name) for measure in self.measures]
        return [str(standing.rank or "–"), standing.name, *scores, ", ".join(filter(None, mark))]

    def remark(self, standing: Standing) -> str:
        """The verdict on a model with its evidence, in a few words."""
        if standing.verdict == EQUIVALENT:
            return EQUIVALENT
        shown = standing.verdict != WORSE and not math.isnan(standing.detectable)
        detects = f"detects {rounded(standing.detectable, 2)}" if shown else ""
        return ", ".join(filter(None, [standing.verdict, standing.evidence, detects]))

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each model, three columns for each measure."""
        rows = []
        for standing in self:
            row: dict[str, Any] = {"rank": standing.rank, "model": standing.name}
            for name, score in standing.scores.items():
                row |= {name: score.value, f"{name}_low": score.low, f"{name}_high": score.high}
            verdict = {"verdict": standing.verdict, "evidence": standing.evidence, "detectable": standing.detectable}
            rows.append({**row, **verdict, "seconds": standing.seconds, "status": standing.status})
        return rows

    def plot(self, axes: Any = None) -> Any:
        """The main score of each ranked model with its interval, on matplotlib axes, which are returned."""
        from probus.comparison._interval_plot import Line, interval_plot

        main, ranked = self.measures[0], [standing for standing in self if standing.rank]
        lines = [
            Line(s.name, s.scores[main.name], s.tied or s.rank == 1, self.printed(s.name, main.name)) for s in ranked
        ]
        return interval_plot(lines, f"{main.label}, {100 * self.level:g} % interval", axes=axes)


def _check_baseline(baseline: str | None, names: Sequence[str]) -> None:
    if baseline is not None and baseline not in names:
        raise DataError(f"no model {baseline!r} for the baseline.", f"one of {listed(names)}")


def _rank(
    results: Mapping[str, Resampled], scores: Mapping[str, Mapping[str, Estimate]], main: Measure
) -> dict[str, Resampled]:
    """Those with a main score of their own, the best first.

    A model that failed on some splits is neither ranked nor tested: part of its predictions are not its own.
    """
    fit = [name for name in results if not math.isnan(scores[name][main.name].value)]
    if not fit:
        reasons = "; ".join(f"{name} {_status(result, scores[name][main.name])}" for name, result in results.items())
        raise DataError(f"no model can be ranked: {reasons}.", f"at least one with a {main.label}")
    sound = [name for name in fit if not results[name].failures]
    if not sound:
        reasons = "; ".join(f"{name} {results[name].failure}" for name in fit)
        raise FailedModelError(f"no model is without failures: {reasons}.", "at least one, since no other is ranked")
    order = sorted(sound, key=lambda name: -main.better(scores[name][main.name].value))
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
        return Standing(None, name, scores, None, "", seconds, status)
    if name == best:
        level = scores[main.name].level
        return Standing(rank, name, scores, Estimate(0.0, 0.0, 0.0, level), "", seconds, status)
    pair = pairs[best, name]
    behind = pair.difference if main.greater_is_better else _reverse(pair.difference)
    verdict = _VERDICTS.get(pair.verdict, WORSE)
    return Standing(rank, name, scores, behind, verdict, seconds, status, pair.evidence, pair.detectable)


_VERDICTS = {of_pairs.UNDECIDED: UNDECIDED, of_pairs.EQUAL: EQUIVALENT}


def _reverse(estimate: Estimate) -> Estimate:
    return Estimate(-estimate.value, -estimate.high, -estimate.low, estimate.level, estimate.method, estimate.n)
