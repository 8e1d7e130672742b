"""Learning curves of strategies, and their test against random rows."""

from dataclasses import replace

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.model_selection import train_test_split

import probus
from probus.active import Query, simulate
from probus.active._simulation import _first_labels
from probus.comparison import corrected_resampled_ttest
from probus.errors import DataError
from probus.linear_model import LogisticRegression
from probus.naive_bayes import GaussianNB, NaiveBayes
from probus.neighbors import KNeighborsClassifier


def two_normal_classes(n=600, seed=0, shift=1.5):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 2)) + shift * y[:, None], y


class FarRows(Query):
    """Rows whose labels are noise: a strategy that has to lose."""

    name, why = "far_rows", "it is far away"

    def scores(self, situation):
        return situation.pool.rows.take(situation.candidates).numbers()[:, 0]


@pytest.fixture(scope="module")
def simulation():
    """A third of the rows are far away, with random labels."""
    X, y = two_normal_classes(shift=3.0)
    X[:200, 0] += 20.0
    y[:200] = np.random.default_rng(1).integers(0, 2, 200)
    how = {"n_labels": 48, "repeats": 8, "start": 4, "batch": 11}
    return simulate(KNeighborsClassifier(1), X, y, queries=["margin", FarRows()], **how)


def test_the_score_at_a_size_is_that_of_a_fit_to_the_labels_so_far():
    """Reference: the first point of every curve, from the split and the labels of the repeat."""
    X, y = two_normal_classes(200)
    found = simulate(GaussianNB(), X, y, queries=["margin"], n_labels=20, repeats=3, random_state=4)
    for repeat, seed in enumerate(np.random.SeedSequence(4).generate_state(3)):
        pool, test = train_test_split(np.arange(200), test_size=60, random_state=int(seed), stratify=y)
        first = pool[np.random.RandomState(int(seed)).permutation(140)[:10]]
        score = GaussianNB().fit(X[first], y[first]).score(X[test], y[test])
        for name in ("random", "margin"):
            assert found.scores[name][repeat, 0] == pytest.approx(score)


def test_the_test_is_nadeaus_and_bengios_of_the_mean_over_all_sizes(simulation):
    a, b = (simulation.scores[name].mean(axis=1) for name in ("margin", "random"))
    expected = corrected_resampled_ttest(a, b, 180 / 420)
    assert simulation.tests["margin"].pvalue == expected.pvalue
    assert simulation.gain("margin").value == pytest.approx((a - b).mean())
    assert simulation.pvalues["margin"] >= expected.pvalue


def test_verdicts_follow_from_the_adjusted_test_and_its_sign(simulation):
    base = np.random.default_rng(0).normal(0.8, 0.01, (8, 5))
    scores = {"random": base, "up": base + 0.05, "down": base - 0.05 + 0.002 * base[::-1], "same": base[::-1]}
    means = {name: each.mean(axis=1) for name, each in scores.items()}
    tests = {name: corrected_resampled_ttest(means[name], means["random"], 0.4) for name in ("up", "down", "same")}
    made = replace(simulation, scores=scores, tests=tests, pvalues={"up": 0.001, "down": 0.001, "same": 0.9})
    assert [made.verdict(name) for name in tests] == ["better", "worse", "undecided"]
    assert "up beats random rows" in made.sentence
    assert "down is worse than random rows" in made.sentence
    loss = replace(made, greater_is_better=False)
    assert [loss.verdict(name) for name in tests] == ["worse", "better", "undecided"]
    assert (made.labels_to_reach("up"), made.labels_to_reach("down")) == (simulation.sizes[0], None)


def test_curves_tables_and_plots(simulation):
    assert simulation.sizes == (4, 15, 26, 37, 48)
    assert simulation.scores["random"].shape == (8, 5)
    assert [row["labels"] for row in simulation.to_frame().to_dicts()][:5] == [4, 15, 26, 37, 48]
    band = simulation.curve("random")
    assert all(each.low <= each.value <= each.high for each in band)
    assert simulation.labels_to_reach("random") in simulation.sizes
    assert "labels for the last score of random" in repr(simulation)
    assert len(simulation.plot().lines) == 3


def test_the_result_does_not_depend_on_the_number_of_jobs():
    X, y = two_normal_classes(150)
    how = {"queries": ["entropy"], "n_labels": 20, "repeats": 2}
    with parallel_config("threading"):
        one, two = (simulate(GaussianNB(), X, y, n_jobs=n_jobs, **how) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.scores["entropy"], two.scores["entropy"])


def test_a_loss_on_a_mixed_table():
    found = simulate(NaiveBayes(), "titanic", target="Survived", n_labels=30, repeats=3, scoring="log_loss", batch=10)
    assert not found.greater_is_better
    assert (found.scores["random"] > 0).all()
    assert found.gain("margin").value == pytest.approx(-found.tests["margin"].effect.value)


@pytest.mark.slow
def test_random_rows_rarely_beat_random_rows():
    """The true hypothesis, the same strategy with other draws: of 25 tests at 5 %, more than four fail once in 140."""

    class Other(Query):
        name, why, probabilistic = "other", "it was drawn at random", False

        def scores(self, situation):
            return np.random.default_rng(situation.random.randint(2**31)).random(len(situation.candidates))

    rejected = 0
    for seed in range(25):
        X, y = two_normal_classes(300, seed=seed)
        found = simulate(GaussianNB(), X, y, queries=[Other()], n_labels=30, repeats=5, batch=10, random_state=seed)
        rejected += found.verdict("other") != "undecided"
    assert rejected <= 4


def test_settings_that_make_no_sense_are_refused():
    X, y = two_normal_classes(100)
    with pytest.raises(DataError, match="n_labels=90 of a pool of 70 rows"):
        simulate(GaussianNB(), X, y, n_labels=90)
    with pytest.raises(DataError, match="start=1"):
        simulate(GaussianNB(), X, y, start=1)
    with pytest.raises(DataError, match="query='nope'"):
        simulate(GaussianNB(), X, y, queries=["nope"], n_labels=20)
    with pytest.raises(DataError, match="classes"):
        simulate(probus.linear_model.LinearRegression(), X, X[:, 0])
    assert simulate(LogisticRegression(), X, y, queries="random", n_labels=20, repeats=2).tests == {}


def test_a_pool_of_one_class_is_refused():
    with pytest.raises(DataError, match=r"a pool of rows of one class\.\n  Expected rows of two classes"):
        _first_labels(np.zeros(10, dtype=int), 3, np.random.RandomState(0))
