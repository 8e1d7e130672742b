"""All commands, and how errors are reported."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import typer

from probus.cli._advice import advising_options
from probus.cli._audit import audit
from probus.cli._compare import compare
from probus.cli._datasets import datasets
from probus.cli._doctor import doctor
from probus.cli._explain import explain
from probus.cli._explore import explore
from probus.cli._importance import importance
from probus.cli._output import place_of, replace_unknown_letters, until_the_reader_stops
from probus.cli._predict import predict
from probus.cli._profile import profile
from probus.cli._study import resume, study
from probus.cli._warmup import warmup
from probus.errors import ProbusError

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
for command in (predict, explain, importance, audit, compare, profile, explore, datasets, doctor, warmup):
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
