"""The result of a comparison: the leaderboard, the tests, and the conclusion."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from probus.comparison._leaderboard import Leaderboard, Standing
from probus.comparison._pairs import BEATS, EQUAL, LOSES, UNDECIDED, Pair, Pairs
from probus.comparison._rank_board import RankBoard
from probus.comparison._significance import TestResult
from probus.display import Notes, Paragraph, Result, listed, rounded
from probus.errors import DataError
from probus.metrics import Measure, plot_curves

_CURVES = 6  # curves in one picture


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Models compared on the same splits, or on the same data sets.

    Attributes
    ----------
    leaderboard : the models in order, with their scores and the verdict against the best.
    measure : what they were compared by.
    test : the name of the test.
    why : why that one, in words.
    omnibus : a test of all models together (Cochran's Q, Friedman's), where there is one.
    where : the number of rows or data sets, in words.
    results : by model, or by data set and model; ``compare`` takes those of one data set again, for another test or
        measure without a refit.
    notes : remarks on how to read the numbers.
    """

    leaderboard: Leaderboard | RankBoard
    measure: Measure
    test: str
    why: str
    omnibus: TestResult | None
    where: str
    results: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    @property
    def tests(self) -> Pairs:
        """Every pair of models: difference, p-value, adjusted p-value and verdict."""
        return self.leaderboard.pairs

    @property
    def best(self) -> str:
        """The name of the model that is first."""
        return self.leaderboard[0].name

    def __getitem__(self, name: str) -> Any:
        """What ``resample`` returns for a model; of several data sets, the results on one, by model."""
        if name not in self.results:
            raise DataError(f"no result {name!r}.", f"one of {', '.join(map(repr, self.results))}")
        return self.results[name]

    def confusion_matrix(self, name: str | None = None, **options: Any) -> Any:
        """The confusion matrix of a model, by default of the best."""
        return self[self.best if name is None else name].confusion(**options)

    def plot_roc(self, axes: Any = None, **options: Any) -> Any:
        """Draw the ROC curves of the best six models, on matplotlib axes, which are returned."""
        return self._curves("roc", axes, options)

    def plot_precision_recall(self, axes: Any = None, **options: Any) -> Any:
        """Draw the precision–recall curves of the best six models, on matplotlib axes, which are returned."""
        return self._curves("precision_recall", axes, options)

    def _curves(self, kind: str, axes: Any, options: Mapping[str, Any]) -> Any:
        if isinstance(self.leaderboard, RankBoard):
            raise DataError("curves of several data sets.", "one data set", "Use comparison[data][model].plot_roc().")
        names = [standing.name for standing in self.leaderboard if standing.name in self.results][:_CURVES]
        return plot_curves({name: getattr(self[name], kind)(**options) for name in names}, axes)

    @property
    def sentence(self) -> str:
        """The conclusion, in a sentence or two."""
        ranked = [standing.name for standing in self.leaderboard if standing.rank]
        sentences = [_conclusion(ranked, self.tests, self.where)]
        sentences += [f"{s.name}: {s.status}." for s in self.leaderboard if s.status]
        return " ".join(sentences)

    def headline(self, baseline: str | None = None) -> str:
        """The best model with its score, the verdicts on the others, and the gain over a baseline."""
        board = self.leaderboard
        if isinstance(board, RankBoard):
            return self.sentence
        best, main = board.best.name, self.measure
        sentences = [f"Best: {best} — {main.label} {board.printed(best, main.name)}.", *self.verdicts()]
        if baseline is not None and baseline != best and board[baseline].rank:
            sentences.append(self.over_baseline(baseline))
        return " ".join(sentences)

    def verdicts(self) -> list[str]:
        """Which models are equivalent to the best, undecided, worse, and not finished, in a sentence each."""
        board = self.leaderboard
        assert isinstance(board, Leaderboard)
        sentences = []
        same, open_ = board.with_verdict("equivalent"), board.with_verdict("undecided")
        if same:
            margin = f" within {rounded(board.pairs.margin, 2)}" if board.pairs.margin is not None else ""
            sentences.append(f"Equivalent to it{margin}: {listed(each.name for each in same)}.")
        if open_:
            known = any(not math.isnan(each.detectable) for each in open_)
            limit = ", with the difference that these rows can detect" if known else ""
            sentences.append(f"Undecided against it{limit}: {listed(map(_with_detectable, open_))}.")
        others = [each for each in board if each.name != board.best.name]
        worse = [each.name for each in others if each.verdict == "worse" and each.name != board.baseline]
        if worse and all(each.verdict == "worse" for each in others):
            every = f"{worse[0]} is" if len(worse) == 1 else "Every other model is"
            sentences.append(f"{every} significantly worse.")
        elif worse and not same and not open_:
            sentences.append(f"Significantly worse: {listed(worse)}.")  # others failed, or are not finished
        unfinished = [each.name for each in others if each.name not in board.results]
        if unfinished:
            sentences.append(f"Not finished, and so not compared: {listed(unfinished)}.")
        return sentences

    def over_baseline(self, baseline: str) -> str:
        """How much better than the baseline the best model is."""
        board = self.leaderboard
        assert isinstance(board, Leaderboard)
        standing = board[baseline]
        text = f"Baseline {baseline}: {board.printed(baseline, self.measure.name)}"
        if standing.behind is None:
            return f"{text}."
        gain = f"the best is better by {standing.behind} ({standing.evidence})"
        return f"{text}; {gain if standing.verdict == 'worse' else f'no clear gain over it ({standing.evidence})'}."

    def _parts(self) -> list[Any]:
        together = [f"all together: {self.omnibus.sentence}"] if self.omnibus else []
        notes = [*together, f"test: {self.why}", *(f"note: {note}" for note in self.notes)]
        sentence = Paragraph(self.sentence, width=110, bold=True)
        return [sentence, "", self.leaderboard, "", Notes(notes, margin=0, width=110)]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "sentence": self.sentence,
            "scoring": self.measure.name,
            "test": self.test,
            "why": self.why,
            "omnibus": self.omnibus.to_dict() if self.omnibus else None,
            "leaderboard": self.leaderboard.to_dict(),
            "tests": self.tests.to_dict(),
            "notes": list(self.notes),
        }

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each pair."""
        return self.tests._rows()

    def plot(self, axes: Any = None) -> Any:
        """The difference of each model to the best, or the critical-difference diagram of Nemenyi's test."""
        board = self.leaderboard
        if isinstance(board, RankBoard) and board.critical_difference is not None:
            from probus.comparison._difference_diagram import difference_diagram

            ranks = board.average_ranks
            return difference_diagram(list(ranks.values()), board.critical_difference, list(ranks), axes=axes)
        from probus.comparison._interval_plot import Line, interval_plot

        best = board.best.name
        lines = [Line(pair.b, pair.difference, not pair.decided, _beside(pair)) for pair in self.tests.of(best)]
        side = "right" if self.measure.greater_is_better else "left"
        label = f"{self.measure.label}: {best} minus each ({side} of zero: {best} is better)"
        return interval_plot(lines, label, zero=True, axes=axes)


def _beside(pair: Pair) -> str:
    return f"{pair.difference}  {pair.evidence}"


# -- words ---------------------------------------------------------------------------------------------


def _conclusion(ranked: Sequence[str], pairs: Pairs, where: str) -> str:
    """The best against the others: those it beats, and those where the test is undecided."""
    if len(ranked) == 1:
        return f"{ranked[0]} is the only model that can be ranked."
    best, others = ranked[0], [pairs[ranked[0], name] for name in ranked[1:]]
    by_verdict = {each: [pair for pair in others if pair.verdict == each] for each in (BEATS, LOSES, EQUAL, UNDECIDED)}
    undecided = by_verdict.pop(UNDECIDED)
    clauses = [
        f"{best} {verdict} {listed(f'{pair.b} ({pair.evidence})' for pair in found)}"
        for verdict, found in by_verdict.items()
        if found
    ]
    if len(others) == 1 and not undecided:
        pair = others[0]
        return f"{best} {pair.verdict} {pair.b} on {where} ({pairs.what} {pair.difference}, {pair.evidence})."
    if len(undecided) == 1:
        pair = undecided[0]
        clauses.append(f"{best} and {pair.b}: undecided on {where} ({_difference(pair, pairs.what)})")
    elif undecided:
        against = listed(f"{pair.b} ({_difference(pair, pairs.what)})" for pair in undecided)
        clauses.append(f"undecided on {where}: {best} against {against}")
    else:
        clauses[-1] += f" on {where}"
    return "; ".join(clauses) + "."


def _with_detectable(standing: Standing) -> str:
    """A model with the difference that would have been found, where that is known."""
    if math.isnan(standing.detectable):
        return standing.name
    return f"{standing.name} ({rounded(standing.detectable, 2)})"


def _difference(pair: Pair, what: str) -> str:
    """The difference; the evidence too where the interval, which is of one pair, excludes zero."""
    text = f"{what} {pair.difference}"
    return text if 0 in pair.difference else f"{text}, {pair.evidence} adjusted for all pairs"
