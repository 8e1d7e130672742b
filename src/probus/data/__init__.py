"""Typed data: tables with a kind for every column, reading them from files, and checking them for problems.

``read`` and ``Table.of`` convert a file, a frame or an array. A ``Kind`` describes what the values of a column mean; it
is inferred from the values unless the user sets it. A ``Schema`` applies the kinds to new data. A ``Task`` adds the
roles of the columns. ``examine`` finds problems in the data.
"""

from probus.borrowing import listing
from probus.data._array_checks import checked_array, checked_sparse
from probus.data._column import Column, Level, as_missing, level_key, quote_some
from probus.data._examine import examine
from probus.data._frames import are_records, collect, fill_masked, is_frame, is_misread
from probus.data._hashing import content_of, mixed
from probus.data._infer import warn_of_numbers
from probus.data._kind import Kind
from probus.data._phrases import WORD, holds_phrases, settle
from probus.data._preview import cell_text
from probus.data._read import read
from probus.data._roles import check_time
from probus.data._schema import Field, Schema, UnseenLevelWarning
from probus.data._table import Kinds, Table, has_names
from probus.data._task import Task
from probus.data._written_formats import is_format

__all__ = ["Column", "Field", "Kind", "Schema", "Table", "Task", "UnseenLevelWarning", "examine", "read"]

__dir__ = listing(globals())
