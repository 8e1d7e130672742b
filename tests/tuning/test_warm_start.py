"""Searches that begin with given configurations or with a former search."""

import numpy as np
import pytest

import probus
from probus import DataError
from probus.naive_bayes import GaussianNB
from probus.spaces import Choice, Real, Space
from probus.tree import DecisionTreeClassifier
from probus.tuning import Annealing, Bayesian, Evolution, Grid, Random, SuccessiveHalving, tune

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
