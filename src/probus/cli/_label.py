"""``probus label``: a local page that asks for labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from probus.cli._file_options import reads
from probus.cli._options import Data, KindOption, listed, parse_kinds
from probus.cli._output import naming, writable, write_text

if TYPE_CHECKING:
    from probus.active import Learner
    from probus.data import Table


@reads
def label(
    data: Data,
    target: Annotated[str, typer.Option(metavar="COLUMN", help="The name of the label; DATA may have such a column.")],
    classes: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="All classes: yes,no. Without it, classes are added on the page."),
    ] = None,
    model: Annotated[
        str, typer.Option(metavar="NAME", help="The family of the model: linear, bayes, tree, forest, boosting, …")
    ] = "linear",
    query: Annotated[
        str,
        typer.Option(metavar="NAME", help="Which rows are asked for: margin, entropy, least_confidence, committee, …"),
    ] = "margin",
    drop: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Columns that the model does not use. They are not shown.")
    ] = None,
    archive: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where answers are kept; by default NAME.labels.db.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="When it is stopped, write the rows with their labels here, as CSV."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, metavar="N", help="The port; 0 is any that is free.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="The same seed draws the same rows.")] = 0,
    kind: KindOption = None,
    *,
    read: dict[str, Any],
) -> None:
    """Label rows on a local page, those first from which the model learns most.

    Each answer is on disk before the next row is shown. Stop with Ctrl-C; the same command goes on. One in five rows is
    drawn at random: the score on the page is measured on these.
    """
    from probus.active import Learner
    from probus.active.labelling import LabellingSession, LabelServer
    from probus.datasets.source import open_source, required_column
    from probus.lifecycle import families

    if out is not None:
        writable(out, "--out")
    table, name = open_source(data, read)
    table = table.with_kinds(**parse_kinds(kind))
    if target in table:
        table = table.with_kinds(**{target: "text"})  # labels are text on the page
    for column in listed(drop):
        required_column(table, column)
    estimator = list(families("classification", [model]).values())[-1]
    where = Path(f"{name}.labels.db") if archive is None else archive
    learner = Learner(
        estimator, table.drop(*listed(drop)), target=target, query=query, classes=listed(classes) or None,
        archive=where, random_state=seed,
    )  # fmt: skip
    server = LabelServer(LabellingSession(learner, name, str(where)), port)
    typer.echo(f"labels  {server.url}\nsaved   {where}\nStop with Ctrl-C.")
    if browser:
        typer.launch(server.url)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
        _finish(learner, table, out)
        server.session.close()


def _finish(learner: Learner, table: Table, out: Path | None) -> None:
    """Say what there is, and write the rows with their labels."""
    labels = learner.labels
    typer.echo(f"{len(labels):,} of {len(table):,} rows labelled")
    if out is None:
        return
    column = [labels.get(row) for row in range(len(table))]
    rest = table.drop(learner.target) if learner.target in table else table
    written = rest.with_kinds(**dict.fromkeys(rest.names, "text")).to_polars()
    import polars as pl

    texts = [None if each is None else str(each) for each in column]
    with naming(out):
        write_text(written.with_columns(pl.Series(learner.target, texts, dtype=pl.String)).write_csv(), out)
    typer.echo(f"rows    {out}")
