"""Whether a study gains by the in-context network: ``python -m research.incontext.study_gain TABLES.npz``.

Each table that judges (``research.incontext.tables``; its first split) is studied twice, for the same time: with all
families that a study of that time tries, the network among them, and without the network. Both studies predict rows
that neither was given. Scored by log loss, or by RMSE divided by that of the study without the network.
"""

from __future__ import annotations

import warnings
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import numpy as np

import probus
from probus.lifecycle._families import families
from research.incontext.evaluate import interval, table_of
from research.incontext.tables import Split, read_splits

_NETWORK = "In-context network"


def _loss(split: Split, seconds: float, names: list[str]) -> tuple[float, Any]:
    """The loss of the final model on new rows, and the study."""
    scoring = "log_loss" if split.classes else "rmse"
    X, new = (table_of(part, split.nominal) for part in (split.X, split.X_new))
    y = split.y.astype(str) if split.classes else split.y
    found = probus.study(X, y, models=names, scoring=scoring, time=seconds, allow_leaks=True, progress=None)
    if not split.classes:
        return float(np.sqrt(np.mean((found.model.predict(new) - split.y_new) ** 2))), found
    place = {label: i for i, label in enumerate(map(str, found.model.classes_))}
    p = np.clip(found.model.predict_proba(new), 1e-6, 1)
    codes = [place[str(label)] for label in split.y_new]
    return float(-np.log(p / p.sum(axis=1, keepdims=True))[np.arange(len(p)), codes].mean()), found


def _with_and_without(split: Split, seconds: float) -> tuple[float, float, str]:
    kind = "classification" if split.classes else "regression"
    names = [*families(kind, None, len(split.y), seconds)][1:]
    names += [] if _NETWORK in names else [_NETWORK]
    without = [name for name in names if name != _NETWORK]
    (ours, found), (other, _) = _loss(split, seconds, names), _loss(split, seconds, without)
    return ours, other, found.best


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("tables", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rows", type=int, default=200)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    differences: dict[bool, list[float]] = {True: [], False: []}
    for split in read_splits(options.tables):
        if split.half != "judge" or split.repeat or split.rows != options.rows:
            continue
        ours, other, best = _with_and_without(split, options.seconds)
        differences[bool(split.classes)].append(ours - other if split.classes else ours / other - 1)
        print(f"| {split.name} | {len(split.y)} | {ours:.4f} | {other:.4f} | {best} |", flush=True)
    for classes, values in differences.items():
        if len(values) > 1:
            low, high = interval(np.array(values))
            measure = "log loss, difference" if classes else "RMSE, relative difference"
            better = sum(value < 0 for value in values)
            print(f"{measure} {np.mean(values):+.4f} [{low:+.4f}, {high:+.4f}], better on {better} of {len(values)}")


if __name__ == "__main__":
    main()
