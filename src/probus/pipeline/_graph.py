"""Directed graphs of transformers and models, as one estimator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Bunch, Tags, TransformerTags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Model
from probus.data import Table
from probus.errors import DataError, ModelFileError
from probus.naive_bayes import NaiveBayes
from probus.parameters import attribute, parameter
from probus.pipeline._drawable import Drawable
from probus.pipeline._flow import as_table, checked_output, graph_input, joined, names_of, suited_to, target_for
from probus.pipeline._graph_shape import INPUT, PASSTHROUGH, GraphNode, GraphShape, shape_of
from probus.pipeline._inner_predictions import (
    classes_of,
    cross_predicted,
    passes_predictions,
    predicted_columns,
    prediction_names,
)
from probus.pipeline._row_metadata import (
    PER_ROW,
    VALIDATION,
    GivenRows,
    given_to,
    routed,
    router_of,
    split_given,
    weights_allowed,
)
from probus.pipeline._select_columns import Select
from probus.pipeline._validation_rows import before_preparation, unseen_levels_expected
from probus.preprocessing import in_container_of
from probus.sklearn_seam import BaseComposition, get_output_config
from probus.state import Either, Many, Object, Spec, String
from probus.wrapping import accepted_by_all, validation_parameters

_Value = tuple[Any, list[str]]  # what a node passes on, and the names of its columns


def _sink_has(method: str) -> Callable[[Graph], bool]:
    def check(graph: Graph) -> bool:
        sink = graph._sink()
        return method == "transform" if isinstance(sink, str) else hasattr(sink, method)

    return check


class Graph(Drawable, BaseComposition, Model):
    """A directed graph of transformers and models with one source and one sink, as one estimator.

    ``branch(a, b) >> union() >> model`` builds one. Each node is fitted on the output of its inputs; several inputs are
    joined side by side, as typed columns where there are types. Nodes of Probus get a Table, others a frame or an
    array. A model that is not the sink passes on its predictions: for the training rows those of cross-validation. A
    node that gets no columns, because its branch selects none, is left out.

    ``fit`` takes ``sample_weight``, ``groups`` and ``sensitive_features``, which every node gets whose ``fit`` takes
    them; ``X_val`` and ``y_val`` for early stopping of the sink, transformed by the fitted nodes; ``node__parameter``;
    and a ``Task`` instead of X and y. If the sink holds out validation rows itself, they are held out before any node
    is fitted.

    Attributes
    ----------
    nodes_ : the fitted parts, in the order of ``shape()``; "passthrough" for those left out.
    named_nodes_ : the same by name.
    classes_ : the classes, if the sink is a classifier.

    >>> from probus.datasets import penguins
    >>> from probus.naive_bayes import GaussianNB
    >>> from probus.pipeline import by_kind, union
    >>> from probus.preprocessing import StandardScaler, TableEncoder, TypedImputer
    >>> birds = penguins()
    >>> coded = by_kind(numeric=StandardScaler(), rest=TableEncoder()) >> union()
    >>> graph = TypedImputer() >> coded >> GaussianNB()
    >>> graph.fit(birds.drop("species"), birds["species"]).predict(birds.head(2)).tolist()
    ['Adelie', 'Adelie']
    """

    nodes_: list[Any] = attribute()
    fitted: ClassVar[dict[str, Spec]] = {"nodes_": Many(Either(Object(BaseEstimator), String((PASSTHROUGH,))))}
    passes_on = (*PER_ROW, *VALIDATION)

    nodes: list[tuple[str, Any, Any]] = parameter(
        'A list of (name, part, inputs): an estimator or "passthrough", and the names of its input nodes, or "input".',
        kw_only=False,
    )

    @classmethod
    def examples(cls) -> list[Model]:
        """A classifier and a transformer, on tables of any kind."""
        both: Any = [
            ("numbers", Select(kind="numeric"), INPUT),
            ("others", Select(kind=["binary", "nominal", "ordinal"]), INPUT),
            ("join", PASSTHROUGH, ("numbers", "others")),
        ]
        return [
            cls([*both, ("model", NaiveBayes(), "join")]),
            cls(both),
        ]

    # -- shape and parameters --------------------------------------------------------------------------

    def shape(self) -> GraphShape:
        """The nodes in the order in which they are fitted; an error where they do not form a graph with one sink."""
        return shape_of(self.nodes, {"nodes"})

    @property
    def named_nodes_(self) -> Bunch:
        """The fitted parts by name."""
        check_is_fitted(self)
        return Bunch(**{node.name: part for node, part in zip(self.shape().order, self.nodes_, strict=True)})

    @property
    def classes_(self) -> np.ndarray:
        """The classes of the sink."""
        return self._fitted_sink().classes_

    @property
    def _named_parts(self) -> list[tuple[str, Any]]:
        try:
            return [(name, part) for name, part, _ in self.nodes]
        except (TypeError, ValueError):
            return self.nodes  # type: ignore[return-value]  # not valid, which fit reports

    @_named_parts.setter
    def _named_parts(self, value: list[tuple[str, Any]]) -> None:
        self.nodes = [(name, part, node[2]) for (name, part), node in zip(value, self.nodes, strict=True)]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters; nodes by name, and theirs as ``node__parameter``."""
        return self._get_params("_named_parts", deep=deep)

    def set_params(self, **params: Any) -> Graph:
        """Set nodes by name, or their parameters as ``node__parameter``."""
        if "nodes" in params:
            self.nodes = params.pop("nodes")
        self._set_params("_named_parts", **params)
        return self

    def get_metadata_routing(self) -> Any:
        """Parameters of ``fit`` go to the nodes that request them."""
        return router_of(self, self._named_parts)

    def _sink(self) -> Any:
        """The fitted sink, or the one to be fitted."""
        return self.nodes_[-1] if hasattr(self, "nodes_") else self.shape().sink.part

    @property
    def inner_models(self) -> list[Any]:
        """The sink, which gets the validation rows."""
        return [self.shape().sink.part]

    def _fitted_sink(self) -> Any:
        check_is_fitted(self)
        return self.nodes_[-1]

    def _first_parts(self) -> list[Any]:
        """The parts that get the input of the graph."""
        return [node.part for node in self.shape().order if INPUT in node.inputs and not isinstance(node.part, str)]

    @property
    def accepts(self) -> Accepts:
        """What all nodes that get the input of the graph accept."""
        return replace(accepted_by_all(self._first_parts()), weights=weights_allowed(self.shape().sink.part))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        sink = self.shape().sink.part
        if not isinstance(sink, str):
            inner = get_tags(sink)
            tags.estimator_type, tags.target_tags = inner.estimator_type, inner.target_tags
            tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        if _sink_has("transform")(self):
            tags.transformer_tags = TransformerTags(preserves_dtype=[])
        return tags

    # -- fit -------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **params: Any) -> Graph:
        """Fit the nodes, each after its inputs; see the class for what else it takes."""
        self._fit(X, y, {"sample_weight": sample_weight, **params})
        return self

    @available_if(_sink_has("transform"))
    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None, **params: Any) -> Any:
        """``fit`` and ``transform`` of the same rows, with the output that each node has for its training rows."""
        value, _ = self._fit(X, y, {"sample_weight": sample_weight, **params}, transform=True)
        return self._contained(value, X)

    def _fit(self, X: Any, y: Any, params: Mapping[str, Any], *, transform: bool = False) -> _Value:
        shape = self.shape()
        given = split_given(X, y, params, type(self).__name__)
        if len(shape.order) > 1:
            given = before_preparation(shape.sink.part, given)
        shares = routed(self, given.per_row)
        _check_nodes(given.others, [node.name for node in shape.order])
        rows = graph_input(self, given.X, parts=self._first_parts(), reset=True)
        values: dict[str, _Value] = {INPUT: (rows, names_of(rows))}
        self.__dict__.pop("nodes_", None)  # a fit that fails leaves no model
        fitted: list[Any] = []
        for node in shape.order:
            value = _into(node, values)
            is_sink = node is shape.sink
            if is_sink and not value[0].shape[1]:
                raise DataError(f"no column reaches node {node.name!r}.", "at least one column")
            if isinstance(node.part, str) or (not value[0].shape[1] and not is_sink):
                fitted.append(PASSTHROUGH)
                values[node.name] = value
                continue
            part = clone(node.part)
            taken = given_to(part, given.per_row, last=is_sink) if shares is None else shares[node.name]
            own = {**taken, **_for_node(node.name, given.others)}
            if is_sink:
                own |= validation_parameters(part, self._validation(given, fitted))
            values[node.name] = _fitted_output(node, part, value, given, own, only_fit=is_sink and not transform)
            fitted.append(part)
        self.nodes_ = fitted
        return values[shape.sink.name]

    def _validation(self, given: GivenRows, fitted: list[Any]) -> dict[str, Any]:
        """The validation rows as they reach the sink, transformed by the nodes that are fitted."""
        if not given.validation:
            return {}
        with unseen_levels_expected():
            rows = graph_input(self, given.validation["X_val"], reset=False)
            return {**given.validation, "X_val": self._through(rows, fitted)}

    # -- use -------------------------------------------------------------------------------------------

    def _through(self, rows: Any, fitted: list[Any]) -> Any:
        """What the sink is given for these rows, by the fitted nodes before it."""
        values: dict[str, _Value] = {INPUT: (rows, names_of(rows))}
        *others, last = self.shape().order
        for node, part in zip(others, fitted, strict=True):
            value = _into(node, values)
            values[node.name] = value if isinstance(part, str) else _output(node.name, part, value)
        value, _ = _into(last, values)
        return value if isinstance(last.part, str) else suited_to(last.part, value)

    def _at_sink(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._through(graph_input(self, X, reset=False), self.nodes_[:-1])

    def set_output(self, *, transform: str | None = None) -> Graph:
        """The container of what ``transform`` returns: "pandas", "polars", or "default", the one that it is given."""
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    def _contained(self, value: Any, X: Any) -> Any:
        """The output in the container that ``set_output`` selects, else in that of the input."""
        if get_output_config("transform", self)["dense"] != "default" and not isinstance(value, Table):
            value = as_table(value, self.get_feature_names_out())
        return in_container_of(self, value, X) if isinstance(value, Table) else value

    @available_if(_sink_has("predict"))
    def predict(self, X: Any, **params: Any) -> Any:
        """The prediction of the sink for each row."""
        return self._fitted_sink().predict(self._at_sink(X), **params)

    @available_if(_sink_has("predict_proba"))
    def predict_proba(self, X: Any, **params: Any) -> Any:
        """The probability of each class."""
        return self._fitted_sink().predict_proba(self._at_sink(X), **params)

    @available_if(_sink_has("predict_log_proba"))
    def predict_log_proba(self, X: Any, **params: Any) -> Any:
        """The logarithm of the probability of each class."""
        return self._fitted_sink().predict_log_proba(self._at_sink(X), **params)

    @available_if(_sink_has("decision_function"))
    def decision_function(self, X: Any, **params: Any) -> Any:
        """The decision function of the sink."""
        return self._fitted_sink().decision_function(self._at_sink(X), **params)

    @available_if(_sink_has("score"))
    def score(self, X: Any, y: Any = None, sample_weight: Any = None, **params: Any) -> float:
        """The score of the sink."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self._fitted_sink().score(self._at_sink(X), y, **weights, **params)

    @available_if(_sink_has("transform"))
    def transform(self, X: Any) -> Any:
        """The columns that leave the sink, in the type of container that was given."""
        value, sink = self._at_sink(X), self._fitted_sink()
        if not isinstance(sink, str):
            value = sink.transform(value)
        return self._contained(value, X)

    @available_if(_sink_has("transform"))
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns that leave the sink."""
        check_is_fitted(self)
        start = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        names: dict[str, list[str]] = {INPUT: list(start if input_features is None else input_features)}
        for node, part in zip(self.shape().order, self.nodes_, strict=True):
            empty = [(name, np.empty((0, len(names[name]))), names[name]) for name in node.inputs]
            own = joined(empty)[1]
            names[node.name] = own if isinstance(part, str) else _output_names(node.name, part, None)
        return np.array(names[self.shape().sink.name], dtype=object)

    # -- files -----------------------------------------------------------------------------------------

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless there is a fitted part for each node."""
        order = self.shape().order
        if len(order) != len(self.nodes_):
            raise ModelFileError(f"{len(self.nodes_)} fitted nodes.", str(len(order)))


def _into(node: GraphNode, values: Mapping[str, _Value]) -> _Value:
    """What a node is given: the joined output of its inputs."""
    return joined([(name, *values[name]) for name in node.inputs])


def _check_nodes(others: Mapping[str, Any], names: list[str]) -> None:
    for key in others:
        if key.partition("__")[0] not in names:
            raise DataError(f"Graph.fit has the parameter {key!r}.", f"node__parameter, of {', '.join(names)}")


def _for_node(name: str, others: Mapping[str, Any]) -> dict[str, Any]:
    return {key.partition("__")[2]: value for key, value in others.items() if key.partition("__")[0] == name}


def _fitted_output(
    node: GraphNode, part: Any, value: _Value, given: GivenRows, own: dict[str, Any], *, only_fit: bool
) -> _Value:
    """Fit a part, and what it passes on for the training rows."""
    X = suited_to(part, value[0])
    y = target_for(part, given.y)
    if only_fit:
        part.fit(X, y, **own)
        return value
    if passes_predictions(part):
        part.fit(X, y, **own)
        columns = cross_predicted(node.part, X, y, own, given.per_row.get("groups"), part)
        return columns, prediction_names(node.name, classes_of(part), columns.shape[1])
    if hasattr(part, "fit_transform"):
        output = part.fit_transform(X, y, **own)
    else:
        output = part.fit(X, y, **own).transform(X)
    output = checked_output(node.name, output, value[0].shape[0])
    return output, _output_names(node.name, part, output)


def _output(node: str, part: Any, value: _Value) -> _Value:
    """What a fitted part passes on for new rows."""
    X = suited_to(part, value[0])
    if passes_predictions(part):
        columns = predicted_columns(part, X, classes_of(part))
        return columns, prediction_names(node, classes_of(part), columns.shape[1])
    output = checked_output(node, part.transform(X), value[0].shape[0])
    return output, _output_names(node, part, output)


def _output_names(node: str, part: Any, output: Any) -> list[str]:
    """The names of the columns that a part returns: those of a typed output, its own, or the node with a number."""
    if isinstance(output, Table) or (output is not None and hasattr(output, "columns")):
        return [str(name) for name in names_of(output)]
    if passes_predictions(part):
        return prediction_names(node, classes_of(part))
    if hasattr(part, "get_feature_names_out"):
        names = [str(name) for name in part.get_feature_names_out()]
        if output is None or len(names) == output.shape[1]:
            return names
    if output is None:
        raise DataError(f"node {node!r} ({type(part).__name__}) has no get_feature_names_out.", "a part that has it")
    return [f"{node}_{j}" for j in range(output.shape[1])]
