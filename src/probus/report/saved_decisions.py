"""What the saved model would have predicted for each row, had it not been trained on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from probus.calibration import ConformalClassifier
from probus.calibration.decision_cost import cheapest
from probus.lifecycle import Study
from probus.metrics import Outcome

__all__ = ["saved_costs", "saved_outcome"]


def saved_outcome(study: Study) -> Outcome:
    """Each row once, predicted by a model that was not trained on it, in the first repeat.

    Where the saved model calibrates its probabilities and decides by cost, so are these: by maps that were not fitted
    on the row, and by the saved costs.
    """
    outcome, model = study.results[study.best].pooled(), study.model
    if not isinstance(model, ConformalClassifier):
        return outcome
    first = np.unique(model.probability_rows_, return_index=True)[1]
    probabilities = model.probabilities_[first][:, _columns(study, model)]
    calibrated = replace(outcome, predicted=None, probabilities=None, scores=None).with_probabilities(probabilities)
    return replace(calibrated, predicted=cheapest(probabilities, saved_costs(study)))


def saved_costs(study: Study) -> np.ndarray:
    """The cost of each mistake by which the saved model decides, the true class × the predicted one."""
    model, k = study.model, len(study.task.classes)
    if not isinstance(model, ConformalClassifier):
        return 1.0 - np.eye(k)
    order = _columns(study, model)
    return model.costs_[np.ix_(order, order)]


def _columns(study: Study, model: ConformalClassifier) -> list[int]:
    """Where the model has each class of the task."""
    known = model.classes_.tolist()
    return [known.index(label) for label in study.task.classes]
