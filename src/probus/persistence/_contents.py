"""The contents of a model file, without building the model."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from probus.data import Schema
from probus.display import counted
from probus.errors import ModelFileError
from probus.persistence._container import open_container
from probus.persistence._decoder import Decoder
from probus.persistence._document import parse
from probus.persistence._file_format import MOST_DEEP
from probus.persistence._node_checks import Node, describe, keys_of, text_of


@dataclass(frozen=True)
class Contents:
    """The contents of a model file.

    Attributes
    ----------
    class_name : the class of the model.
    params : each parameter as JSON, a model by its class and an array by its dtype and shape.
    fitted : whether the model is fitted.
    models : the classes of all models inside, the outermost first.
    schema : the columns of the training data, if the model stores them.
    metadata : what was stored with the model.
    written_by, format_version : the versions that wrote the file, and that of its format.
    file_bytes, array_bytes, n_arrays : the sizes of the file and of the arrays in it, and their number.
    """

    class_name: str
    params: dict[str, Any]
    fitted: bool
    models: tuple[str, ...]
    schema: Schema | None
    metadata: dict[str, Any]
    written_by: dict[str, str]
    format_version: int
    file_bytes: int
    array_bytes: int
    n_arrays: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        plain = {name: value for name, value in vars(self).items() if name not in ("models", "schema")}
        return {**plain, "models": list(self.models), "schema": self.schema and self.schema.to_dict()}

    def __repr__(self) -> str:
        params = ", ".join(f"{name}={value}" for name, value in self.params.items())
        lines = [f"{self.class_name}({params}){'' if self.fitted else ', not fitted'}"]
        if len(self.models) > 1:
            lines.append("  holding   " + ", ".join(self.models[1:]))
        if self.schema is not None:
            lines.append("  columns   " + ", ".join(f"{field.name}: {field.kind}" for field in self.schema))
        arrays = counted(self.n_arrays, "array")
        lines.append(f"  size      {self.file_bytes:,} bytes, {self.array_bytes:,} in {arrays}")
        lines.append("  versions  " + ", ".join(f"{name} {number}" for name, number in self.written_by.items()))
        return "\n".join([*lines, *(f"  {key}: {value}" for key, value in self.metadata.items())])


def inspect(path: str | os.PathLike[str]) -> Contents:
    """Show a model file's class, parameters, columns, versions and sizes; no model is built.

    Parameters
    ----------
    path : the model file.

    Returns
    -------
    What the file holds; it prints itself.

    >>> import tempfile, probus
    >>> from probus.dummy import ZeroRClassifier
    >>> model = ZeroRClassifier().fit(probus.Table.of({"age": [4.5, 38.0]}), ["no", "yes"])
    >>> inspect(probus.save(model, tempfile.mkdtemp() + "/model.probus", metadata={"by": "Ada"}))
    probus.dummy.ZeroRClassifier()
      columns   age: numeric
      size      ... bytes, 16 in 1 array
      versions  probus ..., numpy ..., scikit-learn ...
      by: Ada
    """
    with open_container(path) as container:
        head = parse(container.document())
        container.check_entries()
        node = keys_of(head["model"], "the model", "type class params state", optional="output")
        inside = list(_walk(node))
        models = [item for item in inside if item.get("type") == "model"]
        schemas = [item for item in inside if item.get("type") == "schema"]
        return Contents(
            class_name=text_of(node["class"], "the model"),
            params={name: _summary(value) for name, value in _named(node["params"]).items()},
            fitted=any(item.get("state") for item in models),
            models=tuple(str(item.get("class")) for item in models),
            schema=Decoder(container).schema(schemas[0], "the schema") if schemas else None,
            metadata=_named(head["metadata"]),
            written_by=head["written_by"],
            format_version=head["version"],
            file_bytes=container.file_size,
            array_bytes=container.array_bytes,
            n_arrays=container.n_arrays,
        )


def _walk(node: Node) -> Iterator[dict[str, Any]]:
    """Every object of the document, a model before its parts."""
    waiting = [node]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield item
        if isinstance(item, (dict, list)):
            waiting.extend(reversed(list(item.values() if isinstance(item, dict) else item)))


def _named(node: Node) -> dict[str, Any]:
    if not isinstance(node, dict):
        raise ModelFileError(f"{describe(node)} for values.", "values by name")
    return node


def _summary(node: Node, depth: int = 0) -> Any:
    """A short description of a parameter: plain values unchanged, models by class, arrays by dtype and shape."""
    if depth > MOST_DEEP:
        return "…"
    if isinstance(node, list):
        return [_summary(item, depth + 1) for item in node]
    if not isinstance(node, dict):
        return node
    match node.get("type"):
        case "model":
            return str(node.get("class"))
        case "array":
            return f"array {node.get('dtype')} {node.get('shape')}"
        case "float" | "kind" | "scalar":
            return _summary(node.get("value"), depth + 1)
        case _:
            return _summary(node.get("items"), depth + 1)
