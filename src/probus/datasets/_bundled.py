"""Loading the bundled data sets."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING

from probus.data import Column, Kind, Table, quote_some
from probus.datasets._catalogue import CATALOGUE, Dataset
from probus.errors import DataError

if TYPE_CHECKING:
    import polars as pl


def names() -> tuple[str, ...]:
    """The names of the bundled data sets.

    Returns
    -------
    The names.

    >>> "iris" in names()
    True
    """
    return tuple(CATALOGUE)


def info(name: str) -> Dataset:
    """What is known about a data set, without loading it.

    Parameters
    ----------
    name : the name of the data set.

    Returns
    -------
    Its size, source, licence and target.

    >>> info("iris").target, info("iris").licence
    ('species', 'CC BY 4.0')
    """
    if name not in CATALOGUE:
        near = get_close_matches(str(name).lower(), CATALOGUE, 1)
        hint = f"Did you mean {near[0]!r}?" if near else ""
        raise DataError(f"no data set {name!r}.", f"one of {quote_some(CATALOGUE, 20)}", hint)
    return CATALOGUE[name]


def load(name: str) -> Table:
    """A bundled data set as a Table with its true kinds.

    Parameters
    ----------
    name : the name of the data set.

    Returns
    -------
    The table.

    >>> load("titanic")["Pclass"].levels
    (1, 2, 3)
    """
    import polars as pl

    dataset = info(name)
    content = files("probus.datasets").joinpath("files", f"{name}.parquet").read_bytes()
    frame = pl.read_parquet(BytesIO(content))
    columns = {series.name: _infer(series) for series in frame}
    for column, kind in dataset.kinds.items():
        columns[column] = columns[column].as_kind(kind)
    return Table(replace(column, why="documented") for column in columns.values())


def _infer(series: pl.Series) -> Column:
    """Enums and booleans as levels, strings as text, the rest as numbers.

    The stored codes are used directly, so that loading does not visit every cell.
    """
    import polars as pl

    name, dtype = series.name, series.dtype
    if isinstance(dtype, pl.Enum) or dtype == pl.Boolean:
        levels = tuple(dtype.categories.to_list()) if isinstance(dtype, pl.Enum) else (False, True)
        codes = series.to_physical().cast(pl.Int32).fill_null(-1).to_numpy(writable=True)
        return Column(name, Kind.BINARY if len(levels) == 2 else Kind.NOMINAL, codes, levels)
    if dtype == pl.String:
        return Column.text(name, series.to_list())
    return Column.numbers(name, series.cast(pl.Float64).to_numpy(writable=True))


# -- one function each ---------------------------------------------------------------------------------


def iris() -> Table:
    """Three species of iris, 150 flowers, four lengths.

    Returns
    -------
    The table, with its true kinds.
    """
    return load("iris")


def penguins() -> Table:
    """Three species of penguin on three islands, 344 birds, some values missing.

    Returns
    -------
    The table, with its true kinds.
    """
    return load("penguins")


def titanic() -> Table:
    """The passengers of the Titanic, 891 of them, and who survived.

    Returns
    -------
    The table, with its true kinds.

    >>> titanic().shape, titanic()["Survived"].levels
    ((891, 12), ('no', 'yes'))
    """
    return load("titanic")


def mtcars() -> Table:
    """Fuel use and design of 32 cars of 1973–74.

    Returns
    -------
    The table, with its true kinds.
    """
    return load("mtcars")


def airquality() -> Table:
    """Ozone and weather in New York on 153 days of 1973; 37 days have no ozone reading.

    Returns
    -------
    The table, with its true kinds.
    """
    return load("airquality")


def breast_cancer() -> Table:
    """699 biopsies with nine cell features graded 1 to 10: benign or malignant (Wisconsin, original).

    Returns
    -------
    The table, with its true kinds.
    """
    return load("breast_cancer")


def spam() -> Table:
    """4,601 e-mails by the frequency of 48 words and 6 signs: spam or not.

    Returns
    -------
    The table, with its true kinds.
    """
    return load("spam")


def adult() -> Table:
    """8,000 people of the 1994 US census, and whether they earn over 50,000 dollars.

    Returns
    -------
    The table, with its true kinds.
    """
    return load("adult")


def housing() -> Table:
    """Median house values in 20,640 districts of California, 1990.

    Returns
    -------
    The table, with its true kinds.
    """
    return load("housing")


def house_votes() -> Table:
    """16 votes of 435 US representatives in 1984, and their party.

    Returns
    -------
    The table, with its true kinds.
    """
    return load("house_votes")


def zoo() -> Table:
    """101 animals by 15 yes-or-no traits and their legs: seven classes.

    Returns
    -------
    The table, with its true kinds.
    """
    return load("zoo")


def german_credit() -> Table:
    """1,000 loans of a German bank, good or bad risks, with the sex of the borrower.

    Returns
    -------
    The table, with its true kinds.
    """
    return load("german_credit")
