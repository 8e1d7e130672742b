"""Measures of lists against scikit-learn and brute force."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import mean_absolute_error, ndcg_score, root_mean_squared_error

from probus.errors import DataError
from probus.recommend import Biases, MatrixFactorization, Popularity, Ratings, resample
from probus.recommend._measures import recommender_measure, recommender_measures

SPLIT = 0


@pytest.fixture(scope="module")
def result(draw_ratings):
    scoring = ["rmse", "mae", "ndcg@5", "precision@5", "recall@5", "map@5", "mrr@5", "hit_rate@5", "coverage@5"]
    return resample(MatrixFactorization(2, random_state=0), draw_ratings(), cv=3, scoring=[*scoring, "novelty@5"])


@pytest.fixture(scope="module")
def by_hand(result, draw_ratings):
    """For each tested user of a split: which items are candidates, relevant, and their scores."""
    data = Ratings.of(draw_ratings())
    train, test = result.splits.pairs[SPLIT]
    model = MatrixFactorization(2, random_state=0).fit_ratings(data.take(train))
    threshold = np.median(data.values)
    users = []
    for u in np.unique(data.user[test]):
        known = data.item[train][data.user[train] == u]
        relevant = np.zeros(len(data.items), bool)
        relevant[data.item[test][(data.user[test] == u) & (data.values[test] >= threshold)]] = True
        scores = model._scores(np.array([u]))[0]
        left = np.setdiff1d(np.arange(len(data.items)), known)
        left = np.intersect1d(left, data.item[train])
        users.append((left, relevant, scores))
    return users


def test_ndcg_is_that_of_scikit_learn(result, by_hand):
    expected = [
        ndcg_score([relevant[left]], [scores[left]], k=5) for left, relevant, scores in by_hand if relevant[left].any()
    ]
    left_out = [relevant.any() and not relevant[left].any() for left, relevant, _ in by_hand]
    assert not any(left_out)
    assert_allclose(result.scores("ndcg@5")[SPLIT], np.mean(expected))


@pytest.mark.parametrize("name", ["precision", "recall", "map", "mrr", "hit_rate"])
def test_measures_of_lists_are_those_of_their_definition(result, by_hand, name):
    values = []
    for left, relevant, scores in by_hand:
        if not relevant.any():
            continue
        first = left[np.argsort(-scores[left], kind="stable")][:5]
        hits = relevant[first]
        places = np.flatnonzero(hits) + 1
        n = relevant.sum()
        values.append(
            {
                "precision": hits.mean(),
                "recall": hits.sum() / n,
                "hit_rate": float(hits.any()),
                "mrr": 1 / places[0] if len(places) else 0.0,
                "map": sum((i + 1) / place for i, place in enumerate(places)) / min(n, 5),
            }[name]
        )
    assert_allclose(result.scores(f"{name}@5")[SPLIT], np.mean(values))


def test_coverage_counts_the_items_that_somebody_is_shown(result, by_hand):
    shown = {i for left, _, scores in by_hand for i in left[np.argsort(-scores[left], kind="stable")][:5].tolist()}
    assert result.scores("coverage@5")[SPLIT] == len(shown) / 40


def test_novelty_is_the_mean_surprise_of_the_items_shown(result, by_hand, draw_ratings):
    data = Ratings.of(draw_ratings())
    train, _ = result.splits.pairs[SPLIT]
    share = np.bincount(data.item[train], minlength=40) / len(np.unique(data.user[train]))
    values = [
        np.mean(-np.log2(share[left[np.argsort(-scores[left], kind="stable")][:5]])) for left, _, scores in by_hand
    ]
    assert_allclose(result.scores("novelty@5")[SPLIT], np.mean(values))


def test_errors_of_ratings_are_those_of_scikit_learn(result):
    split = result.tested_splits[SPLIT]
    assert_allclose(result.scores("rmse")[SPLIT], root_mean_squared_error(split.actual, split.predicted))
    assert_allclose(result.scores("mae")[SPLIT], mean_absolute_error(split.actual, split.predicted))
    actual = np.concatenate([each.actual for each in result.tested_splits])
    predicted = np.concatenate([each.predicted for each in result.tested_splits])
    assert_allclose(result["rmse"].value, root_mean_squared_error(actual, predicted))


@pytest.mark.parametrize("name", ["rmse", "mae", "ndcg@5", "recall@5", "novelty@5"])
def test_a_user_moves_the_score_by_what_is_left_without_that_user(result, name):
    """The influence of a user is the derivative, which leaving the user out shows for many users."""
    tested = result.tested(name)
    sums = {}
    for each in result.tested_splits:
        for code, a, b in zip(each.users, *each.sums(recommender_measure(name)), strict=True):
            before = sums.get(code, (0.0, 0.0))
            sums[code] = before[0] + a, before[1] + b
    a, b = (np.array([sums[code][part] for code in tested.names]) for part in (0, 1))
    without = (a.sum() - a) / (b.sum() - b)
    without = np.sqrt(without) if name == "rmse" else without
    n = tested.n_units
    assert_allclose(tested.value - without, tested.own / (n - 1), atol=3.0 * np.abs(tested.own).max() / n**2)


def test_names_are_read_in_several_ways():
    names = ["NDCG", "ndcg_10", "ndcg@10", "neg_root_mean_squared_error", "average_precision@3", "hit@5"]
    found = [recommender_measure(name).name for name in names]
    assert found == ["ndcg@10", "ndcg@10", "ndcg@10", "rmse", "map@3", "hit_rate@5"]


@pytest.mark.parametrize("scoring", ["accuracy", "ndcg@0", 3, []])
def test_other_measures_are_refused(scoring):
    with pytest.raises(DataError, match="'rmse', 'mae', 'mse', 'ndcg@10'"):
        recommender_measures(scoring, True)


def test_a_measure_of_ratings_needs_predicted_ratings(draw_ratings):
    result = resample(Popularity(), draw_ratings(), cv=2, scoring="ndcg@10")
    with pytest.raises(DataError, match="Popularity predicts no ratings, and RMSE needs them"):
        result.estimate("rmse")


def test_longer_lists_than_were_kept_are_refused(draw_ratings):
    result = resample(Biases(), draw_ratings(), cv=2, scoring="ndcg@5")
    with pytest.raises(DataError, match=r"ndcg@30 of lists of 20 items"):
        result.estimate("ndcg@30")
