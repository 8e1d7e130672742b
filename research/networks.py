"""``PROBUS_BENCH_DATA=folder python -m research.networks [--seeds 3] [--settings three] [table …]``.

Networks for typed tables against boosting, both with their defaults, and the mean of both: log loss or RMSE on at most
2,000 rows after training on at most 2,000 others, the mean over random splits. The tables of ``research.tables`` are in
two halves by name, every other one (``HALVES``).

Thirteen settings were compared on these splits by the same network written for a GPU, which trains the networks of all
splits together: more members, hidden layers, dropout, weight decay, smoothed labels, a cosine schedule (two), averaged
weights, members with adapters in every layer or with matrices of their own or that share the first layer, periodic
embeddings. The default is the simplest that was within 0.5 % of the best loss on either half: of boosting's loss it has
0.947 on A, where adapters in every layer have 0.946, and 0.968 on B, where a third layer has 0.964. So each half judges
what the other chooses: better than boosting on 7 of 14 and 7 of 13 tables, the mean of both 0.951 and 0.959 of
boosting's loss. ``--settings`` runs some of those that were compared.
"""

from __future__ import annotations

import os
import warnings
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import log_loss

from probus.ensemble import BoostingClassifier, BoostingRegressor
from probus.neural_network import TabularNetClassifier, TabularNetRegressor
from research.tables import TABLES, read_table
from research.tables import Real as Table

MOST_ROWS = 2000
NAMES = sorted((file.partition(".")[0] for file, *_ in TABLES), key=str.lower)
HALVES = {"A": NAMES[0::2], "B": NAMES[1::2]}
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "one": {"n_models": 1},
    "three": {"hidden_layer_sizes": (128, 128, 128)},
    "members": {"n_members": 32},
    "dropout": {"dropout": 0.3},
    "decay": {"weight_decay": 0.03},
    "cosine": {"learning_rate": "cosine", "max_iter": 60, "n_iter_no_change": 60},
    "smoothing": {"label_smoothing": 0.1},  # of classes only
}


def losses(table: Table, seed: int, settings: dict[str, Any]) -> np.ndarray:
    """The losses of network, boosting and their mean on a random split."""
    n = len(table.y)
    order = np.random.default_rng([seed, n]).permutation(n)
    size = min(MOST_ROWS, 3 * n // 4)
    train, test = order[:size], order[size : size + MOST_ROWS]
    if table.classes:  # a class of few rows may be in the test rows only
        test = test[np.isin(table.y[test], table.y[train])]
    y = table.y.astype(str) if table.classes else table.y
    kinds = (TabularNetClassifier, BoostingClassifier) if table.classes else (TabularNetRegressor, BoostingRegressor)
    predicted = []
    for kind, own in zip(kinds, (settings, {}), strict=True):
        model = kind(random_state=seed, **own).fit(table.X.iloc[train], y[train])
        new = table.X.iloc[test]
        predicted.append(model.predict_proba(new) if table.classes else model.predict(new))
    predicted.append(np.mean(predicted, axis=0))
    if table.classes:
        return np.array([log_loss(y[test], p, labels=model.classes_) for p in predicted])
    return np.array([np.sqrt(np.mean((p - y[test]) ** 2)) for p in predicted])


def summary(name: str, found: np.ndarray) -> str:
    """What holds over tables: losses of network, boosting and mean, a row for each."""
    net, boosting, both = np.maximum(found, 1e-3).T
    ratios = [np.exp(np.mean(np.log(each / boosting))) for each in (net, both)]
    ranks = [1.0 + np.mean(net > boosting), 1.0 + np.mean(boosting > net)]
    better = np.sum(both < np.minimum(net, boosting))
    return (
        f"{name}: network better on {np.sum(net < boosting)} of {len(net)}, "
        f"mean ranks {ranks[0]:.2f} and {ranks[1]:.2f}; "
        f"loss {ratios[0]:.3f} of boosting's, the mean of both {ratios[1]:.3f}; "
        f"the mean is better than either on {better}, than boosting on {np.sum(both < boosting)}, "
        f"than the network on {np.sum(both < net)}"
    )


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--settings", choices=SETTINGS, default="default")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    folder, found = Path(os.environ["PROBUS_BENCH_DATA"]), {}
    print("| table | half | rows | network | boosting | mean of both |\n|---|---|---|---|---|---|")
    for file, *others in sorted(TABLES, key=lambda each: each[0].lower()):
        name = file.partition(".")[0]
        if options.tables and name not in options.tables:
            continue
        table = read_table(folder, file, *others)
        runs = [losses(table, seed, SETTINGS[options.settings]) for seed in range(options.seeds)]
        found[name] = np.mean(runs, axis=0)
        half = "A" if name in HALVES["A"] else "B"
        rows = min(MOST_ROWS, 3 * len(table.y) // 4)
        print(f"| {name} | {half} | {rows:,} | " + " | ".join(f"{loss:.4g}" for loss in found[name]) + " |", flush=True)
    for half, names in HALVES.items():
        some = np.array([found[name] for name in names if name in found])
        if len(some):
            print(summary(f"half {half}", some))
    print(summary("all", np.array(list(found.values()))))


if __name__ == "__main__":
    main()
