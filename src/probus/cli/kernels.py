"""The compiled functions of the package, found rather than listed, and tiny data that makes each of them compile."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import probus

__all__ = ["all_kernels", "warm_jobs"]


def all_kernels() -> dict[str, Any]:
    """Every Numba function of the package by its full name; imports every room."""
    from numba.core.dispatcher import Dispatcher

    kernels = {}
    for found in pkgutil.walk_packages(probus.__path__, "probus."):
        if found.name.startswith("probus.cli") or found.name == "probus.__main__":
            continue
        module = importlib.import_module(found.name)
        for name, value in vars(module).items():
            if isinstance(value, Dispatcher) and value.__module__ == found.name:
                kernels[f"{found.name}.{name}"] = value
    return kernels


def warm_jobs() -> list[tuple[str, Callable[[], Any]]]:
    """What to call so that every kernel meets the types it will meet in use: a name and a function each."""
    from probus.dummy import OneRClassifier
    from probus.metrics import estimate
    from probus.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB, NaiveBayes
    from probus.neighbors import KNeighborsClassifier, gower_distances
    from probus.preprocessing import GowerImputer

    rows = np.random.default_rng(0)
    numbers, y = rows.normal(size=(600, 12)), rows.integers(0, 2, 600)
    counts = rows.integers(0, 3, (600, 12))
    # one row so far out that single precision cannot hold the rest apart
    stretched = np.vstack([numbers, np.full((1, 12), 1e9)])
    chances = rows.random(600)
    mixed = probus.Table.of({"x": numbers[:, 0], "level": np.array(["a", "b", "c"])[counts[:, 0]]})

    def use(model: Any, X: Any) -> None:
        model.fit(X, y[: len(X)] if len(X) <= len(y) else np.append(y, 0)).predict(X)

    jobs: list[tuple[str, Any, Any]] = [
        ("One-R", OneRClassifier(), numbers),
        ("naive Bayes, Gaussian", GaussianNB(), numbers),
        ("naive Bayes, counts", MultinomialNB(), counts),
        ("naive Bayes, presence", BernoulliNB(), counts),
        ("naive Bayes, codes", CategoricalNB(), counts),
        ("naive Bayes, mixed", NaiveBayes(), mixed),
        ("naive Bayes, kernel densities", NaiveBayes(numeric="kernel"), mixed),
        ("neighbours, few rows", KNeighborsClassifier(algorithm="brute"), numbers[:50]),
        ("neighbours, many rows", KNeighborsClassifier(algorithm="brute"), numbers),
        ("neighbours, far apart", KNeighborsClassifier(algorithm="brute"), stretched),
        ("neighbours, city block", KNeighborsClassifier(metric="manhattan", algorithm="brute"), numbers),
        ("neighbours, Gower", KNeighborsClassifier(metric="gower"), mixed),
    ]
    return [
        *((name, partial(use, model, X)) for name, model, X in jobs),
        ("distances, Gower", partial(gower_distances, mixed.take(slice(0, 20)))),
        ("imputing, Gower", partial(GowerImputer().fit_transform, mixed)),
        ("intervals by bootstrap", partial(estimate, ["roc_auc", "f1", "log_loss"], y, chances, method="bca")),
    ]
