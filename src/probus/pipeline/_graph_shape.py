"""The shape of a graph: nodes, their inputs, and an order in which each comes after its inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from probus.errors import DataError

INPUT = "input"
PASSTHROUGH = "passthrough"


@dataclass(frozen=True)
class GraphNode:
    """A part with its name, and the names of the nodes whose output it is given; ``input`` is the source."""

    name: str
    part: Any
    inputs: tuple[str, ...]


@dataclass(frozen=True)
class GraphShape:
    """The nodes in an order in which inputs come first; the last is the sink."""

    order: tuple[GraphNode, ...]

    @property
    def sink(self) -> GraphNode:
        """The node whose output is that of the graph."""
        return self.order[-1]


def is_part(part: Any) -> bool:
    """Whether something can be the part of a node: an estimator, a sampler, or "passthrough"."""
    if isinstance(part, (str, type)):
        return isinstance(part, str) and part == PASSTHROUGH
    return (hasattr(part, "fit") or hasattr(part, "fit_resample")) and hasattr(part, "get_params")


def shape_of(listed: Any, reserved: set[str]) -> GraphShape:
    """The checked shape of a list of names, parts and inputs.

    >>> shape_of([("a", "passthrough", "b"), ("b", "passthrough", "a")], set())
    Traceback (most recent call last):
    probus.errors.DataError: the nodes 'a', 'b' form a cycle, or get their input from one.
      Expected a graph without cycles.
    """
    nodes = _nodes(listed)
    _check_names(nodes, reserved)
    order = _order(nodes)
    used = {name for node in nodes for name in node.inputs}
    sinks = [node for node in order if node.name not in used]
    if len(sinks) > 1:
        raise DataError(
            f"{len(sinks)} nodes whose output nothing uses: {_quote(sinks)}.",
            "one sink, whose output is that of the graph",
            "Join them by a node that has them as inputs, or remove those that are not needed.",
        )
    for node in order:
        passes_on = isinstance(node.part, str) or hasattr(node.part, "transform") or hasattr(node.part, "predict")
        if node is not sinks[0] and not passes_on:
            raise DataError(
                f"node {node.name!r} ({type(node.part).__name__}) has neither transform nor predict.",
                "nodes before the last that pass something on",
            )
    return GraphShape((*(node for node in order if node is not sinks[0]), sinks[0]))


def _nodes(listed: Any) -> list[GraphNode]:
    if not isinstance(listed, (list, tuple)) or not listed:
        raise DataError(f"nodes={listed!r:.60}.", "a list of (name, part, inputs), at least one")
    nodes = []
    for item in listed:
        if not (isinstance(item, (list, tuple)) and len(item) == 3 and isinstance(item[0], str)):
            raise DataError(f"a node given as {item!r:.60}.", "(name, part, inputs)")
        name, part, inputs = item
        inputs = (inputs,) if isinstance(inputs, str) else inputs
        if not isinstance(inputs, (list, tuple)) or not inputs or not all(isinstance(each, str) for each in inputs):
            raise DataError(f"node {name!r} with the inputs {inputs!r:.60}.", "names of nodes, or 'input'")
        if not is_part(part):
            raise DataError(f"node {name!r} is {part!r:.60}.", "an estimator, or 'passthrough'")
        nodes.append(GraphNode(name, part, tuple(inputs)))
    return nodes


def _check_names(nodes: list[GraphNode], reserved: set[str]) -> None:
    seen: set[str] = set()
    for node in nodes:
        if node.name in seen:
            raise DataError(f"two nodes called {node.name!r}.", "a name for each node of its own")
        if node.name in reserved | {INPUT} or "__" in node.name or not node.name:
            raise DataError(
                f"a node called {node.name!r}.", f"a name without '__' that is not one of {sorted(reserved | {INPUT})}"
            )
        seen.add(node.name)
    for node in nodes:
        unknown = [name for name in node.inputs if name not in seen | {INPUT}]
        if unknown:
            raise DataError(
                f"node {node.name!r} has the input {unknown[0]!r}, which no node is called.",
                f"'input' or one of {_quote(nodes)}",
            )
        if len(set(node.inputs)) < len(node.inputs):
            raise DataError(f"node {node.name!r} has the same input twice.", "each input once")


def _order(nodes: list[GraphNode]) -> list[GraphNode]:
    """The nodes with inputs first, else in the order of the list."""
    waiting, ready, order = list(nodes), {INPUT}, []
    while waiting:
        free = [node for node in waiting if ready.issuperset(node.inputs)]
        if not free:
            raise DataError(
                f"the nodes {_quote(waiting)} form a cycle, or get their input from one.", "a graph without cycles"
            )
        order.append(free[0])
        ready.add(free[0].name)
        waiting.remove(free[0])
    return order


def _quote(nodes: list[GraphNode]) -> str:
    return ", ".join(repr(node.name) for node in nodes)
