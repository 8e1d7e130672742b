"""Configurations that a search begins with: from knowledge, or from a former search."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from probus.data import Task
from probus.errors import DataError
from probus.held_out import are_held_out
from probus.spaces import Space
from probus.tuning._archive import Archive
from probus.tuning._task_sketch import is_part_of

_BEST = 5  # configurations of a former search


def first_configs(start: Any, space: Space, task: Any = None) -> list[dict[str, Any]]:
    """The configurations of ``start`` in the space, without repetition.

    Parameters
    ----------
    start : a configuration or several, in which parameters that are not named have their default; or a former search:
        a ``Tuned``, an ``Archive`` or the file of one, of which the best five that lie in the space are taken.
    space : where they lie.
    task : the rows of the new search, which are compared with those of a former one.
    """
    if start is None:
        return []
    if isinstance(start, Mapping):
        start = [start]
    if isinstance(start, Sequence) and not isinstance(start, (str, Archive)):
        configs = [_completed(each, space) for each in start]
    else:
        former = _archive_of(start)
        _check_rows(former, task)
        configs = _best_of(former, space)
    found: dict[str, dict[str, Any]] = {repr(sorted(config.items())): config for config in configs}
    return list(found.values())


def _completed(config: Any, space: Space) -> dict[str, Any]:
    """The configuration, with the space's defaults for active parameters that it does not name."""
    if not isinstance(config, Mapping):
        raise DataError(f"start={config!r}.", "a configuration such as {'C': 10}, a list of them, or a former search")
    default = space.default or {}
    full = {**{name: default[name] for name in space.active({**default, **config}) if name in default}, **config}
    return space.check(full)


def _archive_of(start: Any) -> Archive:
    if isinstance(start, Archive):
        return start
    if isinstance(start, (str, os.PathLike)):
        return Archive.read(start)
    if isinstance(getattr(start, "archive", None), Archive):
        return start.archive
    if hasattr(type(start), "archive"):
        raise DataError(
            f"start is a {type(start).__name__} without its archive, which a copy of a model lacks.",
            "a former search",
            "Pass start=former.archive.",
        )
    raise DataError(
        f"start is a {type(start).__name__}.", "a configuration, a list of them, or a former search: tuned, its archive"
    )


def _check_rows(former: Archive, task: Any) -> None:
    """Refuse a search that also chose by rows that are tested now; a warning where that is not known."""
    sketch = former.header.get("sketch")  # a former version has none
    if sketch is None or not isinstance(task, Task) or not is_part_of(task, sketch):
        return
    found = "start is a search of these rows and others: scores on the others are too good, since they chose too."
    if are_held_out():
        raise DataError(found, "a search of other rows, or of none but these", "Leave start out.")
    warnings.warn(found, UserWarning, stacklevel=2)


def _best_of(archive: Archive, space: Space) -> list[dict[str, Any]]:
    """The best configurations of a former search that lie in the space."""
    turned = np.where(archive.full, archive.turned, -np.inf)
    order = [int(place) for place in np.argsort(-turned, kind="stable") if np.isfinite(turned[place])]
    configs: list[dict[str, Any]] = []
    strange = 0
    for place in order:
        if len(configs) == _BEST:
            break
        try:
            configs.append(_completed(archive[place].config, space))
        except DataError:
            strange += 1
    if order and not configs:
        warnings.warn(
            f"none of the {strange} configurations of the former search lies in the space; the search begins without "
            "them.",
            UserWarning,
            stacklevel=2,
        )
    return configs
