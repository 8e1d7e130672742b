"""The curves of the glass box of a study, where it is as good as the best model."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from probus.data import Task
from probus.display import Result
from probus.ensemble import ExplainableBoostingClassifier, ExplainableBoostingRegressor
from probus.errors import DataError
from probus.lifecycle import Study
from probus.pipeline import tabular
from probus.report._refits import Stopwatch
from probus.wrapping import fit_weighted

FAMILY = "Glass box"
_SHOWN = 9


def is_as_good(study: Study) -> bool:
    """Whether the study has a glass box that is the best model, is recommended, or is equivalent to the best."""
    if FAMILY not in study.results:
        return False
    return FAMILY in (study.best, study.recommended) or study.leaderboard[FAMILY].verdict == "equivalent"


@dataclass(frozen=True, eq=False, repr=False)
class GlassBoxCurves(Result):
    """The model on all rows.

    model : the fitted glass box. label : the class whose curves are drawn: the positive one of two, of more the most
    frequent; None of numbers.
    """

    model: Any
    label: Any = None

    @classmethod
    def of(cls, study: Study, task: Task, clock: Stopwatch) -> GlassBoxCurves:
        """Fit it, if the time suffices."""
        needed = 1.5 * float(np.median(study.results[FAMILY].seconds))
        if study.sampled_rows is not None or needed > clock.left:
            raise DataError(clock.shortage(needed) if study.sampled_rows is None else "it would take all rows.")
        kind = ExplainableBoostingClassifier if task.classes else ExplainableBoostingRegressor
        fitted = fit_weighted(tabular(kind(random_state=0)), task.X, task.y, task.sample_weight)
        model = fitted.steps[-1][1]
        return cls(model, task.pos_label if len(task.classes) == 2 else _most_frequent(task))

    @property
    def drawn(self) -> list[tuple[str, Any]]:
        """The names and the curves or tables of the largest terms."""
        found = self.model.explain_global()
        d = self.model.n_features_in_
        return [(found.terms[t], self._term(t, d)) for t in found.order[:_SHOWN].tolist() if found.sizes[t] > 0]

    def _term(self, t: int, d: int) -> Any:
        """A curve or a table of the class that is drawn; of two classes the model has those of the second."""
        turned = len(self.model.intercept_) == 1 and self.label is not None and self.label == self.model.classes_[0]
        label = self.label if len(self.model.intercept_) > 1 else None
        found = (
            self.model.curve(t, label) if t < d else self.model.pair(*self.model.terms_.pairs[t - d].tolist(), label)
        )
        return replace(found, values=-found.values, output=self.label) if turned else found

    def _rows(self) -> dict[str, Any]:
        """The curves of all columns."""
        return self.model.to_frame().to_dict(as_series=False)

    def to_dict(self) -> dict[str, Any]:
        """The sizes of the terms, for JSON."""
        found = self.model.explain_global()
        sizes = [{"term": found.terms[t], "size": float(found.sizes[t])} for t in found.order.tolist()]
        return {"unit": found.unit, "terms": sizes}

    def _parts(self) -> list[Any]:
        return [self.model.explain_global()]


def _most_frequent(task: Task) -> Any:
    return Counter(task.y.tolist()).most_common(1)[0][0] if task.classes else None
