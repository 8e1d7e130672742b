"""How to repeat a study: the command line and the Python code."""

from __future__ import annotations

import shlex
from typing import Any

from probus.display import comma_separated
from probus.lifecycle import Study
from probus.metrics import MEASURES


def how_exactly(study: Study) -> str:
    """Whether a repetition gives the same numbers."""
    if study.settings["time"] is None and study.settings["evaluations"] is not None:
        return "With the same versions of the libraries the numbers are the same."
    return (
        "The folds are the same again. How much is tried in the time depends on the machine: --evaluations N "
        "(evaluations=N) in place of a time gives the same numbers everywhere."
    )


def _variables(study: Study) -> dict[str, str]:
    """The settings that no text repeats, such as estimators, with what is known of them."""
    models, cv, scoring = (study.settings[name] for name in ("models", "cv", "scoring"))
    own = [name for name in ([scoring] if isinstance(scoring, str) else scoring or ()) if name not in MEASURES]
    found = {}
    if isinstance(models, dict):
        found["models"] = "{" + ", ".join(f"{name!r}: {text}" for name, text in models.items()) + "}"
    if isinstance(cv, str):
        found["cv"] = f"...  # {cv}"
    if own:
        found["scoring"] = f"...  # {', '.join(own)}"
    return found


def _changes(study: Study) -> dict[str, Any]:
    """The settings beyond the target that somebody chose."""
    given = {name: value for name, value in study.settings.items() if name not in ("data", "target", "random_state")}
    chosen = {name: value for name, value in given.items() if value not in (None, {}, []) and value is not False}
    return {**chosen, "random_state": study.settings["random_state"]}


_OPTIONS = {"pos_label": "positive", "random_state": "seed"}  # parameters that the command line calls otherwise


def command_line(study: Study) -> str:
    """The command line; empty where data, models, splits, measures or a start came from memory."""
    if study.source is None or _variables(study) or isinstance(study.settings.get("start"), dict):
        return ""
    words = ["probus", "study", study.source, "--target", study.task.target]
    for name, value in _changes(study).items():
        if name == "kinds":
            for column, kind in value.items():
                words += ["--kind", f"{column}={kind if isinstance(kind, str) else '<'.join(map(str, kind))}"]
        elif name == "read":
            words += [word for option, given in value.items() for word in _read_option(option, given)]
        elif value is True:
            words.append(f"--{name.replace('_', '-')}")
        elif name == "drop":
            words += ["--drop", comma_separated(value)]
        elif isinstance(value, list):
            words += [word for each in value for word in (f"--{name}", str(each))]
        else:
            words += [f"--{_OPTIONS.get(name, name)}", f"{_whole(value)}s" if name == "time" else str(_whole(value))]
    return shlex.join(words)


def _read_option(option: str, given: Any) -> list[str]:
    if isinstance(given, bool):
        return [f"--{'' if given else 'no-'}{option}"]
    listed = option in ("columns", "missing") and not isinstance(given, str)
    return [f"--{option}", comma_separated(given) if listed else r"\t" if given == "\t" else str(given)]


def _whole(value: Any) -> Any:
    """The value, an integer in place of a number without decimals."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def python_code(study: Study) -> str:
    """The Python code; what came from memory by the name of a variable."""
    target, variables = study.settings["target"], _variables(study)
    arguments = {**({} if target is None else {"target": target}), **_changes(study)}
    texts = {name: name if name in variables else repr(_whole(value)) for name, value in arguments.items()}
    lines = ["import probus", *(f"{name} = {text}" for name, text in variables.items())]
    arguments_text = ", ".join(f"{name}={text}" for name, text in texts.items())
    return "\n".join([*lines, f"result = probus.study({study.settings['data']}, {arguments_text})"])
