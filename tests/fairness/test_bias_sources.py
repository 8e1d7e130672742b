"""The check-list of sources of bias: what was planted is found, and what was not is no concern."""

import numpy as np
import pytest

from probus.data import Task
from probus.errors import DataError
from probus.fairness import bias_sources


def table(n=800, seed=0, planted=True):
    rng = np.random.default_rng(seed)
    sex = rng.choice(["f", "m"], n, p=[0.3, 0.7] if planted else [0.5, 0.5])
    man = sex == "m"
    x = rng.normal(size=n) + (1.5 * man if planted else 0)
    gaps = rng.random(n) < np.where(man, 0.05, 0.3 if planted else 0.05)
    y = rng.random(n) < np.where(man, 0.6, 0.3 if planted else 0.6)
    return {
        "x": x, "z": np.where(gaps, np.nan, rng.normal(size=n)), "sex": sex, "y": np.where(y, "yes", "no"),
        "day": np.arange(n) + (0 if not planted else 400 * man),
    }  # fmt: skip


def by_source(found):
    return {each.source: each for each in found.sources}


def test_what_was_planted_is_found():
    task = Task(table(), target="y", sensitive="sex", time="day")
    found = by_source(bias_sources(task, population={"sex": {"f": 0.5, "m": 0.5}}))
    assert all(found[name].concern for name in ("representation", "historical", "measurement", "proxies", "drift"))
    assert "f 28 % for 50 %" in found["representation"].evidence
    assert "z by" in found["measurement"].evidence
    assert "closest: x" in found["proxies"].evidence
    assert not found["evaluation"].concern


def test_what_was_not_planted_is_rarely_a_concern():
    concerns = 0
    for seed in range(20):
        task = Task(table(seed=seed, planted=False), target="y", sensitive="sex", time="day")
        found = bias_sources(task, population={"sex": {"f": 0.5, "m": 0.5}})
        concerns += sum(each.concern for each in found.sources)
    assert concerns <= 9  # of some 100, each with at most 5 % in the mean


def test_numbers_small_groups_and_what_is_displayed():
    rows = table()
    rows["y"] = rows["x"] * 2
    rows["sex"][:20] = "x"
    found = bias_sources(rows, target="y", sensitive="sex")
    assert by_source(found)["evaluation"].evidence == "Fewer than 100 rows: x (20)"
    assert "mean target from" in by_source(found)["historical"].evidence
    assert "To be asked:" in repr(found)
    assert len(found.to_frame()) == len(found.sources)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"sensitive": None}, "no sensitive column."),
        ({"sensitive": "y"}, "the target 'y' as a sensitive column."),
        ({"population": {"sex": {"f": 0.5, "m": 0.6}}}, "shares of sex that sum to 1.1."),
        ({"population": {"sex": {"f": 0.5, "d": 0.5}}}, "a population with d."),
        ({"population": {"age": {"f": 1.0}}}, "a population of age."),
    ],
)
def test_errors_say_what_is_expected(options, text):
    with pytest.raises(DataError, match=text.replace(".", "\\.")):
        bias_sources(table(100), target="y", **({"sensitive": "sex"} | options))
