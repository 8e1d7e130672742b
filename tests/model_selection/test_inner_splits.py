"""Tuners whose rows are in time order choose by time-ordered inner splits."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, KFold, TimeSeriesSplit

import probus
from probus.data import Task
from probus.linear_model import Ridge
from probus.model_selection import BestOfRegressor, splits_of
from probus.model_selection._inner_splits import in_time_order, inside
from probus.tuning import Tuned

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(60, 2)), rng.normal(size=60)
DAY = rng.permutation(60).astype(float)
TIMED = Task({"a": X[:, 0], "day": DAY, "y": Y}, target="y", time="day")
TUNERS = (
    Tuned(Ridge(), space={"alpha": 1.0}, evaluations=1, cv=3),
    GridSearchCV(Ridge(), {"alpha": [1.0]}),
    BestOfRegressor([Ridge()], cv=2),
)


@pytest.mark.parametrize("tuner", TUNERS, ids=lambda tuner: type(tuner).__name__)
def test_rows_that_a_tuner_chooses_by_come_after_those_it_learns_from(tuner):
    splits = splits_of(4, TIMED)
    found = in_time_order([tuner] * 4, TIMED, splits)
    for model, (train, _) in zip(found, splits.pairs, strict=True):
        assert len(model.cv) == (tuner.cv or 5)
        for learnt, chosen_by in model.cv:
            assert DAY[train][learnt].max() < DAY[train][chosen_by].min()
    assert tuner.cv in (None, 2, 3)


def test_resample_tunes_in_time_order_as_it_tests():
    for data, cv in (((TIMED,), 3), ((X, Y), TimeSeriesSplit(3))):
        result = probus.resample(TUNERS[0], *data, cv=cv, keep_models=True)
        for model, (train, _) in zip(result.models, result.splits.pairs, strict=True):
            moments = DAY[train] if len(data) == 1 else train
            pairs = inside(model).cv
            assert len(pairs) == 3
            assert all(moments[learnt].max() < moments[chosen_by].min() for learnt, chosen_by in pairs)


def test_few_training_rows_have_fewer_inner_splits():
    task = Task({"a": X[:12, 0], "y": Y[:12]}, target="y")
    found = in_time_order([Tuned(Ridge())] * 5, task, splits_of(TimeSeriesSplit(5), task))
    assert [len(model.cv) for model in found] == [1, 3, 5, 5, 5]


def test_a_tuner_keeps_its_own_splitter_and_shuffled_rows_are_shuffled_again():
    own = Tuned(Ridge(), cv=KFold(3))
    assert in_time_order([own] * 3, TIMED, splits_of(3, TIMED)) == [own] * 3
    task = Task({"a": X[:, 0], "y": Y}, target="y")
    assert in_time_order([TUNERS[0]] * 3, task, splits_of(3, task)) == [TUNERS[0]] * 3
    ridge = Ridge()
    assert in_time_order([ridge] * 3, TIMED, splits_of(3, TIMED)) == [ridge] * 3
