"""The model in the file is the model that was scored: on rows of a file that no part of the study has used.

Tables are written as files and read again, so that new rows have the levels and strings of their own file only.
"""

import warnings

import numpy as np
import pytest
from sklearn.metrics import log_loss, mean_squared_error, roc_auc_score

import probus
from probus.data._schema import UnseenLevelWarning
from probus.lifecycle._families import families

NOTES = ["late delivery", "broken on arrival", "works very well", "good value", "never again", "too small for us"]


def _orders(share_distinct):
    """Orders whose remarks are phrases: so large a share of them is different."""
    random = np.random.default_rng(3)
    n = 300
    number = random.integers(0, max(int(n * share_distinct), 1), n)
    mood = number % len(NOTES)
    price = random.gamma(2.0, 20.0, n)
    score = np.where(np.isin(mood, [2, 3]), 1.2, -1.0) + 0.02 * (price - 40) + random.logistic(size=n) * 0.7
    return {
        "remark": [f"{NOTES[k % len(NOTES)]} batch{k}" for k in number],
        "price": price.round(2),
        "town": [f"town {k}" for k in random.geometric(0.05, n)],
        "kept": np.where(score > 0, "yes", "no"),
    }


def _messy(n=300):
    """Numbers as money, dates, ordered answers, missing values, and levels of one row."""
    random = np.random.default_rng(5)
    level = random.integers(0, 4, n)
    days = random.integers(0, 700, n)
    paid = 30 + 12 * level + 0.02 * days + random.normal(size=n) * 6
    return {
        "paid": paid.round(2),
        "listed": [f"€{1000 + 3 * p + random.normal() * 20:,.2f}" for p in paid],
        "since": (np.datetime64("2021-01-01") + days).astype(str),
        "opinion": np.array(["poor", "fair", "good", "excellent"])[level],
        "seller": [f"s{k}" for k in random.geometric(0.02, n)],
        "weight": np.where(random.random(n) < 0.2, np.nan, random.normal(50, 9, n)),
    }


def _bundled(name, rows=500):
    table = getattr(probus.datasets, name)()
    some = np.random.default_rng(1).permutation(table.n_rows)[:rows]
    return table.take(np.sort(some))


TABLES = {
    "titanic": ("Survived", lambda: _bundled("titanic", 891)),
    "german_credit": ("risk", lambda: _bundled("german_credit", 600)),
    "house_votes": ("party", lambda: _bundled("house_votes")),
    "penguins": ("species", lambda: _bundled("penguins")),
    "breast_cancer": ("class", lambda: _bundled("breast_cancer")),
    "spam": ("type", lambda: _bundled("spam", 600)),
    "adult": ("class", lambda: _bundled("adult", 700)),
    "housing": ("MedHouseVal", lambda: _bundled("housing")),
    "airquality": ("ozone", lambda: _bundled("airquality")),
    "few phrases": ("kept", lambda: probus.Table.of(_orders(0.5))),
    "half phrases": ("kept", lambda: probus.Table.of(_orders(0.9))),
    "all phrases": ("kept", lambda: probus.Table.of(_orders(50.0))),
    "messy": ("paid", lambda: probus.Table.of(_messy())),
}

NUMBERS = ("MedHouseVal", "ozone", "paid")


def _split(name, folder):
    """The target, and two thirds and one third of the rows, each read from its own file."""
    target, table = TABLES[name]
    frame = table().to_pandas()
    frame = frame[frame[target].notna()].sample(frac=1.0, random_state=0)
    cut = 2 * len(frame) // 3
    for part, rows in (("known", frame.iloc[:cut]), ("new", frame.iloc[cut:])):
        rows.to_csv(folder / f"{part}.csv", index=False)
    return target, folder / "known.csv", folder / "new.csv"


@pytest.fixture(scope="module", params=list(TABLES))
def saved(request, tmp_path_factory):
    """A study, its model loaded from a file, and new rows."""
    folder = tmp_path_factory.mktemp("saved")
    target, known, new = _split(request.param, folder)
    result = probus.study(str(known), target=target, models=[_model_for(target)], evaluations=0, progress=None)
    model = probus.load(result.save(folder / "model.probus"))
    return result, model, probus.read(new)


def _model_for(target):
    return "Ridge regression" if target in NUMBERS else "Logistic regression"


def _answers(model, rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenLevelWarning)
        return model.predict_proba(rows) if hasattr(model, "predict_proba") else model.predict(rows)


@pytest.mark.slow
def test_the_loaded_model_scores_on_new_rows_what_the_study_said(saved):
    result, model, new = saved
    actual, answers = new[result.task.target].decoded(), _answers(model, new)
    if result.main.name == "rmse":
        score = np.sqrt(mean_squared_error(actual, answers))
    elif result.main.name == "roc_auc":
        score = roc_auc_score(
            actual == result.task.pos_label, answers[:, list(model.classes_).index(result.task.pos_label)]
        )
    else:
        score = log_loss(actual, answers, labels=list(model.classes_))
    expected = result.score_on_new_rows(new.n_rows)
    assert expected.low <= score <= expected.high


@pytest.mark.slow
def test_the_loaded_model_predicts_what_its_pipeline_does_alone(saved):
    result, model, new = saved
    assert result.best != result.baseline, "a table without signal proves nothing"
    alone = families(result.task.kind, [result.best], len(result.task))[result.best]
    alone.fit(result.task.X.select(*result.features), result.task.y)
    expected = _answers(alone, new)
    if result.task.classes:
        expected = model.calibration_(expected)
    np.testing.assert_allclose(_answers(model, new), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.slow
def test_every_column_that_is_used_changes_some_prediction(saved):
    result, model, new = saved
    usual, frame = _answers(model, new), new.to_pandas()
    not_used = [note for note in result.preparation if note.startswith("not used")]
    for name in result.features:
        other = frame.copy()
        other[name] = np.roll(frame[name].to_numpy(), 1)
        changes = bool((np.abs(_answers(model, other) - usual) > 1e-12).any())
        assert changes or any(name in note for note in not_used), name
