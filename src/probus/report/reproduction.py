"""How to repeat a study: the command line and the Python code."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Sequence
from typing import Any

from probus.lifecycle import Study

__all__ = ["command_line", "python_code"]


def _changed(study: Study) -> dict[str, Any]:
    """The settings beyond the target that somebody chose."""
    names = (
        "kinds", "read", "pos_label", "group", "weight", "sensitive", "drop", "order", "models", "time", "evaluations",
        "cost", "cv", "scoring", "allow_leaks", "keep_sensitive",
    )  # fmt: skip
    given = {name: study.settings[name] for name in names}
    chosen = {name: value for name, value in given.items() if value not in (None, {}, []) and value is not False}
    return {**chosen, "random_state": study.settings["random_state"]}


_OPTIONS = {"pos_label": "positive", "random_state": "seed"}  # parameters that the command line calls otherwise


def command_line(study: Study) -> str:
    """The command line; empty if the data came from memory."""
    if study.source is None:
        return ""
    words = ["probus", "study", study.source, "--target", study.task.target]
    for name, value in _changed(study).items():
        if name == "kinds":
            for column, kind in value.items():
                words += ["--kind", f"{column}={kind if isinstance(kind, str) else '<'.join(map(str, kind))}"]
        elif name == "read":
            words += [word for option, given in value.items() for word in _read_option(option, given)]
        elif value is True:
            words.append(f"--{name.replace('_', '-')}")
        elif name == "drop":
            words += ["--drop", _comma_separated(value)]
        elif isinstance(value, list):
            words += [word for each in value for word in (f"--{name}", str(each))]
        else:
            words += [f"--{_OPTIONS.get(name, name)}", f"{value:g}s" if name == "time" else str(value)]
    return shlex.join(words)


def _read_option(option: str, given: Any) -> list[str]:
    if isinstance(given, bool):
        return [f"--{'' if given else 'no-'}{option}"]
    listed = option in ("columns", "missing") and not isinstance(given, str)
    return [f"--{option}", _comma_separated(given) if listed else r"\t" if given == "\t" else str(given)]


def _comma_separated(names: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def python_code(study: Study) -> str:
    """The Python code; data from memory by the name of a variable."""
    target = study.settings["target"]
    arguments = {**({} if target is None else {"target": target}), **_changed(study)}
    text = ", ".join(
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value!r}" for name, value in arguments.items()
    )
    return f"import probus\nresult = probus.study({study.settings['data']}, {text})"
