"""Real tables for the benchmark of defaults: every file of the folder that has a plain target."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

# file, target, columns that are no features, whether the target is a class
TABLES = (
    ("airquality.csv", "Ozone", (), False),
    ("BostonHousing.csv", "medv", (), False),
    ("california_housing.parquet", "MedHouseVal", (), False),
    ("car90.csv", "Price", ("name",), False),
    ("casp.parquet", "RMSD", (), False),
    ("mtcars.csv", "mpg", ("name",), False),
    ("Ozone.csv", "V4", (), False),
    ("adult.parquet", "class", (), True),
    ("BreastCancer.csv", "Class", ("Id",), True),
    ("census.parquet", "income", ("instance_weight",), True),
    ("german_credit.parquet", "credit_risk", (), True),
    ("Glass.csv", "Type", (), True),
    ("HouseVotes84.csv", "Class", (), True),
    ("income.csv", "INCOME", (), True),
    ("infert.csv", "case", ("stratum", "pooled.stratum"), True),
    ("iris.csv", "Species", (), True),
    ("kyphosis.csv", "Kyphosis", (), True),
    ("LetterRecognition.csv", "lettr", (), True),
    ("penguins.parquet", "species", (), True),
    ("PimaIndiansDiabetes2.csv", "diabetes", (), True),
    ("Satellite.csv", "classes", (), True),
    ("Sonar.csv", "Class", (), True),
    ("Soybean.csv", "Class", (), True),
    ("spam.csv", "type", (), True),
    ("stagec.csv", "pgstat", ("pgtime",), True),
    ("titanic_passengers.parquet", "Survived", ("PassengerId", "Name", "Ticket", "Cabin"), True),
    ("Zoo.csv", "type", (), True),
)


@dataclass(frozen=True, eq=False)
class Real:
    name: str
    X: pd.DataFrame
    y: np.ndarray
    classes: bool


def real_tables(folder: Path) -> Iterator[Real]:
    for file, target, left_out, classes in TABLES:
        yield read_table(folder, file, target, left_out, classes)


def read_table(folder: Path, file: str, target: str, left_out: tuple[str, ...], classes: bool) -> Real:
    """A file's rows with a target, and which of the other columns are nominal."""
    kinds, path = json.loads((folder / "kinds.json").read_text()), folder / file
    frame = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
    frame = frame.dropna(subset=[target]).drop(columns=list(left_out))
    y = frame.pop(target).to_numpy()
    known = kinds.get(path.stem, {}).get("columns", {})
    for name in frame:
        column = frame[name]
        if (
            column.dtype.kind in "OUbT"
            or str(column.dtype) in ("str", "category")
            or (known.get(name, {}).get("kind") in ("nominal", "binary"))
        ):
            frame[name] = (
                column.astype(object)
                .where(column.notna(), None)
                .map(lambda v: v if v is None else str(v))
                .astype("category")
            )
    return Real(
        path.stem,
        frame.reset_index(drop=True),
        np.unique(y, return_inverse=True)[1] if classes else y.astype(float),
        classes,
    )
