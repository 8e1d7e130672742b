"""What the first fit after installation compiles: CPU seconds, functions and signatures, model by model.

``python -m research.cold`` fits each model in a process of its own with an empty cache; ``python -m research.cold
"forest"`` only those whose name contains the word, with the functions that take longest.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import redirect_stdout, suppress
from io import StringIO

MODELS = {
    "tree, numbers": "tree.DecisionTreeClassifier()",
    "tree, mixed": "tree.DecisionTreeClassifier()",
    "tree, regression": "tree.DecisionTreeRegressor()",
    "forest, numbers": "ensemble.RandomForestClassifier(10)",
    "forest, mixed": "ensemble.RandomForestClassifier(10)",
    "forest, regression": "ensemble.RandomForestRegressor(10)",
    "extra trees, numbers": "ensemble.ExtraTreesClassifier(10)",
    "hist boosting, numbers": "ensemble.HistGradientBoostingClassifier(max_iter=10)",
    "hist boosting, mixed": "ensemble.HistGradientBoostingClassifier(max_iter=10)",
    "hist boosting, regression": "ensemble.HistGradientBoostingRegressor(max_iter=10)",
    "boosting, numbers": "ensemble.GradientBoostingClassifier(n_estimators=10)",
    "boosting, mixed": "ensemble.BoostingClassifier(10)",
    "AdaBoost, numbers": "ensemble.AdaBoostClassifier(n_estimators=5)",
    "conditional tree, mixed": "tree.ConditionalTreeClassifier()",
    "C4.5, mixed": "tree.C45Classifier()",
    "naive Bayes, mixed": "naive_bayes.NaiveBayes()",
    "naive Bayes, numbers": "naive_bayes.GaussianNB()",
    "neighbours, numbers": "neighbors.KNeighborsClassifier()",
    "neighbours, mixed": "neighbors.KNeighborsClassifier(metric='gower')",
    "SVC, numbers": "svm.SVC()",
    "SVR, regression": "svm.SVR()",
    "linear SVM, numbers": "svm.LinearSVC()",
    "linear SVM, hinge, numbers": "svm.LinearSVC(loss='hinge')",
    "linear SVM, joint, numbers": "svm.LinearSVC(multi_class='crammer_singer')",
    "One-R, mixed": "dummy.OneRClassifier()",
    "study": "",  # titanic, by the command line
}


def main() -> None:
    """Print one line for each model."""
    wanted = [name for name in MODELS if all(word in name for word in sys.argv[1:])]
    print(f"{'model':28}{'compile s':>10}{'fit+predict s':>15}{'functions':>11}{'signatures':>12}")
    for name in wanted:
        with tempfile.TemporaryDirectory() as cache:
            command = [sys.executable, "-m", "research.cold", "--one", name, *sys.argv[1:]]
            subprocess.run(command, check=True, env={**os.environ, "NUMBA_CACHE_DIR": cache})


def one(name: str, longest: int) -> None:
    """Fit one model and print what was compiled."""
    run = _study if name == "study" else _fit(name)
    compiled = _listen()
    started = time.process_time()
    run()
    took = time.process_time() - started
    signatures = [row for row in compiled if row["function"].__module__.startswith("probus.")]
    functions = {row["function"] for row in signatures}
    seconds = sum(row["self"] for row in compiled)
    print(f"{name:28}{seconds:10.1f}{took:15.1f}{len(functions):11}{len(signatures):12}", flush=True)
    for label, row in sorted(_totals(compiled).items(), key=lambda item: -item[1][0])[:longest]:
        print(f"    {row[0]:6.2f} s  {row[1]:3} ×  {label}")


def _totals(compiled: list[dict]) -> dict[str, list]:
    totals: dict[str, list] = defaultdict(lambda: [0.0, 0])
    for row in compiled:
        function = row["function"]
        label = f"{function.__module__}.{function.__qualname__}"
        totals[label][0] += row["self"]
        totals[label][1] += 1
    return totals


def _fit(name: str):
    from importlib import import_module

    import numpy as np

    import probus

    rng = np.random.default_rng(0)
    numbers, labels = rng.normal(size=(300, 4)), rng.integers(0, 2, 300)
    X, y = numbers, rng.normal(size=300) if "regression" in name else labels
    if "mixed" in name:
        levels = {f"level{j}": np.array(list("abcdef"))[rng.integers(0, 6, 300)] for j in range(2)}
        X = probus.Table.of({"x": np.where(numbers[:, 0] > 1, np.nan, numbers[:, 0]), **levels})
    package, _, call = MODELS[name].partition(".")
    model = eval(call, vars(import_module(f"probus.{package}")))
    return lambda: model.fit(X, y).predict(X)


def _study() -> None:
    from probus.cli import main as command

    with tempfile.TemporaryDirectory() as folder, redirect_stdout(StringIO()), suppress(SystemExit):
        command(["study", "titanic", "--target", "Survived", "--out", folder])


def _listen() -> list[dict]:
    """What Numba compiles from now on: the function, and CPU seconds without those of functions it calls."""
    from numba.core import event

    finished, open_ = [], []

    class Listener(event.Listener):
        def on_start(self, event):
            open_.append([time.thread_time(), 0.0])

        def on_end(self, event):
            began, inner = open_.pop()
            took = time.thread_time() - began
            if open_:
                open_[-1][1] += took
            finished.append({"function": event.data["dispatcher"].py_func, "self": took - inner})

    event.register("numba:compile", Listener())
    return finished


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2], longest=40 if sys.argv[3:] else 0)
    else:
        main()
