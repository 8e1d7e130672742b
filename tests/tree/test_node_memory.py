import numpy as np
import pytest

from probus.ensemble import RandomForestClassifier
from probus.errors import DataError
from probus.tree import DecisionTreeClassifier


def test_more_classes_than_memory_are_refused_before_anything_is_grown():
    X = np.arange(200_000.0)[:, None]
    with pytest.raises(DataError, match=r"(?s)200,000 classes.*a tree needs at least 596 GB.*Limit max_depth"):
        DecisionTreeClassifier().fit(X, np.arange(200_000))
    with pytest.raises(DataError, match=r"(?s)20,000 classes.*1000 trees need at least 5,960 GB"):
        RandomForestClassifier(1000).fit(X[:20_000], np.arange(20_000))


def test_limits_on_leaves_allow_many_classes():
    X, y = np.arange(60_000.0)[:, None], np.arange(60_000)
    tree = DecisionTreeClassifier(max_leaf_nodes=2, max_features=1, max_bins=16, splitter="random").fit(X, y)
    assert tree.tree_.value.shape == (3, 1, 60_000)
