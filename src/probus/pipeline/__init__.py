"""Sequences and graphs of transformers and models, and ``tabular``, which adds the steps that a model needs.

``a >> b`` is a ``Sequence``: scikit-learn's Pipeline, through which weights, groups and validation rows travel.
``branch(a, b) >> union() >> model`` is a ``Graph``; ``select`` and ``by_kind`` select columns, ``choose`` makes one of
several parts a parameter, ``average`` and ``stack`` join branches that end in models.
``diagram`` draws any of them.
"""

from probus.borrowing import borrow
from probus.pipeline._composing import Branches, Node, average, branch, by_kind, choose, select, sequence, stack, union
from probus.pipeline._diagram import Diagram, diagram
from probus.pipeline._flow import named_frame, takes_tables
from probus.pipeline._graph import Graph
from probus.pipeline._one_of import OneOf
from probus.pipeline._select_columns import Select
from probus.pipeline._sequence import Sequence
from probus.pipeline._tabular import TabularPipeline, tabular
from probus.pipeline._words_beside import WordsBeside

__all__ = [
    "Branches",
    "Diagram",
    "Graph",
    "Node",
    "OneOf",
    "Select",
    "Sequence",
    "TabularPipeline",
    "WordsBeside",
    "average",
    "branch",
    "by_kind",
    "choose",
    "diagram",
    "select",
    "sequence",
    "stack",
    "tabular",
    "union",
]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.pipeline": ("FeatureUnion", "make_pipeline", "make_union", "Pipeline"),
})  # fmt: skip
