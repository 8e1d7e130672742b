"""A fit needs the codes of its data, not a copy of it."""

import tracemalloc

import numpy as np
import pytest

from probus.ensemble import HistGradientBoostingClassifier


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
