"""Explanations of glass boxes: sums, and Shapley values by enumeration."""

from itertools import permutations

import numpy as np
import pytest

import probus
from probus.ensemble import ExplainableBoostingClassifier, ExplainableBoostingRegressor


@pytest.fixture(scope="module")
def fitted():
    rows = np.random.default_rng(0)
    X = rows.uniform(-1, 1, (300, 3))
    y = X[:, 0] + X[:, 1] * X[:, 2] + 0.1 * rows.normal(size=300)
    return X, y, ExplainableBoostingRegressor(interactions=[(0, 1), (1, 2)], random_state=0).fit(X, y)


def test_columns_and_base_sum_to_the_score(fitted):
    X, _, model = fitted
    for background in (None, X[:20]):
        found = probus.explain(model, X[:9], background, interactions=True)
        np.testing.assert_allclose(found.base_values + found.values.sum(axis=1), model.predict(X[:9]))
        np.testing.assert_allclose(found.interactions.sum(axis=2), found.values)
    assert found.unit == "prediction"


def test_values_against_a_background_are_those_of_all_orders(fitted):
    X, _, model = fitted
    others = X[:15]
    row = X[[33]]
    expected = np.zeros(3)
    for order in permutations(range(3)):
        mixed, before = others.copy(), model.predict(others).mean()
        for j in order:
            mixed[:, j] = row[0, j]
            now = model.predict(mixed).mean()
            expected[j] += (now - before) / 6
            before = now
    np.testing.assert_allclose(probus.explain(model, row, others).values[0], expected)


def test_classes_are_explained_on_their_scale(fitted):
    X, y, _ = fitted
    for target in (np.where(y > 0, "b", "a"), np.digitize(y, [-0.3, 0.3])):
        model = ExplainableBoostingClassifier(interactions=1, random_state=0).fit(X, target)
        found = probus.explain(model, X[:30])
        scores = model._raw(X[:30])
        chosen = np.searchsorted(model.classes_, model.predict(X[:30]))
        of_class = scores[np.arange(30), chosen] if scores.shape[1] > 1 else np.where(chosen == 1, 1, -1) * scores[:, 0]
        np.testing.assert_allclose(found.base_values + found.values.sum(axis=1), of_class)
    assert found.unit == "score of the class"
