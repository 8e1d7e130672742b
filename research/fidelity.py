"""``python -m research.fidelity [--live] [--seeds 3] [case …]``: how soon tuners of less effort equal random search.

Random search makes 60 full evaluations by five folds. Of every tuner the table has the CPU seconds of evaluations until
a full one is at least as good as the best of random search, over the seconds of random search; ∞ where that takes
longer than random search. Goal: a median of at most 1/3 for Hyperband.

What can be expected: n configurations hold one as good as the best of 60 others with probability n / (n + 60). Four
brackets of Hyperband with max_fidelity=27 try 49 configurations for the cost of 16 full evaluations, so even without
errors of promotion, and with costs in proportion to the effort, they reach it in 45 % of runs after 27 % of the time,
and in half of the runs after a third.

Without ``--live``, the evaluations are those of ``research/data/efforts.npz``, which cost nothing. Random search has
60 of its 150 configurations, and the tuner the others, which hold one as good in 60 % of searches (more where scores
are tied): that is the most that any tuner can reach. What is less effort was chosen on the cases of ``CHOSEN_ON`` of
``research.efforts``: fewer trees, epochs or rows on every fold, or fewer folds first (``"auto"``). ``--live``
makes the evaluations, of cases that judge, with BOHB and Bayesian search too. ``--rates`` prints the rank correlations
of scores of boosting with fewer trees and with all, for its own learning rate and for one that is larger with fewer
trees.
"""

from __future__ import annotations

import math
import os
import time
import warnings
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from probus.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from probus.spaces import Choice, Space
from probus.tuning import BOHB, Bayesian, Hyperband, Random, SuccessiveHalving, Trial, Tuner
from probus.tuning._fidelity import Fidelity
from research.efforts import CASES, CHOSEN_ON, EVERY, FIRST, N_SPLITS, STORE, Case

N = 60
TUNERS: dict[str, Callable[[], Tuner]] = {
    "Hyperband": lambda: Hyperband(repeats=None),
    "Hyperband, 9": lambda: Hyperband(max_fidelity=9, repeats=None),
    "SuccessiveHalving": lambda: SuccessiveHalving(repeats=None),
}
LIVE: dict[str, Callable[[], Tuner]] = {
    "Hyperband": lambda: Hyperband(repeats=None),
    "BOHB": lambda: BOHB(repeats=None),
    "Bayesian": Bayesian,
}
Evaluated = Callable[[Trial, float], tuple[float | None, float]]  # of a trial and a share: the score and the seconds


def spent_until(tuner: Tuner, evaluated: Evaluated, goal: float, most: float) -> float:
    """The seconds of evaluations until a full one is as good as the goal; infinite where that takes more than most."""
    spent = 0.0
    while not tuner.finished and spent <= most:
        trials = tuner.ask(1)
        if not trials:
            break
        share = 1.0 if trials[0].fidelity is None else trials[0].fidelity / getattr(tuner, "max_fidelity", 1.0)
        score, seconds = evaluated(trials[0], share)
        spent += seconds
        tuner.tell(trials[0], score)
        if share >= 1.0 and score is not None and score >= goal:
            return spent if spent <= most else np.inf
    return np.inf


# -- tabulated evaluations -------------------------------------------------------------------------------


Table = dict[
    float, tuple[np.ndarray, np.ndarray]
]  # of each share of an evaluation: scores and seconds by configuration


def tables_of(case: Case) -> dict[str, Table]:
    """The evaluations with less effort on every fold, and with fewer folds first."""
    stored = np.load(STORE)
    scores, seconds = stored[f"{case.name}: scores"], stored[f"{case.name}: seconds"]
    every = {share: (scores[:, j].mean(axis=1), seconds[:, j].sum(axis=1)) for j, share in enumerate(EVERY)}
    full = EVERY.index(1.0)
    first = {share / N_SPLITS: (scores[:, j, 0], seconds[:, j, 0]) for j, share in enumerate(FIRST, len(EVERY))}
    first[1 / 3] = (scores[:, full, :2].mean(axis=1), seconds[:, full, :2].sum(axis=1))
    return {"every fold": every, "fewer folds first": {**first, 1.0: every[1.0]}}


def tabulated(case: Case, seeds: int) -> dict[str, list[float]]:
    """The shares of random search's time that each tuner needs, by seed."""
    found: dict[str, list[float]] = {}
    for how, table in tables_of(case).items():
        print(f"{case.name}, {how}: {agreement(table)}")
        for seed in range(seeds):
            order = np.random.default_rng(seed).permutation(len(table[1.0][0]))
            for name, make in TUNERS.items():
                share = share_of_random(make(), table, order, seed, reuse=how != "every fold")
                found.setdefault(f"{name}, {how}", []).append(share)
    return found


def share_of_random(tuner: Tuner, table: Table, order: np.ndarray, seed: int, *, reuse: bool) -> float:
    """The time of one search over that of random search, which has the first configurations of the order."""
    random, others = order[:N], order[N:]
    goal, whole = float(np.nanmax(table[1.0][0][random])), float(table[1.0][1][random].sum())
    begun: set[int] = set()  # configurations that were evaluated on two folds with all of the effort

    def evaluated(trial: Trial, share: float) -> tuple[float | None, float]:
        row, nearest = others[trial.config["row"]], min(table, key=lambda each: abs(math.log(each / share)))
        score, seconds = table[nearest][0][row], table[nearest][1][row]
        if reuse and nearest == 1.0 and row in begun:
            seconds -= table[1 / 3][1][row]
        if nearest == 1 / 3:
            begun.add(row)
        return None if np.isnan(score) else float(score), float(seconds)

    tuner.start(Space({"row": Choice(*range(len(others)))}), seed)
    return spent_until(tuner, evaluated, goal, whole) / whole


def agreement(table: Table) -> str:
    """Of each smaller effort, its cost, and the rank correlation with full evaluations among the better half."""
    full, seconds = table[1.0]
    better = full >= np.nanmedian(full)
    parts = []
    for share in sorted(table)[:-1]:
        rank = spearmanr(table[share][0][better], full[better], nan_policy="omit")[0]
        parts.append(f"1/{1 / share:.0f} costs {table[share][1].mean() / seconds.mean():.2f}, correlation {rank:.2f}")
    return "; ".join(parts)


# -- evaluations as they are made ------------------------------------------------------------------------


def live(case: Case, seeds: int, folder: Path) -> dict[str, list[float]]:
    evaluator, space = case.evaluator(folder), case.space()
    main = evaluator.measures[0]
    evaluator.split({}, 0)  # compiles

    def evaluations() -> Evaluated:
        begun: dict[str, list[float]] = {}  # scores of folds with all of the effort

        def evaluated(trial: Trial, share: float) -> tuple[float | None, float]:
            start, (n, effort) = time.process_time(), evaluator.fidelity.plan(N_SPLITS, share)
            known = begun.setdefault(repr(trial.config), []) if effort == 1.0 else []
            for split in range(len(known), n):
                result = evaluator.split(trial.config, split, effort)
                if result.error:
                    return None, time.process_time() - start
                known.append(main.better(result.scores[main.name]))
            return float(np.mean(known)), time.process_time() - start

        return evaluated

    found: dict[str, list[float]] = {name: [] for name in LIVE}
    for seed in range(seeds):
        evaluated = evaluations()
        full = [evaluated(trial, 1.0) for trial in Random().start(space, seed).ask(N)]
        goal, whole = max(score for score, _ in full if score is not None), sum(seconds for _, seconds in full)
        for name, make in LIVE.items():
            found[name].append(spent_until(make().start(space, 1000 + seed), evaluations(), goal, whole) / whole)
        print(case.name, seed, ", ".join(f"{name} {shares[-1]:.2f}" for name, shares in found.items()), flush=True)
    return found


# -- learning rates of fewer trees -----------------------------------------------------------------------


def print_rates(case: Case, folder: Path, n: int = N) -> None:
    """The rank correlations with full evaluations, of all configurations and of the better half."""
    whole = case.evaluator(folder)
    evaluator, main = replace(whole, fidelity=Fidelity("rows")), whole.measures[0]
    configs = case.space().sample(np.random.default_rng(5), n)

    def scores(share: float, power: float) -> np.ndarray:
        fewer = [{**each, "max_iter": max(1, math.ceil(share * each["max_iter"]))} for each in configs]
        rates = [min(1.0, each["learning_rate"] / share**power) for each in configs]
        tried = [{**each, "learning_rate": rate} for each, rate in zip(fewer, rates, strict=True)]
        return np.array([main.better(evaluator.split(each, 0).scores[main.name]) for each in tried])

    full = scores(1.0, 0.0)
    better = full >= np.median(full)
    for share in EVERY[:-1]:
        for power in (0.0, 0.5):
            some = scores(share, power)
            both = spearmanr(some, full)[0], spearmanr(some[better], full[better])[0]
            print(f"| {case.name} | 1/{1 / share:.0f} | {power} | {both[0]:.2f} | {both[1]:.2f} |", flush=True)


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("cases", nargs="*", default=[])
    parser.add_argument("--live", action="store_true")
    parser.add_argument("--rates", action="store_true")
    parser.add_argument("--seeds", type=int)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    folder = Path(os.environ.get("PROBUS_BENCH_DATA", "../shared/data"))
    cases = [case for case in CASES if not options.cases or case.table in options.cases or case.name in options.cases]
    if options.rates:
        for case in cases:
            if isinstance(case.model, HistGradientBoostingClassifier | HistGradientBoostingRegressor):
                print_rates(case, folder)
        return
    results: dict[str, list[float]] = {}
    for case in cases:
        if not options.cases and (case.table in CHOSEN_ON) == options.live:
            continue
        seeds = options.seeds or (3 if options.live else 200)
        found = live(case, seeds, folder) if options.live else tabulated(case, seeds)
        for name, shares in found.items():
            print(f"| {case.name} | {name} | {described(shares)} |", flush=True)
            results.setdefault(name, []).extend(shares)
    for name, shares in results.items():
        print(f"| all | {name} | {described(shares)} |")


def described(shares: list[float]) -> str:
    """The median, and how often a third of the time and all of it were enough."""
    third, whole = np.mean(np.array(shares) <= 1 / 3), np.mean(np.isfinite(shares))
    return f"{np.median(shares):.2f} | {third:.0%} | {whole:.0%}"


if __name__ == "__main__":
    main()
