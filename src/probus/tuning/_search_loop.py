"""The loop of a search: ask the tuner, evaluate, store, tell. A run that was stopped goes on where it ended."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from probus.display import counted
from probus.errors import DataError, FailedModelError
from probus.model_selection import Progress
from probus.model_selection.engine import JobExecutor, OutOfTimeError, result_of
from probus.tuning._archive_run import Run, written
from probus.tuning._budget import Budget
from probus.tuning._evaluate import Evaluator, SplitResult
from probus.tuning._evaluation import Evaluation
from probus.tuning._tuner import Score, Trial, Tuner
from probus.tuning._workers import JobEndedError

INTERRUPTED, OUT_OF_TIME = "interrupted", "the time was up"
_SHORTEST, _LONGEST = 0.01, 0.5  # seconds between looks at what other processes do


class MeanScore(float):
    """A score, the higher the better, that also has those of the splits."""

    splits: tuple[float, ...]

    @classmethod
    def of(cls, splits: tuple[float, ...], mean: float) -> MeanScore:
        """The mean with the scores of the splits."""
        score = cls(mean)
        score.splits = splits
        return score


@dataclass
class TunerSearch:
    """A search by a tuner, on a run of an archive that other processes may work on too.

    The proposals depend on the scores alone: the tuner gets them in the order of the trials, a batch at a time, and
    sets the size of a batch, whatever the number of processes. Evaluations that are in the archive are not repeated.
    An evaluation that fails has no score; one that the end of the time cuts off is given back.
    """

    evaluator: Evaluator
    tuner: Tuner
    run: Run
    executor: JobExecutor
    budget: Budget
    update: Progress
    at_once: int = 1
    n_objectives: int = 1

    def go(self) -> str:
        """Search until the tuner or the budget ends; returns why it ended early, or an empty string."""
        self.done = self.run.finished()
        self._n, self._seen, self._best = 0, 0, -np.inf
        self._latest: dict[str, Evaluation] = {}
        try:
            self._search()
        except KeyboardInterrupt:
            return INTERRUPTED
        except OutOfTimeError:
            return OUT_OF_TIME
        finally:
            self.executor.close()
            self.run.release()
        return ""

    def _search(self) -> None:
        default = self.tuner.space.default  # type: ignore[attr-defined]
        (own,) = self._evaluated([Trial(0, default or {})])
        self._check_own(own)
        if default is not None:
            self.tuner.tell(Trial(0, default), self._objectives_of(own))
        while not self.tuner.finished and self._more():
            trials = self.tuner.ask(self.tuner.batch)
            if not trials:
                break
            for trial, evaluation in zip(trials, self._evaluated(trials), strict=False):
                self.tuner.tell(trial, self._objectives_of(evaluation))

    def score_of(self, evaluation: Evaluation) -> MeanScore | None:
        """The mean of the main measure, turned so that higher is better; None where the evaluation failed."""
        main = self.evaluator.measures[0]
        mean = evaluation.mean(main.name)
        if np.isnan(mean):
            return None
        return MeanScore.of(tuple(main.better(each) for each in evaluation.scores[main.name]), main.better(mean))

    def _objectives_of(self, evaluation: Evaluation) -> Score:
        """The score, or those of several measures, for the tuner; None where one of them failed."""
        if self.n_objectives == 1:
            return self.score_of(evaluation)
        means = [each.better(evaluation.mean(each.name)) for each in self.evaluator.measures[: self.n_objectives]]
        return None if np.isnan(means).any() else tuple(means)

    # -- a batch ---------------------------------------------------------------------------------------

    def _evaluated(self, trials: Sequence[Trial]) -> list[Evaluation]:
        """The evaluations of the trials, in order, as many as the budget allows."""
        numbered = [(self._n + place, trial) for place, trial in enumerate(trials)]
        if self.budget.evaluations is not None:
            numbered = numbered[: self.budget.evaluations - self._n]
        waiting = deque((number, trial) for number, trial in numbered if not self._is_done(number, trial))
        mine: deque[tuple[int, Trial, list[Any]]] = deque()
        others: dict[int, Trial] = {}
        while waiting or mine or others:
            while waiting and len(mine) < self.at_once:
                number, trial = waiting.popleft()
                if self.run.claim(number, trial.config, self._share(trial), self._seed):
                    mine.append((number, trial, self._submit(trial)))
                else:
                    others[number] = trial
            if mine:
                self._finish(*mine.popleft())
            elif others:
                mine.extend(self._from_others(others))
        self._n += len(numbered)
        for number, _ in numbered:
            self._latest[written(self.done[number].config)] = self.done[number]
        self._show()
        return [self.done[number] for number, _ in numbered]

    def _submit(self, trial: Trial) -> list[Any]:
        n, share = self._plan(self._share(trial))
        config, splits = dict(trial.config), range(self._n_known(trial), n)
        kind = repr((config, share))  # whose other splits are not begun after one that took too long
        return [self.executor.start(self.evaluator.split, config, split, share, kind=kind) for split in splits]

    def _plan(self, share: float) -> tuple[int, float]:
        return self.evaluator.fidelity.plan(len(self.evaluator.splits), share)

    def _n_known(self, trial: Trial) -> int:
        """The number of splits that the configuration was evaluated on before, with the same effort."""
        return len(self._before(trial)[self.evaluator.measures[0].name]) if self._before(trial) else 0

    def _before(self, trial: Trial) -> Mapping[str, tuple[float, ...]]:
        """The scores of an earlier evaluation of the configuration on some of its splits, with all of their effort."""
        before, (n, share) = self._latest.get(written(trial.config)), self._plan(self._share(trial))
        if before is None or before.error or share < 1.0:
            return {}
        n_before, share_before = self._plan(before.fidelity)
        return before.scores if share_before == 1.0 and n_before <= n else {}

    def _finish(self, number: int, trial: Trial, jobs: list[Any]) -> None:
        results: list[SplitResult] = []
        started = time.time()
        for job in jobs:
            try:
                results.append(result_of(job, lambda: self.budget.left))
            except JobEndedError as end:
                results.append(SplitResult({}, end.seconds, error=str(end)))
            if results[-1].error:
                break
        evaluation = self._evaluation(number, trial, results)
        self.run.finish(evaluation)
        self.done[number] = replace(evaluation, started=started, finished=time.time(), worker=self.run.worker)
        self._show()

    def _evaluation(self, number: int, trial: Trial, results: list[SplitResult]) -> Evaluation:
        error = next((each.error for each in results if each.error), None)
        names = () if error else tuple(each.name for each in self.evaluator.measures)
        before = self._before(trial)
        scores = {name: (*before.get(name, ()), *(each.scores[name] for each in results)) for name in names}
        if names and np.isnan(scores[names[0]]).all():
            error = f"DataError: {names[0]} is not defined on any split, for example for lack of a class."
        elif names and np.isinf(scores[names[0]]).any():
            error = f"DataError: {names[0]} is infinite on a split."
        return Evaluation(
            number,
            trial.config,
            self._share(trial),
            scores,
            tuple(each.fit_seconds for each in results),
            tuple(each.score_seconds for each in results),
            error,
            self._seed,
        )

    def _from_others(self, others: dict[int, Trial]) -> Iterator[tuple[int, Trial, list[Any]]]:
        """Wait until another process has finished one of its evaluations, or take over one of a dead process."""
        pause = _SHORTEST
        while True:
            found, claimed = self.run.look(list(others))
            for number, evaluation in found.items():
                self.done[number] = evaluation
                del others[number]
            for number, trial in list(others.items()):
                free = number not in claimed and self.run.claim(number, trial.config, self._share(trial), self._seed)
                if free or (number in claimed and self.run.take_over(number, claimed[number])):
                    del others[number]
                    yield number, trial, self._submit(trial)
                    return
            if found:
                return
            if self.budget.over:
                raise OutOfTimeError
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST)

    # -- what is known ---------------------------------------------------------------------------------

    @property
    def _seed(self) -> int:
        return self.evaluator.seeds[0]

    def _share(self, trial: Trial) -> float:
        if trial.fidelity is None:
            return 1.0
        return trial.fidelity / self.tuner.max_fidelity  # type: ignore[attr-defined]

    def _is_done(self, number: int, trial: Trial) -> bool:
        if number not in self.done:
            return False
        stored = self.done[number].config
        if _list(stored) != _list(trial.config):
            raise DataError(
                f"archive {self.run.database.where!r}: evaluation {number} is of {dict(stored)}, "
                f"and this search proposes {trial.config}.",
                "the proposals of the same search",
                "Choose another file for the archive.",
            )
        return True

    def _more(self) -> bool:
        if self.budget.over:
            raise OutOfTimeError
        return self.budget.evaluations is None or self._n < self.budget.evaluations

    def _show(self) -> None:
        """Report what is finished and the best of it."""
        main, before = self.evaluator.measures[0], self._seen
        for number in range(self._seen, len(self.done)):
            if number not in self.done:
                break
            self._seen = number + 1
            score = self.score_of(self.done[number])
            if score is not None and self.done[number].fidelity == 1.0:
                self._best = max(self._best, float(score))
        if self._seen == before:
            return
        best = f"{main.name} {main.better(self._best):.4g}" if np.isfinite(self._best) else main.name
        if self.budget.seconds is None:
            planned = getattr(self.tuner, "planned", None) or self._seen
            self.update(self._seen, self.budget.evaluations or max(planned, self._seen), best)
        else:
            self.update(
                int(self.budget.spent), int(self.budget.seconds), f"{best}, {counted(self._seen, 'evaluation')}"
            )

    def _check_own(self, own: Evaluation) -> None:
        """Raise where the model's own configuration fails for a reason that every configuration shares."""
        if own.error and own.error.startswith("DataError: the model does not predict what"):
            raise FailedModelError(own.error.removeprefix("DataError: "), "a measure of what it predicts")


def _list(value: Any) -> Any:
    """Tuples as lists, as JSON has them."""
    if isinstance(value, (list, tuple)):
        return [_list(each) for each in value]
    return {name: _list(each) for name, each in value.items()} if isinstance(value, dict) else value
