"""Splits in words: what resample and compare make of them."""

import numpy as np
import pytest

from probus import Task, compare, resample
from probus.dummy import ZeroRClassifier
from probus.errors import DataError
from probus.model_selection._split_words import SplitWords
from probus.naive_bayes import GaussianNB


def visits(n=20, each=6):
    rng = np.random.default_rng(0)
    of = np.repeat(np.arange(n), each)
    return {
        "who": [f"w{i}" for i in of],
        "site": [f"s{i % 4}" for i in of],
        "x": rng.normal(size=n)[of] + rng.normal(size=len(of)),
        "day": np.tile(np.arange(each), n) + rng.uniform(size=len(of)),
        "y": np.where(rng.normal(size=n)[of] + 0.3 * rng.normal(size=len(of)) > 0, "b", "a"),
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("random", SplitWords()),
        ("auto", SplitWords(automatic=True)),
        ("group:who", SplitWords(("who",))),
        ("time", SplitWords((), "")),
        ("time:day, group:who+site", SplitWords(("who", "site"), "day")),
        ("group:a, b,time:c:d", SplitWords(("a, b",), "c:d")),
        ("group:a+b", SplitWords(("a+b",))),
    ],
)
def test_words_are_read_and_written(text, words):
    columns = ("a+b",) if text == "group:a+b" else ()
    assert SplitWords.of(text, columns=columns) == words
    assert SplitWords.of(str(words), columns=columns) == words


@pytest.mark.parametrize("text", ["", "groups:a", "time:a,time:b", "group", "grouped", "random,time:a"])
def test_other_words_are_refused(text):
    with pytest.raises(DataError, match=r"Expected 'auto', 'random', 'group:COLUMN', 'time:COLUMN'"):
        SplitWords.of(text)


def test_resample_keeps_groups_whole_and_tests_later_rows():
    found = resample(GaussianNB(), visits(), "y", cv="group:who", random_state=0)
    assert found.task.group == "who"
    assert found.splits.how == "stratified grouped 5-fold cross-validation, 5 times"
    later = resample(GaussianNB(), visits(), "y", cv="time:day")
    assert later.splits.how == "5 time-ordered splits"
    assert "day" in later.task.features
    both = resample(GaussianNB(), visits(), "y", cv="group:who,time:day")
    assert both.splits.how == "2 time-ordered splits × 3 folds of groups"


def test_random_leaves_roles_aside_and_auto_finds_them():
    task = Task(visits(), "y", group="who")
    random = resample(GaussianNB(), task, cv="random")
    assert (random.task.group, "who" in random.task.features) == (None, False)
    assert resample(GaussianNB(), task, cv="auto").task.group == "who"
    named = {("patient" if name == "who" else name): values for name, values in visits().items()}
    assert resample(GaussianNB(), named, "y", cv="auto").task.group == "patient"
    assert resample(GaussianNB(), "iris", target="species", cv="auto").task.group is None


def test_compare_splits_by_words_too():
    found = compare([GaussianNB(), ZeroRClassifier()], visits(), "y", cv="group:site+who")
    assert found.leaderboard.results["GaussianNB"].task.group == "site + who"


def test_words_for_a_task_with_other_roles_are_refused():
    with pytest.raises(DataError, match=r"cv='time:day' for a task with roles of its own: 'who'"):
        resample(GaussianNB(), Task(visits(), "y", group="who"), cv="time:day")
    with pytest.raises(DataError, match=r"no column 'whom'"):
        resample(GaussianNB(), visits(), "y", cv="group:whom")
