"""What the notes tell of the history of deep networks: ``examples/networks_before_2010.py`` shows it."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
import networks_before_2010 as history


def test_the_group_method_finds_a_product_of_two_columns():
    """Noise-free y = x₁ x₂ is a quadratic function of two columns: one layer fits it exactly."""
    rng = np.random.default_rng(0)
    X, held = rng.normal(size=(60, 4)), rng.normal(size=(60, 4))
    errors, predict = history.group_method(X, X[:, 0] * X[:, 1], held, held[:, 0] * held[:, 1])
    assert errors[1] < 1e-20
    new = rng.normal(size=(20, 4))
    np.testing.assert_allclose(predict(new), new[:, 0] * new[:, 1], atol=1e-8)


def test_the_group_method_grows_while_held_out_rows_gain():
    rows = [history.drawn_rows(300, seed) for seed in range(3)]
    errors, predict = history.group_method(*rows[0], *rows[1])
    assert len(errors) > 3
    assert (np.diff(errors) < 0).all()
    new, y = rows[2]
    linear = np.column_stack([np.ones(300), rows[0][0]])
    weights = np.linalg.lstsq(linear, rows[0][1], rcond=None)[0]
    wrong = np.mean((y - np.column_stack([np.ones(300), new]) @ weights) ** 2)
    assert np.mean((y - predict(new)) ** 2) < 0.5 * wrong


def test_gradients_vanish_behind_sigmoids_and_not_behind_relu():
    """A sigmoid's slope is ¼ at most, so that a layer passes on a fraction, layer by layer."""
    X, y = history.drawn_rows(200)
    sigmoid, relu = (np.array(history.gradient_sizes(each, X, y)) for each in ("sigmoid", "relu"))
    assert (np.diff(sigmoid) > 0).all()
    assert sigmoid[0] < 1e-4 * sigmoid[-1]
    assert relu[0] > 0.1 * relu[-1]


@pytest.mark.slow
def test_greedy_pretraining_starts_deep_sigmoids():
    without, pretrained = history.losses_with_and_without_pretraining()
    assert pretrained < 0.7 * without


def test_pretrained_layers_reconstruct_what_they_were_given():
    X, _ = history.drawn_rows(150)
    first, second = history.pretrained_layers(X, (8, 4))
    assert (first.weights.shape, second.weights.shape) == ((12, 8), (8, 4))
