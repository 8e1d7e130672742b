"""``probus importance``: how important each column is to a saved model."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from probus.cli._compare import positive_of, target_of, task_for
from probus.cli._file_options import reads
from probus.cli._options import KindOption, ModelFile, OutOption, parse_kinds
from probus.cli._output import noting_warnings, writable, write_text


@reads
def importance(
    model: ModelFile,
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="Rows with the target, on which the model was not fitted.")
    ],
    method: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="permutation, shapley, impurity, weight, correlation, total_variation, or drop, which fits copies of "
            "the model. Repeat to compare methods.",
        ),
    ] = None,
    scoring: Annotated[str | None, typer.Option(metavar="MEASURE", help="The measure that is lost.")] = None,
    conditional: Annotated[
        bool, typer.Option("--conditional", help="Shuffle among rows that are alike in columns that go together.")
    ] = False,
    repeats: Annotated[int, typer.Option(min=1, metavar="N", help="How often each column is shuffled.")] = 5,
    target: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column to predict; by default that of the model.")
    ] = None,
    positive: Annotated[
        str | None, typer.Option(metavar="CLASS", help="The positive class of two; by default that of the model.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON instead of a table.")] = False,
    out: OutOption = None,
    kind: KindOption = None,
    *,
    read: dict[str, Any],
) -> None:
    """How important each column is to a saved model, with intervals.

    By default the loss of score when a column is shuffled among the rows: a column that the model does not need has 0
    in its interval. The rows need the target, and should not be training rows.
    """
    import probus
    from probus.datasets.source import open_source
    from probus.display import plain

    if out is not None:
        writable(out, "--out")
    fitted = probus.load(model)
    table, _ = open_source(data, read)
    table = table.with_kinds(**parse_kinds(kind))
    positive = positive_of(model) if positive is None else positive
    task = task_for(table, target or target_of(model), fitted, positive)
    methods = method or ["permutation"]
    with noting_warnings():
        found = probus.importance(
            fitted, task, method=methods if len(methods) > 1 else methods[0], scoring=scoring,
            conditional=conditional, n_repeats=repeats,
        )  # fmt: skip
    shown = found.compare() if len(methods) > 1 else found
    text = json.dumps(plain(found.to_dict()), indent=2, ensure_ascii=False) if as_json else str(shown)
    write_text(text + "\n", out)
