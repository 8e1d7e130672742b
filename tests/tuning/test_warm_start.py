"""Searches that begin with given configurations or with a former search."""

import numpy as np
import pytest

import probus
from probus import DataError
from probus.errors import FailedModelError
from probus.model_selection import LeaveOneOut
from probus.naive_bayes import GaussianNB
from probus.spaces import Choice, Real, Space
from probus.tree import DecisionTreeClassifier
from probus.tuning import Annealing, Bayesian, Evolution, Grid, Random, SuccessiveHalving, Tuned, tune

SPACE = Space({"var_smoothing": Real(1e-9, 1.0, log=True)})


@pytest.fixture(scope="module")
def rows():
    from sklearn.datasets import load_iris

    return load_iris(return_X_y=True)


def configs(tuned):
    return [each.config for each in tuned.archive]


@pytest.mark.parametrize("tuner", [Random(), Bayesian(), Evolution(), Annealing(), Grid(resolution=6)], ids=repr)
def test_given_configurations_come_after_the_default(rows, tuner):
    start = [{"var_smoothing": 0.5}, {"var_smoothing": 0.25}, {"var_smoothing": 0.5}]
    tuned = tune(GaussianNB(), *rows, space=SPACE, tuner=tuner, evaluations=7, start=start, cv=2)
    found = [config["var_smoothing"] for config in configs(tuned)]
    assert [value for value in found if value in (0.5, 0.25)] == [0.5, 0.25]
    assert found.index(0.5) <= 1
    assert len(set(found)) == len(found)


def test_what_is_not_named_has_its_default(rows):
    space = {"max_depth": Choice(2, 3, 5), "criterion": Choice("gini", "entropy")}
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    tuned = tune(tree, *rows, space=space, tuner="random", evaluations=3, cv=2, start={"criterion": "entropy"})
    assert configs(tuned)[1] == {"max_depth": 3, "criterion": "entropy"}


def test_the_best_of_a_former_search_are_evaluated_again(rows, tmp_path):
    file = tmp_path / "former.db"
    former = tune(GaussianNB(), *rows, space=SPACE, tuner="random", evaluations=12, cv=2, archive=file)
    order = np.argsort([each.mean("log_loss") for each in former.archive])
    best = [former.archive[int(place)].config for place in order[:5]]
    for start in (former, former.archive, file, str(file)):
        tuned = tune(GaussianNB(), *rows, space=SPACE, tuner="random", evaluations=8, cv=3, start=start)
        wanted = [config for config in best if config != configs(tuned)[0]]
        assert configs(tuned)[1 : 1 + len(wanted)] == wanted
    narrow = Space({"var_smoothing": Real(5.0, 9.0)})
    with pytest.warns(UserWarning, match="none of the 12 configurations of the former search lies in the space"):
        tune(GaussianNB(var_smoothing=5.0), *rows, space=narrow, tuner="random", evaluations=2, cv=2, start=former)


def tuned_from(start, model=None, space=SPACE):
    return Tuned(model or GaussianNB(), space=space, tuner="random", evaluations=2, cv=2, start=start)


@pytest.fixture
def former(rows, tmp_path):
    return tune(GaussianNB(), *rows, space=SPACE, tuner="random", evaluations=3, cv=2, archive=tmp_path / "former.db")


def test_a_search_that_chose_by_the_tested_rows_is_refused_where_they_are_scored(rows, former, tmp_path):
    X, y = rows
    for start in (former.archive, str(tmp_path / "former.db")):
        for tested in (rows, (X[:120], y[:120])):
            with pytest.raises(FailedModelError, match="start is a search of these rows and others: scores on the ot"):
                probus.resample(tuned_from(start), *tested, cv=3)
        with pytest.raises(FailedModelError, match="on all 150 splits"):
            probus.resample(tuned_from(start), *rows, cv=LeaveOneOut())
        assert not probus.resample(tuned_from(start), X + 0.01, y, cv=3).failures, "of other rows"
    with pytest.raises(FailedModelError, match="start is a Tuned without its archive"):
        probus.resample(tuned_from(former), *rows, cv=3)


def test_a_search_of_these_rows_and_others_is_a_warning_in_a_fit_alone(rows, former, recwarn):
    X, y = rows
    tuned_from(former).fit(X, y)
    tuned_from(former).fit(np.vstack([X, X + 0.01]), np.concatenate([y, y]))
    assert not [each for each in recwarn if "start" in str(each.message)]
    with pytest.warns(UserWarning, match="start is a search of these rows and others"):
        tuned_from(former).fit(X[:100], y[:100])


@pytest.mark.parametrize(("data", "target"), [("penguins", "species"), ("titanic", "Survived")])
@pytest.mark.parametrize("form", ["task", "pandas"])
def test_rows_of_any_kind_are_known_again(data, target, form):
    table = probus.datasets.load(data)
    rows = table.take(np.random.default_rng(0).permutation(len(table))[:200])
    frame = rows.to_polars().to_pandas()
    given = (probus.Task(rows, target),) if form == "task" else (frame.drop(columns=target), frame[target])
    tree, space = DecisionTreeClassifier(max_depth=3, random_state=0), {"max_depth": Choice(2, 3, 5)}
    former = tune(tree, *given, space=space, tuner="random", evaluations=2, cv=2, progress=None)
    with pytest.raises(FailedModelError, match="start is a search of these rows and others"):
        probus.resample(tuned_from(former.archive, tree, space), *given, cv=2)


def test_rows_that_repeat_each_other_say_nothing():
    def drawn(seed):
        rng = np.random.default_rng(seed)
        return rng.integers(3, size=(300, 3)).astype(float), rng.integers(2, size=300)

    former = tune(GaussianNB(), *drawn(0), space=SPACE, tuner="random", evaluations=2, cv=2, progress=None)
    assert not probus.resample(tuned_from(former.archive), *drawn(1), cv=2).failures


def test_former_versions_did_not_store_rows(rows, former, tmp_path):
    del former.archive.header["sketch"]
    assert not probus.resample(tuned_from(former.archive), *rows, cv=2).failures
    for damaged in ({"rows": 3}, {"rows": float("inf"), "different": 3, "smallest": ""}):
        former.archive.header["sketch"] = damaged
        with pytest.raises(DataError, match="header has no hashes of rows"):
            tuned_from(former).fit(*rows)


def test_a_search_with_a_start_goes_on_from_its_archive(rows, tmp_path):
    how = {"space": SPACE, "tuner": "random", "cv": 2, "start": {"var_smoothing": 0.5}}
    whole = tune(GaussianNB(), *rows, evaluations=8, **how)
    tune(GaussianNB(), *rows, evaluations=3, archive=tmp_path / "a.db", **how)
    again = tune(GaussianNB(), *rows, evaluations=8, archive=tmp_path / "a.db", **how)
    assert configs(again) == configs(whole)
    with pytest.raises(DataError, match="start"):
        tune(GaussianNB(), *rows, evaluations=8, archive=tmp_path / "a.db", **{**how, "start": {"var_smoothing": 0.1}})


def test_a_tuned_model_with_a_start_is_saved(rows, tmp_path):
    tuned = tune(GaussianNB(), *rows, space=SPACE, evaluations=3, cv=2, start={"var_smoothing": 0.5})
    probus.save(tuned, tmp_path / "t.probus")
    np.testing.assert_array_equal(probus.load(tmp_path / "t.probus").predict(rows[0]), tuned.predict(rows[0]))


@pytest.mark.parametrize(
    ("start", "text"),
    [
        ({"alpha": 1}, "no parameter 'alpha'"),
        ({"var_smoothing": 7.0}, "'var_smoothing' is 7.0"),
        ([3], "start=3.*a configuration"),
        (3, "start is a int"),
    ],
)
def test_a_start_that_is_none_is_refused(rows, start, text):
    with pytest.raises(DataError, match=r"(?s)" + text):
        tune(GaussianNB(), *rows, space=SPACE, evaluations=2, cv=2, start=start)


def test_tuners_that_draw_their_own_beginnings_are_named(rows):
    with pytest.raises(DataError, match=r"(?s)start with SuccessiveHalving.*tuner='bayesian'"):
        tune(GaussianNB(), *rows, space=SPACE, tuner=SuccessiveHalving(), start={"var_smoothing": 0.5})
