"""What users of pandas type first on a table: samples, filters, files, and answers to what a table does not do."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from probus.display import counted
from probus.errors import DataError

if TYPE_CHECKING:
    from probus.data._column import Column
    from probus.data._table import Table

NewNames = Mapping[str, str] | Callable[[str], str]


_ANSWERS = {
    "loc": "table[rows], with a mask or numbers of rows; table['age'] is a column",
    "iloc": "table[rows], with numbers of rows or a slice; table[['age', 'sex']] are columns",
    "query": "table[table['age'] > 30]",
    "assign": "table.with_columns(name=values)",
    "insert": "table.with_columns(name=values)",
    "fillna": "probus.tabular(model), which imputes, or table.to_pandas().fillna(…)",
    "isna": "table['age'].isna(); table.describe() counts the missing values of every column",
    "isnull": "table['age'].isna(); table.describe() counts the missing values of every column",
    "nunique": "table['age'].nunique(); table.describe() counts the distinct values of every column",
    "dtypes": "table.kinds",
    "info": "table.describe(), or print(table)",
    "values": "table.numbers()",
    "to_numpy": "table.numbers()",
    "corr": "probus.profile(table).associations",
    "hist": "table.plot()",
    "index": "numpy.arange(len(table)): rows have numbers, not names",
    "to_csv": "table.save('rows.csv')",
    "to_parquet": "table.save('rows.parquet')",
    "astype": "table.with_kinds(name='nominal')",
    "with_column": "table.with_columns(name=values)",
    "append": "probus.Table(polars.concat([a.to_polars(), b.to_polars()]))",
    "get": "table['age']",
    "items": "dict(table).items()",
    "target": "table['species'] for a column, and table.drop('species') for the others",
    "data": "table.drop('species') for the columns but one, and table['species'] for that one",
    **dict.fromkeys(("nrows", "num_rows", "nrow"), "table.n_rows, or len(table)"),
    **dict.fromkeys(("n_cols", "n_columns", "ncols", "ncol", "num_columns", "width"), "len(table.names)"),
    **dict.fromkeys(("column_names", "colnames", "feature_names", "header"), "table.names"),
    **dict.fromkeys(("split", "train_test_split"),
                    "probus.model_selection.train_test_split(table, test_size=0.25)"),
    "shuffle": "table.sample(frac=1.0)",
}  # fmt: skip


class LikeFrame:
    """Parent of ``Table``: the words of pandas that have one meaning for typed tables."""

    if TYPE_CHECKING:
        n_rows: int
        take: Callable[[Any], Table]
        select: Callable[..., Table]
        to_polars: Callable[[], Any]
        __iter__: Callable[..., Any]

        @property
        def names(self) -> tuple[str, ...]:
            """The names of the columns."""

    # -- rows ------------------------------------------------------------------------------------------

    def tail(self, n: int = 5) -> Table:
        """The table with its last rows."""
        return self.take(slice(max(self.n_rows - n, 0) if n >= 0 else -n, None))

    def sample(self, n: int | None = None, *, frac: float | None = None, random_state: Any = None) -> Table:
        """The table with some rows drawn without replacement: ``n``, by default 1, or a share ``frac`` of them.

        >>> from probus import datasets
        >>> datasets.iris().sample(10, random_state=0).shape
        (10, 5)
        """
        if n is not None and frac is not None:
            raise DataError("n and frac.", "one of them")
        size = round(frac * self.n_rows) if frac is not None else 1 if n is None else n
        if not isinstance(size, Integral) or not 0 <= size <= self.n_rows:
            share = f"A share of the rows is table.sample(frac={n})." if isinstance(n, float) and 0 < n < 1 else ""
            raise DataError(f"{size!r} rows to draw.", f"at most the {counted(self.n_rows, 'row')} of the table", share)
        from sklearn.utils import check_random_state

        return self.take(check_random_state(random_state).permutation(self.n_rows)[:size])

    def filter(self, rows: Any) -> Table:
        """The table with the rows for which the mask is true: ``table.filter(table["age"] > 30)``."""
        mask = np.asarray(rows)
        if mask.dtype.kind != "b" or mask.shape != (self.n_rows,):
            raise DataError(
                f"filter of an array of {mask.dtype} with shape {mask.shape}.",
                f"True or False for each of {self.n_rows:,} rows",
                'table.filter(table["age"] > 30) filters rows, table.select("age") selects columns.',
            )
        return self.take(mask)

    def dropna(self, subset: str | Sequence[str] | None = None) -> Table:
        """The table without rows that have a missing value, in any column or in those of ``subset``."""
        table = self if subset is None else self.select(subset)
        gone = np.zeros(self.n_rows, dtype=bool)
        for column in table:
            gone |= column.missing
        return self.take(~gone)

    # -- columns ---------------------------------------------------------------------------------------

    def rename(self, names: NewNames | None = None, *, columns: NewNames | None = None) -> Table:
        """The table with other names of columns: ``table.rename({"old": "new"})``, ``table.rename(str.lower)``."""
        given = names or columns or {}
        new = {name: given(name) for name in self.names} if callable(given) else dict(given)
        self.select(*new)  # raises where there is no such column
        return self._like(column.renamed(new.get(column.name, column.name)) for column in self)

    def keys(self) -> tuple[str, ...]:
        """The names of the columns, so that ``dict(table)`` has the columns by name."""
        return self.names

    def copy(self) -> Table:
        """A table with the same columns; tables never change, so there is no need for it."""
        return self._like(self)

    def _like(self, columns: Iterable[Column]) -> Table:
        return type(self)(columns, origin=self.origin, notes=self._notes)  # type: ignore

    def __setitem__(self, name: Any, values: Any) -> None:
        raise TypeError(f"Tables do not change. Use table = table.with_columns({name}=values), which returns another.")

    def __delitem__(self, name: Any) -> None:
        raise TypeError(f"Tables do not change. Use table = table.drop({name!r}), which returns another.")

    # -- files and other libraries ---------------------------------------------------------------------

    def save(self, path: Any) -> Path:
        """Write the table to a file, by its ending .csv, .tsv, .parquet, .arrow, .feather or .ndjson; return the path.

        Levels are written as they are; kinds are not, except that parquet and Arrow files keep ordered levels.
        """
        path = Path(path)
        writers: dict[str, Callable[[Any], Any]] = {
            ".csv": lambda frame: frame.write_csv(path),
            ".tsv": lambda frame: frame.write_csv(path, separator="\t"),
            ".parquet": lambda frame: frame.write_parquet(path),
            ".arrow": lambda frame: frame.write_ipc(path),
            ".feather": lambda frame: frame.write_ipc(path),
            ".ndjson": lambda frame: frame.write_ndjson(path),
        }
        write = writers.get(path.suffix.lower())
        if write is None:
            raise DataError(f"a table to write to {str(path)!r}.", f"a path that ends in {', '.join(writers)}")
        write(self.to_polars().fill_nan(None))
        return path

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_polars().__arrow_c_stream__(requested_schema)

    # -- answers ---------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        hint = f" Use {_ANSWERS[name]}." if name in _ANSWERS else self._elsewhere(name)
        raise AttributeError(f"a Table has no attribute {name!r}.{hint}")

    def _elsewhere(self, name: str) -> str:
        """A column of that name, or the frames that have such a method."""
        if name in self.names:
            return f" Use table[{name!r}] for the column."
        for library in ("pandas", "polars"):
            frame = getattr(sys.modules.get(library), "DataFrame", None)
            if hasattr(frame, name):
                return f" Use table.to_{library}().{name}."
        return ""


def refuse_odd_rows(rows: Any) -> None:
    """Raise where rows are selected by what is neither a mask nor numbers of rows."""
    if callable(rows):
        raise DataError("rows selected by a function.", "a mask", 'Use table[table["age"] > 30].')
    if isinstance(rows, tuple) and any(isinstance(each, str) for each in rows):
        raise DataError(f"table[{rows!r}]"[:99] + ".", "rows or columns", 'Use table["age"][5] for the value of a row.')
    array = np.asarray(rows)
    if array.dtype.kind not in "iub" and array.size:
        found = f"{rows!r}"[:60] if array.ndim == 0 else f"an array of {array.dtype}"
        raise DataError(
            f"rows selected by {found}.", "a mask, a slice, or whole numbers", 'Use table["age"] for a column.'
        )


def listed_names(names: Iterable[str | Sequence[str]]) -> tuple[str, ...]:
    """Names that were given one by one or in lists."""
    for name in names:
        if type(name).__module__.startswith("polars"):
            raise DataError(
                f"columns selected by an expression of polars: {str(name)[:60]}.",
                "names of columns",
                'Use table["age"], or table.to_polars().select(…).',
            )
    return tuple(name for each in names for name in ([each] if isinstance(each, str) else each))


def refuse_pandas() -> None:
    """Raise where ``pandas.DataFrame(table)`` converts: it takes an array, whose columns have no names."""
    caller = sys._getframe(2)
    made = caller.f_code.co_name == "__init__" and caller.f_globals.get("__name__") == "pandas.core.frame"
    if made and caller.f_locals.get("columns") is None:
        raise DataError(
            "pandas.DataFrame(table), which would lose the names and kinds of the columns.",
            "a frame that has them",
            "Use table.to_pandas().",
        )
