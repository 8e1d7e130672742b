"""Pipelines of preprocessing and a model: ``tabular`` adds exactly the steps that a model's declaration needs."""

from probus.borrowing import borrow
from probus.pipeline.tabular import TabularPipeline, tabular

__all__ = ["TabularPipeline", "tabular"]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.pipeline": ("FeatureUnion", "make_pipeline", "make_union", "Pipeline"),
})  # fmt: skip
