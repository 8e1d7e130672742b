"""``probus audit``: how a saved model treats groups of people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from probus.cli._compare import positive_of, target_of, task_for
from probus.cli._file_options import reads
from probus.cli._options import KindOption, ModelFile, listed, parse_kinds
from probus.cli._output import naming, noting_warnings, writable, write_text


@reads
def audit(
    model: ModelFile,
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="Rows with the target, on which the model was not fitted.")
    ],
    sensitive: Annotated[
        list[str], typer.Option(metavar="COLUMNS", help="The sensitive columns: sex,age. May be repeated.")
    ],
    margin: Annotated[
        float | None, typer.Option(min=0, metavar="SHARE", help="The largest difference that counts as none: 0.05.")
    ] = None,
    scoring: Annotated[
        list[str] | None, typer.Option(metavar="MEASURE", help="A further measure of each group. May be repeated.")
    ] = None,
    target: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column to predict; by default that of the model.")
    ] = None,
    positive: Annotated[
        str | None, typer.Option(metavar="CLASS", help="The class that selects; by default that of the model.")
    ] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write one self-contained page.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead.")] = False,
    kind: KindOption = None,
    *,
    read: dict[str, Any],
) -> None:
    """Compare how a saved model treats groups of people, with a verdict on each criterion.

    Rates of each group with intervals, the largest differences with intervals for all pairs of groups together, and
    how often rows that are alike are treated differently. The rows need the target and the sensitive columns.
    """
    import probus
    from probus.datasets.source import open_source, required_column
    from probus.fairness import audit as audited
    from probus.report import audit_page

    if html is not None:
        writable(html, "--html")
    fitted = probus.load(model)
    table, name = open_source(data, read)
    table = table.with_kinds(**parse_kinds(kind))
    names = listed(sensitive) or []
    for column in names:
        required_column(table, column)
    positive = positive_of(model) if positive is None else positive
    task = task_for(table, target or target_of(model), fitted, positive)
    with noting_warnings():
        found = audited(fitted, task, sensitive=names, scoring=scoring or (), margin=margin)
    if html is not None:
        with naming(html):
            html.write_text(audit_page(found, f"{model.name} on {name}"), encoding="utf-8", errors="replace")
    write_text((json.dumps(found.to_dict(), indent=2, ensure_ascii=False) if as_json else repr(found)) + "\n", None)
    if html is not None and not as_json:
        typer.echo(f"page  {html}")
