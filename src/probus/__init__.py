"""Probus: machine learning on tables, proven.

Any model on any table, every number with its uncertainty. This module has the functions (``read``, ``examine``,
``tabular``, ``resample``, ``compare``, ``tune``, ``study``, ``explore``, ``save``, ``load``); the classes are in
packages (``probus.naive_bayes``, ``probus.neighbors``, …). Packages are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from probus.comparison import compare as compare
    from probus.data import Column as Column
    from probus.data import Kind as Kind
    from probus.data import Schema as Schema
    from probus.data import Table as Table
    from probus.data import Task as Task
    from probus.data import examine as examine
    from probus.data import read as read
    from probus.errors import DataError as DataError
    from probus.errors import FailedModelError as FailedModelError
    from probus.errors import ModelFileError as ModelFileError
    from probus.errors import ProbusError as ProbusError
    from probus.errors import SchemaError as SchemaError
    from probus.exploration import explore as explore
    from probus.inspection import distil as distil
    from probus.inspection import explain as explain
    from probus.inspection import importance as importance
    from probus.lifecycle import study as study
    from probus.model_selection import bias_variance as bias_variance
    from probus.model_selection import learning_curve as learning_curve
    from probus.model_selection import nested as nested
    from probus.model_selection import resample as resample
    from probus.model_selection import validation_curve as validation_curve
    from probus.patch import patch_sklearn as patch_sklearn
    from probus.patch import patched_sklearn as patched_sklearn
    from probus.patch import unpatch_sklearn as unpatch_sklearn
    from probus.persistence import load as load
    from probus.persistence import save as save
    from probus.pipeline import tabular as tabular
    from probus.report import profile as profile
    from probus.tuning import tune as tune

_MODULE_OF = {
    "Column": "probus.data",
    "Kind": "probus.data",
    "Schema": "probus.data",
    "Table": "probus.data",
    "Task": "probus.data",
    "examine": "probus.data",
    "read": "probus.data",
    "DataError": "probus.errors",
    "FailedModelError": "probus.errors",
    "ModelFileError": "probus.errors",
    "ProbusError": "probus.errors",
    "SchemaError": "probus.errors",
    "tabular": "probus.pipeline",
    "save": "probus.persistence",
    "load": "probus.persistence",
    "patch_sklearn": "probus.patch",
    "patched_sklearn": "probus.patch",
    "unpatch_sklearn": "probus.patch",
    "resample": "probus.model_selection",
    "nested": "probus.model_selection",
    "learning_curve": "probus.model_selection",
    "validation_curve": "probus.model_selection",
    "bias_variance": "probus.model_selection",
    "compare": "probus.comparison",
    "distil": "probus.inspection",
    "explain": "probus.inspection",
    "importance": "probus.inspection",
    "explore": "probus.exploration",
    "profile": "probus.report",
    "study": "probus.lifecycle",
    "tune": "probus.tuning",
}
_PACKAGES = (
    "active", "anomaly", "association", "augmentation", "base", "calibration", "cluster", "comparison", "compose",
    "data", "datasets", "decomposition", "discriminant_analysis", "distances", "distributions", "dummy", "ensemble",
    "errors", "exploration", "fairness", "feature_selection", "gaussian_process", "impute", "in_context",
    "inspection", "kernel_ridge", "lifecycle", "linear_model", "losses", "manifold", "metrics", "mixture",
    "model_selection", "multiclass", "naive_bayes", "neighbors", "neural_network", "patch", "persistence", "pipeline",
    "preprocessing", "recommend", "report", "semi_supervised", "spaces", "svm", "testing", "tree", "tuning",
)  # fmt: skip

__all__ = [*_MODULE_OF, *_PACKAGES]


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        return getattr(import_module(_MODULE_OF[name]), name)
    if name in _PACKAGES:
        return import_module(f"probus.{name}")
    if name.startswith("_"):
        raise AttributeError(f"module 'probus' has no attribute {name!r}")
    from probus.synonyms import answer

    raise AttributeError(f"module 'probus' has no attribute {name!r}.{answer(name, _PACKAGES)}")


def __dir__() -> list[str]:
    return sorted(__all__)
