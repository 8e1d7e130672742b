"""A fit needs the codes of its data, not a copy of it."""

import tracemalloc

import numpy as np
import pytest

from probus.ensemble import BoostingClassifier, GradientBoostingClassifier, HistGradientBoostingClassifier
from probus.ensemble.boosting import _memory_limit as memory_limit
from probus.errors import DataError

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("dtype", "order"), [(np.float64, "C"), (np.float64, "F"), (np.float32, "C"), (np.float32, "F")]
)
@pytest.mark.parametrize("early_stopping", [False, True])
def test_no_copy_of_the_data_is_made(dtype, order, early_stopping):
    X = np.asarray(np.random.default_rng(0).normal(size=(200_000, 20)), dtype, order=order)
    y = X[:, 0] > 0
    model = HistGradientBoostingClassifier(max_iter=2, early_stopping=early_stopping, validation_fraction=0.4, n_jobs=1)
    model.fit(X[:1000], y[:1000])
    tracemalloc.start()
    model.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.9 * X.size * 8


def test_single_precision_gives_the_model_of_the_same_doubles():
    X = np.random.default_rng(0).normal(size=(20_000, 3)).astype(np.float32)
    y = X[:, 0] * X[:, 1] > 0
    single, double = (
        HistGradientBoostingClassifier(max_iter=5, random_state=0, early_stopping=True).fit(values, y)
        for values in (X, X.astype(np.float64))
    )
    assert (single.trees_.threshold == double.trees_.threshold).all()
    assert (single.trees_.value == double.trees_.value).all()
    assert (single.validation_score_ == double.validation_score_).all()


@pytest.mark.parametrize(
    ("model", "n"),
    [
        (BoostingClassifier(), 9_000),  # its rounds are chosen by folds
        (BoostingClassifier(), 20_000),
        (BoostingClassifier(100), 9_000),
        (HistGradientBoostingClassifier(), 20_000),
        (GradientBoostingClassifier(), 20_000),
    ],
)
def test_more_classes_than_the_memory_can_hold_are_refused(model, n, monkeypatch):
    monkeypatch.setattr(memory_limit, "_physical_memory", lambda: 8 * 2**30)
    X, y = np.random.default_rng(0).normal(size=(n, 2)), np.arange(n) // 2
    tracemalloc.start()
    with pytest.raises(DataError, match=f"{n // 2:,} classes need .* GB of memory for the gradients of") as error:
        model.fit(X, y)
    assert tracemalloc.get_traced_memory()[1] < 400e6
    tracemalloc.stop()
    assert "at most 4.0 GB, half of the memory of this machine. Merge rare classes" in str(error.value)


def test_the_memory_of_few_classes_is_no_reason_to_refuse(monkeypatch):
    monkeypatch.setattr(memory_limit, "_physical_memory", lambda: 2**30)
    X, y = np.random.default_rng(0).normal(size=(2_000, 2)), np.arange(2_000) % 20
    assert HistGradientBoostingClassifier(max_iter=2).fit(X, y).n_iter_ == 2
