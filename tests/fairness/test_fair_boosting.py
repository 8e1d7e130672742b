"""Boosting with a penalty on differences between groups: its loss, what it promises, and where it is used."""

import numpy as np
import pytest
from sklearn.base import clone

import probus
from probus.data import Table, Task
from probus.ensemble import BoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from probus.errors import DataError
from probus.fairness import FairBoosting, audit, frontier
from probus.fairness._fair_loss import FairLogLoss
from probus.losses import LogLoss


def people(n, seed=0):
    """Those of the first population; its settings were chosen on none."""
    rng = np.random.default_rng(seed)
    sex, town = rng.choice(["f", "m"], n, p=[0.45, 0.55]), rng.choice(["a", "b", "c"], n)
    x = rng.normal(size=n) + 0.9 * (sex == "m")
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-1.5 * x + (town == "b"))), "yes", "no")
    return Table.of({"x": x, "town": town, "sex": sex, "y": y})


def three_groups(n, seed=0):
    """Three groups of other sizes, a proxy that is nominal, an interaction, and missing values."""
    rng = np.random.default_rng(seed)
    group = rng.choice(["p", "q", "r"], n, p=[0.6, 0.3, 0.1])
    job = np.where(rng.random(n) < 0.6, group, rng.choice(["p", "q", "r"], n))
    a, b = rng.normal(size=n), rng.normal(size=n)
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-(a * b + 1.2 * (job == "p") - 0.5))), "yes", "no")
    return Table.of({"a": np.where(rng.random(n) < 0.1, np.nan, a), "b": b, "job": job, "sex": group, "y": y})


few = HistGradientBoostingClassifier(max_iter=40, min_samples_leaf=10)


def objective(loss, y, raw, weight):
    """The definition: log loss and the variance of the means of the groups, for each label that counts."""
    label, group = y % 2, y // 2
    value = np.logaddexp(0, (1 - 2 * label) * raw) @ weight
    score = 1 / (1 + np.exp(-raw)) if loss.of == "probability" else raw
    families = {
        "demographic_parity": [label >= 0],
        "equal_opportunity": [label == 1],
        "equalized_odds": [label == 1, label == 0],
    }
    for rows in families[loss.criterion]:
        mean = np.average(score[rows], weights=weight[rows])
        for g in np.unique(group):
            mine = rows & (group == g)
            value += loss.penalty * weight[mine].sum() * (np.average(score[mine], weights=weight[mine]) - mean) ** 2
    return value


@pytest.mark.parametrize("criterion", ["demographic_parity", "equal_opportunity", "equalized_odds"])
@pytest.mark.parametrize("of", ["probability", "log_odds"])
def test_the_gradient_is_that_of_the_definition(criterion, of):
    rng = np.random.default_rng(0)
    y, raw, weight = rng.integers(0, 6, 40).astype(float), rng.normal(size=40), rng.random(40) + 0.2
    loss = FairLogLoss(3, 2.5, criterion, of).at(y, raw, weight)
    assert loss.value(y, raw) @ weight == pytest.approx(objective(loss, y, raw, weight))
    gradient, hessian = np.empty(40), np.empty(40)
    loss.derivatives(y, raw, gradient, hessian)
    step = 1e-5 * np.eye(40)
    numeric = [(objective(loss, y, raw + s, weight) - objective(loss, y, raw - s, weight)) / 2e-5 for s in step]
    assert gradient * weight == pytest.approx(numeric, abs=1e-6)
    assert (hessian > 0).all()


@pytest.mark.parametrize("of", ["probability", "log_odds"])
def test_steps_of_a_large_penalty_do_not_overshoot(of):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 4, 200).astype(float)
    loss, raw, before = FairLogLoss(2, 1000.0, of=of, learning_rate=0.5), 2 * (y // 2), np.inf
    gradient, hessian = np.empty(200), np.empty(200)
    for _ in range(30):  # leaves that are the groups: the step that changes their means most
        now = loss.at(y, raw, None)
        assert now.value(y, raw).sum() <= before + 1e-9
        before = now.value(y, raw).sum()
        now.derivatives(y, raw, gradient, hessian)
        for group in (0, 1):
            rows = y // 2 == group
            raw = raw - 0.5 * rows * gradient[rows].sum() / hessian[rows].sum()


def test_without_a_penalty_it_is_the_model():
    rows = people(400)
    X, y = rows.drop("y"), rows["y"]
    fair = FairBoosting(few, penalty=0, sensitive="sex").fit(X, y)
    plain = few.fit(X.drop("sex"), y)
    assert fair.predict_proba(X) == pytest.approx(plain.predict_proba(X.drop("sex")), abs=1e-9)
    assert np.array_equal(fair.predict(X), plain.predict(X.drop("sex")))
    assert isinstance(LogLoss().constant(np.array([0.0, 1.0]), None), np.ndarray)


@pytest.mark.slow
@pytest.mark.parametrize("population", [people, three_groups])
@pytest.mark.parametrize("of", ["probability", "log_odds"])
def test_a_larger_penalty_makes_mean_scores_of_new_rows_more_alike(population, of):
    train, test = population(1500), population(4000, seed=1)
    gaps, losses = [], []
    for penalty in (0, 3, 100):
        model = FairBoosting(few, penalty=penalty, of=of, sensitive="sex").fit(train.drop("y"), train["y"])
        p = model.predict_proba(test.drop("y"))[:, 1]
        group = test["sex"].decoded()
        gaps.append(np.ptp([p[group == each].mean() for each in np.unique(group)]))
        p, yes = model.predict_proba(train.drop("y"))[:, 1], train["y"].decoded() == "yes"
        losses.append(-np.mean(np.where(yes, np.log(p), np.log1p(-p))))
    assert gaps[0] > 0.1
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 0.35 * gaps[0]
    assert losses[2] > losses[0]
    assert losses[2] < 0.7


def test_equal_opportunity_is_about_rows_with_the_label():
    train, test = people(1500), people(4000, seed=1)
    X, y = train.drop("y"), train["y"]
    gaps = []
    for penalty in (0, 100):
        model = FairBoosting(few, penalty=penalty / 3, criterion="equal_opportunity", sensitive="sex").fit(X, y)
        p, yes = model.predict_proba(test.drop("y"))[:, 1], test["y"].decoded() == "yes"
        group = test["sex"].decoded()
        gaps.append(p[yes & (group == "m")].mean() - p[yes & (group == "f")].mean())
    assert abs(gaps[1]) < 0.4 * gaps[0]


def test_whole_weights_are_repeated_rows_and_the_label_that_selects_may_be_any():
    rows = people(300)
    X, y, weight = rows.drop("y"), rows["y"].decoded(), np.random.default_rng(0).integers(0, 3, 300)
    again = np.repeat(np.arange(300), weight)
    model = FairBoosting(few, sensitive="sex")
    weighted = clone(model).fit(X, y, sample_weight=weight.astype(float)).predict_proba(X)
    assert weighted == pytest.approx(clone(model).fit(X.take(again), y[again]).predict_proba(X), abs=1e-6)
    other = clone(model).set_params(pos_label="no").fit(X, y)
    assert other.predict_proba(X) == pytest.approx(clone(model).fit(X, y).predict_proba(X), abs=1e-6)
    assert np.array_equal(other.decision_function(X) > 0, other.predict(X) == "yes")


@pytest.mark.slow
def test_it_is_cloned_tuned_saved_and_compared(tmp_path):
    task = Task(people(300), target="y", sensitive="sex")
    model = FairBoosting(BoostingClassifier(30, random_state=0), penalty=5)
    found = probus.resample(model, task, cv=3)
    assert not found.failures
    assert audit(found).verdict("demographic_parity").column == "sex"
    tuned = probus.tune(FairBoosting(few), task, evaluations=2, cv=2, random_state=0, progress=False)
    assert isinstance(tuned.best_estimator_.fit(task.X, task.y).predict(task.X), np.ndarray)
    fitted = FairBoosting(few, sensitive="sex").fit(task.X, task.y)
    probus.save(fitted, tmp_path / "fair.probus")
    loaded = probus.load(tmp_path / "fair.probus")
    assert np.array_equal(loaded.predict_proba(task.X), fitted.predict_proba(task.X))
    assert loaded.get_params()["penalty"] == 1
    models = {f"penalty {each}": FairBoosting(few, penalty=each) for each in (0, 10)}
    points = {each.name: each for each in frontier(models, task, cv=3).points}
    assert points["penalty 10"].violation.value < points["penalty 0"].violation.value


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (FairBoosting(RandomForestClassifier(5), sensitive="sex"), "RandomForestClassifier has no loss"),
        (FairBoosting(few), "FairBoosting without a sensitive column."),
        (FairBoosting(few, penalty=-1, sensitive="sex"), "penalty"),
        (FairBoosting(few, of="rank", sensitive="sex"), "of"),
        (FairBoosting(clone(few).set_params(class_weight="balanced"), sensitive="sex"), "class_weight='balanced'"),
        (FairBoosting(clone(few).set_params(scoring="accuracy"), sensitive="sex"), "scoring='accuracy'"),
    ],
)
def test_errors_say_what_is_expected(model, text):
    rows = people(60)
    with pytest.raises(DataError) as raised:
        model.fit(rows.drop("y"), rows["y"])
    assert text in str(raised.value)


def test_a_group_without_the_label_of_the_criterion_is_refused():
    rows = people(60)
    y = np.where(rows["sex"].decoded() == "f", "no", rows["y"].decoded())
    with pytest.raises(DataError, match="no row of sex = f with the label that equal_opportunity is about"):
        FairBoosting(few, criterion="equal_opportunity", sensitive="sex").fit(rows.drop("y"), y)
