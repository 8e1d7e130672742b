"""``python -m research.tuners [--seeds 15] [--problems chosen|judged|all] [tuner …]``: how much tuners leave to gain.

Each tuner searches tabulated problems (``research.tabulated``) with each seed. Its regret after 25 and 50
evaluations is what is missing to the best configuration, as a share of the way from a typical one to the best. Optuna's
samplers (``pip install optuna torch``) search the same spaces. The settings of our tuners were chosen on twelve
problems; twelve others judge them.
"""

from __future__ import annotations

import time
import warnings
from argparse import ArgumentParser
from collections.abc import Callable, Mapping

import numpy as np

from probus.tuning import CMAES, Annealing, Bayesian, Evolution, OptunaTuner, Random, Sobol, Tuner
from research.tabulated import CHOSEN_ON, Tabulated, problems, stored_names

TUNERS: Mapping[str, Callable[[], Tuner]] = {
    "Random": Random,
    "Sobol": Sobol,
    "Annealing": Annealing,
    "Evolution": Evolution,
    "CMAES": CMAES,
    "Bayesian-forest": lambda: Bayesian("forest"),
    "Bayesian": Bayesian,
    "Optuna-TPE": lambda: OptunaTuner("tpe"),
    "Optuna-GP": lambda: OptunaTuner("gp"),
}
KNOWN = stored_names()
PARTS = {
    "chosen": CHOSEN_ON,
    "judged": tuple(name for name in KNOWN if name not in CHOSEN_ON),
    "all": KNOWN,
}


def regrets(tuner: Tuner, problem: Tabulated, seed: int, n: int = 50) -> list[float]:
    """The regret after each evaluation of one search."""
    tuner.start(problem.space, seed)
    best, found = -np.inf, []
    while len(found) < n and not tuner.finished:
        for trial in tuner.ask():
            score = problem(trial.config)
            tuner.tell(trial, score)
            best = max(best, score)
            found.append(problem.regret(best))
    return found + found[-1:] * (n - len(found))


def line(name: str, tabulated: list[Tabulated], seeds: int) -> str:
    """A tuner's row: regrets after 25 and 50 evaluations, and the time of a proposal."""
    start = time.process_time()
    found = np.array([[regrets(TUNERS[name](), each, seed) for seed in range(seeds)] for each in tabulated])
    ask = (time.process_time() - start) / found.size
    half, whole = found[:, :, 24], found[:, :, 49]
    each = " ".join(f"{value:.3f}" for value in np.median(whole, axis=1))
    return (
        f"| {name} | {np.median(half):.4f} | {np.median(whole):.4f} | {half.mean():.4f} | {whole.mean():.4f} | "
        f"{1e3 * ask:.1f} ms | {each} |"
    )


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("tuners", nargs="*", default=[])
    parser.add_argument("--seeds", type=int, default=15)
    parser.add_argument("--problems", choices=PARTS, default="judged")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    tabulated = problems(PARTS[options.problems])
    print(f"{options.problems}: {', '.join(each.name for each in tabulated)}; {options.seeds} seeds")
    print("| tuner | median 25 | median 50 | mean 25 | mean 50 | proposal | medians after 50 by problem |")
    print("|---|---|---|---|---|---|---|")
    for name in options.tuners or TUNERS:
        print(line(name, tabulated, options.seeds), flush=True)


if __name__ == "__main__":
    main()
