"""Real tables for evaluation, as arrays that travel: halves A (choose) and B (judge) of ``research.halves``.

``PROBUS_BENCH_DATA=folder python -m research.incontext.tables OUT.npz`` draws training and test rows of each table,
fits ``BoostingClassifier()`` or ``BoostingRegressor()``, and writes the rows with its predictions. With
``--unseen FOLDER`` the tables are those of R packages, which ``research.unseen export FOLDER`` writes: every second
chooses, the others judge.
"""

from __future__ import annotations

import json
import os
import warnings
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:  # pandas and scikit-learn are not everywhere where tables are read
    from research.halves import Task
    from research.tables import Real

__all__ = ["Split", "read_splits"]

_LEAST_TEST_ROWS = 50
_MOST_CLASSES, _MOST_COLUMNS = 10, 60
# every second of the tables of R packages that have 200 rows, by name: they chose the further column of numbers
_CHOSE = """
AER_BankWages AER_CPS1985 AER_CPSSW8 AER_CreditCard AER_GSOEP9402 AER_HMDA AER_HousePrices AER_Municipalities
AER_PSID1976 AER_SmokeBan AER_TeachingRatings HSAUR3_Forbes2000 MASS_Aids2 MASS_bacteria MASS_crabs MASS_shuttle
TH.data_mammoexp carData_BEPS carData_CES11 carData_Cowles carData_Ornstein carData_Salaries carData_Vocab
carData_Wells carData_Wong modeldata_Sacramento modeldata_biomass modeldata_cells modeldata_concrete
modeldata_hpc_data modeldata_mlc_churn modeldata_wa_churn plm_Males plm_RiceFarms survival_flchain survival_pbc
"""
_HALVES = {"A": "choose", "B": "judge"}


@dataclass
class Split:
    """Training and test rows of a table. Nominal columns hold codes; ``boosting`` are probabilities or numbers."""

    name: str
    half: str
    rows: int
    repeat: int
    classes: int
    X: np.ndarray
    nominal: np.ndarray
    y: np.ndarray
    X_new: np.ndarray
    y_new: np.ndarray
    boosting: np.ndarray


_ARRAYS = ("X", "nominal", "y", "X_new", "y_new", "boosting")


def read_splits(file: Path) -> list[Split]:
    with np.load(file) as arrays:
        described = json.loads(str(arrays["splits"]))
        return [Split(**one, **{key: arrays[f"{i}/{key}"] for key in _ARRAYS}) for i, one in enumerate(described)]


def _write(file: Path, splits: list[Split]) -> None:
    arrays, described = {}, []
    for i, split in enumerate(splits):
        arrays |= {f"{i}/{key}": getattr(split, key) for key in _ARRAYS}
        described.append({key: value for key, value in asdict(split).items() if key not in _ARRAYS})
    np.savez_compressed(file, splits=np.array(json.dumps(described)), **arrays)


def _targets() -> Iterator[tuple[str, Task]]:
    """Each target of a real table once, without what the halves vary."""
    from research.halves import Task, tasks

    seen = set()
    for half, task in tasks("AB"):
        at = task.source, task.target
        if "." in task.source and at not in seen:
            seen.add(at)
            yield _HALVES[half], Task(task.source, task.target, task.classes, task.left_out)


def _splits(
    half: str, table: Real, name: str, training_rows: list[int], repeats: int, test_rows: int
) -> Iterator[Split]:
    numbers = table.X.apply(lambda column: column.cat.codes.where(column.notna()) if _nominal(column) else column)
    X, nominal = numbers.to_numpy(np.float32), np.array([_nominal(table.X[c]) for c in table.X])
    for rows in training_rows:
        if len(X) < 0.75 * rows + _LEAST_TEST_ROWS or X.shape[1] > _MOST_COLUMNS:
            continue
        for repeat in range(repeats):
            order = np.random.default_rng([repeat, len(X)]).permutation(len(X))
            size = min(rows, 3 * len(X) // 4)
            train, new = order[:size], order[size : size + test_rows]
            y, y_new = table.y[train], table.y[new]
            labels = np.unique(y) if table.classes else np.array([])
            if len(labels) > _MOST_CLASSES:
                continue
            if table.classes:
                known = np.isin(y_new, labels)  # nobody can predict a class that training rows lack
                new, y_new = new[known], np.searchsorted(labels, y_new[known])
                y = np.searchsorted(labels, y)
            boosting = _boosting(table, train, new, y)
            yield Split(name, half, rows, repeat, len(labels), X[train], nominal, y, X[new], y_new, boosting)


def _nominal(column) -> bool:
    return str(column.dtype) == "category"


def _boosting(table: Real, train: np.ndarray, new: np.ndarray, y: np.ndarray) -> np.ndarray:
    from probus.ensemble import BoostingClassifier, BoostingRegressor

    if table.classes:
        model = BoostingClassifier(random_state=0).fit(table.X.iloc[train], y)
        return model.predict_proba(table.X.iloc[new]).astype(np.float32)
    return BoostingRegressor(random_state=0).fit(table.X.iloc[train], y).predict(table.X.iloc[new]).astype(np.float32)


def _all(unseen: Path | None) -> Iterator[tuple[str, Real, str]]:
    if unseen is not None:
        from research.unseen import tables

        yield from (
            ("choose" if table.name in _CHOSE.split() else "judge", table, table.name) for table in tables(unseen, [])
        )
        return
    folder = Path(os.environ["PROBUS_BENCH_DATA"])
    for half, task in _targets():
        yield half, task.table(folder), f"{task.source.split('.')[0]} {task.target}"


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--unseen", type=Path)
    parser.add_argument("--rows", type=int, nargs="+", default=[200, 1000], help="training rows")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--test-rows", type=int, default=1000)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    splits: list[Split] = []
    for half, table, name in _all(options.unseen):
        splits += _splits(half, table, name, options.rows, options.repeats, options.test_rows)
        print(half, name, len(splits), flush=True)
    _write(options.out, splits)


if __name__ == "__main__":
    main()
