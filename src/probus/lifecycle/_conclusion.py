"""From the search of families to the comparison, the model to save, and what to say about both."""

from __future__ import annotations

import math
import time as clock
import warnings
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from probus.calibration import ConformalClassifier
from probus.comparison import Comparison, Leaderboard, comparison_of
from probus.compiling import announced_as, compiling_beside
from probus.display import counted_of, listed, percent, rounded
from probus.lifecycle._as_saved import as_saved, decided_plainly, without_zeros
from probus.lifecycle._compile_ahead import fit_each, some_rows
from probus.lifecycle._elimination import FamilyResults, search_families
from probus.lifecycle._families import BASELINE
from probus.lifecycle._family_fits import FamilyFits
from probus.lifecycle._family_search import FamilySearch
from probus.lifecycle._final_model import decision_note, final_model
from probus.lifecycle._fit_pool import FitPool
from probus.lifecycle._live_view import watched
from probus.lifecycle._ranking import chosen_model, gains
from probus.lifecycle._selection_bias import selection_bias
from probus.lifecycle._split_scores import OtherSplit, SplitScores, split_scores
from probus.lifecycle._stacked import ENSEMBLE, Stack
from probus.lifecycle._study_archive import StudyArchive
from probus.lifecycle._wrap_up import WrapUp, report_seconds
from probus.metrics import Measure
from probus.model_selection import ProgressOption, Resampled, SplitWords
from probus.model_selection.engine import jobs_at_once
from probus.model_selection.splitters import Pair

_COMPILING = 25  # seconds of the first study on a machine, on two cores
_FIT_SHARE, _LEAST = 0.25, 10.0  # the limit of one fit: a share of the time, and at least so many seconds
_UNEQUAL = 0.05  # of the rows: folds of groups differ by less
PLAIN = (
    f"no model is clearly better than {BASELINE}, so mistakes of rare classes have no weight: the most probable class "
    "is predicted"
)
_NOTICED = 1.0  # seconds of compilation from which on a note reports them


@dataclass(frozen=True)
class StudyLimits:
    """When the study began, its seconds and evaluations, and how many fits run in parallel; None for no limit.

    ``archive`` is the file of finished fits, ``options`` what it stores to repeat the study. ``reported`` is whether a
    report follows, for which some of the seconds are kept, on a busy machine more: ``pace`` is that of its start.
    """

    started: float
    seconds: float | None
    evaluations: int | None
    n_jobs: int | None
    archive: Any = None
    options: dict[str, Any] | None = None
    reported: bool = False
    pace: float = 1.0
    executor: Any = None

    def pool(self, fits: FamilyFits) -> FitPool:
        """Where fits run."""
        archive = None if self.archive is None else StudyArchive(self.archive, fits, self.options)
        usual = -1 if self.seconds is not None and self.executor is None else None
        n_jobs = jobs_at_once(self.n_jobs or usual, self.executor)
        if self.seconds is None:
            return FitPool(fits, n_jobs, None, None, archive, self.executor)
        deadline = self.started + self.seconds - (report_seconds(self.seconds, self.pace) if self.reported else 0.0)
        return FitPool(fits, n_jobs, deadline, max(_LEAST, _FIT_SHARE * self.seconds), archive, self.executor)


@dataclass(frozen=True, eq=False)
class Conclusion:
    """The comparison of the families, the best with its model, what tuning saw, and what was tried."""

    comparison: Comparison
    best: str
    model: Any
    inner_scores: dict[str, float]
    tried: tuple[dict[str, Any], ...]
    notes: tuple[str, ...]
    stopped: str
    sampled_rows: int | None
    split_scores: SplitScores | None = None


def concluded(
    fits: FamilyFits,
    measures: tuple[Measure, ...],
    limits: StudyLimits,
    cost: Any,
    progress: ProgressOption,
    *,
    automatic: bool = False,
    words: SplitWords | None = None,
    other: OtherSplit | None = None,
) -> Conclusion:
    """Search the families, compare them, and fit the best on all rows.

    A cost that was chosen automatically is dropped where no model is clearly better than the baseline: probabilities
    that have learnt nothing are no reason to predict a rare class. ``words`` are those of the splits; by ``other`` ones
    the best is scored too.
    """
    pool = limits.pool(fits)
    with (
        watched(progress, fits, measures, lambda: pool.left_in_all) as view,
        _compiling(fits, pool),
        warnings.catch_warnings(),
    ):
        beside = 0.0 if other is None else len(other.splits) / pool.n_jobs
        wrap_up = WrapUp(fits, measures, cost, pool.left_in_all, beside=beside)

        def update(searches: Mapping[str, FamilySearch], what: str) -> None:
            if pool.deadline is not None:
                pool.kept = wrap_up.kept(searches)
            view.update(searches, what)

        found = search_families(fits, pool, evaluations=limits.evaluations, update=update)
        _check(found)
        entrants = Entrants.of(found, measures, cost, pool.left_in_all - wrap_up.needed(found.searches))
        comparison, notes = _compare(found, entrants, measures)
        board = comparison.leaderboard
        assert isinstance(board, Leaderboard)
        if automatic and cost is not None and not gains(board, BASELINE):
            cost, entrants = None, entrants.plain()
            comparison, notes = _compare(found, entrants, measures)
            board = comparison.leaderboard
            assert isinstance(board, Leaderboard)
            notes.append(PLAIN)
        best = chosen_model(board, BASELINE)
        view.fitting(best)
        configured = {
            name: clone(fits.models[name]).set_params(**search.best[-1]) for name, search in found.searches.items()
        }
        model = entrants.stack.model(configured) if best == ENSEMBLE else configured[best]
        warnings.simplefilter("ignore")  # the notes say which columns were dropped
        rows = _rows_of(found.searches.get(best), fits)
        members = entrants.stack.members.values() if best == ENSEMBLE else [found.searches[best]]
        fit = sum(each.final_seconds for each in members)
        scaled: bool | str = "auto" if wrap_up.spreads <= pool.left_in_all - fit else False
        fitted, note = final_model(
            model, fits.task, entrants.raw[best], cost, entrants.calibrations[best], rows, scaled=scaled
        )
        if not fits.task.classes and not scaled:
            notes.append("prediction intervals are equally wide for every row, for want of time")
        both = None
        if other is not None and words is not None:
            both = split_scores(fits, found, board, best, other, words, measures[0], cost, pool)
    inner = {name: measures[0].better(search.inner_score) for name, search in found.searches.items() if search.n_tried}
    tried = tuple(row for search in found.searches.values() for row in search.tried)
    if best in inner:
        calibrates = measures[0].needs == "probabilities" or fits.by_cost
        before = " (before calibration)" if calibrates and _calibrated(fitted) else ""
        inner_pairs = [fits.pair(fits.last, i) for i in range(fits.n_inner(fits.last))]
        shares = [_training_share(pairs, len(fits.task)) for pairs in (inner_pairs, fits.outer.pairs)]
        notes.append(
            f"{best} was tuned to {measures[0].label} {rounded(inner[best], 3)}{before} on the rows that chose its "
            f"parameters, trained on {shares[0]} of all; the leaderboard has its score on rows that the tuning never "
            f"used, trained on {shares[1]}"
        )
    averaged = found.searches[best].averaged if best in found.searches else 1
    if averaged > 1:
        notes.append(f"{best} is the mean of {averaged} models, each fitted to other samples of the training rows")
    notes += [*_sampled(found, fits, best), *_left_out(found, fits)]
    if limits.evaluations != 0 and fits.cannot_tune:
        notes.append(
            f"the models have their default parameters, since training rows cannot be split: {fits.cannot_tune}"
        )
    elif limits.evaluations != 0:
        notes += _untuned(found)
    notes += [each for each in (note, decision_note(fitted, fits.task)) if each]
    if limits.seconds is not None and pool.seconds_compiling >= _NOTICED:
        notes.append(
            f"kernels were compiled for this machine, once, which took {pool.seconds_compiling:.0f} s beyond the "
            "limit of time (probus warmup does it beforehand)"
        )
    n_rows = None if rows is None else len(rows)
    return Conclusion(comparison, best, fitted, inner, tried, tuple(notes), _stopped(found), n_rows, both)


def _compiling(fits: FamilyFits, pool: FitPool) -> AbstractContextManager[None]:
    """Announce what is compiled; where fits run in this process, let another compile the kernels of the last models."""
    if not pool.alone:
        return announced_as(_COMPILING)
    models = list(fits.models.values())[::-1]
    return compiling_beside(fit_each, models, *some_rows(fits.task.X, fits.task.y), seconds=_COMPILING)


def _training_share(pairs: Iterable[Pair], n: int) -> str:
    """The share of the rows that models are trained on; of splits in order of time, from the least to the most."""
    sizes = [len(train) for train, _ in pairs]
    ends = dict.fromkeys(percent(size / n) for size in (min(sizes), max(sizes)))
    return " to ".join(ends if max(sizes) - min(sizes) > _UNEQUAL * n else [*ends][:1])


def _rows_of(search: FamilySearch | None, fits: FamilyFits) -> np.ndarray | None:
    """The rows that the final model is fitted on; None for all."""
    return fits.sample(fits.last, search.rows) if search and search.sampled else None


def _sampled(found: FamilyResults, fits: FamilyFits, best: str) -> list[str]:
    """A note for each number of rows that models were trained on in place of all training rows."""
    sizes: dict[int, list[str]] = {}
    for name, search in found.searches.items():
        if search.sampled and not search.failed and name != BASELINE:
            sizes.setdefault(len(fits.pair(0, search.rows)[0]), []).append(name)
    return [
        f"trained on {size:,} of the {len(fits.outer.pairs[0][0]):,} training rows of each split, "
        f"for want of time: {listed(names)}" + (", also as saved" if best in names else "")
        for size, names in sizes.items()
    ]


def _left_out(found: FamilyResults, fits: FamilyFits) -> list[str]:
    """A note that names the families for whose cheapest form the time did not suffice, with the time of one fit."""
    if not found.absent or found.stopped == "interrupted":
        return []
    known = {name: found.too_long.get(name, 0.0) for name in found.absent}
    names = [f"{name} ({seconds:.2g} s a fit)" if seconds else name for name, seconds in known.items()]
    rows = f"{fits.stage_rows(fits.stages[0]):,} rows of each split"
    return [f"left out, since the time did not suffice for the default on {rows}: {listed(names)}"]


def _untuned(found: FamilyResults) -> list[str]:
    """A note that names the families which the search ended before tuning."""
    could = {name: each for name, each in found.searches.items() if each.space is not None and not each.failed}
    names = [name for name, each in could.items() if not each.n_tried]
    if not names:
        return []
    why = " before the interrupt" if found.stopped == "interrupted" else ", for want of time"
    if len(names) == len(could):
        return [f"no model was tuned{why}: all have their default parameters"]
    return [f"not tuned{why}: {listed(names)}"]


def _calibrated(model: Any) -> bool:
    return isinstance(model, ConformalClassifier) and model.calibration_.method != "none"


def _check(found: FamilyResults) -> None:
    """Let an interrupt go on where nothing but the baseline is finished."""
    if found.stopped == "interrupted" and not any(name != BASELINE for name in found.searches):
        raise KeyboardInterrupt


def _stopped(found: FamilyResults) -> str:
    """Why families are missing, or that Ctrl-C ended the tuning."""
    total = len(found.searches) + len(found.absent)
    done = sum(not search.failed for search in found.searches.values())
    finished = f"{counted_of(done, total, 'models')} finished and ranked"
    if found.stopped == "interrupted":
        return f"interrupted: {finished}"
    late = " before any model was finished, so the first one took longer" if found.overdue else ""
    return f"the time was up{late}: {finished}" if found.absent or late else ""


@dataclass(frozen=True, eq=False)
class Entrants:
    """The predictions of each family on outer test rows: those of its model, and those of the model as saved."""

    raw: dict[str, Resampled]
    saved: dict[str, Resampled]
    calibrations: dict[str, str]
    stack: Stack

    def plain(self) -> Entrants:
        """The same, whose models as saved predict the most probable class."""
        return replace(self, saved={name: decided_plainly(each) for name, each in self.saved.items()})

    @classmethod
    def of(cls, found: FamilyResults, measures: tuple[Measure, ...], cost: Any, left: float = math.inf) -> Entrants:
        """Those of the families and, where there are two at least and so many seconds suffice, of their ensemble.

        The baseline remains what it is, the most frequent class, whatever mistakes cost, but no class is impossible.
        """
        stack = Stack(found.searches)
        raw = {name: search.resampled(measures) for name, search in found.searches.items()}
        if stack.possible and (left == math.inf or stack.seconds(clock.perf_counter) < left):
            raw[ENSEMBLE] = stack.resampled(measures)
        saved = {
            name: (without_zeros(each), "auto") if name == BASELINE else as_saved(each, cost)
            for name, each in raw.items()
        }
        results = {name: each for name, (each, _) in saved.items()}
        return cls(raw, results, {name: how for name, (_, how) in saved.items()}, stack)


def _compare(found: FamilyResults, entrants: Entrants, measures: tuple[Measure, ...]) -> tuple[Comparison, list[str]]:
    """The comparison of the families, with the ensemble only where it beats the best of them."""
    main = measures[0]
    results = {name: each for name, each in entrants.saved.items() if name != ENSEMBLE}
    note = _stopped(found)
    alone = comparison_of(results, measures, note, found.absent, baseline=BASELINE)
    board, notes = alone.leaderboard, []
    assert isinstance(board, Leaderboard)
    best = board.best.name
    learnt = {name: each for name, each in results.items() if name != BASELINE}
    bias = selection_bias(learnt, best, main) if best in learnt else 0.0
    if bias > 0.01 * board.best.scores[main.name].half_width:  # else no digit of the score changes
        notes.append(
            f"the best of {len(learnt)} was chosen by this score, which makes it look better by about "
            f"{rounded(bias, 1)}"
        )
    if ENSEMBLE not in entrants.saved:
        return alone, [*notes, *(["no ensemble of the families, for want of time"] if entrants.stack.possible else [])]
    joint = comparison_of(entrants.saved, measures, note, found.absent, baseline=BASELINE)
    assert isinstance(joint.leaderboard, Leaderboard)
    if joint.leaderboard.best.name == ENSEMBLE and joint.tests[ENSEMBLE, best].verdict == "beats":
        return joint, notes
    score = joint.leaderboard.printed(ENSEMBLE, main.name)
    ahead = joint.leaderboard.best.name == ENSEMBLE
    clearly = "not clearly better" if ahead else "not better"
    notes.append(f"a stacked ensemble of the families has {main.label} {score}: {clearly}, so it is left out")
    return alone, notes
