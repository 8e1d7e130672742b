"""Models with their preparation in front: ``tabular`` puts there exactly what a model's declaration asks for."""

from probus.pipeline.tabular import TabularPipeline, tabular

__all__ = ["TabularPipeline", "tabular"]
