"""A pipeline or graph as boxes and arrows: text for terminals, SVG for notebooks and reports."""

from __future__ import annotations

from collections.abc import Sequence as Listed
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

from sklearn.base import is_classifier, is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline

from probus.display import Cells, Displayed, Part, counted
from probus.ensemble.stacking import NamedMembers
from probus.pipeline._graph import Graph
from probus.pipeline._graph_shape import INPUT
from probus.pipeline._layered_drawing import DrawnBox, drawn
from probus.pipeline._one_of import OneOf

_MOST_LETTERS = 34


@dataclass(frozen=True, repr=False)
class Diagram(Displayed):
    """The boxes of a pipeline or graph, each with the boxes before it; the first is the input.

    Its text is a line for each box, its HTML a drawing.

    Attributes
    ----------
    boxes : the boxes.
    """

    boxes: tuple[DrawnBox, ...]

    def to_svg(self) -> str:
        """The drawing as SVG, in the colour of the text around it."""
        return drawn(self.boxes)

    def _parts(self) -> list[Part | str]:
        return [_Drawing(self)]


@dataclass(frozen=True)
class _Drawing(Part):
    diagram: Diagram

    def lines(self) -> list[str]:
        """A line for each box: its name, what it is, and the boxes before it unless that is the line above."""
        boxes = self.diagram.boxes
        rows = []
        for place, box in enumerate(boxes[1:], 1):
            above = box.inputs == (place - 1,)
            before = "" if above else "← " + ", ".join(boxes[each].title for each in box.inputs)
            rows.append([("○ " if box.dimmed else "● ") + box.title, box.detail, before])
        return [f"{boxes[0].title} → {counted(len(rows), 'node')}", *Cells(rows, header=False).lines()]

    def html(self) -> str:
        """Inline SVG."""
        return self.diagram.to_svg()


def diagram(model: Any) -> Diagram:
    """The diagram of a pipeline or graph, of Probus or scikit-learn, as text and as a drawing.

    Alternatives that are not chosen are dimmed.

    Parameters
    ----------
    model : A pipeline, graph or any estimator.

    Returns
    -------
    The diagram, which prints and plots itself.

    >>> from probus.naive_bayes import GaussianNB
    >>> from probus.pipeline import branch, union
    >>> from sklearn.preprocessing import StandardScaler
    >>> diagram(branch(StandardScaler(), "passthrough") >> union() >> GaussianNB())
    input → 4 nodes
    ● standardscaler  StandardScaler
    ● passthrough     unchanged       ← input
    ● union           side by side    ← standardscaler, passthrough
    ● gaussiannb      GaussianNB
    """
    builder = _Builder([DrawnBox(INPUT, "", (), "input")])
    builder.add(type(model).__name__.lower(), model, (0,))
    return Diagram(tuple(builder.boxes))


@dataclass
class _Builder:
    """Collects boxes; every method returns the places of the boxes whose output leaves what it added."""

    boxes: list[DrawnBox]
    dimmed: bool = field(default=False)

    def add(self, name: str, part: Any, inputs: tuple[int, ...], note: str = "") -> tuple[int, ...]:
        """Add a part, with the parts inside it that data flows through."""
        if isinstance(part, Graph):
            return self._graph(part, inputs)
        if isinstance(part, Pipeline):
            for own, step in part.steps:
                inputs = self.add(own, step, inputs)
            return inputs
        if isinstance(part, OneOf):
            return self._choice(name, part, inputs)
        if isinstance(part, NamedMembers):
            members = self._parallel(part.estimators, inputs)
            return self._box(name, _describe(part, "estimators"), members, "join")
        if isinstance(part, FeatureUnion):
            return self._parallel(part.transformer_list, inputs)
        if isinstance(part, ColumnTransformer):
            rest = [("remainder", part.remainder, "other columns")]
            listed = [(own, each, _columns(columns)) for own, each, columns in part.transformers] + rest
            ends = [self.add(own, each, inputs, columns) for own, each, columns in listed if each != "drop"]
            return tuple(place for end in ends for place in end)
        if isinstance(part, str) or part is None:
            what = "side by side" if len(inputs) > 1 else note or "unchanged"
            return self._box(name, what, inputs, "join" if len(inputs) > 1 else "plain")
        kind = "model" if is_classifier(part) or is_regressor(part) else "plain"
        return self._box(name, f"{_describe(part)}{f' of {note}' if note else ''}", inputs, kind)

    def _box(self, title: str, detail: str, inputs: tuple[int, ...], kind: str) -> tuple[int, ...]:
        self.boxes.append(DrawnBox(_short(title), _short(detail), inputs, kind, self.dimmed))
        return (len(self.boxes) - 1,)

    def _graph(self, graph: Graph, inputs: tuple[int, ...]) -> tuple[int, ...]:
        ends: dict[str, tuple[int, ...]] = {INPUT: inputs}
        for node in graph.shape().order:
            before = tuple(place for name in node.inputs for place in ends[name])
            ends[node.name] = self.add(node.name, node.part, before)
        return ends[graph.shape().sink.name]

    def _choice(self, name: str, one: OneOf, inputs: tuple[int, ...]) -> tuple[int, ...]:
        ends: list[int] = []
        chosen, outer = one.chosen(), self.dimmed
        for own, part in one.alternatives:
            self.dimmed = outer or part is not chosen
            ends += self.add(f"{name}: {own}", part, inputs)
        self.dimmed = outer
        return tuple(ends)

    def _parallel(self, named: Listed[tuple[str, Any]], inputs: tuple[int, ...]) -> tuple[int, ...]:
        ends = [self.add(name, part, inputs) for name, part in named if not (isinstance(part, str) and part == "drop")]
        return tuple(place for end in ends for place in end)


def _describe(part: Any, *without: str) -> str:
    """The class, and the parameters that differ from its defaults."""
    defaults = {name: each.default for name, each in signature(type(part).__init__).parameters.items()}
    given = part.get_params(deep=False).items()
    changed = {name: v for name, v in given if name not in without and repr(v) != repr(defaults.get(name, part))}
    models = {name: type(value).__name__ for name, value in changed.items() if hasattr(value, "get_params")}
    shown = ", ".join(f"{name}={models.get(name) or repr(value)}" for name, value in changed.items())
    return type(part).__name__ + (f" {' '.join(shown.split())}" if shown else "")


def _columns(columns: Any) -> str:
    if isinstance(columns, (list, tuple)) and all(isinstance(each, (str, int)) for each in columns):
        return ", ".join(map(str, columns))
    return str(columns) if isinstance(columns, (str, int)) else "columns"


def _short(text: str) -> str:
    return text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 1] + "…"
