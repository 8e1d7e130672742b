"""``probus predict``: a saved model on new rows."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from probus.cli.options import ColumnsOption, CommentOption, SheetOption, SkipOption, read_options
from probus.cli.output import naming, writable
from probus.errors import DataError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["predict"]


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model saved by **probus study** or probus.save.")],
    new: Annotated[
        str, typer.Argument(metavar="NEW", help="The rows to predict: a file, or the name of a bundled data set.")
    ],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write here instead of to standard output.")] = None,
    skip: SkipOption = None,
    columns: ColumnsOption = None,
    sheet: SheetOption = None,
    comment: CommentOption = None,
) -> None:
    """Predict new rows with a saved model, as CSV.

    One line per row: the prediction and, for classes, the probability of each. Columns are matched by name; others
    are ignored.
    """
    import probus
    from probus.lifecycle import opened
    from probus.persistence.whole_file import write_whole

    if out is not None:
        writable(out, "--out")
    fitted = probus.load(model)
    table, _ = opened(new, read_options(skip, columns, sheet, comment))
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        frame = predictions(fitted, table)
    for message in dict.fromkeys(str(warning.message) for warning in raised):
        typer.echo(f"note: {message}", err=True)
    content = frame.write_csv().encode()  # UTF-8 as in a file, whatever the terminal's encoding
    if out is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
    else:
        with naming(out):
            write_whole(out, content)


def predictions(fitted: Any, table: Any) -> pl.DataFrame:
    """The prediction for each row, and the probability of each class where the model gives one."""
    import polars as pl

    if not hasattr(fitted, "predict"):
        raise DataError(f"the file holds a {type(fitted).__name__}, which does not predict.", "a model that does")
    columns = {"prediction": fitted.predict(table).tolist()}
    if hasattr(fitted, "predict_proba"):
        probabilities = fitted.predict_proba(table)
        columns |= {f"probability_{label}": probabilities[:, k] for k, label in enumerate(fitted.classes_.tolist())}
    return pl.DataFrame(columns)
