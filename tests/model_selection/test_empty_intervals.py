import numpy as np
import pytest

from probus.data import Task
from probus.dummy import ZeroRRegressor
from probus.linear_model import LinearRegression
from probus.metrics import Estimate, measure
from probus.model_selection import resample
from probus.model_selection._empty_intervals import says_nothing


@pytest.mark.parametrize(
    ("name", "score", "floor", "empty"),
    [
        ("rmse", (0.3, 0.0, 38.0), 0.5, True),
        ("rmse", (0.3, 0.2, 0.45), 0.5, False),
        ("rmse", (43.0, 13.0, 572.0), 50.0, True),
        ("rmse", (43.0, 13.0, 572.0), np.nan, False),  # it begins far from perfect, and nothing else is known
        ("log_loss", (0.8, 0.0, 34.9), 0.69, True),
        ("r2", (0.98, -1770.0, 1.0), np.nan, True),
        ("r2", (0.98, 0.5, 1.0), np.nan, False),
        ("accuracy", (0.8, 0.03, 0.99), np.nan, True),
        ("accuracy", (1.0, 0.7, 1.0), 0.6, False),
        ("accuracy", (1.0, 0.5, 1.0), 0.6, True),
        ("roc_auc", (0.5, 0.5, 0.5), 0.5, False),
        ("rmse", (2.0, -np.inf, np.inf), np.nan, True),
    ],
)
def test_an_interval_from_perfect_to_useless_says_nothing(name, score, floor, empty):
    assert says_nothing(Estimate(*score), measure(name), floor) is empty


def test_a_result_prints_the_reason_in_place_of_such_an_interval():
    random = np.random.default_rng(1)
    x = np.arange(9.0)
    task = Task({"x": x, "y": x + np.where(x == 8, 300.0, random.normal(0, 1e-3, 9))}, target="y")
    found = resample(ZeroRRegressor(), task, cv=[([0, 1, 2, 3], [4, 5]), ([4, 5, 2, 3], [0, 1, 8])])
    shown = repr(found)
    empty = [each for each in found.measures if says_nothing(found.estimate(each), each)]
    assert empty
    for each in empty:
        assert f"{each.name} {found.estimate(each).texts()[0]} (no interval: 2 rows in a fold)" in shown
    assert "inf]" not in shown
    precise = Task({"x": np.arange(60.0), "y": np.arange(60.0) + random.normal(0, 1, 60)}, target="y")
    assert "no interval" not in repr(resample(LinearRegression(), precise))
