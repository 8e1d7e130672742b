"""Few rows, rare classes, and columns of many levels."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from probus.data import Table
from probus.ensemble import BoostingClassifier
from probus.errors import DataError
from probus.lifecycle._families import averaging, families
from probus.naive_bayes import NaiveBayes


def test_three_rows_are_an_error(study):
    with pytest.raises(DataError, match=r"3 rows for 5 folds\."):
        study({"x": [1.0, 2.0, 3.0], "y": ["a", "b", "a"]}, cv=None, evaluations=0)


def test_one_positive_in_a_thousand_is_scored_and_said(study):
    random = np.random.default_rng(0)
    labels = np.where(np.arange(2_000) < 2, "yes", "no")
    data = {"x": random.normal(size=2_000), "y": labels}
    result = study(data, models={"bayes": NaiveBayes()}, evaluations=0, cv=5)
    assert any("class yes has 2 rows, fewer than the 5 folds" in note for note in result.notes)
    assert [finding.title for finding in result.warnings] == ["rare-class", "imbalanced-target"]


def test_the_tree_of_a_rare_class_keeps_its_leaves(study):
    rng = np.random.default_rng(0)
    x = rng.normal(size=600)
    y = np.where(rng.random(600) < np.where(x > 1, 0.4, 0.01), "rare", "usual")
    result = study({"x": x, "y": y}, models=["tree"], evaluations=0, cv=3)
    assert result.leaderboard["Tree"].scores["roc_auc"] > 0.7


def test_only_boosting_of_the_package_that_is_one_model_is_averaged():
    class Net(ClassifierMixin, BaseEstimator):
        n_models = 1

        def fit(self, X, y):
            return self

    models = (BoostingClassifier(), BoostingClassifier(n_models=2), Net(), NaiveBayes())
    assert [averaging(model) for model in models] == ["model__n_models", None, None, None]


@pytest.mark.parametrize("kind", ["classification", "regression"])
def test_the_tree_does_not_split_rows_by_many_levels_that_mean_nothing(kind):
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=300), np.array([f"t{number}" for number in rng.integers(0, 120, 300)])
    y = x + rng.normal(size=300) if kind == "regression" else np.where(x + rng.normal(size=300) > 0, "yes", "no")
    table = Table.of({"ticket": noise, "x": x})
    tree = families(kind, ["tree"])["Tree"].fit(table.take(np.arange(200)), y[:200])
    alone = families(kind, ["tree"])["Tree"].fit(table.select("x").take(np.arange(200)), y[:200])
    rows = np.arange(200, 300)
    assert tree.score(table.take(rows), y[rows]) > alone.score(table.select("x").take(rows), y[rows]) - 0.1
