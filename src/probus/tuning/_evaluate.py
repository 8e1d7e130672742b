"""One configuration on one split: fitted, predicted and scored, its errors caught."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sklearn.base import clone

from probus.data import Task
from probus.errors import DataError
from probus.metrics import Measure
from probus.model_selection import Splits, measurable, prepared, rows_for
from probus.model_selection.engine import unwarned
from probus.model_selection.one_split import Labelled, attempt, error_line
from probus.tuning._fidelity import Fidelity
from probus.tuning._kept_steps import KeptSteps


@dataclass(frozen=True)
class SplitResult:
    """The scores of a split by measure, the seconds of fitting and of predicting, and the error if it failed."""

    scores: Mapping[str, float]
    fit_seconds: float = 0.0
    score_seconds: float = 0.0
    error: str | None = None


@dataclass(frozen=True, eq=False)
class Evaluator:
    """Evaluates configurations of a model on the splits of a task. It can be sent to other processes.

    seeds : one for each split; the same for all configurations, so that they differ in nothing else.
    """

    model: Any
    task: Task
    splits: Splits
    measures: tuple[Measure, ...]
    seeds: tuple[int, ...]
    fidelity: Fidelity

    @cached_property
    def _kept_steps(self) -> KeptSteps:
        return KeptSteps(len(self.task) * len(self.task.features) * len(self.splits))

    def configured(self, config: Mapping[str, Any], share: float = 1.0) -> Any:
        """The model with that configuration and effort, ready for the rows of the task."""
        values = {name: clone(value, safe=False) for name, value in config.items()}
        return prepared(self.fidelity.reduced(clone(self.model).set_params(**values), share), self.task)

    def split(self, config: Mapping[str, Any], split: int, share: float = 1.0) -> SplitResult:
        """Fit the configuration on the training rows of a split and score it on the test rows."""
        try:
            with unwarned():  # a search tries strange configurations; their scores tell
                return self._split(config, split, share)
        except Exception as reason:  # parameters that the model rejects, measures that are not defined
            return SplitResult({}, error=error_line(reason))

    def _split(self, config: Mapping[str, Any], split: int, share: float) -> SplitResult:
        model = self.configured(config, share)
        (train, test), seed = self.splits.pairs[split], self.seeds[split]
        some = self.fidelity.rows(train, self.task, share, seed)
        data = Labelled.of(self.task, rows_for(model, self.task), measures=self.measures)
        done = attempt(self._kept_steps.given_to(model, (split, len(some))), data, (some, test), seed=seed)
        seconds = (done.fit_seconds, done.seconds - done.fit_seconds)
        if done.error:
            return SplitResult({}, *seconds, error=done.error)
        lacking = [each.name for each in self.measures if not measurable([each], done.outcome)]
        if lacking:
            raise DataError(f"the model does not predict what {lacking[0]} needs.", "a measure of what it predicts")
        return SplitResult({each.name: float(each.compute(done.outcome)) for each in self.measures}, *seconds)
