"""Groups that training rows lack: ``python -m research.incontext.new_groups UNSEEN``.

Panels of R packages are written by ``research.unseen export UNSEEN``. Up to 800 rows of two thirds of the groups are
trained on, and up to 400 rows of the others predicted. The column of the group is used, then left out. Printed is the
RMSE divided by that of ``BoostingRegressor()``, of the regressor with one member twice and with the further column in
the second.
"""

from __future__ import annotations

import warnings
from argparse import ArgumentParser
from pathlib import Path

import numpy as np
import pandas as pd

from probus.ensemble import BoostingRegressor
from probus.in_context import InContextRegressor

PANELS = """
AER_Guns violent state; plm_Produc gsp state; plm_Cigar sales state; plm_Males wage nr; plm_RiceFarms goutput id noutput
carData_Blackmore exercise subject; MASS_nlschools lang class
"""
SPLITS = 2


def ratios(rows: pd.DataFrame, target: str, group: str, keep: bool, seed: int) -> tuple[float, float]:
    rng = np.random.default_rng(seed)
    groups = rng.permutation(rows[group].unique())
    is_new = rows[group].isin(groups[: len(groups) // 3]).to_numpy()
    train, new = rng.permutation(np.flatnonzero(~is_new))[:800], rng.permutation(np.flatnonzero(is_new))[:400]
    X, y = rows.drop(columns=[target, group]), rows[target].to_numpy(float)
    X = X.assign(**{group: rows[group].astype(str)}) if keep else X

    def predicted(model):
        return model.fit(X.iloc[train], y[train]).predict(X.iloc[new])

    def error(p: np.ndarray) -> float:
        return float(np.sqrt(np.mean((p - y[new]) ** 2)))

    plain = [predicted(InContextRegressor(n_members=1, random_state=state)) for state in (0, 1)]
    boosting = error(predicted(BoostingRegressor(random_state=0)))
    both = error(predicted(InContextRegressor(random_state=0)))
    return error(np.mean(plain, axis=0)) / boosting, both / boosting


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    warnings.simplefilter("ignore")
    for keep in (True, False):
        found = []
        for entry in PANELS.strip().replace("\n", ";").split(";"):
            file, target, group, *left_out = entry.split()
            rows = pd.read_csv(folder / f"{file}.csv").drop(columns=left_out)
            found.append(np.mean([ratios(rows, target, group, keep, seed) for seed in range(SPLITS)], axis=0))
            print(file, "with" if keep else "without", "the group: plain {:.3f}, further {:.3f}".format(*found[-1]))
        print("mean: plain {:.3f}, with the further column {:.3f}".format(*np.mean(found, axis=0)), flush=True)


if __name__ == "__main__":
    main()
