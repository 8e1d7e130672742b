"""Models with their preparation in front: ``tabular`` puts there exactly what a model's declaration asks for."""

from probus.borrowing import borrow
from probus.pipeline.tabular import TabularPipeline, tabular

__all__ = ["TabularPipeline", "tabular"]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.pipeline": ("FeatureUnion", "make_pipeline", "make_union", "Pipeline"),
})  # fmt: skip
