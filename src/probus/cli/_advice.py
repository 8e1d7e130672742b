"""Advice as options of the command that runs."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection
from functools import partial, wraps
from inspect import signature
from typing import Any

from probus.errors import Advice, worded

_NAMES = {"kinds": "kind", "group": "groups"}  # of options that are not called as in Python
_PARAMETERS = {"kinds": "kind"}  # of commands that are not called as in Python


def as_option(options: Collection[str], advice: Advice) -> str | None:
    """The advice as one of the options of a command that takes these; None where it has no such one.

    >>> options = ["missing", "kind", "header", "skip"]
    >>> print(as_option(options, Advice("missing", ["?", "-9", "a, b"])))
    --missing='?,-9,"a, b"'
    >>> print(as_option(options, Advice("kinds", {"size of hat": "nominal"})))
    --kind 'size of hat=nominal'
    >>> print(as_option(options, Advice("header", False)), as_option(options, Advice("skip")))
    --no-header --skip …
    >>> as_option(options, Advice("drop", ["age"]))
    """
    parameter, value = advice.parameter, advice.value
    name = _NAMES.get(parameter, parameter)
    if callable(value):
        return ""
    if _PARAMETERS.get(parameter, parameter) not in options:
        return None
    if isinstance(value, bool):
        return f"--{name}" if value else f"--no-{name}"
    if isinstance(value, dict):
        kinds = (f"{column}={kind if isinstance(kind, str) else '<'.join(kind)}" for column, kind in value.items())
        return " ".join(f"--{name} {shlex.quote(kind)}" for kind in kinds)
    if isinstance(value, str):
        return f"--{name} {shlex.quote(value)}".removesuffix(" ''")
    if value is ...:
        return f"--{name} …"
    from probus.display import comma_separated  # it imports NumPy

    between = "=" if name == "missing" else " "  # -9 is not another option
    return f"--{name}{between}{shlex.quote(comma_separated(value))}"


def advising_options(command: Callable[..., None], of: Callable[..., None] | None = None) -> Callable[..., None]:
    """The command, in whose messages advice is an option: its own, or one ``of`` another command."""

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        with worded(partial(as_option, signature(of or command).parameters)):
            command(*arguments, **options)

    return run
