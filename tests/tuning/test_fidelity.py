"""Multi-fidelity: schedules by formula and by published tables, promotions by brute force, races by SciPy."""

import math

import numpy as np
import pytest
from scipy.stats import friedmanchisquare, spearmanr, t
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import make_friedman1

from probus import DataError, Task, tabular
from probus.ensemble import (
    AdaBoostClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from probus.linear_model import SGDClassifier
from probus.naive_bayes import GaussianNB
from probus.spaces import Choice, Real, Space, when
from probus.svm import SVC, SVR
from probus.tuning import BOHB, Hyperband, IteratedRacing, SuccessiveHalving, Trial, fidelity_of, tune
from probus.tuning._fidelity import Fidelity
from probus.tuning._racing import survivors

LINE = Space({"x": Real(0.0, 1.0), "kind": Choice("a", "b", "c"), "y": when(Real(0.0, 1.0), kind="a")})


def played(tuner, score, seed=0):
    """All trials of a tuner, with their scores."""
    tuner.start(LINE, random_state=seed)
    found = []
    while not tuner.finished:
        trials = tuner.ask(tuner.batch)
        assert trials, "it waits for nothing"
        for trial in trials:
            value = score(trial)
            found.append((trial, value))
            tuner.tell(trial, value)
    return found


# -- schedules -----------------------------------------------------------------------------------------


def test_the_brackets_of_the_paper():
    """Li et al. 2018, table 1: R = 81, η = 3."""
    expected = [
        [(1, 81), (3, 27), (9, 9), (27, 3), (81, 1)],
        [(3, 34), (9, 11), (27, 3), (81, 1)],
        [(9, 15), (27, 5), (81, 1)],
        [(27, 8), (81, 2)],
        [(81, 5)],
    ]
    assert Hyperband(eta=3, max_fidelity=81).brackets() == expected


def test_the_brackets_of_the_course():
    """Bischl et al., I2ML, η = 4: 1–64, five evaluations per bracket. Its first number is 82, by the rule it is 80."""
    found = Hyperband(eta=4, min_fidelity=1, max_fidelity=64, evaluations_per_bracket=5).brackets()
    assert found[1:] == [[(4, 27), (16, 6), (64, 1)], [(16, 10), (64, 2)], [(64, 5)]]
    assert found[0] == [(1, 80), (4, 20), (16, 5), (64, 1)]


@pytest.mark.parametrize("eta", [2, 3, 4])
@pytest.mark.parametrize("ratio", [1, 8, 27, 100, 1000])
def test_brackets_follow_the_formula(eta, ratio):
    last = next(s for s in range(20) if eta ** (s + 1) > ratio)
    for bracket, s in zip(Hyperband(eta, 1, ratio).brackets(), range(last, -1, -1), strict=True):
        n = math.ceil((last + 1) * eta**s / (s + 1))
        assert [count for _, count in bracket] == [n // eta**i for i in range(s + 1)]
        assert [fidelity for fidelity, _ in bracket] == pytest.approx([ratio * eta ** (i - s) for i in range(s + 1)])


def test_one_bracket_leaves_one_configuration():
    assert SuccessiveHalving(eta=2, max_fidelity=8).brackets() == [[(1, 8), (2, 4), (4, 2), (8, 1)]]
    assert SuccessiveHalving(n=20, eta=4, max_fidelity=16).brackets() == [[(1, 20), (4, 5), (16, 1)]]


@pytest.mark.parametrize("tuner", [Hyperband(), SuccessiveHalving(), BOHB(), IteratedRacing()], ids=repr)
def test_a_tuner_that_has_not_started_is_an_error(tuner):
    with pytest.raises(DataError, match="has not started"):
        tuner.ask(1)


def test_a_score_that_is_no_number_is_an_error():
    tuner = Hyperband().start(LINE)
    with pytest.raises(DataError, match=r"trial 0 has the score 'a'\.\n  Expected 1 number"):
        tuner.tell(tuner.ask(1)[0], "a")


def test_a_share_of_the_rows_holds_every_class():
    y = np.array(["x", "y"] * 50, dtype=object)
    y[[13, 60]] = "rare"
    task = Task({"a": np.arange(100.0), "y": y}, "y")
    fidelity = fidelity_of(GaussianNB(), "rows")
    drawn = [fidelity.rows(np.arange(100), task, share, seed) for share in (0.2, 0.3) for seed in range(10)]
    assert all(set(y[rows]) == {"x", "y", "rare"} for rows in drawn)
    assert all(set(few) <= set(more) for few, more in zip(drawn[:10], drawn[10:], strict=True))


def test_strange_settings_are_errors():
    with pytest.raises(
        DataError, match=r"'eta' parameter of Hyperband must be a float in the range \(1.0, inf\). Got 1 instead"
    ):
        Hyperband(eta=1).brackets()
    with pytest.raises(DataError, match="0 < min_fidelity ≤ max_fidelity"):
        SuccessiveHalving(min_fidelity=9, max_fidelity=3).brackets()
    with pytest.raises(
        DataError, match=r"evaluations_per_bracket' .* must be an int in the range \[1, inf\) or None. Got 0"
    ):
        Hyperband(evaluations_per_bracket=0).brackets()
    with pytest.raises(
        DataError, match=r"'n' parameter of SuccessiveHalving must be an int in the range \[1, inf\) or None"
    ):
        SuccessiveHalving(n=0).start(LINE)
    with pytest.raises(
        DataError, match=r"'repeats' parameter of Hyperband must be an int in the range \[1, inf\) or None"
    ):
        Hyperband(repeats=0).start(LINE)
    with pytest.raises(
        DataError, match=r"'configurations' parameter of IteratedRacing must be an int in the range \[2, inf\)"
    ):
        IteratedRacing(configurations=1).start(LINE)


# -- promotions ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("tuner", [SuccessiveHalving(eta=2, max_fidelity=8), Hyperband(eta=3, max_fidelity=9), BOHB()])
def test_the_best_of_each_rung_go_on(tuner):
    trials = played(tuner, lambda trial: math.sin(50 * trial.config["x"]))
    place = 0
    for bracket in tuner.brackets():
        before = None
        for fidelity, count in bracket:
            rung, place = trials[place : place + count], place + count
            assert [trial.fidelity for trial, _ in rung] == [fidelity] * count
            if before is not None:
                best = sorted(before, key=lambda pair: -pair[1])[:count]
                assert [trial.config for trial, _ in rung] == [trial.config for trial, _ in best]
            before = rung
    assert place == len(trials)
    assert len({repr(trial.config) for trial, _ in trials}) == sum(bracket[0][1] for bracket in tuner.brackets())


def test_failures_do_not_go_on():
    tuner = SuccessiveHalving(eta=3, max_fidelity=9)
    trials = played(tuner, lambda trial: None if trial.config["x"] < 0.7 else trial.config["x"])
    assert all(trial.config["x"] >= 0.7 for trial, _ in trials[9:])
    assert len(played(SuccessiveHalving(), lambda trial: None)) == 27, "nothing is left to go on"


def test_the_proposals_do_not_depend_on_how_many_are_asked_for():
    tuners = [BOHB(eta=3, max_fidelity=9).start(LINE, random_state=4) for _ in range(2)]
    asked = [[], []]
    for place, n in enumerate((1, 100)):
        while not tuners[place].finished:
            trials = tuners[place].ask(n)
            for trial in trials:
                tuners[place].tell(trial, trial.config["x"])
            asked[place] += trials
    assert asked[0] == asked[1]


def test_brackets_repeat_with_new_configurations():
    tuner = Hyperband(eta=3, max_fidelity=3, repeats=None).start(LINE)
    assert not tuner.ends
    first = tuner.ask(100)
    for _ in range(8):
        for trial in first:
            tuner.tell(trial, 0.0)
        first = tuner.ask(100)
        assert first


def test_bohb_learns_where_the_good_ones_are():
    def score(trial):
        return -abs(trial.config["x"] - 0.3) - (trial.config["kind"] != "b")

    late = {}
    for name, tuner in (("model", BOHB(repeats=2)), ("random", Hyperband(repeats=2))):
        trials = [trial for trial, _ in played(tuner, score) if trial.fidelity == 1.0]
        late[name] = np.mean([score(trial) for trial in trials[-27:]])
    assert late["model"] > late["random"] + 0.3


# -- races ---------------------------------------------------------------------------------------------


def test_equal_configurations_survive_at_the_level_of_the_test():
    rng = np.random.default_rng(0)
    lost = [not survivors(rng.normal(size=(6, 10)), alpha=0.05).all() for _ in range(400)]
    assert 0.02 <= np.mean(lost) <= 0.08
    scores = rng.normal(size=(5, 8))
    assert survivors(scores).all() == (friedmanchisquare(*scores).pvalue >= 0.05)


def test_worse_configurations_leave_the_race():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(6, 10)) + np.array([0, 0, 0, -5, -5, -5])[:, None]
    assert survivors(scores).tolist()[3:] == [False] * 3
    assert survivors(scores)[np.argmin(-scores.mean(axis=1))]
    assert survivors(np.array([[1.0, 2.0, 3.0], [0.0, 1.1, 1.9]])).tolist() == [True, False]
    assert survivors(np.array([[1.0, 2.0, 3.0], [0.9, 2.2, 2.8]])).all()


def test_the_critical_difference_is_conovers():
    """Conover, Practical Nonparametric Statistics (1999), section 5.8, the grasses of twelve home owners."""
    # fmt: off
    ranks = np.array([[4, 3, 2, 1], [4, 2, 3, 1], [3, 1.5, 1.5, 4], [3, 1, 2, 4], [4, 2, 1, 3], [2, 2, 2, 4],
                      [1, 3, 2, 4], [2, 4, 1, 3], [3.5, 1, 2, 3.5], [4, 1, 3, 2], [4, 2, 3, 1], [3.5, 1, 2, 3.5]])
    # fmt: on
    sums, squares, (n, k) = ranks.sum(axis=0), (ranks**2).sum(), ranks.shape
    assert sums.tolist() == [38.0, 23.5, 24.5, 34.0]
    critical = t.ppf(0.975, (n - 1) * (k - 1)) * math.sqrt(2 * (n * squares - (sums**2).sum()) / ((n - 1) * (k - 1)))
    assert critical == pytest.approx(11.49, abs=0.01)
    best = 23.5
    assert survivors(-ranks.T).tolist() == [bool(each - best <= critical) for each in sums]


def test_a_race_evaluates_each_split_once(shrunk, numbers, space):
    tuner = IteratedRacing(configurations=8, iterations=2, first_test=3)
    tuned = tune(shrunk, numbers, space=space, tuner=tuner, cv=6)
    splits = [len(each.scores["rmse"]) for each in tuned.archive]
    efforts = [each.fidelity for each in tuned.archive]
    assert splits == [round(6 * effort) for effort in efforts]
    assert min(splits) == 3
    seen = {}
    for each in tuned.archive:
        key = repr(sorted(each.config.items()))
        assert each.scores["rmse"][: len(seen.get(key, ()))] == seen.get(key, ())
        assert len(each.fit_seconds) == len(each.scores["rmse"]) - len(seen.get(key, ())), "only what is new is fitted"
        seen[key] = each.scores["rmse"]
    results = tuned.cv_results_
    unfinished = np.array(efforts) < 1
    assert np.isnan(results["split5_test_score"])[unfinished].all()
    assert not np.isnan(results["split5_test_score"])[~unfinished].any()
    assert results["rank_test_score"][~unfinished].max() < results["rank_test_score"][unfinished].min()
    assert results["rank_test_score"][tuned.best_index_] == 1


# -- effort --------------------------------------------------------------------------------------------


def test_a_model_declares_what_its_effort_is():
    class Own(GaussianNB):
        fidelity = "var_smoothing"

    assert fidelity_of(RandomForestClassifier()).name == "n_estimators"
    assert fidelity_of(tabular(RandomForestClassifier())).name == "model__n_estimators"
    assert fidelity_of(SGDClassifier()).name == "max_iter"
    assert fidelity_of(GaussianNB()).name == "rows"
    assert fidelity_of(Own()).name == "var_smoothing"
    with pytest.raises(DataError, match="fidelity='leaves'"):
        fidelity_of(GaussianNB(), "leaves")


def test_a_share_of_the_trees():
    forest = Fidelity("n_estimators").reduced(RandomForestClassifier(90), 1 / 3)
    assert forest.n_estimators == 30
    assert Fidelity("n_estimators").reduced(RandomForestClassifier(90), 1e-9).n_estimators == 1


def test_fewer_trees_of_boosting_take_longer_steps():
    share = 1 / 9
    fewer = Fidelity("max_iter").reduced(HistGradientBoostingClassifier(learning_rate=0.1, max_iter=90), share)
    assert (fewer.max_iter, fewer.learning_rate) == (10, pytest.approx(0.3))
    wrapped = Fidelity("model__max_iter").reduced(tabular(HistGradientBoostingClassifier(learning_rate=0.5)), share)
    assert wrapped[-1].learning_rate == 1.0, "no step is longer than the minimum of a leaf"
    assert Fidelity("n_estimators").reduced(AdaBoostClassifier(learning_rate=1.5), share).learning_rate == 1.5
    assert Fidelity("max_iter").reduced(SGDClassifier(max_iter=90), share).learning_rate == "optimal"


@pytest.mark.slow
def test_few_trees_rank_learning_rates_as_many_do():
    X, y = make_friedman1(600, noise=0.5, random_state=0)
    rates = np.geomspace(0.02, 0.5, 6)

    def scores(share):
        models = [HistGradientBoostingRegressor(learning_rate=rate, max_iter=180) for rate in rates]
        fits = [Fidelity("max_iter").reduced(each, share).fit(X[:300], y[:300]) for each in models]
        return [fit.score(X[300:], y[300:]) for fit in fits]

    assert spearmanr(scores(1 / 9), scores(1.0))[0] > 0.7


def test_the_rows_of_a_kernel_machine_take_the_share_of_its_time():
    task, train = Task.of(np.zeros((900, 1)), np.arange(900.0)), np.arange(900)
    models = (SVC(), tabular(SVR()), GaussianNB())
    sizes = [len(fidelity_of(model).rows(train, task, 1 / 9, seed=0)) for model in models]
    assert sizes == [300, 300, 100]


def test_a_share_of_the_rows_keeps_the_classes_and_grows():
    y = np.array(["a"] * 150 + ["b"] * 50)
    task = Task.of(np.zeros((200, 1)), y)
    train = np.arange(0, 200, 2)
    few, more = (Fidelity("rows").rows(train, task, share, seed=3) for share in (0.4, 0.8))
    assert (len(few), len(more)) == (40, 80)
    assert set(few) < set(more) < set(train)
    assert (y[few] == "a").sum() == 30
    assert Fidelity("rows").rows(train, task, 1e-6, seed=3).shape == (20,), "enough to learn from"


def test_the_last_rows_where_there_is_a_time():
    task = Task({"x": np.zeros(100), "when": np.arange(100.0)[::-1], "y": np.arange(100.0)}, target="y", time="when")
    assert Fidelity("rows").rows(np.arange(50, 100), task, 0.5, seed=0).tolist() == list(range(50, 75))


def test_hyperband_evaluates_as_its_brackets_say(numbers, shrunk, space):
    tuner = Hyperband(eta=3, max_fidelity=9)
    tuned = tune(shrunk, numbers, space=space, tuner=tuner, cv=2)
    expected = [fidelity / 9 for bracket in tuner.brackets() for fidelity, n in bracket for _ in range(n)]
    assert [each.fidelity for each in tuned.archive] == pytest.approx([1.0, *expected])
    full = [each for each in tuned.archive if each.fidelity == 1.0]
    assert tuned.best_score_ == min(each.mean("rmse") for each in full)
    again = tune(shrunk, numbers, space=space, tuner=tuner, cv=2)
    assert [each.scores for each in again.archive] == [each.scores for each in tuned.archive]


def test_a_trial_of_an_earlier_run_is_accepted():
    for tuner in (Hyperband(), BOHB(), IteratedRacing()):
        tuner.start(LINE).tell(Trial(0, {"x": 0.5, "kind": "b"}), 1.0)
        assert tuner.ask(1)[0].number == 1


class Trees(RegressorMixin, BaseEstimator):
    """Predicts the number of its trees."""

    def __init__(self, n_estimators=54, shift=0.0):
        self.n_estimators = n_estimators
        self.shift = shift

    def fit(self, X, y):
        self.n_ = self.n_estimators
        return self

    def predict(self, X):
        return np.full(len(X), self.n_ + self.shift)


def halved_trees(fidelity, cv):
    """The archive of a search whose scores are the numbers of trees."""
    task = Task.of(np.zeros((20, 1)), np.linspace(0.0, 1e-9, 20))
    tuner = SuccessiveHalving(n=27, eta=3, fidelity=fidelity)
    tuned = tune(Trees(), task, space=Space({"shift": Real(0.0, 0.5)}), tuner=tuner, cv=cv)
    assert tuned.best_estimator_.n_ == 54
    assert {round(1 / each.fidelity) for each in tuned.archive} == {27, 9, 3, 1}
    return tuned.archive


def test_the_model_is_fitted_with_that_share_of_its_trees():
    for each in halved_trees("n_estimators", cv=2):
        trees = each.mean("rmse") - each.config.get("shift", 0.0)
        assert trees == pytest.approx(54 * each.fidelity, abs=1e-6)


def test_fewer_splits_come_before_fewer_trees():
    expected = {27: (1, 54 * 5 / 27), 9: (1, 54 * 5 / 9), 3: (2, 54), 1: (5, 54)}
    for each in halved_trees("auto", cv=5):
        n_splits, trees = expected[round(1 / each.fidelity)]
        scores = np.array(each.scores["rmse"]) - each.config.get("shift", 0.0)
        assert scores == pytest.approx([trees] * n_splits, abs=1e-6)


def test_splits_with_all_trees_are_not_fitted_again():
    archive = halved_trees("auto", cv=5)
    last = archive[len(archive) - 1]
    assert (last.fidelity, len(last.scores["rmse"]), len(last.fit_seconds)) == (1.0, 5, 3)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 10, 25])
def test_a_plan_costs_about_its_share(n):
    fidelity = fidelity_of(RandomForestClassifier())
    assert fidelity.plan(n, 1.0) == (n, 1.0)
    for share in (1 / 81, 1 / 27, 1 / 9, 1 / 3):
        splits, each = fidelity.plan(n, share)
        assert splits * each == pytest.approx(share * n, rel=0.34)
        assert splits == 1 or each == 1.0


def test_ordered_splits_are_all_evaluated():
    """The first of them has few rows, and is the oldest."""
    table = {"x": np.zeros(60), "when": np.arange(60.0), "y": np.linspace(0.0, 1e-9, 60)}
    task = Task(table, target="y", time="when")
    tuned = tune(Trees(), task, space=Space({"shift": Real(0.0, 0.5)}), tuner=SuccessiveHalving(n=3), cv=3)
    assert {len(each.scores["rmse"]) for each in tuned.archive} == {3}
