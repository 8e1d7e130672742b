"""Posteriors of R's e1071::naiveBayes, all rows of two data sets (R 4.2)."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_iris

import probus
from probus.naive_bayes import CategoricalNB, GaussianNB, NaiveBayes

HERE = Path(__file__).parent


@pytest.mark.parametrize("model", [GaussianNB(var_smoothing=0), NaiveBayes(var_smoothing=1e-300)])
def test_iris(model):
    """predict(naiveBayes(Species ~ ., iris), iris, type = "raw")"""
    X, y = load_iris(return_X_y=True)
    model.fit(X, y)
    model.var_ = model.var_ * 50 / 49  # R's standard deviations divide by n - 1, of 50 flowers each
    posteriors = pl.read_csv(HERE / "iris_posteriors.csv.gz").to_numpy()
    np.testing.assert_allclose(model.predict_proba(X), posteriors, rtol=1e-9)


@pytest.fixture(scope="module")
def votes():
    """HouseVotes84 of R's mlbench: 435 members, 16 votes y, n or missing."""
    frame = pl.read_csv(HERE / "house_votes.csv.gz")
    cells = {f"V{j + 1}": [None if vote[j] == "?" else vote[j] for vote in frame["votes"]] for j in range(16)}
    return (
        probus.Table.of(cells, infer=False),
        frame["party"].to_numpy(),
        frame.select("democrat", "republican").to_numpy(),
    )


def test_house_votes(votes):
    """predict(naiveBayes(Class ~ ., HouseVotes84, laplace = 1), HouseVotes84, type = "raw")"""
    table, party, posteriors = votes
    np.testing.assert_allclose(NaiveBayes(alpha=1.0).fit(table, party).predict_proba(table), posteriors, rtol=1e-9)


def test_house_votes_without_holes_need_no_other_model(votes):
    table, party, _ = votes
    whole = ~np.any([column.missing for column in table], axis=0)
    table, party = table.take(whole), party[whole]
    np.testing.assert_allclose(
        CategoricalNB().fit(table, party).predict_proba(table), NaiveBayes().fit(table, party).predict_proba(table)
    )
