"""``PROBUS_BENCH_DATA=folder python -m research.active_queries [table …] [--model NAME]``: who beats random rows.

On each table ``probus.active.simulate`` runs strategies from 10 to 100 labels, and tests the mean accuracy of each
against that of random rows, p-values by Holm within a table. Nothing of the strategies was chosen on tables: all of
them judge. At most 3,000 rows of a table are used. With ``--stop`` the stopping rule is judged instead: of the times
when it says that another 50 labels gain less than 0.01, how often do they gain more on the other half of the rows?
"""

from __future__ import annotations

import os
import time
import warnings
from argparse import ArgumentParser
from pathlib import Path

import numpy as np

from probus.active import Learner, simulate
from probus.data import Table
from probus.linear_model import LogisticRegression
from probus.naive_bayes import NaiveBayes
from research.tables import TABLES, read_table

MODELS = {"linear": LogisticRegression(max_iter=1000), "bayes": NaiveBayes()}
CLASSES = (
    "adult", "BreastCancer", "german_credit", "Glass", "HouseVotes84", "penguins", "PimaIndiansDiabetes2", "Satellite",
    "Sonar", "Soybean", "spam", "titanic_passengers",
)  # fmt: skip
QUERIES = ("least_confidence", "margin", "entropy", "committee", "density")
_MOST = 3000


def rows_of(name: str) -> tuple[Table, np.ndarray]:
    """The features of at most 3,000 rows, and their labels."""
    folder = Path(os.environ["PROBUS_BENCH_DATA"])
    table = read_table(folder, *next(each for each in TABLES if each[0].partition(".")[0] == name))
    rows = Table.of(table.X)
    keep = np.sort(np.random.default_rng(0).permutation(len(table.y))[:_MOST])
    return rows.take(keep), table.y[keep]


def judge_queries(name: str, model: str, repeats: int) -> None:
    """Print a line for each strategy."""
    X, y = rows_of(name)
    began = time.perf_counter()
    n_labels = min(100, int(0.6 * len(y)))
    found = simulate(MODELS[model], X, y, queries=QUERIES, n_labels=n_labels, batch=10, repeats=repeats)
    last = found.scores["random"][:, -1].mean()
    print(f"{name} {model}: {len(y)} rows, random {last:.3f}, {time.perf_counter() - began:.0f} s", flush=True)
    for query in found.tests:
        verdict, reach = found.verdict(query), found.labels_to_reach(query)
        print(f"  {query:18} {found.gain(query)}  p {found.pvalues[query]:.3f}  {verdict}  {reach}", flush=True)


def judge_stopping(name: str, model: str, repeats: int) -> tuple[int, int, int]:
    """Times that the rule said stop, times that it was wrong, and all times."""
    X, y = rows_of(name)
    stops = wrong = times = 0
    gains: list[float] = []
    for seed in range(repeats):
        order = np.random.default_rng(seed).permutation(len(y))
        pool, test = np.array_split(order, 2)
        learner, rows, labels = Learner(MODELS[model], X.take(pool), random_state=seed), X.take(test), y[pool].tolist()
        said, accuracy = {}, {}
        while len(learner.labels) < min(400, len(pool) - 60):
            learner.tell({question.row: labels[question.row] for question in learner.ask(10)})
            n = len(learner.labels)
            if n >= 100 and n % 50 == 0:
                accuracy[n] = (learner.model.predict(rows) == y[test]).mean()
                said[n] = learner.stopping(50, tolerance=0.01)
        for n, found in said.items():
            if n + 50 in accuracy:
                gain = accuracy[n + 50] - accuracy[n]
                times, stops = times + 1, stops + found.stop
                wrong += found.stop and gain >= 0.01
                gains += [gain] if found.stop else []
    gained = f"{np.mean(gains):.4f}" if gains else "–"
    print(f"{name} {model}: stop {stops} of {times}, then gained {gained}, 0.01 or more {wrong} times", flush=True)
    return stops, wrong, times


def main() -> None:
    """Run the experiment."""
    parser = ArgumentParser()
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--model", default="linear", choices=MODELS)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--stop", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in options.tables or CLASSES:
        (judge_stopping if options.stop else judge_queries)(name, options.model, options.repeats)


if __name__ == "__main__":
    main()
