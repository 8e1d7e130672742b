"""The picture of losses shows their formulas."""

import matplotlib
import numpy as np
import pytest

from probus.losses import plot_losses

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def curves():
    axes = plot_losses()
    return [{line.get_label().partition(",")[0]: line for line in ax.lines} for ax in axes]


def at(line, x):
    return float(np.interp(x, *line.get_data()))


def test_surrogates_lie_above_the_errors_they_replace(curves):
    errors = curves[0]["0/1"].get_ydata()
    known = np.isfinite(errors)
    for name in ("hinge", "squared hinge", "logistic", "exponential"):
        assert (curves[0][name].get_ydata() >= errors - 1e-9)[known].all(), name


def test_values_of_the_margin(curves):
    margin = {name: at(curves[0][name], -1.0) for name in ("hinge", "squared hinge", "exponential", "perceptron")}
    assert margin == pytest.approx(
        {"hinge": 2.0, "squared hinge": 4.0, "exponential": np.e, "perceptron": 1.0}, rel=1e-4
    )
    assert at(curves[0]["logistic"], 1e-9) == pytest.approx(1.0, abs=1e-3)


def test_values_of_the_residual(curves):
    found = {name: (at(line, -2.0), at(line, 2.0)) for name, line in curves[1].items()}
    assert found["squared"] == pytest.approx((2.0, 2.0))
    assert found["absolute"] == pytest.approx((2.0, 2.0))
    assert found["Huber"] == pytest.approx((1.5, 1.5))
    assert found["insensitive"] == pytest.approx((1.2, 1.2))
    assert found["quantile"] == pytest.approx((0.4, 1.6))
