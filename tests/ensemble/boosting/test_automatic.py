"""Boosting whose defaults follow the data."""

import numpy as np
import pandas as pd
import pytest

from probus import load, save
from probus.ensemble import BoostingClassifier, BoostingRegressor
from probus.ensemble.boosting.automatic import leaves_for, rate_for
from probus.losses import LogLoss, SquaredError


@pytest.fixture(scope="module")
def waves() -> tuple[np.ndarray, np.ndarray]:
    """Numbers with a signal, and noise that many rounds would learn by heart."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * (X[:, 2] > 0) + rng.normal(size=400)


@pytest.fixture(scope="module")
def people() -> tuple[pd.DataFrame, np.ndarray]:
    """Levels that decide together with a number, both with gaps."""
    rng = np.random.default_rng(1)
    town, age = rng.choice(["a", "b", "c", "d"], 400).astype(object), rng.normal(size=400)
    y = np.where((town == "a") | (town == "c"), age, -age) > 0
    town[::17], age[::13] = None, np.nan
    return pd.DataFrame({"town": pd.Categorical(town), "age": age}), y


# -- the rules ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", [leaves_for, lambda n: rate_for(n, SquaredError()), lambda n: rate_for(n, LogLoss())])
def test_more_rows_never_mean_smaller_steps_or_trees(rule):
    found = [rule(n) for n in (2, 10, 100, 1000, 10_000, 100_000, 10**7)]
    assert found == sorted(found)


@pytest.mark.parametrize(
    ("n", "leaves", "to_numbers", "to_classes"),
    [(30, 5, 0.05 * 0.0015**0.2, 0.01), (2500, 23, 0.05 * 0.125**0.2, 0.01 * 2.5**0.5), (10**6, 64, 0.05, 0.02)],
)
def test_rules_are_as_documented(n, leaves, to_numbers, to_classes):
    assert leaves_for(n) == leaves
    assert rate_for(n, SquaredError()) == pytest.approx(to_numbers)
    assert rate_for(n, LogLoss()) == pytest.approx(to_classes)


def test_what_is_left_open_is_what_the_rules_say(waves):
    X, y = waves
    said = {"learning_rate": rate_for(400, SquaredError()), "max_leaf_nodes": leaves_for(400)}
    open_, told = (BoostingRegressor(20, random_state=0, **given).fit(X, y) for given in ({}, said))
    assert (open_.predict(X) == told.predict(X)).all()
    bolder = BoostingRegressor(20, random_state=0, learning_rate=0.5).fit(X, y)
    assert bolder.score(X, y) > open_.score(X, y)


# -- stopping -----------------------------------------------------------------------------------------------


def test_the_rounds_up_to_the_best_are_kept(waves):
    X, y = waves
    given = {"learning_rate": 0.3, "n_iter_no_change": 10, "random_state": 0}
    model = BoostingRegressor(200, **given).fit(X[:250], y[:250], X_val=X[250:], y_val=y[250:])
    scores = model.validation_score_
    assert model.n_iter_ == scores.argmax() < len(scores) - 1 < 200
    short = BoostingRegressor(model.n_iter_, **given).fit(X[:250], y[:250])
    assert model.predict(X) == pytest.approx(short.predict(X), rel=1e-12)


def test_classes_stop_by_a_score_of_choice(waves):
    X, y = waves
    model = BoostingClassifier(200, learning_rate=0.3, n_iter_no_change=5, scoring="roc_auc", random_state=0)
    model.fit(X[:250], y[:250] > 0, X_val=X[250:], y_val=y[250:] > 0)
    assert model.n_iter_ == max(1, model.validation_score_.argmax())
    assert 0.5 == model.validation_score_[0] < model.validation_score_.max() <= 1.0


# -- data of any kind ---------------------------------------------------------------------------------------


def test_levels_and_gaps_are_learnt_from_and_saved(people, tmp_path):
    X, y = people
    model = BoostingClassifier(random_state=0).fit(X[:300], y[:300])
    assert model.score(X[300:], y[300:]) > 0.8
    save(model, tmp_path / "model.probus")
    assert (load(tmp_path / "model.probus").predict_proba(X) == model.predict_proba(X)).all()


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_any_number_of_threads_gives_the_same_bytes(waves, n_classes):
    X, y = waves
    if n_classes:
        y = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
    kind = BoostingClassifier if n_classes else BoostingRegressor
    one, three = (kind(15, random_state=0, n_jobs=jobs).fit(X, y) for jobs in (1, 3))
    assert one.trees_.value.tobytes() == three.trees_.value.tobytes()
    assert one.trees_.threshold.tobytes() == three.trees_.threshold.tobytes()
