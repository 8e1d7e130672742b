"""``python -m benchmarks.fidelity [FOLDER] [rows] [seeds]``: how soon tuners of less effort equal random search.

Random search makes 60 full evaluations. Of every tuner the table has the seconds of evaluations until a full one is at
least as good as the best of random search, over the seconds of random search; ∞ where that was not reached within them.
Goal: a median of at most 1/3 for Hyperband. All configurations are scored on the same two halves of the rows.

What can be expected: n configurations hold one as good as the best of 60 others with probability n / (n + 60). Four
brackets of Hyperband with max_fidelity=27 try 49 configurations for the cost of 16 full evaluations, so even without
errors of promotion, and with costs in proportion to the effort, they reach it in 45 % of runs after 27 % of the time,
and in half of the runs after a third. The first bracket with max_fidelity=81 tries 81 for the cost of 5.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from benchmarks.tables import read_table
from probus import Task
from probus.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor, RandomForestClassifier
from probus.linear_model import SGDClassifier
from probus.svm import SVC
from probus.tuning import BOHB, Archive, Hyperband, Random, SuccessiveHalving, Tuner, tune

N = 60
# table, target, columns that are no features, whether it is a class, the model and what its effort is
CASES = (
    ("Satellite.csv", "classes", (), True, SVC(), "rows"),
    ("spam.csv", "type", (), True, RandomForestClassifier(200), "trees"),
    ("california_housing.parquet", "MedHouseVal", (), False, HistGradientBoostingRegressor(), "rows"),
    ("adult.parquet", "class", (), True, HistGradientBoostingClassifier(), "rows"),
    ("LetterRecognition.csv", "lettr", (), True, SGDClassifier(loss="log_loss", max_iter=200, tol=None), "epochs"),
    ("casp.parquet", "RMSD", (), False, HistGradientBoostingRegressor(), "trees"),
)


def seconds_until(archive: Archive, goal: float) -> float:
    """The seconds of evaluations until a full one is as good as the goal; infinite where none is."""
    good = archive.full & (archive.turned >= goal)
    spent = np.cumsum([each.seconds for each in archive])
    return float(spent[np.argmax(good)]) if good.any() else np.inf


def tuners(effort: str) -> dict[str, Tuner]:
    fidelity = "rows" if effort == "rows" else "auto"
    return {
        "Hyperband": Hyperband(fidelity=fidelity, repeats=None),
        "Hyperband, 81": Hyperband(max_fidelity=81, fidelity=fidelity, repeats=None),
        "SuccessiveHalving": SuccessiveHalving(fidelity=fidelity, repeats=None),
        "BOHB": BOHB(fidelity=fidelity, repeats=None),
    }


def task_of(folder: Path, case: tuple, rows: int) -> Task:
    file, target, left_out, classes, model, _ = case
    table = read_table(folder, file, target, left_out, classes)
    some = np.random.default_rng(0).permutation(len(table.y))[:rows]
    return Task.of(table.X.iloc[some].reset_index(drop=True), table.y[some], model=model)


def measured(task: Task, model: object, effort: str, seed: int) -> dict[str, float]:
    """The share of random search's seconds that each tuner needs."""
    how = {"cv": 2, "random_state": seed, "progress": None}
    random = tune(model, task, tuner=Random(), evaluations=N, **how).archive
    goal, whole = float(np.nanmax(random.turned)), sum(each.seconds for each in random)
    found = {"Random": seconds_until(random, goal) / whole}
    for name, tuner in tuners(effort).items():
        archive = tune(model, task, tuner=tuner, budget=1.5 * whole, **how).archive
        needed = seconds_until(archive, goal)
        found[name] = needed / whole if needed <= whole else np.inf
    return found


def main(arguments: list[str]) -> None:
    folder = Path(arguments[0] if arguments else "../shared/data")
    rows, seeds = (int(each) for each in (*arguments[1:3], *("6000", "3")[len(arguments[1:3]) :]))
    results: dict[str, list[float]] = {}
    for case in CASES:
        task = task_of(folder, case, rows)
        for seed in range(seeds):
            found = measured(task, case[4], case[5], seed)
            line = ", ".join(f"{name} {share:.2f}" for name, share in found.items())
            print(f"{case[0]}, {type(case[4]).__name__}, effort {case[5]}, seed {seed}: {line}", flush=True)
            for name, share in found.items():
                results.setdefault(name, []).append(share)
    for name, shares in results.items():
        reached = np.mean(np.isfinite(shares))
        print(f"{name}: median {np.median(shares):.2f} of random search's time, reached in {reached:.0%} of runs")


if __name__ == "__main__":
    main(sys.argv[1:])
