"""Training and test scores at several settings: what learning curves and validation curves share."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from probus.display import Cells, Notes, Result, plain
from probus.errors import DataError
from probus.metrics import Estimate, Measure, Scoring, measure
from probus.model_selection._curve_scores import Scores, SettingFailure
from probus.model_selection._resample_result import failed_on
from probus.model_selection._split_intervals import corrected_interval
from probus.model_selection._split_scores import combined
from probus.model_selection._splits import Splits
from probus.model_selection._training_intervals import training_interval

Part = Literal["train", "test"]


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Result):
    """Scores on training and test rows at several settings, each with an interval over the splits.

    It unpacks as the tuple that scikit-learn's function of the same name returns.

    Attributes
    ----------
    name : of the model.
    settings : sizes, or values of a parameter.
    scores : see ``Scores``, the main measure first.
    splits : training and test rows. Intervals of test scores are those of ``resample``, from what each row adds to the
        score; those of training scores are over other training sets of the same size. Scores that are only known for
        each split, as those of a function or a scorer of your own, have the interval of the corrected resampled t-test,
        which is too short with imbalanced classes; ``method`` of the estimate states this.
    """

    name: str
    settings: tuple[Any, ...]
    scores: Scores
    splits: Splits

    @property
    @abstractmethod
    def axis(self) -> str:
        """What the settings are, in words."""

    @property
    @abstractmethod
    def logarithmic(self) -> bool:
        """Whether the settings belong on a logarithmic axis."""

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What was measured, the main measure first."""
        return self.scores.measures

    @property
    def failures(self) -> tuple[SettingFailure, ...]:
        """Where the model failed."""
        return self.scores.failures

    def failed_at(self, setting: Any) -> str:
        """In words, on how many splits the model failed at a setting; empty where it never did."""
        failures = [failure for failure in self.failures if failure.setting == setting]
        if not failures:
            return ""
        text = failed_on(failures, len(self.splits))
        return f"{text}: {failures[0].error}" if len(failures) == len(self.splits) else text

    @property
    def sound(self) -> np.ndarray:
        """The places of the settings at which the model never failed."""
        return np.array([place for place, setting in enumerate(self.settings) if not self.failed_at(setting)], np.intp)

    # -- as scikit-learn's tuple -----------------------------------------------------------------------

    @property
    def train_scores(self) -> np.ndarray:
        """The main measure on the training rows, [settings, splits], larger being better."""
        return self._larger_is_better(self.scores.train)

    @property
    def test_scores(self) -> np.ndarray:
        """The main measure on the test rows, [settings, splits], larger being better."""
        return self._larger_is_better(self.scores.test)

    def _larger_is_better(self, scores: Mapping[str, np.ndarray]) -> np.ndarray:
        main = self.measures[0]
        values = main.better(1) * scores[main.name]
        for failure in self.failures:
            values[self.place(failure.setting), failure.split] = self.scores.error_score
        return values

    @abstractmethod
    def _tuple(self) -> tuple[np.ndarray, ...]:
        """What scikit-learn's function of the same name returns."""

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter(self._tuple())

    def __getitem__(self, place: int) -> np.ndarray:
        return self._tuple()[place]

    def __len__(self) -> int:
        return len(self._tuple())

    # -- numbers ---------------------------------------------------------------------------------------

    def estimate(
        self, setting: Any, scoring: Scoring | None = None, part: Part = "test", level: float = 0.95
    ) -> Estimate:
        """The score at a setting, on "test" or "train" rows.

        The interval on "train" rows holds the expected score of a model on its own training rows, over training sets of
        this size; that on "test" rows the expected score of such a model on other rows.
        """
        if part not in ("train", "test"):
            raise DataError(f"part={part!r}.", "'train' or 'test'")
        chosen, place = self.measured(scoring), self.place(setting)
        scores = getattr(self.scores, part)[chosen.name][place]
        results, training = self.scores.results, self.scores.training
        if part == "test" and results and not results[place].failed_everywhere:
            return results[place].estimate(chosen, level)
        rows = training[chosen.name][place] if training and part == "train" else None
        if rows is not None:
            return training_interval(chosen, scores, rows, level)
        return self._mark(self._interval(scores, level, chosen.low, chosen.high), setting)

    def gap(self, setting: Any, scoring: Scoring | None = None, level: float = 0.95) -> Estimate:
        """By how much the training score at a setting is better than the test score, paired by row."""
        chosen, place = self.measured(scoring), self.place(setting)
        sign = chosen.better(1)
        terms = [(sign, self.scores.on_train(chosen, place)), (-sign, self.scores.on_test(chosen, place))]
        return self._mark(combined(terms, self.splits.test_to_train, level=level, same_models=True), setting)

    def baseline(self, scoring: Scoring | None = None, level: float = 0.95) -> Estimate:
        """The test score of Zero-R, trained on the same rows."""
        chosen = self.measured(scoring)
        if self.scores.zero_r is not None:
            return self.scores.zero_r.estimate(chosen, level)
        return self._interval(self.scores.baseline[chosen.name], level, chosen.low, chosen.high)

    def measured(self, scoring: Scoring | None = None) -> Measure:
        """The measure of that name, or the main one; an error where it was not measured."""
        if scoring is None:
            return self.measures[0]
        name = measure(scoring).name
        for each in self.measures:
            if each.name == name:
                return each
        known = ", ".join(each.name for each in self.measures)
        raise DataError(f"{name} was not measured along this curve.", f"one of {known}", f"Pass scoring=[{name!r}, …].")

    def place(self, setting: Any) -> int:
        """The place of a setting."""
        for place, each in enumerate(self.settings):
            if each == setting:
                return place
        raise DataError(f"no setting {setting!r}.", "one of " + ", ".join(map(repr, self.settings)))

    def _interval(self, scores: np.ndarray, level: float, low: float = -np.inf, high: float = np.inf) -> Estimate:
        return corrected_interval(scores, self.splits.test_to_train, level=level, low=low, high=high)

    def _mark(self, estimate: Estimate, setting: Any) -> Estimate:
        failed = self.failed_at(setting)
        if not failed:
            return estimate
        return replace(estimate, method=failed if math.isnan(estimate.value) else f"{estimate.method}; {failed}")

    def diagnose(self, **how: Any) -> Any:
        """What is wrong and what to do: see ``diagnose``."""
        from probus.model_selection._diagnosis import diagnose

        return diagnose(self, **how)

    def _parts(self) -> list[Any]:
        estimates = [(self.estimate(setting, None, "train"), self.estimate(setting)) for setting in self.settings]
        scored = [test for _, test in estimates if not math.isnan(test.value)]
        decimals = max(scored[-1].decimals if scored else 0, 2)
        rows = [
            [str(setting), *("–" if math.isnan(each.value) else f"{each:.{decimals}f}" for each in both)]
            for setting, both in zip(self.settings, estimates, strict=True)
        ]
        headline = f"{self.name}: {self.measures[0].label} by {self.axis}, {self.splits.how}"
        return [headline, Cells([[self.axis, "train", "test"], *rows], margin=2), Notes(self._warnings())]

    def _warnings(self) -> list[str]:
        if not self.failures:
            return []
        return [
            f"at {self.axis} {setting} the model {failed.replace('failed', 'FAILED', 1)}"
            for setting in self.settings
            if (failed := self.failed_at(setting))
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "name": self.name,
            "axis": self.axis,
            "settings": [s if isinstance(s, (int, float, str, bool, type(None))) else repr(s) for s in self.settings],
            "splits": self.splits.how,
            **{part: plain(getattr(self.scores, part)) for part in ("train", "test", "baseline")},
            "failures": [
                {"setting": repr(failure.setting), "split": failure.split, "error": failure.error}
                for failure in self.failures
            ],
        }

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each measure and setting, with train, test and gap and their intervals."""
        rows = []
        for each in self.measures:
            for setting in self.settings:
                row = {"scoring": each.name, self._column: setting if _is_plain(self.settings) else repr(setting)}
                estimates = {
                    "train": self.estimate(setting, each, "train"),
                    "test": self.estimate(setting, each, "test"),
                    "gap": self.gap(setting, each),
                }
                for name, e in estimates.items():
                    row |= {name: e.value, f"{name}_low": e.low, f"{name}_high": e.high}
                rows.append(row)
        return rows

    @property
    @abstractmethod
    def _column(self) -> str:
        """The name of the column of settings in a frame."""

    def plot(self, scoring: Scoring | None = None, axes: Any = None) -> Any:
        """Both curves with their bands, and Zero-R, on matplotlib axes, which are returned."""
        from probus.model_selection._plots import draw_curve

        return draw_curve(self, self.measured(scoring), axes)


def _is_plain(settings: Sequence[Any]) -> bool:
    """Whether the settings can share a column: numbers only, or strings only."""
    numbers = all(isinstance(s, (int, float, np.number)) and not isinstance(s, bool) for s in settings)
    return numbers or all(isinstance(s, str) for s in settings)
