"""``PROBUS_BENCH_DATA=folder python -m research.efforts [case …]``: configurations, evaluated with every effort.

Of each case, 150 random configurations of the space are evaluated by five folds: with all of the effort (rows, trees or
epochs) and with 1/27, 1/9 and 1/3 of it on every fold, and with 5/81, 5/27 and 5/9 of it on the first fold alone, which
are 1/81, 1/27 and 1/9 of an evaluation. Scores and CPU seconds of each fold are stored in
``research/data/efforts.npz``; ``research.fidelity`` searches in them, as often as one likes, at no cost. What is
less effort was chosen on the cases of ``CHOSEN_ON``; the others judge it.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from probus import Task
from probus.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor, RandomForestClassifier
from probus.linear_model import SGDClassifier
from probus.model_selection._splits import seeds, splits_of
from probus.spaces import Space, search_space
from probus.svm import SVC, SVR
from probus.tuning._evaluate import Evaluator
from probus.tuning._fidelity import fidelity_of
from probus.tuning._tuning_run import tuning_measures
from research.tables import read_table

STORE = Path(__file__).parent / "data" / "efforts.npz"
N = 150
N_SPLITS = 5
EVERY = (1 / 27, 1 / 9, 1 / 3, 1.0)  # of the effort, on every split
FIRST = (5 / 81, 5 / 27, 5 / 9)  # on the first split alone
SHARES = (*EVERY, *FIRST)


@dataclass(frozen=True)
class Case:
    """A table of at most so many rows, a model, and what its effort is: "rows", or "auto" for trees or epochs."""

    file: str
    target: str
    left_out: tuple[str, ...]
    classes: bool
    model: Any
    effort: str
    rows: int = 5_000

    @property
    def name(self) -> str:
        return f"{self.table}, {type(self.model).__name__}, {fidelity_of(self.model, self.effort).name}"

    @property
    def table(self) -> str:
        return Path(self.file).stem

    def task(self, folder: Path) -> Task:
        table = read_table(folder, self.file, self.target, self.left_out, self.classes)
        some = np.random.default_rng(0).permutation(len(table.y))[: self.rows]
        return Task.of(table.X.iloc[some].reset_index(drop=True), table.y[some], model=self.model)

    def evaluator(self, folder: Path) -> Evaluator:
        """Evaluates configurations by five folds."""
        task, model = self.task(folder), self.model
        measures, splits = tuning_measures(None, model, task), splits_of(N_SPLITS, task, random_state=0)
        return Evaluator(model, task, splits, measures, tuple(seeds(0, N_SPLITS)), fidelity_of(model, self.effort))

    def space(self) -> Space:
        """The default space; of the losses of stochastic descent only those that predict probabilities."""
        space = search_space(self.model)
        return Space({name: each for name, each in space.items() if name != "loss"}) if "loss" in space else space


def _boosting(classes: bool) -> Any:
    return (HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor)(random_state=0)


def _descent() -> SGDClassifier:
    return SGDClassifier(loss="log_loss", max_iter=60, tol=None, random_state=0)


def _forest() -> RandomForestClassifier:
    return RandomForestClassifier(200, random_state=0)


CASES = (
    Case("spam.csv", "type", (), True, _forest(), "auto"),
    Case(
        "california_housing.parquet",
        "MedHouseVal",
        (),
        False,
        HistGradientBoostingRegressor(random_state=0),
        "auto",
        10_000,
    ),
    Case("income.csv", "INCOME", (), True, _descent(), "auto", rows=2000),
    Case("Satellite.csv", "classes", (), True, SVC(), "rows", rows=2000),
    Case("german_credit.parquet", "credit_risk", (), True, _forest(), "auto"),
    Case("adult.parquet", "class", (), True, _boosting(True), "auto", 10_000),
    Case("casp.parquet", "RMSD", (), False, _boosting(False), "auto", 10_000),
    Case("LetterRecognition.csv", "lettr", (), True, _descent(), "auto", rows=2000),
    Case("LetterRecognition.csv", "lettr", (), True, SVC(), "rows", rows=2000),
    Case("census.parquet", "income", ("instance_weight",), True, _forest(), "auto"),
    Case("PimaIndiansDiabetes2.csv", "diabetes", (), True, _boosting(True), "auto"),
    Case("BostonHousing.csv", "medv", (), False, SVR(), "rows"),
)
CHOSEN_ON = ("Satellite", "spam", "california_housing", "income", "german_credit")


def tabulated(case: Case, folder: Path, n: int = N) -> tuple[np.ndarray, np.ndarray]:
    """Of each configuration, effort and fold, the score, the higher the better, and CPU seconds: float64[n, 7, 5]."""
    evaluator = case.evaluator(folder)
    main = evaluator.measures[0]
    configs = case.space().sample(np.random.default_rng(0), n)
    evaluator.split(configs[0], 0)  # compiles
    scores, seconds = (np.full((n, len(SHARES), N_SPLITS), np.nan) for _ in range(2))
    for i, config in enumerate(configs):
        for j, share in enumerate(SHARES):
            for split in range(N_SPLITS if share in EVERY else 1):
                start = time.process_time()
                result = evaluator.split(config, split, share)
                seconds[i, j, split] = time.process_time() - start
                if not result.error:
                    scores[i, j, split] = main.better(result.scores[main.name])
    return scores, seconds


def main(names: list[str]) -> None:
    warnings.simplefilter("ignore")
    folder = Path(os.environ["PROBUS_BENCH_DATA"])
    for case in CASES:
        if names and case.name not in names and case.table not in names:
            continue
        scores, seconds = tabulated(case, folder)
        stored = dict(np.load(STORE)) if STORE.exists() else {}
        stored[f"{case.name}: scores"], stored[f"{case.name}: seconds"] = scores, seconds
        np.savez_compressed(STORE, **stored)
        cost = " ".join(f"{each:.3f}" for each in np.nanmean(seconds, axis=(0, 2)))
        print(f"{case.name}: mean seconds by effort {cost}; {np.isnan(scores[:, 3]).sum()} failed", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
