"""The penalty of the lasso and of the elastic net by cross-validation, against scikit-learn."""

import numpy as np
import pytest
import sklearn.linear_model as peer
from scipy.sparse import csr_matrix
from sklearn import config_context
from sklearn.model_selection import GroupKFold

from probus.linear_model import ElasticNetCV, LassoCV

rng = np.random.default_rng(0)
X = rng.normal(size=(90, 12)) * (rng.random((90, 12)) < 0.6) + 0.3
Y = X[:, :3] @ [1.0, -2.0, 3.0] + rng.normal(size=90) + 2
W = rng.uniform(0.3, 2, 90)


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    "options", [{}, {"l1_ratio": [0.5, 0.9]}, {"alphas": [0.5, 0.1, 0.02]}, {"cv": 3, "n_jobs": 2}]
)
def test_choices_are_those_of_scikit_learn(weighted, sparse, options):
    w = W if weighted else None
    ours = ElasticNetCV(tol=1e-8, **options).fit(csr_matrix(X) if sparse else X, Y, w)
    theirs = peer.ElasticNetCV(tol=1e-10, max_iter=100_000, **options).fit(X, Y, w)
    np.testing.assert_allclose(ours.alphas_, theirs.alphas_)
    np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=1e-4)
    assert (ours.alpha_, ours.l1_ratio_) == pytest.approx((theirs.alpha_, theirs.l1_ratio_))
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-4)


def test_the_lasso_is_the_elastic_net_of_ratio_one():
    lasso, net = LassoCV().fit(X, Y), ElasticNetCV(l1_ratio=1.0).fit(X, Y)
    assert lasso.alpha_ == net.alpha_
    np.testing.assert_array_equal(lasso.coef_, net.coef_)


def test_penalties_are_numbers_of_at_least_zero():
    with pytest.raises(ValueError, match=r"alphas\[1\] == -1, must be >= 0.0"):
        LassoCV(alphas=(1, -1)).fit(X, Y)


def test_groups_go_to_the_splitter_where_routing_is_enabled():
    groups = np.arange(len(Y)) % 4
    with pytest.raises(ValueError, match="only supported if enable_metadata_routing=True"):
        LassoCV().fit(X, Y, groups=groups)
    with config_context(enable_metadata_routing=True):
        model = LassoCV(cv=GroupKFold(4), alphas=5).fit(X, Y, groups=groups)
    np.testing.assert_array_equal(
        model.mse_path_, LassoCV(cv=GroupKFold(4).split(X, Y, groups), alphas=5).fit(X, Y).mse_path_
    )
