"""Why a tuned score must not come from the splits that tuned it.

The labels are tosses of a coin, and so are the predictions: a hundred "settings" of a model that looks at nothing. No
setting is right more than half of the time on new rows, yet the best of a hundred looks far better on the splits that
it was picked by. Nested resampling keeps rows apart that had no part in picking.

    python examples/tuning_on_the_test_set.py
"""

import numpy as np

import probus
from probus.base import Accepts, Classifier
from probus.model_selection import nested


class CoinToss(Classifier):
    """Predicts one of the classes by a hash of the row's number; the setting changes the hash and nothing else."""

    accepts = Accepts()

    def __init__(self, setting=0):
        self.setting = setting

    def fit(self, X, y):
        """Learn what the sides of the coin are called."""
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        """Toss."""
        tosses = [np.random.default_rng([self.setting, int(row)]).integers(2) for row in np.asarray(X)[:, 0]]
        return self.classes_[tosses]


def demonstrate(rows=100, tunings=100):
    """Nested resampling of the choice among that many settings on random labels."""
    labels = np.random.default_rng(0).permutation(["heads", "tails"] * (rows // 2))
    task = probus.Task({"row": np.arange(rows), "coin": labels}, target="coin")
    settings = {f"setting {i}": CoinToss(i) for i in range(tunings)}
    return nested(settings, task, cv=5, inner_cv=3, random_state=0)


if __name__ == "__main__":
    for tunings in (1, 10, 100):
        print(f"{tunings} tried\n{demonstrate(tunings=tunings)}\n")
