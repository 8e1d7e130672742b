"""What is scikit-learn's stays scikit-learn's, and can be had from here."""

import numpy as np
import pytest
import sklearn.compose
import sklearn.impute
import sklearn.preprocessing

import probus.preprocessing


@pytest.mark.parametrize(
    ("home", "name"),
    [
        *((sklearn.preprocessing, name) for name in (
            "StandardScaler", "MinMaxScaler", "RobustScaler", "KBinsDiscretizer", "OneHotEncoder", "OrdinalEncoder",
            "TargetEncoder", "PolynomialFeatures",
        )),
        *((sklearn.impute, name) for name in ("SimpleImputer", "KNNImputer", "MissingIndicator")),
        (sklearn.compose, "TransformedTargetRegressor"),
    ],
)  # fmt: skip
def test_borrowed_names_are_scikit_learns_own(home, name):
    assert getattr(probus.preprocessing, name) is getattr(home, name)
    assert name in probus.preprocessing.__all__


def test_equal_width_bins_share_the_range_and_equal_frequency_bins_the_rows():
    X = np.random.default_rng(0).exponential(size=(400, 1))
    width = probus.preprocessing.KBinsDiscretizer(4, strategy="uniform", encode="ordinal").fit(X)
    np.testing.assert_allclose(np.diff(width.bin_edges_[0]), np.ptp(X) / 4)
    frequency = probus.preprocessing.KBinsDiscretizer(4, encode="ordinal", quantile_method="averaged_inverted_cdf")
    assert np.bincount(frequency.fit_transform(X).ravel().astype(int)).tolist() == [100] * 4
