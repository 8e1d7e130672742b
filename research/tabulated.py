"""Tuning problems that cost nothing to evaluate: cross-validated scores of our models on grids of their spaces.

``PROBUS_BENCH_DATA=folder python -m research.tabulated`` makes ``research/data/tuning.npz`` once, in half an hour.
Between the points of a grid scores are interpolated linearly, so the best configuration is a point of the grid and the
regret of a search is exact. Twelve problems were used to choose the settings of our tuners (``CHOSEN_ON``), the other
twelve, on other tables, judge them.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.interpolate import RegularGridInterpolator
from sklearn import datasets
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

from probus.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from probus.linear_model import ElasticNet, LogisticRegression, SGDClassifier
from probus.neighbors import KNeighborsClassifier, KNeighborsRegressor
from probus.preprocessing import MinMaxScaler, PowerTransformer, RobustScaler, StandardScaler
from probus.spaces import Choice, Integer, Real, Space
from probus.svm import SVC, SVR
from probus.tree import DecisionTreeClassifier
from research.tables import TABLES, read_table

STORE = Path(__file__).parent / "data" / "tuning.npz"

KERNELS = Space({
    "C": Real(1e-3, 1e3, log=True),
    "kernel": Choice({
        "linear": Space({}),
        "rbf": Space({"gamma": Real(1e-4, 10, log=True)}),
        "poly": Space({"degree": Choice(2, 3), "scale": Real(1e-4, 1, log=True)}),
    }),
})  # fmt: skip
TUBE = Space({"C": Real(1e-2, 1e3, log=True), "gamma": Real(1e-4, 1, log=True), "epsilon": Real(1e-3, 1, log=True)})
BOOSTING = Space({
    "learning_rate": Real(0.01, 1, log=True),
    "max_leaf_nodes": Integer(2, 64, log=True),
    "l2_regularization": Real(1e-3, 1e2, log=True),
    "max_features": Real(0.2, 1),
})  # fmt: skip
FOREST = Space({
    "max_features": Real(0.05, 1),
    "min_samples_leaf": Integer(1, 50, log=True),
    "max_samples": Real(0.2, 1),
    "max_depth": Choice(4, 8, None, ordered=True),
})  # fmt: skip
NEIGHBOURS = Space({
    "scaler": Choice("none", "standard", "minmax", "robust", "power"),
    "n_neighbors": Integer(1, 60, log=True),
    "weights": Choice("uniform", "distance"),
    "p": Choice(1, 1.5, 2, 4, ordered=True),
})  # fmt: skip
TREE = Space({
    "criterion": Choice("gini", "entropy"),
    "max_depth": Integer(1, 20),
    "min_samples_leaf": Integer(1, 100, log=True),
    "ccp_alpha": Real(1e-5, 0.1, log=True),
})  # fmt: skip
LOGISTIC = Space({"C": Real(1e-4, 1e3, log=True), "l1_ratio": Real(0, 1)})
NET = Space({"alpha": Real(1e-4, 10, log=True), "l1_ratio": Real(0.01, 1), "scaler": Choice("standard", "minmax")})
STAGES = Space({
    "learning_rate": Real(0.01, 1, log=True),
    "max_depth": Integer(1, 6),
    "subsample": Real(0.3, 1),
    "min_samples_leaf": Integer(1, 50, log=True),
})  # fmt: skip
DESCENT = Space({
    "loss": Choice("log_loss", "modified_huber"),
    "alpha": Real(1e-6, 1, log=True),
    "eta0": Real(1e-4, 1, log=True),
    "penalty": Choice({"l2": Space({}), "l1": Space({}), "elasticnet": Space({"l1_ratio": Real(0.05, 0.95)})}),
})  # fmt: skip
LEARNERS = Space({
    "learner": Choice({
        "svm": KERNELS,
        "forest": FOREST.prefixed("forest__"),
        "neighbours": NEIGHBOURS.prefixed("near__"),
        "logistic": LOGISTIC.prefixed("logistic__"),
    })
})  # fmt: skip
SCALERS = {"standard": StandardScaler, "minmax": MinMaxScaler, "robust": RobustScaler, "power": PowerTransformer}


def machine(config: dict[str, Any], regression: bool) -> Any:
    params = {**config, "gamma": config.get("gamma", config.get("scale", 1.0))}
    params.pop("scale", None)
    model = SVR(**params, max_iter=20_000) if regression else SVC(**params, coef0=1.0, max_iter=20_000)
    return make_pipeline(StandardScaler(), model)


def boosting(config: dict[str, Any], regression: bool) -> Any:
    cls = HistGradientBoostingRegressor if regression else HistGradientBoostingClassifier
    return cls(**config, max_iter=80, early_stopping=False, random_state=0)


def forest(config: dict[str, Any], regression: bool) -> Any:
    cls = RandomForestRegressor if regression else RandomForestClassifier
    return cls(40, **config, n_jobs=1, random_state=0)


def neighbours(config: dict[str, Any], regression: bool) -> Any:
    params = dict(config)
    scaler = SCALERS.get(params.pop("scaler"))
    model = (KNeighborsRegressor if regression else KNeighborsClassifier)(**params, n_jobs=1)
    return make_pipeline(scaler(), model) if scaler else model


def tree(config: dict[str, Any], regression: bool) -> Any:
    return DecisionTreeClassifier(**config, random_state=0)


def logistic(config: dict[str, Any], regression: bool) -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression(**config))


def net(config: dict[str, Any], regression: bool) -> Any:
    params = dict(config)
    return make_pipeline(SCALERS[params.pop("scaler")](), ElasticNet(**params))


def stages(config: dict[str, Any], regression: bool) -> Any:
    return GradientBoostingClassifier(n_estimators=50, **config, random_state=0)


def descent(config: dict[str, Any], regression: bool) -> Any:
    model = SGDClassifier(**config, learning_rate="constant", max_iter=20, tol=None, random_state=0)
    return make_pipeline(StandardScaler(), model)


def learner(config: dict[str, Any], regression: bool) -> Any:
    makers = {"svm": machine, "forest": forest, "neighbours": neighbours, "logistic": logistic}
    params = {name.split("__")[-1]: value for name, value in config.items() if name != "learner"}
    return makers[config["learner"]](params, regression)


@dataclass(frozen=True)
class Recipe:
    """How a problem is made: the table, how many of its rows, the models of a space, the measure, the grid.

    file : a file of the folder of tables, or the name of a dataset of scikit-learn.
    """

    file: str
    rows: int
    space: Space
    make: Callable[[dict[str, Any], bool], Any]
    scoring: str
    resolution: dict[str, int]

    def data(self) -> tuple[np.ndarray, np.ndarray]:
        """A sample of the rows as numbers: levels one-hot, missing values the median."""
        if not Path(self.file).suffix:
            X, y = getattr(datasets, f"load_{self.file}")(return_X_y=True)
            kept = np.random.default_rng(0).permutation(len(y))[: self.rows]
            return X[kept], y[kept]
        described = next(each for each in TABLES if each[0] == self.file)
        table = read_table(Path(os.environ["PROBUS_BENCH_DATA"]), *described)
        kept = np.random.default_rng(0).permutation(len(table.y))[: self.rows]
        X = pd.get_dummies(table.X.iloc[kept], dummy_na=False).astype(float)
        return X.fillna(X.median()).fillna(0.0).to_numpy(), table.y[kept]

    def score(self, config: dict[str, Any], X: np.ndarray, y: np.ndarray) -> float:
        regression = self.scoring.startswith("neg_root")
        folds = (KFold if regression else StratifiedKFold)(5, shuffle=True, random_state=0)
        return float(cross_val_score(self.make(config, regression), X, y, cv=folds, scoring=self.scoring).mean())


AUC, LOSS, RMSE = "roc_auc", "neg_log_loss", "neg_root_mean_squared_error"
ROUNDS = {"learning_rate": 11, "max_leaf_nodes": 6, "l2_regularization": 5, "max_features": 4}
FEWER_ROUNDS = {"learning_rate": 7, "max_leaf_nodes": 4, "l2_regularization": 3, "max_features": 3}
LEAVES = {"max_features": 8, "min_samples_leaf": 8, "max_samples": 5}
FEWER_LEAVES = {"max_features": 5, "min_samples_leaf": 4, "max_samples": 3}
STEPS = {"learning_rate": 5, "max_depth": 3, "subsample": 3, "min_samples_leaf": 3}
CUTS = {"max_depth": 8, "min_samples_leaf": 8, "ccp_alpha": 8}
FEWER_CUTS = {"max_depth": 6, "min_samples_leaf": 6, "ccp_alpha": 6}
JOINT = {
    "C": 9, "gamma": 9, "scale": 5,
    "forest__max_features": 4, "forest__min_samples_leaf": 4, "forest__max_samples": 3,
    "near__n_neighbors": 10, "logistic__C": 12, "logistic__l1_ratio": 5,
}  # fmt: skip
FEWER_JOINT = {
    "C": 7, "gamma": 7, "scale": 4,
    "forest__max_features": 3, "forest__min_samples_leaf": 3, "forest__max_samples": 2,
    "near__n_neighbors": 6, "logistic__C": 9, "logistic__l1_ratio": 4,
}  # fmt: skip
RECIPES = {
    "svm sonar": Recipe("Sonar.csv", 208, KERNELS, machine, AUC, {"C": 19, "gamma": 17, "scale": 11}),
    "boosting pima": Recipe("PimaIndiansDiabetes2.csv", 768, BOOSTING, boosting, LOSS, ROUNDS),
    "forest boston": Recipe("BostonHousing.csv", 506, FOREST, forest, RMSE, LEAVES),
    "neighbours glass": Recipe("Glass.csv", 214, NEIGHBOURS, neighbours, "accuracy", {"n_neighbors": 20}),
    "net ozone": Recipe("Ozone.csv", 366, NET, net, RMSE, {"alpha": 21, "l1_ratio": 9}),
    "learner breast": Recipe("BreastCancer.csv", 400, LEARNERS, learner, AUC, JOINT),
    "svm german": Recipe("german_credit.parquet", 500, KERNELS, machine, AUC, {"C": 19, "gamma": 17, "scale": 11}),
    "boosting california": Recipe("california_housing.parquet", 900, BOOSTING, boosting, RMSE, ROUNDS),
    "forest satellite": Recipe("Satellite.csv", 600, FOREST, forest, LOSS, LEAVES),
    "tube airquality": Recipe("airquality.csv", 116, TUBE, machine, RMSE, {"C": 11, "gamma": 11, "epsilon": 7}),
    "tree spam": Recipe("spam.csv", 1000, TREE, tree, LOSS, CUTS),
    "learner titanic": Recipe("titanic_passengers.parquet", 500, LEARNERS, learner, AUC, JOINT),
    # those that judge
    "svm digits": Recipe("digits", 200, KERNELS, machine, "accuracy", {"C": 9, "gamma": 9, "scale": 7}),
    "tube diabetes": Recipe("diabetes", 300, TUBE, machine, RMSE, {"C": 9, "gamma": 9, "epsilon": 5}),
    "boosting stagec": Recipe("stagec.csv", 146, BOOSTING, boosting, LOSS, FEWER_ROUNDS),
    "boosting casp": Recipe("casp.parquet", 300, BOOSTING, boosting, RMSE, FEWER_ROUNDS),
    "forest wine": Recipe("wine", 178, FOREST, forest, LOSS, FEWER_LEAVES),
    "forest letter": Recipe("LetterRecognition.csv", 300, FOREST, forest, LOSS, FEWER_LEAVES),
    "neighbours wine": Recipe("wine", 178, NEIGHBOURS, neighbours, "accuracy", {"n_neighbors": 12}),
    "net car90": Recipe("car90.csv", 111, NET, net, RMSE, {"alpha": 13, "l1_ratio": 5}),
    "stages votes": Recipe("HouseVotes84.csv", 300, STAGES, stages, LOSS, STEPS),
    "tree income": Recipe("income.csv", 500, TREE, tree, LOSS, FEWER_CUTS),
    "learner infert": Recipe("infert.csv", 248, LEARNERS, learner, AUC, FEWER_JOINT),
    "descent census": Recipe("census.parquet", 300, DESCENT, descent, AUC, {"alpha": 5, "eta0": 5, "l1_ratio": 3}),
}  # fmt: skip
CHOSEN_ON = tuple(RECIPES)[:12]


@dataclass(frozen=True)
class Tabulated:
    """A problem whose scores are known on a grid: the numbers of each combination of choices have one array."""

    name: str
    space: Space
    configs: list[dict[str, Any]]
    scores: np.ndarray

    @cached_property
    def best(self) -> float:
        return float(self.scores.max())

    @cached_property
    def typical(self) -> float:
        """The median of random configurations."""
        return float(np.median([self(config) for config in self.space.sample(0, 500)]))

    def regret(self, score: float) -> float:
        """How much is missing to the best, as a share of the way from a typical configuration to the best."""
        return (self.best - score) / (self.best - self.typical)

    def __call__(self, config: dict[str, Any]) -> float:
        choices, places = self._split(config)
        value = self._tables[choices](places) if places else self._tables[choices]
        return float(np.ravel(value)[0])

    def _split(self, config: dict[str, Any]) -> tuple[str, list[float]]:
        choices = {n: v for n, v in config.items() if isinstance(self.space[n], Choice)}
        return json.dumps(choices), [self.space[n].to_unit(v) for n, v in config.items() if n not in choices]

    @cached_property
    def _tables(self) -> dict[str, Any]:
        groups: dict[str, list[tuple[list[float], float]]] = {}
        for config, score in zip(self.configs, self.scores, strict=True):
            choices, places = self._split(config)
            groups.setdefault(choices, []).append((places, float(score)))
        return {choices: _interpolated(points) for choices, points in groups.items()}


def _interpolated(points: list[tuple[list[float], float]]) -> Any:
    places, scores = np.array([place for place, _ in points]), np.array([score for _, score in points])
    if places.shape[1] == 0:
        return scores
    axes = [np.unique(column) for column in places.T]
    # the grid lists its points in the order of its axes
    values = scores.reshape([len(axis) for axis in axes])
    linear = RegularGridInterpolator(axes, values)
    low, high = np.array([axis[0] for axis in axes]), np.array([axis[-1] for axis in axes])
    return lambda place: linear(np.clip(place, low, high))


def stored_names() -> tuple[str, ...]:
    """The names of the problems that were made, in the order of the recipes."""
    with np.load(STORE) as stored:
        return tuple(name for name in RECIPES if name in stored.files)


def problems(names: tuple[str, ...] = tuple(RECIPES)) -> list[Tabulated]:
    """The problems of those names."""
    stored = np.load(STORE)
    return [
        Tabulated(name, RECIPES[name].space, list(RECIPES[name].space.grid(RECIPES[name].resolution)), stored[name])
        for name in names
    ]


def tabulate(name: str) -> np.ndarray:
    """The scores of every configuration of a problem's grid."""
    recipe = RECIPES[name]
    X, y = recipe.data()
    configs = list(recipe.space.grid(recipe.resolution))
    start, scores = time.process_time(), np.empty(len(configs), np.float32)
    for place, config in enumerate(configs):
        scores[place] = recipe.score(config, X, y)
        if place % 100 == 99:
            spent = time.process_time() - start
            print(f"{name}: {place + 1} of {len(configs)}, {spent:.0f} s", file=sys.stderr, flush=True)
    return scores


def main(names: list[str]) -> None:
    """Make the tables of those problems, or of all that are missing."""
    warnings.simplefilter("ignore")
    known = dict(np.load(STORE)) if STORE.exists() else {}
    for name in names or [name for name in RECIPES if name not in known]:
        known = {**known, name: tabulate(name)}
        np.savez_compressed(STORE, **known)


if __name__ == "__main__":
    main(sys.argv[1:])
