"""All commands, and how errors are reported."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Collection, Sequence
from functools import partial, wraps
from inspect import signature
from typing import Any

import typer

from probus.cli._audit import audit
from probus.cli._compare import compare
from probus.cli._datasets import datasets
from probus.cli._doctor import doctor
from probus.cli._explain import explain
from probus.cli._explore import explore
from probus.cli._importance import importance
from probus.cli._label import label
from probus.cli._output import place_of, replace_unknown_letters, until_the_reader_stops
from probus.cli._predict import predict
from probus.cli._profile import profile
from probus.cli._recommend import recommend
from probus.cli._study import resume, study
from probus.cli._warmup import warmup
from probus.errors import Advice, ProbusError, worded

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


app = typer.Typer(
    name="probus",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    epilog="Exit codes: 0 done, 1 unexpected error, 2 data or options that cannot be used, 130 interrupted.",
)


def _version(wanted: bool) -> None:
    if wanted:
        from probus import __version__

        typer.echo(f"probus {__version__}")
        raise typer.Exit


@app.callback()
def _probus(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Machine learning on tables, proven: any model on any table, every number with its uncertainty."""


app.command()(until_the_reader_stops(advising_options(study)))
app.command()(until_the_reader_stops(advising_options(resume, of=study)))
for command in (
    predict, explain, importance, audit, compare, recommend, profile, explore, label, datasets, doctor, warmup,
):  # fmt: skip
    app.command()(until_the_reader_stops(advising_options(command)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 an unexpected error, 2 unusable data or options, 130 interrupted.

    An error is one readable message on standard error; ``PROBUS_DEBUG=1`` adds the traceback.
    """
    replace_unknown_letters()
    try:
        app(args=list(sys.argv[1:] if arguments is None else arguments), prog_name="probus")
    except ProbusError as error:
        _fail(error, str(error), status=2)
    except OSError as error:
        place = place_of(error)
        _fail(error, f"{error.strerror}: {place}" if place else str(error), status=2)
    except Exception as error:
        hint = "This should not have happened. Set PROBUS_DEBUG=1 for the traceback."
        _fail(error, f"{type(error).__name__}: {str(error).partition(chr(10))[0]}\n  {hint}", status=1)


def _fail(error: BaseException, message: str, status: int) -> None:
    if os.environ.get("PROBUS_DEBUG"):
        raise error
    typer.echo(f"probus: {message}", err=True)
    raise SystemExit(status)
