"""Activation functions: values, derivatives, and softmax."""

import numpy as np
import pytest

from probus.errors import DataError
from probus.neural_network._activations import ACTIVATIONS, activation_of, softmax, softmax_jacobian

Z = np.array([-40.0, -3.0, -1.0, -0.2, 0.3, 1.0, 2.5, 40.0])
NAMES = sorted(set(ACTIVATIONS) - {"softmax"})


@pytest.mark.parametrize("name", NAMES)
def test_slopes_are_finite_differences(name):
    one, h = ACTIVATIONS[name], 1e-6
    numeric = (one.value(Z + h) - one.value(Z - h)) / (2 * h)
    np.testing.assert_allclose(one.slope(Z, one.value(Z)), numeric, atol=1e-8)


@pytest.mark.parametrize("name", sorted(ACTIVATIONS))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_keep_their_dtype_and_do_not_overflow(name, dtype):
    one, z = ACTIVATIONS[name], np.array([[-3e4, -1.0, 0.0, 1.0, 3e4]], dtype=dtype)
    with np.errstate(over="raise", invalid="raise"):
        a = one.value(z)
        back = one.back(z, a, np.ones_like(z))
    assert a.dtype == back.dtype == dtype
    assert np.isfinite(a).all()
    assert np.isfinite(back).all()


def test_constants_are_the_definitions_of_the_papers():
    """Clevert et al. 2016 (ELU, α = 1), Klambauer et al. 2017 (SELU), Hendrycks and Gimpel 2016 (GELU), Misra 2020."""
    at = {name: float(ACTIVATIONS[name].value(np.array([-1.0]))[0]) for name in NAMES}
    expected = {
        "identity": -1, "step": 0, "sign": -1, "sigmoid": 1 / (1 + np.e), "tanh": -0.761594, "relu": 0,
        "leaky_relu": -0.01, "elu": 1 / np.e - 1, "selu": 1.0507010 * 1.6732632 * (1 / np.e - 1),
        "softplus": np.log(1 + 1 / np.e), "softsign": -0.5, "silu": -1 / (1 + np.e), "gelu": -0.1586553,
        "mish": -np.tanh(np.log(1 + 1 / np.e)),
    }  # fmt: skip
    assert {name: at[name] for name in expected} == pytest.approx(expected, abs=1e-6)


def test_softmax_picks_out_the_second_of_1_1000_2():
    np.testing.assert_allclose(softmax(np.array([1.0, 1000.0, 2.0])), [0, 1, 0], atol=1e-300)
    np.testing.assert_allclose(softmax_jacobian(np.array([1.0, 1000.0, 2.0])), np.zeros((3, 3)), atol=1e-300)


def test_softmax_of_the_notes():
    np.testing.assert_allclose(softmax(np.array([2.2, 0.0, 0.0])), [0.8186, 0.0907, 0.0907], atol=5e-5)


def test_the_jacobian_of_softmax_is_its_finite_differences():
    z, h = np.array([0.3, -1.2, 0.8, 0.1]), 1e-6
    numeric = np.array([(softmax(z + h * e) - softmax(z - h * e)) / (2 * h) for e in np.eye(4)]).T
    np.testing.assert_allclose(softmax_jacobian(z), numeric, atol=1e-9)
    gradient = np.array([[0.5, -2.0, 1.0, 3.0]])
    back = ACTIVATIONS["softmax"].back(z[None], softmax(z[None]), gradient)
    np.testing.assert_allclose(back[0], numeric.T @ gradient[0], atol=1e-8)


def test_names_of_scikit_learn():
    assert activation_of("logistic") is activation_of("sigmoid")


@pytest.mark.parametrize("name", ["rleu", None, 3])
def test_an_unknown_name_lists_the_known_ones(name):
    with pytest.raises(DataError, match=r"activation=.*\n  Expected one of 'identity', 'step', .*'softmax'"):
        activation_of(name)
    with pytest.raises(DataError, match=r"Did you mean 'relu'\?"):
        activation_of("rleu")
