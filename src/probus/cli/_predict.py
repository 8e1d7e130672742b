"""``probus predict``: a saved model on new rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from probus.cli._file_options import reads
from probus.cli._options import KindOption, ModelFile, NewRows, OutOption, listed, parse_kinds
from probus.cli._output import noting_warnings, writable, write_text
from probus.errors import DataError

if TYPE_CHECKING:
    import polars as pl

    from probus.data import Table


@reads
def predict(
    model: ModelFile,
    new: NewRows,
    out: OutOption = None,
    interval: Annotated[
        float | None, typer.Option(metavar="LEVEL", help="Add bounds that hold the number at this level, such as 0.9.")
    ] = None,
    sets: Annotated[
        float | None,
        typer.Option("--set", metavar="LEVEL", help="Add the classes that cannot be excluded at this level."),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="Copy these columns of NEW in front: id,name. May be repeated."),
    ] = None,
    proba: Annotated[bool, typer.Option(help="Whether to add the probability of each class.")] = True,
    kind: KindOption = None,
    *,
    read: dict[str, Any],
) -> None:
    """Predict new rows with a saved model, as CSV.

    One line per row: the columns to keep, the prediction and, for classes, the probability of each. **--interval 0.9**
    adds lower_90 and upper_90, **--set 0.9** adds set_90, or set_90_by_class if the sets hold the true class at that
    level for each class separately. The prediction is in its set. Columns are matched by name; others are ignored.
    """
    import probus
    from probus.datasets.source import open_source

    if out is not None:
        writable(out, "--out")
    fitted = probus.load(model)
    table, _ = open_source(new, read)
    table = table.with_kinds(**parse_kinds(kind))
    with noting_warnings():
        frame = predictions(fitted, table, proba=proba, interval=interval, sets=sets)
    write_text(_beside(kept_columns(table, listed(keep)), frame).write_csv(), out)


def predictions(
    fitted: Any, table: Any, *, proba: bool = True, interval: float | None = None, sets: float | None = None
) -> pl.DataFrame:
    """The prediction for each row, bounds or sets at a level, and the probability of each class if there are any."""
    import polars as pl

    if not hasattr(fitted, "predict"):
        raise DataError(f"the file holds a {type(fitted).__name__}, which does not predict.", "a model that does")
    predicted = fitted.predict(table).tolist()
    columns: dict[str, Any] = {"prediction": [str(each) if isinstance(each, bool) else each for each in predicted]}
    if interval is not None:
        _must_have(fitted, "predict_interval", f"--interval {interval:g}", "prediction intervals", "ConformalRegressor")
        bounds = fitted.predict_interval(table, level=interval)
        columns |= {f"{end}_{_percent(interval)}": bounds[:, side] for side, end in enumerate(("lower", "upper"))}
    if sets is not None:
        _must_have(fitted, "predict_set", f"--set {sets:g}", "sets of classes", "ConformalClassifier")
        found = fitted.predict_set(table, level=sets)
        columns[f"set_{_percent(sets)}" + "_by_class" * getattr(found, "by_class", False)] = found.to_frame()["set"]
    if proba and hasattr(fitted, "predict_proba"):
        probabilities = fitted.predict_proba(table)
        columns |= {f"probability_{label}": probabilities[:, k] for k, label in enumerate(fitted.classes_.tolist())}
    return pl.DataFrame(columns)


def kept_columns(table: Table, names: Sequence[str]) -> pl.DataFrame | None:
    """Those columns as they were written."""
    from probus.datasets.source import required_column

    if not names:
        return None
    for name in names:
        required_column(table, name)
    return table.select(*dict.fromkeys(names)).with_kinds(**dict.fromkeys(names, "text")).to_polars()


def _beside(kept: pl.DataFrame | None, found: pl.DataFrame) -> pl.DataFrame:
    if kept is None:
        return found
    must_be_free(kept, found.columns, "predictions have a column")
    return kept.hstack(found)


def must_be_free(kept: pl.DataFrame, taken: Sequence[str], what: str) -> None:
    """Raise where a kept column has the name of something that is written."""
    twice = [name for name in kept.columns if name in taken]
    if twice:
        raise DataError(
            f"--keep {twice[0]}: the {what} of that name.",
            f"another than {', '.join(taken[:4])}",
            "Rename it in the file.",
        )


def _must_have(fitted: Any, method: str, option: str, what: str, wrapper: str) -> None:
    if hasattr(fitted, method):
        return
    level = option.partition(" ")[2]
    instead = {"predict_set": f"--set {level}", "predict_interval": f"--interval {level}"}
    other = next((text for name, text in instead.items() if hasattr(fitted, name)), "")
    raise DataError(
        f"{option}: the file holds a {type(fitted).__name__}, which has no {what}.",
        f"a model of probus.calibration.{wrapper}",
        f"It has {other}." if other else "",
    )


def _percent(level: float) -> str:
    """The level in the name of a column.

    >>> _percent(0.9), _percent(0.995)
    ('90', '99.5')
    """
    return f"{100 * level:.6g}"
