"""Tables that are awkward and valid: constant, tiny, huge, far from zero, nearly of one class."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from probus.testing._outputs import outputs
from probus.testing._specimen import Specimen
from probus.testing.behaviours._behaviour import behaviour

__all__: list[str] = []

_N = 40


def _tables(specimen: Specimen) -> Iterator[tuple[str, np.ndarray]]:
    rng = np.random.default_rng(0)
    X = np.column_stack([specimen.numbers(_N, rng) for _ in range(3)])
    yield "a constant column", np.column_stack([X, np.ones(_N)])
    yield "constant columns", np.ones((_N, 2))
    yield "zeros", np.zeros((_N, 2))
    yield "five rows", X[:5]
    yield "rows ten times", np.repeat(X[:4], 10, axis=0)
    yield "values near 1e100", X * 1e100
    yield "values near 1e155", X * 1e155
    yield "values near 1e-100", X * 1e-100
    yield "columns of different scales", X * [1e-12, 1.0, 1e12]
    yield "columns far from zero", X + 1e9


def _targets(specimen: Specimen, n: int) -> Iterator[tuple[str, object]]:
    y = specimen.target(n)
    yield "", y
    if specimen.is_classifier:
        yield ", one class of one row", np.array(["rare", *["common"] * (n - 1)])
    elif y is not None:
        yield ", a constant target", np.full(n, 2.0)
        yield ", a target near 1e100", y * 1e100
        yield ", a target near 1e-100", y * 1e-100


@behaviour()
def awkward_tables_raise_no_warning_of_arithmetic(specimen: Specimen) -> None:
    """A fit succeeds without RuntimeWarnings of NumPy, or is refused with an error that says why."""
    for name, X in _tables(specimen):
        for target, y in _targets(specimen, len(X)) if name == "a constant column" else [("", specimen.target(len(X)))]:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    outputs(specimen.fitted(X, y), X)
                except np.linalg.LinAlgError as error:
                    raise AssertionError(f"{name}{target}: {error}") from error
                except ValueError:
                    continue
            texts = {str(each.message) for each in caught if issubclass(each.category, RuntimeWarning)}
            assert not texts, f"{name}{target}: {texts}"
