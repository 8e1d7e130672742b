"""The tuning of one family: on the training rows of each outer split, and on all rows for the final model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from probus.lifecycle._families import averaging
from probus.lifecycle._family_fits import OUTER, FamilyFits, Fitted, Job
from probus.lifecycle._former_study import space_of
from probus.metrics import Measure, Outcome
from probus.model_selection import Failure, Resampled, measurable
from probus.model_selection.one_split import predicts_alike
from probus.spaces import Space
from probus.tuning import Bayesian, Grid, Proposer, Trial

_SMALL = 30  # configurations
_FINAL = 1.25  # how much longer a final fit may take than is estimated
_PATIENCE = 24  # configurations without a better one, after which the tuning of a family ends

Run = Callable[[Sequence[Job]], list[Fitted]]


class FamilySearch:
    """What is known of a family: for each run the best configuration so far, and its predictions on outer test rows.

    The runs never share what they find, so the outer test rows of a run are new to its tuning. After each call of
    ``first`` or ``turn`` the family has a complete result.
    """

    def __init__(self, name: str, fits: FamilyFits):
        self.name, self.fits = name, fits
        self.space = space_of(fits.models[name])
        self.averaging = averaging(fits.models[name])
        self.averaged = 1  # models whose mean it is
        self.default_seconds = 0.0  # of a fit with the default, on the training rows of an outer split
        self._used: list[dict[str, Any]] = [{} for _ in range(fits.last)]  # the configurations of ``outer``
        self.tuners: list[Proposer] = []
        self.best: list[dict[str, Any]] = [{} for _ in range(fits.last + 1)]
        self.scores = np.full(fits.last + 1, -np.inf)
        self.inner: list[list[Outcome]] = [[] for _ in range(fits.last + 1)]
        self.outer: list[Fitted] = []
        self.tried: list[dict[str, Any]] = []
        self.n_tried = self.stale = 0
        self._last_seconds = 0.0  # of a fit of the best configuration on all rows, by its inner fits
        self.rows = OUTER  # what the models of ``outer`` were trained on: all training rows, a SAMPLE or a FEW
        self._outer_fits: dict[tuple[int, str], Fitted] = {}

    # -- what is found so far --------------------------------------------------------------------------

    @property
    def seconds(self) -> float:
        """The usual time of a fit on the training rows of an outer split; after fits of a sample, an estimate."""
        return self.seconds_on(OUTER)

    def seconds_on(self, rows: int) -> float:
        """The same on all training rows (OUTER), a SAMPLE or a FEW; 0 where nothing is known.

        It is the median, since the first fit of a process also loads what it needs.
        """
        found = float(np.median([each.seconds for each in self.outer])) if self.outer else 0.0
        return found * self.fits.stage_rows(rows) / self.fits.stage_rows(self.rows)

    @property
    def final_seconds(self) -> float:
        """About the time of the final fit: of the configuration that is saved, on all rows or the same sample."""
        usual = self.seconds_on(self.rows)
        if self.sampled:
            return _FINAL * usual
        share = len(self.fits.task) / self.fits.stage_rows(OUTER)
        return _FINAL * max(usual * share, self.averaged * self._last_seconds)

    @property
    def sampled(self) -> bool:
        """Whether its models were trained on some of the training rows."""
        return self.rows != OUTER

    @property
    def failed(self) -> bool:
        """Whether it failed on some outer split, so that it cannot be ranked."""
        return any(each.error for each in self.outer)

    @property
    def tunable(self) -> bool:
        """Whether another turn can find something."""
        over = bool(self.tuners) and all(each.finished for each in self.tuners)
        possible = self.space is not None and not self.failed and not self.sampled
        return possible and not over and self.stale < _PATIENCE

    @property
    def inner_score(self) -> float:
        """The best score that the tuning on all rows has found, the larger the better."""
        return float(self.scores[-1])

    @property
    def outer_score(self) -> float:
        """The mean score on the outer test rows, the larger the better; -inf where there is none."""
        return float(np.nan_to_num(np.mean([fit.score for fit in self.outer]), nan=-np.inf)) if self.outer else -np.inf

    def resampled(self, measures: Sequence[Measure]) -> Resampled:
        """The predictions on the outer test rows, as ``resample`` returns them."""
        outcomes = tuple(each.outcome for each in self.outer)
        failures = tuple(Failure(i, each.error) for i, each in enumerate(self.outer) if each.error)
        possible = tuple(m for m in measures if all(measurable([m], outcome) for outcome in outcomes))
        seconds = np.array([each.seconds for each in self.outer])
        splits = self.fits.outer
        return Resampled(
            self.name, self.fits.task, splits, outcomes, possible, failures, seconds=seconds,
            constant=predicts_alike(self.fits.models[self.name]),
        )  # fmt: skip

    # -- what is evaluated -----------------------------------------------------------------------------

    def first(self, found: Sequence[Fitted], rows: int = OUTER) -> None:
        """Take the predictions of the default configuration, trained on all training rows, a SAMPLE or a FEW."""
        self.outer, self.rows = list(found), rows
        self.default_seconds = self.seconds
        self._outer_fits = {} if self.sampled else {(k, _text({})): each for k, each in enumerate(found)}
        error = next((each.error for each in found if each.error), None)
        score = float(np.mean([each.score for each in found])) if not error else None
        self._log({}, score, sum(each.seconds for each in found), error)

    def jobs_of_turn(self, n: int) -> int:
        """About how many fits a turn of ``n`` configurations takes."""
        return n * sum(self.fits.n_inner(k) for k in range(self.fits.last + 1)) + self.fits.last

    def turn(self, n: int, run: Run) -> None:
        """Try ``n`` configurations in each run, then predict the outer test rows where a better one was found.

        Where the time is up before these predictions, the family remains as it was: what is saved is what was scored.
        """
        before = list(self.best), self.scores.copy(), list(self.inner), self._last_seconds
        try:
            changed = self._try_all(n, run)
            self._predict_again(sorted(changed - {self.fits.last}), run)
        except BaseException:
            self.best, self.scores, self.inner, self._last_seconds = before
            raise
        self.n_tried += n
        self.stale = 0 if self.fits.last in changed else self.stale + n

    def _try_all(self, n: int, run: Run) -> set[int]:
        """Try ``n`` configurations in each run; those where a better one was found."""
        assert self.space is not None
        trials = self._trials(n)
        jobs = [(self.name, trial.config, k, i) for k, trial in trials for i in range(self.fits.n_inner(k))]
        found = iter(run(jobs))
        changed = set()
        for k, trial in trials:
            fits = [next(found) for _ in range(self.fits.n_inner(k))]
            score = float(np.mean([each.score for each in fits]))
            self.tuners[k].tell(trial, None if np.isnan(score) else score)
            if k == self.fits.last:
                error = next((each.error for each in fits if each.error), None)
                self._log(trial.config, None if np.isnan(score) else score, sum(f.seconds for f in fits), error)
            if score > self.scores[k]:
                self.scores[k], self.best[k] = score, dict(trial.config)
                self.inner[k] = [each.outcome for each in fits]
                if k == self.fits.last:
                    seconds, rows = np.mean([each.seconds for each in fits]), len(self.fits.pair(k, 0)[0])
                    self._last_seconds = float(seconds) * len(self.fits.task) / rows
                changed.add(k)
        return changed

    def average(self, n_models: int, run: Run) -> None:
        """Predict the outer test rows with the mean of so many models of the best configuration of each run."""
        several = {str(self.averaging): n_models}
        configs = [{**used, **several} for used in self._used]
        found = run([(self.name, config, k, OUTER) for k, config in enumerate(configs)])
        if not any(each.error for each in found):
            self.outer, self.averaged, self._used = found, n_models, configs
            self.best = [*configs, {**self.best[-1], **several}]

    def _trials(self, n: int) -> list[tuple[int, Trial]]:
        """The configurations to try next in each run; the first is the default one."""
        assert self.space is not None
        if self.tuners:
            return [(k, trial) for k, tuner in enumerate(self.tuners) for trial in tuner.ask(n)]
        default = dict(self.space.default or {})
        first = self.fits.start.get(self.name, ())
        self.tuners = [_tuner(self.space).start(self.space, seed).begin_with(first) for seed in self.fits.seeds]
        self._outer_fits |= {(k, _text(default)): fit for k, fit in enumerate(self.outer)}
        trials = []
        for k, tuner in enumerate(self.tuners):
            asked = tuner.ask(n)
            if default not in [trial.config for trial in asked]:
                asked = [Trial(max((trial.number for trial in asked), default=-1) + 1, default), *asked]
            trials += [(k, trial) for trial in asked]
        return trials

    def _predict_again(self, runs: Sequence[int], run: Run) -> None:
        wanted = [(k, self.best[k]) for k in runs if (k, _text(self.best[k])) not in self._outer_fits]
        for (k, config), fit in zip(wanted, run([(self.name, c, k, OUTER) for k, c in wanted]), strict=True):
            self._outer_fits[k, _text(config)] = fit
        for k in runs:
            fit = self._outer_fits[k, _text(self.best[k])]
            if not fit.error:  # a configuration that fails on more rows is not used
                self.outer[k], self._used[k] = fit, self.best[k]

    def _log(self, config: Mapping[str, Any], score: float | None, seconds: float, error: str | None) -> None:
        shown = None if score is None else self.fits.measure.better(score)
        self.tried.append(
            {"model": self.name, "configuration": dict(config), "score": shown, "seconds": seconds, "error": error}
        )


def _tuner(space: Space) -> Proposer:
    """Every configuration of a small space, else Bayesian search, which needs the fewest evaluations."""
    return Grid(resolution=_SMALL) if space.size <= _SMALL else Bayesian()


def _text(config: Mapping[str, Any]) -> str:
    return json.dumps(config, sort_keys=True, default=str)
