import numpy as np
import pytest

from probus.data import Task
from probus.lifecycle import Failure, Leaderboard, Trial
from probus.lifecycle.measures import measures_for

ACCURACY, RMSE = measures_for(2)[:1], measures_for(0)[:1]


def trial(name, scores, **changes):
    measure = changes.pop("measure", "accuracy")
    values = np.array(scores, dtype=float)
    return Trial(name, None, {measure: values}, np.zeros(1), done=changes.pop("done", len(values)), **changes)


def board(*trials, measures=ACCURACY):
    return Leaderboard.of(trials, measures, test_to_train=1 / 4)


def test_the_best_is_first_and_behind_itself_by_nothing():
    ranked = board(trial("weak", [0.5, 0.5, 0.51]), trial("strong", [0.9, 0.91, 0.9]))
    assert [standing.name for standing in ranked] == ["strong", "weak"]
    assert ranked.best.behind.value == 0
    assert not ranked.best.tied


def test_losses_are_ranked_upside_down():
    worse, better = (trial(n, s, measure="rmse") for n, s in (("worse", [3.0, 3.1]), ("better", [2.0, 2.1])))
    ranked = board(worse, better, measures=RMSE)
    assert ranked.best.name == "better"
    assert ranked["worse"].behind.value == pytest.approx(1.0)


def test_a_tie_is_a_paired_difference_whose_interval_holds_zero():
    noise = np.array([0.0, 0.1, 0.05, 0.02, 0.08])
    same = noise + np.array([0.01, -0.01, 0.012, -0.01, 0.0])
    ranked = board(trial("best", 0.8 + noise), trial("close", 0.795 + same), trial("always behind", 0.75 + noise))
    assert [(standing.name, standing.tied) for standing in ranked] == [
        ("best", False),
        ("close", True),
        ("always behind", False),
    ]
    # unpaired, the intervals of the third and the first overlap: pairing is what tells them apart
    assert ranked["always behind"].scores["accuracy"].high > ranked.best.scores["accuracy"].low
    assert [standing.name for standing in ranked.tied] == ["close"]


def test_equal_scores_keep_the_order_of_the_trials():
    assert board(trial("simple", [0.5, 0.6]), trial("complex", [0.5, 0.6])).best.name == "simple"


def test_what_failed_or_did_not_finish_is_shown_last_with_its_reason():
    failed = trial("fails", [0.99, np.nan], failures=[Failure(1, "ValueError: no")])
    late = trial("late", [0.99, np.nan], done=1)
    ranked = board(failed, late, trial("fine", [0.6, 0.7]))
    assert [(standing.rank, standing.name, standing.status) for standing in ranked] == [
        (1, "fine", ""),
        (None, "fails", "failed on 1 of 2 splits: ValueError: no"),
        (None, "late", "not finished: 1 of 2 splits done"),
    ]
    assert "failed on 1 of 2 splits" in repr(ranked)


def test_it_shows_itself_as_text_html_frame_dict_and_picture():
    from matplotlib.figure import Figure

    ranked = board(trial("<b>", [0.8, 0.82, 0.9]), trial("b", [0.79, 0.83, 0.9]), trial("gone", [np.nan] * 3, done=0))
    assert repr(ranked).splitlines()[1].startswith("1  <b>")
    assert "≈ best" in repr(ranked)
    assert "&lt;b&gt;" in ranked._repr_html_()
    frame = ranked.to_frame()
    assert frame["model"].to_list() == ["<b>", "b", "gone"]
    assert frame["rank"].to_list() == [1, 2, None]
    assert ranked.to_dict()[0]["scores"]["accuracy"]["value"] == pytest.approx(0.84)
    axes = ranked.plot(Figure().add_subplot())
    assert [label.get_text() for label in axes.get_yticklabels()] == ["b", "<b>"]


def test_a_planned_trial_is_neither_complete_nor_failed():
    task = Task({"x": [1.0, 2.0, 3.0], "y": ["a", "b", "a"]}, "y")
    planned = Trial.planned("model", None, task, [0, 1], ACCURACY)
    assert not planned.complete
    assert planned.status == "not finished: 0 of 2 splits done"
