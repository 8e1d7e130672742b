"""Checks of the nodes of a document."""

from __future__ import annotations

import math
from typing import Any

from probus.data import Kind
from probus.errors import ModelFileError

Node = Any  # a JSON value: None, bool, int, float, str, list, dict

_MOST_DIMENSIONS = 8
_MOST_ELEMENTS = 2**59  # NumPy's sizes in bytes are signed 64-bit integers


def describe(node: Node) -> str:
    """A short description of a node, for messages.

    >>> describe([1, 2]), describe("gower")
    ('a list', "'gower'")
    """
    if isinstance(node, (list, dict)):
        return "a list" if isinstance(node, list) else "an object"
    return repr(node[:40] if isinstance(node, str) else node)


def keys_of(node: Node, where: str, required: str, optional: str = "") -> dict[str, Any]:
    """The node, which must be an object with exactly those keys.

    >>> keys_of({"type": "kind", "vlaue": "text"}, "age", "type value")
    Traceback (most recent call last):
    probus.errors.ModelFileError: age has keys unknown or missing: value, vlaue.
      Expected type value.
    """
    if not isinstance(node, dict):
        raise ModelFileError(f"{where} is {describe(node)}.", f"an object with the keys {required}")
    must, may = set(required.split()), set(optional.split())
    wrong = (node.keys() - must - may) | (must - node.keys())
    if wrong:
        raise ModelFileError(f"{where} has keys unknown or missing: {', '.join(sorted(wrong))[:80]}.", required)
    return node


def text_of(node: Node, where: str) -> str:
    """The node, which must be a string."""
    if not isinstance(node, str):
        raise ModelFileError(f"{where} has {describe(node)}.", "a string")
    return node


def items_of(node: Node, where: str) -> list[Any]:
    """The node, which must be a list."""
    if not isinstance(node, list):
        raise ModelFileError(f"{where} has {describe(node)}.", "a list")
    return node


def index_of(node: Node, where: str) -> int:
    """The node, which must be a non-negative integer."""
    if type(node) is not int or node < 0:
        raise ModelFileError(f"{where} has {describe(node)}.", "a non-negative integer")
    return node


def kind_of(node: Node, where: str) -> Kind:
    """The kind that the node names."""
    if node not in list(Kind):
        raise ModelFileError(f"{where} is of kind {describe(node)}.", "one of " + ", ".join(Kind))
    return Kind(node)


def shape_of(node: Node, where: str) -> tuple[int, ...]:
    """The shape of an array; a dimension of 0 does not allow others of any size."""
    lengths = items_of(node, where)
    if len(lengths) > _MOST_DIMENSIONS:
        raise ModelFileError(f"{where} has {len(lengths)} dimensions.", f"at most {_MOST_DIMENSIONS}")
    shape = tuple(index_of(length, where) for length in lengths)
    if math.prod(max(1, length) for length in shape) > _MOST_ELEMENTS:
        raise ModelFileError(f"{where} has shape {shape}.", "a shape that fits in memory")
    return shape
