"""Arrays that cannot be written, such as memory-mapped ones, use the kernels that are compiled for all others."""

import numpy as np
import pytest

from probus import losses
from probus.discriminant_analysis import _class_moments as class_moments
from probus.distances import _product_search as product_search
from probus.distances import box_tree
from probus.losses import derivatives

X = np.random.default_rng(0).normal(size=(40, 2))
y = (X[:, 0] > 0.0).astype(float)


def _derivatives(X, y):
    losses.LogLoss().derivatives(y, np.zeros(40), np.empty(40), np.empty(40))


WAYS = {
    "product_search": (product_search.scan, lambda X, y: product_search.ProductSearch(X).nearest(X, 3)),
    "box_tree": (box_tree.halve, lambda X, y: box_tree.BoxTree.of(X)),
    "class_moments": (class_moments.centre_rows, lambda X, y: class_moments.pooled_moments(X, y.astype(int), 2, y + 1)),
    "losses": (derivatives.log_loss_derivatives, _derivatives),
}


@pytest.mark.parametrize("name", WAYS)
def test_a_kernel_is_not_compiled_again_for_read_only_arrays(name):
    kernel, run = WAYS[name]
    run(X, y)
    compiled = len(kernel.signatures)
    frozen = [array.copy() for array in (X, y)]
    for array in frozen:
        array.flags.writeable = False
    run(*frozen)
    assert len(kernel.signatures) == compiled
