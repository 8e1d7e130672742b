"""``python -m research.mislabelled [folder of tables]``: planted wrong labels, and how many of them a forest finds.

In 5 % of the rows the label is replaced by another one at random; a forest of 200 trees is fitted, and
``likely_mislabelled`` lists rows. The rule was chosen on iris, penguins, titanic and made tables; the tables in
``JUDGED`` were used only to judge it, and are read from the folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import probus
from probus.ensemble import RandomForestClassifier

CHOSEN_ON = {"iris": "species", "penguins": "species", "titanic": "Survived"}
JUDGED = {
    "BreastCancer.csv": "Class",
    "HouseVotes84.csv": "Class",
    "Glass.csv": "Type",
    "Sonar.csv": "Class",
    "PimaIndiansDiabetes2.csv": "diabetes",
    "spam.csv": "type",
    "Satellite.csv": "classes",
}
PLANTED, TREES, REPEATS = 0.05, 200, 3
NAMES = ("PassengerId", "Name", "Ticket", "Cabin", "Id", "rownames")


def counts(X: object, labels: np.ndarray, seed: int) -> tuple[int, int, int]:
    """Wrong labels, listed rows, and rows that are both."""
    rng = np.random.default_rng(seed)
    y, kinds = labels.copy(), np.unique(labels)
    wrong = rng.choice(len(y), max(1, round(PLANTED * len(y))), replace=False)
    for row in wrong:
        y[row] = rng.choice(kinds[kinds != y[row]])
    found = RandomForestClassifier(TREES, random_state=seed).fit(X, y).likely_mislabelled(X, y)
    return len(wrong), len(found), len(set(wrong) & set(found.rows))


def main(arguments: list[str]) -> None:
    folder = Path(arguments[0]) if arguments else None
    print("| table | rows | chosen on | planted and found | listed and planted | listed of the labels as they are |")
    print("|---|---|---|---|---|---|")
    for name, target in {**CHOSEN_ON, **(JUDGED if folder else {})}.items():
        bundled = name in CHOSEN_ON
        table = probus.datasets.load(name) if bundled else probus.read(folder / name)  # type: ignore[operator]
        table = table.drop(*(column for column in NAMES if column in table.names))
        if len(table) > 2500:
            table = table.take(np.random.default_rng(0).choice(len(table), 2500, replace=False))
        X, y = table.drop(target), np.asarray(table[target].decoded())
        wrong, listed, both = np.sum([counts(X, y, seed) for seed in range(REPEATS)], axis=0)
        clean = RandomForestClassifier(TREES, random_state=0).fit(X, y).likely_mislabelled(X, y)
        shares = f"{both / wrong:.0%} | {both / max(listed, 1):.0%} | {len(clean) / len(y):.1%}".replace("%", " %")
        print(f"| {name.partition('.')[0]} | {len(y):,} | {'yes' if bundled else ''} | {shares} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
