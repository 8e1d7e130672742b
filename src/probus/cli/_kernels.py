"""The compiled functions of the package, found rather than listed, and tiny data that makes each of them compile."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

import probus


def all_kernels() -> dict[str, Any]:
    """Every Numba function that has a cache, by its full name; those without are compiled into others.

    Imports every package.
    """
    kernels = {}
    for found in pkgutil.walk_packages(probus.__path__, "probus."):
        if found.name.startswith("probus.cli") or found.name == "probus.__main__":
            continue
        module = importlib.import_module(found.name)
        for name, value in vars(module).items():
            ours = hasattr(value, "py_func") and value.__module__ == found.name
            if ours and value.stats.cache_path is not None:
                kernels[f"{found.name}.{name}"] = value
    return kernels


def warm_jobs() -> list[tuple[str, Callable[[], Any]]]:
    """What to call so that every kernel is compiled for the types of its use: a name and a function each."""
    from probus.anomaly import RadiusCount
    from probus.association import association_rules, frequent_itemsets
    from probus.cluster import DBSCAN, AgglomerativeClustering, DivisiveClustering, KMeans, KMedoids
    from probus.discriminant_analysis import LinearDiscriminantAnalysis
    from probus.distances import gower_distances
    from probus.dummy import OneRClassifier
    from probus.feature_selection import mutual_info_classif, mutual_info_regression
    from probus.in_context import InContextClassifier, InContextRegressor
    from probus.linear_model import (
        Adam,
        BestSubset,
        Lasso,
        LinearRegression,
        LogisticRegression,
        MultiTaskLasso,
        SGDClassifier,
        lasso_path,
    )
    from probus.metrics import estimate, silhouette_score
    from probus.mixture import GaussianMixture
    from probus.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB, NaiveBayes
    from probus.neighbors import KNeighborsClassifier
    from probus.neural_network import MLPClassifier
    from probus.preprocessing import GowerImputer
    from probus.svm import SVC, LinearSVC, NuSVC

    rows = np.random.default_rng(0)
    numbers, y = rows.normal(size=(600, 12)), rows.integers(0, 2, 600)
    many = np.resize(numbers, (20_000, 12))
    counts = rows.integers(0, 3, (600, 12))
    # one row so far away that single precision cannot distinguish the others
    stretched = np.vstack([numbers, np.full((1, 12), 1e9)])
    probabilities = rows.random(600)
    wide = rows.normal(size=(60, 1600))
    sparse = csr_matrix(wide[:, :400] * (rows.random((60, 400)) < 0.3))
    mixed = probus.Table.of({"x": numbers[:, 0], "level": np.array(["a", "b", "c"])[counts[:, 0]]})

    def use(model: Any, X: Any) -> None:
        model.fit(X, np.resize(y, len(X))).predict(X)

    jobs: list[tuple[str, Any, Any]] = [
        ("One-R", OneRClassifier(), numbers),
        ("naive Bayes, Gaussian", GaussianNB(), numbers),
        ("naive Bayes, counts", MultinomialNB(), counts),
        ("naive Bayes, presence", BernoulliNB(), counts),
        ("naive Bayes, codes", CategoricalNB(), counts),
        ("naive Bayes, mixed", NaiveBayes(), mixed),
        ("naive Bayes, kernel densities", NaiveBayes(numeric="kernel"), mixed),
        ("discriminants", LinearDiscriminantAnalysis(), numbers),
        ("stochastic descent", SGDClassifier(random_state=0), numbers),
        ("perceptron", MLPClassifier(max_iter=2, tol=1.0, n_iter_no_change=1), numbers),
        ("in-context network", InContextClassifier(n_members=1), numbers[:50]),
        ("stochastic descent, optimiser", SGDClassifier(optimiser=Adam(), tol=None, max_iter=2), numbers),
        ("lasso", Lasso(alpha=0.01), numbers),
        ("logistic regression", LogisticRegression(), numbers),
        ("best subset", BestSubset(), numbers),
        ("support vectors", NuSVC(), numbers),
        ("support vectors, many columns", SVC(), np.tile(numbers, (1, 8))),
        ("linear machine, hinge", LinearSVC(loss="hinge", C=0.01), numbers),
        ("linear machine, joint", LinearSVC(multi_class="crammer_singer", C=0.01), numbers),
        ("linear machine, absolute values", LinearSVC(penalty="l1"), numbers),
        ("linear machine, absolute values, many columns", LinearSVC(penalty="l1"), numbers[:10]),
        ("range of columns", LinearRegression(), np.tile(numbers, (1, 8))),
        ("k-means", KMeans(2), numbers),
        ("k-means, many rows", KMeans(30, max_iter=3), many),
        ("Gaussian mixture", GaussianMixture(2), numbers),
        ("neighbours, few rows", KNeighborsClassifier(algorithm="brute"), numbers[:50]),
        ("neighbours, many rows", KNeighborsClassifier(algorithm="brute"), numbers),
        ("neighbours, far apart", KNeighborsClassifier(algorithm="brute"), stretched),
        ("neighbours, tree", KNeighborsClassifier(algorithm="kd_tree"), numbers),
        ("neighbours, city block", KNeighborsClassifier(metric="manhattan", algorithm="brute"), numbers),
        ("neighbours, Gower", KNeighborsClassifier(metric="gower"), mixed),
    ]
    return [
        *((name, partial(use, model, X)) for name, model, X in jobs),
        ("in-context network of numbers", partial(InContextRegressor().fit, numbers[:50, :3], numbers[:50, 0])),
        ("lasso of several targets", partial(MultiTaskLasso(alpha=0.01).fit, numbers[:, :9], numbers[:, 9:])),
        ("support vectors, three classes", partial(SVC().fit, np.tile(numbers, (1, 8)), counts[:, 0])),
        (
            "stochastic descent, many rows",
            partial(SGDClassifier(tol=None, max_iter=2).fit, many, np.resize(y, len(many))),
        ),
        ("mutual information of classes", partial(mutual_info_classif, numbers[:50], y[:50])),
        ("mutual information of numbers", partial(mutual_info_regression, numbers[:50], probabilities[:50])),
        ("tree of clusters", partial(AgglomerativeClustering(2, linkage="single").fit, numbers)),
        ("tree of splits", partial(DivisiveClustering(2).fit, numbers[:50])),
        ("silhouette", partial(silhouette_score, numbers, y)),
        ("k-medoids", partial(KMedoids(2).fit, numbers[:50])),
        ("rows within a radius", partial(RadiusCount(algorithm="kd_tree").fit, numbers)),
        ("dense regions", partial(DBSCAN(eps=2.0).fit, numbers)),
        ("dense regions, Gower", partial(DBSCAN(metric="gower").fit, mixed)),
        ("itemsets and rules", lambda: association_rules(frequent_itemsets(counts > 1))),
        ("closed itemsets", partial(frequent_itemsets, counts > 1, kind="closed")),
        ("distances, Gower", partial(gower_distances, mixed.take(slice(0, 20)))),
        ("lasso, many columns", partial(lasso_path, wide, probabilities[:60], alphas=5)),
        ("lasso, sparse", partial(lasso_path, sparse, probabilities[:60], alphas=5)),
        ("imputing, Gower", partial(GowerImputer().fit_transform, mixed)),
        ("intervals by bootstrap", partial(estimate, ["roc_auc", "f1", "log_loss"], y, probabilities, method="bca")),
        *_tree_jobs(),
        *_ensemble_jobs(),
        *_recommender_jobs(),
    ]


def run_backwards() -> None:
    """Run the jobs from the last to the first, in a second process."""
    for _, job in reversed(warm_jobs()):
        job()


def _recommender_jobs() -> list[tuple[str, Callable[[], Any]]]:
    """Factors by each solver, with lists for all users."""
    from probus.recommend import MatrixFactorization

    rows = np.random.default_rng(0)
    user, item = np.nonzero(rows.random((30, 20)) < 0.4)
    ratings = {"user": user, "item": item, "rating": rows.integers(1, 6, len(user))}

    def use(model: Any) -> None:
        model.fit(ratings).recommend(n=3)

    models = {
        "least squares": MatrixFactorization(4),
        "descent": MatrixFactorization(4, solver="sgd"),
        "implicit feedback": MatrixFactorization(4, implicit=True),
    }
    return [(f"recommender, {name}", partial(use, model)) for name, model in models.items()]


def _tree_jobs() -> list[tuple[str, Callable[[], Any]]]:
    """Trees of each family; parts of CART that a tree does not need are left out, so each combination is compiled."""
    from probus.tree import (
        C45Classifier,
        CHAIDClassifier,
        ConditionalTreeClassifier,
        ConditionalTreeRegressor,
        CostComplexityCV,
        DecisionTreeClassifier,
        DecisionTreeRegressor,
        ID3Classifier,
    )

    rows = np.random.default_rng(0)
    numbers, two, three, amounts = (
        rows.normal(size=(200, 4)), rows.integers(0, 2, 200), rows.integers(0, 3, 200), rows.normal(size=200),
    )  # fmt: skip
    levels = {f"level{j}": np.array(list("abcdef"))[rows.integers(0, 6, 200)] for j in range(2)}
    mixed = probus.Table.of({"x": np.where(numbers[:, 0] > 1, np.nan, numbers[:, 0]), **levels})
    # from 20,000 rows on columns are coded by kernels, counted if of few values, and subtrees grow on threads
    many = np.column_stack([rows.normal(size=(20_000, 3)), rows.integers(0, 9, 20_000)])
    many_two, many_amounts = rows.integers(0, 2, 20_000), rows.normal(size=20_000)
    permuted: dict[str, Any] = {"testtype": "montecarlo", "n_resamples": 9, "alpha": 1.0}

    jobs: list[tuple[str, Any, Any, Any]] = [
        ("tree, numbers", DecisionTreeClassifier(), numbers, two),
        ("tree, three classes", DecisionTreeClassifier(), numbers, three),
        ("tree, regression", DecisionTreeRegressor(), numbers, amounts),
        ("tree, mixed", DecisionTreeClassifier(), mixed, three),
        ("tree, surrogates", DecisionTreeClassifier(missing="surrogate"), mixed, two),
        ("tree, gain ratio", DecisionTreeClassifier(criterion="gain_ratio"), numbers, two),
        ("tree, gain ratio, mixed", DecisionTreeClassifier(criterion="gain_ratio"), mixed, two),
        ("tree, absolute error", DecisionTreeRegressor(criterion="absolute_error"), numbers, amounts),
        ("tree, absolute error, mixed", DecisionTreeRegressor(criterion="absolute_error"), mixed, amounts),
        ("tree, random cuts", DecisionTreeClassifier(splitter="random"), numbers, two),
        ("tree, random cuts, mixed", DecisionTreeClassifier(splitter="random"), mixed, two),
        ("tree, many rows", DecisionTreeClassifier(max_depth=6, n_jobs=2), many, many_two),
        ("tree, bins", DecisionTreeRegressor(max_depth=6, max_bins=32), many, many_amounts),
        ("tree, reduced error", DecisionTreeClassifier(prune="reduced_error"), numbers, two),
        ("tree, cost and complexity", CostComplexityCV(cv=2), numbers, two),
        ("tree, conditional", ConditionalTreeClassifier(alpha=1.0), mixed, three),
        ("tree, conditional regression", ConditionalTreeRegressor(alpha=1.0), mixed, amounts),
        ("tree, conditional, permuted", ConditionalTreeClassifier(teststat="maximum", **permuted), mixed, three),
        ("tree, ID3", ID3Classifier(), mixed, two),
        ("tree, C4.5", C45Classifier(), mixed, two),
        ("tree, CHAID", CHAIDClassifier(alpha_split=1.0), mixed, three),
    ]

    def use(model: Any, X: Any, y: Any) -> None:
        model.fit(X, y).predict(X)
        model.apply(X)

    return [(name, partial(use, model, X, y)) for name, model, X, y in jobs]


def _ensemble_jobs() -> list[tuple[str, Callable[[], Any]]]:
    """Forests and boosting of each kind of target and column, their other results, and every loss."""
    from probus import losses
    from probus.ensemble import (
        BoostingClassifier,
        ExplainableBoostingClassifier,
        ExplainableBoostingRegressor,
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        GradientBoostingRegressor,
        HistGradientBoostingClassifier,
        HistGradientBoostingRegressor,
        IsolationForest,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from probus.ensemble.shap import shap_values_of
    from probus.tree import DecisionTreeRegressor
    from probus.tree.prediction import leaves_of, sums_of, sums_over_grid, sums_with_other_values

    rows = np.random.default_rng(0)
    numbers, amounts, whole = rows.normal(size=(600, 4)), rows.normal(size=600), rows.integers(1, 4, 600)
    targets = {"two classes": rows.integers(0, 2, 600), "many classes": rows.integers(0, 3, 600), "numbers": amounts}
    levels = np.column_stack([np.where(numbers[:, 0] > 1, np.nan, numbers[:, 0]), rows.integers(0, 6, 600)])
    many, many_two = rows.normal(size=(20_000, 3)), rows.integers(0, 2, 20_000)

    def forests(y: np.ndarray) -> None:
        numeric = y is amounts
        forest, random = (
            (RandomForestRegressor, ExtraTreesRegressor) if numeric else (RandomForestClassifier, ExtraTreesClassifier)
        )
        forest(3, oob_score=True).fit(numbers, y)
        forest(3, categorical_features=[1]).fit(levels, y)
        forest(3, max_leaf_nodes=9).fit(numbers, y)
        random(3).fit(numbers, y)

    def described() -> None:
        forest = RandomForestRegressor(3, min_samples_leaf=3).fit(numbers, amounts)
        forest.proximity(numbers, kind="gap")
        forest.quantiles(numbers)
        forest.permutation_importance(numbers, amounts)
        RandomForestClassifier(3, max_depth=1).fit(numbers, targets["two classes"]).proximity(numbers)

    def boosted(y: np.ndarray) -> None:
        model: Any = HistGradientBoostingRegressor if y is amounts else HistGradientBoostingClassifier
        for weight in (None, whole, rows.random(600) + 0.5):
            model(max_iter=2, subsample=0.9).fit(numbers, y, sample_weight=weight)
            if y is targets["many classes"]:  # classes that share splits
                BoostingClassifier(2).fit(numbers, y, sample_weight=weight)
        GradientBoostingRegressor(n_estimators=1, ccp_alpha=0.1).fit(numbers, y)
        GradientBoostingRegressor(n_estimators=1).fit(numbers, y, whole)
        GradientBoostingRegressor(n_estimators=1).fit(numbers, y, rows.random(600) + 0.5)

    def glass(y: np.ndarray) -> None:
        model: Any = ExplainableBoostingRegressor if y is amounts else ExplainableBoostingClassifier
        model(interactions=2, max_rounds=4, early_stopping_rounds=0).fit(numbers, y).predict(numbers)

    def descended() -> None:
        y, raw = np.ones(64), np.zeros(64)
        for kind in losses.LOSSES:
            kind().at(y, raw, None).derivatives(y, raw, np.empty(64), np.empty(64))
        losses.Softmax(3).derivatives(y, np.zeros((64, 3)), np.empty((64, 3)), np.empty((64, 3)))
        losses.Softmax(3).value(y, np.zeros((64, 3)))

    def walked(X: np.ndarray, **how: Any) -> None:
        trees = DecisionTreeRegressor(**how).fit(X, amounts).tree_
        for part in (X, X[:5], np.resize(X, (20_000, X.shape[1]))):
            sums_of(trees, part)
        leaves_of(trees, X[:5])
        sums_over_grid(trees, X[:5], [[0]], [X[:1]])
        sums_over_grid(trees, X[:64], [[0]], [X[:1]])
        sums_with_other_values(trees, X, np.zeros((1, 1, len(X)), np.int64), np.arange(X.shape[1]))
        for background in (None, X[:5]):
            shap_values_of(trees, X, background=background)

    return [
        *((f"forests, {name}", partial(forests, y)) for name, y in targets.items()),
        ("forests, isolation", partial(IsolationForest(n_estimators=2, contamination=0.1).fit, numbers)),
        ("forests, many rows", partial(RandomForestClassifier(1, max_depth=3).fit, many, many_two)),
        ("forests, proximities and quantiles", described),
        ("losses", descended),
        ("many trees, wide", partial(walked, rows.normal(size=(600, 14)))),
        *((f"boosting, {name}", partial(boosted, y)) for name, y in targets.items()),
        *((f"glass boxes, {name}", partial(glass, y)) for name, y in targets.items()),
        ("many trees, small", partial(walked, numbers, max_leaf_nodes=30)),
        ("many trees, large", partial(walked, numbers)),
        ("many trees, levels", partial(walked, levels, max_leaf_nodes=30, categorical_features=[1])),
    ]
