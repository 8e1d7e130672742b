"""The tuner that suits a space and a task, where none is given, and tuners by name."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from probus.data import Task
from probus.errors import DataError
from probus.spaces import Space
from probus.tuning._bayesian_search import Bayesian
from probus.tuning._bohb import BOHB
from probus.tuning._fidelity import fidelity_of
from probus.tuning._grid_search import Grid
from probus.tuning._tuner import Tuner

_SMALL = 30  # configurations, which a grid tries all
_LARGE, _TREES = 20_000, 100  # rows, and trees or epochs, from which a part of them shows which configurations are bad


def auto_tuner(space: Space, model: Any, task: Task, *, partial: bool = False, endless: bool = False) -> Tuner:
    """The tuner of ``tuner="auto"``.

    - A space of at most 30 configurations: ``Grid``, all of them.
    - Long fits, of more than 20,000 rows, or fewer with more than 100 trees or epochs in proportion: ``BOHB``, which
      gives bad configurations little effort.
    - Else ``Bayesian``, which needs the fewest evaluations.

    Parameters
    ----------
    partial : whether the search evaluates with less effort where the tuner asks for it.
    endless : whether a budget ends the search, so that the tuner should not end by itself.

    >>> from probus.naive_bayes import GaussianNB
    >>> from probus.spaces import Choice, Real
    >>> task = Task({"x": [1.0, 2.0], "y": ["a", "b"]}, target="y")
    >>> type(auto_tuner(Space({"p": Choice(1, 2)}), GaussianNB(), task)).__name__
    'Grid'
    >>> type(auto_tuner(Space({"p": Real(0, 1)}), GaussianNB(), task)).__name__
    'Bayesian'
    """
    if space.size <= _SMALL:
        return Grid(resolution=_SMALL)
    if partial and len(task) * _length(model) > _LARGE:
        return BOHB(repeats=None if endless else 1)
    return Bayesian()


def _length(model: Any) -> float:
    """How many times a hundred trees or epochs the model has, at least 1."""
    counted = fidelity_of(model).name
    return 1.0 if counted == "rows" else max(1.0, model.get_params()[counted] / _TREES)


def tuner_named(name: str) -> Tuner:
    """The tuner of that name, with its defaults.

    >>> tuner_named("random")
    Random()
    """
    if name not in Tuner.by_name:
        near = get_close_matches(name, Tuner.by_name, 1)
        known = ", ".join(map(repr, ("auto", *sorted(Tuner.by_name))))
        hint = f"Did you mean {near[0]!r}?" if near else ""
        if name in ("tpe", "optuna", "gp", "nsga2"):
            hint = "Use OptunaTuner('tpe') of probus.tuning, or 'bayesian'."
        raise DataError(f"tuner={name!r}.", f"a tuner such as Random(), or one of {known}", hint)
    return Tuner.by_name[name]()
