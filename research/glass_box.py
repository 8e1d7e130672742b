"""``PROBUS_BENCH_DATA=folder python -m research.glass_box FOLDER [--only choosing|judging]``: as good as interpret?

Writes splits of fifteen tables to FOLDER (two seeds, at most 3,000 rows, a third held out), scores our glass box on
them, and compares it with the scores that ``PYTHON_OF_INTERPRET research/glass_box_peer.py FOLDER`` has written there:
log loss for classes, RMSE for numbers. Ten tables chose the defaults, five of them only the smallest leaf and the bags
of several classes; five judge them. Seconds are the processor's.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from research.tables import TABLES, Real, read_table

CHOOSING = (
    "PimaIndiansDiabetes2", "german_credit", "california_housing", "BostonHousing", "Satellite",
    "adult", "spam", "casp", "Ozone", "Glass",
)  # fmt: skip
JUDGING = ("titanic_passengers", "BreastCancer", "census", "Sonar", "airquality")
SEEDS, MOST = (0, 1), 3_000


def main(arguments: list[str]) -> None:
    warnings.simplefilter("ignore")
    folder = Path(next(each for each in arguments if not each.startswith("-")))
    folder.mkdir(exist_ok=True)
    write_splits(folder)
    halves = {"choosing": CHOOSING, "judging": JUDGING}
    for name in [arguments[arguments.index("--only") + 1]] if "--only" in arguments else halves:
        compare(name, folder, halves[name])


def write_splits(folder: Path) -> None:
    for table in tables():
        for seed in SEEDS:
            rows = np.arange(len(table.y))
            classes = table.y if table.classes else None
            if len(rows) > MOST:
                rows, _ = train_test_split(rows, train_size=MOST, random_state=seed, stratify=classes)
            train, test = train_test_split(
                rows, test_size=1 / 3, random_state=seed, stratify=None if classes is None else table.y[rows]
            )
            both = np.concatenate([train, test])
            frame = table.X.iloc[both].assign(target=table.y[both])
            path = folder / f"{table.name}-{seed}"
            if path.with_suffix(".json").exists():
                continue
            frame.to_csv(path.with_suffix(".csv"), index=False)
            nominal = [str(name) for name in table.X if str(table.X[name].dtype) == "category"]
            about = {"train": len(train), "nominal": nominal, "classes": table.classes}
            path.with_suffix(".json").write_text(json.dumps(about))


def tables() -> Iterator[Real]:
    folder = Path(os.environ["PROBUS_BENCH_DATA"])
    for file, *how in TABLES:
        if Path(file).stem in CHOOSING + JUDGING:
            yield read_table(folder, file, *how)


def our_score(about: Path) -> dict[str, float]:
    from probus.ensemble import ExplainableBoostingClassifier, ExplainableBoostingRegressor

    split = json.loads(about.read_text())
    frame = pd.read_csv(about.with_suffix(".csv"), dtype=dict.fromkeys(split["nominal"], str))
    y, n = frame.pop("target").to_numpy(), split["train"]
    frame = frame.astype(dict.fromkeys(split["nominal"], "category"))
    kind = ExplainableBoostingClassifier if split["classes"] else ExplainableBoostingRegressor
    start = time.process_time()
    model = kind(random_state=0, n_jobs=1).fit(frame[:n], y[:n])
    seconds = time.process_time() - start
    if split["classes"]:
        p = np.clip(model.predict_proba(frame[n:]), 1e-15, 1.0)
        loss = -np.log(p[np.arange(len(p)), np.searchsorted(model.classes_, y[n:])]).mean()
    else:
        loss = np.sqrt(np.mean((model.predict(frame[n:]) - y[n:]) ** 2))
    return {"loss": float(loss), "seconds": seconds}


def compare(half: str, folder: Path, names: tuple[str, ...]) -> None:
    better = []
    for about in sorted(each for each in folder.glob("*.json") if each.stem.rsplit("-", 1)[0] in names):
        ours, peer = our_score(about), about.with_suffix(".peer")
        theirs = json.loads(peer.read_text()) if peer.exists() else {"loss": np.nan, "seconds": np.nan}
        ratio = ours["loss"] / theirs["loss"]
        better.append(ratio)
        times = f"{ours['seconds']:.2f} s and {theirs['seconds']:.1f} s"
        print(f"{about.stem:24} {ours['loss']:.4f} {theirs['loss']:.4f}  {ratio:.3f}  {times}", flush=True)
    ratios = np.array([ratio for ratio in better if np.isfinite(ratio)])
    ranks = 1.0 + (ratios > 1.0) + 0.5 * (ratios == 1.0)
    print(f"{half}: mean rank {ranks.mean():.2f} of 2, mean ratio of losses {np.exp(np.log(ratios).mean()):.3f}")


if __name__ == "__main__":
    main(sys.argv[1:])
