"""Write a small model file of every class that can be saved, with its predictions: fixtures for future releases.

``python tools/saved_models.py tests/persistence/saved/0.1`` before a release; commit what it writes. A test loads the
files of every former release and compares predictions: a change that cannot read an old file is a defect. Files that
the folder has are kept, so that a new class adds its own.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import probus
from probus.data import Table
from probus.ensemble import BoostingRegressor, RandomForestClassifier
from probus.errors import ModelFileError
from probus.linear_model import LogisticRegression, Ridge
from probus.pipeline import tabular
from probus.testing import estimators
from probus.testing._outputs import outputs
from probus.testing._specimen import Specimen
from probus.wrapping import parts_of

_TRAINED_ON, _PREDICTED = 30, 6  # rows
_LARGEST = 20_000  # bytes of a file
_SINGLE = 1e-4  # to which networks agree, which compute with single precision, on other processors


def main(folder: Path) -> None:
    """Write ``NAME.probus`` for every model, and ``expected.json``: rows, and what each model makes of them."""
    folder.mkdir(parents=True, exist_ok=True)
    written = folder / "expected.json"
    expected = json.loads(written.read_text()) if written.exists() else {}
    for name, model, rows in _fitted(expected):
        try:
            path = probus.save(model, folder / f"{name}.probus")
        except ModelFileError as error:
            print(f"{name}: {str(error).splitlines()[0]}")
            continue
        if path.stat().st_size > _LARGEST:
            print(f"{name}: {path.stat().st_size:,} bytes")
        expected[name] = {"rows": _plain_rows(rows), "outputs": _plain_outputs(outputs(model, rows))}
        networks = ("neural_network", "in_context")
        if any(name in type(part).__module__ for part in parts_of(model) for name in networks):
            expected[name]["rtol"] = _SINGLE
    written.write_text(json.dumps(expected, indent=None, separators=(",", ":")))


def _fitted(known: Container[str]) -> Iterator[tuple[str, Any, Table]]:
    """A fitted model of every example of every class, and some made of several, without those that are known."""
    for cls in sorted(estimators(), key=lambda each: each.__name__):
        for number, example in enumerate(cls.examples()):
            if f"{cls.__name__}{f'-{number + 1}' * (number > 0)}" in known:
                continue
            specimen = Specimen(_small(example))
            table = specimen.table(_TRAINED_ON)
            model = specimen.fitted(table)
            yield f"{cls.__name__}{f'-{number + 1}' * (number > 0)}", model, specimen.table(_PREDICTED, seed=7)
    for name, model in _made_of_several().items():
        if name in known:
            continue
        specimen = Specimen(model)
        table = specimen.table(60, missing=True, text=True)
        yield name, model.fit(table, specimen.target(60)), specimen.table(_PREDICTED, missing=True, text=True, seed=7)
    if "study" in known:
        return
    titanic = probus.datasets.titanic().take(np.arange(0, 891, 6))
    study = probus.study(titanic, target="Survived", models=["linear"], evaluations=0, progress=None)
    yield "study", study.model, titanic.drop("Survived").take(np.arange(3, 9))


def _small(model: Any) -> Any:
    """The model with few members, so that its file is small."""
    given, boosted = model.get_params(deep=False), type(model).__name__.startswith("HistGradient")
    few = {"n_estimators": 3} if isinstance(given.get("n_estimators"), int) else {}
    return model.set_params(**few, **({"max_iter": 3} if boosted else {}))


def _made_of_several() -> dict[str, Any]:
    return {
        "tabular logistic": tabular(LogisticRegression()),
        "tabular ridge": tabular(Ridge(), nominal="impact", impute="gower"),
        "tabular forest": tabular(RandomForestClassifier(3, random_state=0)),
        "tabular boosting": tabular(BoostingRegressor(3, random_state=0)),
    }


def _plain_rows(rows: Table) -> list[dict[str, Any]]:
    return [
        {"name": c.name, "kind": str(c.kind), "levels": list(c.levels), "values": np.asarray(c.values).tolist()}
        for c in rows
    ]


def _plain_outputs(found: dict[str, list[np.ndarray]]) -> dict[str, list[Any]]:
    return {method: [column.tolist() for column in columns] for method, columns in found.items()}


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main(Path(sys.argv[1]))
