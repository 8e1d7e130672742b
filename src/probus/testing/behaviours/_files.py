"""Model files: a loaded model predicts as the saved one, and forged indices do no harm."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import SkipTest

import numpy as np

from probus.errors import ModelFileError
from probus.persistence import load, name_of, save
from probus.state import Array, Either, Labels, Many, Maybe, Size, Spec, check_state
from probus.testing._outputs import assert_equal_outputs, outputs, state_of
from probus.testing._specimen import Specimen
from probus.testing.behaviours._behaviour import behaviour

__all__: list[str] = []


def _must_be_registered(specimen: Specimen) -> None:
    try:
        name_of(specimen.model)
    except ModelFileError:
        raise SkipTest("model files hold the estimators of Probus only") from None


@behaviour()
def a_saved_model_predicts_the_same(specimen: Specimen) -> None:
    """Saving and loading changes no bit of any output, and saving again no byte of the file."""
    _must_be_registered(specimen)
    table = specimen.table()
    model = specimen.fitted(table)
    with TemporaryDirectory() as folder:
        path = save(model, Path(folder) / "model.probus")
        loaded = load(path)
        again = save(loaded, Path(folder) / "again.probus")
        assert again.read_bytes() == path.read_bytes(), "the file of the loaded model is another"
    assert repr(loaded) == repr(model), f"{loaded!r} is not {model!r}"
    assert_equal_outputs(outputs(loaded, table), outputs(model, table))


@behaviour()
def an_unfitted_model_is_saved_unfitted(specimen: Specimen) -> None:
    """The parameters come back, and fitting works."""
    _must_be_registered(specimen)
    table = specimen.table()
    with TemporaryDirectory() as folder:
        loaded = load(save(specimen.fresh(), Path(folder) / "model.probus"))
    assert not state_of(loaded), f"it is fitted: {sorted(state_of(loaded))}"
    loaded.fit(table, specimen.target(len(table)))


@behaviour()
def every_fitted_attribute_is_declared(specimen: Specimen) -> None:
    """``fitted`` declares all attributes that fit sets, and they match the declaration."""
    model = specimen.fitted()
    state = state_of(model)
    undeclared = sorted(state.keys() - type(model).fitted_state().keys())
    assert not undeclared, f"not declared in `fitted`: {', '.join(undeclared)}"
    check_state(type(model).__name__, type(model).fitted_state(), state)
    model.check_fitted_state()


@behaviour()
def ranges_refer_to_sizes_that_are_declared(specimen: Specimen) -> None:
    """An index below K is checked only where something else is K long."""
    declared = list(_parts_of(type(specimen.model).fitted_state().values()))
    bound = {letter for spec in declared for letter in _letters_of(spec)}
    unbound = {spec.high for spec in declared if isinstance(spec, Array) and isinstance(spec.high, str)} - bound
    assert not unbound, f"nothing declared is as long as {', '.join(sorted(unbound))}"


def _parts_of(specs: Iterable[Spec]) -> Iterator[Spec]:
    for spec in specs:
        yield spec
        if isinstance(spec, (Many, Maybe)):
            yield from _parts_of([spec.of])


def _letters_of(spec: Spec) -> list[str]:
    match spec:
        case Array(shape=shape):
            return shape.split()
        case Labels(size=letter) | Many(size=letter) | Size(letter=letter):
            return [letter]
        case Either(specs=specs):  # what every one of them declares
            return list(set.intersection(*(set(_letters_of(each)) for each in specs)))
    return []


@behaviour()
def forged_numbers_are_refused_or_harmless(specimen: Specimen) -> None:
    """Kernels do not check bounds: state with extreme numbers must not load, or must not lead them astray."""
    _must_be_registered(specimen)
    table = specimen.table()
    model = specimen.fitted(table)
    for array in _arrays_of(list(state_of(model).values())):
        kept = array.copy()
        for value in _extremes(array.dtype):
            array.flat[array.size // 2] = value
            with contextlib.suppress(ModelFileError, ValueError, IndexError, MemoryError, OverflowError):
                _load_and_predict(model, table)
            array[...] = kept


def _arrays_of(value: Any) -> list[np.ndarray]:
    """The arrays of numbers inside a value."""
    if isinstance(value, np.ndarray):
        return [value] if value.dtype.kind in "iuf" and value.size else []
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [array for item in items for array in _arrays_of(item)]


def _extremes(dtype: np.dtype) -> list[float]:
    if dtype.kind == "f":
        return [np.nan, np.inf, -1e300]
    limits = np.iinfo(dtype)
    return [limits.min, -1 if limits.min < 0 else 0, limits.max]


def _load_and_predict(model: Any, table: Any) -> None:
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = load(save(model, Path(folder) / "forged.probus"))
        outputs(loaded, table)
