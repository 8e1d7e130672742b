"""The tuner that suits a space and a task, where none is given."""

from __future__ import annotations

from typing import Any

from probus.data import Task
from probus.spaces import Space
from probus.tuning.bayesian_search import Bayesian
from probus.tuning.grid_search import Grid
from probus.tuning.tuner import Tuner

__all__ = ["auto_tuner"]

_SMALL = 30  # configurations, which a grid tries all


def auto_tuner(space: Space, model: Any, task: Task) -> Tuner:
    """Every configuration of a small space, else Bayesian optimisation.

    >>> from probus.spaces import Choice, Real
    >>> task = Task({"x": [1.0, 2.0], "y": ["a", "b"]}, target="y")
    >>> auto_tuner(Space({"p": Choice(1, 2)}), None, task)
    Grid(resolution=30, shuffle=False)
    """
    if space.size <= _SMALL:
        return Grid(resolution=_SMALL)
    return Bayesian()
