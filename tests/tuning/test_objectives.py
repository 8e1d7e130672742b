"""Several measures that are optimised together: the front, the archive and what is refused."""

import numpy as np
import pytest

from probus import DataError
from probus.metrics import measure
from probus.tuning import Archive, Bayesian, Evaluation, Evolution, Hyperband, Random, Tuned, pareto_front, tune
from probus.tuning._archive import label_of


def shortfall(y, predicted):
    return float(np.mean(np.maximum(y - predicted, 0.0)))


def excess(y, predicted):
    return float(np.mean(np.maximum(predicted - y, 0.0)))


OPPOSED = tuple(measure(each, greater_is_better=False) for each in (shortfall, excess))


def beaten(one, others):
    """By definition: another is as good in both and better in one; less is better."""
    return any(a <= one[0] and b <= one[1] and (a, b) != one for a, b in others)


@pytest.mark.parametrize("tuner", [Bayesian(), Evolution(), Random()])
def test_the_front_is_what_no_other_evaluation_beats(tuner, shrunk, space, numbers):
    tuned = tune(shrunk, numbers, space=space, scoring=OPPOSED, objectives=2, tuner=tuner, evaluations=20, cv=3)
    means = [(each.mean("shortfall"), each.mean("excess")) for each in tuned.archive]
    front = [(each.mean("shortfall"), each.mean("excess")) for each in tuned.archive.front]
    assert sorted(front) == sorted(one for one in means if not beaten(one, means))
    assert front == sorted(front)
    assert len(front) > 2
    assert tuned.best_score_ == front[0][0]


def test_the_best_by_the_first_measure_is_one_that_no_other_beats():
    scores = [(1.0, 5.0), (1.0, 3.0), (2.0, 1.0)]
    found = tuple(Evaluation(i, {"x": i}, scores={"a": (a,), "b": (b,)}) for i, (a, b) in enumerate(scores))
    archive = Archive(found, ("a", "b"), False, {"objectives": {"a": False, "b": False}})
    assert [each.number for each in archive.front] == [1, 2]
    assert archive.best_index == 1
    alone = Archive(found, ("a", "b"), False)
    assert ([each.number for each in alone.front], alone.best_index) == ([0, 1], 0)


def test_measures_may_point_in_different_directions():
    scores = [(1.0, 5.0), (1.0, 3.0), (2.0, 1.0), (0.5, np.nan)]
    found = tuple(Evaluation(i, {"x": i}, scores={"a": (a,), "b": (b,)}) for i, (a, b) in enumerate(scores))
    archive = Archive(found, ("a", "b"), False, {"objectives": {"a": False, "b": True}})
    assert [each.number for each in archive.front] == [0]
    both = Archive(found, ("a", "b"), True, {"objectives": {"a": True, "b": True}})
    assert [each.number for each in both.front] == [2, 0]


def test_an_archive_of_several_objectives_prints_and_plots_the_front(shrunk, space, numbers, tmp_path):
    words = {"space": space, "scoring": OPPOSED, "tuner": Random(), "evaluations": 12, "cv": 3}
    tuned = tune(shrunk, numbers, objectives=2, archive=tmp_path / "a.db", **words)
    text = repr(tuned.archive)
    n = len(tuned.archive.front)
    assert f"{n} configurations beaten by no other in all measures together (the Pareto front): archive.front" in text
    assert text.splitlines()[1].split()[:2] == ["shortfall", "excess"]
    assert text.splitlines()[2].split()[0] == str(tuned.archive.front[0].number)
    drawn = tuned.archive.plot()
    assert (drawn.get_xlabel(), drawn.get_ylabel()) == (label_of("shortfall"), label_of("excess"))
    assert len(drawn.get_lines()[1].get_xdata()) == n
    read = Archive.read(tmp_path / "a.db")
    assert [each.number for each in read.front] == [each.number for each in tuned.archive.front]


def test_a_stopped_search_of_several_objectives_goes_on(shrunk, space, numbers, tmp_path):
    words = {"space": space, "scoring": OPPOSED, "tuner": Bayesian(), "cv": 3}
    whole = tune(shrunk, numbers, objectives=2, evaluations=14, **words)
    tune(shrunk, numbers, objectives=2, evaluations=9, archive=tmp_path / "a.db", **words)
    again = tune(shrunk, numbers, objectives=2, evaluations=14, archive=tmp_path / "a.db", **words)
    assert [each.config for each in again.archive] == [each.config for each in whole.archive]
    with pytest.raises(DataError, match=r"of objectives shortfall False, excess False; this is objectives None"):
        tune(shrunk, numbers, evaluations=14, archive=tmp_path / "a.db", **words)


@pytest.mark.parametrize("objectives", [0, 3, True, "both"])
def test_there_are_as_many_objectives_as_measures_at_most(objectives, shrunk, space, numbers):
    model = Tuned(shrunk, space=space, scoring=["rmse", "mae"], objectives=objectives, evaluations=2)
    with pytest.raises(
        DataError, match=rf"objectives={objectives!r} with 2 measures: rmse, mae\.\n  Expected how many"
    ):
        model.fit(numbers)


def test_a_tuner_of_one_objective_is_refused(shrunk, space, numbers):
    with pytest.raises(DataError, match=r"Hyperband with 2 objectives\.\n  Expected one objective"):
        tune(shrunk, numbers, space=space, scoring=OPPOSED, objectives=2, tuner=Hyperband(), evaluations=2)


def test_the_front_of_ties_and_missing_scores_is_that_of_its_definition():
    rng = np.random.default_rng(0)
    for n_objectives in (1, 2, 3):
        scores = rng.integers(0, 5, (40, n_objectives)).astype(float)
        scores[rng.random(scores.shape) < 0.1] = np.nan
        known = [row for row in range(40) if not np.isnan(scores[row]).any()]
        worse = {a for a in known for b in known if (scores[b] >= scores[a]).all() and (scores[b] > scores[a]).any()}
        assert pareto_front(scores).tolist() == [row for row in known if row not in worse]
