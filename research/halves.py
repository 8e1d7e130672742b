"""Tables in two halves for choosing the defaults of boosting: rules chosen on one half are judged on the other.

No source is in both halves. From a table come several tasks: other targets, samples of its rows, some of its columns,
labels replaced at random. Each half has its own synthetic tables, where the signal is strong and smooth. The synthetic
tables of C were written down after the rules were chosen, and only judge them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import make_friedman1, make_friedman2

from research.tables import Real, read_table

__all__ = ["HALVES", "Task", "tasks"]


@dataclass(frozen=True)
class Task:
    """A target of a file, or of a synthetic table, and how it is varied.

    rows : the training rows, of which no more than three quarters are drawn
    columns : the share of columns that are kept
    noise : the share of labels that are replaced by others, or of the standard deviation of a number that is added
    repeats : the number of random splits
    """

    source: str
    target: str
    classes: bool
    left_out: tuple[str, ...] = ()
    rows: int = 2000
    columns: float = 1.0
    noise: float = 0.0
    repeats: int = 3

    @property
    def name(self) -> str:
        """The source, the target, and what differs."""
        parts = [self.source.split(".")[0], self.target, str(self.rows)]
        parts += [f"columns {self.columns:g}"] * (self.columns < 1.0) + [f"noise {self.noise:g}"] * (self.noise > 0.0)
        return " ".join(parts)

    def table(self, folder: Path) -> Real:
        """The table, with as few columns and as much noise as the task has."""
        if self.source in SYNTHETIC:
            X, y = SYNTHETIC[self.source](np.random.default_rng(len(self.source)))
            table = Real(self.name, pd.DataFrame(X).add_prefix("x"), y, self.classes)
        else:
            table = read_table(folder, self.source, self.target, self.left_out, self.classes)
        rng, X, y = np.random.default_rng(7), table.X, table.y.copy()
        kept = np.sort(rng.permutation(X.shape[1])[: max(2, round(self.columns * X.shape[1]))])
        if self.noise and self.classes:
            some = rng.random(len(y)) < self.noise
            y[some] = rng.permutation(y)[some]
        elif self.noise:
            y = y + self.noise * y.std() * rng.normal(size=len(y))
        return Real(self.name, X.iloc[:, kept], y, self.classes)

    def splits(self, n: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Training rows, and at most 2,000 others."""
        size = min(self.rows, 3 * n // 4)
        for repeat in range(self.repeats):
            order = np.random.default_rng([repeat, n]).permutation(n)
            yield order[:size], order[size : size + 2000]


_ADULT, _CENSUS, _SURVEY = ("fnlwgt",), ("instance_weight",), ()
_PEOPLE = ("PassengerId", "Name", "Ticket", "Cabin")
_SHOP = ("Title", "Review Text")
_CAR = ("name", "Model2", "Rim", "Tires")

HALVES: dict[str, tuple[Task, ...]] = {
    "A": (
        Task("adult.parquet", "class", True, _ADULT, 1000),
        Task("adult.parquet", "class", True, _ADULT, 5000, repeats=1),
        Task("adult.parquet", "marital-status", True, (*_ADULT, "relationship"), 500, repeats=2),
        Task("adult.parquet", "age", False, _ADULT, 1000),
        Task("Glass.csv", "Type", True, repeats=5),
        Task("LetterRecognition.csv", "lettr", True, (), 800, repeats=1),
        Task("LetterRecognition.csv", "x.box", False, (), 1000),
        Task("PimaIndiansDiabetes2.csv", "diabetes", True),
        Task("Sonar.csv", "Class", True, repeats=5),
        Task("spam.csv", "type", True, (), 500),
        Task("spam.csv", "type", True, (), 3000, repeats=1),
        Task("spam.csv", "type", True, (), 1000, 0.3, 0.2),
        Task("titanic_passengers.parquet", "Survived", True, _PEOPLE),
        Task("titanic_passengers.parquet", "Fare", False, _PEOPLE),
        Task("BostonHousing.csv", "medv", False),
        Task("california_housing.parquet", "MedHouseVal", False, (), 300),
        Task("california_housing.parquet", "MedHouseVal", False, (), 5000, repeats=1),
        Task("airquality.csv", "Ozone", False, repeats=5),
        Task("vowels", "y", True, (), 990, repeats=1),
        Task("twonorm", "y", True, (), 1000),
        Task("arm", "y", False, (), 3000, repeats=1),
        Task("friedman 1", "y", False, (), 500),
    ),
    "B": (
        Task("census.parquet", "income", True, _CENSUS, 2000, repeats=2),
        Task("census.parquet", "major_industry", True, (*_CENSUS, "industry_code"), 500, 0.3, repeats=1),
        Task("income.csv", "INCOME", True, _SURVEY, 500, repeats=1),
        Task("income.csv", "MARITAL.STATUS", True, _SURVEY, 300, repeats=2),
        Task("german_credit.parquet", "credit_risk", True),
        Task("german_credit.parquet", "credit_amount", False),
        Task("Satellite.csv", "classes", True, (), 400),
        Task("Satellite.csv", "classes", True, (), 2000, repeats=2),
        Task("Satellite.csv", "classes", True, (), 1000, 0.2, 0.1),
        Task("BreastCancer.csv", "Class", True, ("Id",)),
        Task("HouseVotes84.csv", "Class", True),
        Task("penguins.parquet", "species", True, repeats=2),
        Task("penguins.parquet", "body_mass_g", False, repeats=5),
        Task("Zoo.csv", "type", True, repeats=2),
        Task("infert.csv", "case", True, ("stratum", "pooled.stratum"), repeats=5),
        Task("clothing_reviews.parquet", "Rating", True, (*_SHOP, "Recommended IND"), 500, repeats=2),
        Task("Ozone.csv", "V4", False, repeats=5),
        Task("car90.csv", "Price", False, _CAR, repeats=5),
        Task("casp.parquet", "RMSD", False, (), 1000),
        Task("casp.parquet", "RMSD", False, (), 5000, repeats=1),
        Task("clouds", "y", True, (), 990, repeats=1),
        Task("waves", "y", True, (), 1000, repeats=2),
        Task("springs", "y", False, (), 3000, repeats=1),
        Task("friedman 2", "y", False, (), 500),
    ),
    "C": (
        Task("borehole", "y", False, (), 400),
        Task("borehole", "y", False, (), 2000, repeats=1),
        Task("piston", "y", False, (), 1000),
        Task("bumps", "y", False, (), 1500),
        Task("ripples", "y", False, (), 2500, repeats=1),
        Task("ridge", "y", False, (), 600),
        Task("rings", "y", True, (), 800),
        Task("spirals", "y", True, (), 1000),
        Task("ellipsoids", "y", True, (), 700),
        Task("softmax", "y", True, (), 1500),
    ),
}


def tasks(halves: str = "ABC") -> Iterator[tuple[str, Task]]:
    """Each task of some halves, with the name of its half."""
    for half in halves:
        for task in HALVES[half]:
            yield half, task


# -- synthetic tables ----------------------------------------------------------------------------------------

_ROWS = 5000
Drawn = tuple[np.ndarray, np.ndarray]


def _vowels(rng: np.random.Generator) -> Drawn:
    """Eleven classes, each of eight speakers who differ in ten correlated numbers."""
    y, speaker = rng.integers(0, 11, _ROWS), rng.integers(0, 8, _ROWS)
    centres, accents = rng.normal(size=(11, 10)), rng.normal(size=(8, 10))
    own = rng.normal(size=(11, 8, 10))
    noise = rng.normal(size=(_ROWS, 10)) @ (0.25 * rng.normal(size=(10, 10)))
    return 1.3 * centres[y] + 0.7 * accents[speaker] + 0.5 * own[y, speaker] + 0.7 * noise, y


def _clouds(rng: np.random.Generator) -> Drawn:
    """Eleven classes of three normal clouds each, of different shapes, in twelve columns."""
    y, part = rng.integers(0, 11, _ROWS), rng.integers(0, 3, _ROWS)
    centres, shapes = 1.1 * rng.normal(size=(11, 3, 12)), 0.25 * rng.normal(size=(11, 3, 12, 12))
    return centres[y, part] + np.einsum("nij,nj->ni", shapes[y, part], rng.normal(size=(_ROWS, 12))), y


def _twonorm(rng: np.random.Generator) -> Drawn:
    """Two normal classes in twenty columns, whose border is a plane (Breiman 1998)."""
    y = rng.integers(0, 2, _ROWS)
    return rng.normal(size=(_ROWS, 20)) + np.where(y == 1, 1.0, -1.0)[:, None] * 2.0 / np.sqrt(20.0), y


def _waves(rng: np.random.Generator) -> Drawn:
    """Four classes by the quarter in which a smooth function of six of ten numbers lies."""
    X = rng.uniform(-1.0, 1.0, (_ROWS, 10))
    value = np.sin(3.0 * X[:, 0]) + X[:, 1] * X[:, 2] + X[:, 3] ** 2 + 0.7 * X[:, 4] - 0.5 * X[:, 5]
    return X, np.searchsorted(np.quantile(value, [0.25, 0.5, 0.75]), value + 0.05 * rng.normal(size=_ROWS))


def _arm(rng: np.random.Generator) -> Drawn:
    """How far a robot's arm of eight joints reaches, with 24 columns that do not matter or little."""
    X = rng.uniform(-1.0, 1.0, (_ROWS, 32))
    angle, length = np.cumsum(0.8 * X[:, :8], axis=1), 1.0 + 0.2 * X[:, 8:16]
    x, y = (length * np.cos(angle)).sum(axis=1), (length * np.sin(angle)).sum(axis=1)
    return X, np.hypot(x - 2.0, y) + 0.1 * rng.normal(size=_ROWS)


def _springs(rng: np.random.Generator) -> Drawn:
    """The energy of a chain of twelve springs, with 20 columns that do not matter."""
    X = rng.normal(size=(_ROWS, 32))
    return X, (np.diff(X[:, :12], axis=1) ** 2).sum(axis=1) * 0.2 + np.tanh(X[:, 0]) + 0.3 * rng.normal(size=_ROWS)


def _borehole(rng: np.random.Generator) -> Drawn:
    """The flow of water through a borehole (Harper and Gupta 1983), with two columns that do not matter."""
    X = rng.uniform(size=(_ROWS, 10))
    low = np.array([0.05, 100.0, 63070.0, 990.0, 63.1, 700.0, 1120.0, 9855.0])
    high = np.array([0.15, 50000.0, 115600.0, 1110.0, 116.0, 820.0, 1680.0, 12045.0])
    rw, r, tu, hu, tl, hl, length, kw = (low + (high - low) * X[:, :8]).T
    log = np.log(r / rw)
    y = 2.0 * np.pi * tu * (hu - hl) / (log * (1.0 + 2.0 * length * tu / (log * rw**2 * kw) + tu / tl))
    return X, y + 2.0 * rng.normal(size=_ROWS)


def _piston(rng: np.random.Generator) -> Drawn:
    """The seconds of a cycle of a piston in a cylinder (Kenett and Zacks 1998)."""
    X = rng.uniform(size=(_ROWS, 7))
    low = np.array([30.0, 0.005, 0.002, 1000.0, 90000.0, 290.0, 340.0])
    high = np.array([60.0, 0.020, 0.010, 5000.0, 110000.0, 296.0, 360.0])
    m, s, v, k, p, ta, t = (low + (high - low) * X).T
    a = p * s + 19.62 * m - k * v / s
    volume = s / (2.0 * k) * (np.sqrt(a**2 + 4.0 * k * p * v * ta / t) - a)
    return X, 2.0 * np.pi * np.sqrt(m / (k + s**2 * p * v * ta / (t * volume**2))) + 0.02 * rng.normal(size=_ROWS)


def _bumps(rng: np.random.Generator) -> Drawn:
    """Twelve bumps in five dimensions, with seven columns that do not matter."""
    X = rng.uniform(size=(_ROWS, 12))
    centres, heights = rng.uniform(size=(12, 5)), rng.normal(size=12)
    squares = ((X[:, None, :5] - centres) ** 2).sum(axis=2)
    return X, np.exp(-squares / 0.3) @ heights + 0.05 * rng.normal(size=_ROWS)


def _ripples(rng: np.random.Generator) -> Drawn:
    """Eight waves in random directions of six correlated columns."""
    X = rng.normal(size=(_ROWS, 6)) @ (np.eye(6) + 0.3 * rng.normal(size=(6, 6)))
    return X, np.sin(0.8 * X @ rng.normal(size=(6, 8)) + rng.uniform(0.0, 6.0, 8)).sum(axis=1) + 0.3 * rng.normal(
        size=_ROWS
    )


def _ridge(rng: np.random.Generator) -> Drawn:
    """A kinked function of a linear combination of fifteen columns."""
    X = rng.normal(size=(_ROWS, 15))
    return X, np.abs(X @ rng.normal(size=15) / 4.0 + 0.3) + 0.2 * rng.normal(size=_ROWS)


def _rings(rng: np.random.Generator) -> Drawn:
    """Two classes: whether four of eight columns are near a sphere."""
    X = rng.normal(size=(_ROWS, 8))
    distance = np.abs(np.sqrt((X[:, :4] ** 2).sum(axis=1)) - 1.8)
    return X, (distance + 0.1 * rng.normal(size=_ROWS) < 0.45).astype(np.int64)


def _spirals(rng: np.random.Generator) -> Drawn:
    """Three arms of a spiral in two columns, with four that do not matter."""
    y, radius = rng.integers(0, 3, _ROWS), 1.0 + 2.0 * rng.uniform(size=_ROWS)
    angle = 2.0 * np.pi * y / 3.0 + 1.5 * radius + 0.25 * rng.normal(size=_ROWS)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), rng.normal(size=(_ROWS, 4))])
    return X, y


def _ellipsoids(rng: np.random.Generator) -> Drawn:
    """Two normal classes with one mean and different covariances, in ten columns."""
    y, shapes = rng.integers(0, 2, _ROWS), 0.4 * rng.normal(size=(2, 10, 10)) + np.eye(10)
    return np.einsum("nij,nj->ni", shapes[y], rng.normal(size=(_ROWS, 10))), y


def _softmax(rng: np.random.Generator) -> Drawn:
    """Five classes, drawn with probabilities that follow smooth functions of eight columns."""
    X = rng.uniform(-1.0, 1.0, (_ROWS, 8))
    raw = 3.0 * np.sin(X @ rng.normal(size=(8, 5))) + 2.0 * X[:, :5] * X[:, 3:]
    return X, (raw + rng.gumbel(size=raw.shape)).argmax(axis=1)


SYNTHETIC: dict[str, Callable[[np.random.Generator], Drawn]] = {
    "vowels": _vowels,
    "clouds": _clouds,
    "twonorm": _twonorm,
    "waves": _waves,
    "arm": _arm,
    "springs": _springs,
    "friedman 1": lambda rng: make_friedman1(_ROWS, noise=1.0, random_state=1),
    "friedman 2": lambda rng: make_friedman2(_ROWS, noise=50.0, random_state=2),
    "borehole": _borehole,
    "piston": _piston,
    "bumps": _bumps,
    "ripples": _ripples,
    "ridge": _ridge,
    "rings": _rings,
    "spirals": _spirals,
    "ellipsoids": _ellipsoids,
    "softmax": _softmax,
}
