"""Building sequences and graphs: ``a >> b``, ``branch``, ``union``, ``select``, ``by_kind``, ``average``, ``stack``."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Listed
from dataclasses import dataclass
from functools import reduce
from typing import Any

from sklearn.base import is_classifier, is_regressor

from probus.augmentation import SampledClassifier, SampledRegressor, sampled
from probus.data import Kind
from probus.display import counted
from probus.ensemble import StackingClassifier, StackingRegressor, VotingClassifier, VotingRegressor
from probus.errors import DataError
from probus.pipeline._graph import Graph
from probus.pipeline._graph_shape import INPUT, PASSTHROUGH, GraphNode, is_part
from probus.pipeline._one_of import OneOf
from probus.pipeline._select_columns import Select
from probus.pipeline._sequence import Sequence


class _Composable:
    """``>>`` for what is not an estimator."""

    def __rshift__(self, other: Any) -> Any:
        return sequence(self, other)

    def __rrshift__(self, other: Any) -> Any:
        return sequence(other, self)


@dataclass(frozen=True)
class Node(_Composable):
    """An estimator of any library to begin a sequence with, and a name for it: ``Node(PCA(), "pca") >> SVC()``.

    Parameters
    ----------
    part : the estimator.
    name : its name; None is that of its class.

    >>> from sklearn.preprocessing import MinMaxScaler, StandardScaler
    >>> Node(StandardScaler(), "centre") >> MinMaxScaler()
    Sequence(steps=[('centre', StandardScaler()), ('minmaxscaler', MinMaxScaler())])
    """

    part: Any
    name: str | None = None

    def __post_init__(self) -> None:
        _check_part(self.part)


@dataclass(frozen=True)
class Branches(_Composable):
    """Parts that get the same input, and what comes before them; joined by what follows.

    Attributes
    ----------
    parts : the parts.
    before : what comes before them.
    """

    parts: tuple[Node, ...]
    before: Any = None


@dataclass(frozen=True)
class _Union(_Composable):
    name: str | None = None


@dataclass(frozen=True)
class _Average(_Composable):
    weights: Listed[float] | None = None


@dataclass(frozen=True)
class _StackOf(_Composable):
    final: Any = None
    options: tuple[tuple[str, Any], ...] = ()


# -- what users call -----------------------------------------------------------------------------------


def sequence(*parts: Any) -> Any:
    """The parts one after the other: a ``Sequence``, or a ``Graph`` where some part has branches.

    ``a >> b`` is the same wherever a or b is of Probus.

    Parameters
    ----------
    parts : estimators, branches or joins, in order.

    Returns
    -------
    The sequence, or the graph.

    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import SVC
    >>> sequence(StandardScaler(), SVC())
    Sequence(steps=[('standardscaler', StandardScaler()), ('svc', SVC())])
    """
    if not parts:
        raise DataError("a sequence of no parts.", "at least one estimator")
    pieces = [part if isinstance(part, _Composable) else Node(_check_part(part)) for part in parts]
    joined = reduce(_then, pieces)
    if not isinstance(joined, Node):
        return joined  # branches, which are open until they are joined
    return joined.part if len(pieces) > 1 else _checked_sequence(_steps_of(joined))


def branch(*parts: Any, **named: Any) -> Branches:
    """The same input for several parts; join them with ``>> union()``, ``>> average()``, ``>> stack()`` or a model.

    Parameters
    ----------
    parts : estimators, sequences, graphs, or "passthrough".
    named : the same, each as one node of that name.

    Returns
    -------
    The branches, to be joined by ``>>``.

    >>> from probus.naive_bayes import GaussianNB
    >>> from probus.preprocessing import StandardScaler
    >>> graph = branch(StandardScaler(), "passthrough") >> union() >> GaussianNB()
    >>> [name for name, _, _ in graph.nodes]
    ['standardscaler', 'passthrough', 'union', 'gaussiannb']
    """
    given = [part if isinstance(part, Node) else Node(_finish(part)) for part in parts]
    given += [Node(_finish(part), name) for name, part in named.items()]
    if len(given) < 2:
        raise DataError(f"a branch into {counted(len(given), 'part')}.", "at least two parts")
    return Branches(tuple(given))


def select(*, kind: Any = None, columns: Any = None) -> Select:
    """The columns of some kinds or names, as a transformer: ``Select``.

    Parameters
    ----------
    kind : kinds of columns.
    columns : names of columns.

    Returns
    -------
    The transformer.

    >>> select(kind=["nominal", "ordinal"])
    Select(kind=['nominal', 'ordinal'])
    """
    return Select(kind=kind, columns=columns)


def union(name: str | None = None) -> _Union:
    """Join branches: the columns of all, side by side, with their kinds.

    Columns of the same name are prefixed with the names of their nodes: ``standardscaler__age``.

    Parameters
    ----------
    name : the name of the node; "union" by default.

    Returns
    -------
    The join, to be put after ``branch`` by ``>>``.
    """
    return _Union(name)


def by_kind(rest: Any = None, **parts: Any) -> Branches:
    """A branch for each kind of column: ``by_kind(numeric=StandardScaler(), nominal=TableEncoder())``.

    Parameters
    ----------
    rest : a part for the columns of all other kinds, or "passthrough"; None drops them.
    parts : a part for each kind; ``numeric``, ``binary``, ``nominal``, ``ordinal``, ``text``.

    Returns
    -------
    The branches, to be joined by ``>>``.

    >>> from probus.data import Table
    >>> from probus.preprocessing import StandardScaler, TableEncoder
    >>> table = Table.of({"age": [20, 40], "town": ["Rome", "Bonn"]}, {"town": "nominal"})
    >>> (by_kind(numeric=StandardScaler(), rest=TableEncoder()) >> union()).fit_transform(table).to_dict()
    {'age': [-1.0, 1.0], 'town_Bonn': [0.0, 1.0], 'town_Rome': [1.0, 0.0]}
    """
    kinds = {name: Kind.of(name) for name in parts}
    if not parts:
        raise DataError("by_kind without kinds.", "a part for at least one of " + ", ".join(Kind))
    branches = [_after_select(Select(kind=str(kind)), parts[name]) for name, kind in kinds.items()]
    others = [str(kind) for kind in Kind if kind not in kinds.values()]
    if rest is not None and others:
        branches.append(_after_select(Select(kind=others), rest))
    return Branches(tuple(map(Node, branches)))


def choose(_choice: str | None = None, /, **alternatives: Any) -> OneOf:
    """One of several parts, chosen by a parameter that can be tuned: ``OneOf``.

    Parameters
    ----------
    _choice : the name of the part that is used.
    alternatives : the parts by name.

    Returns
    -------
    The part that is one of them.

    >>> from sklearn.decomposition import PCA
    >>> choose(pca=PCA(2), none="passthrough").set_params(choice="none")
    OneOf(alternatives=[('pca', PCA(n_components=2)), ('none', 'passthrough')],
          choice='none')
    """
    return OneOf(
        [(name, _finish(part)) for name, part in alternatives.items()], _choice or next(iter(alternatives), None)
    )


def average(weights: Listed[float] | None = None) -> _Average:
    """Join branches that end in models: the mean of their probabilities or numbers, as ``VotingClassifier`` has it.

    Parameters
    ----------
    weights : the weight of each branch; None is equal ones.

    Returns
    -------
    The join, to be put after ``branch`` by ``>>``.

    >>> from probus.dummy import OneRClassifier
    >>> from probus.naive_bayes import NaiveBayes
    >>> branch(NaiveBayes(), OneRClassifier()) >> average()
    VotingClassifier(estimators=[('naivebayes', NaiveBayes()),
                                 ('oner', OneRClassifier())],
                     voting='soft')
    """
    return _Average(weights)


def stack(final: Any = None, **options: Any) -> _StackOf:
    """Join branches that end in models by a final model, fitted on their cross-validated predictions.

    Parameters
    ----------
    final : the final model; by default that of ``StackingClassifier`` or ``StackingRegressor``.
    options : their other parameters, such as ``cv`` and ``passthrough``.

    Returns
    -------
    The join, to be put after ``branch`` by ``>>``.
    """
    return _StackOf(final, tuple(options.items()))


# -- putting parts together ----------------------------------------------------------------------------


def _then(first: Any, second: Any) -> Any:
    """One piece after another: a Node, or Branches."""
    if isinstance(first, (_Union, _Average, _StackOf)):
        raise DataError(f"{_code_of(first)} without branches before it.", "branch(a, b) >> " + _code_of(first))
    if isinstance(first, Branches):
        return _then(_join(first, union()), second) if isinstance(second, Branches) else _join(first, second)
    if isinstance(second, (_Union, _Average, _StackOf)):
        raise DataError(f"{_code_of(second)} after a single part.", "branch(a, b) >> " + _code_of(second))
    if isinstance(second, Branches):
        before = first if second.before is None else _then(first, second.before)
        return Branches(second.parts, before)
    if _is_sampler(first.part) and isinstance(second.part, Graph):
        return Node(sampled(first.part, second.part))
    if isinstance(first.part, Graph) or isinstance(second.part, Graph):
        return Node(_append(_nodes_of(first), second))
    return Node(_checked_sequence([*_steps_of(first), *_steps_of(second)]))


def _join(branches: Branches, joiner: Any) -> Node:
    if isinstance(joiner, (_Average, _StackOf)):
        model = Node(_ensemble(branches.parts, joiner))
        return model if branches.before is None else _then(branches.before, model)
    nodes = [] if branches.before is None else _nodes_of(branches.before)
    start, ends = nodes[-1].name if nodes else INPUT, []
    for part in branches.parts:
        added = _place(nodes, part, (start,))
        nodes += added
        ends.append(added[-1].name)
    if isinstance(joiner, _Union):
        joiner = Node(PASSTHROUGH, joiner.name or _distinct("union", [node.name for node in nodes]))
    added = _place(nodes, joiner, ends)
    return Node(Graph(_list(nodes + added)))


def _ensemble(parts: tuple[Node, ...], joiner: _Average | _StackOf) -> Any:
    members: list[tuple[str, Any]] = []
    for part in parts:
        members.append((part.name or _free_name(part.part, [name for name, _ in members]), part.part))
    models = [model for _, model in members]
    if not (all(map(is_classifier, models)) or all(map(is_regressor, models))):
        shown = ", ".join(type(model).__name__ for model in models)
        raise DataError(f"branches of {shown} before {_code_of(joiner)}.", "only classifiers, or only regressors")
    for_classes = is_classifier(models[0])
    if isinstance(joiner, _StackOf):
        ensemble = StackingClassifier if for_classes else StackingRegressor
        return ensemble(members, joiner.final, **dict(joiner.options))
    if for_classes:
        return VotingClassifier(members, voting="soft", weights=joiner.weights)
    return VotingRegressor(members, weights=joiner.weights)


def _append(nodes: list[GraphNode], piece: Node) -> Graph:
    return Graph(_list(nodes + _place(nodes, piece, (nodes[-1].name,))))


def _place(nodes: list[GraphNode], piece: Node, inputs: Iterable[str]) -> list[GraphNode]:
    """The nodes of a piece behind those inputs, with names that are not taken; a named piece is one node."""
    taken = [node.name for node in nodes]
    inside = _nodes_of(piece) if piece.name is None else [GraphNode(piece.name, piece.part, (INPUT,))]
    renamed: dict[str, tuple[str, ...]] = {INPUT: tuple(inputs)}
    placed = []
    for node in inside:
        if piece.name is not None and node.name in taken:
            raise DataError(f"two nodes called {node.name!r}.", "a name for each node of its own")
        name = _distinct(node.name, taken)
        taken.append(name)
        placed.append(GraphNode(name, node.part, tuple(new for old in node.inputs for new in renamed[old])))
        renamed[node.name] = (name,)
    return placed


def _nodes_of(piece: Node) -> list[GraphNode]:
    """A piece as nodes in order, the sink last."""
    if isinstance(piece.part, Graph) and piece.name is None:
        return list(piece.part.shape().order)
    nodes, before = [], INPUT
    for name, part in _steps_of(piece):
        nodes.append(GraphNode(name, part, (before,)))
        before = name
    return nodes


def _steps_of(piece: Node) -> list[tuple[str, Any]]:
    if type(piece.part) is Sequence and piece.name is None:
        return list(piece.part.steps)
    return [(piece.name or _name_of(piece.part), piece.part)]


def _checked_sequence(steps: list[tuple[str, Any]]) -> Any:
    """A sequence; a model itself where all that precedes it is a sampler, which becomes part of the model."""
    steps = _with_samplers(steps)
    if len(steps) == 1 and isinstance(steps[0][1], (SampledClassifier, SampledRegressor)):
        return steps[0][1]
    names: list[str] = []
    for name, _ in steps:
        names.append(_distinct(name, names))
    for name, part in zip(names[:-1], (part for _, part in steps), strict=False):
        if not (isinstance(part, str) or hasattr(part, "transform") or _is_sampler(part)):
            raise DataError(
                f"{name!r} ({type(part).__name__}) has no transform, and is not the last of the sequence.",
                "transformers before the model",
            )
    return Sequence([(name, part) for name, (_, part) in zip(names, steps, strict=True)])


def _with_samplers(steps: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """The steps, those from the first sampler on as one model, if the last step is a model."""
    first = next((place for place, (_, part) in enumerate(steps[:-1]) if _is_sampler(part)), None)
    last = steps[-1][1]
    if first is None or isinstance(last, str) or not (is_classifier(last) or is_regressor(last)):
        return steps
    rest = _checked_sequence(steps[first + 1 :]) if len(steps) > first + 2 else last
    model = sampled(steps[first][1], rest)
    return [*steps[:first], (_name_of(model), model)]


def _is_sampler(part: Any) -> bool:
    return hasattr(part, "fit_resample") and not hasattr(part, "transform")


def _after_select(selected: Select, part: Any) -> Any:
    return selected if isinstance(part, str) and part == PASSTHROUGH else sequence(selected, part)


def _finish(part: Any) -> Any:
    """A part of a branch as an estimator; branches inside of branches are joined."""
    if isinstance(part, Branches):
        return sequence(part, union())
    if isinstance(part, Node):
        return part.part
    return _check_part(part)


def _check_part(part: Any) -> Any:
    if not is_part(part):
        hint = f"Pass {part.__name__}()." if isinstance(part, type) else ""
        raise DataError(f"found {part!r:.60}.", "an estimator, or 'passthrough'", hint)
    return part


def _code_of(joiner: Any) -> str:
    return {_Union: "union()", _Average: "average()", _StackOf: "stack()"}[type(joiner)]


def _name_of(part: Any) -> str:
    return part if isinstance(part, str) else type(part).__name__.lower()


def _free_name(part: Any, taken: list[str]) -> str:
    last = part.steps[-1][1] if hasattr(part, "steps") else part
    return _distinct(_name_of(last).removesuffix("classifier").removesuffix("regressor"), taken)


def _distinct(name: str, taken: Iterable[str]) -> str:
    """The name, numbered where it is taken: it stays an identifier, so that ``set_params`` can use it."""
    taken, number, numbered = set(taken), 1, name
    while numbered in taken:
        number += 1
        numbered = f"{name}_{number}"
    return numbered


def _list(nodes: Iterable[GraphNode]) -> list[tuple[str, Any, tuple[str, ...]]]:
    return [(node.name, node.part, node.inputs) for node in nodes]
