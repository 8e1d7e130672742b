"""The costs by which the saved model of a study decides."""

from __future__ import annotations

import numpy as np

from probus.calibration import ConformalClassifier
from probus.lifecycle import Study


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
