"""``python -m benchmarks.fidelity [--live] [--seeds 3] [case …]``: how soon tuners of less effort equal random search.

Random search makes 60 full evaluations. Of every tuner the table has the CPU seconds of evaluations until a full one is
at least as good as the best of random search, over the seconds of random search; ∞ where that takes longer than random
search. Goal: a median of at most 1/3 for Hyperband.

What can be expected: n configurations hold one as good as the best of 60 others with probability n / (n + 60). Four
brackets of Hyperband with max_fidelity=27 try 49 configurations for the cost of 16 full evaluations, so even without
errors of promotion, and with costs in proportion to the effort, they reach it in 45 % of runs after 27 % of the time,
and in half of the runs after a third. The first bracket with max_fidelity=81 tries 81 for the cost of 5.

Without ``--live``, the evaluations are those of ``benchmarks/data/efforts.npz``, which cost nothing: the defaults were
chosen on them. Random search has 60 of its configurations, and the tuner the others. ``--live`` searches the cases that
judge (all but ``CHOSEN_ON`` of ``benchmarks.efforts``), with BOHB too. ``--rates`` prints the rank correlations of
scores of boosting with fewer trees and with all, for its own learning rate and for one that is larger with fewer trees.
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

from benchmarks.efforts import CASES, CHOSEN_ON, SHARES, STORE, Case
from probus.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from probus.spaces import Choice, Space
from probus.tuning import BOHB, Hyperband, Random, SuccessiveHalving, Trial, Tuner
from probus.tuning.fidelity import Fidelity

N = 60
TUNERS: dict[str, Callable[[], Tuner]] = {
    "Hyperband": lambda: Hyperband(repeats=None),
    "Hyperband, 9": lambda: Hyperband(max_fidelity=9, repeats=None),
    "Hyperband, 81": lambda: Hyperband(max_fidelity=81, repeats=None),
    "SuccessiveHalving": lambda: SuccessiveHalving(repeats=None),
}
LIVE: dict[str, Callable[[], Tuner]] = {
    "Hyperband": lambda: Hyperband(repeats=None),
    "BOHB": lambda: BOHB(repeats=None),
}
Evaluated = Callable[[Trial, float], tuple[float | None, float]]  # of a trial and a share: the score and the seconds


def spent_until(tuner: Tuner, evaluated: Evaluated, goal: float, most: float) -> float:
    """The seconds of evaluations until a full one is as good as the goal; infinite where that takes more than most."""
    spent = 0.0
    while not tuner.finished and spent <= most:
        trials = tuner.ask(1)
        if not trials:
            break
        share = 1.0 if trials[0].fidelity is None else trials[0].fidelity / tuner.max_fidelity
        score, seconds = evaluated(trials[0], share)
        spent += seconds
        tuner.tell(trials[0], score)
        if share >= 1.0 and score is not None and score >= goal:
            return spent if spent <= most else np.inf
    return np.inf


# -- tabulated evaluations -------------------------------------------------------------------------------


def tabulated(case: Case, seeds: int) -> dict[str, list[float]]:
    """The shares of random search's time that each tuner needs, by seed."""
    stored = np.load(STORE)
    scores, seconds = stored[f"{case.name}: scores"], stored[f"{case.name}: seconds"]
    print(f"{case.name}: {agreement(scores, seconds)}")
    found: dict[str, list[float]] = {name: [] for name in TUNERS}
    for seed in range(seeds):
        order = np.random.default_rng(seed).permutation(len(scores))
        random, others = order[:N], order[N:]
        goal, whole = float(np.nanmax(scores[random, -1])), float(seconds[random, -1].sum())

        def evaluated(trial: Trial, share: float, others: np.ndarray = others) -> tuple[float | None, float]:
            place = (others[trial.config["row"]], int(np.argmin(np.abs(np.log(np.array(SHARES) / share)))))
            return None if np.isnan(scores[place]) else float(scores[place]), float(seconds[place])

        for name, make in TUNERS.items():
            tuner = make().start(Space({"row": Choice(*range(len(others)))}), seed)
            found[name].append(spent_until(tuner, evaluated, goal, whole) / whole)
    return found


def agreement(scores: np.ndarray, seconds: np.ndarray) -> str:
    """Of each smaller effort, its cost, and the rank correlation with full evaluations among the better half."""
    better = scores[:, -1] >= np.nanmedian(scores[:, -1])
    cost = seconds.mean(axis=0) / seconds[:, -1].mean()
    ranks = [spearmanr(scores[better, j], scores[better, -1], nan_policy="omit")[0] for j in range(len(SHARES) - 1)]
    parts = [f"1/{1 / SHARES[j]:.0f} costs {cost[j]:.2f}, correlation {ranks[j]:.2f}" for j in range(len(SHARES) - 1)]
    return "; ".join(parts)


# -- evaluations as they are made ------------------------------------------------------------------------


def live(case: Case, seeds: int, folder: Path) -> dict[str, list[float]]:
    evaluator, space = case.evaluator(folder), case.space()
    main = evaluator.measures[0]
    evaluator.split({}, 0)  # compiles

    def evaluated(trial: Trial, share: float) -> tuple[float | None, float]:
        start = time.process_time()
        result = evaluator.split(trial.config, 0, share)
        seconds = time.process_time() - start
        return None if result.error else main.better(result.scores[main.name]), seconds

    found: dict[str, list[float]] = {name: [] for name in LIVE}
    for seed in range(seeds):
        full = [evaluated(trial, 1.0) for trial in Random().start(space, seed).ask(N)]
        goal, whole = max(score for score, _ in full if score is not None), sum(seconds for _, seconds in full)
        for name, make in LIVE.items():
            found[name].append(spent_until(make().start(space, 1000 + seed), evaluated, goal, whole) / whole)
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
    for share in SHARES[1:-1]:
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
    cases = [case for case in CASES if case.table in (options.cases or [case.table])]
    if options.rates:
        for case in cases:
            if isinstance(case.model, HistGradientBoostingClassifier | HistGradientBoostingRegressor):
                print_rates(case, folder)
        return
    results: dict[str, list[float]] = {}
    for case in cases:
        if (case.table in CHOSEN_ON) == options.live:
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
