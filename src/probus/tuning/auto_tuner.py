"""The tuner that suits a space and a task, where none is given."""

from __future__ import annotations

from probus.data import Task
from probus.spaces import Space
from probus.tuning.bayesian_search import Bayesian
from probus.tuning.bohb import BOHB
from probus.tuning.grid_search import Grid
from probus.tuning.tuner import Tuner

__all__ = ["auto_tuner"]

_SMALL = 30  # configurations, which a grid tries all
_LARGE = 20_000  # rows, of which a part already shows which configurations are bad


def auto_tuner(space: Space, task: Task, *, endless: bool = False) -> Tuner:
    """The tuner of ``tuner="auto"``.

    - A space of at most 30 configurations: ``Grid``, all of them.
    - More than 20,000 rows: ``BOHB``, which gives bad configurations little effort.
    - Else ``Bayesian``, which needs the fewest evaluations.

    Parameters
    ----------
    endless : whether a budget ends the search, so that the tuner should not end by itself.

    >>> from probus.spaces import Choice, Real
    >>> task = Task({"x": [1.0, 2.0], "y": ["a", "b"]}, target="y")
    >>> type(auto_tuner(Space({"p": Choice(1, 2)}), task)).__name__
    'Grid'
    >>> type(auto_tuner(Space({"p": Real(0, 1)}), task)).__name__
    'Bayesian'
    """
    if space.size <= _SMALL:
        return Grid(resolution=_SMALL)
    if len(task) > _LARGE:
        return BOHB(repeats=None if endless else 1)
    return Bayesian()
