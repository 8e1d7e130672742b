"""The score of a study's model by random folds and by folds that fit the rows: what random ones would have claimed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from probus.comparison import Leaderboard
from probus.data import Task
from probus.errors import DataError
from probus.lifecycle._as_saved import as_saved
from probus.lifecycle._elimination import FamilyResults
from probus.lifecycle._families import BASELINE
from probus.lifecycle._family_fits import FamilyFits
from probus.lifecycle._fit_pool import FitPool
from probus.metrics import Estimate, Measure
from probus.model_selection import Resampled, Splits, SplitWords
from probus.model_selection.engine import OutOfTimeError

_SHORT = 3.0  # seconds of all fits, for which no other processes are started
_IDENTIFIERS = {"id", "ids", "no", "nr", "number", "code", "key", "uuid", "index", "name"}


@dataclass(frozen=True, eq=False)
class OtherSplit:
    """Splits beside those of the study, and the task with the roles that they need."""

    words: SplitWords
    task: Task
    splits: Splits


@dataclass(frozen=True, eq=False)
class SplitScores:
    """The score of one model by the study's splits and by others.

    Attributes
    ----------
    model : the family, with the configuration that is saved in the other splits.
    measure : the name of the measure, in words.
    split, other : how each splits, in words of ``split``.
    score, other_score : the scores.
    """

    model: str
    measure: str
    split: SplitWords
    other: SplitWords
    score: Estimate
    other_score: Estimate

    @property
    def sentence(self) -> str:
        """Both scores, that of random folds first.

        >>> from probus.metrics import Estimate
        >>> a, b = (Estimate(value, value - 0.02, value + 0.02, 0.95, "", 100) for value in (0.91, 0.78))
        >>> SplitScores("tree", "ROC AUC", SplitWords(("patient_id",)), SplitWords(), b, a).sentence
        'tree, ROC AUC by random folds: 0.910 [0.890, 0.930]; new patients: 0.780 [0.760, 0.800]'
        """
        pairs = [(self.split, self.score), (self.other, self.other_score)]
        pairs.sort(key=lambda each: each[0].by_roles)
        texts = [f"{tested_on(words)}: {score}" for words, score in pairs]
        return f"{self.model}, {self.measure} by {'; '.join(texts)}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        scores = {str(self.split): self.score.to_dict(), str(self.other): self.other_score.to_dict()}
        return {"model": self.model, "measure": self.measure, "scores": scores}


@dataclass(frozen=True, eq=False)
class SplitChoice:
    """How a study splits its rows, and why.

    Attributes
    ----------
    words : how, in words of ``split``.
    automatic : whether the findings decided.
    proposal : the split that fits the data; None where random folds do, or where another one was given.
    scores : the score by random folds and by others; None where there is no other, or no time for it.
    """

    words: SplitWords = field(default_factory=SplitWords)
    automatic: bool = False
    proposal: SplitWords | None = None
    scores: SplitScores | None = None

    @property
    def claims(self) -> str:
        """The score by random folds and by others, in a sentence; empty without them."""
        return "" if self.scores is None else self.scores.sentence

    def alert(self, target: str) -> str:
        """What must be read before the score: that folds are not random, or should not be; else empty."""
        claims = f" {self.claims}." if self.scores else ""
        if self.automatic:
            what = " and ".join(filter(None, [_kept_whole(self.words), _in_order(self.words)]))
            return (
                f"Folds are not random: {what}, since rows that belong together share {target!r}.{claims} "
                "For random folds: --split random (split='random')."
            )
        if self.proposal is None or self.words.by_roles:
            return ""
        how = tested_on(self.proposal)
        words = str(self.proposal)
        return f"Folds are random. If predictions are for {how}: --split {_quoted(words)} (split={words!r}).{claims}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "split": str(self.words),
            "automatic": self.automatic,
            "proposal": None if self.proposal is None else str(self.proposal),
            "scores": None if self.scores is None else self.scores.to_dict(),
        }


def _kept_whole(words: SplitWords) -> str:
    return f"the groups of {' + '.join(words.group)} are kept whole" if words.group else ""


def _in_order(words: SplitWords) -> str:
    if words.time is None:
        return ""
    return f"models are tested on later rows, by {words.time or 'the order of the rows'}"


def _quoted(words: str) -> str:
    import shlex

    return shlex.quote(words)


def tested_on(words: SplitWords) -> str:
    """The rows that a split tests a model on.

    >>> [tested_on(SplitWords(*each)) for each in (((), None), (("family",), None), (("ref",), "date"), ((), ""))]
    ['random folds', 'new families', 'later rows of new groups of ref', 'later rows']
    """
    if not words.by_roles:
        return "random folds"
    groups = f"new {_several(words.group)}" if words.group else ""
    if words.time is None:
        return groups
    return f"later rows of {groups}" if groups else "later rows"


def _several(names: tuple[str, ...]) -> str:
    """The groups of a column in the plural, where its name is a word for one."""
    from probus.data.findings import GROUP_WORDS

    words = [word for word in names[0].lower().replace("-", "_").split("_") if word not in _IDENTIFIERS]
    if len(names) > 1 or len(words) != 1 or words[0].removesuffix("s") not in GROUP_WORDS:
        return f"groups of {' + '.join(names)}"
    word = words[0].removesuffix("s")
    if word.endswith("y") and word[-2] not in "aeiou":
        return f"{word[:-1]}ies"
    return {"person": "persons", "child": "children", "mouse": "mice"}.get(word) or (
        f"{word}es" if word.endswith(("ch", "x", "ss")) else f"{word}s"
    )


def split_scores(
    fits: FamilyFits,
    found: FamilyResults,
    board: Leaderboard,
    best: str,
    other: OtherSplit,
    words: SplitWords,
    measure: Measure,
    cost: Any,
    pool: FitPool,
) -> SplitScores | None:
    """The score of the saved family by the study's splits and by others; None where time or rows do not suffice.

    Of an ensemble or the baseline, the best family takes the place.

    The configuration is the one that is saved: on the other splits nothing is tuned.
    """
    name = next(
        (each.name for each in board if each.rank and each.name in found.searches and each.name != BASELINE), ""
    )
    search = found.searches.get(name)
    if search is None or search.failed:
        return None
    seconds = len(other.splits) * search.seconds_on(search.rows)
    here = pool.alone or seconds < _SHORT
    if seconds / (1 if here else pool.n_jobs) > pool.left_in_all:
        return None
    beside = replace(fits, task=other.task, outer=other.splits)
    jobs = [(name, search.best[-1], k, search.rows) for k in range(len(other.splits))]
    with suppress(DataError, OutOfTimeError, KeyboardInterrupt):
        outcomes = pool.run_beside(beside, jobs, here=here)
        if any(each.error for each in outcomes):
            return None
        raw = Resampled(
            name, other.task, other.splits, tuple(each.outcome for each in outcomes), (measure,), (),
            seconds=np.array([each.seconds for each in outcomes]),
        )  # fmt: skip
        score = as_saved(raw, cost)[0].estimate(measure)
        return SplitScores(name, measure.label, words, other.words, board[name].scores[measure.name], score)
    return None
