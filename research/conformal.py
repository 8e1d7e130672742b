"""``python -m research.conformal [numbers classes tables spreads probabilities] [options]``: do 90 % hold?

Models are fitted on samples of populations, and their intervals and sets counted on 1,000 new rows each; tables are
split into random halves. The rules of ``scaled="auto"`` and of calibration were chosen on the populations of
``CHOSEN`` and the tables of ``RULE_TABLES``; ``JUDGED`` and the other tables were named before they were measured, and
only judge. "spreads" compares the ways to make intervals wider for some rows. The peer is MAPIE
(``CrossConformalRegressor``, ``CrossConformalClassifier``) with the same model, folds of the same number and the same
rows. "probabilities" compares the log loss of calibrated probabilities on the other halves of tables with that of the
model alone and of scikit-learn's ``CalibratedClassifierCV``. The interval score is the mean width plus 20 times the
distance of targets outside (Gneiting and Raftery 2007).

``--judged`` leaves out what chose the rules, ``--rows 300`` takes samples of these sizes, ``--tables infert`` these
tables, ``--replications 20`` as many samples of 300 rows, or random halves; fewer of more rows.
"""

from __future__ import annotations

import os
import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss

from probus.calibration import ConformalClassifier, ConformalRegressor
from probus.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from probus.linear_model import LogisticRegression, Ridge
from probus.naive_bayes import GaussianNB
from probus.pipeline import tabular
from research.tables import TABLES, read_table

LEVEL = 0.9
NEW = 1000  # rows to count on
FOLDER = Path(os.environ.get("PROBUS_BENCH_DATA", "../shared/data"))

Sample = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]

REGRESSORS = {
    "ridge": Ridge(),
    "forest": RandomForestRegressor(50, min_samples_leaf=2, random_state=0),
    "boosting": HistGradientBoostingRegressor(max_iter=50, random_state=0),
}
CLASSIFIERS = {
    "logistic": LogisticRegression(),
    "naive Bayes": GaussianNB(),
    "forest": RandomForestClassifier(50, random_state=0),
    "boosting": HistGradientBoostingClassifier(max_iter=50, random_state=0),
}


# -- populations -----------------------------------------------------------------------------------------


def _signal(X: np.ndarray) -> np.ndarray:
    return 3 * X[:, 0] + 2 * np.sin(3 * X[:, 1]) + X[:, 2] * X[:, 3]


def _friedman(X: np.ndarray) -> np.ndarray:
    U = (X + 1) / 2
    return 10 * np.sin(np.pi * U[:, 0] * U[:, 1]) + 20 * (U[:, 2] - 0.5) ** 2 + 10 * U[:, 3] + 5 * U[:, 4]


def numbers(signal: Callable[..., Any], noise: Callable[[np.random.Generator, np.ndarray], np.ndarray]) -> Sample:
    def sample(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        X = rng.uniform(-1, 1, (n, 5))
        return X, signal(X) + noise(rng, X)

    return sample


def classes(k: int, distance: float, shares: tuple[float, ...] | None = None, dimensions: int = 5) -> Sample:
    """Normal classes, that far apart."""
    centres = distance * np.random.default_rng(k).normal(size=(k, dimensions)) / np.sqrt(2)

    def sample(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        y = rng.choice(k, n, p=shares)
        return centres[y] + rng.normal(size=(n, dimensions)), y

    return sample


def ringed(share: float) -> Sample:
    """A class inside a ring of the other, at that share."""

    def sample(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        y = (rng.random(n) < share).astype(int)
        X = rng.normal(size=(n, 4))
        X[:, :2] *= np.where(y, 0.4, 1.5)[:, None]
        return X, y

    return sample


def _even(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    return rng.normal(size=len(X))


CHOSEN: dict[str, Sample] = {
    "even noise": numbers(_signal, _even),
    "noise grows with x0": numbers(_signal, lambda rng, X: rng.normal(size=len(X)) * np.exp(1.2 * X[:, 0])),
    "heavy tails, t2.5": numbers(_signal, lambda rng, X: rng.standard_t(2.5, size=len(X))),
    "2 classes": classes(2, 1.5),
    "6 classes": classes(6, 1.5),
    "2 classes, 5 % positive": classes(2, 2.0, (0.95, 0.05)),
}
JUDGED: dict[str, Sample] = {
    "Friedman, even noise": numbers(_friedman, _even),
    "Friedman, noise by x2 and x5": numbers(
        _friedman, lambda rng, X: rng.normal(size=len(X)) * (0.3 + 2 * (X[:, 2] > 0) + np.abs(X[:, 4]))
    ),
    "Friedman, tails t3": numbers(_friedman, lambda rng, X: 2 * rng.standard_t(3, size=len(X))),
    "Friedman, log-normal noise": numbers(_friedman, lambda rng, X: 2 * rng.lognormal(size=len(X))),
    "2 classes, apart": classes(2, 3.0, dimensions=3),
    "6 classes, uneven": classes(6, 1.0, (0.4, 0.25, 0.15, 0.1, 0.06, 0.04), dimensions=8),
    "ring, 5 % positive": ringed(0.05),
}


RULE_TABLES = ("car90", "casp", "Ozone")  # on which the rule of scaled="auto" was chosen
JUDGE_TABLES = ("airquality", "BostonHousing", "california_housing")


# -- counting --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Count:
    """Of intervals: coverage, mean width, interval score. Of sets: coverage, mean size, 0."""

    covered: float
    size: float
    score: float = 0.0


def of_intervals(interval: np.ndarray, y: np.ndarray) -> Count:
    low, high = interval.T
    width, outside = high - low, np.maximum(low - y, 0) + np.maximum(y - high, 0)
    score = width + 2 / (1 - LEVEL) * outside
    return Count(float(np.mean(outside == 0)), float(width.mean()), float(score.mean()))


def of_sets(members: np.ndarray, y: np.ndarray) -> Count:
    return Count(float(members[np.arange(len(y)), y].mean()), float(members.sum(axis=1).mean()))


def count_numbers(model: Any, X: np.ndarray, y: np.ndarray, new: np.ndarray, truth: np.ndarray) -> dict[str, Count]:
    auto = ConformalRegressor(model).fit(X, y)
    found = {
        name: of_intervals(each.predict_interval(new), truth)
        for name, each in {"auto": auto, "cv+": copy(auto).set_params(method="cv+"), "cv": _alone(auto)}.items()
    }
    mapie = _mapie("regression", "CrossConformalRegressor")
    if mapie is not None:
        theirs = mapie(clone(model), confidence_level=LEVEL, method="plus", cv=5).fit_conformalize(X, y)
        found["MAPIE cv+"] = of_intervals(theirs.predict_interval(new)[1][:, :, 0], truth)
    return found


def count_spreads(model: Any, X: np.ndarray, y: np.ndarray, new: np.ndarray, truth: np.ndarray) -> dict[str, Count]:
    """The ways to make intervals wider for some rows, and the one that "auto" takes."""
    found = {}
    for scaled in (False, "size", "quantiles", "auto"):
        fitted = ConformalRegressor(model, method="cv", scaled=scaled).fit(X, y)
        found[scaled or "even"] = of_intervals(fitted.predict_interval(new), truth)
    return found


def count_classes(model: Any, X: np.ndarray, y: np.ndarray, new: np.ndarray, truth: np.ndarray) -> dict[str, Count]:
    plus = ConformalClassifier(model, method="cv+", by_class=False).fit(X, y)
    alone = _alone(plus)
    found = {
        "cv": of_sets(alone.predict_set(new, empty=True).members, truth),
        "cv, never empty": of_sets(alone.predict_set(new).members, truth),
        "cv, randomised": of_sets(alone.predict_set(new, empty=True, randomised=True, random_state=0).members, truth),
        "cv+": of_sets(plus.predict_set(new, empty=True).members, truth),
    }
    mapie = _mapie("classification", "CrossConformalClassifier")
    if mapie is not None:
        theirs = mapie(clone(model), confidence_level=LEVEL, conformity_score="lac", cv=5).fit_conformalize(X, y)
        found["MAPIE"] = of_sets(theirs.predict_set(new)[1][:, :, 0], truth)
    return found


def losses(model: Any, X: np.ndarray, y: np.ndarray, new: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """Log losses; a class that the other half lacks, or none of whose rows are here, has its column all the same."""
    labels = np.unique(y)
    kept = np.isin(truth, labels)
    fits = {
        "alone": clone(model).fit(X, y),
        "ours": ConformalClassifier(model, by_class=False).fit(X, y),
        **{
            f"scikit-learn {how}": CalibratedClassifierCV(clone(model), method=how, cv=5, ensemble=False).fit(X, y)
            for how in ("sigmoid", "isotonic")
        },
    }
    return {name: log_loss(truth[kept], fit.predict_proba(new[kept]), labels=labels) for name, fit in fits.items()}


def _alone(plus: Any) -> Any:
    """What ``method="cv"`` gives, without another fit: residuals and scores are the same."""
    alone = copy(plus)
    alone.models_ = []
    return alone


def _mapie(module: str, name: str) -> Any:
    try:
        return getattr(__import__(f"mapie.{module}", fromlist=[name]), name)
    except ImportError:
        return None


def simulated(
    sample: Sample, model: Any, n: int, replications: int, counted: Callable[..., Any] | None = None
) -> list[dict[str, Count]]:
    runs = []
    for run in range(replications):
        rng = np.random.default_rng([run, n])
        X, y = sample(rng, n)
        new, truth = sample(rng, NEW)
        count = counted or (count_numbers if y.dtype.kind == "f" else count_classes)
        runs.append(count(model, X, y, new, truth))
    return runs


def halved(name: str, model: Any, replications: int, count: Callable[..., Any] | None = None) -> list[dict[str, Any]]:
    """Random halves of a table, of at most 2,000 rows each, with columns as a linear model takes them."""
    file = next(each for each in TABLES if Path(each[0]).stem == name)
    table = read_table(FOLDER, *file)
    runs, X = [], tabular(Ridge())[:-1].fit_transform(table.X)
    X = np.asarray(X.numbers() if hasattr(X, "numbers") else X, dtype=np.float64)
    for run in range(replications):
        order = np.random.default_rng(run).permutation(len(X))[:4000]
        a, b = order[: len(order) // 2], order[len(order) // 2 :]
        if table.classes:  # classes with fewer than two rows in a half cannot be learnt from it
            b = b[np.isin(table.y[b], np.flatnonzero(np.bincount(table.y[a]) > 4))]
            a = a[np.isin(table.y[a], np.flatnonzero(np.bincount(table.y[a]) > 4))]
            _, y = np.unique(np.concatenate([table.y[a], table.y[b]]), return_inverse=True)
            runs.append((count or count_classes)(model, X[a], y[: len(a)], X[b], y[len(a) :]))
        else:
            runs.append((count or count_numbers)(model, X[a], table.y[a], X[b], table.y[b]))
    return runs


# -- printing --------------------------------------------------------------------------------------------


def line(what: str, n: Any, model: str, runs: list[dict[str, Count]]) -> str:
    cells = [what, str(n), model]
    for name in runs[0]:
        covered = np.array([run[name].covered for run in runs])
        size, score = (float(np.mean([getattr(run[name], part) for run in runs])) for part in ("size", "score"))
        error = covered.std(ddof=1) / np.sqrt(len(runs)) if len(runs) > 1 else np.nan
        cell = f"{name} {100 * covered.mean():.1f} ± {100 * error:.1f} · {size:.3g}"
        cells.append(cell + (f" · {score:.3g}" if score else ""))
    return f"| {' | '.join(cells)} |"


def lines(options: Namespace) -> Iterator[str]:
    parts = {"spreads": lines_of_spreads, "probabilities": lines_of_probabilities, "tables": lines_of_tables}
    for title, populations in _asked_for(options):
        for what, sample in populations.items():
            kind = "numbers" if sample(np.random.default_rng(0), 2)[1].dtype.kind == "f" else "classes"
            if kind not in options.kinds:
                continue
            for name, model in (REGRESSORS if kind == "numbers" else CLASSIFIERS).items():
                for n in options.rows:
                    yield line(f"{title}: {what}", n, name, simulated(sample, model, n, _samples(options, n)))
    for kind, part in parts.items():
        if kind in options.kinds:
            yield from part(options)


def lines_of_spreads(options: Namespace) -> Iterator[str]:
    """The populations and tables on which the rule was chosen first, then those that judge it."""
    for title, populations in _asked_for(options):
        for what, sample in populations.items():
            if sample(np.random.default_rng(0), 2)[1].dtype.kind != "f":
                continue
            for name, model in REGRESSORS.items():
                for n in options.rows:
                    runs = simulated(sample, model, n, _samples(options, n), count_spreads)
                    yield line(f"{title}: {what}", n, name, runs)
        for table in RULE_TABLES if title == "chosen" else JUDGE_TABLES:
            for name, model in REGRESSORS.items():
                yield line(f"{title}: {table}", "half", name, halved(table, model, options.replications, count_spreads))


def lines_of_probabilities(options: Namespace) -> Iterator[str]:
    """The log losses of calibrated probabilities."""
    for table, of_classes in _tables(options):
        for name, model in CLASSIFIERS.items() if of_classes else ():
            runs = halved(table, model, options.replications, losses)
            means = [f"{how} {np.mean([run[how] for run in runs]):.4f}" for how in runs[0]]
            gain = np.array([run["alone"] - run["ours"] for run in runs])
            error = gain.std(ddof=1) / np.sqrt(len(runs))
            yield f"| {table} | {name} | {' | '.join(means)} | gain {gain.mean():.4f} ± {error:.4f} |"


def lines_of_tables(options: Namespace) -> Iterator[str]:
    for table, of_classes in _tables(options):
        for name, model in (CLASSIFIERS if of_classes else REGRESSORS).items():
            yield line(table, "half", name, halved(table, model, options.replications))


def _asked_for(options: Namespace) -> tuple[tuple[str, dict[str, Sample]], ...]:
    return (*(() if options.judged else (("chosen", CHOSEN),)), ("judged", JUDGED))


def _samples(options: Namespace, n: int) -> int:
    return max(3, options.replications * 300 // max(n, 300))


def _tables(options: Namespace) -> Iterator[tuple[str, bool]]:
    for file, _, _, of_classes in TABLES:
        name = Path(file).stem
        if name in (options.tables or [name]) and not (options.judged and name in RULE_TABLES):
            yield name, of_classes


def main() -> None:
    warnings.simplefilter("ignore")
    every = ("numbers", "classes", "tables", "spreads", "probabilities")
    parser = ArgumentParser()
    parser.add_argument("kinds", nargs="*", default=[])
    parser.add_argument("--replications", type=int, default=40)
    parser.add_argument("--rows", type=int, nargs="+", default=(100, 300, 1000, 3000))
    parser.add_argument("--tables", nargs="+", default=[])
    parser.add_argument("--judged", action="store_true")
    options = parser.parse_args()
    options.kinds = options.kinds or every
    for each in lines(options):
        print(each, flush=True)


if __name__ == "__main__":
    main()
