"""``probus study``: from a file to a report and a model."""

from __future__ import annotations

import os
import shlex
import sys
import time as clock
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from probus.cli._file_options import reads
from probus.cli._options import Data, KindOption, listed, parse_kinds, parse_time
from probus.cli._output import console, naming, noting_warnings, writable
from probus.compiling import seconds_compiling_anywhere
from probus.errors import DataError

if TYPE_CHECKING:
    from probus.lifecycle import Study


_WRITING = 1.5  # seconds in which files are written, on a machine that does nothing else

JsonOption = Annotated[bool, typer.Option("--json", help="Print the study as JSON instead.")]


@reads
def study(
    data: Data,
    target: Annotated[str, typer.Option(metavar="COLUMN", help="The column to predict.")],
    out: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER", help="The folder for model.probus and the report; created if it does not exist."
        ),
    ] = Path(),
    kind: KindOption = None,
    positive: Annotated[
        str | None, typer.Option(metavar="CLASS", help="The positive class, where there are two.")
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(
            "--groups",
            "--group",
            metavar="COLUMN",
            help="Column of groups (patients, sites); none is split between training and test rows.",
        ),
    ] = None,
    weight: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of row weights.")] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Column that describes groups of people, whose scores are reported; not a feature. May be repeated.",
        ),
    ] = None,
    keep_sensitive: Annotated[
        bool, typer.Option("--keep-sensitive", help="Use sensitive columns as features too.")
    ] = False,
    drop: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Columns that are no features: age,sex. May be repeated.")
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of dates or numbers in whose order later rows test earlier ones."),
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FAMILIES",
            help="The families to try: bayes, linear, tree, glass, neighbors, svm, forest, boosting, context, net; by "
            "default all, but net, which needs PyTorch, from ten minutes on only, glass from one minute, and context "
            "up to 1,250 rows. May be repeated.",
        ),
    ] = None,
    scoring: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MEASURE",
            help="The measure that orders the leaderboard; by default roc_auc for two classes, log_loss for more, "
            "and rmse for numbers. Repeat to show more.",
        ),
    ] = None,
    cv: Annotated[
        int | None,
        typer.Option(min=2, metavar="N", help="The number of folds; by default 5, of small tables several times."),
    ] = None,
    split: Annotated[
        str,
        typer.Option(
            metavar="HOW",
            help="random, group:COLUMN (tests new groups), time:COLUMN (later rows; time alone for the order of the "
            "rows), group:COLUMN,time:COLUMN, or auto.",
        ),
    ] = "auto",
    start: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The archive of a study of other rows, whose best models are tried first."),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="With --evaluations, the same seed gives the same study.")
    ] = 0,
    time: Annotated[
        str | None, typer.Option(metavar="SPAN", help="The time of the study (20s, 5m, 1h); 5 minutes by default.")
    ] = None,
    evaluations: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Try so many configurations of each family, 0 for the defaults only, instead of a time: the result is "
            "then the same on every machine.",
        ),
    ] = None,
    cost: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="The cost of missing a positive, in false alarms; two classes only."),
    ] = None,
    allow_leaks: Annotated[
        bool, typer.Option("--allow-leaks", help="Use columns that certainly leak the target.")
    ] = False,
    archive: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Store every finished fit in this file or database (postgresql://…); **probus resume** FILE goes on.",
        ),
    ] = None,
    json: JsonOption = False,
    *,
    read: dict[str, Any],
) -> None:
    """Tune and compare models on a table, keep the best, and write a report.

    Reads and examines the table, tunes each family of models, scores it with a 95 % interval on rows that its tuning
    never used, fits the best on all rows, and writes **model.probus**, **model.md** (its model card), **report.html**
    and **report.json**. Ctrl-C keeps what is finished.
    """
    started = _now()
    seconds, kinds = parse_time(time), parse_kinds(kind)
    _check(out)
    with noting_warnings():
        result = _run_study(
            data, target=target, kinds=kinds, pos_label=positive, group=group, weight=weight, sensitive=sensitive,
            keep_sensitive=keep_sensitive, drop=listed(drop) or None, order=order, models=listed(models) or None,
            scoring=scoring or None, cv=cv, split=split, start=start,
            random_state=seed, time="auto" if seconds is None else seconds, evaluations=evaluations,
            cost="auto" if cost is None else cost, allow_leaks=allow_leaks, archive=archive, out=out,
            read=read,
        )  # fmt: skip
        _deliver(result, out, json, archive and _resume_command(archive, data), started)


def resume(
    archive: Annotated[str, typer.Argument(metavar="ARCHIVE", help="That of **probus study --archive**.")],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="The folder for model and report; by default that of the study, after a question.",
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Where the data is now; by default where it was. Needed for data at an address."
        ),
    ] = None,
    time: Annotated[
        str | None, typer.Option(metavar="SPAN", help="The time from now on; by default that of the study.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Go on with a study that was stopped: finished fits are not repeated."""
    from probus.lifecycle import stored_options

    started = _now()
    options = stored_options(archive, data)
    options["out"] = out = _chosen_folder(options) if out is None else out
    _check(out)
    if time is not None:
        options["time"] = parse_time(time)
    with noting_warnings():
        going_on = _resume_command(archive, options["X"])
        _deliver(_run_study(options.pop("X"), archive=archive, **options), out, json, going_on, started)


def _chosen_folder(options: dict[str, Any]) -> Path:
    """The folder that the archive names, if it is the current one or the user agrees: an archive may be foreign."""
    folder = Path(options.get("out") or "")
    if folder.resolve() == Path().resolve():
        return folder
    if not sys.stdin.isatty():
        raise DataError(
            f"the archive names the folder {str(folder)!r} for model and report, and nobody can be asked.",
            "--out FOLDER",
            f"If the archive is yours, pass --out {shlex.quote(str(folder))}.",
        )
    question = f"Go on with the study of {options['X']!r}, and write model and report into {str(folder)!r}?"
    typer.confirm(question, abort=True)
    return folder


def _check(out: Path) -> None:
    """Raise, before any work, where model or report cannot be written."""
    for name in ("model.probus", "report.html"):
        writable(out / name, "--out")


def _run_study(data: Any, **options: Any) -> Study:
    """The study; one that is interrupted before it has a result ends the command."""
    import probus

    try:
        return probus.study(data, **options)
    except KeyboardInterrupt:
        stored = options["archive"] and os.path.exists(options["archive"])
        resumed = f"; {_resume_command(options['archive'], data)} goes on" if stored else ""
        typer.echo(f"probus: stopped before any model was finished{resumed}", err=True)
        raise typer.Exit(130) from None


def _resume_command(archive: str, data: Any) -> str:
    """What goes on with the study, where data at an address is named again."""
    from probus.data.reading import address_of

    named = f" --data {shlex.quote(data)}" if address_of(data) else ""
    return f"probus resume {shlex.quote(archive)}{named}"


def _deliver(result: Study, out: Path, as_json: bool, going_on: str | None, started: float) -> None:
    """Write the files, then print: the reader of what is printed may stop early. ``going_on`` resumes the study.

    The report explains the model as far as the time of the study suffices, which is counted from ``started``.
    """
    import json

    begun = clock.perf_counter(), clock.process_time()
    from probus.display import listed as in_words
    from probus.display import plain
    from probus.lifecycle import pace
    from probus.report import StudyReport, write

    model_path, report_path = out / "model.probus", out / "report.html"
    replaced = " (replaces an earlier one)" if model_path.exists() else ""
    saved: list[str] = []
    try:
        with naming(model_path):
            result.save(model_path)
        saved.append(str(model_path))
        try:
            slower = pace(clock.perf_counter() - begun[0], clock.process_time() - begun[1])
            report = StudyReport.of(result, time=_seconds_left(result, started - _WRITING * slower))
        except KeyboardInterrupt:
            report = StudyReport.of(result, time=0)  # without what needs further fits
        for path in (report_path, out / "report.json", out / "model.md"):
            with naming(path):
                write(report, path)
            saved.append(str(path))
    except OSError:
        if saved:
            typer.echo(f"saved before the error: {in_words(saved)}", err=True)
        raise
    finally:
        if as_json:
            typer.echo(json.dumps(plain(result), ensure_ascii=False, default=str))
        else:
            _show(result)
    if not as_json:
        typer.echo(f"model   {model_path}{replaced}")
        typer.echo(f"report  {report_path}")
        if result.stopped and going_on:
            typer.echo(f"go on   {going_on}")


def _seconds_left(result: Study, started: float) -> float | None:
    """The time in which the report explains the model: what is left of the limit, and no more than is usual.

    ``started`` is when the study began, earlier by the time of writing.
    """
    from probus.report import usual_time

    if result.limit is None:
        return None
    return min(usual_time(result), max(started + result.limit - _now(), 0.0))


def _now() -> float:
    """Seconds without those of compilation, which happens once and is no part of the time of a study."""
    return clock.perf_counter() - seconds_compiling_anywhere()


def _show(result: Study) -> None:
    from rich.padding import Padding

    from probus.cli._tables import group_table, leaderboard_table
    from probus.display import sentence

    screen = console()
    screen.print()
    for line in result.alerts():
        screen.print(f"! {_advise(line)}", style="yellow", highlight=False, markup=False)
    screen.print(f"\n{result.headline()}\n", style="bold", highlight=False, markup=False)
    screen.print(Padding(leaderboard_table(result, screen), (0, 0, 1, 0)))
    if result.group_scores is not None:
        screen.print(Padding(group_table(result.group_scores, screen), (0, 0, 1, 0)))
    lines = result.group_scores.apart() if result.group_scores is not None else []
    board = result.leaderboard
    lines += [*board.apart_but_undecided(), *filter(None, [board.no_interval])]
    lines += result.how_scored
    named = [*_failures(result), *(f"{result.best}: {note}" for note in result.preparation)]  # names keep their case
    for line in [*map(sentence, [*lines, *result.all_notes]), *named]:
        screen.print(line, style="dim", highlight=False, markup=False)
    screen.print()


def _advise(line: str) -> str:
    """The line without advice that is code of Python."""
    fact, _, advice = line.partition(" → ")
    return fact if "table" in advice and "(" in advice else line


def _failures(result: Study) -> list[str]:
    """Why models failed, those with the same reason in one line."""
    from probus.display import listed as in_words

    reasons: dict[str, list[str]] = {}
    for standing in result.leaderboard:
        if standing.status and standing.name in result.results:
            reasons.setdefault(standing.status, []).append(standing.name)
    return [f"{in_words(names)} {reason}" for reason, names in reasons.items()]
