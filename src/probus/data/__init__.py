"""Typed data: what the columns of a table are, where they come from, and what is wrong with them.

``read`` and ``Table.of`` bring a file, a frame or an array in, once; a ``Kind`` says what a column means, and is
suggested from the values until the user sets it; a ``Schema`` carries the kinds to new data; a ``Task`` adds the
roles of the columns; ``examine`` finds what will hurt.
"""

from probus.data.column import Column
from probus.data.examine import examine
from probus.data.kind import Kind
from probus.data.read import read
from probus.data.schema import Field, Schema, UnseenLevelWarning
from probus.data.table import Table
from probus.data.task import Task

__all__ = ["Column", "Field", "Kind", "Schema", "Table", "Task", "UnseenLevelWarning", "examine", "read"]
