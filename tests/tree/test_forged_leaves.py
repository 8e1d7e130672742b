"""A file whose leaves have features is refused: kernels take a node with a feature for a split, and write below it."""

from dataclasses import replace

import numpy as np
import pytest

from probus.errors import ModelFileError
from probus.tree import DecisionTreeRegressor


def test_a_leaf_with_a_feature_is_refused():
    X = np.arange(12.0)[:, None]
    tree = DecisionTreeRegressor(max_depth=3).fit(X, X[:, 0] ** 2).tree_
    tree.check()
    with pytest.raises(ModelFileError, match=r"(?s)a tree with half a split.*two children and a feature"):
        replace(tree, feature=np.zeros_like(tree.feature)).check()
