"""Evaluation on real tables: the network, boosting, and their average.

``python -m research.incontext.evaluate predict TABLES.npz OUT.npz WEIGHTS.npz …`` writes the network's predictions,
``… shipped TABLES.npz OUT.npz --half judge`` those of the classes of ``probus.in_context``, and
``… score TABLES.npz PREDICTIONS.npz … --half judge`` prints losses and paired differences of all these tables.
``TABLES.npz`` is written by ``research.incontext.tables``. The first step wants a GPU, the others none.
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

import numpy as np

from research.incontext.tables import Split, read_splits

__all__ = ["interval", "main", "table_of"]

_MEMBERS = 4
_LEAST = 1e-6  # of a probability
LEVELS = (np.arange(64) + 0.5) / 64  # of the quantiles


# -- predictions ---------------------------------------------------------------------------------------------


def predict(tables: Path, out: Path, weights: list[Path], device: str, members: int) -> None:
    import torch

    from research.incontext.checkpoints import load_network

    splits, arrays = read_splits(tables), {}
    for file in weights:
        network = load_network(file).to(device)
        torch.manual_seed(0)
        for i, split in enumerate(splits):
            arrays[f"{file.parent.name}/{file.stem}:{i}"] = _outputs(network, split, device, members)
    np.savez_compressed(out, **arrays)


def _outputs(network, split: Split, device: str, members: int) -> np.ndarray:
    """Probabilities (n, classes), or the mean and quantiles of numbers (n, 1 + 64); the mean over some members.

    Members differ in the numbers that identify columns, in the codes of levels, and in the names of classes.
    """
    total = 0.0
    for member in range(members):
        rng = np.random.default_rng(member)
        X, X_new = _recoded(rng, split)
        total = total + _member(network, split, X, X_new, rng.permutation(split.classes), device)
    return (total / members).astype(np.float32)


def _recoded(rng: np.random.Generator, split: Split) -> tuple[np.ndarray, np.ndarray]:
    """The columns with random codes for the levels of nominal ones."""
    X, X_new = split.X.copy(), split.X_new.copy()
    for j in np.flatnonzero(split.nominal):
        levels = int(np.nanmax(np.append(np.concatenate([X[:, j], X_new[:, j]]), 0))) + 1
        code = rng.permutation(levels).astype(np.float32)
        for part in (X, X_new):
            known = ~np.isnan(part[:, j])
            part[known, j] = code[part[known, j].astype(int)]
    return X, X_new


def _member(network, split: Split, X: np.ndarray, X_new: np.ndarray, names: np.ndarray, device: str) -> np.ndarray:
    import torch

    def sent(array: np.ndarray):
        return torch.as_tensor(array, device=device)[None]

    y = sent(names[split.y]) if split.classes else sent(split.y.astype(np.float32))
    count = torch.full((1,), split.classes, device=device)
    context = network.context(sent(X), sent(split.nominal), y, count)
    out = network.predict(sent(X_new), context)[0]
    if split.classes:
        return torch.softmax(out, 1).cpu().numpy()[:, names]
    quantiles = out.sort(1).values.sinh() * (y.std(correction=0) + 1e-6) + y.mean()
    return torch.cat([quantiles.mean(1, keepdim=True), quantiles], 1).cpu().numpy()


def shipped(tables: Path, out: Path, half: str, members: int, context_size: int) -> None:
    """Predictions of the classes of the package, for tables with the same columns and kinds."""
    from probus.in_context import InContextClassifier, InContextRegressor

    settings, arrays = {"n_members": members, "context_size": context_size, "random_state": 0}, {}
    for i, split in enumerate(read_splits(tables)):
        if split.half != half:
            continue
        X, new = (table_of(part, split.nominal) for part in (split.X, split.X_new))
        if split.classes:
            found = InContextClassifier(**settings).fit(X, split.y).predict_proba(new)
        else:
            model = InContextRegressor(**settings).fit(X, split.y)
            found = np.column_stack([model.predict(new), model.predict_quantiles(new, LEVELS)])
        arrays[f"shipped/{members}:{i}"] = found.astype(np.float32)
        print(i, split.name, split.rows, flush=True)
    np.savez_compressed(out, **arrays)


def table_of(X: np.ndarray, nominal: np.ndarray):
    """The rows with their kinds of columns. A level that training rows lack becomes missing."""
    from probus.data import Column, Kind, Table

    columns = []
    for j, values in enumerate(X.T):
        if nominal[j]:
            codes = np.where(np.isnan(values), -1, values).astype(np.int32)
            levels = tuple(f"level {code}" for code in range(max(int(codes.max()) + 1, 1)))
            columns.append(Column(f"x{j}", Kind.NOMINAL, codes, levels))
        else:
            columns.append(Column(f"x{j}", Kind.NUMERIC, values.astype(np.float64), ()))
    return Table(columns)


# -- scores --------------------------------------------------------------------------------------------------


def score(files: list[Path], half: str) -> None:
    """Losses of all tables of a half: files of tables, each followed by that of its predictions."""
    made: dict[str, list[tuple[Split, np.ndarray]]] = {}
    for tables, predictions in zip(files[::2], files[1::2], strict=True):
        splits = read_splits(tables)
        with np.load(predictions) as arrays:
            for key in arrays.files:
                weights, place = key.split(":")
                if splits[int(place)].half == half:
                    made.setdefault(weights, []).append((splits[int(place)], arrays[key]))
    for weights, pairs in sorted(made.items()):
        for classes in (True, False):
            for rows in sorted({split.rows for split, _ in pairs}):
                chosen = [(s, p) for s, p in pairs if s.rows == rows and bool(s.classes) == classes]
                if chosen:
                    _report(weights, rows, classes, chosen)


def _report(weights: str, rows: int, classes: bool, pairs: list[tuple[Split, np.ndarray]]) -> None:
    losses: dict[str, list[np.ndarray]] = {}
    for split, ours in pairs:
        losses.setdefault(split.name, []).append((_class_losses if classes else _number_losses)(split, ours))
    names, values = list(losses), np.array([np.mean(of_table, axis=0) for of_table in losses.values()])
    measure = "log loss" if classes else "RMSE / boosting's RMSE"
    print(f"\n{weights}: {measure}, {rows} training rows, {len(names)} tables\n")
    print("| table | network | boosting | average |\n|---|---|---|---|")
    for name, row in zip(names, values, strict=True):
        print(f"| {name} | " + " | ".join(f"{value:.4f}" for value in row) + " |")
    print("| **mean** | " + " | ".join(f"{value:.4f}" for value in values.mean(0)) + " |")
    for name, column in (("network", 0), ("average", 2)):
        difference = values[:, column] - values[:, 1]
        low, high = interval(difference)
        print(
            f"{name} − boosting: {difference.mean():+.4f} [{low:+.4f}, {high:+.4f}], "
            f"better on {(difference < 0).sum()} of {len(names)}"
        )
    calibration = _calibration(pairs) if classes else _coverage(pairs)
    print(calibration)


def _class_losses(split: Split, ours: np.ndarray) -> list[float]:
    boosting = np.clip(split.boosting, _LEAST, 1)
    ours = np.clip(ours, _LEAST, 1)
    both = np.sqrt(ours * boosting)
    rows = np.arange(len(split.y_new))
    return [float(-np.log(p / p.sum(1, keepdims=True))[rows, split.y_new].mean()) for p in (ours, boosting, both)]


def _number_losses(split: Split, ours: np.ndarray) -> list[float]:
    mean = ours[:, 0]
    each = [np.sqrt(np.mean((p - split.y_new) ** 2)) for p in (mean, split.boosting, (mean + split.boosting) / 2)]
    return [float(value / each[1]) for value in each]


def interval(differences: np.ndarray) -> tuple[float, float]:
    """95 % for the mean, by Student's t."""
    from scipy.stats import t

    n = len(differences)
    half = t.ppf(0.975, n - 1) * differences.std(ddof=1) / n**0.5 if n > 1 else np.inf
    return float(differences.mean() - half), float(differences.mean() + half)


def _calibration(pairs: list[tuple[Split, np.ndarray]]) -> str:
    """The gap of confidence and accuracy over ten bins, in the mean of all splits."""

    def gap(p: np.ndarray, y: np.ndarray) -> float:
        confidence, right = p.max(1), p.argmax(1) == y
        bins = np.minimum((confidence * 10).astype(int), 9)
        return sum(abs((confidence - right)[bins == b].sum()) for b in range(10)) / len(y)

    ours, theirs = (
        np.mean([gap(p(s, o), s.y_new) for s, o in pairs]) for p in (lambda s, o: o, lambda s, o: s.boosting)
    )
    return f"calibration error: network {ours:.3f}, boosting {theirs:.3f}"


def _coverage(pairs: list[tuple[Split, np.ndarray]]) -> str:
    """How often the central 51 of 64 quantiles hold the target."""
    low, high = 1 + 6, 1 + 57
    held = [np.mean((s.y_new >= o[:, low]) & (s.y_new <= o[:, high])) for s, o in pairs]
    return f"intervals of {51 / 64:.1%} held {np.mean(held):.1%}"


def main() -> None:
    parser = ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    predicting = commands.add_parser("predict")
    predicting.add_argument("tables", type=Path)
    predicting.add_argument("out", type=Path)
    predicting.add_argument("weights", type=Path, nargs="+")
    predicting.add_argument("--device", default="cuda")
    predicting.add_argument("--members", type=int, default=_MEMBERS)
    shipping = commands.add_parser("shipped")
    shipping.add_argument("tables", type=Path)
    shipping.add_argument("out", type=Path)
    shipping.add_argument("--members", type=int, default=2)
    shipping.add_argument("--context-size", type=int, default=1000)
    scoring = commands.add_parser("score")
    scoring.add_argument("files", type=Path, nargs="+", help="tables, their predictions, further tables, …")
    for each in (shipping, scoring):
        each.add_argument("--half", default="choose", choices=("choose", "judge"))
    options = parser.parse_args()
    if options.command == "predict":
        predict(options.tables, options.out, options.weights, options.device, options.members)
    elif options.command == "shipped":
        shipped(options.tables, options.out, options.half, options.members, options.context_size)
    else:
        score(options.files, options.half)


if __name__ == "__main__":
    main()
