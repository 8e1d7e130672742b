"""One configuration on one split: fitted, predicted and scored, its errors caught."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from probus.data import Task
from probus.errors import DataError
from probus.metrics import Measure
from probus.model_selection import Splits, measurable, prepared, rows_for
from probus.model_selection.engine import unwarned
from probus.model_selection.one_split import Labelled, attempt, error_line
from probus.tuning._archive_header import fingerprint
from probus.tuning._fidelity import Fidelity


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

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What an archive knows the data by."""
        return fingerprint(self.task)

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


# -- the steps of a pipeline before its model, fitted once on the same rows for all configurations -----


_MOST_CELLS = 10_000_000  # of the training rows of all splits together, above which nothing is kept
_HELD_OUT = ("early_stopping", "n_iter_no_change", "validation_fraction")


_Kept = dict[Hashable, tuple[tuple[bytes | None, ...], Any]]  # by rows and place: the steps so far, and the fit


class KeptSteps:
    """What steps learnt and returned on the training rows of a split; a step whose parameters changed is fitted again.

    Of every step the latest fit is kept, for each set of rows. A copy, as that of a cloned pipeline, is the object
    itself; a pickled one, for another process, is empty.
    """

    def __init__(self, cells: int):
        self._kept: _Kept = {}
        self._small = cells <= _MOST_CELLS

    def given_to(self, model: Any, rows: Hashable) -> Any:
        """The model, which then takes the steps that are known for these rows from here, where it is a pipeline."""
        if self._small and isinstance(model, Pipeline) and len(model.steps) > 1 and model.memory is None:
            model.set_params(memory=_OneFit(self._kept, rows, _held_out(model.steps[-1][1])))
        return model

    def __reduce__(self) -> Any:
        return KeptSteps, (0 if self._small else _MOST_CELLS + 1,)


def _held_out(last: Any) -> bytes:
    """What decides which rows the last step sets aside for early stopping, before the others are fitted."""
    params = sorted(last.get_params().items()) if hasattr(last, "get_params") else []
    known = [(name, name.rpartition("__")[2], value) for name, value in params]
    return repr([
        (name, value)
        for name, parameter, value in known
        if parameter in _HELD_OUT or (parameter == "n_estimators" and value is None)
    ]).encode()  # fmt: skip


def _written(transformer: Any) -> bytes | None:
    """The step with its parameters; None where that cannot be compared, as with a function of a notebook."""
    try:
        return pickle.dumps(transformer)
    except Exception:  # whatever the pickling of a foreign class raises
        return None


class _OneFit:
    """The ``memory`` of a pipeline for one ``fit``, in the form of joblib's."""

    def __init__(self, kept: _Kept, rows: Hashable, held_out: bytes):
        self._kept, self._rows, self._held_out = kept, rows, held_out

    def cache(self, function: Callable[..., Any], **_: Any) -> Callable[..., Any]:
        """The function that fits one step, which calls it only for what is not known."""
        before: list[bytes | None] = [self._held_out]

        def fitted(transformer: Any, *values: Any, **named: Any) -> Any:
            before.append(_written(transformer))
            if None in before:
                return function(transformer, *values, **named)
            place, key = (self._rows, len(before)), tuple(before)
            found = self._kept.get(place)  # looked up once, since other threads keep other steps there
            if found is None or found[0] != key:
                found = self._kept[place] = (key, function(transformer, *values, **named))
            return found[1]

        return fitted

    def __deepcopy__(self, _: Any) -> _OneFit:
        return self
