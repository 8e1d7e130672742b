"""A wrapper leaves levels that it does not know to the models inside: text there, or one of their "other"."""

import numpy as np
import pytest

from probus.base import clone
from probus.calibration import ConformalClassifier, ConformalRegressor
from probus.data import Kind, Table
from probus.data._phrases import settle
from probus.data._schema import UnseenLevelWarning
from probus.ensemble import BaggingClassifier, VotingClassifier, VotingRegressor
from probus.linear_model import LogisticRegression, Ridge
from probus.model_selection import BestOfClassifier, resample
from probus.multiclass import OneVsRestClassifier
from probus.naive_bayes import NaiveBayes
from probus.pipeline import tabular
from probus.tree import DecisionTreeClassifier
from probus.tuning import Tuned

pytestmark = pytest.mark.filterwarnings("ignore::probus.data._schema.UnseenLevelWarning")
TITLES = {"Mr": 0.15, "Mrs": 0.85, "Miss": 0.7, "Master": 0.6}


def _passengers(seed, n, distinct=1.0):
    """Names, of which the title matters, and towns; new rows have names and towns of their own."""
    random = np.random.default_rng(seed)
    number = random.permutation(n) % max(int(distinct * n), 1)
    title = np.array(list(TITLES))[number % 4]
    names = [f"{t} {seed} passenger{k}" for t, k in zip(title, number, strict=True)]
    towns = np.where(random.random(n) < 0.8, random.choice(["Bonn", "Rome"], n), [f"{seed}/{k}" for k in range(n)])
    lived = np.where(random.random(n) < [TITLES[t] for t in title], "yes", "no")
    return Table.of({"name": names, "town": towns, "age": random.normal(30, 9, n)}, infer=False), lived


KNOWN, LIVED = _passengers(0, 150)
NEW, _ = _passengers(1, 60)
INNER = tabular(LogisticRegression())
CLASSIFIERS = {
    "tuned": Tuned(INNER, evaluations=1, cv=2, random_state=0),
    "best of": BestOfClassifier([INNER], cv=2),
    "conformal": ConformalClassifier(INNER, calibration="none"),
    "bagging": BaggingClassifier(INNER, n_estimators=1, bootstrap=False),
    "voting": VotingClassifier([("one", INNER)], voting="soft"),
    "voting beside a tree": VotingClassifier(
        [("one", INNER), ("tree", DecisionTreeClassifier(max_depth=1))], voting="soft", weights=[1, 0]
    ),
    "one against the rest": OneVsRestClassifier(INNER),
}


def _inside(wrapper):
    """The first model inside, with the seeds that it was given."""
    if hasattr(wrapper, "estimators_"):
        return wrapper.estimators_[0]
    return getattr(wrapper, "best_estimator_", None) or wrapper.estimator_


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("rows", [Table.of, Table.to_pandas], ids=["table", "pandas"])
def test_a_wrapper_predicts_new_phrases_as_the_model_inside_does(name, rows):
    wrapper = CLASSIFIERS[name].fit(rows(KNOWN), LIVED)
    alone = clone(_inside(wrapper)).fit(KNOWN, LIVED).predict_proba(NEW)
    np.testing.assert_allclose(wrapper.predict_proba(rows(NEW)), alone, atol=1e-9)
    assert np.ptp(alone[:, 1]) > 0.3


@pytest.mark.parametrize("wrap", [ConformalRegressor, lambda inner: VotingRegressor([("one", inner)])])
def test_a_wrapper_of_a_regressor_does_so_too(wrap):
    inner, paid = tabular(Ridge()), (LIVED == "yes") * 10.0
    alone = inner.fit(KNOWN, paid).predict(NEW)
    np.testing.assert_allclose(wrap(inner).fit(KNOWN, paid).predict(NEW), alone, atol=1e-9)
    assert np.ptp(alone) > 3


def test_a_level_that_no_row_had_is_other_inside_a_wrapper():
    towns, rare = KNOWN.drop("name"), tabular(LogisticRegression()).fit(KNOWN.drop("name"), LIVED)
    assert rare[0].grouped_[0].size > 10
    new = Table.of({"town": ["Oslo", None], "age": [30.0, 30.0]}, infer=False)
    inside = VotingClassifier([("one", INNER)], voting="soft").fit(towns, LIVED).predict_proba(new)
    np.testing.assert_allclose(inside, rare.predict_proba(new), atol=1e-9)
    assert inside[0, 0] != inside[1, 0]


def test_folds_and_all_rows_agree_on_what_is_a_phrase():
    # of all rows 45 % of the names are different, of two thirds of them more than half
    table, lived = _passengers(2, 180, distinct=0.45)
    some = np.random.default_rng(0).permutation(180)[:90]
    assert INNER.fit(table.take(some), lived[some])[0].schema_["name"].kind is Kind.TEXT
    assert INNER.fit(table, lived)[0].schema_["name"].kind is Kind.NOMINAL
    kept = resample(INNER, table, lived, cv=2, keep_models=True, progress=None)
    assert [model[0].schema_["name"].kind for model in kept.models] == [Kind.NOMINAL] * len(kept.models)
    folds = ConformalClassifier(INNER, cv=2, method="cv+").fit(table, lived).models_
    assert [model[0].schema_["name"].kind for model in folds] == [Kind.NOMINAL] * 2


def test_settled_kinds_are_not_settled_again():
    few, _ = _passengers(2, 180, distinct=0.45)
    some = settle(few).take(np.random.default_rng(0).permutation(180)[:90])
    assert settle(some)["name"].kind is Kind.NOMINAL
    assert settle(few.take(np.arange(90)).with_kinds(name="nominal"))["name"].kind is Kind.NOMINAL


def test_unknown_levels_are_kept_after_those_of_the_schema():
    schema = (
        Table.of({"size": ["S", "L", "S"], "on": [True, False, True]}, infer=False).with_kinds(size=["S", "L"]).schema
    )
    new = schema.apply({"size": ["XL", "L"], "on": ["maybe", "True"]}, keep_unseen=True)
    assert new["size"].levels == ("S", "L", "XL")
    assert new["size"].values.tolist() == [2, 1]
    assert new["on"].kind is Kind.NOMINAL
    assert new["on"].decoded().tolist() == ["maybe", True]
    assert schema.apply(new)["size"].decoded().tolist() == [None, "L"]


def test_plain_models_inside_have_the_levels_of_the_wrapper_and_one_warning():
    plain = VotingClassifier([("one", DecisionTreeClassifier()), ("two", NaiveBayes())]).fit(KNOWN.drop("name"), LIVED)
    assert not plain.accepts.own_levels
    with pytest.warns(UnseenLevelWarning) as warned:
        plain.predict(NEW)
    assert len(warned) == 1
