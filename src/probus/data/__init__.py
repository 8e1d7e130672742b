"""Typed data: tables with a kind for every column, reading them from files, and checking them for problems.

``read`` and ``Table.of`` convert a file, a frame or an array. A ``Kind`` describes what the values of a column mean; it
is inferred from the values unless the user sets it. A ``Schema`` applies the kinds to new data. A ``Task`` adds the
roles of the columns. ``examine`` finds problems in the data.
"""

from probus.borrowing import listing
from probus.data.column import Column
from probus.data.examine import examine
from probus.data.kind import Kind
from probus.data.read import read
from probus.data.schema import Field, Schema, UnseenLevelWarning
from probus.data.table import Table
from probus.data.task import Task

__all__ = ["Column", "Field", "Kind", "Schema", "Table", "Task", "UnseenLevelWarning", "examine", "read"]

__dir__ = listing(globals())
