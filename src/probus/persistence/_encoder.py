"""Conversion of a model to nodes and arrays; values that would need code to rebuild are rejected."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator

from probus.base import Model
from probus.data import Field, Kind, Schema
from probus.errors import ModelFileError
from probus.persistence._class_registry import declared_state, derived_attributes, name_of
from probus.persistence._file_format import (
    DTYPES,
    LABEL_BYTES,
    MOST_DEEP,
    MOST_INTEGER,
    MOST_LABEL_BYTES,
    OBJECTS,
    PYTHON_DTYPES,
)
from probus.persistence._nesting import Nesting
from probus.persistence._node_checks import Node
from probus.state import Stored, check_state


class Encoder:
    """Converts values to nodes and collects the arrays they refer to.

    >>> encoder = Encoder()
    >>> encoder.node((1, np.nan), "weights")
    {'type': 'tuple', 'items': [1, {'type': 'float', 'value': 'nan'}]}
    >>> encoder.node(np.zeros((2, 3)), "theta")
    {'type': 'array', 'dtype': '<f8', 'shape': [2, 3], 'order': 'C', 'index': 0}
    """

    def __init__(self) -> None:
        self.arrays: list[np.ndarray] = []
        self._label_bytes = 0
        self._nesting = Nesting()

    def node(self, value: Any, where: str, depth: int = 0) -> Node:
        """The node for a value; ``where`` is its name in error messages."""
        if depth > MOST_DEEP:
            raise ModelFileError(
                f"{where} is nested more than {MOST_DEEP} levels deep.", "a model that does not contain itself"
            )
        below = depth + 1
        if value is None or type(value) in (bool, int, float, str):
            return _plain(value, where)
        if type(value) is list:
            return [self.node(item, f"{where}[{i}]", below) for i, item in enumerate(value)]
        if type(value) is tuple:
            return {"type": "tuple", "items": self.node(list(value), where, depth)}
        if type(value) is dict:
            pairs = [[self.node(k, where, below), self.node(v, f"{where}[{k!r}]", below)] for k, v in value.items()]
            return {"type": "dict", "items": pairs}
        if isinstance(value, np.generic):
            return _scalar(value, where)
        if type(value) is np.ndarray:
            return self._labels(value, where, below) if value.dtype.kind in "UO" else self._array(value, where)
        if isinstance(value, Kind):
            return {"type": "kind", "value": str(value)}
        if isinstance(value, Schema):
            return {"type": "schema", "fields": [self._field(field, where, below) for field in value]}
        if isinstance(value, BaseEstimator):
            return self.model(value, where, depth)
        if isinstance(value, Stored):
            return self.part(value, where, depth)
        if isinstance(value, slice):
            ends = {name: self.node(getattr(value, name), where, below) for name in ("start", "stop", "step")}
            return {"type": "slice", **ends}
        if isinstance(value, np.dtype) or (isinstance(value, type) and _is_dtype(value)):
            return _dtype(value, where)
        raise _not_storable(value, where)

    def model(self, model: BaseEstimator, where: str, depth: int = 0) -> Node:
        """The node for an estimator: its class, its parameters and, if it is fitted, its state."""
        model = model.to_be_saved() if isinstance(model, Model) else model
        self._nesting.count(where)
        name = name_of(model)
        declared = declared_state(type(model))
        params = model.get_params(deep=False)
        state = {key: value for key, value in vars(model).items() if key in declared}
        known = {*declared, *params, *derived_attributes(type(model))}
        undeclared = [key for key in vars(model) if key not in known and not key.startswith("_")]
        if undeclared:
            raise ModelFileError(f"{where} has {', '.join(undeclared)}.", "only the attributes that its class declares")
        if state:
            check_state(type(model).__name__, declared, state)
        with self._nesting.parameters():
            named_params = self._named(params, where, depth)
        with self._nesting.state():
            named_state = self._named(state, where, depth) if state else None
        node = {"type": "model", "class": name, "params": named_params, "state": named_state}
        output = vars(model).get("_sklearn_output_config", {}).get("transform")
        return node if output is None else {**node, "output": output}

    def part(self, part: Stored, where: str, depth: int = 0) -> Node:
        """The node for a component of a model: its class and its fields."""
        self._nesting.count(where)
        fields = part.parts()
        check_state(type(part).__name__, part.declared, fields)
        return {"type": "part", "class": name_of(part), "fields": self._named(fields, where, depth)}

    def _named(self, values: dict[str, Any], where: str, depth: int) -> Node:
        return {name: self.node(values[name], f"{where}.{name}", depth + 1) for name in sorted(values)}

    def _field(self, field: Field, where: str, depth: int) -> Node:
        plain = [level.item() if isinstance(level, np.generic) else level for level in field.levels]
        levels = self.node(plain, f"{where}[{field.name!r}]", depth)
        return {
            "name": field.name,
            "kind": str(field.kind),
            "levels": levels,
            "dates": field.dates,
            "format": field.format,
        }

    def _array(self, array: np.ndarray, where: str) -> Node:
        little = array.dtype.newbyteorder("<")
        if little.str not in DTYPES:
            raise ModelFileError(f"{where} is an array of {array.dtype}.", "numbers, booleans or strings")
        # a matrix product of the same numbers in another layout differs in the last digits: axes that run backwards,
        # as in the components of scikit-learn's PCA, are noted behind the order
        backwards = tuple(axis for axis, step in enumerate(array.strides) if step < 0)
        array = np.flip(array, backwards)
        layout: Literal["C", "F"] = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
        self.arrays.append(np.asarray(array, dtype=little, order=layout))
        order, index = layout + "".join(map(str, backwards)), len(self.arrays) - 1
        return {"type": "array", "dtype": little.str, "shape": list(array.shape), "order": order, "index": index}

    def _labels(self, array: np.ndarray, where: str, depth: int) -> Node:
        if array.ndim != 1:
            raise ModelFileError(f"{where} is an array of labels of shape {array.shape}.", "one dimension")
        width = max(1, array.dtype.itemsize // LABEL_BYTES) if array.dtype.kind == "U" else None
        self._label_bytes += (width or 0) * LABEL_BYTES * max(1, len(array))
        if self._label_bytes > MOST_LABEL_BYTES:
            raise ModelFileError(f"{where} takes {array.nbytes:,} bytes.", f"at most {MOST_LABEL_BYTES:,} of labels")
        return {"type": "labels", "width": width, "items": self.node(array.tolist(), where, depth)}


def _plain(value: Any, where: str) -> Node:
    if isinstance(value, float) and not np.isfinite(value):
        return {"type": "float", "value": str(value)}
    if isinstance(value, int) and abs(value) >= MOST_INTEGER:
        raise ModelFileError(f"{where} is an integer of {len(str(value))} digits.", "at most 64 bits")
    return value


def _scalar(value: np.generic, where: str) -> Node:
    if value.dtype.kind == "U":
        return {"type": "scalar", "dtype": "str", "value": str(value)}
    dtype = value.dtype.newbyteorder("<")
    if dtype.str not in DTYPES:
        raise ModelFileError(f"{where} is a NumPy {value.dtype}.", "a number, a boolean or a string")
    return {"type": "scalar", "dtype": dtype.str, "value": _plain(value.item(), where)}


def _is_dtype(value: type) -> bool:
    return issubclass(value, np.generic) or value in PYTHON_DTYPES.values()


def _dtype(value: Any, where: str) -> Node:
    """A dtype, or a type that means one."""
    if value in PYTHON_DTYPES.values() and isinstance(value, type):
        return {"type": "dtype", "value": value.__name__, "form": "python"}
    code = np.dtype(value).newbyteorder("<").str
    if code not in (*DTYPES, OBJECTS):
        raise ModelFileError(f"{where} is the dtype {np.dtype(value)}.", "a dtype of numbers")
    return {"type": "dtype", "value": code, "form": "dtype" if isinstance(value, np.dtype) else "scalar"}


def _not_storable(value: Any, where: str) -> ModelFileError:
    expected = "numbers, strings, arrays, lists, dicts, tuples and models of registered classes"
    if isinstance(value, (np.random.RandomState, np.random.Generator)):
        return ModelFileError(f"{where} is a random generator.", expected, "Pass an integer as random_state.")
    if callable(value):
        name = getattr(value, "__qualname__", type(value).__name__)
        return ModelFileError(f"{where} is a function or a class ({name}).", expected, "Loading must not run code.")
    return ModelFileError(f"{where} is a {type(value).__name__}.", expected)
