"""Query strategies: their formulas, and batches of rows that differ."""

import numpy as np
import pytest
from scipy.stats import entropy as scipy_entropy

from probus.active import QUERIES, Learner
from probus.active._diverse_batch import diverse
from probus.active.queries import Pool, Situation, query_of
from probus.active.queries._committee import Committee
from probus.active.queries._expected_error import ExpectedError
from probus.data import Table
from probus.errors import DataError
from probus.linear_model import LogisticRegression
from probus.naive_bayes import GaussianNB, NaiveBayes
from probus.pipeline import tabular


def situation(n=60, k=3, seed=0, model=None, columns=None):
    """Labels of some rows of a pool, and a model that was fitted to them."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    X = rng.normal(size=(n, 2)) + 1.5 * truth[:, None] if columns is None else columns
    pool, classes = Pool(Table.of(X)), np.array(list("abc"))[:k]
    labelled = np.concatenate([np.flatnonzero(truth == code)[:4] for code in range(k)])
    estimator = tabular(GaussianNB() if model is None else model)
    fitted = estimator.fit(pool.rows.take(labelled), classes[truth[labelled]])
    free = np.setdiff1d(np.arange(n), labelled)
    random = np.random.RandomState(0)
    return Situation(pool, labelled, truth[labelled], free, classes, estimator, fitted, random)


def test_uncertainty_is_that_of_the_seed():
    """Least confidence, the margin of the two largest, and Shannon's entropy, from the probabilities themselves."""
    now = situation()
    P = now.model.predict_proba(now.pool.rows.take(now.candidates))
    ordered = np.sort(P, axis=1)
    best = {
        name: now.candidates[query_of(name).scores(now).argmax()] for name in ("least_confidence", "margin", "entropy")
    }
    assert best["least_confidence"] == now.candidates[P.max(axis=1).argmin()]
    assert best["margin"] == now.candidates[(ordered[:, -1] - ordered[:, -2]).argmin()]
    assert best["entropy"] == now.candidates[scipy_entropy(P, axis=1).argmax()]
    np.testing.assert_allclose(query_of("entropy").scores(now), scipy_entropy(P, axis=1), atol=1e-12)


def test_all_uncertainties_order_two_classes_alike():
    now = situation(k=2)
    orders = [
        np.argsort(-query_of(name).scores(now), kind="stable")[:10]
        for name in ("least_confidence", "margin", "entropy")
    ]
    assert orders[0].tolist() == orders[1].tolist() == orders[2].tolist()


def test_vote_entropy_is_that_of_the_shares_of_votes():
    members = [GaussianNB(), NaiveBayes(), LogisticRegression()]
    now, query = situation(), Committee(members)
    rows = now.pool.rows
    labels = now.classes[now.codes]
    predicted = np.array([m.fit(rows.take(now.labelled), labels).predict(rows.take(now.candidates)) for m in members])
    expected = [scipy_entropy(np.unique(column, return_counts=True)[1] / 3) for column in predicted.T]
    np.testing.assert_allclose(query.scores(now), expected, atol=1e-12)


def test_a_committee_of_samples_has_every_class_and_is_drawn_by_the_seed():
    now = situation(model=NaiveBayes())
    votes = Committee(5).votes(now)
    assert (votes.sum(axis=1) == 5).all()
    np.testing.assert_array_equal(votes, Committee(5).votes(situation(model=NaiveBayes())))


def test_expected_errors_are_those_of_a_fit_for_every_row_and_class():
    """Brute force: every candidate, every class, judged on all candidates."""
    now = situation(n=24)
    rows, labels = now.pool.rows, now.classes[now.codes]
    P = now.model.predict_proba(rows.take(now.candidates))
    expected = []
    for place, row in enumerate(now.candidates):
        error = 0.0
        for code, label in enumerate(now.classes):
            model = GaussianNB().fit(rows.take([*now.labelled, row]), [*labels, label])
            error += P[place, code] * np.mean(1 - model.predict_proba(rows.take(now.candidates)).max(axis=1))
        expected.append(-error)
    np.testing.assert_allclose(ExpectedError(candidates=100, rows=100).scores(now), expected, rtol=1e-6)


def test_only_the_most_uncertain_are_considered_by_expected_error():
    scores = ExpectedError(candidates=5, rows=20).scores(situation())
    assert np.isfinite(scores).sum() == 5


def test_density_prefers_rows_among_others_to_an_outlier_that_is_as_uncertain():
    X = np.array([[0.0, 0], [0.1, 0], [10, 0], [9.9, 0], [5, 0.1], [5, -0.1], [5, 0.0], [5, 400.0]])
    pool, labelled = Pool(Table.of(X)), np.array([0, 1, 2, 3])
    codes = np.array([0, 0, 1, 1])

    now = situation()
    flat = Situation(
        pool,
        labelled,
        codes,
        np.array([4, 5, 6, 7]),
        np.array(["a", "b"]),
        now.estimator,
        None,
        np.random.RandomState(0),
    )
    flat.__dict__["probabilities"] = np.full((4, 2), 0.5)
    scores = query_of("density").scores(flat)
    assert scores.argmin() == 3
    assert np.ptp(query_of("entropy").scores(flat)) == 0


def test_a_batch_does_not_repeat_itself():
    X = np.repeat(np.random.default_rng(0).normal(size=(12, 2)), 5, axis=0)
    now = situation(n=60, columns=X)
    scores = query_of("margin").scores(now)
    chosen = now.candidates[diverse(now, scores, 6)]
    assert len({tuple(row) for row in X[chosen]}) == 6
    best = now.candidates[np.argsort(-scores, kind="stable")[:6]]
    assert len({tuple(row) for row in X[best]}) < 6
    assert chosen[0] == best[0]


def test_a_batch_of_rows_without_comparable_columns_is_the_best_rows():
    texts = [f"a text of words {i}, {i}" for i in range(60)]
    now = situation()
    worded = Situation(Pool(Table.of({"t": texts}, {"t": "text"})), *[getattr(now, name) for name in
                       ("labelled", "codes", "candidates", "classes", "estimator", "model", "random")])  # fmt: skip
    scores = np.arange(float(len(now.candidates)))
    assert diverse(worded, scores, 3).tolist() == np.argsort(-scores)[:3].tolist()


@pytest.mark.parametrize("name", QUERIES)
def test_every_strategy_asks_for_rows_of_mixed_columns(name, mixed, answer):
    table, labels = mixed
    learner = Learner(NaiveBayes(), table, query=name, start=6, check=0)
    asked = answer(learner, labels, 12, batch=3)
    assert len({question.row for question in asked}) == 12
    assert all(question.asked == ("start" if place < 6 else "query") for place, question in enumerate(asked))
    assert asked[-1].why.startswith(learner.query.why[0].upper())


def test_names_that_are_not_known_and_models_without_probabilities():
    with pytest.raises(DataError, match=r"query='margn'(.|\n)*Did you mean 'margin'"):
        query_of("margn")
    from sklearn.svm import LinearSVC

    with pytest.raises(DataError, match="has no predict_proba, which query='margin' needs"):
        Learner(LinearSVC(), [[1.0], [2.0]])
    Learner(LinearSVC(), [[1.0], [2.0]], query="committee")
