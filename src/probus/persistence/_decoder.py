"""Conversion of nodes to a model. The file is not trusted: every key, type and size is checked."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from probus.data import Field, Kind, Schema, is_format
from probus.errors import ModelFileError
from probus.persistence._class_registry import class_named, complete, declared_state, part_named
from probus.persistence._container import Container
from probus.persistence._file_format import DTYPES, LABEL_BYTES, MOST_DEEP, MOST_LABEL_BYTES, OBJECTS, PYTHON_DTYPES
from probus.persistence._nesting import Nesting
from probus.persistence._node_checks import Node, describe, index_of, items_of, keys_of, kind_of, shape_of, text_of
from probus.state import Maybe, Stored, check_state

_ORDER = re.compile(r"[CF]\d*", re.ASCII)  # of the values, and the axes that run backwards
_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_PLAIN_OF_DTYPE = {"b": (bool,), "i": (int,), "u": (int,), "f": (int, float)}


class Decoder:
    """Converts nodes to values and reads the arrays they refer to.

    >>> Decoder(None).value({"type": "tuple", "items": [1, {"type": "float", "value": "inf"}]}, "weights")
    (1, inf)
    >>> Decoder(None).value({"type": "pickle", "value": "gASVCwAAAA"}, "weights")
    Traceback (most recent call last):
    probus.errors.ModelFileError: weights is a node of type 'pickle'.
      Expected array, dict, dtype, float, kind, labels, model, part, scalar, schema, slice or tuple.
    """

    def __init__(self, container: Container):
        self._container = container
        self._label_bytes = 0
        self._nesting = Nesting()
        self._readers: dict[str, Callable[[Node, str, int], Any]] = {
            "array": self._array,
            "dict": self._dict,
            "dtype": self._dtype,
            "float": self._float,
            "kind": self._kind,
            "labels": self._labels,
            "model": self.model,
            "part": self._part,
            "scalar": self._scalar,
            "schema": self.schema,
            "slice": self._slice,
            "tuple": self._tuple,
        }

    def value(self, node: Node, where: str, depth: int = 0) -> Any:
        """The value of a node; ``where`` is its name in error messages."""
        if depth > MOST_DEEP:
            raise ModelFileError(f"{where} is nested more than {MOST_DEEP} levels deep.", "fewer levels")
        if isinstance(node, list):
            return [self.value(item, where, depth + 1) for item in node]
        if not isinstance(node, dict):
            return node
        kind = node.get("type")
        if not isinstance(kind, str) or kind not in self._readers:
            *others, last = self._readers
            raise ModelFileError(f"{where} is a node of type {describe(kind)}.", f"{', '.join(others)} or {last}")
        return self._readers[kind](node, where, depth)

    def model(self, node: Node, where: str, depth: int = 0) -> BaseEstimator:
        """An estimator, constructed from its parameters, with its fitted attributes."""
        self._nesting.count(where)
        parts = keys_of(node, where, "type class params state", optional="output")
        cls = class_named(text_of(parts["class"], where))
        with self._nesting.parameters():
            params = self._named(parts["params"], cls.__name__, depth)
        _check_parameters(cls, params)
        with _checking(cls):
            model = cls(**params)
        if parts["state"] is not None:
            with self._nesting.state():
                state = self._named(parts["state"], cls.__name__, depth)
            with _checking(cls):
                check_state(cls.__name__, declared_state(cls), state)
                vars(model).update(state)
                complete(model)
        if "output" in parts:
            _set_output(model, parts["output"])
        return model

    def _part(self, node: Node, where: str, depth: int) -> Stored:
        """A component of a model, constructed from fields that match its declaration."""
        self._nesting.count(where)
        named = keys_of(node, where, "type class fields")
        cls = part_named(text_of(named["class"], where))
        fields = self._named(named["fields"], cls.__name__, depth)
        with _checking(cls):
            check_state(cls.__name__, cls.declared, fields)
            absent = [name for name in cls.declared if name not in fields and not _came_later(cls, name)]
            if absent:
                raise ModelFileError(f"{where} without {', '.join(absent)}.", "every field of " + cls.__name__)
            return cls.of_parts(fields)

    def schema(self, node: Node, where: str, depth: int = 0) -> Schema:
        """The schema of a table."""
        fields = items_of(keys_of(node, where, "type fields")["fields"], where)
        schema = Schema(self._field(field, where, depth + 1) for field in fields)
        if len(schema.names) != len(schema):
            raise ModelFileError(f"{where} has two columns with the same name.", "unique names")
        return schema

    def _field(self, node: Node, where: str, depth: int) -> Field:
        parts = keys_of(node, where, "name kind levels dates format")
        name, kind = text_of(parts["name"], where), kind_of(parts["kind"], where)
        levels = self.value(items_of(parts["levels"], where), where, depth)
        if type(parts["dates"]) is not bool or not all(type(level) in (str, int, float, bool) for level in levels):
            raise ModelFileError(f"{where}: column {name[:40]!r} has invalid levels.", "strings, numbers or booleans")
        if bool(levels) > kind.has_levels or (kind is Kind.BINARY and len(levels) > 2):
            raise ModelFileError(
                f"{where}: column {name[:40]!r} is {kind} with {len(levels)} levels.", "levels of that kind"
            )
        format = text_of(parts["format"], where)
        if format and not is_format(format):
            raise ModelFileError(
                f"{where}: column {name[:40]!r} has the format {format[:40]!r}.", "one of dates or numbers"
            )
        return Field(name, kind, tuple(levels), parts["dates"], format)

    def _named(self, node: Node, where: str, depth: int) -> dict[str, Any]:
        if not isinstance(node, dict) or not all(name.isidentifier() and len(name) < 100 for name in node):
            raise ModelFileError(f"{where} has {describe(node)} for its values.", "values by name")
        return {name: self.value(item, f"{where}.{name}", depth + 1) for name, item in node.items()}

    def _array(self, node: Node, where: str, depth: int) -> np.ndarray:
        parts = keys_of(node, where, "type dtype shape order index")
        dtype = DTYPES.get(text_of(parts["dtype"], where))
        order = parts["order"]
        if dtype is None or not (isinstance(order, str) and _ORDER.fullmatch(order)):
            raise ModelFileError(
                f"{where} is an array of {describe(parts['dtype'])} in order {describe(parts['order'])}.",
                f"one of {' '.join(DTYPES)}, in order C or F",
            )
        shape, backwards = shape_of(parts["shape"], where), tuple(map(int, order[1:]))
        if len(set(backwards)) < len(backwards) or max(backwards, default=-1) >= len(shape):
            raise ModelFileError(f"{where} has shape {shape} in order {order}.", "axes that it has, each once")
        if 0 in shape and max(shape) > self._container.file_size:  # no bytes, but loops over what is not there
            raise ModelFileError(f"{where} has shape {shape} and no values.", "lengths that the file could hold")
        flat = self._container.array(index_of(parts["index"], where), dtype, math.prod(shape))
        if dtype.kind == "b" and flat.view(np.uint8).max(initial=0) > 1:
            raise ModelFileError(f"{where} has booleans other than 0 and 1.", "0 or 1")
        array = flat.astype(dtype.newbyteorder("="), copy=False).reshape(shape, order="F" if order[0] == "F" else "C")
        return np.flip(array, backwards) if backwards else array

    def _labels(self, node: Node, where: str, depth: int) -> np.ndarray:
        parts = keys_of(node, where, "type width items")
        items = items_of(parts["items"], where)
        if parts["width"] is None:
            array = np.empty(len(items), dtype=object)
            for place, value in enumerate(self.value(items, where, depth + 1)):  # which may be arrays
                array[place] = value
            return array
        width, strings = index_of(parts["width"], where), [text_of(item, where) for item in items]
        self._label_bytes += width * LABEL_BYTES * max(1, len(strings))
        if self._label_bytes > MOST_LABEL_BYTES or width < max([1, *map(len, strings)]):
            raise ModelFileError(f"{where} is {len(strings)} strings of width {width}.", "the longest string's")
        return np.array(strings, dtype=f"U{width}")

    def _dict(self, node: Node, where: str, depth: int) -> dict[Any, Any]:
        pairs = [items_of(pair, where) for pair in items_of(keys_of(node, where, "type items")["items"], where)]
        if any(len(pair) != 2 for pair in pairs):
            raise ModelFileError(f"{where} is a dict with items that are not pairs.", "pairs of a key and a value")
        keys = [self.value(key, where, depth + 1) for key, _ in pairs]
        if not all(key is None or isinstance(key, (bool, int, float, str, np.generic)) for key in keys):
            raise ModelFileError(f"{where} is a dict with invalid keys.", "numbers, strings or booleans")
        return dict(zip(keys, (self.value(value, where, depth + 1) for _, value in pairs), strict=True))

    def _tuple(self, node: Node, where: str, depth: int) -> tuple[Any, ...]:
        items = items_of(keys_of(node, where, "type items")["items"], where)
        return tuple(self.value(items, where, depth))

    def _float(self, node: Node, where: str, depth: int) -> float:
        value = text_of(keys_of(node, where, "type value")["value"], where)
        if value not in _FLOATS:
            raise ModelFileError(f"{where} is the float {describe(value)}.", "nan, inf or -inf")
        return _FLOATS[value]

    def _scalar(self, node: Node, where: str, depth: int) -> np.generic:
        parts = keys_of(node, where, "type dtype value")
        code = text_of(parts["dtype"], where)
        if code == "str":
            return np.str_(text_of(parts["value"], where))
        dtype, value = DTYPES.get(code), self.value(parts["value"], where, depth + 1)
        if dtype is None or type(value) not in _PLAIN_OF_DTYPE[dtype.kind]:
            raise ModelFileError(f"{where} is a scalar of {describe(code)}.", "a number of its dtype")
        if dtype.kind in "iu" and not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
            raise ModelFileError(f"{where} is {value}.", f"a value in the range of {dtype.name}")
        return dtype.type(value)

    def _dtype(self, node: Node, where: str, depth: int) -> Any:
        parts = keys_of(node, where, "type value form")
        value, form = text_of(parts["value"], where), text_of(parts["form"], where)
        if form == "python" and value in PYTHON_DTYPES:
            return PYTHON_DTYPES[value]
        dtype = np.dtype(object) if value == OBJECTS else DTYPES.get(value)
        if dtype is None or form not in ("dtype", "scalar"):
            raise ModelFileError(f"{where} is the dtype {describe(value)} as {describe(form)}.", "a dtype of numbers")
        return dtype.newbyteorder("=") if form == "dtype" else dtype.type

    def _slice(self, node: Node, where: str, depth: int) -> slice:
        parts = keys_of(node, where, "type start stop step")
        ends = [parts["start"], parts["stop"], parts["step"]]
        if not all(each is None or type(each) in (int, str) for each in ends) or ends[2] == 0 or type(ends[2]) is str:
            raise ModelFileError(f"{where} is a slice of {ends!r:.60}.", "integers, strings or nothing")
        return slice(*ends)

    def _kind(self, node: Node, where: str, depth: int) -> Kind:
        return kind_of(keys_of(node, where, "type value")["value"], where)


@cache
def _parameters(cls: type) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(cls).parameters


def _came_later(cls: type[Stored], name: str) -> bool:
    """Whether files that were saved before a class had this field are read: it may be None, and is by default."""
    field = getattr(cls, "__dataclass_fields__", {}).get(name)
    return isinstance(cls.declared[name], Maybe) and field is not None and field.default is None


def _check_parameters(cls: type, params: dict[str, Any]) -> None:
    known = _parameters(cls)
    unknown = [name for name in params if name not in known]
    absent = [name for name, p in known.items() if p.default is p.empty and name not in params]
    if unknown or absent:
        raise ModelFileError(
            f"{cls.__name__} with parameters {'unknown' if unknown else 'missing'}: {', '.join(unknown or absent)}.",
            ", ".join(known) or "none",
            "It may have been saved by another version.",
        )


@contextmanager
def _checking(cls: type) -> Iterator[None]:
    """Report any exception of a constructor or of a check, which a manipulated value may cause, as one of the file."""
    try:
        yield
    except (ModelFileError, MemoryError):
        raise
    except Exception as error:
        found = f"{cls.__name__}: its attributes are inconsistent ({type(error).__name__}: {str(error)[:200]})."
        raise ModelFileError(found, "values as saved") from error


def _set_output(model: BaseEstimator, output: Node) -> None:
    if not hasattr(model, "set_output") or output not in ("default", "pandas", "polars"):
        raise ModelFileError(f"{type(model).__name__} with output {describe(output)}.", "default, pandas or polars")
    model.set_output(transform=output)
