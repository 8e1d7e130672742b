"""Configurations that the families of a study begin with: from knowledge, or from a study of other rows."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from probus.data import Task
from probus.errors import DataError
from probus.lifecycle._families import is_tuned, named_families
from probus.spaces import Space, search_space
from probus.tuning import are_same_rows, column_hashes, fingerprint, first_configs, open_database

_BEST = 3  # configurations of a family in a former study

Starts = dict[str, list[dict[str, Any]]]


def starts_of(start: Any, task: Task) -> Starts:
    """The configurations of each family, by its name.

    Parameters
    ----------
    start : a configuration or several by family, or a former study, or its archive: the best three of each family.
    task : the rows of the new study. A former study of the same rows is an error: scores on rows that chose the
        configurations are too good.
    """
    if start is None:
        return {}
    if isinstance(start, Mapping):
        found = {str(name): [given] if isinstance(given, Mapping) else given for name, given in start.items()}
        for name, configs in found.items():
            if not isinstance(configs, Sequence) or not all(isinstance(each, Mapping) for each in configs):
                raise DataError(f"start[{name!r}]={start[name]!r}.", "a configuration or a list of them")
        return {name: [dict(each) for each in configs] for name, configs in found.items()}
    if isinstance(start, (str, os.PathLike)):
        data, columns, scored = _of_archive(os.fspath(start))
    elif isinstance(getattr(start, "tried", None), tuple) and hasattr(start, "task"):
        better = start.main.better
        data, columns = fingerprint(start.task), column_hashes(start.task)
        scored = [(row["model"], row["configuration"], better(row["score"])) for row in start.tried if _is_score(row)]
    else:
        raise DataError(
            f"start is a {type(start).__name__}.", "configurations by family, a former study or its archive"
        )
    if data == fingerprint(task) or are_same_rows(task, columns):
        raise DataError(
            "start is a study of the same rows.", "a study of other rows",
            "Its configurations were chosen by these rows, so that their scores would be too good. To go on with it, "
            "pass its archive as archive=.",
        )  # fmt: skip
    return _best(scored)


def within(starts: Starts, models: Mapping[str, Any], kind: str, given: bool) -> Starts:
    """The configurations as the spaces of these families have them.

    Parameters
    ----------
    starts : the configurations by family: a key such as "forest" or a reported name. Names of parameters may lack what
        comes before the last "__".
    models : the families of the study.
    kind : "classification" or "regression".
    given : whether somebody wrote them, so that what does not fit is an error; else it is left out.
    """
    found: Starts = {}
    for word, configs in starts.items():
        for name in named_families([word], list(models), kind) if given else [word] if word in models else []:
            space = space_of(models[name])
            if space is None:
                if given:
                    raise DataError(f"start has {word!r}, which is not tuned.", "a family that has parameters to tune")
                continue
            for config in configs:
                try:
                    found.setdefault(name, []).extend(first_configs(_with_prefix(config, space), space))
                except DataError:
                    if given:
                        raise
    return found


def _with_prefix(config: Mapping[str, Any], space: Iterable[str]) -> dict[str, Any]:
    """The configuration with the whole names of its parameters, where only one can be meant."""
    whole = {}
    for name, value in config.items():
        meant = [each for each in space if each == name] or [each for each in space if each.endswith(f"__{name}")]
        whole[meant[0] if len(meant) == 1 else name] = value
    return whole


def space_of(model: Any) -> Space | None:
    """The space of the model of a family; None where it is not tuned, or has nothing to tune."""
    try:
        space = search_space(model) if is_tuned(model) else None
    except DataError:
        return None
    return space if space is not None and space.size > 1 else None


def _is_score(row: Mapping[str, Any]) -> bool:
    return bool(row["configuration"]) and row["score"] is not None and np.isfinite(row["score"])


def _of_archive(where: str) -> tuple[Any, dict[str, str], list[tuple[str, dict[str, Any], float]]]:
    """The data of a study and hashes of its columns, and configurations with their mean scores in the run on all rows.

    A former version stored no hashes.
    """
    database = open_database(where, create=False)
    try:
        study, header = database.query(
            "SELECT study, header FROM probus_studies JOIN probus_study_headers USING (study) ORDER BY started DESC"
        )[0]
        fits = database.query("SELECT job, score FROM probus_fits WHERE study = ? AND score IS NOT NULL", (study,))
        scores: dict[str, list[float]] = {}
        jobs = [(json.loads(text), float(score)) for text, score in fits]
        last = max((run for (_, _, run, _), _ in jobs), default=0)
        for (family, config, run, inner), score in jobs:
            if run == last and inner >= 0 and config:
                scores.setdefault(json.dumps([family, config]), []).append(score)
        found = json.loads(header)
        data, columns = found["data"], dict(found.get("columns", {}))
    except (DataError, IndexError, ValueError, TypeError, KeyError) as error:
        raise DataError(f"{where} is no archive of a study.", "a file that study(archive=…) wrote") from error
    finally:
        database.close()
    return data, columns, [(*json.loads(key), float(np.mean(each))) for key, each in scores.items()]


def _best(scored: Iterable[tuple[str, Mapping[str, Any], float]]) -> Starts:
    """The best configurations of each family."""
    by_family: dict[str, list[tuple[float, dict[str, Any]]]] = {}
    for family, config, score in scored:
        by_family.setdefault(family, []).append((score, dict(config)))
    return {
        family: [config for _, config in sorted(each, key=lambda pair: -pair[0])[:_BEST]]
        for family, each in by_family.items()
    }
