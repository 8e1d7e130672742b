"""Messages that name parameters of Python, in the options of the command line."""

from __future__ import annotations

import re
import shlex

__all__ = ["in_options"]

_STRING = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_WORDS = {
    "header=False": "--no-header", "header=True": "--header", "a smaller cv": "a smaller --cv",
    "a smaller skip": "a smaller --skip", "Omit encoding": "Omit --encoding", "Task(…, group=…)": "--groups COLUMN",
    " (or query=SQL)": "", "A function of (y_true, y_pred) is also accepted.": "",
}  # fmt: skip
_READ = "skip|comment|sheet|delimiter|decimal|encoding|table|columns"


def in_options(message: str) -> str:
    """The message with options in place of the parameters of ``read``, ``kinds`` and dropped columns.

    >>> in_options("Pass missing=['?', '-9'] to read(), or kinds={'size of hat': 'nominal'}.")
    "Pass --missing='?,-9', or --kind 'size of hat=nominal'."
    >>> in_options("Pass header=False if that is a row, or skip=… for lines above it.")
    'Pass --no-header if that is a row, or --skip … for lines above it.'
    >>> in_options("If they are classes: table.with_kinds(grade='ordinal'), or 'nominal'")
    "If they are classes: --kind grade=ordinal, or 'nominal'"
    """
    text = re.sub(r"probus\.read\(…, ([^()]*)\)", r"\1", message).replace("] to read()", "]")
    text = re.sub(rf"missing=\[((?:{_STRING}|[^\]'\"])*)\]", _missing, text)
    text = re.sub(rf"table\.with_kinds\((\w+)=({_STRING})\)", r"kinds={'\1': \2}", text)
    text = re.sub(r"table\.with_kinds\(\*\*(\{[^{}]*\})\)", r"kinds=\1", text)
    text = re.sub(rf"Task\(…, group=(?:{_STRING})\), or (?=--groups)", "", text)
    text = re.sub(rf"kinds=\{{({_STRING}): (?:({_STRING})|\[([^\]]*)\])\}}", _kind, text)
    text = re.sub(rf"table\.drop\(((?:{_STRING}|, )+)\)", _drop, text)
    for parameter, option in _WORDS.items():
        text = text.replace(parameter, option)
    return re.sub(rf"(?<![\w-])({_READ})=(?=[…A-Z'\"0-9])", r"--\1 ", text)


def _strings(text: str) -> list[str]:
    return [found[1:-1].replace("\\'", "'").replace('\\"', '"') for found in re.findall(_STRING, text)]


def _missing(found: re.Match[str]) -> str:
    values = _strings(found[1]) or [word.strip() for word in found[1].split(",")]
    return f"--missing={_shell(values)}"  # joined by the equals sign: -9 is not another option


def _kind(found: re.Match[str]) -> str:
    name = _strings(found[1])[0]
    kind = _strings(found[2])[0] if found[2] else "<".join(_strings(found[3]) or ["A", "B", "C"])
    return f"--kind {shlex.quote(f'{name}={kind}')}"


def _drop(found: re.Match[str]) -> str:
    return f"--drop {_shell(_strings(found[1]))}"


def _shell(values: list[str]) -> str:
    """Values for an option that takes several, separated by commas, as a shell takes them."""
    quoted = ['"{}"'.format(each.replace('"', '""')) if set(each) & set(',"') or not each else each for each in values]
    return shlex.quote(",".join(quoted))
