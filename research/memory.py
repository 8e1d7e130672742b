"""How much the memory of a process grows at its peak while it fits, as a multiple of the data.

``python -m research.memory`` fits each model in a process of its own, after a small fit that compiles and imports;
``python -m research.memory boosting float32`` only those whose line contains the words.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# the calls that make ours and the peers' models
_BOOSTING = {
    "Probus": "probus.ensemble:HistGradientBoosting{kind}(max_iter=20, early_stopping={stop})",
    "LightGBM": "lightgbm:LGBM{kind}(n_estimators=20, verbose=-1)",
    "scikit-learn": "sklearn.ensemble:HistGradientBoosting{kind}(max_iter=20, early_stopping={stop})",
}
_FOREST = {
    "Probus": "probus.ensemble:RandomForest{kind}(4, max_leaf_nodes=1000, random_state=0, n_jobs=-1)",
    "LightGBM": "lightgbm:LGBM{kind}(boosting_type='rf', n_estimators=4, num_leaves=1000, subsample=0.632, "
    "subsample_freq=1, verbose=-1)",
    "scikit-learn": "sklearn.ensemble:RandomForest{kind}(4, max_leaf_nodes=1000, random_state=0, n_jobs=-1)",
}
_TREE = {
    "Probus": "probus.tree:DecisionTree{kind}(max_depth=8)",
    "scikit-learn": "sklearn.tree:DecisionTree{kind}(max_depth=8)",
}
_FULL = {"Probus": "probus.tree:DecisionTree{kind}()", "scikit-learn": "sklearn.tree:DecisionTree{kind}()"}
ROWS, SMALL, COLUMNS = 1_000_000, 3_000, 20
LINES = [
    ("tree, two classes", _TREE, "Classifier", "float64"),
    ("tree, two classes", _TREE, "Classifier", "float32"),
    ("tree, regression", _TREE, "Regressor", "float64"),
    ("full tree, two classes", _FULL, "Classifier", "float64"),
    ("full tree, regression", _FULL, "Regressor", "float64"),
    ("forest, two classes", _FOREST, "Classifier", "float64"),
    ("forest, two classes", _FOREST, "Classifier", "float32"),
    ("forest, regression", _FOREST, "Regressor", "float64"),
    ("boosting, two classes", _BOOSTING, "Classifier", "float64"),
    ("boosting, two classes", _BOOSTING, "Classifier", "float32"),
    ("boosting, regression", _BOOSTING, "Regressor", "float64"),
    ("boosting, two classes, early stopping", _BOOSTING, "Classifier", "float64"),
]


def main(words: list[str]) -> None:
    """Print a line for each model: megabytes of the data, and the growth of ours and of the peers."""
    print("| fit | data | growth of the process at its peak, in multiples of the data |\n|---|---|---|")
    for what, calls, kind, dtype in LINES:
        label = f"{what}, {ROWS:,} × {COLUMNS} {dtype}"
        if not all(word in label for word in words):
            continue
        stop = str("early stopping" in what)
        grown = {name: measured(call.format(kind=kind, stop=stop), dtype) for name, call in calls.items()}
        size = ROWS * COLUMNS * int(dtype[5:]) / 8 / 2**20
        print(f"| {label} | {size:.0f} MB | {', '.join(f'{n} {g / size:.2f}' for n, g in grown.items())} |", flush=True)


def measured(call: str, dtype: str) -> float:
    """Megabytes by which a fresh process grows at its peak while it fits."""
    command = [sys.executable, "-m", "research.memory", "--one", call, dtype]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1])


def one(call: str, dtype: str) -> None:
    """Fit one model in this process and print the megabytes by which it grew at its peak."""
    from importlib import import_module

    import numpy as np

    module, _, made = call.partition(":")
    names = vars(import_module(module))

    def data(n: int) -> tuple[np.ndarray, np.ndarray]:
        X = np.empty((n, COLUMNS), dtype)
        rng = np.random.default_rng(0)
        for begin in range(0, n, SMALL):  # by parts: no second copy of the data
            X[begin : begin + SMALL] = rng.normal(size=X[begin : begin + SMALL].shape)
        signal = X[:, 0] + X[:, 1] * X[:, 2]
        return X, signal.astype(np.float64) if "Regressor" in call else (signal > 0).astype(np.int64)

    eval(made, dict(names)).fit(*data(SMALL))
    X, y = data(ROWS)
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts again from here
    eval(made, dict(names)).fit(X, y)
    print(resident("VmHWM") - before)


def resident(field: str) -> float:
    """Megabytes of this process, now (VmRSS) or at most so far (VmHWM)."""
    return int(Path("/proc/self/status").read_text().partition(f"{field}:")[2].split()[0]) / 1024


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(*sys.argv[2:])
    else:
        main(sys.argv[1:])
