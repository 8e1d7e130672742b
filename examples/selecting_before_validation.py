"""Why columns must not be selected on the rows that score the model.

The labels are tosses of a coin, and no column has anything to do with them. Where the best columns are selected on
all rows, and a model on them is cross-validated afterwards, it appears to be right most of the time: the test rows took
part in the selection. Where the selection is a step of the model, it uses the training rows of each split alone, and
the score is that of a coin.

    python examples/selecting_before_validation.py
"""

import numpy as np

import probus
from probus.data import Table
from probus.feature_selection import SelectKBest
from probus.linear_model import LogisticRegression


def noise(rows=80, columns=1000, seed=0):
    """A table of random numbers, and labels that are tosses of a coin."""
    rng = np.random.default_rng(seed)
    table = Table.of({f"x{j}": rng.normal(size=rows) for j in range(columns)})
    return table, rng.permutation(["heads", "tails"] * (rows // 2))


def selected_before(table, labels, k=20):
    """The wrong way: the columns are selected on all rows, those of the test folds among them."""
    best = SelectKBest("association", k=k).fit_transform(table, labels)
    return probus.resample(LogisticRegression(), best, labels, cv=5, random_state=0)


def selected_within(table, labels, k=20):
    """The right way: the selection is a step of what is resampled."""
    model = SelectKBest("association", k=k) >> probus.tabular(LogisticRegression())
    return probus.resample(model, table, labels, cv=5, random_state=0)


if __name__ == "__main__":
    table, labels = noise()
    print("selected before cross-validation:", selected_before(table, labels).estimate("accuracy"))
    print("selected within each split:      ", selected_within(table, labels).estimate("accuracy"))
