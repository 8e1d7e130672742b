"""Pools whose labels are known, and an oracle that answers."""

import numpy as np
import pytest

from probus.data import Table


@pytest.fixture
def mixed():
    """300 rows of two numbers and a level, with missing values, and their classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    x = rng.normal(size=300) + 1.5 * y
    z = np.where(rng.random(300) < 0.1, np.nan, rng.normal(size=300))
    colour = np.where(rng.random(300) < 0.7, np.where(y == 1, "red", "blue"), "green")
    labels = np.where(y == 1, "yes", "no")
    return Table.of({"x": x, "z": z, "colour": colour.tolist()}, {"colour": "nominal"}), labels.tolist()


@pytest.fixture
def answer():
    """Answer n questions of a learner with the truth; the questions."""

    def run(learner, labels, n, batch=1):
        asked = []
        while len(asked) < n:
            questions = learner.ask(min(batch, n - len(asked)))
            if not questions:
                break
            asked += questions
            learner.tell({question.row: labels[question.row] for question in questions})
        return asked

    return run
