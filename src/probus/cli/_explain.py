"""``probus explain``: why a saved model predicts what it does."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from probus.cli._file_options import reads
from probus.cli._options import KindOption, ModelFile, NewRows, OutOption, listed, parse_kinds
from probus.cli._output import noting_warnings, writable, write_text
from probus.cli._predict import kept_columns, must_be_free


@reads
def explain(
    model: ModelFile,
    rows: NewRows,
    top: Annotated[int, typer.Option(min=1, metavar="N", help="The number of reasons for each row.")] = 3,
    keep: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Name each row by these columns: id. May be repeated.")
    ] = None,
    background: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Rows whose values stand for columns that are not known, such as training rows."
        ),
    ] = None,
    label: Annotated[str | None, typer.Option(metavar="CLASS", help="Explain this class in all rows.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON instead of sentences.")] = False,
    out: OutOption = None,
    kind: KindOption = None,
    *,
    read: dict[str, Any],
) -> None:
    """Explain the predictions of a saved model, row by row.

    A line per row, counted from 0: the prediction, the columns that increase and decrease it most, with what each
    adds. Exact Shapley values for trees, forests and boosting, coefficients for linear models. Others have Shapley
    values against a background, exact or sampled; without one, the change of the prediction if the value were missing.
    The first line states which.
    """
    import probus
    from probus.datasets.source import open_source
    from probus.display import plain
    from probus.inspection import explain as explained

    if out is not None:
        writable(out, "--out")
    fitted = probus.load(model)
    table, _ = open_source(rows, read)
    table = table.with_kinds(**parse_kinds(kind))
    kept = kept_columns(table, listed(keep))
    if as_json and kept is not None:
        must_be_free(kept, ("row", "prediction", "reasons"), "explanations have a field")
    with noting_warnings():
        others = None if background is None else open_source(background, read)[0].with_kinds(**parse_kinds(kind))
        found = explained(fitted, table, others, label=_class_named(fitted, label))
    named = [{}] * len(found) if kept is None else kept.to_dicts()
    if as_json:
        document = found.top(top)
        document["rows"] = [{**mine, **each} for mine, each in zip(named, document["rows"], strict=True)]
        write_text(json.dumps(plain(document), indent=2, ensure_ascii=False) + "\n", out)
        return
    lines = [f"# {found.method}; what each adds to the {found.unit}"]
    for row, mine in enumerate(named):
        name = " ".join(f"{column}={value}" for column, value in mine.items()) or f"row {row}"
        lines.append(" ".join(f"{name} → {found.sentence(row, top)}".splitlines()))  # cells may have several lines
    write_text("\n".join(lines) + "\n", out)


def _class_named(model: Any, label: str | None) -> Any:
    """The class of that name, which may be a number."""
    classes = list(getattr(model, "classes_", []))
    return next((each for each in classes if str(each) == label), label)
