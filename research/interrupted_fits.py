"""``python -m research.interrupted_fits [--tries N] [--seconds S] [model …]``: is a process whole after Ctrl-C?

Each try fits a model in a process of its own with an empty cache of kernels and interrupts it after a random time, most
often while a kernel is compiled. Then the model must not be fitted, fitting it again must work, and its predictions
must be those of a process that was not interrupted.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from random import Random

MODELS = ("tree.DecisionTreeClassifier", "dummy.OneRClassifier", "naive_bayes.GaussianNB", "tree.C45Classifier")

CHILD = """
import importlib, os, signal, sys, threading
import numpy as np
from sklearn.exceptions import NotFittedError

module, name = sys.argv[1].rsplit(".", 1)
X = np.random.default_rng(0).normal(size=(60, 3))
y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts processes in the background without it
model = getattr(importlib.import_module("probus." + module), name)()
stop = threading.Timer(float(sys.argv[2]), os.kill, (os.getpid(), signal.SIGINT))
try:
    stop.start()
    model.fit(X, y)
    stop.cancel()
    stop.join()
    outcome = "fitted first"
except KeyboardInterrupt:
    outcome = "interrupted"
    try:
        model.predict(X)
        outcome = "predicts without being fitted"
    except NotFittedError:
        pass
model.fit(X, y)
print(outcome, ",".join(model.predict(X)))
"""


def fitted_again(model: str, seconds: float) -> tuple[str, str]:
    """What the interrupt did, and the predictions after fitting again; what went wrong in place of the first."""
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, "-c", CHILD, model, str(seconds)],
            env={**os.environ, "NUMBA_CACHE_DIR": cache}, capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode:
        return f"failed with status {done.returncode}: {done.stderr.strip()[-300:]}", ""
    outcome, _, predictions = done.stdout.strip().rpartition(" ")
    return outcome, predictions


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m research.interrupted_fits", description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="*", default=list(MODELS))
    parser.add_argument("--tries", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=4.0, help="interrupt at most so late")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    random, bad = Random(given.seed), 0
    expected = {model: fitted_again(model, 1e6)[1] for model in given.models}
    for i in range(given.tries):
        model, seconds = given.models[i % len(given.models)], random.uniform(0.0, given.seconds)
        outcome, predictions = fitted_again(model, seconds)
        wrong = outcome not in ("interrupted", "fitted first") or predictions != expected[model]
        bad += wrong
        print(f"{'FAILED  ' if wrong else ''}{model} after {seconds:.2f} s: {outcome}", flush=True)
    print(f"{bad} of {given.tries} processes were not whole")
    return min(bad, 1)


if __name__ == "__main__":
    raise SystemExit(main())
