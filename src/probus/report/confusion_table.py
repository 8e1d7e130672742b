"""The confusion matrix of the page, with what its slider needs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from probus.display import percent
from probus.report.study_report import StudyReport

__all__ = ["confusion_table_of"]

_MOST_CLASSES = 30


def confusion_table_of(report: StudyReport) -> dict[str, Any] | None:
    """The cells as the model decides, and the matrices of other costs as JSON; None where there is no such table."""
    if report.confusion is None or len(report.confusion.classes) > _MOST_CLASSES:
        return None
    counts = report.study.confusion()
    names = [str(label) for label in report.confusion.classes]
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
    return {"names": names, "lines": lines, "accuracy": str(report.confusion.accuracy), "costs": _slider(report)}


def _slider(report: StudyReport) -> dict[str, Any] | None:
    costs = report.costs
    if costs is None:
        return None
    names = [str(label) for label in report.outcome.classes]
    data = {
        "costs": costs.costs,
        "missed": [names.index(name) for name in costs.classes],
        "matrices": costs.matrices.tolist(),
    }
    return {
        "classes": costs.classes,
        "start": costs.costs.index(1.0),
        "last": len(costs.costs) - 1,
        "data": json.dumps(data, separators=(",", ":")),
    }
