"""The confusion matrix of the page, with what its slider needs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from probus.display import percent
from probus.lifecycle import Study
from probus.report._study_report import StudyReport

_MOST_CLASSES = 30
_MOST_WIDE = 8  # classes whose cells have a percentage; more have small cells without zeros


def confusion_table_of(report: StudyReport) -> dict[str, Any] | None:
    """The cells as the model decides, and the matrices of other costs as JSON; None where there is no such table."""
    if report.confusion is None or len(report.confusion.classes) > _MOST_CLASSES:
        return None
    names = [str(label) for label in report.confusion.classes]
    k, outcome = len(names), report.outcome
    counts = np.bincount(outcome.actual * k + outcome.need("predicted"), minlength=k * k).reshape(k, k)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    lines = [
        {
            "name": name,
            "cells": [
                {
                    "count": f"{counts[i, j]:,}",
                    "share": round(float(shares[i, j]), 3),
                    "percent": percent(float(shares[i, j])),
                    "right": i == j,
                }
                for j in range(len(names))
            ],
        }
        for i, name in enumerate(names)
    ]
    return {
        "names": names,
        "dense": report.costs is None and len(names) > _MOST_WIDE,
        "lines": lines,
        "decision": decision_of(report.study),
        "costs": _slider(report),
    }


def decision_of(study: Study) -> str:
    """How the saved model decides, in a sentence."""
    model, task = study.model, study.task
    threshold = getattr(model, "threshold", None)
    if threshold is not None and task.pos_label is not None:
        return f"Class {task.pos_label} is predicted where its probability is at least {threshold:.3g}."
    if getattr(model, "cost", None) is None:
        return "The class of the largest probability is predicted."
    if isinstance(model.cost, str):
        return "The class of the least expected cost is predicted, where an error costs more, the rarer its class is."
    return "The class of the least expected cost is predicted."


def _slider(report: StudyReport) -> dict[str, Any] | None:
    costs = report.costs
    if costs is None:
        return None
    names = [str(label) for label in report.outcome.classes]
    data = {
        "costs": costs.costs,
        "saved": costs.saved,
        "base": costs.base.tolist(),
        "missed": [names.index(name) for name in costs.classes],
        "matrices": costs.matrices.tolist(),
    }
    return {
        "classes": costs.classes,
        "start": costs.saved,
        "last": len(costs.costs) - 1,
        "place": round(100 * costs.saved / (len(costs.costs) - 1), 1),
        "relative": len(costs.classes) > 1 and getattr(report.study.model, "cost", None) is not None,
        "data": json.dumps(data, separators=(",", ":")),
    }
