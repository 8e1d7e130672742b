"""The loop over models and splits: many models resampled one after the other, within a time limit."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from probus.data import Task
from probus.display import counted_of
from probus.errors import DataError
from probus.metrics import Measure, Scoring
from probus.model_selection._model_input import prepared
from probus.model_selection._progress import ProgressOption, shown
from probus.model_selection._resample_result import Resampled
from probus.model_selection._resampling import Plan, checked_measures, run_until
from probus.model_selection._splits import Splits

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, eq=False)
class Entry:
    """A model to be resampled on the splits of a task, and its name."""

    name: str
    model: Any
    task: Task
    splits: Splits


@dataclass(frozen=True, eq=False)
class ManyResults(Generic[Key]):
    """The results of those that were finished, by key, and why the loop stopped early; empty where it did not."""

    results: MutableMapping[Key, Resampled]
    stopped: str
    n_entries: int

    @property
    def note(self) -> str:
        """In words, how many are finished; empty where all are."""
        if not self.stopped:
            return ""
        return f"{self.stopped}: {counted_of(len(self.results), self.n_entries, 'models')} finished and ranked"

    def need(self, n: int) -> None:
        """Raise unless so many are finished: an interrupt goes on, a time limit is an error."""
        if not self.stopped or len(self.results) >= n:
            return
        if self.stopped == _INTERRUPTED:
            raise KeyboardInterrupt
        which = "any model was" if n == 1 else f"{n} models were"
        raise DataError(f"{self.stopped} before {which} finished.", f"at least {n}", "Allow more time.")


_INTERRUPTED, _OUT_OF_TIME = "interrupted", "the time was up"


def resample_many(
    entries: Mapping[Key, Entry],
    *,
    scoring: Scoring | Iterable[Scoring] | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    progress: ProgressOption = None,
    deadline: float | None = None,
    finished: MutableMapping[Key, Resampled] | None = None,
    compared_by: tuple[Measure, ...] = (),
    executor: Any = None,
) -> ManyResults[Key]:
    """Resample every entry; the results so far are kept where Ctrl-C or the deadline ends the loop.

    Parameters
    ----------
    scoring, n_jobs, random_state, executor : as in ``resample``, the same for all.
    progress : as in ``resample``, over the splits of all entries.
    deadline : the value of ``time.perf_counter()`` after which no further split is started.
    finished : where results are stored; those already in it are not computed again.
    compared_by : measures that are read later; models that do not predict what they need are no error.
    """
    results: MutableMapping[Key, Resampled] = {} if finished is None else finished
    ready = {key: prepared(entry.model, entry.task) for key, entry in entries.items()}
    fits, before, stopped = {key: len(entry.splits) for key, entry in entries.items()}, 0, ""
    with shown(progress) as update:

        def step(done: int, n_fits: int, name: str) -> None:
            fits[key] = n_fits  # unstable models are fitted on halves too
            total = sum(fits.values())
            if done < n_fits or before + done == total:
                update(before + done, total, name)

        try:
            for key, entry in entries.items():
                if key not in results:
                    measures = checked_measures(scoring, entry.task)
                    how = (n_jobs, random_state, step, deadline, compared_by, executor)
                    plan = Plan(entry.task, entry.splits, measures, entry.name, *how)
                    result = run_until(plan, [ready[key]] * len(entry.splits))
                    if result is None:
                        stopped = _OUT_OF_TIME
                        break
                    results[key] = result
                before += fits[key]
        except KeyboardInterrupt:
            stopped = _INTERRUPTED
    return ManyResults(results, stopped, len(entries))
